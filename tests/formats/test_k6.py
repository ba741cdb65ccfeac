"""Summaries and measurements of k6."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchlib.formats.k6 import K6_POINTS, K6_SUMMARY, K6_TEXT
from benchlib.formats.reader import Reading, TextFile

DATA = Path(__file__).parents[1] / "data" / "k6"


def text_of(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


def read(name: str, text: str | None = None) -> Reading:
    reader = K6_POINTS if name.startswith("points") else K6_SUMMARY if name.endswith(".json") else K6_TEXT
    return reader.read(TextFile(name, (text_of(name) if text is None else text).splitlines()))


def values(reading: Reading) -> dict[str | None, tuple[float, str]]:
    rows = reading.rows
    return dict(zip(rows.metric, zip(rows.value, rows.unit, strict=True), strict=True))


def test_text_and_export_of_one_run_agree() -> None:
    """Every value of the text is that of the JSON, to the digits the text has (k6 rounds 12.4 kB up to 13)."""
    scale = {"ms": 1.0, "µs": 1e-3, "s": 1e3, "kB/s": 1e3}
    text, document = values(read("compact.txt")), values(read("export.json"))
    assert set(text) == set(document)
    for metric, (value, unit) in text.items():
        assert document[metric][0] == pytest.approx(value * scale.get(unit, 1.0), rel=0.05), metric


@pytest.mark.parametrize("name", ["open_dropped.json", "open_dropped.txt"])
def test_an_open_loop_is_not_called_closed(name: str) -> None:
    """Dropped iterations show an arrival rate; 3 of 3 requests failed."""
    reading = read(name)
    assert set(reading.rows.errors) == {3}
    assert (reading.configurations, reading.series) == ([{"workers": 1}], [])


@pytest.mark.parametrize("metric", ["http_req_failed", "iterations"])
def test_a_summary_without_its_failures_is_refused(metric: str) -> None:
    """A text cut before them is no result."""
    lines = [line for line in text_of("compact.txt").splitlines() if not line.lstrip().startswith(metric)]
    reading = read("compact.txt", "\n".join(lines))
    assert len(reading.rows) == 0
    assert "cut off" in reading.problems[0][1]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        # Failed checks count where no request failed: the larger of the two, not their sum.
        ("export.json", '"passes": 2,\n            "fails": 20', '"passes": 0,\n            "fails": 22'),
        # Before version 0.50 a tick stood before the failed requests of http_req_failed.
        ("legacy.txt", "9.09%  2 out of 22", "9.09% ✓ 2 ✗ 20"),
    ],
)
def test_failures_are_counted_as_each_version_writes_them(name: str, old: str, new: str) -> None:
    """2 of 22 either way."""
    text = text_of(name)
    assert old in text
    assert set(read(name, text.replace(old, new)).rows.errors) == {2}


def test_long_times_are_read() -> None:
    """``1m2.5s`` is 62.5 s."""
    text = text_of("compact.txt").replace("max=44.09ms", "max=1m2.5s", 1)
    assert values(read("compact.txt", text))["latency_max"] == (62.5, "s")


def test_single_requests() -> None:
    """By grep: 22 latencies of which 2 failed, and 20 values of each own trend (JSON alone says which)."""
    document, table = read("points.json"), read("points.csv")
    assert document.rows.metric.count("body_size") == document.rows.metric.count("think_time") == 20
    latencies = []
    for reading in (document, table):
        columns = zip(reading.rows.metric, reading.rows.name, reading.rows.value, reading.rows.errors, strict=True)
        requests = [(name, value, errors) for metric, name, value, errors in columns if metric == "latency"]
        assert (len(requests), sum(errors for *_, errors in requests)) == (22, 2)
        assert {name for name, *_ in requests} == {"/index.html", "/missing"}
        assert [series.data for series in reading.series if series.kind == "failed-checks"] == [(2, 22)]
        latencies.append([value for _, value, _ in requests])
    assert latencies[0] == pytest.approx(latencies[1], abs=1e-6)


def test_named_requests_are_one_benchmark() -> None:
    """A script that groups URLs by a name has that name as benchmark, and no single URL."""
    line = (
        '{"metric":"http_req_duration","type":"Point","data":{"time":"t","value":1.5,"tags":{"expected_response":"true",'
        '"method":"GET","name":"user","url":"http://h/users/1","scenario":"peak","group":"::login"}}}'
    )
    assert read("points.json", line).configurations == [
        {"benchmark": "user", "endpoint": "users/1", "host": "h", "method": "GET", "scenario": "peak", "group": "login"}
    ]


def point(metric: str, value: float, **tags: str) -> str:
    data = {"time": "t", "value": value, "tags": {"name": "a", "method": "GET", **tags}}
    return json.dumps({"metric": metric, "type": "Point", "data": data})


@pytest.mark.parametrize(
    ("tags", "failed"),
    [
        ({"status": "200"}, 0),
        ({"status": "399"}, 0),
        ({"status": "404"}, 1),
        ({"status": "503", "expected_response": ""}, 1),
        ({"status": "0"}, 1),
        ({"error_code": "1050"}, 1),
        ({"error": "dial: connection refused"}, 1),
        ({"status": "404", "expected_response": "true"}, 0),
        ({"status": "404", "expected_response": "true", "error_code": "1404"}, 0),
        ({"status": "200", "expected_response": "false"}, 1),
        ({}, 0),
    ],
)
def test_a_request_fails_by_its_status_unless_the_script_expected_it(tags: dict[str, str], failed: int) -> None:
    """Without ``expected_response`` a status of 4xx or 5xx, none at all, or an error is a failed request."""
    assert list(read("points.json", point("http_req_duration", 1.5, **tags)).rows.errors) == [failed]
    header = "metric_name,timestamp,metric_value,error,error_code,expected_response,method,name,status"
    cells = [tags.get(tag, "") for tag in ("error", "error_code", "expected_response")]
    row = ",".join(["http_req_duration", "1", "1.5", *cells, "GET", "a", tags.get("status", "")])
    assert list(read("points.csv", f"{header}\n{row}").rows.errors) == [failed]


@pytest.mark.parametrize(("status", "failed"), [("0", 0), ("14", 1)])
def test_a_grpc_status_is_no_http_status(status: str, failed: int) -> None:
    """0 is OK, any other status a failure."""
    assert list(read("points.json", point("grpc_req_duration", 1.5, status=status)).rows.errors) == [failed]


def test_a_line_that_cannot_be_read_is_one_problem() -> None:
    """A cut line; a status that is no number, so that nobody can tell whether the request failed."""
    lines = text_of("points.json").splitlines()
    lines[3] = lines[3][:80]
    reading = read("points.json", "\n".join(lines))
    assert [line for line, _ in reading.problems] == [4]
    assert reading.rows.metric.count("latency") == 21
    reading = read("points.json", point("http_req_duration", 1.5, status="OK"))
    assert reading.problems == [(1, "status is 'OK', not a number; line skipped")]
    assert not len(reading.rows)


def test_own_counters_and_rates_of_points_are_added_up() -> None:
    """A counter's increments become its count, a rate's outcomes its share; a gauge is context."""
    metrics = {"jobs": "counter", "won": "rate", "queue": "gauge"}
    declared = [
        json.dumps({"type": "Metric", "data": {"name": name, "type": type_, "contains": "default"}, "metric": name})
        for name, type_ in metrics.items()
    ]
    points = [point("jobs", 2), point("won", 1), point("jobs", 3), point("won", 0), point("queue", 9)]
    reading = read("points.json", "\n".join([*declared, *points]))
    assert values(reading) == {"jobs_count": (5.0, ""), "won": (0.5, "")}
    assert list(reading.rows.line) == [4, 5]
    assert list(reading.rows.iterations) == [2, 2]
    assert (reading.lines.data, reading.lines.context) == (4, 4)


def test_own_metrics_of_a_summary_keep_what_they_state() -> None:
    """A counter has count and rate, one of bytes a rate of bytes, a rate its share, a gauge its value."""
    root = json.loads(text_of("handle_summary.json"))
    for name, type_, contains, statistics in (
        ("jobs", "counter", "default", {"count": 40, "rate": 99.5}),
        ("sent", "counter", "data", {"count": 4096, "rate": 512}),
        ("done", "counter", "default", {"count": 7}),
        ("won", "rate", "default", {"rate": 0.5, "passes": 1, "fails": 1}),
        ("queue", "gauge", "default", {"value": 3, "min": 1, "max": 9}),
    ):
        root["metrics"][name] = {"type": type_, "contains": contains, "values": statistics}
    measured = values(read("handle_summary.json", json.dumps(root)))
    expected = {
        "jobs_count": (40.0, ""), "jobs_rate": (99.5, "/s"), "sent_count": (4096.0, "B"), "sent_rate": (512.0, "B/s"),
        "done_count": (7.0, ""), "won": (0.5, ""), "queue": (3.0, ""), "queue_max": (9.0, ""),
    }  # fmt: skip
    assert {metric: measured[metric] for metric in expected} == expected
    assert "done_rate" not in measured
    line = "    jobs...................................: 40     99.500000/s\n    body_size."
    printed = values(read("compact.txt", text_of("compact.txt").replace("    body_size.", line, 1)))
    assert (printed["jobs_count"], printed["jobs_rate"]) == ((40.0, ""), (99.5, "/s"))


def test_two_legacy_summaries_are_two_runs() -> None:
    """A metric that stands again begins another run, though nothing is printed between them."""
    once = read("legacy.txt")
    metrics = "\n".join(line for line in text_of("legacy.txt").split("\n") if "..." in line)
    twice = read("legacy.txt", f"{metrics}\n{metrics}")
    assert twice.problems == []
    assert list(twice.rows.value) == [*once.rows.value] * 2
    assert len(twice.configurations) == 2
