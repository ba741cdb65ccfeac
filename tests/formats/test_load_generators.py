"""Load generators: what each writes, what a damaged file is worth, and how failures travel."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchlib.formats import load, registry
from benchlib.formats.load_generators import percentile_name
from benchlib.formats.reader import Reading, TextFile
from tests.columns import counts

DATA = Path(__file__).parents[1] / "data"
#: File -> its format.
FORMATS = {
    "hey/index_c4.txt": "hey", "hey/missing_404.txt": "hey", "hey/silent_timeout.txt": "hey",
    "hey/index_c2.csv": "request-csv", "hey/missing_404.csv": "request-csv",
    "oha/hash_c4.txt": "oha", "oha/hash_c8.json": "oha", "ghz/check_c4.txt": "ghz", "ghz/check_c4.json": "ghz",
    "ab/hash_c8.txt": "ab", "locust/run_stats.csv": "locust", "locust/run_stats_history.csv": "locust",
    "k6/compact.txt": "k6-text", "k6/legacy.txt": "k6-text", "k6/open_dropped.txt": "k6-text",
    "k6/export.json": "k6", "k6/handle_summary.json": "k6", "k6/machine_readable.json": "k6",
    "k6/open_dropped.json": "k6", "k6/points.json": "k6-points", "k6/points.csv": "k6-points",
    "autocannon/index_c4.json": "autocannon", "autocannon/index_rate200.json": "autocannon",
    "autocannon/missing_404.json": "autocannon", "autocannon/silent_timeout.json": "autocannon",
    "fio/randrw.json": "fio", "fortio/echo_c4.json": "fortio", "fortio/failing_c2.json": "fortio",
    "wrk/flaky_c64.txt": "wrk", "wrk/json_t2_c50_d5s_lua.txt": "wrk", "wrk/slow_all_timeout_c8.txt": "wrk",
    "jmeter/plan.jtl": "jmeter",
}  # fmt: skip
#: Those whose generator does not wait for answers, or that hold no result.
OPEN = {
    "k6/open_dropped.txt", "k6/open_dropped.json", "autocannon/index_rate200.json", "locust/run_stats_history.csv",
    "fortio/failing_c2.json",
}  # fmt: skip
#: A sample of each tool that has none here, from its documentation.
VEGETA: dict[str, Any] = {
    "latencies": {"total": 237119463, "mean": 2371194, "50th": 2854306, "95th": 3478629, "99th": 3530000,
                  "max": 3660505, "min": 1949582},
    "bytes_in": {"total": 606700, "mean": 6067}, "bytes_out": {"total": 0, "mean": 0},
    "earliest": "2015-09-19T14:45:50Z", "latest": "2015-09-19T14:45:51Z", "duration": 990000000, "wait": 1949582,
    "requests": 100, "rate": 101.01, "throughput": 98.0, "success": 0.97, "status_codes": {"200": 97, "503": 3},
    "errors": ["503 Service Unavailable"],
}  # fmt: skip
VEGETA_TEXT = """\
Requests      [total, rate, throughput]         1200, 120.00, 65.87
Duration      [total, attack, wait]             10.094965987s, 9.949883921s, 145.082066ms
Latencies     [min, mean, 50, 95, 99, max]      90.438129ms, 113.17ms, 108.272568ms, 140.18235ms, 247.77ms, 264.81ms
Bytes In      [total, mean]                     3714690, 3095.57
Bytes Out     [total, mean]                     0, 0.00
Success       [ratio]                           55.42%
Status Codes  [code:count]                      0:535  200:665
Error Set:
Get http://localhost:6060: dial tcp 127.0.0.1:6060: connection refused
"""
HIT = {"attack": "a", "seq": 0, "code": 200, "timestamp": "2026-11-20T07:00:00Z", "latency": 1500000, "bytes_out": 0,
       "bytes_in": 5, "error": "", "body": "", "method": "GET", "url": "http://localhost:8080/cheap"}  # fmt: skip
HITS = "\n".join(json.dumps({**HIT, "seq": number, "code": code}) for number, code in enumerate((200, 302, 0)))
CSV_HITS = "".join(
    f"1763622000000000000,{code},1500000,0,5,,aGVsbG8=,a,0,GET,http://localhost:8080/cheap,\n" for code in (200, 500)
)
BOMBARDIER: dict[str, Any] = {
    "spec": {"numberOfConnections": 125, "testType": "timed", "testDurationSeconds": 10, "method": "GET",
             "url": "http://localhost:8080/cheap", "client": "fasthttp"},
    "result": {"bytesRead": 1000, "bytesWritten": 500, "timeTakenSeconds": 10.0, "req1xx": 0, "req2xx": 990,
               "req3xx": 0, "req4xx": 4, "req5xx": 0, "others": 6, "errors": [{"description": "timeout", "count": 6}],
               "latency": {"mean": 1270.5, "stddev": 20.0, "max": 9000, "percentiles": {"50": 1200, "99": 4500}},
               "rps": {"mean": 99.5, "stddev": 3.0, "max": 120.0, "percentiles": {"50": 99}}},
}  # fmt: skip
FORTIO: dict[str, Any] = {
    "RunType": "HTTP", "RequestedQPS": "300", "ActualQPS": 299.5, "NumThreads": 4, "URL": "http://localhost:8080/cheap",
    "DurationHistogram": {"Count": 3000, "Min": 0.001, "Max": 0.09, "Avg": 0.013, "StdDev": 0.002,
                          "Percentiles": [{"Percentile": 50, "Value": 0.012}, {"Percentile": 99.9, "Value": 0.08}]},
    "RetCodes": {"200": 2990, "503": 10},
}  # fmt: skip
#: What no file here shows.
#: `artillery run --output` of version 2, and of version 1.
ARTILLERY = {
    "aggregate": {
        "counters": {"http.requests": 300, "http.codes.200": 290, "http.codes.503": 7, "errors.ETIMEDOUT": 3},
        "rates": {"http.request_rate": 10},
        "summaries": {"http.response_time": {"min": 1, "max": 90, "count": 297, "mean": 5.2, "p50": 4, "median": 4,
                                             "p75": 6, "p90": 9, "p95": 12.1, "p99": 40, "p999": 89.1}},
    },
    "intermediate": [],
}  # fmt: skip
ARTILLERY_1 = {
    "aggregate": {"requestsCompleted": 300, "latency": {"min": 1, "max": 90, "median": 4, "p95": 12.1, "p99": 40},
                  "rps": {"count": 300, "mean": 10}, "codes": {"200": 300}, "errors": {}},
    "intermediate": [],
}  # fmt: skip
DOCUMENTED = (
    json.dumps(ARTILLERY),
    json.dumps(ARTILLERY_1),
    json.dumps(VEGETA),
    VEGETA_TEXT,
    HITS,
    CSV_HITS,
    json.dumps(BOMBARDIER),
    json.dumps(FORTIO),
)
WRK = """\
Running 2m test @ http://me:secret@10.0.0.1:8080/hash?n=1
  1 threads and 1 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   610.45us    1.02m     1.10m    98.61%
    Req/Sec    31.31k     5.62k   37.72k    73.33%
  120000 requests in 2.00m, 10.60MB read
