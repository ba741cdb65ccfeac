"""Reports of the token SDK's parallel runner."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchlib.formats import load
from benchlib.formats.custom import PARALLEL_RUNNER
from benchlib.formats.reader import Reading, TextFile
from tests.columns import counts

DATA = Path(__file__).parents[1] / "data" / "parallel_runner"
COLOURS = re.compile(r"\x1b\[[0-9;]*m")

#: The shape of reports before error rates, P99.9 and garbage collection were printed.
OLD = """\
=== RUN   TestParallelBenchmarkOld/Setup(bits_32)_with_1_workers
Metric           Value          Description
------           -----          -----------
Workers          1
Total Ops        20             (Low Sample Size)
Duration         10.023390959s  (Good Duration)
Real Throughput  2.00/s         Observed Ops/sec (Wall Clock)
Pure Throughput  2.10/s         Theoretical Max (Low Overhead)

Latency Distribution:
 Min           1m0.05s
 P50 (Median)  55.9ms
 Avg Latency   56.2ms
 P95           58.1ms
 P99           58.7ms
 Max           59ms  (Stable Tail)

Memory  1301420 B/op     Allocated bytes per operation
Allocs  18817 allocs/op  Allocations per operation

Latency Heatmap (Dynamic Range):
Range        Freq  Distribution Graph
 55ms-57ms   15    ██████████ (75.0%)
 900ns-950ns  5     (25.0%)
----------------------------------
""".splitlines()


def lines_of(path: Path) -> list[str]:
    return COLOURS.sub("", path.read_text(encoding="utf-8")).splitlines()


def read(lines: list[str]) -> Reading:
    reading = PARALLEL_RUNNER.read(TextFile("x.log", lines))
    assert reading.lines.total == len(lines)
    assert len({len(getattr(reading.rows, column)) for column in reading.rows.__slots__}) == 1
    assert all(number < len(reading.configurations) for number in reading.rows.configuration)
    return reading


def values(reading: Reading, configuration: int = 0) -> dict[str | None, tuple[float, str]]:
    rows = reading.rows
    return {
        metric: (value, unit)
        for metric, value, unit, number in zip(rows.metric, rows.value, rows.unit, rows.configuration, strict=True)
        if number == configuration
    }


@pytest.fixture
def sender() -> list[str]:
    return lines_of(DATA / "sender_two_workers.txt")


def test_a_report_whose_calls_failed_says_so_on_every_row() -> None:
    """The Auditor's 23433 calls all failed though go test says PASS and prints a throughput; it is kept apart."""
    reading = read(lines_of(DATA / "auditor_all_failed.txt"))
    assert set(reading.rows.errors) == {23433}
    assert values(reading)["error_rate"] == (100, "%")
    assert reading.configurations[0]["pkg"] == "github.com/LFDT-Panurus/panurus/token/core/zkatdlog/nogh/v1"
    remarks = [series.data[0] for series in reading.series if series.kind == "remark"]
    assert "[FAIL] High Error Rate (100.00%). System is failing under load." in remarks
    results = load(DATA)
    assert (len(results.frame), len(results.failed)) == (46, 23)
    assert set(results.failed["benchmark"]) == {"TestParallelBenchmarkAuditorServiceCheck"}
    assert [caveat.code for caveat in results.caveats] == ["failed-results", "closed-loop"]
    assert "the parallel runner waits for each answer" in results.caveats[1].message


def test_histogram_and_timeline_are_kept(sender: list[str]) -> None:
    """Buckets hold every operation, or a line was lost; a bar of the timeline is a range of throughputs."""
    series = read(sender).series
    histograms = [each.data for each in series if each.kind == "histogram"]
    assert [sum(count for *_, count in buckets) for buckets in histograms] == [246, 329]
    assert histograms[0][0] == (pytest.approx(0.014492005), pytest.approx(0.014831929), 2)
    assert next(each.data for each in series if each.kind == "timeline") == ((54, 63), (63, 63), (54, 63))
    reading = read([line for line in sender if "15.179827ms-15.535886ms" not in line])
    assert [each.kind for each in reading.series].count("histogram") == 1
    assert any("218 of 246 operations" in message for _, message in reading.problems)


def test_earlier_generations_without_error_rate_are_read() -> None:
    """No error rate was printed then: failures are unknown, which is not the same as none."""
    reading = read(OLD)
    assert reading.problems == []
    measured = values(reading)
    assert measured["latency_mean"] == (pytest.approx(0.0562), "s")
    assert measured["latency_min"] == (pytest.approx(60.05), "s")
    assert "latency_p99.9" not in measured
    assert set(counts(reading.rows.errors)) == {None}
    assert [series.kind for series in reading.series] == ["histogram", "closed-loop"]
    histogram = reading.series[0]
    assert histogram.data[1] == (pytest.approx(9e-07), pytest.approx(9.5e-07), 5)


