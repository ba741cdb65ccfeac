"""Who is fastest, where names hold alternatives and cases; and who is not, where they hold something else."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

import benchlib
from benchlib.answers.alternatives import AlternativesAnswer
from benchlib.answers.executive import executive_summary
from benchlib.document.numbers import words_of
from benchlib.study import open_study
from benchlib.tell.executive import executive

SIZES = {"small": 1.0, "large": 50.0}
WORK = {"parse": 1.0, "fourth_level": 0.2, "top_level": 0.3}


def summary_of(folder: Path, times: dict[str, float]) -> benchlib.ExecutiveSummary:
    """Summarise Rust's benchmarks of these times."""
    lines = [f"test tests::{name} ... bench: {time * 1000:,.0f} ns/iter (+/- 9)" for name, time in times.items()]
    (folder / "bench.txt").write_text("\n".join(["running 9 tests", *lines, ""]), encoding="utf-8")
    return executive_summary(open_study(folder))


def shootout(libraries: dict[str, float]) -> dict[str, float]:
    return {
        f"{library}_{size}_{work}": slow * SIZES[size] * WORK[work]
        for (library, slow), size, work in product(libraries.items(), SIZES, WORK)
    }


def test_the_fastest_alternative_of_a_shootout_is_named(tmp_path: Path) -> None:
    """Of names of one and two words, whatever their sizes and work are called."""
    times = shootout({"ajson": 3.0, "gjson": 1.0, "json_rust": 2.0})
    times["gjson_large_parse"] *= 2.5
    summary = summary_of(tmp_path, times)
    answer = summary.alternatives
    assert isinstance(answer, AlternativesAnswer)
    assert answer.cases == 6
    assert (answer.fastest, answer.slowest) == ({"gjson": 5, "json rust": 1}, {"ajson": 6})
    said = words_of(executive(summary).answer)
    assert said == "Gjson is fastest in 5 of 6 cases; ajson is slowest in 6."


def test_of_a_rate_the_most_is_fastest(tmp_path: Path) -> None:
    """In a table with an axis of alternatives and one of sizes."""
    rows = [f"{lib},{size},{rate / size}" for lib, rate in (("a", 90), ("b", 300), ("c", 20)) for size in (1, 10, 100)]
    (tmp_path / "a.csv").write_text("lib,dim,throughput_rps\n" + "\n".join(rows) + "\n", encoding="utf-8")
    said = words_of(executive(executive_summary(open_study(tmp_path))).answer)
    assert said == "B is fastest in 3 of 3 cases; c is slowest in 3."


@pytest.mark.parametrize(
    "times",
    [
        {"encode": 1.0, "sort": 2.0, "hash": 3.0},  # no case
        {f"copy_{size}_{way}": size for size in (1, 64, 512) for way in (1, 2, 3)},  # amounts are no alternatives
        shootout({"ajson": 3.0}) | {"gjson_stream": 9.0, "gjson_lines": 4.0},  # hardly a case that both have
    ],
)
def test_what_does_not_meet_in_cases_is_listed(tmp_path: Path, times: dict[str, float]) -> None:
    """From the least to the most, without a winner."""
    summary = summary_of(tmp_path, times)
    assert not isinstance(summary.alternatives, AlternativesAnswer)
    assert words_of(executive(summary).answer).startswith("Time per operation goes from ")


def said_of(folder: Path) -> str:
    return words_of(executive(executive_summary(open_study(folder))).answer)


def test_what_is_written_alike_does_not_go_from_one_to_the_other(tmp_path: Path) -> None:
    """Nor is it any times the other."""
    summary = summary_of(tmp_path, {"encode": 1.8101, "sort": 1.8102})
    assert words_of(executive(summary).answer) == "All 2 are about the same: time per operation 1.81 µs."


def test_a_median_alone_is_no_tail(tmp_path: Path) -> None:
    """redis-benchmark -q states it beside the throughput, which leads."""
    lines = [
        f"{name}: {rate}.65 requests per second, p50=0.{p50} msec"
        for name, rate, p50 in (("SET", 80_000, 239), ("GET", 160_000, 120))
    ]
    (tmp_path / "a.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert said_of(tmp_path) == "Throughput goes from 80,000 req/s (SET) to 160,000 req/s (GET), 2.0 times that."


SYSBENCH = """sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: {threads}

{test}

Latency (ms):
         min:                                    {low}
         avg:                                    {low}
         max:                                    9.02
         95th percentile:                        {low}

Threads fairness:
    execution time (avg/stddev):   0.8346/0.04
"""


def test_events_against_threads_are_a_curve(tmp_path: Path) -> None:
    """sysbench cpu: its events are its throughput."""
    for threads, rate in ((1, 1000), (2, 1990), (4, 3950)):
        test = f"Prime numbers limit: 10000\n\nCPU speed:\n    events per second:  {rate}.00"
        text = SYSBENCH.format(threads=threads, test=test, low="0.19")
        (tmp_path / f"threads_{threads}.txt").write_text(text, encoding="utf-8")
    assert "4 threads" in said_of(tmp_path)
    assert "3,950 op/s" in said_of(tmp_path)


def test_a_latency_below_what_is_printed_is_no_result(tmp_path: Path) -> None:
    """sysbench memory prints 0.00 ms: what it transfers leads; a level is said as its author wrote it."""
    for size, rate in (("1KiB", 512), ("64KiB", 2048)):
        test = f"Running memory speed test with the following options:\n  block size: {size}\n"
        text = SYSBENCH.format(
            threads=2,
            test=f"{test}\nTotal operations: 9 (90.00 per second)\n\n9 MiB transferred ({rate}.00 MiB/sec)",
            low="0.00",
        )
        (tmp_path / f"block_{size}.txt").write_text(text, encoding="utf-8")
    study = open_study(tmp_path)
    assert set(study.whole.metrics) == {"transfer", "event_rate", "latency_max"}
    assert said_of(tmp_path) == "Transfer goes from 512 MiB/s (1KiB) to 2.00 GiB/s (64KiB), 4.0 times that."


def test_iops_against_iodepth_is_a_curve(tmp_path: Path) -> None:
    """What fio keeps in flight is a concurrency."""
    text = (Path(__file__).parents[1] / "data" / "fio" / "console.txt").read_text(encoding="utf-8")
    text = text[: text.index("  write: IOPS")]
    for depth, iops in ((1, "5.0k"), (4, "18.0k"), (16, "40.0k")):
        one = text.replace("iodepth=4", f"iodepth={depth}").replace("IOPS=15.9k", f"IOPS={iops}")
        (tmp_path / f"qd{depth}.txt").write_text(one, encoding="utf-8")
    assert "iodepth" in said_of(tmp_path)
    assert "40,000 op/s" in said_of(tmp_path)
