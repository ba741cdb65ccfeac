"""Tables against the logs they were made from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchlib.formats import load

LOG = "BenchmarkA-2 10 1234567 ns/op 3 B/op\nBenchmarkB-2 10 5000000 ns/op 3 B/op\n"


def test_a_rounded_copy_of_a_log_gives_way_to_it(tmp_path) -> None:
    """Only where every value of a benchmark is the log's, rounded as the table rounds."""
    (tmp_path / "run.txt").write_text(LOG)
    table = tmp_path / "report.csv"
    table.write_text("benchmark,time (ms/op)\nBenchmarkA,1.235\nBenchmarkB,7.100\n")
    results = load(tmp_path)
    left = results.frame[results.frame["source"] == "report.csv"]
    assert left["benchmark"].tolist() == ["B"], "7.1 ms is no value of the log: another measurement"
    assert [one.message for one in results.caveats] == [
        "report.csv: 1 of 2 values are also in the logs, and read from there"
    ]


def test_results_recorded_twice_count_once(tmp_path) -> None:
    """A log and the results cut out of it are one measurement; two named runs are two."""
    (tmp_path / "run1.txt").write_text(LOG)
    (tmp_path / "run1.log").write_text("starting\n" + LOG)
    results = load(tmp_path, path_templates=["run{run}.txt"])
    assert set(results.frame["source"]) == {"run1.txt"}
    assert results.caveats[0].code == "repeated-file"
    (tmp_path / "again.txt").write_text(LOG)
    assert len(load(tmp_path / "run1.txt", tmp_path / "again.txt").frame) == 8


def test_a_benchmark_that_failed_in_its_log_is_in_no_table(shared_samples) -> None:
    """The matrix: AuditorServiceCheck failed every call, yet the CSV tells a throughput for it."""
    results = load(shared_samples / "token-sdk/matrix")
    assert not results.frame["benchmark"].astype(str).str.contains("Auditor").any()
    assert results.failed["benchmark"].astype(str).str.contains("Auditor").all()
    assert "benchmark_results.csv" in set(results.failed["source"])
    alerts = [one.message for one in results.caveats if one.code == "failed-results"]
    assert any(one.startswith("AuditorServiceCheck: failed at ") for one in alerts)
    assert any(one.startswith("TestParallelBenchmarkAuditorServiceCheck: ") for one in alerts)


def test_a_benchmark_that_failed_once_keeps_its_sound_rows(tmp_path) -> None:
    """One failed repeat beside a sound one does not fail the table: that one is held against the log."""
    (tmp_path / "A.log").write_text("BenchmarkA-2 10 4000000 ns/op\n--- FAIL: BenchmarkA-2\n")
    (tmp_path / "stats.csv").write_text("bench,bits,I,O,allocs,RAM bytes,time ms\nBenchmarkA,32,1,1,918,74352,4\n")
    results = load(tmp_path)
    assert results.failed.empty
    assert results.frame["metric"].tolist() == ["time", "allocations", "memory"]
    assert results.caveats[0].message == "A: failed at A.log:2"


def test_logs_are_read_and_not_the_tables_made_from_them(shared_samples) -> None:
    """No row of either CSV stays beside the logs, and each caveat counts what was dropped."""
    results = load(shared_samples / "token-sdk/matrix")
    assert not [one for one in set(results.frame["source"]) if str(one).endswith(".csv")]
    dropped = [one.message for one in results.caveats if one.code == "superseded-file"]
    assert len(dropped) == 2
    assert "benchmark_IOstats.csv: 261 of 261 values are also in the logs, and read from there" in dropped


@pytest.mark.parametrize("name", ["benchmark_IOstats.csv", "benchmark_results.csv"])
def test_a_table_alone_is_read(name: str, shared_samples) -> None:
    """Without its logs a table is all there is."""
    results = load(shared_samples / "token-sdk/matrix" / name)
    assert len(results.frame) > 0


def test_a_summary_of_another_run_is_kept(tmp_path: Path) -> None:
    """Nine seconds cannot be the median of runs of a tenth: the table speaks of another day, and stays."""
    runs = {"command": "sleep", "mean": 0.1, "median": 0.1, "times": [0.09, 0.1, 0.11], "exit_codes": [0, 0, 0]}
    (tmp_path / "tuesday.json").write_text(json.dumps({"results": [runs]}))
    head = "command,mean,stddev,median,user,system,min,max\n"
    (tmp_path / "monday.csv").write_text(head + "sleep,9.4,0.1,9.4,0.01,0.01,9.3,9.5\n")
    (tmp_path / "same.csv").write_text(head + "sleep,0.1,0.01,0.1,0.01,0.01,0.09,0.11\n")
    results = load(tmp_path)
    times = results.frame[results.frame["metric"] == "time"]
    assert sorted(times["value"]) == [0.09, 0.1, 0.11, 9.4]
    assert [one.message.partition(":")[0] for one in results.caveats if one.code == "superseded-file"] == ["same.csv"]


def two_files(folder: Path, first: str, second: str) -> list[str]:
    """Load two texts of Go and return the sources that are counted."""
    (folder / "first.txt").write_text(first)
    (folder / "second.txt").write_text(second)
    return sorted(set(load(folder).frame["source"]))


COUNTS = "BenchmarkA-2 1 918 allocs/op 74352 B/op\nBenchmarkB-2 1 12345678 widgets\n"


@pytest.mark.parametrize(
    "rows",
    [
        COUNTS,
        "BenchmarkA-2 1000000000 0.2513 ns/op 0 B/op\n",
        "BenchmarkA-2 10 120000000 ns/op\nBenchmarkB-2 10 5000 ns/op\nBenchmarkC-2 1 0 ns/op\n",
    ],
)
def test_repeats_that_could_only_agree_are_all_counted(rows: str, tmp_path: Path) -> None:
    """Counts are the same in every repeat, and so are the first digits of a time: two files, two measurements."""
    assert two_files(tmp_path, rows, "again\n" + rows) == ["first.txt", "second.txt"]


def test_a_file_of_the_same_bytes_is_a_copy(tmp_path: Path) -> None:
    """Whatever it counts: nobody's two runs print the same bytes more plausibly than a copy does."""
    assert two_files(tmp_path, COUNTS, COUNTS) == ["first.txt"]


@pytest.mark.parametrize(
    "rows",
    [
        COUNTS + "BenchmarkC-2 3 1234567 ns/op\n",
        "".join(f"Benchmark{one}-2 10 12.3{one} ns/op\n" for one in range(1, 5)),
        "BenchmarkA-2 10 3 B/op 98.76543 MB/s\n",
    ],
)
def test_times_or_rates_that_agree_to_the_last_digit_are_a_copy(rows: str, tmp_path: Path) -> None:
    """Four digits in all beyond the third of each: one case of ten thousand, or a log and what was cut out of it."""
    assert two_files(tmp_path, rows, "starting\n" + rows) == ["first.txt"]
