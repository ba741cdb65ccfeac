"""Suites as they print on a console: the numbers on the screen, and none that only look like them."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.formats.reader import TextFile
from benchlib.formats.registry import named
from tests.readings import read_lines as read
from tests.readings import values

DATA = Path(__file__).parents[1] / "data" / "printed"
JMH_TABLE = (DATA / "jmh-table.txt").read_text(encoding="utf-8")
JMH_LOG = (DATA / "jmh-log.txt").read_text(encoding="utf-8")
GOOGLE = (DATA / "google-benchmark.txt").read_text(encoding="utf-8")
GOOGLE_OLD = (DATA / "google-benchmark-old.txt").read_text(encoding="utf-8")
GOOGLE_TABLE = (DATA / "google-benchmark-columns.txt").read_text(encoding="utf-8")


def test_a_table_of_jmh_gives_scores_with_their_parameters() -> None:
    """With blanks in a parameter, a decimal comma and a percentile; an order of magnitude is no number."""
    reading = read(JMH_TABLE)
    assert values(reading) == [
        ("Sort.merge", None, 11.618, "ops/s"),
        ("Sort.merge", None, 1.209, "ops/s"),
        ("Sort.quick", None, 1234.567, "ns/op"),
        ("Sort.quick", "latency_p99", 77.5, "us"),
        ("Sort.once", None, 3.25, "ms/op"),
    ]
    assert reading.configurations[2] == {"benchmark": "Sort.quick", "size": "10", "kind": "a, b c", "mode": "avgt"}
    assert [line for line, _ in reading.problems] == [6]
    assert reading.series[0].data == ("", pytest.approx(11.169), pytest.approx(12.067), 0.999)


def test_the_table_of_old_versions_has_its_error_without_a_sign() -> None:
    """Its columns are called Samples and Score error."""
    reading = read(
        "Benchmark        (size)  Mode  Samples  Score  Score error  Units\n"
        "o.a.Sort.merge       10  avgt        5  12.50         0.50  ns/op\n"
    )
    assert values(reading) == [("o.a.Sort.merge", None, 12.5, "ns/op")]
    assert reading.series[0].data[1:] == (12.0, 13.0, 0.999)


def test_a_log_of_jmh_gives_one_value_a_fork() -> None:
    """Warm-up is none; the table repeats what the forks say, and is read where it says more."""
    reading = read(JMH_LOG)
    assert values(reading) == [
        ("org.acme.Sort.merge", None, 9.0, "ops/s"),
        ("org.acme.Sort.merge", None, 12.0, "ops/s"),
        ("Sort.quick", None, 20.0, "ops/s"),
    ]
    assert reading.configurations[0] == {
        "benchmark": "Sort.merge", "size": "10", "kind": "a, b", "threads": 2, "mode": "thrpt", "pkg": "org.acme",
    }  # fmt: skip
    assert [line for line, _ in reading.problems] == [17]


def test_sbt_puts_its_word_before_each_line() -> None:
    """The table is the same."""
    prefixed = "".join(f"[info] {line}\n" for line in JMH_TABLE.splitlines())
    assert values(read(prefixed)) == values(read(JMH_TABLE))


def test_the_console_of_google_benchmark_gives_what_its_json_would() -> None:
    """Bytes in steps of 1,024 and items of 1,000; aggregates beside their repetitions and fits are context."""
    reading = read(GOOGLE)
    assert values(reading) == [
        ("BM_copy/8", "time", 12.5, "ns/op"),
        ("BM_copy/8", "cpu_time", 12.0, "ns/op"),
        ("BM_copy/8", "transfer", 2.0 * 2**30, "B/s"),
        ("BM_copy/8", "throughput", 1.5e6, "item/s"),
        ("BM_copy/64", "time", 1.5, "ms/op"),
        ("BM_copy/64", "cpu_time", 1.4, "ms/op"),
        ("BM_copy/64", "transfer", 3.0 * 2**20, "B/s"),
    ]
    assert reading.configurations[0]["label"] == "one label"
    [(line, message)] = reading.problems
    assert (line, message) == (13, "BM_bad failed (no file); line skipped")


def test_older_and_wider_tables_of_google_benchmark() -> None:
    """Units in the header and rates behind the iterations; counters in columns of their own."""
    assert values(read(GOOGLE_OLD)) == [
        ("BM_memcpy/8", "time", 11.0, "ns/op"),
        ("BM_memcpy/8", "cpu_time", 11.0, "ns/op"),
        ("BM_memcpy/8", "transfer", 2.0**30, "B/s"),
        ("BM_memcpy/8", "throughput", 95.5 * 2**20, "item/s"),
    ]
    assert values(read(GOOGLE_TABLE))[2:] == [("BM_map", "Hits", 1500.0, ""), ("BM_map", "Misses", 2.0, "")]


@pytest.mark.parametrize(("text", "kept"), [(JMH_TABLE, 4), (GOOGLE_OLD, 0)])
def test_a_cut_last_line_is_not_read(text: str, kept: int) -> None:
    """A file that ends in the middle of a number says so."""
    reading = read(text.rstrip()[:-3], open_end=True)
    assert len(reading.rows) == kept
    assert "was the file cut?" in reading.problems[-1][1]


@pytest.mark.parametrize("name", ["jmh-text", "google-benchmark-text"])
def test_other_text_is_not_theirs(name: str) -> None:
    """A word of their header alone is not enough."""
    assert named(name).recognise(TextFile("a", ["Benchmark Score", "Iterations", "Time CPU"])) == "no"
