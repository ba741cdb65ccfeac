"""Formats told in words: a pattern, columns, or paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchlib.errors import DataError
from benchlib.formats import declared
from benchlib.formats.declared import DeclaredFormat, record_path, spec_of
from benchlib.formats.reader import Reading, TextFile
from benchlib.formats.registry import choose
from tests.columns import counts

DATA = Path(__file__).parents[1] / "data" / "declared"


def read(text: str, **values: Any) -> Reading:
    spec = spec_of({"name": "own", "files": ["*"], **values})
    return DeclaredFormat(spec).read(TextFile("x.txt", text.split("\n")))


def rows_of(reading: Reading) -> list[tuple[str, str | None, float, str, int]]:
    rows = reading.rows
    return list(zip(rows.name, rows.metric, rows.value, rows.unit, rows.line, strict=True))


def facts_of(reading: Reading) -> list[Any]:
    return [reading.configurations[number] for number in reading.rows.configuration]


def lost(reading: Reading) -> list[tuple[str, int]]:
    """Name and line of each benchmark that failed without a value."""
    return [(series.name, series.line) for series in reading.series if series.kind == "failed-benchmark"]


TIME = {"metric": "time", "unit": "ms"}
SECONDS = {"t": {"metric": "time", "unit": "s"}}
LINES = {"kind": "lines", "metric": "time", "unit": "ms"}
RUNS = {
    **LINES,
    "start": "^run",
    "pattern": [
        r"^workers: (?P<workers>\d+)$", r"^failed: (?P<errors>\S+)$", r"^gave up: (?P<failure>.+)$",
        r"^took (?P<value>\d+)$",
    ],
}  # fmt: skip
RECORDS = {"kind": "records", "records": "runs[]", "fields": SECONDS}
FAILING = {**RECORDS, "fields": {**SECONDS, "error": "failure"}}
DONE = [r"^done: (?P<iterations>\d+)$", r"^asked: (?P<requested>\d+)$", r"^took (?P<value>\d+)$"]
APART = "its values are set apart"
LOST = "no value is kept"
NOT_SAID = "is not as the format 'own' says; add a pattern for it; line skipped"
CUT = "after 'run' no line like '^end$' follows; was the file cut? run it again"

STEEP = [
    (r"(?P<benchmark>[a-z]+)x(?P<value>[0-9]+)", 1000, "x1"),
    (r".*.*(?P<value>\d)", 300, "1"),
    (r"a{0,200}a{0,200}(?P<value>\d)", 300, "1"),
    (r".*(?P<benchmark>a{1,5000})(?P<value>\d)", 300, "1"),
    (r"(?i)(?P<benchmark>\w+\W)(?P<value>\d)", 1000, " 1"),
    (r"^a+(?P<value>\d)", 10_000, "1"),
]

#: What is declared, the text; values with their lines, errors, and problems.
CASES: dict[str, tuple[dict[str, Any], str, list[tuple[float, int]], list[float | None], list[tuple[int, str]]]] = {
    "a pattern that matches nothing": (
        {**LINES, "pattern": r"^t (?P<value>\d+)$"}, "a\nb", [], [],
        [(0, "nothing in 2 lines is as the format 'own' says")]),
    "a long line that lacks a text of the pattern": (
        {**LINES, "pattern": STEEP[0][0]}, "a" * 5000 + "\nax1", [(1, 2)], [None], []),
    "operations and errors": (
        {**LINES, "pattern": r"^(?P<benchmark>\S+) (?P<value>\S+) (?P<iterations>\d+) (?P<errors>\d+)$"},
        "GET 5 12 2", [(5, 1)], [2], []),
    "blanks and no header": (
        {"kind": "table", "delimiter": "blanks", "header": ["what", "t", "ok"],
         "columns": {"what": "benchmark", "t": TIME, "ok": "success"}},
        "put   1.5 true\nget 2 false", [(1.5, 1), (2, 2)], [0, 1], []),
    "a missing column": (
        {"kind": "table", "columns": SECONDS}, "a,b\n1,2", [], [],
        [(1, "no column 't' in the header; there are a, b")]),
    "records know their lines": (RECORDS, '{"runs": [\n{"t": 1},\n{"t": 2}]}', [(1, 2), (2, 3)], [None] * 2, []),
    "a record a line, the last one cut": (
        {**RECORDS, "records": ""}, '{"t": 1}\n{"t": 2}\n{"t"', [(1, 1), (2, 2)], [None] * 2,
        [(3, "not JSON at column 5: Expecting ':' delimiter; the file is cut or damaged, write it again")]),
    "events, and only some are results": (
        RECORDS, '{"event": "start"}\n{"runs": [{"t": 1}]}', [(1, 2)], [None], []),
    # Failures of a run count for all its values, before and after the line that tells them, and for no other run.
    "failures of runs": (
        RUNS, "run\ntook 5\nfailed: 2\nfailed: 0\ntook 6\nrun\ntook 7\nfailed: 0\nrun\ntook 8",
        [(5, 2), (6, 5), (7, 7), (8, 10)], [2, 2, 0, None], []),
    "requested and not done": (
        {**RUNS, "pattern": DONE}, "run\ntook 5\ndone: 7\nasked: 9", [(5, 2)], [2],
        [(4, f"own failed (7 of 9 operations were done); {APART}")]),
    "a count that is none": (
        RUNS, "run\ntook 5\nfailed: many", [(5, 2)], [None],
        [(3, "errors is 'many', not a number; value skipped")]),
    "runs that failed say why": (
        {**RUNS, "benchmark": "b"}, "run\ntook 5\ngave up: no disk\nrun\ngave up: no\nrun\ngave up: timeout",
        [(5, 2)], [1],
        [(3, f"b failed (no disk); {APART}"), (4, f"b failed (it gave no value); {LOST}"),
         (7, f"b failed (timeout); {LOST}")]),
    "a greeting is no run": (RUNS, "hello\nrun\ntook 5", [(5, 3)], [None], []),
    "a file cut at its head": (RUNS, "took 4\nfailed: 3\nrun\ntook 5", [(4, 1), (5, 4)], [3, None], []),
    "without runs a failure is of one result": (
        {**LINES, "pattern": [r"^(?P<benchmark>\w+) took (?P<value>\d+)$", r"^(?P<benchmark>\w+): (?P<failure>.+)$"]},
        "a: broken pipe\nb took 5\nb: ok", [(5, 2)], [None], [(1, f"a failed (broken pipe); {LOST}")]),
    "a line that must be read": (
        {**RUNS, "must_read": ["^took "]}, "took 5\ntook long\nbye", [(5, 1)], [None],
        [(2, f"'took long' {NOT_SAID}")]),
    "what must follow is asked of each run, but of none that failed": (
        {**RUNS, "complete": {"^run$": "^end$"}}, "run\ntook 5\nend\nrun\ntook 6\nrun\ntook 7\ngave up: late",
        [(5, 2), (6, 5), (7, 7)], [None, None, 1], [(4, CUT), (8, f"own failed (late); {APART}")]),
    # Each reason is told once a benchmark.
    "a row fails by text, by what was asked, by what it lacks": (
        {"kind": "table", "needs": ["ms"], "columns": {
            "case": "benchmark", "ms": TIME, "done": "iterations", "asked": "requested", "why": "failure"}},
        "case,ms,done,asked,why\na,1,9,9,\na,2,8,9,-\nb,3,,9,refused\nb,4,,9,refused\nc,,9,9,null\nd,,9,9,crash",
        [(1, 2), (2, 3), (3, 4), (4, 5)], [0, 1, 1, 1],
        [(3, f"a failed (8 of 9 operations were done); {APART}"), (4, f"b failed (refused); {APART}"),
         (6, f"c failed (no ms); {LOST}"), (7, f"d failed (crash); {LOST}")]),
    "a document without records": (
        FAILING, '{"runs": [], "error": "no host"}', [], [], [(1, f"own failed (no host); {LOST}")]),
    "one of several documents without records": (
        {**FAILING, "start": r"^\{\"r"},
        '{"runs": [\n{"t": 1}]}\n{"runs": [\n{"t": 2}], "error": "cut"}\n{"runs": []}', [(1, 2), (2, 4)], [None, 1],
        [(4, f"own failed (cut); {APART}"), (5, f"own failed (it gave no value); {LOST}")]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_values_failures_and_problems(name: str) -> None:
    """What failed with a value is set apart, and without one is a failed benchmark: nothing is lost in silence."""
    values, text, expected, errors, problems = CASES[name]
    reading = read(text, **values)
    assert [(value, line) for *_, value, _, line in rows_of(reading)] == expected
    assert (counts(reading.rows.errors), reading.problems) == (errors, problems)
    assert [line for _, line in lost(reading)] == [line for line, said in problems if said.endswith(LOST)]


def test_a_pattern_reads_lines_and_other_groups_are_axes() -> None:
    """Benchmark, value and unit by name; context of earlier lines holds on; other lines are noise."""
    reading = read(
        "threads: 4\nencode took 1,234.5 us\nencode took -nan us\nbye\nthreads: 8\nencode took x us\nencode took 2 ms",
        kind="lines",
        pattern=[r"^threads: (?P<workers>\d+)$", r"^(?P<benchmark>\w+) took (?P<value>\S+) (?P<unit>\w+)$"],
        metric="time",
        axes={"machine": "m1"},
    )
    assert rows_of(reading) == [("encode", "time", 1234.5, "us", 2), ("encode", "time", 2.0, "ms", 7)]
    assert facts_of(reading) == [
        {"machine": "m1", "workers": workers, "benchmark": "encode"} for workers in ("4", "8")
    ]  # fmt: skip
    lines = reading.lines
    assert (lines.data, lines.context, lines.problem, lines.noise) == (2, 3, 1, 1)
    assert reading.problems == [(6, "value is 'x', not a number; value skipped")]


def test_a_run_knows_nothing_of_the_run_before() -> None:
    """A line that matches ``start`` forgets what was told; without it, it holds on."""
    text = "run 1\nworkers: 4\ntook 5\nrun 2\ntook 6"
    assert [facts.get("workers") for facts in facts_of(read(text, **RUNS))] == ["4", None]
    assert [facts.get("workers") for facts in facts_of(read(text, **{**RUNS, "start": ""}))] == ["4", "4"]


def test_the_name_of_a_metric_takes_a_part_in() -> None:
    """The part is no axis then; where it is missing, the value has no name; ``duration`` reads what Go prints."""
    reading = read(
        "p99.9 1m0.5s\np 6s",
        kind="lines",
        pattern=r"^p(?P<share>[0-9.]*) (?P<late>\S+)$",
        groups={"late": {"metric": "latency_p{share}", "unit": "duration"}},
    )
    assert rows_of(reading) == [("", "latency_p99.9", 60.5, "s", 1)]
    assert reading.configurations == [{}]
    assert reading.problems == [(2, "late: nothing is told for 'share' in latency_p{share}; value skipped")]


@pytest.mark.parametrize(("pattern", "longest", "ending"), STEEP, ids=[pattern for pattern, *_ in STEEP])
def test_the_steeper_a_pattern_the_shorter_its_lines(pattern: str, longest: int, ending: str) -> None:
    """It is tried on no line beyond its limit, with or without a match: such a line is a problem, and says so."""
    fits, beyond = "a" * (longest - len(ending)) + ending, "a" * 10_000
    reading = read(f"{fits}\n{beyond}{ending}", **LINES, pattern=pattern)
    limit = f"tried on up to {longest:,}; begin it with ^ or narrow its classes; line skipped"
    assert list(reading.rows.line) == [1]
    assert reading.problems == [(2, f"{10_000 + len(ending):,} characters; this pattern is {limit}")]


def test_a_file_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of its lines are problems, and one message says so."""
    monkeypatch.setattr(declared, "_SECONDS", -1.0)
    reading = read("t 5\nt 6\nt 7", **LINES, pattern=r"^t (?P<value>\d+)$")
    assert (reading.lines.problem, len(reading.rows), len(reading.problems)) == (3, 0, 1)
    assert "; the lines from here on are not read; begin them with ^" in reading.problems[0][1]


