"""Output of wrk and wrk2."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchlib.formats import load
from benchlib.formats.load_text import WRK
from benchlib.formats.reader import Reading, TextFile

DATA = Path(__file__).parents[1] / "data" / "wrk"

PLAIN = """\
Running 2m test @ http://10.0.0.1:8080/hash?n=1
  1 threads and 1 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   610.45us    1.02m     1.10m    98.61%
    Req/Sec    31.31k     5.62k   37.72k    73.33%
  120000 requests in 2.00m, 10.60MB read
Requests/sec:   1000.00
Transfer/sec:      3.53MB
""".splitlines()

WRK2 = """\
Running 30s test @ http://127.0.0.1:80/index.html
  2 threads and 100 connections
  Thread calibration: mean lat.: 9.747ms, rate sampling interval: 21ms
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     6.46ms    1.93ms  12.34ms   67.66%
    Req/Sec     1.05k     1.12k    2.50k    64.84%
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%    6.67ms
 99.900%   12.10ms
100.000%   12.35ms

  Detailed Percentile spectrum:
       Value   Percentile   TotalCount 1/(1-Percentile)

       0.921     0.000000            1         1.00
#[Mean    =        6.465, StdDeviation   =        1.934]
  Latency Distribution (HdrHistogram - Uncorrected Latency (measured without delayed starts))
 50.000%    1.67ms
  60017 requests in 30.01s, 19.81MB read
Requests/sec:   2000.15
Transfer/sec:    676.14KB
""".splitlines()


def read(lines: list[str]) -> Reading:
    reading = WRK.read(TextFile("x.txt", lines))
    assert reading.lines.total == len(lines)
    assert len({len(getattr(reading.rows, one)) for one in reading.rows.__slots__}) == 1
    return reading


def sample(name: str) -> list[str]:
    return (DATA / name).read_text(encoding="utf-8").splitlines()


def values(reading: Reading) -> dict[str | None, tuple[float, str]]:
    rows = reading.rows
    return dict(zip(rows.metric, zip(rows.value, rows.unit, strict=True), strict=True))


def test_a_run_gives_throughput_latencies_and_its_configuration() -> None:
    """Without --latency there is no percentile; the URL names endpoint and host."""
    reading = read(PLAIN)
    assert values(reading) == {
        "throughput": (1000.0, "req/s"),
        "requests": (120000, "req"),
        "transfer": (3.53, "MiB/s"),
        "latency_mean": (610.45, "us"),
        "latency_stdev": (1.02, "m"),
        "latency_max": (1.10, "m"),
    }
    assert reading.configurations == [
        {
            "benchmark": "/hash?n=1",
            "endpoint": "hash",
            "host": "10.0.0.1:8080",
            "url": "http://10.0.0.1:8080/hash?n=1",
            "threads": 1,
            "connections": 1,
            "duration_s": 120.0,
        }
    ]
    assert set(reading.rows.errors) == {0}
    assert set(reading.rows.iterations) == {120000}


def test_bytes_count_by_1024_and_m_is_minutes() -> None:
    """wrk's KB is a KiB; its 1.02m is 61.2 s."""
    assert values(read(WRK2))["transfer"] == (676.14, "KiB/s")


def test_failures_of_every_kind_stand_on_every_row() -> None:
    """270 read errors, 64 timeouts and 5188 non-2xx answers: 5522 behind each value."""
    reading = read(sample("flaky_c64.txt"))
    assert set(reading.rows.errors) == {5522}
    assert [(one.kind, one.name, one.data) for one in reading.series] == [
        ("timeouts", "/flaky", (64, 25997)),
        ("closed-loop", "wrk", ("wrk",)),
    ]


def test_an_empty_histogram_is_no_latency_of_zero() -> None:
    """16 requests, all timed out: 0.00us and -nan% are no data."""
    reading = read(sample("slow_all_timeout_c8.txt"))
    assert set(values(reading)) == {"throughput", "requests", "transfer"}
    assert set(reading.rows.errors) == {16}
    assert values(reading)["transfer"] == (386.42, "B/s")


