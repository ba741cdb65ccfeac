"""Formats told in words: a pattern, columns, or paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import benchlib
from benchlib.errors import DataError
from benchlib.formats import declared
from benchlib.formats.declared import DeclaredFormat, record_path, spec_of
from benchlib.formats.reader import Reading, TextFile
from benchlib.formats.registry import choose
from benchlib.formats.shipped import READERS
from benchlib.formats.text import decode
from tests.columns import counts

DATA = Path(__file__).parents[1] / "data" / "declared"


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


STEEP = [
    (r"(?P<benchmark>[a-z]+)x(?P<value>[0-9]+)", 1000, "x1"),
    (r".*.*(?P<value>\d)", 300, "1"),
    (r"a{0,200}a{0,200}(?P<value>\d)", 300, "1"),
    (r".*(?P<benchmark>a{1,5000})(?P<value>\d)", 300, "1"),
    (r"(?i)(?P<benchmark>\w+\W)(?P<value>\d)", 1000, " 1"),
]


@pytest.mark.parametrize(("pattern", "longest", "ending"), STEEP, ids=[one[0] for one in STEEP])
def test_the_steeper_a_pattern_the_shorter_its_lines(pattern: str, longest: int, ending: str) -> None:
    """It is tried on no line beyond its limit, with or without a match: such a line is a problem, and says so."""
    fits, beyond = "a" * (longest - len(ending)) + ending, "a" * 10_000
    reading = read(f"{fits}\n{beyond}{ending}", kind="lines", pattern=pattern, unit="ms", metric="time")
    told = f"tried on up to {longest:,}; begin it with ^ or narrow its classes; line skipped"
    [(line, message)] = reading.problems
    assert (list(reading.rows.line), line) == ([1], 2)
    assert message == f"{10_000 + len(ending):,} characters; this pattern is {told}"


def test_a_long_line_that_a_pattern_cannot_match_is_noise() -> None:
    """It lacks a text that the pattern holds."""
    reading = read("a" * 5000 + "\nax1", kind="lines", pattern=STEEP[0][0], unit="ms", metric="time")
    assert (reading.problems, reading.lines.noise, reading.lines.data) == ([], 1, 1)


def test_a_file_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of its lines are problems, and one message says so."""
    monkeypatch.setattr(declared, "_SECONDS", -1.0)
    reading = read("t 5\nt 6\nt 7", kind="lines", pattern=r"^t (?P<value>\d+)$", unit="ms", metric="time")
    assert (reading.lines.problem, len(reading.rows), len(reading.problems)) == (3, 0, 1)
    assert "; the lines from here on are not read; begin them with ^" in reading.problems[0][1]


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


LOST = [
    ("rns[]", "'records' of the format 'own': no key 'rns' at the top; there are runs, host"),
    ("runs[].stats[]", "'records' of the format 'own': no key 'stats' in runs[]; there are t, n"),
    ("runs{benchmark}", "'records' of the format 'own': runs is a list, not an object"),
    ("host[]", "'records' of the format 'own': host is an object, not a list"),
    ("host.cpu.name[]", "'records' of the format 'own': no key 'name' in host.cpu, which is a text"),
    ("host.none[]", "'records' of the format 'own': host.none is empty"),
]


@pytest.mark.parametrize(("records", "message"), LOST, ids=[one[0] for one in LOST])
def test_a_path_that_leads_nowhere_says_at_which_step(records: str, message: str) -> None:
    """And which keys, or what else, stand there."""
    document = '{"runs": [{"t": 1, "n": 2}], "host": {"cpu": "x", "none": []}}'
    reading = read(document, kind="records", records=records, fields={"t": {"metric": "time", "unit": "s"}})
    assert reading.problems == [(1, message)]


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
    assert reading.problems[:3] == [
        (2, "no record has 'stats.men': no key 'men' in stats; there are mean, n"),
        (2, "no record has 'cpu': no key 'cpu' in a record; there are stats"),
        (2, "no record has 'nope': no key 'nope' in a record; there are stats"),
    ]
    assert reading.problems[3:] == [(2, "own failed (no nope); its values are set apart")]