def test_columns_of_a_table_are_mapped() -> None:
    """Unmapped columns are left, ``only`` chooses rows, wrong widths and numbers are problems."""
    reading = read(
        "# made by x\ncase;ms;thr;kind\nput;1.5;4;run\nput;2.5;4;warm-up\nget;bad;8;run\nget;3\n\nget;;8;run",
        kind="table",
        delimiter=";",
        columns={"case": "benchmark", "ms": TIME, "thr": {"axis": "workers"}},
        only={"kind": "run"},
    )
    assert rows_of(reading) == [("put", "time", 1.5, "ms", 3)]
    assert reading.configurations == [{"workers": "4", "benchmark": "put"}]
    lines = reading.lines
    assert (lines.data, lines.context, lines.problem, lines.noise) == (1, 4, 2, 1)


def test_records_are_found_by_path_and_look_outwards() -> None:
    """Keys of an object become a part, lists give several values, a path looks around the record."""
    reading = read(
        """{"host": {"cpu": "x"}, "suites": {
 "one": {"runs": [{"stats": {"mean": 1.5, "99.9": 2}, "n": 3},
                  {"stats": {"mean": "slow"}, "n": 4}]},
 "two": {"runs": [{"stats": {"mean": [1, 2]}, "skip": true}, 7]}}}""",
        kind="records",
        records="suites{benchmark}.runs[]",
        fields={
            "stats.mean": {"metric": "time", "unit": "s"},
            'stats."99.9"': {"metric": "latency_p99.9", "unit": "s"},
            "host.cpu": {"axis": "cpu"},
            "n": "iterations",
        },
    )
    assert [row[:3] for row in rows_of(reading)] == [
        ("one", "time", 1.5), ("one", "latency_p99.9", 2.0), ("two", "time", 1.0), ("two", "time", 2.0),
    ]  # fmt: skip
    assert reading.configurations[0] == {"cpu": "x", "benchmark": "one"}
    lines = reading.lines
    assert (lines.data, lines.context, lines.problem) == (2, 1, 1)
    assert reading.problems == [(1, "stats.mean is 'slow', not a number; value skipped")]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ("rns[]", "no key 'rns' at the top; there are runs, host"),
        ("runs[].stats[]", "no key 'stats' in runs[]; there are t, n"),
        ("runs{benchmark}", "runs is a list, not an object"),
        ("host[]", "host is an object, not a list"),
        ("host.cpu.name[]", "no key 'name' in host.cpu, which is a text"),
        ("host.none[]", "host.none is empty"),
    ],
)
def test_a_path_that_leads_nowhere_says_at_which_step(records: str, message: str) -> None:
    """And which keys, or what else, stand there."""
    document = '{"runs": [{"t": 1, "n": 2}], "host": {"cpu": "x", "none": []}}'
    reading = read(document, kind="records", records=records, fields=SECONDS)
    assert reading.problems == [(1, f"'records' of the format 'own': {message}")]


