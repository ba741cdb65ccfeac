"""What a notebook may be told, and the words in which it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchlib.errors import DataError, InputError, ParameterError, SelectionError
from benchlib.run.parameters import check_parameters, check_plan, declared_parameters
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
    path = folder / "scaling.ipynb"
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


def test_values_get_the_declared_type_or_are_refused(tmp_path: Path) -> None:
    """Text of a command line and values of the type are taken; text stays as it is; a refusal says what is accepted."""
    declared = declared_parameters(write(tmp_path, SOURCE))
    texts = ("007", "no", "20261120", "true", "1e3", "[3]", "", "2026-11-20", " x ")
    for name, given, value in (
        *(("study", text, text) for text in texts), ("repeats", "12", 12), ("repeats", "-3", -3),
        ("strict", True, True), ("confidence_level", "0.9", 0.9), ("confidence_level", "1", 1.0),
        ("confidence_level", "1e-3", 0.001),
        ("confidence_level", 1, 1.0), ("strict", "true", True), ("strict", "false", False),
    ):  # fmt: skip
        assert repr(check_parameters(declared, {name: given})) == repr({name: value})
    whole, finite, words = "a whole number of at most 18 digits", "a finite number", "true or false"
    for name, given, accepted in (
        *(("repeats", text, whole) for text in ("6.0", "1_000", "six", "9" * 19, "9" * 5000, True)),
        *(("confidence_level", text, finite) for text in ("nan", "inf", "1e999", "0,95")),
        *(("strict", text, words) for text in ("yes", "True", 1)), ("study", 3, "text"),
        ("cores", "1," + "9" * 35, "whole numbers of at most 18 digits"),
    ):  # fmt: skip
        with pytest.raises(ParameterError) as caught:
            check_parameters(declared, {name: given})
        said = str(caught.value)
        assert said.startswith(f"`scaling.ipynb`: parameter '{name}' is '")
        assert f"; accepted: {accepted}" in said
        assert "\n" not in said


def test_a_line_that_declares_no_parameter_is_named(tmp_path: Path) -> None:
    """The notebook's author learns which line, and the form that is accepted."""
    for source in (
        "x: list = []", "x: list[int] = [1, 'a']", "x: list[int] = '1'", 'x: "date" = "soon"', "x: str = 'a' + b",
        "x = []", "x: 3 = 3", "x: list[list[int]] = [[1]]", "x = y", "import os", "x: str = 3", "x: int | None = None",
        "x, y = 1, 2", "x =",
    ):  # fmt: skip
        with pytest.raises(ParameterError, match="parameters cell"):
            declared_parameters(write(tmp_path, source))


def test_a_notebook_that_is_none_is_bad_input(tmp_path: Path) -> None:
    """Missing, or not JSON; JSON of something else stands in the contract."""
    (tmp_path / "text.ipynb").write_text("hello")
    for name, said in (("none", "no such notebook"), ("text", "not a readable notebook")):
        with pytest.raises(InputError, match=said):
            declared_parameters(tmp_path / f"{name}.ipynb")


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
