"""JSON of autocannon."""

from __future__ import annotations

from pathlib import Path

from benchlib.formats.load_generators import AUTOCANNON
from benchlib.formats.reader import Reading, TextFile

DATA = Path(__file__).parents[1] / "data" / "autocannon"


def text_of(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


def read(text: str) -> Reading:
    return AUTOCANNON.read(TextFile("x", text.splitlines()))


def values(reading: Reading) -> dict[str | None, tuple[float, str]]:
    rows = reading.rows
    return dict(zip(rows.metric, zip(rows.value, rows.unit, strict=True), strict=True))


def test_a_run_as_it_stands_in_its_file() -> None:
    """Read off the file: 176 requests; ``p97_5`` is 97.5 %."""
    reading = read(text_of("index_c4.json"))
    found = values(reading)
    assert len(reading.rows) == 17
    wanted = ("throughput", "requests", "latency_mean", "latency_p97.5", "transfer")
    assert [found[one] for one in wanted] == [
        (88, "req/s"), (176, "req"), (44.87, "ms"), (52, "ms"), (17424, "B/s"),
    ]  # fmt: skip
    assert reading.configurations[0]["connections"] == 4
    assert "workers" not in reading.configurations[0]


def test_failures_and_timeouts() -> None:
    """50 answers of 404; 2 of 2 requests without an answer, whose zeros are no latencies."""
    assert set(read(text_of("missing_404.json")).rows.errors) == {50}
    silent = read(text_of("silent_timeout.json"))
    assert set(values(silent)) == {"throughput", "requests", "transfer"}
    assert set(silent.rows.errors) == {2}
    assert [one.data for one in silent.series if one.kind == "timeouts"] == [(2, 2)]


def test_a_fixed_rate_is_no_closed_loop() -> None:
    """The correction for coordinated omission counts 7,840 latencies of 184 requests."""
    assert [one.kind for one in read(text_of("index_rate200.json")).series] == ["rounded"]


def test_one_run_a_line() -> None:
    """Runs appended to one file are each kept, and one cut short is a problem of its own."""
    text = text_of("index_c4.json") + text_of("missing_404.json") + text_of("index_c4.json")[:500]
    reading = read(text)
    assert len(reading.configurations) == 2
    assert (reading.lines.data, reading.lines.problem) == (2, 1)
    assert {line for line, _ in reading.problems} == {3}
