"""vegeta and bombardier, from their documentation since neither could be run here; and fortio."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchlib.formats import load, registry
from benchlib.formats import load_generators as readers
from benchlib.formats.reader import Reader, Reading, TextFile

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
CSV = "1763622000000000000,{code},{latency},0,5,,aGVsbG8=,a,{seq},GET,http://localhost:8080/cheap,\n"
BOMBARDIER: dict[str, Any] = {
    "spec": {"numberOfConnections": 125, "testType": "timed", "testDurationSeconds": 10, "method": "GET",
             "url": "http://localhost:8080/cheap", "client": "fasthttp"},
    "result": {"bytesRead": 1000, "bytesWritten": 500, "timeTakenSeconds": 10.0, "req1xx": 0, "req2xx": 990,
               "req3xx": 0, "req4xx": 4, "req5xx": 0, "others": 6, "errors": [{"description": "timeout", "count": 6}],
               "latency": {"mean": 1270.5, "stddev": 20.0, "max": 9000, "percentiles": {"50": 1200, "99": 4500}},
               "rps": {"mean": 99.5, "stddev": 3.0, "max": 120.0, "percentiles": {"50": 99}}},
}  # fmt: skip
FORTIO: dict[str, Any] = {
    "RunType": "HTTP", "RequestedQPS": "max", "ActualQPS": 299.5, "NumThreads": 4, "URL": "http://localhost:8080/cheap",
    "DurationHistogram": {"Count": 3000, "Min": 0.001, "Max": 0.09, "Avg": 0.013, "StdDev": 0.002,
                          "Percentiles": [{"Percentile": 50, "Value": 0.012}, {"Percentile": 99.9, "Value": 0.08}]},
    "RetCodes": {"200": 2990, "503": 10},
}  # fmt: skip
DOCUMENTS: list[tuple[Reader, str]] = [
    (readers.VEGETA, json.dumps(VEGETA)),
    (readers.VEGETA, VEGETA_TEXT),
    (
        readers.VEGETA,
        "\n".join(json.dumps({**HIT, "seq": one, "code": code}) for one, code in enumerate((200, 302, 0))),
    ),
    (
        readers.VEGETA,
        "".join(CSV.format(code=code, latency=1_500_000, seq=one) for one, code in enumerate((200, 500))),
    ),
    (readers.BOMBARDIER, json.dumps(BOMBARDIER)),
    (readers.FORTIO, json.dumps(FORTIO)),
]


def file(text: str) -> TextFile:
    """Text as a reader is given it."""
    return TextFile("run.txt", text.splitlines())


def values(reading: Reading) -> dict[str, tuple[float, str]]:
    """Its values with their units, by metric."""
    rows = reading.rows
    written = [str(one) for one in rows.unit]
    return {str(metric): (value, unit) for metric, value, unit in zip(rows.metric, rows.value, written, strict=True)}


@pytest.mark.parametrize(("reader", "text"), DOCUMENTS)
def test_it_is_recognised_and_counted(reader: Reader, text: str) -> None:
    """One reader is sure of it, it holds values, and nothing of it is a problem."""
    assert registry.choose(file(text)).name == reader.name
    reading = reader.read(file(text))
    assert len(reading.rows)
    assert reading.problems == []


def test_vegetas_report() -> None:
    """Nanoseconds; throughput of successes; 3 of 100 failed."""
    reading = readers.VEGETA.read(file(json.dumps(VEGETA)))
    found = values(reading)
    assert found["throughput"] == (98.0, "req/s")
    assert found["latency_p95"] == (3478629, "ns")
    assert found["latency_max"] == (3660505, "ns")
    assert set(reading.rows.errors) == {3}
    assert set(reading.rows.iterations) == {100}


def test_vegetas_text() -> None:
    """The labels in brackets say which latency is which; status 0 is no answer."""
    reading = readers.VEGETA.read(file(VEGETA_TEXT))
    found = values(reading)
    assert found["throughput"][0] == 65.87
    assert found["latency_p50"] == (108.272568, "ms")
    assert found["latency_min"] == (90.438129, "ms")
    assert set(reading.rows.errors) == {535}
    counts = reading.lines
    assert (counts.data, counts.context, counts.noise) == (3, 4, 2)


def test_a_duration_of_several_parts_is_kept_as_one(tmp_path: Path) -> None:
    """``1m0.05s`` has no one unit: its value is the seconds, its unit the notation; other times keep theirs."""
    (tmp_path / "run.txt").write_text(VEGETA_TEXT.replace("264.81ms", "1m0.05s").replace("0:535  200:665", "200:1200"))
    frame = load(tmp_path).frame.set_index("metric")
    assert frame.loc["latency_max", ["value", "unit", "original_unit"]].tolist() == [60.05, "sec", "duration"]
    assert frame.loc["latency_mean", ["value", "unit", "original_unit"]].tolist() == [0.11317, "sec", "ms"]


def test_two_reports_in_a_file_keep_their_own_failures() -> None:
    """The first failed more than half its requests, the second none: neither speaks for the other."""
    clean = VEGETA_TEXT.replace("0:535  200:665", "200:1200")
    reading = readers.VEGETA.read(file(VEGETA_TEXT + clean))
    lines = len(VEGETA_TEXT.splitlines())
    failures = dict(zip(reading.rows.line, reading.rows.errors, strict=True))
    assert failures == {1: 535, lines + 1: 0}


@pytest.mark.parametrize("text", [DOCUMENTS[2][1], DOCUMENTS[3][1]])
def test_vegetas_hits(text: str) -> None:
    """A latency each, with its endpoint; what is neither 2xx nor 3xx failed."""
    reading = readers.VEGETA.read(file(text))
    assert set(reading.rows.metric) == {"latency"}
    assert list(reading.rows.value) == [1_500_000.0] * len(text.splitlines())
    assert sum(reading.rows.errors) == 1
    assert reading.configurations[0]["endpoint"] == "cheap"


def test_bombardiers_result() -> None:
    """Microseconds; 4xx and unanswered requests failed; time-outs are told."""
    reading = readers.BOMBARDIER.read(file(json.dumps(BOMBARDIER)))
    found = values(reading)
    assert found["throughput"] == (99.5, "req/s")
    assert found["latency_p99"] == (4500, "us")
    assert found["requests"] == (1000, "req")
    assert set(reading.rows.errors) == {10}
    assert reading.configurations[0]["connections"] == 125
    assert {one.kind for one in reading.series} == {"timeouts", "closed-loop"}


def test_fortios_result() -> None:
    """Seconds, percentiles by their number, failures by their code."""
    reading = readers.FORTIO.read(file(json.dumps(FORTIO)))
    found = values(reading)
    assert found["latency_p50"] == (0.012, "s")
    assert found["latency_p99.9"] == (0.08, "s")
    assert set(reading.rows.errors) == {10}
    assert [one.kind for one in reading.series] == ["closed-loop"]
    paced = readers.FORTIO.read(file(json.dumps({**FORTIO, "RequestedQPS": "300"})))
    assert paced.series == []
    assert paced.configurations[0]["rate"] == "300"


@pytest.mark.parametrize(
    ("reader", "text", "said"),
    [
        (
            readers.VEGETA,
            json.dumps({**VEGETA, "success": None}),
            "requests or success is missing; nothing was kept",
        ),
        (
            readers.VEGETA,
            VEGETA_TEXT.replace("1200, 120.00", "many, 120.00"),
            "cannot be read; write the report again",
        ),
        (
            readers.BOMBARDIER,
            json.dumps({**BOMBARDIER, "result": {"req2xx": 1}}),
            "result.rps.mean or result.req2xx is missing",
        ),
        (
            readers.FORTIO,
            json.dumps({"ActualQPS": 5, "DurationHistogram": {}}),
            "DurationHistogram.Count is missing",
        ),
        (readers.FORTIO, json.dumps(FORTIO)[:-40], ""),
    ],
)
def test_what_is_cut_or_mistyped_is_a_problem(reader: Reader, text: str, said: str) -> None:
    """Never silence, and no half a run."""
    reading = reader.read(file(text))
    assert len(reading.rows) == 0
    assert any(said in message for _, message in reading.problems)
