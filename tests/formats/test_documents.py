"""Runs appended to one file of JSON: each is read, and never called damage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchlib.formats.json_text import documents, parse_text
from benchlib.formats.reader import TextFile
from benchlib.formats.registry import choose

DATA = Path(__file__).parents[1] / "data"
FILES = [
    "fio/randrw.json", "fortio", "ghz", "google_benchmark/named_args.json", "hyperfine/failures.json", "jmh",
    "k6/export.json", "oha",
    "pyperf", "pytest_benchmark",
]  # fmt: skip


def one_of(name: str) -> Path:
    path = DATA / name
    return path if path.is_file() else sorted(path.glob("*.json"))[0]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("between", ["", "\n", "\n\n"])
def test_two_runs_of_one_file_are_read(name: str, between: str) -> None:
    """Twice the values, on the lines of their own run, and what is said of the file said once."""
    text = one_of(name).read_text(encoding="utf-8").rstrip()
    alone, both = TextFile("a.json", text=text), TextFile("a.json", text=f"{text}{between}{text}")
    reader = choose(alone)
    assert choose(both).name == reader.name
    once, twice = reader.read(alone), reader.read(both)
    assert len(once.rows)
    below = text.count("\n") + between.count("\n")
    if name.startswith("fio") and not between:
        return  # fio ends each document with a line end, and its words stand between
    assert list(twice.rows.value) == [*once.rows.value] * 2
    assert list(twice.rows.line) == [*once.rows.line, *(line + below for line in once.rows.line)]
    assert twice.problems == [*once.problems, *((line + below, said) for line, said in once.problems)]
    assert [series.kind for series in twice.series].count("closed-loop") <= 1
    assert twice.lines.total == 2 * once.lines.total


def test_reports_of_one_line_are_read() -> None:
    """As ``vegeta report -type=json >>`` appends them."""
    report = {"latencies": {"mean": 5}, "bytes_in": {}, "requests": 10, "success": 1, "status_codes": {}, "rate": 2}
    file = TextFile("a.json", [json.dumps(report)] * 2)
    reading = choose(file).read(file)
    assert (reading.lines.data, reading.problems) == (2, [])


def test_who_reads_one_document_is_told_of_the_second() -> None:
    """What follows is named: another document, or text."""
    assert parse_text('{"a": 1}\n{"b": 2}').problems == (
        (2, "a second document begins at line 2: '{\"b\": 2}'; write each into a file of its own"),
    )
    assert parse_text('{"a": 1}\nbye').problems == (
        (2, "after the document stands 'bye' on line 2; remove what is no JSON"),
    )


def test_the_documents_before_a_cut_are_read() -> None:
    """The last did not parse, and says so with its line."""
    found = list(documents(TextFile("a", ['{"a": 1}', '{"a": 2}', '{"a":'])))
    assert [one.root for one in found] == [{"a": 1}, {"a": 2}, None]
    message = "not JSON at column 6: Expecting value; the file is cut or damaged, write it again"
    assert found[2].problems == ((3, message),)
    assert [one.parsed for one in documents(TextFile("a", ['null {"a": 2}']))] == [False]