Requests/sec:   1000.00
Transfer/sec:      3.53MB
"""
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
"""
OHA_CSV = "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n0.1,0,0.2,0.3,0.4,65,200"
GHZ_CSV = 'duration (ms),status,error\n1.5,OK,\n2.5,Unavailable,"gone, for good"\n'


def text_of(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


def read(format: str, text: str) -> Reading:
    """Read a text, and check what holds of every reading."""
    lines = text.splitlines()
    reading = registry.named(format).read(TextFile("x", lines))
    assert len({len(getattr(reading.rows, column)) for column in reading.rows.__slots__}) == 1
    assert all(value == value and abs(value) != float("inf") for value in reading.rows.value)
    assert all(0 <= number < len(reading.configurations) for number in reading.rows.configuration)
    assert all(1 <= line <= len(lines) for line in reading.rows.line)
    return reading


def values(reading: Reading, configuration: int = 0) -> dict[str | None, tuple[float, str]]:
    """The values of one configuration with their units, by metric."""
    rows = reading.rows
    columns = zip(rows.metric, rows.value, rows.unit, rows.configuration, strict=True)
    return {metric: (value, unit) for metric, value, unit, number in columns if number == configuration}


def is_structured(name: str) -> bool:
    return name.endswith(".json") and "points" not in name


@pytest.mark.parametrize("name", FORMATS)
def test_a_sample_has_one_reader_and_is_counted_once(name: str) -> None:
    """A text file counts its lines, a structured one its records; nothing is a problem; a closed loop is said once."""
    text = text_of(name)
    assert registry.choose(TextFile(name, text.splitlines())).name == FORMATS[name]
    reading = read(FORMATS[name], text)
    assert reading.lines.problem == 0, reading.problems
    assert reading.lines.total == len(text.splitlines()) if not is_structured(name) else reading.lines.total > 0
    assert [series.kind for series in reading.series].count("closed-loop") == (name not in OPEN)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_truncated_file_gives_a_problem_or_less(name: str, share: float) -> None:
    """A summary that lost its end gives no value; a list of requests gives those that are whole."""
    text = text_of(name)
    reading = read(FORMATS[name], text[: int(len(text) * share)])
    if "points" in name or name.endswith((".csv", ".jtl")):
        assert len(reading.rows) <= len(read(FORMATS[name], text).rows)
    elif share < 0.9:
        assert len(reading.rows) == 0
        assert reading.problems


#: Format, file or text, some of its values, how many it has, the operations and failures behind each, some axes.
KNOWN: dict[str, tuple[str, str, dict[str, tuple[float, str]], int, int, int, dict[str, Any]]] = {
    "ab": ("ab", "ab/hash_c8.txt", {
        "throughput": (7234.58, "req/s"), "latency_mean": (1.106, "ms"), "transfer": (1285.83, "KiB/s"),
        "latency_min": (0, "ms"), "latency_p98": (2, "ms"),
    }, 15, 2000, 0, {"benchmark": "/hash", "endpoint": "hash", "host": "127.0.0.1:18080", "connections": 8}),
    "autocannon": ("autocannon", "autocannon/index_c4.json", {
        "throughput": (88, "req/s"), "requests": (176, "req"), "latency_mean": (44.87, "ms"),
        "latency_p97.5": (52, "ms"), "transfer": (17424, "B/s"),
    }, 17, 176, 0, {"connections": 4, "pipelining": 1}),
    "autocannon-404": ("autocannon", "autocannon/missing_404.json", {}, 17, 50, 50, {}),
    "autocannon-silent": ("autocannon", "autocannon/silent_timeout.json", {}, 3, 2, 2, {}),
    "hey": ("hey", "hey/index_c4.txt", {
        "throughput": (92.6652, "req/s"), "latency_mean": (0.0432, "secs"), "latency_p99": (0.0448, "secs"),
    }, 11, 200, 0, {}),
    "hey-404": ("hey", "hey/missing_404.txt", {}, 11, 100, 100, {}),
    # 20 of 20 requests timed out, whose zeros are no latencies.
    "hey-silent": ("hey", "hey/silent_timeout.txt", {"throughput": (3.9982, "req/s")}, 1, 20, 20, {}),
    # By awk: 50 lines of 200, 60 of 404.
    "hey-requests": ("request-csv", "hey/index_c2.csv", {}, 50, 1, 0, {}),
    "hey-requests-404": ("request-csv", "hey/missing_404.csv", {}, 60, 1, 1, {}),
    "oha": ("oha", "oha/hash_c4.txt", {
        "latency_p99.9": (14.7667, "ms"), "transfer": (502.56, "KiB/s"),
    }, 14, 300, 0, {}),
    # The 8 requests that oha stopped did not fail.
    "oha-json": ("oha", "oha/hash_c8.json", {
        "throughput": (6740.746111530872, "req/s"), "latency_p99.99": (0.0665784, "s"),
    }, 14, 20224, 0, {}),
    "oha-requests": ("request-csv", OHA_CSV, {"latency": (0.4, "s")}, 1, 1, 0, {}),
    "fortio": ("fortio", "fortio/echo_c4.json", {
        "throughput": (53458.5860877558, "req/s"), "requests": (2000, "req"),
        "latency_p50": (4.339724632316158e-04, "s"),
    }, 10, 2000, 0, {"connections": 4}),
    "fortio-503": ("fortio", "fortio/failing_c2.json", {}, 11, 100, 40, {}),
    "fortio-rate": ("fortio", json.dumps(FORTIO), {
        "latency_p50": (0.012, "s"), "latency_p99.9": (0.08, "s"),
    }, 8, 3000, 10, {"connections": 4, "rate": "300"}),
    # 4xx and unanswered requests failed.
    "bombardier": ("bombardier", json.dumps(BOMBARDIER), {
        "throughput": (99.5, "req/s"), "latency_p99": (4500, "us"), "requests": (1000, "req"),
    }, 7, 1000, 10, {"connections": 125}),
    # Its throughput is of successes; 3 of 100 failed.
    "vegeta": ("vegeta", json.dumps(VEGETA), {
        "throughput": (98.0, "req/s"), "latency_p95": (3478629, "ns"), "latency_max": (3660505, "ns"),
    }, 9, 100, 3, {}),
    # Status 0 is no answer.
    "vegeta-text": ("vegeta", VEGETA_TEXT, {
        "throughput": (65.87, "req/s"), "latency_p50": (108.272568, "ms"), "latency_min": (90.438129, "ms"),
    }, 9, 1200, 535, {}),
    # KB is a KiB; m is minutes; a password in the URL is dropped.
    "wrk": ("wrk", WRK, {
        "throughput": (1000.0, "req/s"), "requests": (120000, "req"), "transfer": (3.53, "MiB/s"),
        "latency_mean": (610.45, "us"), "latency_stdev": (1.02, "m"), "latency_max": (1.10, "m"),
    }, 6, 120000, 0, {
        "benchmark": "/hash?n=1", "endpoint": "hash", "host": "10.0.0.1:8080",
        "url": "http://10.0.0.1:8080/hash?n=1", "threads": 1, "connections": 1, "duration_s": 120.0,
    }),
    # 270 read errors, 64 time-outs and 5188 answers of another status.
    "wrk-flaky": ("wrk", "wrk/flaky_c64.txt", {}, 10, 25997, 5522, {"connections": 64}),
    # All timed out: 0.00us and -nan% are no data.
    "wrk-silent": ("wrk", "wrk/slow_all_timeout_c8.txt", {"transfer": (386.42, "B/s")}, 3, 16, 16, {}),
    # METRIC_P95 and P999 are new, in the ms that P50, P90, P99 and MAX confirm; the rest repeats.
    "wrk-lua": ("wrk", "wrk/json_t2_c50_d5s_lua.txt", {
        "latency_p95": (9.042, "ms"), "latency_p99.9": (23.053, "ms"), "latency_p50": (1.52, "ms"),
    }, 12, 165760, 0, {}),
    # Both distributions are kept under their own names.
    "wrk2": ("wrk", WRK2, {
        "latency_p50": (6.67, "ms"), "latency_p99.9": (12.1, "ms"), "latency_p100": (12.35, "ms"),
        "latency_uncorrected_p50": (1.67, "ms"), "transfer": (676.14, "KiB/s"),
    }, 10, 60017, 0, {}),
}  # fmt: skip


@pytest.mark.parametrize("case", KNOWN)
def test_known_runs(case: str) -> None:
    """Read off each file, or counted in it by jq, awk or grep."""
    format, text, some, count, operations, errors, axes = KNOWN[case]
    reading = read(format, text_of(text) if text in FORMATS else text)
    assert registry.choose(TextFile("x", (text_of(text) if text in FORMATS else text).splitlines())).name == format
    assert reading.problems == []
    measured = values(reading)
    assert {metric: measured[metric] for metric in some} == some
    assert len(reading.rows) == count
    assert set(counts(reading.rows.iterations)) == {operations}
    assert set(reading.rows.errors) == {errors}
    assert reading.configurations[0].items() >= axes.items()
    assert "secret" not in str(reading.configurations)


@pytest.mark.parametrize(
    ("case", "kinds", "timeouts"),
    [
        ("ab", ["closed-loop", "rounded"], ()),
        ("autocannon-silent", ["timeouts", "closed-loop"], (2, 2)),
        ("hey-silent", ["timeouts", "closed-loop"], (20, 20)),
        ("bombardier", ["timeouts", "closed-loop"], (6, 1000)),
        ("fortio", ["closed-loop", "rounded"], ()),
        ("fortio-rate", [], ()),
        ("vegeta", ["remark"], ()),
        ("wrk-flaky", ["timeouts", "closed-loop"], (64, 25997)),
        ("wrk2", [], ()),
    ],
)
def test_what_is_said_of_a_run(case: str, kinds: list[str], timeouts: tuple[int, ...]) -> None:
    """Time-outs are in no percentile; a set rate is no closed loop."""
    format, text, *_ = KNOWN[case]
    reading = read(format, text_of(text) if text in FORMATS else text)
    assert [series.kind for series in reading.series] == kinds
    assert [series.data for series in reading.series if series.kind == "timeouts"] == ([timeouts] if timeouts else [])


#: Format, file or text, what is changed in it, and the problem that then is all there is.
REFUSED = [
    ("ab", "ab/hash_c8.txt", "second:    7234.58", "second:    723.58", "723.58 requests a second"),
    ("ab", "ab/hash_c8.txt", "Failed requests:        0", "", "'Failed requests'"),
    ("ab", "ab/hash_c8.txt", "Complete requests:      2000", "Complete requests:      200", "requests a second"),
    ("ab", "ab/hash_c8.txt", "Concurrency Level:      8", "Concurrency Level:      ", "no line 'Concurrency Level'"),
    ("ab", "ab/hash_c8.txt", " 100%      4 (longest request)", "", "'100%'"),
    ("ab", "ab/hash_c8.txt", "Total:          0    1   0.5      1       4", "", "'Total:'"),
    ("hey", "hey/index_c4.txt", "[200]\t200 responses", "[200]\t20 responses", "20 requests in"),
    ("hey", "hey/index_c4.txt", "[200]\t200 responses", "[200]\t200 resp", "failures are unknown"),
    ("hey", "hey/index_c4.txt", "Status code distribution:", "", "no status codes"),
    ("hey", "hey/index_c4.txt", "Requests/sec:", "Requests:", "'Requests/sec'"),
    ("wrk", "wrk/flaky_c64.txt", "Requests/sec:   5191.18", "", "no line 'Requests/sec'"),
    ("wrk", "wrk/flaky_c64.txt", "Requests/sec:   5191.18", "Requests/sec:   519.18", "519.18 requests a second"),
    ("wrk", "wrk/flaky_c64.txt", "timeout 64", "timeo", "failures are unknown"),
    ("wrk", "wrk/flaky_c64.txt", "  2 threads and 64 connections", "", "no line 'threads and connections'"),
    ("wrk", "wrk/flaky_c64.txt", "http://127.0.0.1:18080/flaky", "http://[/flaky", "has an unreadable URL"),
    ("wrk", WRK.replace("1000.00", "0.00"), "120000 requests", "0 requests", "answered no request"),
    ("vegeta", json.dumps(VEGETA), '"success": 0.97', '"success": null', "success is missing; nothing was kept"),
    ("vegeta", json.dumps(VEGETA), '"success": 0.97', '"success": 1e308', "success is 1e+308, not a share from 0 to 1"),
    ("vegeta", VEGETA_TEXT, "1200, 120.00", "many, 120.00", "cannot be read; write the report again"),
    ("bombardier", json.dumps(BOMBARDIER), '"req2xx"', '"x"', "result.rps.mean or result.req2xx is missing"),
    ("fortio", json.dumps(FORTIO), '"Count"', '"x"', "DurationHistogram.Count is missing"),
    ("fortio", json.dumps(FORTIO), '"503": 10}}', "", "not JSON at column"),
    ("locust", "locust/run_stats.csv", "Failure Count", "Failed", "no column 'Failure Count'"),
]


@pytest.mark.parametrize(("format", "text", "old", "new", "message"), REFUSED)
def test_half_a_run_is_no_run(format: str, text: str, old: str, new: str, message: str) -> None:
    """Counts, time and rate must agree; without its failures or concurrency a run is no result."""
    text = text_of(text) if text in FORMATS else text
    assert old in text
    reading = read(format, text.replace(old, new))
    assert len(reading.rows) == 0
    assert any(message in problem for _, problem in reading.problems), reading.problems


@pytest.mark.parametrize(
    ("format", "texts"),
    [
        ("ab", [text_of("ab/hash_c8.txt")] * 2),
        ("autocannon", [text_of("autocannon/index_c4.json"), text_of("autocannon/missing_404.json")]),
        ("bombardier", [json.dumps(BOMBARDIER) + "\n"] * 2),
        ("fortio", [text_of("fortio/echo_c4.json"), text_of("fortio/failing_c2.json")]),
        ("hey", [text_of("hey/index_c4.txt"), text_of("hey/missing_404.txt")]),
        ("vegeta", [VEGETA_TEXT, VEGETA_TEXT.replace("0:535  200:665", "200:1200")]),
        ("wrk", [WRK + "unable to connect to 127.0.0.1:1 Connection refused\n", text_of("wrk/flaky_c64.txt")]),
    ],
)
def test_runs_of_one_file_keep_their_own_failures_and_axes(format: str, texts: list[str]) -> None:
    """Each on its own lines; one that was refused between them does not harm them."""
    first, second, both = (read(format, text) for text in (*texts, "".join(texts)))
    below = len(texts[0].splitlines())
    assert list(both.rows.value) == [*first.rows.value, *second.rows.value]
    assert list(both.rows.errors) == [*first.rows.errors, *second.rows.errors]
    assert list(both.rows.line) == [*first.rows.line, *(line + below for line in second.rows.line)]
    assert both.configurations == [*first.configurations, *second.configurations]
    assert both.problems == first.problems


def test_a_cut_run_below_others_is_a_problem_of_its_own() -> None:
    """The two above it are kept."""
    text = text_of("autocannon/index_c4.json") + text_of("autocannon/missing_404.json")
    reading = read("autocannon", text + text_of("autocannon/index_c4.json")[:500])
    assert (reading.lines.data, reading.lines.problem) == (2, 1)
    assert {line for line, _ in reading.problems} == {3}


# Requests one by one.


@pytest.mark.parametrize("text", [HITS, CSV_HITS])
def test_vegetas_hits(text: str) -> None:
    """A latency each, with its endpoint; what is neither 2xx nor 3xx failed."""
    assert registry.choose(TextFile("x", text.splitlines())).name == "vegeta"
    reading = read("vegeta", text)
    assert set(reading.rows.metric) == {"latency"}
    assert list(reading.rows.value) == [1_500_000.0] * len(text.splitlines())
    assert sum(reading.rows.errors) == 1
    assert reading.configurations[0]["endpoint"] == "cheap"
    assert reading.problems == []


def test_the_requests_of_ghz() -> None:
    """In ms; a status other than OK fails; a bad line is a problem."""
    reading = read("request-csv", f"{GHZ_CSV}x,OK,\n")
    assert (list(reading.rows.value), set(reading.rows.unit), list(reading.rows.errors)) == ([1.5, 2.5], {"ms"}, [0, 1])
    assert reading.problems == [(4, "column 'duration (ms)': 'x' is not a number; line skipped")]


def test_one_failed_request_does_not_fail_a_run(tmp_path: Path) -> None:
    """However many there are, each request is a row, and only the failed one is set apart."""
    count = 100_000
    lines = [f"{number + 1}.5,OK," for number in range(count - 1)]
    text = "\n".join(["duration (ms),status,error", *lines, "9e6,Unavailable,down"]) + "\n"
    (tmp_path / "calls.csv").write_text(text)
    results = load(tmp_path)
    assert (len(results.frame), results.frame["value"].max()) == (count - 1, pytest.approx((count - 0.5) * 1e-3))
    assert results.failed[["errors", "line"]].to_numpy().tolist() == [[1, count + 1]]
    [message] = [caveat.message for caveat in results.caveats if caveat.code == "failed-results"]
    assert message == f"calls: 1 of {count} values rest on failed operations and are left out"


def test_percentiles_keep_their_point() -> None:
    """``p25`` is 25 % and never 2.5 %; ``p99.9`` reads as it is meant."""
    names = [percentile_name(share) for share in (1, 2.5, 25, 97.5, 99.999)]
    assert names == ["latency_p1", "latency_p2.5", "latency_p25", "latency_p97.5", "latency_p99.999"]


# Text.


def test_a_duration_of_several_parts_is_kept_as_one(tmp_path: Path) -> None:
    """``1m0.05s`` has no one unit: its value is the seconds, its unit the notation; other times keep theirs."""
    (tmp_path / "run.txt").write_text(VEGETA_TEXT.replace("264.81ms", "1m0.05s").replace("0:535  200:665", "200:1200"))
    (tmp_path / "wrk.txt").write_text(WRK)
    frame = load(tmp_path / "run.txt").frame.set_index("metric")
    assert frame.loc["latency_max", ["value", "unit", "original_unit"]].tolist() == [60.05, "sec", "duration"]
    assert frame.loc["latency_mean", ["value", "unit", "original_unit"]].tolist() == [0.11317, "sec", "ms"]
    minutes = load(tmp_path / "wrk.txt").frame.set_index("metric").loc["latency_max"]
    assert minutes[["value", "unit", "original_unit"]].tolist() == [pytest.approx(66.0), "sec", "m"]


def test_failures_of_ab_count_once() -> None:
    """5 lost, 7 of another length of which at least 4 were answers of 404: 12 in all."""
    failures = "12\n   (Connect: 0, Receive: 3, Length: 7, Exceptions: 2)\nNon-2xx responses:      4"
    text = text_of("ab/hash_c8.txt").replace("Failed requests:        0", f"Failed requests:        {failures}")
    assert set(read("ab", text).rows.errors) == {12}


def test_a_run_that_ab_gave_up() -> None:
    """ab ends with an error and no summary: nothing was measured."""
    text = text_of("ab/hash_c8.txt").partition("Finished")[0]
    text += "apr_pollset_poll: The timeout specified has expired (70007)\nTotal of 12 requests completed\n"
    reading = read("ab", text)
    assert len(reading.rows) == 0
    assert "timeout specified has expired" in reading.problems[0][1]


def test_lua_percentiles_of_another_unit_are_refused() -> None:
    """A script that prints µs under the same names is not taken for ms, nor one that shows no unit."""
    text = text_of("wrk/json_t2_c50_d5s_lua.txt").replace("METRIC_P50: 1.517", "METRIC_P50: 1517.0")
    reading = read("wrk", text)
    assert "latency_p95" not in values(reading)
    assert [line for line, _ in reading.problems] == [18, 20]
    assert "METRIC_P95 is not in ms" in reading.problems[0][1]
    alone = read("wrk", f"{WRK}METRIC_P95: 9.042\nMETRIC_FOO: 1\n")
    assert [line for line, _ in alone.problems] == [9, 10]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("unable to connect to 127.0.0.1:18099 Connection refused", "start the server"),
        (
            "number of connections must be >= threads\nUsage: wrk <options>",
            "'number of connections must be >= threads'",
        ),
    ],
)
def test_output_of_wrk_without_a_run_is_recognised_and_explained(text: str, message: str) -> None:
    """wrk's refusal is wrk's output: no result, one problem that says what to do."""
    assert registry.named("wrk").recognise(TextFile("x", text.splitlines())) == "possible"
    reading = read("wrk", text)
    assert len(reading.rows) == 0
    assert message in reading.problems[0][1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # 3.04m cut from 3.04ms would be three minutes.
        (text_of("wrk/flaky_c64.txt").replace("3.04ms", "3.04m"), "latency_p90 of 3.04 m is above the largest latency"),
        (
            WRK2.replace("12.35ms", "12.50ms"),
            "latency_p100 of 12.5 ms is above the largest latency, 12.34 ms on line 5",
        ),
        (
            re.sub("(?m)^ .*(Latency  |Stdev).*\n", "", WRK2).replace("12.35ms", "30.50s"),
            "latency_p100 of 30.5 s is above the time of the run on line 17, '60017 requests in 30.01s, 19.81MB read'",
        ),
    ],
)
def test_a_percentile_beyond_the_largest_latency_is_left_out(text: str, message: str) -> None:
    """The line of the bound is named."""
    [(_, problem)] = read("wrk", text).problems
    assert problem.startswith(message)