def test_events_without_records_are_no_fault_where_others_have_some() -> None:
    """One a line, and only some of them are results."""
    reading = read(
        '{"event": "start"}\n{"runs": [{"t": 1}]}',
        kind="records",
        records="runs[]",
        fields={"t": {"metric": "time", "unit": "s"}},
    )
    assert (list(reading.rows.value), reading.problems) == ([1.0], [])


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
#: What the examples have of failures.
TOLD = {"benchmarkdotnet": [(13, "Sleep failed (no Statistics.OriginalValues); no value is kept")]}


def test_every_shipped_format_is_tested() -> None:
    """A spec in the folder without an example here is an oversight."""
    assert {one.name for one in READERS} == set(SHIPPED)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_format_reads_its_documented_example(name: str) -> None:
    """The example is recognised as this format and no other; every row counted by hand."""
    file, count, row = SHIPPED[name]
    text = decode((DATA / file).read_bytes(), file).file
    reader = choose(text)
    assert reader.name == name
    reading = reader.read(text)
    assert reading.problems == TOLD.get(name, [])
    assert len(reading.rows) == count
    assert row in [one[:4] for one in told(reading)]


def shipped(file: str) -> Reading:
    text = decode((DATA / file).read_bytes(), file).file
    return choose(text).read(text)


def by_run(reading: Reading) -> list[tuple[str, float, float | None, object]]:
    """Return metric, value, errors and clients or threads of each row."""
    rows = reading.rows
    facts = [reading.configurations[one] for one in rows.configuration]
    told = [one.get("clients", one.get("threads")) for one in facts]
    return [(str(a), b, c, d) for a, b, c, d in zip(rows.metric, rows.value, rows.errors, told, strict=True)]


RUNS = {
    "kind": "lines",
    "start": "^run",
    "pattern": [
        r"^workers: (?P<workers>\d+)$",
        r"^failed: (?P<errors>\S+)$",
        r"^gave up: (?P<failure>.+)$",
        r"^took (?P<value>\d+)$",
    ],
    "unit": "ms",
    "metric": "time",
}


def test_a_run_knows_nothing_of_the_run_before() -> None:
    """A line that matches ``start`` forgets what was told; without it, it holds on."""
    text = "run 1\nworkers: 4\ntook 5\nrun 2\ntook 6"
    assert [one.get("workers") for one in read(text, **RUNS).configurations] == ["4", None]
    assert [one.get("workers") for one in read(text, **{**RUNS, "start": ""}).configurations] == ["4"]


def test_failures_count_for_their_whole_run_and_no_other() -> None:
    """Before and after the line that tells them; the most that a line says counts."""
    reading = read("run\ntook 5\nfailed: 2\nfailed: 0\ntook 6\nrun\ntook 7\nfailed: 0\nrun\ntook 8", **RUNS)
    assert counts(reading.rows.errors) == [2.0, 2.0, 0.0, None]
    assert reading.problems == []


def test_what_was_requested_and_not_done_failed_wherever_each_is_told() -> None:
    """On one line or on two."""
    pattern = [r"^done: (?P<iterations>\d+)$", r"^asked: (?P<requested>\d+)$", r"^took (?P<value>\d+)$"]
    reading = read("run\ntook 5\ndone: 7\nasked: 9", **{**RUNS, "pattern": pattern})
    assert list(reading.rows.errors) == [2.0]
    assert reading.problems == [(4, "own failed (7 of 9 operations were done); its values are set apart")]


def test_a_count_of_failures_that_is_none_is_a_problem() -> None:
    """It may have been one."""
    reading = read("run\ntook 5\nfailed: many", **RUNS)
    assert reading.problems == [(3, "errors is 'many', not a number; value skipped")]


def test_a_run_that_failed_says_why_and_one_without_a_value_is_a_problem() -> None:
    """Its values are set apart; without any, the benchmark is told as failed."""
    reading = read("run\ntook 5\ngave up: no disk\nrun\ngave up: no\nrun\ngave up: timeout", benchmark="b", **RUNS)
    assert list(reading.rows.errors) == [1.0]
    assert reading.problems == [
        (3, "b failed (no disk); its values are set apart"),
        (4, "b failed (it gave no value); no value is kept"),
        (7, "b failed (timeout); no value is kept"),
    ]
    assert [(one.kind, one.name, one.line) for one in reading.series] == [
        ("failed-benchmark", "b", 4),
        ("failed-benchmark", "b", 7),
    ]