def test_a_field_that_no_record_has_is_told_once() -> None:
    """A value, an axis, what ``needs`` and ``only`` name; what says that a record failed may be in none."""
    reading = read(
        '{"host": "x", "runs": [\n{"stats": {"mean": 1, "n": null}},\n{"stats": {"mean": 2}}]}',
        kind="records",
        records="runs[]",
        needs=["nope"],
        fields={
            "stats.men": {"metric": "time", "unit": "s"},
            "stats.mean": {"metric": "time_mean", "unit": "s"},
            "stats.n": {"metric": "rounds"},
            "host": {"axis": "host"},
            "cpu": {"axis": "cpu"},
            "error": "failure",
        },
    )
    assert reading.problems == [
        (2, "no record has 'stats.men': no key 'men' in stats; there are mean, n"),
        (2, "no record has 'cpu': no key 'cpu' in a record; there are stats"),
        (2, "no record has 'nope': no key 'nope' in a record; there are stats"),
        (2, f"own failed (no nope); {APART}"),
    ]


@pytest.mark.parametrize("path", ["a..b", "a[", ".a", "a.", "a{1}", "a b[]c]"])
def test_a_path_that_is_none_is_refused(path: str) -> None:
    """With how to write one."""
    with pytest.raises(DataError, match="is no path"):
        record_path(path)