def test_the_real_files_give_the_rows_counted_by_hand(shared_samples: Path) -> None:
    """By grep: 143 runs of wrk, 142 with latencies, each of 7 latency values, 3 totals; 23 values rest on failures.

    One Lua script adds 2 values; the two files without a run give a problem each. By awk: 496 requests of hey, and
    9,999 responses; the CSV holds only the last run's.
    """
    metrics: Counter[str | None] = Counter()
    runs = problems = failed = 0
    for folder in ("wrk", "wrk-sweep"):
        for path in sorted((shared_samples / folder).glob("*.txt")):
            reading = read("wrk", path.read_text(encoding="utf-8"))
            metrics.update(reading.rows.metric)
            runs += len(reading.configurations)
            problems += len(reading.problems)
            failed += sum(errors != 0 for errors in reading.rows.errors)
    assert (runs, problems, failed) == (143, 2, 23)
    assert metrics == {
        **dict.fromkeys(("throughput", "requests", "transfer"), 143),
        **dict.fromkeys(("latency_mean", "latency_stdev", "latency_max"), 142),
        **dict.fromkeys(("latency_p50", "latency_p75", "latency_p90", "latency_p99"), 142),
        "latency_p95": 1,
        "latency_p99.9": 1,
    }
    folder_of_hey = shared_samples / "other" / "hey"
    assert len(read("request-csv", (folder_of_hey / "hash_c8.csv").read_text(encoding="utf-8")).rows) == 496
    rows = read("hey", (folder_of_hey / "hash_c8.txt").read_text(encoding="utf-8")).rows
    assert (set(rows.iterations), len(rows)) == ({9999}, 11)


