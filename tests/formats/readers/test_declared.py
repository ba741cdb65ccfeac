"""Formats told in words: a pattern, columns, or paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchlib.errors import DataError
from benchlib.formats.declaration import record_path, shipped_specs, spec_of
from benchlib.formats.readers import declared
from benchlib.formats.readers.declared import DeclaredFormat
from benchlib.formats.reading import Reading, TextFile
from benchlib.formats.registry import choose
from benchlib.formats.text import decode

DATA = Path(__file__).parents[2] / "data" / "declared"


def read(text: str, **values: Any) -> Reading:
    spec = spec_of({"name": "own", "files": ["*"], **values})
    return DeclaredFormat(spec).read(TextFile("x.txt", text.split("\n")))


def told(reading: Reading) -> list[tuple[str, str | None, float, str, int]]:
    rows = reading.rows
    return list(zip(rows.name, rows.metric, rows.value, rows.unit, rows.line, strict=True))


def test_a_pattern_reads_lines_and_other_groups_are_axes() -> None:
    """Benchmark, value and unit by name; context of earlier lines holds on; other lines are noise."""
    reading = read(
        "threads: 4\nencode took 1,234.5 us\nencode took -nan us\nbye\nthreads: 8\nencode took x us\nencode took 2 ms",
        kind="lines",
        pattern=[r"^threads: (?P<workers>\d+)$", r"^(?P<benchmark>\w+) took (?P<value>\S+) (?P<unit>\w+)$"],
        metric="time",
        axes={"machine": "m1"},
    )
    assert told(reading) == [("encode", "time", 1234.5, "us", 2), ("encode", "time", 2.0, "ms", 7)]
    facts = [reading.configurations[one] for one in reading.rows.configuration]
    assert facts[0] == {"machine": "m1", "workers": "4", "benchmark": "encode"}
    assert facts[1]["workers"] == "8"
    counts = reading.lines
    assert (counts.data, counts.context, counts.problem, counts.noise) == (2, 3, 1, 1)
    assert reading.problems == [(6, "value is 'x', not a number; value skipped")]


def test_groups_may_be_several_metrics_and_durations() -> None:
    """One line, two metrics; ``duration`` reads what Go prints."""
    reading = read(
        "GET p50=1m0.5s n=12 failed=2",
        kind="lines",
        pattern=r"^(?P<benchmark>\S+) p50=(?P<p50>\S+) n=(?P<iterations>\d+) failed=(?P<errors>\d+)$",
        groups={"p50": {"metric": "latency_p50", "unit": "duration"}},
    )
    assert told(reading) == [("GET", "latency_p50", 60.5, "s", 1)]
    assert (list(reading.rows.iterations), list(reading.rows.errors)) == ([12.0], [2.0])


def test_a_line_beyond_the_limit_is_a_problem() -> None:
    """No pattern is tried on a line of over 10,000 characters."""
    reading = read("a" * 10_001 + "\nt 5 ms", kind="lines", pattern=r"^t (?P<value>\d+) ms$", unit="ms", metric="time")
    assert (reading.lines.data, reading.lines.problem) == (1, 1)
    assert reading.problems[0][1].startswith("10,001 characters; this pattern is tried on up to 10,000")


def test_a_file_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of its lines are problems, and one message says so."""
    monkeypatch.setattr(declared, "SECONDS", -1.0)
    reading = read("t 5\nt 6\nt 7", kind="lines", pattern=r"^t (?P<value>\d+)$", unit="ms", metric="time")
    assert (reading.lines.problem, len(reading.rows), len(reading.problems)) == (3, 0, 1)


def test_a_pattern_that_matches_nothing_is_said() -> None:
    """Silence would look like an empty benchmark."""
    reading = read("a\nb", kind="lines", pattern=r"^t (?P<value>\d+)$", unit="ms", metric="time")
    assert reading.problems == [(0, "nothing in 2 lines is as the format 'own' says")]


def test_columns_of_a_table_are_mapped() -> None:
    """Unmapped columns are left, ``only`` chooses rows, wrong widths and numbers are problems."""
    reading = read(
        "# made by x\ncase;ms;thr;kind\nput;1.5;4;run\nput;2.5;4;warm-up\nget;bad;8;run\nget;3\n\nget;;8;run",
        kind="table",
        delimiter=";",
        columns={"case": "benchmark", "ms": {"metric": "time", "unit": "ms"}, "thr": {"axis": "workers"}},
        only={"kind": "run"},
    )
    assert told(reading) == [("put", "time", 1.5, "ms", 3)]
    assert reading.configurations == [{"workers": "4", "benchmark": "put"}]
    counts = reading.lines
    assert (counts.data, counts.context, counts.problem, counts.noise) == (1, 4, 2, 1)


