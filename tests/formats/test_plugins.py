"""Readers from other distributions."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchlib.errors import FormatError, InputError
from benchlib.formats import load, registry

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
        return "perhaps"


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
        registry._plugins.cache_clear()

    yield put
    monkeypatch.undo()
    sys.modules.pop("fancy_formats", None)
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
        ("Missing", "'fancy' cannot be used (AttributeError: module 'fancy_formats' has no attribute 'Missing')"),
        ("Nameless", "'fancy' cannot be used (TypeError: name is no text)"),
        ("GROUP.x", "'fancy' cannot be used (AttributeError: module 'fancy_formats' has no attribute 'GROUP')"),
        ("Fails", "'fails' failed at a.csv (KeyError: 'missing')"),
        ("Odd", "'odd' failed at a.csv (answered 'perhaps', not certain, possible or no)"),
    ],
)
def test_a_broken_plug_in_is_one_problem(install, file: Path, target: str, why: str) -> None:
    """It names the distribution, and other formats are read all the same; where none reads, the error names it too."""
    install(f"fancy_formats:{target}")
    (file.parent / "a.csv").write_text("benchmark,time_ms\na,1.5\n")
    results = load(file.parent / "a.csv")
    assert len(results.frame) == 1
    [problem] = results.problems
    assert (problem.source, problem.line) == ("fancy-formats", 0)
    assert problem.message.startswith(f"the format plug-in {why}")
    (file.parent / "a.csv").unlink()
    # It may be the one that reads the file.
    for path in (file, file.parent):
        with pytest.raises(FormatError) as caught:
            load(path)
        assert "no benchmark results recognised" in str(caught.value)
        assert f"; fancy-formats: the format plug-in {why.replace('a.csv', 'a.tally')}" in str(caught.value)


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("Reads", "failed (ZeroDivisionError"),
        ("Nothing", "gave back NoneType, not a Reading"),
    ],
)
def test_a_plug_in_that_cannot_read_is_one_line(install, file: Path, target: str, why: str) -> None:
    """The file is not read, and the line says whose fault it is."""
    install(f"fancy_formats:{target}")
    with pytest.raises(InputError) as caught:
        load(file)
    assert str(caught.value).startswith(f"a.tally: the format plug-in 'tally' of fancy-formats {why}")


def test_a_name_that_is_taken_is_an_error(install, file: Path) -> None:
    """Which of two readers of one name reads a file would be chance."""
    install("fancy_formats:Copy")
    with pytest.raises(FormatError, match=r"^fancy-formats: its format plug-in is named 'csv'"):
        load(file)
