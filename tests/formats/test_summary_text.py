"""The summaries of hey, oha and ghz."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchlib.formats.load_generators import REQUEST_CSV
from benchlib.formats.load_text import GHZ, HEY, OHA
from benchlib.formats.reader import Reading, TextFile

DATA = Path(__file__).parents[1] / "data"


def lines_of(name: str) -> list[str]:
    return (DATA / name).read_text(encoding="utf-8").splitlines()


def hey(name: str = "hey/index_c4.txt") -> Reading:
    return HEY.read(TextFile("x", lines_of(name)))


def values(reading: Reading) -> dict[str | None, tuple[float, str]]:
    rows = reading.rows
    return dict(zip(rows.metric, zip(rows.value, rows.unit, strict=True), strict=True))


def test_hey_as_it_stands_in_its_file() -> None:
    """Read off the file: 200 answers, 92.6652 a second, 0.0432 s in the mean."""
    reading = hey()
    found = values(reading)
    assert found["throughput"] == (92.6652, "req/s")
    assert found["latency_mean"] == (0.0432, "secs")
    assert set(reading.rows.iterations) == {200}
    assert set(reading.rows.errors) == {0}
    assert [one for one in found if str(one).startswith("latency_p")] == [
        f"latency_p{share}" for share in (10, 25, 50, 75, 90, 95, 99)
    ]


def test_hey_keeps_404_apart_and_names_timeouts() -> None:
    """100 of 100 answers of 404; 20 of 20 requests timed out, whose zeros are no latencies."""
    assert set(hey("hey/missing_404.txt").rows.errors) == {100}
    silent = hey("hey/silent_timeout.txt")
    assert values(silent) == {"throughput": (3.9982, "req/s")}
    assert set(silent.rows.errors) == {20}
    assert [one.data for one in silent.series if one.kind == "timeouts"] == [(20, 20)]


@pytest.mark.parametrize(
    ("found", "changed", "said"),
    [
        ("[200]\t200 responses", "[200]\t20 responses", "20 requests in"),
        ("[200]\t200 responses", "[200]\t200 resp", "failures are unknown"),
        ("Status code distribution:", "", "no status codes"),
        ("Requests/sec:", "Requests:", "'Requests/sec'"),
    ],
)
def test_a_summary_that_lost_a_line_is_refused(found: str, changed: str, said: str) -> None:
    """Rate, time and counts must agree; without failures there is no result."""
    text = "\n".join(lines_of("hey/index_c4.txt"))
    assert found in text
    reading = HEY.read(TextFile("x", text.replace(found, changed).splitlines()))
    assert len(reading.rows) == 0
    assert said in reading.problems[-1][1], reading.problems


def test_two_summaries_in_one_file() -> None:
    """A log of several runs gives each of them."""
    lines = lines_of("hey/index_c4.txt") + lines_of("hey/missing_404.txt")
    assert len(HEY.read(TextFile("x", lines)).configurations) == 2


def test_oha_text_and_json() -> None:
    """Read off the files; the 8 requests that oha stopped did not fail."""
    text = OHA.read(TextFile("x", lines_of("oha/hash_c4.txt")))
    assert values(text)["latency_p99.9"] == (14.7667, "ms")
    assert values(text)["transfer"] == (502.56, "KiB/s")
    assert set(text.rows.iterations) == {300}
    document = OHA.read(TextFile("x", lines_of("oha/hash_c8.json")))
    assert values(document)["throughput"] == (6740.746111530872, "req/s")
    assert values(document)["latency_p99.99"] == (0.0665784, "s")
    assert set(document.rows.errors) == {0}
    assert set(document.rows.iterations) == {20224}


def test_oha_counts_other_errors() -> None:
    """Refused connections and 5xx answers are failures, timeouts are told beside."""
    text = "\n".join(lines_of("oha/hash_c8.json"))
    text = text.replace('"200": 20224', '"200": 20000, "503": 224').replace("aborted due to deadline", "timeout")
    reading = OHA.read(TextFile("x", text.splitlines()))
    assert set(reading.rows.errors) == {232}
    assert [one.data for one in reading.series if one.kind == "timeouts"] == [(8, 20232)]


def test_ghz_keeps_every_call() -> None:
    """By jq: 1000 details, all OK; 12 values of the summary."""
    reading = GHZ.read(TextFile("x", lines_of("ghz/check_c4.json")))
    assert reading.rows.metric.count("latency") == 1000
    assert len(reading.rows) == 1012
    assert reading.lines.data == 1001
    assert reading.configurations[0]["workers"] == 4
    assert reading.configurations[0]["benchmark"] == "grpc.health.v1.Health/Check"


def test_ghz_sets_failed_calls_apart() -> None:
    """One call of another status fails its own row and, by the distribution, the summary."""
    text = "\n".join(lines_of("ghz/check_c4.json")).replace(
        '"error":"","status":"OK"}', '"error":"gone","status":"Unavailable"}', 1
    )
    text = text.replace('"OK":1000', '"OK":999,"Unavailable":1').replace(
        '"errorDistribution":{}', '"errorDistribution":{"gone":1}'
    )
    reading = GHZ.read(TextFile("x", text.splitlines()))
    assert sum(errors == 1 for errors in reading.rows.errors) == 12 + 1


def test_requests_of_a_csv_one_by_one() -> None:
    """By awk: 50 lines of 200, 60 of 404."""
    sound = REQUEST_CSV.read(TextFile("x", lines_of("hey/index_c2.csv")))
    assert (len(sound.rows), set(sound.rows.errors), set(sound.rows.unit)) == (50, {0}, {"s"})
    failed = REQUEST_CSV.read(TextFile("x", lines_of("hey/missing_404.csv")))
    assert (len(failed.rows), set(failed.rows.errors)) == (60, {1})


def test_request_csv_of_oha_and_ghz_by_their_documentation() -> None:
    """oha's latency is request-duration in seconds, ghz's in ms; a status other than OK fails."""
    oha = ["request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status", "0.1,0,0.2,0.3,0.4,65,200"]
    reading = REQUEST_CSV.read(TextFile("x", oha))
    assert (list(reading.rows.value), list(reading.rows.unit), list(reading.rows.errors)) == ([0.4], ["s"], [0])
    ghz = ["duration (ms),status,error", "1.5,OK,", '2.5,Unavailable,"gone, for good"', "x,OK,"]
    reading = REQUEST_CSV.read(TextFile("x", ghz))
    assert (list(reading.rows.value), list(reading.rows.unit), list(reading.rows.errors)) == (
        [1.5, 2.5],
        ["ms", "ms"],
        [0, 1],
    )
    assert [line for line, _ in reading.problems] == [4]


def test_the_shared_files(shared_samples: Path) -> None:
    """By awk: 496 requests, 9,999 responses; the CSV holds only the last run's."""
    folder = shared_samples / "other" / "hey"
    reading = REQUEST_CSV.read(TextFile("x", (folder / "hash_c8.csv").read_text(encoding="utf-8").splitlines()))
    assert len(reading.rows) == 496
    text = HEY.read(TextFile("x", (folder / "hash_c8.txt").read_text(encoding="utf-8").splitlines()))
    assert set(text.rows.iterations) == {9999}
    assert len(text.rows) == 11


def test_a_histogram_of_oha_holds_numbers_only() -> None:
    """A bar that is no count makes its document a problem; appended to another it costs that one nothing."""
    sound = "\n".join(lines_of("oha/hash_c8.json"))
    mark = re.search(r'"responseTimeHistogram": \{\s*"([\d.]+)": \d+', sound)
    assert mark
    hostile = re.sub(rf'("{re.escape(mark[1])}": )\d+', r'\1{"": {}}', sound, count=1)
    reading = OHA.read(TextFile("x", f"{sound}\n{hostile}".split("\n")))
    assert [one.kind for one in reading.series].count("histogram") == 1
    assert len(reading.problems) == 1
    assert f"{mark[1]} is an object, not a number; nothing of the run was kept" in reading.problems[0][1]
