"""What holds for every reader of a load generator: accounting, damage, closed loops, recognition."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib import formats
from benchlib.formats import registry
from benchlib.formats.load_generators import MOST_REQUESTS, Load, Requests, is_timeout, percentile_name
from benchlib.formats.reader import Ledger, Reading, TextFile
from benchlib.formats.text import decode

DATA = Path(__file__).parents[1] / "data"
#: Folder -> the format of each of its files, and whether its generator waits for answers.
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
    "fio/randrw.json": "fio",
}  # fmt: skip
OPEN = {
    "k6/open_dropped.txt", "k6/open_dropped.json", "autocannon/index_rate200.json",
    "locust/run_stats_history.csv",
}  # fmt: skip


def lines_of(name: str) -> list[str]:
    return (DATA / name).read_text(encoding="utf-8").splitlines()


def read(format: str, lines: list[str]) -> Reading:
    reading = registry.named(format).read(TextFile("x", lines))
    assert len({len(getattr(reading.rows, one)) for one in reading.rows.__slots__}) == 1
    assert all(value == value and abs(value) != float("inf") for value in reading.rows.value)
    assert all(0 <= number < len(reading.configurations) for number in reading.rows.configuration)
    assert all(1 <= line <= len(lines) for line in reading.rows.line)
    return reading


def is_structured(name: str) -> bool:
    return name.endswith(".json") and "points" not in name


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_is_recognised_by_one_reader(name: str) -> None:
    """No two readers are certain of a file of either."""
    assert registry.choose(TextFile(name, lines_of(name))).name == FORMATS[name]


@pytest.mark.parametrize("name", FORMATS)
def test_lines_or_records_are_counted_once(name: str) -> None:
    """A text file counts its lines, a structured one its records; nothing is a problem."""
    lines = lines_of(name)
    reading = read(FORMATS[name], lines)
    assert reading.lines.problem == 0, reading.problems
    assert reading.lines.total == len(lines) if not is_structured(name) else reading.lines.total > 0


@pytest.mark.parametrize("name", FORMATS)
def test_a_closed_loop_is_named_once(name: str) -> None:
    """A generator that waits for answers says so, once a file."""
    kinds = [one.kind for one in read(FORMATS[name], lines_of(name)).series]
    assert kinds.count("closed-loop") == (name not in OPEN)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_truncated_file_gives_a_problem_or_less(name: str, share: float) -> None:
    """A summary that lost its end gives no value; a list of requests gives those that are whole."""
    text = "\n".join(lines_of(name))
    lines = text[: int(len(text) * share)].splitlines()
    reading = read(FORMATS[name], lines)
    whole = read(FORMATS[name], lines_of(name))
    single = "points" in name or (name.startswith("hey/") and name.endswith(".csv")) or name.startswith("locust/")
    if single:
        assert len(reading.rows) <= len(whole.rows)
    elif share < 0.9:
        assert len(reading.rows) == 0
        assert reading.problems


@pytest.mark.parametrize("format", sorted(set(FORMATS.values())))
@pytest.mark.parametrize("lines", [[""], ["{}"], ["[]"], ["null"], ["{"], ['{"a": NaN}'], ["Summary:"], ["a,b", "1,2"]])
def test_what_is_no_result_is_a_problem(format: str, lines: list[str]) -> None:
    """A reader that is told to read something else keeps nothing and says why, unless there is nothing."""
    reading = read(format, lines)
    assert len(reading.rows) == 0
    assert reading.problems or format in ("hey", "oha", "ghz", "ab", "locust"), format


def test_many_requests_become_order_statistics() -> None:
    """From 100,000 requests on, nearest ranks of the answered are given, and the failed are one count, set apart."""
    load = Load("x.csv", "hey", Ledger(0))
    requests = Requests(load, "s")
    configuration = load.start_run({})
    for number in range(MOST_REQUESTS):
        requests.add(configuration, number + 2, float(number + 1), failed=number < 10)
    requests.keep()
    found = dict(zip(load.rows.metric, load.rows.value, strict=True))
    # 99,990 latencies, from 11 to 100,000: rank 49,995 is 50,005.
    assert found["latency_p50"] == 50_005
    assert found["latency_p99.9"] == 10 + 99_891
    assert (found["latency_min"], found["latency_max"]) == (11, 100_000)
    told = zip(load.rows.metric, load.rows.iterations, load.rows.errors, load.rows.line, strict=True)
    assert [one for one in told if one[0] in ("errors", "latency_p50")] == [
        ("errors", MOST_REQUESTS, 10, 2),
        ("latency_p50", MOST_REQUESTS - 10, 0, 12),
    ]
    assert found["errors"] == 10


@pytest.mark.parametrize("count", [MOST_REQUESTS - 1, MOST_REQUESTS])
def test_one_failed_request_does_not_fail_a_run(count: int, tmp_path: Path) -> None:
    """Whether its requests are rows or order statistics: the failed one is set apart and told, the others stand."""
    lines = [f"{number + 1}.5,OK," for number in range(count - 1)]
    (tmp_path / "calls.csv").write_text(
        "\n".join(["duration (ms),status,error", *lines, "9e6,Unavailable,down"]) + "\n"
    )
    results = formats.load(tmp_path)
    assert results.frame["value"].max() == pytest.approx((count - 0.5) * 1e-3)
    assert len(results.frame) == (count - 1 if count < MOST_REQUESTS else 8)
    assert results.failed[["errors", "line"]].to_numpy().tolist() == [[1, count + 1]]
    [told] = [one.message for one in results.caveats if one.code == "failed-results"]
    assert told == f"calls: 1 of {len(results.frame) + 1} values rest on failed operations and are left out"


def test_a_run_without_an_answer_has_no_order_statistics() -> None:
    """The times that errors took are no latencies: their count is all there is."""
    load = Load("x.csv", "hey", Ledger(0))
    requests = Requests(load, "s")
    configuration = load.start_run({})
    for number in range(MOST_REQUESTS):
        requests.add(configuration, number + 2, 1.0, failed=True)
    requests.keep()
    assert (list(load.rows.metric), list(load.rows.value)) == (["errors"], [MOST_REQUESTS])


def test_percentiles_keep_their_point() -> None:
    """``p25`` is 25 % and never 2.5 %; ``p99.9`` reads as it is meant."""
    assert [percentile_name(one) for one in (1, 2.5, 25, 97.5, 99.999)] == [
        "latency_p1", "latency_p2.5", "latency_p25", "latency_p97.5", "latency_p99.999",
    ]  # fmt: skip


def test_errors_that_are_timeouts() -> None:
    """The words of Go, of oha and of gRPC."""
    assert all(map(is_timeout, ["Get: context deadline exceeded", "timeout", "rpc error: code = DeadlineExceeded"]))
    assert not is_timeout("connection refused")


def test_samples_decode_as_they_are() -> None:
    """No file here needs a decoder's mercy."""
    for name in FORMATS:
        assert decode((DATA / name).read_bytes(), name).problems == ()
