"""Bad input: exit 2, one line on stderr that says where, what and what to do, and nothing written.

The messages stand word for word in tests/golden/bad-input.txt. After an edit of wording::

    BENCHLIB_UPDATE_GOLDEN=1 python -m pytest tests/golden tests/malformed
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.golden.compare import golden
from tests.malformed.places import GO, Place, Said

REPORT = ("report", "sound", "-o", "out")
TIDY = "benchmark,metric,value,unit\n"


@dataclass(frozen=True, slots=True)
class Case:
    """Files, a command, and what its message must hold: the place, the fault, the remedy."""

    arguments: tuple[str, ...]
    holds: tuple[str, ...]
    files: Mapping[str, str | bytes] = field(default_factory=dict)


def study(text: str) -> dict[str, str | bytes]:
    """Return a study with this definition."""
    return {"bad/study.toml": text, "bad/run.txt": GO}


CASES = {
    "an empty file": Case(
        ("inspect", "empty.txt"), ("empty.txt", "is empty", "run the benchmark again"), {"empty.txt": ""}
    ),
    "a file of blank lines": Case(("inspect", "b.txt"), ("b.txt", "is empty"), {"b.txt": "\n \n\t\n"}),
    "a binary file": Case(("inspect", "a.out"), ("a.out", "is binary", "name the text"), {"a.out": bytes(range(256))}),
    "an empty file to report": Case(("report", "empty.txt", "-o", "out"), ("empty.txt", "is empty"), {"empty.txt": ""}),
    "a folder without a file": Case(
        ("inspect", "void"), ("void", "holds no file", "name a file of results"), {"void/README.md": "nothing here"}
    ),
    "a folder without results": Case(
        ("report", "notes", "-o", "out"),
        ("notes", "no benchmark results recognised", "tried go-bench", "wrk", "csv"),
        {"notes/a.txt": "hello\n", "notes/b.log": "world\n"},
    ),
    "a line cut off, strictly": Case(
        ("inspect", "--strict", "cut.txt"),
        ("cut.txt:5", "line skipped"),
        {"cut.txt": GO + "BenchmarkZ-8   \t 10"},
    ),
    "nothing but a line cut off": Case(
        ("convert", "cut.txt", "-o", "table.csv"),
        ("cut.txt:2", "holds no result"),
        {"cut.txt": "goos: linux\nBenchmarkZ-8   \t 10"},
    ),
    "a gzip cut off": Case(
        ("inspect", "cut.gz"),
        ("cut.gz", "gzip", "copy the file again"),
        {"cut.gz": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b"},
    ),
    "a target in a unit of another kind": Case(
        ("inspect", "bad"),
        ("bad/study.toml:", "8 MiB", "sec/op", "write the bound in that unit"),
        study('[[targets]]\nname = "decode"\nmetric = "time"\nat_most = "8 MiB"\n'),
    ),
    "a target in no unit": Case(
        ("inspect", "bad"),
        ("bad/study.toml:", "8 parsec", "sec/op"),
        study('[[targets]]\nname = "decode"\nmetric = "time"\nat_most = "8 parsec"\n'),
    ),
    "NaN in Go text, strictly": Case(
        ("inspect", "--strict", "nan.txt"),
        ("nan.txt:5", "nan", "is no measurement"),
        {"nan.txt": GO + "BenchmarkZ-8 \t 10\t NaN ns/op\n"},
    ),
    "NaN in a table, strictly": Case(
        ("inspect", "--strict", "nan.csv"),
        ("nan.csv:2", "'NaN' is no measurement", "leave the cell empty"),
        {"nan.csv": TIDY + "Encode,time,NaN,ns\nDecode,time,3,ns\n"},
    ),
    "a negative time, strictly": Case(
        ("inspect", "--strict", "neg.csv"),
        ("neg.csv:2", "time is -3 ns", "no time is negative", "correct it or measure again"),
        {"neg.csv": TIDY + "Encode,time,-3,ns\nDecode,time,3,ns\n"},
    ),
    "nothing but decimal commas": Case(
        ("inspect", "comma.csv"),
        ("comma.csv:2", "'1,5' has a comma", "write a decimal point"),
        {"comma.csv": "benchmark;time_ms\nEncode;1,5\nDecode;2,5\n"},
    ),
    "nothing but NaN": Case(
        ("report", "nan.csv", "-o", "out"),
        ("nan.csv:2", "'NaN' is no measurement"),
        {"nan.csv": TIDY + "Encode,time,NaN,ns\n"},
    ),
    "a column that stands twice": Case(
        ("inspect", "twice.csv"),
        ("twice.csv:1", "'benchmark' stands twice", "rename one"),
        {"twice.csv": "benchmark,benchmark,time (ns)\nEncode,Decode,3\n"},
    ),
    "a key that stands twice": Case(("inspect", "bad"), ("bad/study.toml:2",), study('title = "one"\ntitle = "two"\n')),
    "a table that stands twice": Case(
        ("inspect", "bad"), ("bad/study.toml:3",), study("[scaling]\nweak = true\n[scaling]\nweak = false\n")
    ),
    "a misspelt key": Case(
        (*REPORT[:1], "bad", *REPORT[2:]),
        ("bad/study.toml:3", "'concurency'", "did you mean 'concurrency'?", "weights"),
        study('title = "x"\n[scaling]\nconcurency = "gomaxprocs"\n'),
    ),
    "a key of the wrong type": Case(
        ("inspect", "bad"), ("bad/study.toml:1", "'title'", "text", "7"), study("title = 7\n")
    ),
    "a definition that is no TOML": Case(("inspect", "bad"), ("bad/study.toml:2",), study('title = "x"\n???\n')),
    "an axis that is not there": Case(
        ("inspect", "bad"),
        ("bad/study.toml:2", "'workers'", "gomaxprocs"),
        study('[scaling]\nconcurrency = "workers"\n'),
    ),
    "an unknown parameter": Case(
        (*REPORT, "-p", "metrc=time"),
        ("executive_summary.ipynb", "'metrc'", "study, where, reader, confidence_level"),
    ),
    "a parameter of the wrong type": Case(
        (*REPORT, "-p", "confidence_level=high"), ("'confidence_level'", "'high'", "0.95")
    ),
    "a parameter without a value": Case((*REPORT, "-p", "where"), ("'where'", "name=value")),
    "a parameter given twice": Case((*REPORT, "-p", "where=unit=sec", "-p", "where=unit=sec"), ("'where'", "twice")),
    "a condition given twice": Case(
        (*REPORT, "--where", "metric=time", "-p", "where=metric=time"), ("'where'", "twice", "--where")
    ),
    "a reader given twice": Case((*REPORT, "--reader", "csv", "-p", "reader=csv"), ("'reader'", "twice", "--reader")),
    "a reader that is not there": Case(("inspect", "sound", "--reader", "go-bnch"), ("did you mean 'go-bench'?",)),
    "standard input twice": Case(("inspect", "-", "-"), ("-: ", "named twice", "name it once")),
    "a table in the place of its input": Case(
        ("convert", "raw.csv", "-o", "raw.csv"),
        ("raw.csv", "would replace", "choose another place"),
        {"raw.csv": TIDY + "Encode,time,5,ns\n"},
    ),
    "a file in another encoding": Case(
        ("inspect", "a.txt"), ("a.txt", "not UTF-8: byte 0xb5 at line 1", "save it"), {"a.txt": b"5 \xb5s\n"}
    ),
    "a format of a name that is taken": Case(
        ("inspect", "bad"),
        ("bad/study.toml:2", "'go-bench'", "rename it"),
        study(
            '[[formats]]\nname = "go-bench"\nfiles = ["*.txt"]\nkind = "lines"\npattern = "(?P<value>1)"\nunit = "s"\n'
        ),
    ),
    "the study given twice": Case((*REPORT, "-p", "study=other"), ("'study'", "twice")),
    "a parameter name that is code": Case((*REPORT, "-p", "x=1;import os#=2"), ("no parameter 'x'",)),
    "a parameter name of another kind": Case((*REPORT, "-p", "import os;study=2"), ("no parameter 'import os;study'",)),
    "a parameter name with a line end": Case((*REPORT, "-p", "a\nimport os\x1b[2J=2"), (r"'a\nimport os\x1b[2J'",)),
    "a study that is not there": Case(("report", "soundd", "-o", "out"), ("soundd", "did you mean 'sound'?")),
    "a path of control characters": Case(("inspect", "no\x1b[31m\r\n\x00pe"), (r"no\x1b[31m\r\n\x00pe",)),
    "a file outside": Case(("inspect", "sound/../notes.txt"), ("notes.txt", "tried go-bench"), {"notes.txt": "x\n"}),
    "a device": Case(("inspect", "/dev/zero"), ("zero", "not a regular file")),
    "no study": Case(("report", "-o", "out"), ("no study named", "--all")),
    "an empty name": Case(("inspect", ""), ("no study named",)),
    "studies and --all": Case(("report", "sound", "--all", "-o", "out"), ("not both",)),
    "--all without data": Case(("report", "--all", "-o", "out"), ("no study in data/",)),
    "a condition without =": Case(("inspect", "sound", "--where", "Encode"), ("'Encode'", "write column=pattern")),
    "a condition on no column": Case(
        ("inspect", "sound", "--where", "benchmrk=Encode"), ("'benchmrk'", "did you mean 'benchmark'?")
    ),
    "a condition that nothing meets": Case(
        ("convert", "sound", "-o", "t.csv", "--where", "benchmark=Encrypt"), ("Encode, Decode",)
    ),
    "an open quote in a condition": Case(
        ("inspect", "sound", "--where", "benchmark='a"), ("a quote is left open", "close it")
    ),
    "a table of another ending": Case(
        ("convert", "sound", "-o", "table.xlsx"), ("table.xlsx", "'.xlsx'", ".csv or .parquet")
    ),
    "a table without a folder": Case(("convert", "sound", "-o", "no/table.csv"), ("no/table.csv", "make it first")),
    "a table where a folder is": Case(
        ("convert", "sound", "-o", "taken.csv"),
        ("taken.csv", "cannot be written", "choose another"),
        {"taken.csv/keep": "x"},
    ),
    "a table where nothing can be written": Case(
        ("convert", "sound", "-o", "/proc/table.csv"), ("/proc/table.csv", "cannot be written")
    ),
    "an output folder that is a file": Case(
        ("report", "sound", "-o", "taken"), ("taken", "cannot be made a folder", "-o"), {"taken": "x"}
    ),
    "an output folder below a file": Case(
        ("report", "sound", "-o", "taken/out"), ("taken/out", "cannot be made a folder"), {"taken": "x"}
    ),
    "an output folder that cannot be made": Case(
        ("report", "sound", "-o", "/proc/out"), ("/proc/out", "cannot be made a folder")
    ),
    "a notebook that is not there": Case(
        (*REPORT, "--notebook", "executive_sumary"), ("did you mean 'executive_summary'?",)
    ),
    "a notebook that is none": Case(
        (*REPORT, "--notebook", "broken.ipynb"), ("broken.ipynb", "not a readable notebook"), {"broken.ipynb": "{"}
    ),
    "a notebook without cells": Case(
        (*REPORT, "--notebook", "bare.ipynb"), ("bare.ipynb", "no list of cells"), {"bare.ipynb": "[]"}
    ),
    "a path template of metacharacters": Case(
        ("inspect", "bad"),
        ("bad/study.toml:2", "(a+)+$"),
        study('[configuration]\npaths = ["(a+)+$"]\n'),
    ),
    "a path template left open": Case(
        ("inspect", "bad"), ("bad/study.toml:2", "cpu{n"), study('[configuration]\npaths = ["cpu{n.txt"]\n')
    ),
    "a name template of code": Case(
        ("inspect", "bad"),
        ("bad/study.toml:2",),
        study('[configuration]\nnames = [{template = "/{__import__(1)}", benchmarks = ["*"]}]\n'),
    ),
}


def said(place: Place, case: Case) -> Said:
    """Put the files of a case in place and run its command."""
    for name, content in case.files.items():
        place.file(name, content)
    return place.run(*case.arguments)


@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_one_line_and_writes_nothing(name: str, place: Place) -> None:
    """Exit 2, one printable line on stderr with place, fault and remedy; no output, no temporary file."""
    case = CASES[name]
    for path, content in case.files.items():
        place.file(path, content)
    before = place.state()
    found = place.run(*case.arguments)
    assert (found.code, found.out) == (2, "")
    line = found.err.removesuffix("\n")
    assert found.err == f"{line}\n"
    assert line.isprintable()
    assert line.startswith("benchlib: ")
    for part in case.holds:
        assert part in line
    after = place.state()
    # The folder of reports may have been made before the fault was found; it is empty.
    assert after.pop("out", "folder") == "folder"
    assert after == before
    assert list(Path(tempfile.gettempdir()).iterdir()) == []


def test_the_messages_are_these(place: Place) -> None:
    """Every message word for word, so that a change of one is read before it is made."""
    told = []
    for number, (name, case) in enumerate(CASES.items()):
        # A folder each: the files of one case are not there for the next.
        inner = Place(place.folder / str(number), place._capsys)
        inner.file("sound/run.txt", GO)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(inner.folder)
            told.append(f"# {name}\n{said(inner, case).err}")
    golden("bad-input.txt", "\n".join(told))


def test_one_unreadable_file_does_not_hide_the_rest(place: Place) -> None:
    """It is a problem in the answer, and every row of the others is there."""
    place.file("mixed/run.txt", GO)
    place.file("mixed/core", bytes(range(256)))
    place.file("mixed/empty.txt", "")
    place.file("mixed/notes.log", "hello\n")
    found = place.run("inspect", "mixed")
    assert (found.code, found.err) == (0, "")
    assert "6 rows" in found.out
    problems = [one for one in found.out.splitlines() if one.startswith("problem")]
    assert [one.split()[1] for one in problems] == ["core:", "empty.txt:", "notes.log:"]


@pytest.mark.parametrize(
    "command",
    [("inspect", "mixed"), ("convert", "mixed", "-o", "t.csv"), ("report", "mixed", "-o", "out")],
)
def test_one_unreadable_file_is_an_error_where_strictness_is_asked_for(place: Place, command: tuple[str, ...]) -> None:
    """Every command takes --strict and then stops at the first problem."""
    place.file("mixed/run.txt", GO)
    place.file("mixed/core", bytes(range(256)))
    found = place.run(*command, "--strict")
    assert (found.code, found.out) == (2, "")
    assert found.err == "benchlib: core: is binary; name the text, CSV or log the benchmark wrote\n"
    assert not (place.folder / "t.csv").exists()


def test_a_unit_of_another_kind_than_its_metric_is_told(place: Place) -> None:
    """Bytes are no time: the value is a problem with its line, not a row."""
    place.file("unit.csv", TIDY + "Encode,time,5,B\nDecode,time,3,ns\n")
    found = place.run("inspect", "--strict", "unit.csv")
    assert found.code == 2
    assert found.err.startswith("benchlib: unit.csv:2: ")


def test_a_confidence_level_out_of_range_is_bad_input(place: Place) -> None:
    """Two is a number but no level: told before a kernel starts, with exit 2."""
    found = place.run(*REPORT, "-p", "confidence_level=2")
    assert found.code == 2
