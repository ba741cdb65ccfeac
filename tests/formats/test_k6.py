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


@pytest.mark.parametrize(
    "name", ["compact.txt", "legacy.txt", "export.json", "handle_summary.json", "machine_readable.json"]
)
def test_failed_requests_are_counted_in_every_shape(name: str) -> None:
    """By jq: 2 of 22 failed; old exports call the failed ones ``passes``."""
    reading = read(name)
    assert set(reading.rows.errors) == {2}
    assert set(reading.rows.iterations) == {22}
    assert values(reading)["requests"] == (22, "req")


def test_three_shapes_of_the_summary() -> None:
    """By jq: the values of the export; types tell ms apart where there are types."""
    found = values(read("export.json"))
    assert found["latency_p99.9"] == (44.098587136000006, "ms")
    assert found["throughput"] == (54.7932074215646, "req/s")
    # A flat export does not say that the script's own trend is a time.
    assert found["think_time_mean"] == (1.5, "")
    assert values(read("handle_summary.json"))["think_time_mean"] == (1.5, "ms")
    machine = read("machine_readable.json")
    assert "throughput" not in values(machine)
    assert machine.configurations == [{"version": "1.8.1"}]


def test_an_open_loop_is_not_called_closed() -> None:
    """Dropped iterations show an arrival rate; 3 of 3 requests failed."""
    for name in ("open_dropped.json", "open_dropped.txt"):
        reading = read(name)
        assert set(reading.rows.errors) == {3}
        assert reading.configurations == [{"workers": 1}]
        assert [one.kind for one in reading.series] == []


def test_failed_checks_count_where_no_request_failed() -> None:
    """The larger of failed requests and failed checks, not their sum."""
    text = text_of("export.json").replace(
        '"passes": 2,\n            "fails": 20', '"passes": 0,\n            "fails": 22'
    )
    assert text != text_of("export.json")
    assert set(read("export.json", text).rows.errors) == {2}


@pytest.mark.parametrize("metric", ["http_req_failed", "iterations"])
def test_a_summary_without_its_failures_is_refused(metric: str) -> None:
    """A text cut before them is no result."""
    lines = [one for one in text_of("compact.txt").splitlines() if not one.lstrip().startswith(metric)]
    reading = read("compact.txt", "\n".join(lines))
    assert len(reading.rows) == 0
    assert "cut off" in reading.problems[0][1]


def test_older_texts_count_by_marks() -> None:
    """Before version 0.50 ``✓`` stood before the failed requests of http_req_failed."""
    text = text_of("legacy.txt").replace("9.09%  2 out of 22", "9.09% ✓ 2 ✗ 20")
    text = text.replace("90.90% 20 out of 22", "90.90% ✓ 20 ✗ 2")
    assert text.count("✓ 2 ✗") == 1
    assert set(read("legacy.txt", text).rows.errors) == {2}


def test_long_times_are_read() -> None:
    """``1m2.5s`` is 62.5 s."""
    text = text_of("compact.txt").replace("max=44.09ms", "max=1m2.5s", 1)
    assert values(read("compact.txt", text))["latency_max"] == (62.5, "s")


def test_single_requests() -> None:
    """By grep: 22 latencies of which 2 failed, and 20 values of each own trend (JSON alone says which)."""
    document, table = read("points.json"), read("points.csv")
    assert document.rows.metric.count("latency") == table.rows.metric.count("latency") == 22
    assert document.rows.metric.count("body_size") == document.rows.metric.count("think_time") == 20
    for reading in (document, table):
        latencies = [i for i, one in enumerate(reading.rows.metric) if one == "latency"]
        assert sum(reading.rows.errors[i] or 0 for i in latencies) == 2
        assert {reading.rows.name[i] for i in latencies} == {"/index.html", "/missing"}
        assert [one.data for one in reading.series if one.kind == "failed-checks"] == [(2, 22)]
    assert [v for v, m in zip(document.rows.value, document.rows.metric, strict=True) if m == "latency"] == [
        pytest.approx(v, abs=1e-6) for v in table.rows.value
    ]