def test_what_stands_before_the_first_run_is_a_run_where_it_says_something() -> None:
    """A file that was cut at its head loses no failure; a greeting is no run."""
    reading = read("hello\nrun\ntook 5", **RUNS)
    assert (counts(reading.rows.errors), reading.problems) == ([None], [])
    reading = read("took 4\nfailed: 3\nrun\ntook 5", **RUNS)
    assert counts(reading.rows.errors) == [3.0, None]


def test_without_runs_a_failure_speaks_of_one_result() -> None:
    """Not of the lines after it."""
    pattern = [r"^(?P<benchmark>\w+) took (?P<value>\d+)$", r"^(?P<benchmark>\w+): (?P<failure>.+)$"]
    reading = read("a: broken pipe\nb took 5\nb: ok", kind="lines", pattern=pattern, unit="ms", metric="time")
    assert (list(reading.rows.name), counts(reading.rows.errors)) == (["b"], [None])
    assert reading.problems == [(1, "a failed (broken pipe); no value is kept")]
    assert [(one.kind, one.name) for one in reading.series] == [("failed-benchmark", "a")]


def test_a_line_that_must_be_read_is_never_noise() -> None:
    """Other lines that no pattern reads still are."""
    reading = read("took 5\ntook long\nbye", must_read=["^took "], **RUNS)
    assert reading.problems == [(2, "'took long' is not as the format 'own' says; add a pattern for it; line skipped")]
    assert (reading.lines.data, reading.lines.problem, reading.lines.noise) == (1, 1, 1)


def test_the_name_of_a_metric_takes_a_part_in() -> None:
    """The part is no axis then; where it is missing, the value has no name."""
    reading = read(
        "p99.9 5\np 6",
        kind="lines",
        pattern=r"^p(?P<share>[0-9.]*) (?P<late>\d+)$",
        groups={"late": {"metric": "latency_p{share}", "unit": "ms"}},
    )
    assert told(reading) == [("", "latency_p99.9", 5.0, "ms", 1)]
    assert reading.configurations == [{}]
    assert reading.problems == [(2, "late: nothing is told for 'share' in latency_p{share}; value skipped")]


def test_a_row_of_a_table_fails_by_text_by_what_was_asked_and_by_what_it_lacks() -> None:
    """Each reason is told once a benchmark; a row without a value is a problem."""
    reading = read(
        "case,ms,done,asked,why\na,1,9,9,\na,2,8,9,-\nb,3,,9,refused\nb,4,,9,refused\nc,,9,9,null\nd,,9,9,crash",
        kind="table",
        needs=["ms"],
        columns={
            "case": "benchmark", "ms": {"metric": "time", "unit": "ms"}, "done": "iterations", "asked": "requested",
            "why": "failure",
        },
    )  # fmt: skip
    assert list(zip(reading.rows.value, reading.rows.errors, strict=True)) == [(1, 0), (2, 1), (3, 1), (4, 1)]
    assert reading.problems == [
        (3, "a failed (8 of 9 operations were done); its values are set apart"),
        (4, "b failed (refused); its values are set apart"),
        (6, "c failed (no ms); no value is kept"),
        (7, "d failed (crash); no value is kept"),
    ]
    assert [one.name for one in reading.series] == ["c", "d"]


def test_a_document_may_say_why_it_has_no_records() -> None:
    """As it stands, or one of several in a file; a value it has all the same is set apart."""
    values = {"kind": "records", "records": "runs[]", "fields": {"t": {"metric": "t", "unit": "s"}, "error": "failure"}}
    reading = read('{"runs": [], "error": "no host"}', **values)
    assert reading.problems == [(1, "own failed (no host); no value is kept")]
    reading = read(
        '{"runs": [\n{"t": 1}]}\n{"runs": [\n{"t": 2}], "error": "cut"}\n{"runs": []}', start=r"^\{\"r", **values
    )
    assert (list(reading.rows.value), counts(reading.rows.errors)) == ([1.0, 2.0], [None, 1.0])
    assert reading.problems == [
        (4, "own failed (cut); its values are set apart"),
        (5, "own failed (it gave no value); no value is kept"),
    ]