def test_a_cut_report_is_refused_before_its_error_rate_and_kept_behind_it(sender: list[str]) -> None:
    """Nobody knows how many operations of the first half failed; a later cut loses rows, and a problem says so."""
    assert sender[25].startswith("System Health")
    reading = read(sender[:26])
    assert len(reading.rows) == 0
    [(line, message)] = reading.problems
    assert (line, "(lines 3 to 26) has no readable Error Rate" in message) == (26, True)
    last = next(number for number, line in enumerate(sender) if "Goroutines" in line and number > 60)
    reading = read(sender[:last])
    assert len(reading.rows) == 45
    assert ["without its analysis" in message for _, message in reading.problems] == [True]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("61.34/s", "61.3", "has no Real Throughput"),
        ("61.34/s", "6.34/s", "246 operations in 4.01 s but a throughput of 6.34/s"),
        ("(0 errors)", "(7 errors)", "has an error rate of 0 % but 7 errors"),
        ("(0 errors)", "", "Error Rate, so its failures are unknown"),
        ("Workers          1", "Workers          3", "counts 3 workers under a name with 1"),
        ("Total Ops        246", "Total Ops        0", "completed no operation"),
    ],
)
def test_rows_that_disagree_refuse_their_report(sender: list[str], old: str, new: str, message: str) -> None:
    """A row that was cut or lost shows where the rows of a report disagree."""
    text = "\n".join(sender)
    assert old in text
    reading = read(text.replace(old, new, 1).splitlines())
    assert len(reading.rows) == 23
    assert any(message in problem for _, problem in reading.problems), reading.problems


def test_a_cut_unit_is_a_problem_and_not_minutes(sender: list[str]) -> None:
    """``19.236123m`` is a cut ``ms``, never nineteen minutes."""
    lines = "\n".join(sender).replace("19.236123ms", "19.236123m").splitlines()
    reading = read(lines)
    assert "latency_p95" not in values(reading)
    number = next(n for n, line in enumerate(lines, 1) if "19.236123m" in line)
    assert (number, "'19.236123m' is not a value of 'P95'; line skipped") in reading.problems


def test_tests_without_a_report_and_reports_without_a_test(sender: list[str]) -> None:
    """A started test that printed nothing is missed; a failed one is named once; without -v nothing names a report."""
    reading = read([*sender, "=== RUN   TestParallelBenchmarkSender/Setup(x)_with_4_workers"])
    [(line, message)] = reading.problems
    assert (line, "printed no report" in message) == (len(sender) + 1, True)
    assert len(read("\n".join(sender).replace("--- PASS", "--- FAIL").splitlines()).problems) == 2
    nameless = read([line for line in sender if not line.startswith("=== RUN")])
    assert set(nameless.rows.name) == {"TestParallelBenchmark"}
    assert ["go test -v" in message for _, message in nameless.problems] == [True, True]


def test_go_benchmark_results_in_the_same_file_are_read_too(sender: list[str], tmp_path: Path) -> None:
    """go test -v -bench -run prints both, and two readers are certain: the one that declares the other reads it."""
    go = ["goos: linux", "pkg: p", "BenchmarkX-8   \t     100\t     41480 ns/op", "PASS", "ok  \tp\t1.2s"]
    reading = read([*sender, *go])
    assert len(reading.rows) == 47
    assert reading.rows.name[-1] == "BenchmarkX-8"
    assert reading.configurations[reading.rows.configuration[-1]]["goos"] == "linux"
    log = tmp_path / "both.log"
    log.write_text("\n".join([*sender, *go]) + "\n", encoding="utf-8")
    [file] = load(log).files
    assert (file.format, file.contains, file.rows) == ("parallel-runner", ("go-bench",), 47)


def test_recognition(sender: list[str]) -> None:
    """A report is certain, a started test possible, any other text no."""
    reader = PARALLEL_RUNNER
    assert reader.recognise(TextFile("x", sender)) == "certain"
    assert reader.recognise(TextFile("x", OLD)) == "certain"
    assert reader.recognise(TextFile("x", sender[:2])) == "possible"
    assert reader.recognise(TextFile("x", ["BenchmarkX 1 2 ns/op", "=== RUN TestX"])) == "no"


@pytest.mark.parametrize("damage", ["drop", "repeat", "cut"])
def test_a_damaged_report_does_not_lose_its_failures(damage: str) -> None:
    """Whatever happens to one of its lines, failures are counted or the report is not kept."""
    whole = lines_of(DATA / "auditor_all_failed.txt")
    for at, line in enumerate(whole):
        damaged = {"drop": [], "repeat": [line, line], "cut": [line[: len(line) // 2]]}[damage]
        errors = read([*whole[:at], *damaged, *whole[at + 1 :]]).rows.errors
        assert set(errors) <= {23433}, (at, line)


def test_a_rate_opens_the_loop(sender: list[str]) -> None:
    """A report made at a fixed rate must not pool with one made flat out, and its workers wait for no answer."""
    start = next(number for number, line in enumerate(sender) if line.startswith("Metric"))
    end = next(number for number, line in enumerate(sender) if number > start and line.startswith("=== RUN"))
    paced = [*sender[:start], "[Running in Open-Loop Mode (Limit: 50/s)]", *sender[start:]]
    assert read(paced).configurations == [{"workers": 1, "rate_limit": 50.0}, {"workers": 2}]
    assert "closed-loop" in [series.kind for series in read(sender[:end]).series]
    assert "closed-loop" not in [series.kind for series in read(paced[: end + 1]).series]