# oha and ghz as JSON.


def test_oha_counts_other_errors() -> None:
    """Refused connections and 5xx answers are failures, timeouts are told beside."""
    text = text_of("oha/hash_c8.json").replace('"200": 20224', '"200": 20000, "503": 224')
    reading = read("oha", text.replace("aborted due to deadline", "timeout"))
    assert set(reading.rows.errors) == {232}
    assert [series.data for series in reading.series if series.kind == "timeouts"] == [(8, 20232)]


def test_a_histogram_of_oha_holds_numbers_only() -> None:
    """A bar that is no count makes its document a problem; appended to another it costs that one nothing."""
    sound = text_of("oha/hash_c8.json").rstrip()
    mark = re.search(r'"responseTimeHistogram": \{\s*"([\d.]+)": \d+', sound)
    assert mark
    hostile = re.sub(rf'("{re.escape(mark[1])}": )\d+', r'\1{"": {}}', sound, count=1)
    reading = read("oha", f"{sound}\n{hostile}")
    assert [series.kind for series in reading.series].count("histogram") == 1
    [(_, message)] = reading.problems
    assert f"{mark[1]} is an object, not a number; nothing of the run was kept" in message


def test_ghz_keeps_every_call(tmp_path: Path) -> None:
    """By jq 1,000 calls in their order, all OK, on one line or pretty-printed; 12 values of the summary."""
    whole = json.loads(text_of("ghz/check_c4.json"))
    for indent in (None, 1):
        (tmp_path / "run.json").write_text(json.dumps(whole, indent=indent))
        frame = load(tmp_path / "run.json").frame
        calls = frame[frame["metric"] == "latency"]
        assert [round(value * 1e9) for value in calls["value"]] == [call["latency"] for call in whole["details"]]
        assert calls["position"].tolist() == list(range(1000))
        assert (calls["line"].nunique() == 1) == (indent is None)
        assert calls["line"].is_monotonic_increasing
        assert len(frame) == 1012
        assert frame[["workers", "benchmark"]].iloc[0].tolist() == [4, "grpc.health.v1.Health/Check"]