def test_two_runs_of_pgbench_keep_their_facts_and_every_tps() -> None:
    """With reconnections, throughput is of another kind, and is called so."""
    reading = shipped("pgbench-twice.txt")
    assert by_run(reading) == [
        ("latency_mean", 1.392, 0.0, "4"),
        ("throughput", 2873.604506, 0.0, "4"),
        ("latency_mean", 4.828, 0.0, "2"),
        ("throughput_with_connecting", 414.234763, 0.0, "2"),
    ]
    assert reading.problems == []


@pytest.mark.parametrize(
    ("line", "metric"),
    [
        ("tps = 123.4 (including connections establishing)", "throughput_with_connecting"),
        ("tps = 123.4 (excluding connections establishing)", "throughput"),
        ("tps = 123.4 (including reconnection times)", "throughput_with_connecting"),
        ("tps = 123.4 (without initial connection time)", "throughput"),
        ("tps = 123.4", ""),
        ("tps = 123.4 (of another kind)", ""),
    ],
)
def test_no_tps_of_pgbench_is_noise(line: str, metric: str) -> None:
    """From 9 to 17 they are read; any other is a problem."""
    text = (DATA / "pgbench.txt").read_text().replace("tps = 346.224794 (without initial connection time)", line)
    file = TextFile("x.txt", text=text)
    reading = choose(file).read(file)
    found = [one[1] for one in told(reading) if one[2] == 123.4]
    assert found == ([metric] if metric else [])
    unread = f"'{line}' is not as the format 'pgbench' says; add a pattern for it; line skipped"
    assert reading.problems == ([] if metric else [(14, unread)])


def test_an_aborted_run_of_pgbench_is_set_apart() -> None:
    """By the transactions that were not done, or by what it says; the sound run before it stays sound."""
    reading = shipped("pgbench-aborted.txt")
    assert list(reading.rows.errors) == [0.0, 0.0, 31.0, 31.0]
    assert [text for _, text in reading.problems if "failed" in text] == [
        "abort.sql failed (9 of 40 operations were done); its values are set apart",
        "zero.sql failed (0 of 40 operations were done); no value is kept",
    ]
    assert [(one.kind, one.name) for one in reading.series] == [("failed-benchmark", "zero.sql")]
    timed = shipped("pgbench-aborted-timed.txt")
    assert list(timed.rows.errors) == [1.0, 1.0]
    assert timed.problems[-1] == (18, "abort.sql failed (Run was aborted); its values are set apart")
    assert set(shipped("pgbench-failed.txt").rows.errors) == {142.0}


def test_each_script_of_pgbench_has_its_own_values() -> None:
    """The operations of all of them stand behind none."""
    reading = shipped("pgbench-scripts.txt")
    assert [one[0] for one in told(reading) if one[1] == "throughput"] == [
        "multiple scripts", "<builtin: TPC-B (sort of)>", "<builtin: select only>",
    ]  # fmt: skip
    assert counts(reading.rows.iterations) == [100.0, 100.0, 65.0, None, None, 35.0, None, None]


def test_runs_of_sysbench_keep_their_facts_and_any_percentile_is_read() -> None:
    """0 switches percentiles off: there is none then."""
    reading = shipped("sysbench-appended.txt")
    assert reading.problems == []
    facts = [reading.configurations[one] for one in reading.rows.configuration]
    shares = [(one["test"], metric) for one, metric in zip(facts, reading.rows.metric, strict=True) if "_p" in metric]
    assert shares == [("SQL statistics", "latency_p95"), ("CPU speed", "latency_p99")]
    assert [one for one in facts if "prime_limit" in one and one["test"] != "CPU speed"] == []
    assert len(shipped("sysbench-fileio.txt").rows) == 9


def test_failures_of_sysbench_count_for_all_its_values() -> None:
    """Ignored errors stand behind the throughput they spoil; a run that was shut down measured nothing."""
    ignored = shipped("sysbench-ignored.txt")
    assert (set(ignored.rows.errors), ignored.problems) == ({11.0}, [])
    assert "throughput" in list(ignored.rows.metric)
    shut = shipped("sysbench-shutdown.txt")
    assert set(shut.rows.errors) == {1.0}
    shown = "FATAL: The --max-time limit has expired, forcing shutdown..."
    assert shut.problems == [(13, f"sysbench failed ({shown}); its values are set apart")]