def test_named_requests_are_one_benchmark() -> None:
    """A script that groups URLs by a name has that name as benchmark, and no single URL."""
    line = (
        '{"metric":"http_req_duration","type":"Point","data":{"time":"t","value":1.5,"tags":{"expected_response":"true",'
        '"method":"GET","name":"user","url":"http://h/users/1","scenario":"peak","group":"::login"}}}'
    )
    assert read("points.json", line).configurations == [
        {"benchmark": "user", "endpoint": "users/1", "host": "h", "method": "GET", "scenario": "peak", "group": "login"}
    ]


def test_a_broken_line_is_one_problem() -> None:
    """The other lines stand."""
    lines = text_of("points.json").splitlines()
    lines[3] = lines[3][:80]
    reading = read("points.json", "\n".join(lines))
    assert [line for line, _ in reading.problems] == [4]
    assert reading.lines.problem == 1
    assert reading.rows.metric.count("latency") == 21


def test_the_shared_files(shared_samples: Path) -> None:
    """By jq: 264 of 3978 requests failed, in text and export alike."""
    folder = shared_samples / "other" / "k6"
    for name in ("stdout.txt", "summary.json"):
        reading = read(name, (folder / name).read_text(encoding="utf-8"))
        assert set(reading.rows.errors) == {264}
        assert set(reading.rows.iterations) == {3978}
        assert len(reading.rows) == 17
        assert reading.configurations == [{"workers": 4}]


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
    cells = [tags.get(one, "") for one in ("error", "error_code", "expected_response")]
    row = ",".join(["http_req_duration", "1", "1.5", *cells, "GET", "a", tags.get("status", "")])
    assert list(read("points.csv", f"{header}\n{row}").rows.errors) == [failed]


@pytest.mark.parametrize(("status", "failed"), [("0", 0), ("14", 1)])
def test_a_grpc_status_is_no_http_status(status: str, failed: int) -> None:
    """0 is OK, any other one a failure."""
    assert list(read("points.json", point("grpc_req_duration", 1.5, status=status)).rows.errors) == [failed]


def test_a_status_that_is_no_number_is_a_problem() -> None:
    """Whether the request failed cannot be told."""
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


def test_an_own_counter_keeps_its_count_and_its_rate() -> None:
    """In the summary and in the text; one of bytes has a rate of bytes, and one that states no rate its count alone."""
    root = json.loads(text_of("handle_summary.json"))
    root["metrics"]["jobs"] = {"type": "counter", "contains": "default", "values": {"count": 40, "rate": 99.5}}
    root["metrics"]["sent"] = {"type": "counter", "contains": "data", "values": {"count": 4096, "rate": 512}}
    root["metrics"]["done"] = {"type": "counter", "contains": "default", "values": {"count": 7}}
    root["metrics"]["won"] = {"type": "rate", "contains": "default", "values": {"rate": 0.5, "passes": 1, "fails": 1}}
    root["metrics"]["queue"] = {"type": "gauge", "contains": "default", "values": {"value": 3, "min": 1, "max": 9}}
    found = values(read("handle_summary.json", json.dumps(root)))
    assert (found["jobs_count"], found["jobs_rate"]) == ((40.0, ""), (99.5, "/s"))
    assert (found["sent_count"], found["sent_rate"]) == ((4096.0, "B"), (512.0, "B/s"))
    assert found["done_count"] == (7.0, "")
    assert "done_rate" not in found
    assert found["won"] == (0.5, "")
    assert (found["queue"], found["queue_max"]) == ((3.0, ""), (9.0, ""))
    line = "    jobs...................................: 40     99.500000/s"
    lines = text_of("compact.txt").splitlines()
    at = next(number for number, one in enumerate(lines) if one.lstrip().startswith("body_size"))
    printed = values(read("compact.txt", "\n".join([*lines[:at], line, *lines[at:]])))
    assert (printed["jobs_count"], printed["jobs_rate"]) == ((40.0, ""), (99.5, "/s"))


def test_two_legacy_summaries_are_two_runs() -> None:
    """A metric that stands again begins another run, though nothing is printed between them."""
    once = read("legacy.txt")
    lines = [one for one in text_of("legacy.txt").split("\n") if "..." in one]
    twice = K6_TEXT.read(TextFile("x", [*lines, *lines]))
    assert twice.problems == []
    assert list(twice.rows.value) == [*once.rows.value] * 2
    assert len(twice.configurations) == 2