def test_a_table_may_have_no_header_and_blanks_between() -> None:
    """As in the output of a shell script."""
    reading = read(
        "put   1.5 true\nget 2 false",
        kind="table",
        delimiter="blanks",
        header=["what", "t", "ok"],
        columns={"what": "benchmark", "t": {"metric": "time", "unit": "s"}, "ok": "success"},
    )
    assert told(reading) == [("put", "time", 1.5, "s", 1), ("get", "time", 2.0, "s", 2)]
    assert list(reading.rows.errors) == [0.0, 1.0]


def test_a_missing_column_is_told_once() -> None:
    """With the columns that are there."""
    reading = read("a,b\n1,2", kind="table", columns={"time": {"metric": "time", "unit": "s"}})
    assert reading.problems == [(1, "no column 'time' in the header; there are a, b")]


RECORDS = """{"host": {"cpu": "x"}, "suites": {
 "one": {"runs": [{"stats": {"mean": 1.5, "99.9": 2}, "n": 3},
                  {"stats": {"mean": "slow"}, "n": 4}]},
 "two": {"runs": [{"stats": {"mean": [1, 2]}, "skip": true}, 7]}}}"""


def test_records_are_found_by_path_and_look_outwards() -> None:
    """Keys of an object become a part, lists give several values, a path looks around the record."""
    reading = read(
        RECORDS,
        kind="records",
        records="suites{benchmark}.runs[]",
        fields={
            "stats.mean": {"metric": "time", "unit": "s"},
            'stats."99.9"': {"metric": "latency_p99.9", "unit": "s"},
            "host.cpu": {"axis": "cpu"},
            "n": "iterations",
        },
    )
    assert [one[:3] for one in told(reading)] == [
        ("one", "time", 1.5), ("one", "latency_p99.9", 2.0), ("two", "time", 1.0), ("two", "time", 2.0),
    ]  # fmt: skip
    assert reading.configurations[0] == {"cpu": "x", "benchmark": "one"}
    counts = reading.lines
    assert (counts.data, counts.context, counts.problem) == (2, 1, 1)
    assert reading.problems == [(1, "stats.mean is 'slow', not a number; value skipped")]


def test_records_know_their_lines_and_may_stand_one_a_line() -> None:
    """In a document by its lists; in NDJSON each line is a document, and a cut one is a problem."""
    fields = {"t": {"metric": "time", "unit": "s"}}
    document = read('{"runs": [\n{"t": 1},\n{"t": 2}]}', kind="records", records="runs[]", fields=fields)
    assert list(document.rows.line) == [2, 3]
    lines = read('{"t": 1}\n{"t": 2}\n{"t"', kind="records", fields=fields)
    assert (list(lines.rows.line), lines.lines.problem, lines.problems[0][0]) == ([1, 2], 1, 3)


@pytest.mark.parametrize("path", ["a..b", "a[", ".a", "a.", "a{1}", "a b[]c]"])
def test_a_path_that_is_none_is_refused(path: str) -> None:
    """With how to write one."""
    with pytest.raises(DataError, match="is no path"):
        record_path(path)


#: Counted by hand in the files: rows, and one value that stands in each.
SHIPPED = {
    "benchmarkdotnet": ("benchmarkdotnet.json", 4, ("Sleep", "time", 18500000.5, "ns/op")),
    "iperf3": ("iperf3.json", 4, ("iperf3", "bandwidth", 6693792.038611074, "bit/s")),
    "pgbench": ("pgbench.txt", 3, ("<builtin: TPC-B (sort of)>", "throughput", 346.224794, "op/s")),
    "redis-benchmark": ("redis-benchmark.csv", 14, ("GET", "latency_p99", 2.055, "ms")),
    "sysbench": ("sysbench.txt", 6, ("sysbench", "latency_p95", 6.67, "ms")),
}


def test_every_shipped_format_is_tested() -> None:
    """A spec in the folder without an example here is an oversight."""
    assert {one.name for one in shipped_specs()} == set(SHIPPED)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_format_reads_its_documented_example(name: str) -> None:
    """The example is recognised as this format and no other; every row counted by hand."""
    file, count, row = SHIPPED[name]
    text = decode((DATA / file).read_bytes(), file).file
    reader = choose(text)
    assert reader.name == name
    reading = reader.read(text)
    assert reading.problems == []
    assert len(reading.rows) == count
    assert row in [one[:4] for one in told(reading)]