def test_an_error_of_iperf3_fails_its_run() -> None:
    """A client that was refused is no empty file; intervals before a break are set apart, the run before stays."""
    refused = shipped("iperf3-refused.json")
    assert refused.problems == [
        (1, "iperf3 failed (unable to connect to server: Connection refused); no value is kept")
    ]
    assert [(one.kind, one.name) for one in refused.series] == [("failed-benchmark", "iperf3")]
    twice = shipped("iperf3-twice.json")
    assert counts(twice.rows.errors) == [None] * 4 + [1.0] * 8
    assert twice.problems == [(205, "iperf3 failed (control socket has closed unexpectedly); its values are set apart")]


def test_a_benchmark_without_statistics_failed_even_where_memory_was_measured(tmp_path: Path) -> None:
    """What BenchmarkDotNet writes of one that threw; the caveat counts it."""
    text = (DATA / "benchmarkdotnet.json").read_text()
    (tmp_path / "a.json").write_text(text.replace('"Memory":null', '"Memory":{"BytesAllocatedPerOperation":0}'))
    results = benchlib.load(tmp_path)
    assert (len(results.frame), len(results.failed)) == (4, 1)
    assert [one.message for one in results.caveats if one.code == "failed-results"] == [
        "Sleep: 1 of 5 values rest on failed operations and are left out"
    ]


def test_two_runs_of_redis_benchmark_are_read() -> None:
    """The second header says nothing new."""
    reading = shipped("redis-benchmark-twice.csv")
    assert (len(reading.rows), reading.lines.context, reading.problems) == (28, 2, [])


@pytest.mark.parametrize(
    ("file", "last", "at", "begun", "wanted"),
    [
        ("sysbench.txt", "    transactions:", 0, "Running the test with", r"^\s+execution time \(avg/stddev\):"),
        ("sysbench-fileio.txt", "    fsyncs/s:", 0, "Running the test with", r"^\s+execution time \(avg/stddev\):"),
        ("pgbench.txt", "latency stddev", 0, "transaction type: <builtin", "^tps = "),
        ("pgbench-scripts.txt", "tps = 4351", 0, "transaction type: mult", "^SQL script 2:"),
        ("pgbench-scripts.txt", " - weight: 1", 0, "SQL script 2:", r"^ - \d+ transactions \("),
        ("pgbench-scripts.txt", " - 35 transactions", 0, " - 35 transactions", "^ - latency stddev"),
    ],
)
def test_a_report_cut_at_a_line_end_is_a_problem(file: str, last: str, at: int, begun: str, wanted: str) -> None:
    """What must follow a line does not: the values before the cut are kept, and the file is no whole one."""
    lines = (DATA / file).read_text().split("\n")
    end = next(number for number, one in enumerate(lines, 1) if one.startswith(last))
    start = next(number for number, one in enumerate(lines, 1) if one.startswith(begun))
    text = TextFile(file, lines[:end])
    reading = choose(text).read(text)
    shown = f"after '{lines[start - 1].strip()[:60]}"
    assert [line for line, _ in reading.problems] == [start]
    message = reading.problems[0][1]
    assert message.startswith(shown)
    assert message.endswith(f"no line like '{wanted}' follows; was the file cut? run it again")
    assert len(reading.rows)
    whole = TextFile(file, lines)
    assert choose(whole).read(whole).problems == []


def test_what_must_follow_is_asked_of_each_run() -> None:
    """A line of the second pattern serves one of the first; one that failed need not end well."""
    text = "run\ntook 5\nend\nrun\ntook 6\nrun\ntook 7\ngave up: late"
    reading = read(text, complete={"^run$": "^end$"}, **RUNS)
    assert list(reading.rows.value) == [5, 6, 7]
    assert reading.problems == [
        (4, "after 'run' no line like '^end$' follows; was the file cut? run it again"),
        (8, "own failed (late); its values are set apart"),
    ]