def test_lua_percentiles_are_kept_where_wrk_prints_none() -> None:
    """METRIC_P95 and P999 are new, in the ms that P50, P90, P99 and MAX confirm; the rest repeats."""
    reading = read(sample("json_t2_c50_d5s_lua.txt"))
    assert len(reading.rows) == 12
    assert values(reading)["latency_p95"] == (9.042, "ms")
    assert values(reading)["latency_p99.9"] == (23.053, "ms")
    assert values(reading)["latency_p50"] == (1.52, "ms")
    assert reading.problems == []


def test_lua_percentiles_of_another_unit_are_refused() -> None:
    """A script that prints µs under the same names is not taken for ms, nor one that shows no unit."""
    lines = [one.replace("METRIC_P50: 1.517", "METRIC_P50: 1517.0") for one in sample("json_t2_c50_d5s_lua.txt")]
    reading = read(lines)
    assert "latency_p95" not in values(reading)
    assert [line for line, _ in reading.problems] == [18, 20]
    assert "METRIC_P95 is not in ms" in reading.problems[0][1]
    alone = read([*PLAIN, "METRIC_P95: 9.042", "METRIC_FOO: 1"])
    assert [line for line, _ in alone.problems] == [9, 10]


def test_wrk2_percentiles_corrected_and_not() -> None:
    """Both distributions are kept under their own names; the spectrum is noise; its loop is open."""
    assert read(WRK2).series == []
    found = values(read(WRK2))
    assert found["latency_p50"] == (6.67, "ms")
    assert found["latency_p99.9"] == (12.1, "ms")
    assert found["latency_p100"] == (12.35, "ms")
    assert found["latency_uncorrected_p50"] == (1.67, "ms")


def test_several_runs_in_one_file() -> None:
    """Each run has its own configuration; a refused one between them does not harm them."""
    lines = [*PLAIN, "unable to connect to 127.0.0.1:1 Connection refused", "", *sample("flaky_c64.txt")]
    reading = read(lines)
    assert [one["connections"] for one in reading.configurations] == [1, 64]
    assert Counter(reading.rows.configuration) == {0: 6, 1: 10}
    assert [line for line, _ in reading.problems] == [9]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["unable to connect to 127.0.0.1:18099 Connection refused"], "start the server"),
        (
            ["number of connections must be >= threads", "Usage: wrk <options> <url>"],
            "'number of connections must be >= threads'",
        ),
    ],
)
def test_output_without_a_run_is_recognised_and_explained(lines: list[str], said: str) -> None:
    """wrk's refusal is wrk's output: no result, one problem that says what to do."""
    assert WRK.recognise(TextFile("x", lines)) == "possible"
    reading = read(lines)
    assert len(reading.rows) == 0
    assert said in reading.problems[0][1]


@pytest.mark.parametrize(
    ("found", "changed", "said"),
    [
        ("Requests/sec:   5191.18", "", "no line 'Requests/sec'"),
        ("Requests/sec:   5191.18", "Requests/sec:   519.18", "519.18 requests a second"),
        ("timeout 64", "timeo", "failures are unknown"),
        ("  2 threads and 64 connections", "", "concurrency is unknown"),
        ("http://127.0.0.1:18080/flaky", "http://[/flaky", "unreadable URL"),
    ],
)
def test_a_run_that_lost_a_line_is_refused(found: str, changed: str, said: str) -> None:
    """A run without its rate, failures or connections is no result."""
    text = "\n".join(sample("flaky_c64.txt"))
    assert found in text
    reading = read(text.replace(found, changed).splitlines())
    assert len(reading.rows) == 0
    assert any(said in message for _, message in reading.problems), reading.problems


