"""What a notebook may be told, and the words in which it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchlib.errors import DataError, InputError, ParameterError, SelectionError
from benchlib.run.parameters import Parameter, check_parameters, check_plan, declared_parameters
from tests.shipped_studies import study

SOURCE = """\
study: str = "data/onix-adapter"  # A results folder or file.
confidence_level: float = 0.95  # Of every interval.
repeats: int = 6
strict: bool = False  # Stop at the first problem.
low: float = -1
cores: list[int] = [1, 2]  # Levels.
names: list[str] = []
since: "date" = "2026-01-01"
days: "list[date]" = ["2026-01-01"]
shares = [0.5]
"""


def write(folder: Path, source: str) -> Path:
    path = folder / "40_scaling.ipynb"
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# A question"]},
        {
            "cell_type": "code",
            "metadata": {"tags": ["parameters"]},
            "source": source.splitlines(keepends=True),
        },
    ]
    path.write_text(json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}))
    return path


def test_a_number_too_large_is_told_so() -> None:
    """With the digits that are accepted; alone and in a list."""
    for kind, value in (("int", "9" * 35), ("list[int]", "1," + "9" * 35)):
        declared = [Parameter(name="i", type=kind, default=0, help="", notebook="own.ipynb")]
        with pytest.raises(ParameterError, match="of at most 18 digits"):
            check_parameters(declared, {"i": value})


def test_the_cell_tells_name_type_default_and_help(tmp_path: Path) -> None:
    """Each line becomes one parameter, in order."""
    declared = declared_parameters(write(tmp_path, SOURCE))
    assert [(one.name, one.type, one.default) for one in declared] == [
        ("study", "str", "data/onix-adapter"),
        ("confidence_level", "float", 0.95),
        ("repeats", "int", 6),
        ("strict", "bool", False),
        ("low", "float", -1.0),
        ("cores", "list[int]", [1, 2]),
        ("names", "list[str]", []),
        ("since", "date", "2026-01-01"),
        ("days", "list[date]", ["2026-01-01"]),
        ("shares", "list[float]", [0.5]),
    ]
    assert declared[1].help == "Of every interval."
    assert declared[2].help == ""


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("confidnce", "'confidnce'; did you mean 'confidence_level'? Declared: "),
        ("x", "'x'; declared: "),
        # papermill would write it into the notebook as it is.
        ("repeats=1;import os#", "'repeats=1;import os#'; declared: "),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest_one(tmp_path: Path, name: str, near: str) -> None:
    """A misspelt parameter stops the run, where papermill only warns."""
    with pytest.raises(ParameterError) as caught:
        check_parameters(declared_parameters(write(tmp_path, SOURCE)), {name: "0.9"})
    names = "study, confidence_level, repeats, strict, low, cores, names, since, days, shares"
    assert str(caught.value) == f"`40_scaling.ipynb` has no parameter {near}{names}"


@pytest.mark.parametrize("text", ["007", "no", "20261120", "true", "1e3", "[3]", "", "2026-11-20", " x "])
def test_text_stays_the_text_given(tmp_path: Path, text: str) -> None:
    """Nothing is guessed about a parameter declared as text."""
    declared = declared_parameters(write(tmp_path, SOURCE))
    assert check_parameters(declared, {"study": text}) == {"study": text}


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("repeats", "12", 12),
        ("repeats", "-3", -3),
        ("confidence_level", "0.9", 0.9),
        ("confidence_level", "1", 1.0),
        ("confidence_level", "1e-3", 0.001),
        ("strict", "true", True),
        ("strict", "false", False),
        ("strict", True, True),
        ("confidence_level", 1, 1.0),
    ],
)
def test_values_get_the_declared_type(tmp_path: Path, name: str, text: object, value: object) -> None:
    """Text of a command line, and values of that type, become the declared type."""
    [typed] = check_parameters(declared_parameters(write(tmp_path, SOURCE)), {name: text}).values()
    assert typed == value
    assert type(typed) is type(value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("repeats", "6.0"),
        ("repeats", "1_000"),
        ("repeats", "six"),
        ("repeats", "9" * 5000),
        ("repeats", True),
        ("confidence_level", "nan"),
        ("confidence_level", "inf"),
        ("confidence_level", "1e999"),
        ("confidence_level", "0,95"),
        ("strict", "yes"),
        ("strict", "True"),
        ("strict", 1),
        ("study", 3),
    ],
)
def test_a_value_of_another_type_is_refused_in_one_line(tmp_path: Path, name: str, text: object) -> None:
    """The message names notebook, parameter, what was found and what is accepted."""
    with pytest.raises(ParameterError) as caught:
        check_parameters(declared_parameters(write(tmp_path, SOURCE)), {name: text})
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"`40_scaling.ipynb`: parameter '{name}' is '")
    assert "accepted: " in message


@pytest.mark.parametrize(
    "source",
    [
        "x: list = []",
        "x: list[int] = [1, 'a']",
        "x: list[int] = '1'",
        'x: "date" = "soon"',
        "x: str = 'a' + b",
        "x = []",
        "x: 3 = 3",
        "x: list[list[int]] = [[1]]",
        "x = y",
        "import os",
        "x: str = 3",
        "x: int | None = None",
        "x, y = 1, 2",
        "x =",
    ],
)
def test_a_line_that_declares_no_parameter_is_named(tmp_path: Path, source: str) -> None:
    """The notebook's author learns which line, and the form that is accepted."""
    with pytest.raises(ParameterError, match="parameters cell"):
        declared_parameters(write(tmp_path, source))


def test_a_notebook_that_is_none_is_bad_input(tmp_path: Path) -> None:
    """Missing, not JSON, or JSON of something else."""
    with pytest.raises(InputError, match="no such notebook"):
        declared_parameters(tmp_path / "none.ipynb")
    (tmp_path / "text.ipynb").write_text("hello")
    with pytest.raises(InputError, match="not a readable notebook"):
        declared_parameters(tmp_path / "text.ipynb")
    (tmp_path / "list.ipynb").write_text("[]")
    with pytest.raises(InputError, match="no list of cells"):
        declared_parameters(tmp_path / "list.ipynb")


# A plan that cannot be meant is told before its notebook runs.

CORE = {"target": "50000/s", "slo": "", "headroom": "", "survive": "", "nodes": ""}
REST = {"growth": "", "start": "", "currency": "", "mix": "", "probability": 0.95, "draws": 4000, "seed": 0}


@pytest.mark.parametrize("left", ["", *REST])
def test_a_plan_is_known_without_what_may_be_left_out(left: str) -> None:
    """A notebook written before there was a currency is checked like those that have one."""
    values = {name: value for name, value in (CORE | REST).items() if name != left}
    check_plan(values, study("http-endpoints"))
    with pytest.raises(DataError, match="headroom"):
        check_plan(values | {"headroom": "lots"}, study("http-endpoints"))


def test_what_a_notebook_has_besides_is_checked_too() -> None:
    """Prices in two currencies, and an operation that is not there."""
    with pytest.raises(DataError, match="nothing is converted"):
        check_plan(CORE | {"nodes": "cores=2,cost=1EUR/h", "currency": "CHF"}, study("http-endpoints"))
    with pytest.raises(SelectionError):
        check_plan(CORE | {"mix": "nowhere=1,elsewhere=2"}, study("http-endpoints"))


@pytest.mark.parametrize("left", CORE)
def test_what_is_no_plan_is_not_checked(left: str) -> None:
    """A notebook of another kind may call a parameter of its own headroom, or target."""
    values = {name: "no such thing" for name in CORE if name != left}
    check_plan(values, study("http-endpoints"))