def test_ghz_sets_failed_calls_apart(tmp_path: Path) -> None:
    """Each failed call is a result of its own though all stand on one line; by the distribution the summary fails."""
    whole = json.loads(text_of("ghz/check_c4.json"))
    for index in (500, 501):
        whole["details"][index]["status"] = "Unavailable"
    (tmp_path / "run.json").write_text(json.dumps(whole))
    assert load(tmp_path / "run.json").failed["position"].tolist() == [500, 501]
    messages = {"rpc error: code = DeadlineExceeded": 1, "connection refused": 1}
    whole |= {"statusCodeDistribution": {"OK": 998, "Unavailable": 2}, "errorDistribution": messages}
    reading = read("ghz", json.dumps(whole))
    assert Counter(reading.rows.errors) == {0: 998, 1: 2, 2: 12}
    assert [series.data for series in reading.series if series.kind == "timeouts"] == [(1, 1000)]


# fio.

FIO = text_of("fio/randrw.json")


def fio_root() -> dict[str, Any]:
    root: dict[str, Any] = json.loads(FIO)
    return root


def test_jobs_of_one_name_are_numbered() -> None:
    """numjobs writes as many jobs of one name, which are no repeats: the axis job tells them apart."""
    assert [axes["job"] for axes in read("fio", FIO).configurations] == [1, 1, 2, 2]
    root = fio_root()
    root["jobs"] = root["jobs"][:1]
    assert all("job" not in axes for axes in read("fio", json.dumps(root)).configurations)