# The formats of `specs/`: the tables of their documented examples are in the contract.


@pytest.mark.parametrize(
    ("ending", "metric"),
    [
        (" (including connections establishing)", "throughput_with_connecting"),
        (" (excluding connections establishing)", "throughput"),
        (" (including reconnection times)", "throughput_with_connecting"),
        (" (without initial connection time)", "throughput"),
        ("", ""),
        (" (of another kind)", ""),
    ],
)
def test_no_tps_of_pgbench_is_noise(ending: str, metric: str) -> None:
    """From 9 to 17 they are read; any other is a problem."""
    line = f"tps = 123.4{ending}"
    text = (DATA / "pgbench.txt").read_text().replace("tps = 346.224794 (without initial connection time)", line)
    file = TextFile("x.txt", text=text)
    reading = choose(file).read(file)
    assert [row[1] for row in rows_of(reading) if row[2] == 123.4] == ([metric] if metric else [])
    unread = f"'{line}' is not as the format 'pgbench' says; add a pattern for it; line skipped"
    assert reading.problems == ([] if metric else [(14, unread)])


@pytest.mark.parametrize(
    ("file", "last", "begun", "wanted"),
    [
        ("sysbench.txt", "    transactions:", "Running the test with", r"^\s+execution time \(avg/stddev\):"),
        ("sysbench-fileio.txt", "    fsyncs/s:", "Running the test with", r"^\s+execution time \(avg/stddev\):"),
        ("pgbench.txt", "latency stddev", "transaction type: <builtin", "^tps = "),
        ("pgbench-scripts.txt", "tps = 4351", "transaction type: mult", "^SQL script 2:"),
        ("pgbench-scripts.txt", " - weight: 1", "SQL script 2:", r"^ - \d+ transactions \("),
        ("pgbench-scripts.txt", " - 35 transactions", " - 35 transactions", "^ - latency stddev"),
    ],
)
def test_a_report_cut_at_a_line_end_is_a_problem(file: str, last: str, begun: str, wanted: str) -> None:
    """What must follow a line does not: the values before the cut are kept, and the file is no whole one."""
    lines = (DATA / file).read_text().split("\n")
    end, start = (
        next(number for number, line in enumerate(lines, 1) if line.startswith(text)) for text in (last, begun)
    )
    text = TextFile(file, lines[:end])
    reading = choose(text).read(text)
    [(number, message)] = reading.problems
    assert number == start
    assert message.startswith(f"after '{lines[start - 1].strip()[:60]}")
    assert message.endswith(f"no line like '{wanted}' follows; was the file cut? run it again")
    assert len(reading.rows)
    whole = TextFile(file, lines)
    assert choose(whole).read(whole).problems == []