def test_a_run_without_answers_or_errors_is_no_result() -> None:
    """Zero requests and no error counted: wrk stopped before any answer came."""
    text = "\n".join(PLAIN).replace("120000 requests", "0 requests").replace("1000.00", "   0.00")
    assert "answered no request" in read(text.splitlines()).problems[0][1]


def test_a_percentile_with_a_cut_unit_is_left_out() -> None:
    """``3.04m`` cut from ``3.04ms`` would be three minutes, above the longest latency."""
    lines = [one.replace("3.04ms", "3.04m") for one in sample("flaky_c64.txt")]
    reading = read(lines)
    assert "latency_p90" not in values(reading)
    assert [line for line, _ in reading.problems] == [9]


def test_a_password_in_the_url_is_dropped() -> None:
    """Axes are shown in reports that are passed around."""
    lines = [one.replace("10.0.0.1", "me:secret@10.0.0.1") for one in PLAIN]
    assert "secret" not in str(read(lines).configurations)


def test_the_real_files_give_the_rows_counted_by_hand(shared_samples: Path) -> None:
    """By grep: 143 runs (120 and 23), 142 with latencies, each of 7 latency values, 3 totals.

    One Lua script adds 2 values; the two files without a run give a problem each.
    """
    metrics: Counter[str | None] = Counter()
    runs = problems = failed = 0
    for folder in ("wrk", "wrk-sweep"):
        for path in sorted((shared_samples / folder).glob("*.txt")):
            lines = path.read_text(encoding="utf-8").splitlines()
            reading = read(lines)
            assert WRK.recognise(TextFile("x", lines)) != "no"
            metrics.update(reading.rows.metric)
            runs += len(reading.configurations)
            problems += len(reading.problems)
            failed += sum(errors != 0 for errors in reading.rows.errors)
    assert runs == 143
    assert problems == 2
    assert metrics == {
        **dict.fromkeys(("throughput", "requests", "transfer"), 143),
        **dict.fromkeys(("latency_mean", "latency_stdev", "latency_max"), 142),
        **dict.fromkeys(("latency_p50", "latency_p75", "latency_p90", "latency_p99"), 142),
        "latency_p95": 1,
        "latency_p99.9": 1,
    }
    # flaky_c64 and notfound_404_c8 with 10 values each, slow_all_timeout_c8 with 3.
    assert failed == 23


def test_minutes_stay_minutes_as_written(tmp_path: Path) -> None:
    """A maximum of 1.10m is 66 s in the table, and ``m`` in the column that says how it was written."""
    (tmp_path / "run.txt").write_text("\n".join(PLAIN))
    frame = load(tmp_path).frame.set_index("metric")
    found = frame.loc["latency_max", ["value", "unit", "original_unit"]].tolist()
    assert found == [pytest.approx(66.0), "sec", "m"]


def test_a_percentile_beyond_the_largest_latency_is_left_out() -> None:
    """Its line, and that of the bound, are named."""
    lines = [
        "Running 10s test @ http://localhost:8080/",
        "  2 threads and 10 connections",
        "  Thread Stats   Avg      Stdev     Max   +/- Stdev",
        "    Latency     5.00ms    1.00ms  12.34ms   70.00%",
        "  Latency Distribution",
        "100.000%   12.50ms",
        "  1000 requests in 10.00s, 1.00MB read",
        "Requests/sec:    100.00",
        "Transfer/sec:    102.40KB",
    ]
    assert read(lines).problems == [
        (6, "latency_p100 of 12.5 ms is above the largest latency, 12.34 ms on line 4; left out")
    ]
    without = [line.replace("12.50ms", "12.50s") for line in lines if "Avg" not in line and "    Latency" not in line]
    bound = "the time of the run on line 5, '1000 requests in 10.00s, 1.00MB read'"
    assert read(without).problems == [(4, f"latency_p100 of 12.50s is above {bound}; left out")]
