"""A file of several sets of parameters, and how it is refused."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from benchlib.errors import BenchlibError
from benchlib.report.running.parameter_sets import read_parameter_sets
from benchlib.report.running.parameters import Parameter, typed

TYPES = {"where": "str", "level": "float", "repeats": "int", "since": "date", "cores": "list[int]", "strict": "bool"}
DEFAULTS = {"where": "", "level": 0.95, "repeats": 6, "since": "2026-01-01", "cores": [1], "strict": False}
DECLARED = [
    Parameter(name=name, type=kind, default=DEFAULTS[name], help="", notebook="x.ipynb")  # type: ignore[arg-type]
    for name, kind in TYPES.items()
]


def test_each_table_is_a_set(tmp_path: Path) -> None:
    """In the order of the file, each value in the declared type, dates as their text."""
    path = tmp_path / "sets.toml"
    path.write_text('[a-1]\nlevel = 1\ncores = [1, 2]\nsince = 2026-11-20\n[b]\nwhere = "007"\nstrict = true\n[c]\n')
    found = read_parameter_sets(path, DECLARED, notebook="x.ipynb")
    assert [(one.name, one.values) for one in found] == [
        ("a-1", {"level": 1.0, "cores": [1, 2], "since": "2026-11-20"}),
        ("b", {"where": "007", "strict": True}),
        ("c", {}),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a]\n\nlevl = 1\n", ":3: `x.ipynb` has no parameter 'levl'; did you mean 'level'?"),
        ("[a]\nrepeats = 1.5\n", ":2: `x.ipynb`: parameter 'repeats' is '1.5'; accepted: a whole number"),
        ('[a]\nrepeats = "six"\n', ":2: `x.ipynb`: parameter 'repeats' is 'six'"),
        ("[a]\nwhere = 7\n", ":2: `x.ipynb`: parameter 'where' is '7'; accepted: text"),
        ("[a]\nlevel = nan\n", ":2: `x.ipynb`: parameter 'level' is 'nan'"),
        ("[a]\nsince = 2026-11-20T10:00:00\n", ":2: `x.ipynb`: parameter 'since'"),
        ("[a]\ncores = [1, true]\n", ":2: `x.ipynb`: parameter 'cores'"),
        ('[a]\nstudy = "data"\n', ":2: 'study' is named on the command line"),
        ("level = 1\n", ":1: 'level' stands outside a set; write [name] above it"),
        ('["../up"]\n', ":1: '../up' cannot name a set"),
        ('["<script>"]\n', "'<script>' cannot name a set"),
        ('["a\\u202Eb"]\n', r"'a\u202eb' cannot name a set"),
        ("[failed]\n", "'failed' cannot name a set"),
        ("[Failed]\n", "'Failed' cannot name a set"),
        ("[CaSe]\n[b]\n[case]\n", ":3: 'case' and 'CaSe' are one name where files are found in any case"),
        (f"[{'a' * 41}]\n", "cannot name a set"),
        ("[[a]]\nlevel = 1\n", "'a' stands outside a set"),
        ("", ": holds no set"),
        ("[a\n", ": not TOML ("),
        ("a = " + "[" * 5000, ": not TOML ("),
    ],
)
def test_a_mistake_is_one_line_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    """File, line, what was found, what is accepted."""
    path = tmp_path / "sets.toml"
    path.write_text(text)
    with pytest.raises(BenchlibError) as caught:
        read_parameter_sets(path, DECLARED, notebook="x.ipynb")
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert str(caught.value).isprintable()
    assert caught.value.exit_code == 2


def test_a_file_that_cannot_be_read_is_bad_input(tmp_path: Path) -> None:
    """Missing, a folder, not UTF-8, too large."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "latin").write_bytes(b"# \xb5\n")
    (tmp_path / "large").write_bytes(b"#" * (1 << 20) + b"\n")
    for name, reason in (
        ("none", "cannot be read"),
        ("folder", "cannot be read"),
        ("latin", "not UTF-8"),
        ("large", "larger than 1 MiB"),
    ):  # fmt: skip
        with pytest.raises(BenchlibError, match=reason):
            read_parameter_sets(tmp_path / name, DECLARED, notebook="x.ipynb")


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        ("list[int]", "1,2,4", [1, 2, 4]),
        ("list[int]", "", []),
        ("list[int]", "[1, 2]", [1, 2]),
        ("list[str]", "a, b", ["a", "b"]),
        ("list[str]", '["a,b", "c"]', ["a,b", "c"]),
        ("list[float]", "1,.5", [1.0, 0.5]),
        ("list[bool]", "true,false", [True, False]),
        ("list[date]", "2026-11-20,2026-11-21", ["2026-11-20", "2026-11-21"]),
        ("date", "2026-11-20", "2026-11-20"),
        ("date", date(2026, 11, 20), "2026-11-20"),
        ("list[int]", "1,,2", None),
        ("list[int]", "1,x", None),
        ("list[int]", "[1, 2", None),
        ("list[int]", '{"a": 1}', None),
        ("list[int]", "[" * 100_000, None),
        ("list[int]", [1, "2"], [1, 2]),
        ("list[int]", [True], None),
        ("date", "20261120", None),
        ("date", "2026-02-30", None),
        ("date", "2026-W47-5", None),
        ("date", 20261120, None),
        ("int", "٣", None),
        ("int", "1" * 19, None),
        ("float", 10**400, None),
        ("bool", "no", None),
    ],
)
def test_lists_and_dates_come_out_as_declared(kind: str, given: object, value: object) -> None:
    """Nothing is guessed: a value has the declared type, or it is refused."""
    found = typed(kind, given)
    assert found == value
    assert type(found) is type(value)
