"""Readers from other distributions."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchlib.errors import FormatError, InputError
from benchlib.formats import load, registry
from benchlib.formats.reader import TextFile

GOOD = """
from benchlib.formats.reader import Reading, Rows
from benchlib.results import LineCounts


class Tally:
    name = "tally"
    rule = "a first line TALLY"
    contains = frozenset()
    files = "*.tally"
    yields = "counts"
    limits = "everything else"

    def recognise(self, head):
        return "certain" if head.lines[0] == "TALLY" else "no"

    def read(self, file):
        rows = Rows()
        for number, line in enumerate(file.lines[1:], 2):
            rows.add(name="", metric="tally", value=float(line), unit="", line=number, configuration=0)
        counts = LineCounts(data=len(rows), context=1, problem=0, noise=0)
        return Reading(rows=rows, configurations=[{"benchmark": "t"}], problems=[], lines=counts)


instance = Tally()


class Copy(Tally):
    name = "csv"


class Fails(Tally):
    name = "fails"

    def recognise(self, head):
        return {}["missing"]


class Odd(Tally):
    name = "odd"

    def recognise(self, head):
        return "perhaps" if head.source == "a.tally" else "no"


class Reads(Tally):
    def read(self, file):
        return 1 / 0


class Nothing(Tally):
    def read(self, file):
        return None


class Nameless(Tally):
    name = ""
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    """Return a function that installs a distribution with one entry point."""
    site = tmp_path / "site"

    def put(target: str) -> None:
        information = site / "fancy_formats-1.0.dist-info"
        information.mkdir(parents=True)
        (information / "METADATA").write_text("Metadata-Version: 2.1\nName: fancy-formats\nVersion: 1.0\n")
        (information / "entry_points.txt").write_text(f"[{registry.GROUP}]\nfancy = {target}\n")
        (site / "fancy_formats.py").write_text(GOOD)
        monkeypatch.syspath_prepend(str(site))
        _forget()

    yield put
    monkeypatch.undo()
    sys.modules.pop("fancy_formats", None)
    _forget()


def _forget() -> None:
    registry._plugins.cache_clear()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of the plug-in's format."""
    path = tmp_path / "data" / "a.tally"
    path.parent.mkdir()
    path.write_text("TALLY\n3\n4\n")
    return path


@pytest.mark.parametrize("target", ["fancy_formats:Tally", "fancy_formats:instance"])
def test_a_plug_in_reads_its_files(install, file: Path, target: str) -> None:
    """As a class or an instance; the table of formats names its distribution."""
    from benchlib.cli.formats import list_formats

    install(target)
    results = load(file)
    assert results.frame["value"].tolist() == [3.0, 4.0]
    assert (results.files[0].format, results.problems) == ("tally", ())
    last = list_formats()[-1]
    assert (last["name"], last["origin"], last["documentation"]) == ("tally", "plug-in", "fancy-formats")


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("fancy_formats:Missing", "AttributeError"),
        ("no_such_module:Tally", "ModuleNotFoundError"),
        ("fancy_formats:Nameless", "name is no text"),
        ("fancy_formats:GROUP.x", "AttributeError"),
        ("fancy_formats:Fails", "failed at a.csv (KeyError"),
    ],
)
def test_a_broken_plug_in_is_one_problem(install, tmp_path: Path, target: str, why: str) -> None:
    """It names the distribution, and the other formats are read all the same."""
    (tmp_path / "a.csv").write_text("benchmark,time_ms\na,1.5\n")
    install(target)
    results = load(tmp_path / "a.csv")
    assert len(results.frame) == 1
    [problem] = results.problems
    assert (problem.source, problem.line) == ("fancy-formats", 0)
    assert why in problem.message


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("fancy_formats:Reads", "plug-in 'tally' of fancy-formats failed (ZeroDivisionError"),
        ("fancy_formats:Nothing", "plug-in 'tally' of fancy-formats gave back NoneType, not a Reading"),
    ],
)
def test_a_plug_in_that_cannot_read_is_one_line(install, file: Path, target: str, why: str) -> None:
    """The file is not read, and the line says whose fault it is."""
    install(target)
    with pytest.raises(InputError, match=r"^a\.tally: ") as told:
        load(file)
    assert why in str(told.value)


def test_a_plug_in_that_answers_oddly_is_not_believed(install, file: Path) -> None:
    """Only certain, possible and no are answers."""
    install("fancy_formats:Odd")
    head = TextFile("a.tally", ["TALLY"])
    assert [one.recognise(head) for one in registry.readers() if one.name == "odd"] == ["no"]
    [(whence, message)] = registry.plugin_problems()
    assert whence == "fancy-formats"
    assert "answered 'perhaps'" in message


@pytest.mark.parametrize("alone", [True, False], ids=["file", "folder"])
@pytest.mark.parametrize(
    ("target", "why"),
    [
        (
            "no_such_module:Tally",
            "plug-in 'fancy' cannot be used (ModuleNotFoundError: No module named 'no_such_module')",
        ),
        ("fancy_formats:Fails", "plug-in 'fails' failed at a.tally (KeyError: 'missing'); mend it"),
        (
            "fancy_formats:Odd",
            "plug-in 'odd' failed at a.tally (answered 'perhaps', not certain, possible or no); mend",
        ),
    ],
)
def test_a_plug_in_that_failed_is_named_where_nothing_was_recognised(
    install, file: Path, target: str, why: str, alone: bool
) -> None:
    """It may be the one that reads the file: the error names it and its distribution, before what was tried."""
    install(target)
    with pytest.raises(FormatError) as told:
        load(file if alone else file.parent)
    said, _, names = str(told.value).partition("; tried ")
    assert "no benchmark results recognised" in said
    assert f"; fancy-formats: the format {why}" in said
    assert names.startswith("go-bench, ")


def test_a_name_that_is_taken_is_an_error(install, file: Path) -> None:
    """Which of two readers of one name reads a file would be chance."""
    install("fancy_formats:Copy")
    with pytest.raises(FormatError, match=r"^fancy-formats: its format plug-in is named 'csv'"):
        load(file)
