"""What stands in two files counts once: copies of a file, and tables beside the raw files they are made from."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from benchlib.formats import load
from benchlib.results import Results

DATA = Path(__file__).parents[1] / "data"


def assert_accounted(results: Results) -> None:
    """Every row that was read is in a table, or counted by a caveat that says where it is read instead."""
    left = 0
    for caveat in results.caveats:
        if caveat.code in ("superseded-file", "repeated-file"):
            counts = re.search(r": (\d+) of \d+ values? are left out|the same (\d+) values?", caveat.message)
            assert counts, caveat.message
            left += int(counts[1] or counts[2])
    assert sum(file.rows for file in results.files) == len(results.frame) + len(results.failed) + left


LOG = "BenchmarkA-2 10 1234567 ns/op 3 B/op\nBenchmarkB-2 10 5000000 ns/op 3 B/op\n"
COUNTS = "BenchmarkA-2 1 918 allocs/op 74352 B/op\nBenchmarkB-2 1 12345678 widgets\n"


def test_results_recorded_twice_count_once(tmp_path) -> None:
    """A log and the results cut out of it are one measurement; two named runs are two."""
    (tmp_path / "run1.txt").write_text(LOG)
    (tmp_path / "run1.log").write_text("starting\n" + LOG)
    results = load(tmp_path, path_templates=["run{run}.txt"])
    assert set(results.frame["source"]) == {"run1.txt"}
    [caveat] = results.caveats
    assert caveat.message == "run1.log holds the same 4 values as run1.txt; they are counted once"
    (tmp_path / "again.txt").write_text(LOG)
    assert len(load(tmp_path / "run1.txt", tmp_path / "again.txt").frame) == 8


TELLING = [
    COUNTS + "BenchmarkC-2 3 1234567 ns/op\n",
    "".join(f"Benchmark{number}-2 10 12.3{number} ns/op\n" for number in range(1, 5)),
    "BenchmarkA-2 10 3 B/op 98.76543 MB/s\n",
]
ROUTINE = [
    COUNTS,
    "BenchmarkA-2 1000000000 0.2513 ns/op 0 B/op\n",
    "BenchmarkA-2 10 120000000 ns/op\nBenchmarkB-2 10 5000 ns/op\nBenchmarkC-2 1 0 ns/op\n",
]
#: Counts are the same in every repeat, and so are the first digits of a time. Four digits in all beyond the third of
#: each are one case of ten thousand, or a log and what was cut out of it. Files of the same bytes are copies, whatever
#: they count.
TWICE = [
    *((rows, "again\n" + rows, 2) for rows in ROUTINE),
    *((rows, "starting\n" + rows, 1) for rows in TELLING),
    (COUNTS, COUNTS, 1),
    (TELLING[0], TELLING[0].replace("1234567", "1234568"), 2),
    (TELLING[1], TELLING[1].replace("12.31", "12.32"), 2),
    (TELLING[2], TELLING[2].replace("98.76543", "98.76544"), 2),
]


@pytest.mark.parametrize(("first", "second", "files"), TWICE)
def test_rows_that_agree_are_a_copy_where_they_are_no_coincidence(
    first: str, second: str, files: int, tmp_path: Path
) -> None:
    """A copy is left out and accounted for; two measurements are both counted."""
    (tmp_path / "first.txt").write_text(first)
    (tmp_path / "second.txt").write_text(second)
    results = load(tmp_path)
    assert_accounted(results)
    assert sorted(set(results.frame["source"])) == ["first.txt", "second.txt"][:files]


TABLE = "command,mean,stddev,median,user,system,min,max\n"
RUNS = {"command": "sleep", "mean": 0.1, "median": 0.1, "times": [0.09, 0.1, 0.11], "exit_codes": [0, 0, 0]}


def test_a_table_gives_way_to_the_raw_values_of_its_benchmarks(tmp_path: Path) -> None:
    """By name and axes, statistics of the metric too; what no raw file holds stays."""
    (tmp_path / "runs.json").write_text(json.dumps({"results": [RUNS]}))
    (tmp_path / "table.csv").write_text(TABLE + "sleep,0.1,,0.1,,,,\nlonger,9.4,0.1,9.4,0.01,0.01,9.3,9.5\n")
    results = load(tmp_path)
    assert sorted(results.frame.loc[results.frame["benchmark"] == "sleep", "value"]) == [0.09, 0.1, 0.11]
    assert (results.frame["benchmark"] == "longer").sum() == 7
    [caveat] = results.caveats
    assert (caveat.code, caveat.message) == (
        "superseded-file",
        "table.csv: 2 of 9 values are left out: it is a table made from raw files, and runs.json holds their values",
    )
    assert_accounted(results)


def test_a_table_keeps_levels_and_runs_that_no_raw_file_holds(tmp_path: Path) -> None:
    """Another size is another benchmark, another value another measurement; two paths are two runs."""
    shutil.copy(DATA / "google_benchmark" / "reps5.json", tmp_path / "monday.json")
    rows = '"BM_Sum/64",1000,150,150,ns\n"BM_Sum/999",1000,600,600,ns\n'
    (tmp_path / "tuesday.csv").write_text(f"name,iterations,real_time,cpu_time,time_unit\n{rows}")
    results = load(tmp_path)
    assert set(results.frame.loc[results.frame["source"] == "tuesday.csv", "case"]) == {64, 999}
    assert_accounted(results)
    named = load(tmp_path / "monday.json", tmp_path / "tuesday.csv")
    assert (named.frame["run"] == "tuesday").sum() == 4
    assert not [caveat for caveat in named.caveats if caveat.code == "superseded-file"]


def test_a_table_of_ones_own_is_never_taken_for_a_copy(tmp_path: Path) -> None:
    """Rounded values of a log are told by no rule: two files are two measurements."""
    (tmp_path / "run.txt").write_text(LOG)
    (tmp_path / "report.csv").write_text("benchmark,time (ms/op)\nBenchmarkA,1.235\nBenchmarkB,5.000\n")
    results = load(tmp_path)
    assert len(results.frame) == 6
    assert not results.caveats


def test_what_failed_in_a_log_without_a_value_gives_way_too(tmp_path: Path) -> None:
    """The table's 4 ms are of calls that failed; of another named run they are not."""
    (tmp_path / "old.log").write_text("--- FAIL: BenchmarkA-2\nBenchmarkB-2 10 5 ns/op\n")
    (tmp_path / "new.csv").write_text("bench,bits,I,O,allocs,RAM bytes,time ms\nBenchmarkA,32,1,1,918,74352,4\n")
    results = load(tmp_path)
    assert set(results.frame["benchmark"]) == {"B"}
    assert_accounted(results)


def test_another_days_table_is_another_measurement(tmp_path: Path) -> None:
    """A table of the same benchmarks whose values are not those of the raw file stays whole."""
    (tmp_path / "monday.json").write_text(json.dumps({"results": [RUNS]}))
    (tmp_path / "tuesday.csv").write_text(TABLE + "sleep,2.5,0.25,2.5,0.01,0.01,2.4,2.6\n")
    results = load(tmp_path)
    assert (results.frame["source"] == "tuesday.csv").sum() == 7
    assert not [caveat for caveat in results.caveats if caveat.code == "superseded-file"]
    assert_accounted(results)