def test_fio_writes_warnings_and_appends_runs() -> None:
    """Each run is read with its own lines; the second may be cut, and says so."""
    alone = read("fio", FIO)
    text = f"fio: this platform does not support process shared mutexes\n{FIO.rstrip()}\nfio: a warning\n"
    assert registry.named("fio").recognise(TextFile("x", text.splitlines())) == "certain"
    twice = read("fio", text + FIO)
    assert twice.problems == []
    assert list(twice.rows.value) == [*alone.rows.value] * 2
    assert twice.rows.line[0] == alone.rows.line[0] + 1
    assert twice.rows.line[len(alone.rows)] == alone.rows.line[0] + len(text.splitlines())
    assert [series.kind for series in twice.series] == ["closed-loop"]
    cut = read("fio", text + FIO[: len(FIO) // 2])
    assert len(cut.rows) == len(alone.rows)
    [(_, message)] = cut.problems
    assert "the file is cut or damaged, write it again" in message


@pytest.mark.parametrize(("error", "errors"), [("5", None), ('5,\n      "total_err" : 7', 7)])
def test_a_job_of_fio_that_failed(error: str, errors: int | None) -> None:
    """fio stops at the first error and names its kind, so that all is lost; it counts them where it went on."""
    rows = read("fio", FIO.replace('"error" : 0', f'"error" : {error}', 1)).rows
    assert list(rows.errors[:44]) == (list(rows.iterations[:44]) if errors is None else [errors] * 44)


def test_whole_latencies_where_fio_was_asked_for_them() -> None:
    """With lat_percentiles=1 the percentiles stand below ``lat_ns``."""
    text = FIO.replace('"clat_ns"', '"x"').replace('"lat_ns"', '"clat_ns"').replace('"x"', '"lat_ns"')
    assert read("fio", text).rows.value[:22] == read("fio", FIO).rows.value[:22]


def test_a_file_of_fio_before_version_3_is_refused() -> None:
    """It has no bw_bytes; what to do is said."""
    reading = read("fio", FIO.replace('"bw_bytes"', '"x"'))
    assert len(reading.rows) == 0
    message = "is missing, which fio writes since 3.0; it was not kept; write the file again"
    assert reading.problems[0][1] == f"read.bw_bytes {message}"


def test_a_latency_that_fio_did_not_take_is_none() -> None:
    """With disable_clat=1 the completion is all zeros: the whole latency is there, and never a time of 0."""
    root = fio_root()
    part = root["jobs"][0]["read"]
    part["clat_ns"] = {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0}
    assert values(read("fio", json.dumps(root)))["latency_mean"][0] == part["lat_ns"]["mean"]
    part["lat_ns"] = part["clat_ns"]
    assert list(values(read("fio", json.dumps(root)))) == ["throughput", "operations", "transfer"]


@pytest.mark.parametrize("option", ["rate", "rate_iops", "rate_process"])
def test_only_a_rate_opens_the_loop_of_fio(option: str) -> None:
    """A job waits for an operation before it starts the next, unless all were told to go by the clock."""
    for options, is_closed in (
        ([("global options", "100")], False),
        ([("job options", "100")], True),
        ([("job options", "100"), ("job options", "100")], False),
        ([("global options", "0")], True),
    ):
        root = fio_root()
        for index, (where, rate) in enumerate(options):
            holder = root if where == "global options" else root["jobs"][index]
            holder.setdefault(where, {})[option] = rate
        kinds = [series.kind for series in read("fio", json.dumps(root)).series]
        assert kinds == (["closed-loop"] if is_closed else []), options


def test_directions_that_fio_reports_together() -> None:
    """unified_rw_reporting writes ``mixed``."""
    root = fio_root()
    job = root["jobs"][0]
    root["jobs"] = [{key: job[key] for key in job if key not in ("read", "write", "trim")} | {"mixed": job["read"]}]
    reading = read("fio", json.dumps(root))
    assert [axes["operation"] for axes in reading.configurations] == ["mixed"]
    assert len(reading.rows) == 22


# artillery.


@pytest.mark.parametrize(("report", "metrics", "failed"), [(ARTILLERY, 11, 10), (ARTILLERY_1, 7, 0)])
def test_a_report_of_artillery_is_one_run(report: dict[str, Any], metrics: int, failed: int) -> None:
    """Of version 2 and 1: answers with an error status and errors are failures of the whole run; its load is open."""
    reading = read("artillery", json.dumps(report))
    assert set(reading.rows.errors) == {failed}
    assert (len(reading.rows), set(reading.rows.iterations)) == (metrics, {300})
    assert values(reading)["latency_p95"] == (12.1, "ms")
    assert values(reading)["latency_p50"] == (4, "ms")
    assert values(reading)["throughput"] == (10, "req/s")
    assert not any(series.kind == "closed-loop" for series in reading.series)
    assert not reading.problems


def test_a_report_of_artillery_without_requests_is_a_problem() -> None:
    """Nothing was measured."""
    reading = read("artillery", json.dumps({"aggregate": {"counters": {"vusers.created": 3}}, "intermediate": []}))
    assert reading.problems == [(1, "made no request; nothing was kept; run artillery again")]


# locust.

LOCUST = text_of("locust/run_stats.csv").splitlines()


def test_each_name_of_locust_is_a_benchmark_and_so_is_their_sum() -> None:
    """Three names of 15 values, and the row of all, which is of no endpoint; 124 of 594 requests of one failed."""
    reading = read("locust", "\n".join(LOCUST))
    names = ["/cheap", "/flaky", '/json [µ,"q"]', "Aggregated"]
    assert [axes["benchmark"] for axes in reading.configurations] == names
    assert reading.configurations[-1] == {"benchmark": "Aggregated"}
    assert len(reading.rows) == 60
    failures = dict(zip(reading.rows.name, reading.rows.errors, strict=True))
    assert failures == dict(zip(names, [0, 124, 0, 124], strict=True))
    assert values(reading, 1)["latency_p99.9"] == (3000, "ms")


def test_the_history_of_locust_is_a_timeline() -> None:
    """No row, one series a name; every line is context. A header alone says what is missing."""
    text = text_of("locust/run_stats_history.csv")
    reading = read("locust", text)
    assert len(reading.rows) == 0
    assert reading.lines.context == len(text.splitlines())
    assert {series.name for series in reading.series} == {"Aggregated", "/cheap", "/flaky", '/json [µ,"q"]'}
    assert sum(len(series.data) for series in reading.series) == len(text.splitlines()) - 1
    alone = read("locust", text.splitlines()[0])
    assert alone.problems == [(0, "the history has no second in it; run locust again")]


def test_wrong_cells_of_locust_are_problems() -> None:
    """A word for a number, a missing field, and a name without a request; ``N/A`` is missing."""
    broken = [LOCUST[1].replace("1676", "x", 1), LOCUST[2].rpartition(",")[0], LOCUST[3].replace("585", "0", 1)]
    reading = read("locust", "\n".join([LOCUST[0], *broken]))
    assert len(reading.rows) == 0
    assert [line for line, _ in reading.problems] == [0, 2, 3, 4]
    cells = LOCUST[1].split(",")
    cells[LOCUST[0].split(",").index("50%")] = "N/A"
    assert "latency_p50" not in values(read("locust", f"{LOCUST[0]}\n{','.join(cells)}"))


def test_failures_of_locust_are_remarks() -> None:
    """The other two files of a run hold no measurement and are no unknown format."""
    text = "Method,Name,Error,Occurrences\nGET,/flaky,HTTPError(500),124"
    assert registry.choose(TextFile("x", text.splitlines())).name == "locust"
    reading = read("locust", text)
    assert reading.lines.context == 2
    assert reading.series[0].data == ("GET", "/flaky", "HTTPError(500)", "124")


# JMeter.

GOOD = [f"{number},{10 + number},Home,200,true," for number in range(2, 6)]
OPEN_QUOTE = "a quote is left open; line skipped"
STRAY_QUOTE = "a quote inside a field is never closed; read as a part of its text"
TRACE = [f'at a.b.C{number}("")' if number % 2 else f"caused by: x, y, {number}" for number in range(300)]


def test_each_request_of_jmeter_is_a_sample_and_failures_are_apart() -> None:
    """awk over plan.jtl: 40 sound Home, 40 failed Missing, 40 failed Refused, 765 ms in all."""
    results = load(DATA / "jmeter" / "plan.jtl")
    assert Counter(results.frame["benchmark"]) == {"Home": 40}
    assert Counter(results.failed["benchmark"]) == {"Missing": 40, "Refused": 40}
    total = results.frame["value"].sum() + results.failed["value"].sum()
    assert round(total * 1000) == 765
    assert [caveat.code for caveat in results.caveats] == ["failed-results", "failed-results", "closed-loop"]


@pytest.mark.parametrize(
    ("lines", "times", "context", "problems"),
    [
        # A quoted message with line ends is one request; its further lines are context.
        (['1,12,Home,500,false,"expected 200', 'found 500"', "2,13,Home,200,true,"], [12, 13], 2, []),
        (['1,12,Home,500,false,"expected ""200""', "", *TRACE, 'found 500"', *GOOD], [12, 12, 13, 14, 15], 303, []),
        # Too few fields, an elapsed that is no time.
        (["1,12,Ho", *GOOD], [12, 13, 14, 15], 1, [(2, "3 fields where the header has 6; line skipped")]),
        (["1,x,Home,200,true,", *GOOD], [12, 13, 14, 15], 1, [(2, "elapsed is 'x'; line skipped")]),
        (["1,-4,Home,200,true,", *GOOD], [12, 13, 14, 15], 1, [(2, "elapsed is '-4'; line skipped")]),
        # A stray quote takes its own line alone, wherever the next quote stands.
        (['1,1,Home,200,true,"', *GOOD], [12, 13, 14, 15], 1, [(2, OPEN_QUOTE)]),
        (
            ['1,12,Home,500,false,"oops', *GOOD, '9,19,Home,200,true,"'],
            [12, 13, 14, 15],
            1,
            [(2, OPEN_QUOTE), (7, OPEN_QUOTE)],
        ),
        (['1,1,Home,500,false,"oops', *GOOD, '9,19,Home,500,false,"late"'], [12, 13, 14, 15, 19], 1, [(2, OPEN_QUOTE)]),
        (
            ['1,1,Home,500,false,"oops', *GOOD, '9,19,Home,200,true,x"'],
            [12, 13, 14, 15, 19],
            1,
            [(2, OPEN_QUOTE), (7, STRAY_QUOTE)],
        ),
        # Two of them joined would be one record of the right width; the second line begins like a request.
        (['1,12,Home,500,false,"oops', '2,13,Home,200,true,"'], [], 1, [(2, OPEN_QUOTE), (3, OPEN_QUOTE)]),
        # Where the line has all of its fields, the quote is a part of the text.
        (
            ['1,12,Ho"me,200,true,', *GOOD, '9,19,Ho"me,200,true,'],
            [12, 12, 13, 14, 15, 19],
            1,
            [(2, STRAY_QUOTE), (7, STRAY_QUOTE)],
        ),
        # Lines that a quote would join are no record: each is judged alone.
        (
            ['1,12,Home,500,false,"oops', "stack", 'end",one,two', *GOOD],
            [12, 13, 14, 15],
            1,
            [
                (2, OPEN_QUOTE),
                (3, "1 fields where the header has 6; line skipped"),
                (4, "3 fields where the header has 6; line skipped"),
            ],
        ),
    ],
)
def test_lines_of_jmeter(lines: list[str], times: list[float], context: int, problems: list[tuple[int, str]]) -> None:
    """What each line is worth below a header that is context."""
    header = "timeStamp,elapsed,label,responseCode,success,failureMessage"
    reading = registry.named("jmeter").read(TextFile("x.jtl", [header, *lines]))
    assert list(reading.rows.value) == times
    assert reading.lines.context == context
    assert [problem for problem in reading.problems if problem[0]] == problems


XML = """\
<?xml version="1.0" encoding="UTF-8"?>
<testResults version="1.2">
<httpSample t="120" it="0" lt="100" ct="5" ts="1509440001" s="true" lb="Home &amp; away" rc="200" rm="OK" by="190"/>
<httpSample t="300" it="0" lt="90" ct="5" ts="1509440002" s="true" lb="Login" rc="200" rm="OK" by="190">
  <httpSample t="100" it="0" lt="90" ct="5" ts="1509440002" s="true" lb="Login-0" rc="302" rm="Found" by="90"/>
  <httpSample t="190" it="0" lt="90" ct="0" ts="1509440003" s="true" lb="Login-1" rc="200" rm="OK" by="100">
    <java.net.URL>http://127.0.0.1/x</java.net.URL>
  </httpSample>
  <responseData class="java.lang.String">&lt;sample t="9"&gt;</responseData>
</httpSample>
<sample t="7" ts="1509440004" s="false" lb="Login" rc="500" rm="Error"/>
<sample t="x" ts="1509440004" s="true" lb="Login"/>
</testResults>
"""


@pytest.mark.parametrize(
    ("threads", "levels"),
    [
        ((10, 20, 40), ["10", "20", "40"]),  # held one after another
        ((10, 20, 10), []),  # a level comes again: threads end
        ((10, 20), []),
    ],
)
def test_loads_of_jmeter_that_were_held_are_levels(threads: tuple[int, ...], levels: list[str]) -> None:
    """Pooled, they would be repeats of one load."""
    lines = [f"{1700000000000 + at},5,get,true,{level}" for level in threads for at in range(20)]
    reading = read("jmeter", "\n".join(["timeStamp,elapsed,label,success,allThreads", *lines]))
    samples = [f'<httpSample t="5" lb="get" s="true" na="{level}"/>' for level in threads for _ in range(20)]
    for way in (reading, read("jmeter", "\n".join(["<testResults>", *samples, "</testResults>"]))):
        assert [axes["threads"] for axes in way.configurations if "threads" in axes] == levels
        assert len(way.rows) == len(lines)


def test_xml_of_jmeter_is_read_request_by_request() -> None:
    """The time of a request holds that of its redirects, which are no requests beside it; failures are apart."""
    assert registry.named("jmeter").recognise(TextFile("x.jtl", XML.splitlines())) == "certain"
    reading = read("jmeter", XML)
    assert [axes["benchmark"] for axes in reading.configurations] == ["Home & away", "Login"]
    assert list(zip(reading.rows.value, reading.rows.errors, strict=True)) == [(120, 0), (300, 0), (7, 1)]
    assert reading.problems == [(12, "'x' is not a number; request skipped")]
    assert (reading.lines.data, reading.lines.context) == (3, 2)


def test_xml_of_jmeter_that_was_cut_says_so() -> None:
    """In the middle of a request."""
    reading = read("jmeter", XML[: XML.index("    <java.net")])
    assert reading.problems == [(0, "the last request is not closed: was the file cut? run the test plan again")]


def test_the_console_of_autocannon_is_read_and_is_not_wrk() -> None:
    """Its tables, connections and counts; latencies of 0 ms are below what it prints, and say nothing."""
    text = text_of("autocannon/console.txt")
    file = TextFile("c8.txt", text.split("\n"))
    assert registry.choose(file).name == "autocannon-text"
    reading = registry.choose(file).read(file)
    assert reading.problems == []
    rows = {reading.rows.metric[row]: reading.rows.value[row] for row in range(len(reading.rows))}
    expected = {"throughput": 2350, "transfer": 1.08, "latency_p50": 390, "latency_p99": 1020, "latency_mean": 435.39}
    assert {metric: rows[metric] for metric in expected} == pytest.approx(expected)
    assert reading.configurations[0]["connections"] == 8
    zero = TextFile("c8.txt", text.replace("390 ms", "0 ms  ").split("\n"))
    assert "latency_p50" not in set(registry.choose(zero).read(zero).rows.metric.levels)


@pytest.mark.parametrize(
    ("written", "damaged", "message", "rows"),
    [
        ("9k requests in 2.01s, 2.16 MB read", "", "it has no line 'N requests in T'", 0),
        ("│ 1020 ms │", "│ 1020 MB │", "is no latency; line skipped", 2),
        ("│ 1081 ms │", "│", "7 cells where the head has 8", 2),
    ],
)
def test_a_console_of_autocannon_that_is_cut_is_a_problem(written: str, damaged: str, message: str, rows: int) -> None:
    """Nothing of a run without its counts is kept, nor a row of other cells."""
    text = text_of("autocannon/console.txt")
    assert written in text
    file = TextFile("c8.txt", text.replace(written, damaged).split("\n"))
    reading = registry.choose(file).read(file)
    assert any(message in problem for _, problem in reading.problems)
    assert len(reading.rows) == rows


def test_failures_on_the_console_of_autocannon_are_counted() -> None:
    """What is not 2xx, and errors, of the requests: all values are of a run that failed in part."""
    text = text_of("autocannon/console.txt").replace(
        "9k requests", "4k 2xx responses, 5k non 2xx responses\n9k requests"
    )
    file = TextFile("c8.txt", (text + "1k errors (3 timeouts)\n").split("\n"))
    rows = registry.choose(file).read(file).rows
    assert {(rows.iterations[row], rows.errors[row]) for row in range(len(rows))} == {(10_000, 6_000)}


def test_the_console_of_fio_is_read() -> None:
    """Each direction of a job with its options; completion latency, whose unit may be another than its percentiles'."""
    results = load(DATA / "fio" / "console.txt")
    assert results.problems == ()
    frame = results.frame
    assert set(frame["iodepth"]) == {4}
    assert set(frame["bs"]) == {"4096B"}
    reads, writes = (
        frame[frame["operation"] == operation].set_index("metric")["value"] for operation in ("read", "write")
    )
    expected = {
        "throughput": 15_900, "transfer": 61.9 * 2**20, "latency_mean": 95.9205e-6, "latency_max": 30.32e-3,
        "latency_p50": 87e-6, "latency_p99": 215e-6, "latency_p99.9": 1045e-6,
    }  # fmt: skip
    assert {metric: reads[metric] for metric in expected} == pytest.approx(expected)
    assert (writes["throughput"], writes["latency_mean"]) == pytest.approx((950, 93.9e-6))


def test_a_job_of_fio_that_ended_in_an_error_is_set_apart() -> None:
    """Its console names the error."""
    text = text_of("fio/console.txt").replace("err= 0", "err=28 (file:io_u.c:1846, func=io_u error)")
    file = TextFile("a.txt", text.split("\n"))
    rows = registry.choose(file).read(file).rows
    assert set(rows.errors) == {1.0}
