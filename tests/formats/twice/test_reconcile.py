"""Tables against the logs they were made from."""

from __future__ import annotations

import json
import re
import shutil
import statistics
from pathlib import Path

import pytest

from benchlib.formats import load
from benchlib.results import Results

DATA = Path(__file__).parents[2] / "data"


def assert_accounted(results: Results) -> None:
    """Every row that was read is in a table, or counted by a caveat that says where it is told too."""
    told = 0
    for one in results.caveats:
        if one.code in ("superseded-file", "repeated-file"):
            found = re.search(r": (\d+) of \d+ values? are|the same (\d+) values?", one.message)
            assert found, one.message
            told += int(found[1] or found[2])
    assert sum(one.rows for one in results.files) == len(results.frame) + len(results.failed) + told


def values(results: Results, metric: str = "time", **facts: object) -> list[float]:
    """Return the values of a metric, where columns have some levels."""
    frame = results.frame[results.frame["metric"] == metric]
    for column, level in facts.items():
        frame = frame[frame[column] == level]
    return frame["value"].tolist()


LOG = "BenchmarkA-2 10 1234567 ns/op 3 B/op\nBenchmarkB-2 10 5000000 ns/op 3 B/op\n"


def test_a_rounded_copy_of_a_log_gives_way_to_it(tmp_path) -> None:
    """Row by row: the one is the log's value, rounded as the table rounds, the other is none of it."""
    (tmp_path / "run.txt").write_text(LOG)
    table = tmp_path / "report.csv"
    table.write_text("benchmark,time (ms/op)\nBenchmarkA,1.235\nBenchmarkB,7.100\n")
    results = load(tmp_path)
    left = results.frame[results.frame["source"] == "report.csv"]
    assert left["benchmark"].tolist() == ["B"], "7.1 ms is no value of the log: another measurement"
    assert [one.message for one in results.caveats] == [
        "report.csv: 1 of 2 values are also told by run.txt, and read from there"
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
    assert dropped[0] == (
        "benchmark_IOstats.csv: 261 of 261 values are also told by BenchmarkValidatorTransfer.log and 6 more files, "
        "and read from there; these take bits, inputs, outputs from it"
    )
    assert_accounted(results)


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


GOOGLE = DATA / "google_benchmark" / "reps5.json"


@pytest.mark.parametrize("named", [False, True])
def test_a_table_of_another_run_is_kept_whole(named: bool, tmp_path: Path) -> None:
    """Between the least and the largest value of a benchmark of many sizes lies nearly anything: a size is asked."""
    shutil.copy(GOOGLE, tmp_path / "monday.json")
    rows = '"BM_Sum/64",1000,150,150,ns\n"BM_Sum/4096",1000,600,600,ns\n'
    (tmp_path / "tuesday.csv").write_text(f"name,iterations,real_time,cpu_time,time_unit\n{rows}")
    paths = [tmp_path / "monday.json", tmp_path / "tuesday.csv"] if named else [tmp_path]
    results = load(*paths)
    assert values(results, source="tuesday.csv") == pytest.approx([150e-9, 600e-9])
    assert "superseded-file" not in {one.code for one in results.caveats}


def google_csv(factor: float = 1.0) -> str:
    """Return the time of each repetition of `GOOGLE` as google-benchmark's CSV has it, or so much slower."""
    lines = ["name,iterations,real_time,cpu_time,time_unit"]
    for one in json.loads(GOOGLE.read_text())["benchmarks"]:
        if one["run_type"] == "iteration" and "real_time" in one:
            times = ",".join(f"{one[key] * factor:g}" for key in ("real_time", "cpu_time"))
            lines.append(f'"{one["name"]}",{one["iterations"]},{times},{one["time_unit"]}')
    return "\n".join(lines) + "\n"


def test_each_row_of_a_table_finds_its_own_configuration(tmp_path: Path) -> None:
    """The CSV of the same run goes row by row; the one of a run 3 % slower stays."""
    shutil.copy(GOOGLE, tmp_path)
    (tmp_path / "same.csv").write_text(google_csv())
    (tmp_path / "slower.csv").write_text(google_csv(1.03))
    results = load(tmp_path)
    assert set(results.frame["source"]) == {"reps5.json", "slower.csv"}
    assert len(values(results, source="slower.csv")) == len(values(results, source="reps5.json"))
    assert_accounted(results)


def hyperfine_csv(factor: float) -> str:
    """Return hyperfine's CSV of the commands of its JSON, so much slower."""
    lines = ["command,mean,stddev,median,user,system,min,max"]
    for one in json.loads((DATA / "hyperfine" / "params.json").read_text())["results"]:
        keys = ("mean", "stddev", "median", "user", "system", "min", "max")
        command = one["command"].replace('"', '""')
        lines.append(",".join([f'"{command}"', *(repr(one[key] * factor) for key in keys)]))
    return "\n".join(lines) + "\n"


def test_a_day_3_percent_slower_is_another_day(tmp_path: Path) -> None:
    """Tuesday's medians lie among Monday's times and are none of their statistics: all 28 values stay."""
    shutil.copy(DATA / "hyperfine" / "params.json", tmp_path / "monday.json")
    (tmp_path / "tuesday.csv").write_text(hyperfine_csv(1.03))
    results = load(tmp_path)
    assert len(results.frame[results.frame["source"] == "tuesday.csv"]) == 28
    assert not results.caveats
    (tmp_path / "tuesday.csv").write_text(hyperfine_csv(1.0))
    assert set(load(tmp_path).frame["source"]) == {"monday.json"}, "every statistic of its own day is told by the times"


def test_no_run_that_was_named_gives_way_to_another(tmp_path: Path) -> None:
    """Two paths are two runs: even of the same numbers, which a quiet counter may give."""
    shutil.copy(DATA / "hyperfine" / "params.json", tmp_path / "monday.json")
    (tmp_path / "tuesday.csv").write_text(hyperfine_csv(1.0))
    results = load(tmp_path / "monday.json", tmp_path / "tuesday.csv")
    assert len(values(results, run="tuesday")) == 4
    assert len(values(results, run="monday")) == 40
    # What failed in one run is no failure of the other.
    (tmp_path / "old.log").write_text("--- FAIL: BenchmarkA-2\nBenchmarkB-2 10 5 ns/op\n")
    (tmp_path / "new.csv").write_text("bench,bits,I,O,allocs,RAM bytes,time ms\nBenchmarkA,32,1,1,918,74352,4\n")
    assert load(tmp_path / "old.log", tmp_path / "new.csv").failed.empty


def test_a_table_beside_some_of_its_logs_loses_their_rows_only(tmp_path: Path) -> None:
    """Sizes 1 and 2 are in the log and count once; size 3 is in the table alone, and stays."""
    lines = [
        f"BenchmarkA/size={size}-2 10 {1234567 * size + step} ns/op\n" for size in (1, 2) for step in (0, 9000, 100)
    ]
    (tmp_path / "a.txt").write_text("".join(lines))
    table = "benchmark,size,gomaxprocs,time (ns/op)\nA,1,2,1234667\nA,2,2,2469234\nA,3,2,3703801\n"
    (tmp_path / "medians.csv").write_text(table)
    results = load(tmp_path)
    assert [len(values(results, size=size)) for size in (1, 2, 3)] == [3, 3, 1]
    assert_accounted(results)


@pytest.mark.parametrize("statistic", [statistics.median, statistics.mean, min, max, sum, statistics.geometric_mean])
def test_a_table_may_say_any_statistic_of_its_log(statistic, tmp_path: Path) -> None:
    """The table of one run, whichever number it calls the time."""
    times = [1200, 1300, 1500, 1900]
    (tmp_path / "a.txt").write_text("".join(f"BenchmarkA-2 10 {one} ns/op\n" for one in times))
    (tmp_path / "b.csv").write_text(f"benchmark,time (ns/op)\nA,{statistic(times):.1f}\n")
    assert values(load(tmp_path)) == pytest.approx([one * 1e-9 for one in times])


def test_few_digits_agree_by_chance(tmp_path: Path) -> None:
    """In a table of which a row contradicts the log, `12` is no evidence that another row is the log's 12.3 ms."""
    (tmp_path / "a.txt").write_text("BenchmarkA-2 10 12300000 ns/op\nBenchmarkB-2 10 25000000 ns/op\n")
    (tmp_path / "b.csv").write_text("benchmark,time (ms/op)\nA,12\nB,31\n")
    assert len(load(tmp_path).frame) == 4
    (tmp_path / "b.csv").write_text("benchmark,time (ms/op)\nA,12\nB,25\n")
    assert len(load(tmp_path).frame) == 2


def test_a_row_with_another_value_in_it_is_of_another_run(tmp_path: Path) -> None:
    """Allocations are the same in every run: beside a time that differs they are no copy either."""
    (tmp_path / "a.txt").write_text("BenchmarkA-2 10 1234567 ns/op 74352 B/op 918 allocs/op\n")
    (tmp_path / "b.csv").write_text("benchmark,time (ns/op),B/op,allocs/op\nA,1271604,74352,918\n")
    assert len(load(tmp_path).frame) == 6


RATES = {("pool", 1): 28.35, ("pool", 2): 41.27, ("serial", 1): 26.49, ("serial", 2): 30.11}


def executors(folder: Path, rates: dict[tuple[str, int], float]) -> Results:
    """Write a log for each executor and a table that alone says which is which, and load them."""
    for (executor, workers), rate in rates.items():
        log = f"BenchmarkA/workers={workers}-2 10 {1e9 / rate:.0f} ns/op {rate:.2f} op/s\n"
        # Another benchmark in each, lest two logs of one rate be copies.
        log += f"BenchmarkB-2 10 {sum(executor.encode())} ns/op\n"
        (folder / f"{executor}{workers}.txt").write_text(log)
    rows = [f"A,{executor},{workers},{rate}\n" for (executor, workers), rate in rates.items()]
    (folder / "table.csv").write_text("benchmark,executor,workers,throughput (op/s)\n" + "".join(rows))
    return load(folder)


def test_a_table_hands_its_logs_what_it_alone_states(tmp_path: Path) -> None:
    """The executor stands in no log: each takes it from the row of the table that it is."""
    results = executors(tmp_path, RATES)
    for (executor, workers), rate in RATES.items():
        assert values(results, "throughput", executor=executor, workers=workers) == [rate]
        of = results.frame[(results.frame["executor"] == executor) & (results.frame["workers"] == workers)]
        assert set(of["source"]) == {f"{executor}{workers}.txt"}, "the evidence is the log's line"
    assert [one.message for one in results.caveats] == [
        "table.csv: 4 of 4 values are also told by pool1.txt and 3 more files, and read from there; "
        "these take executor from it"
    ]


def test_a_row_that_fits_two_logs_leaves_them_as_they_are_and_says_so(tmp_path: Path) -> None:
    """Two executors of the same rate cannot be told apart by it; the third can."""
    results = executors(tmp_path, {("pool", 1): 28.35, ("serial", 1): 28.35, ("unbounded", 1): 26.49})
    assert len(values(results, "throughput")) == 3
    assert set(results.frame["executor"].dropna()) == {"unbounded"}
    (said,) = (one for one in results.caveats if one.code == "files-alike")
    assert said.message.startswith("table.csv states executor of values that stand in several files")


def test_a_log_that_two_rows_claim_is_neithers(tmp_path: Path) -> None:
    """One log, two executors of its rate: the rows stay apart, as which of them is the log's is not known."""
    executors(tmp_path, {("pool", 1): 28.35, ("serial", 1): 28.35})
    (tmp_path / "serial1.txt").unlink()
    results = load(tmp_path)
    assert len(values(results, "throughput")) == 3
    assert not results.caveats


def test_what_fits_one_log_only_leaves_the_other_to_the_next(tmp_path: Path) -> None:
    """Pool's time stands in both logs, serial's in one: by elimination each has its own."""
    (tmp_path / "one.txt").write_text("BenchmarkA-2 10 3571428 ns/op\nBenchmarkA-2 10 3571429 ns/op\n")
    (tmp_path / "two.txt").write_text("BenchmarkA-2 10 3571428 ns/op\nBenchmarkA-2 10 9999999 ns/op\n")
    rows = "benchmark,executor,time (ns/op)\nA,pool,3571428\nA,serial,9999999\n"
    (tmp_path / "table.csv").write_text(rows)
    results = load(tmp_path)
    assert values(results, executor="pool") == pytest.approx([3571428e-9, 3571429e-9])
    assert values(results, executor="serial") == pytest.approx([3571428e-9, 9999999e-9])


def test_the_matrix_tells_its_executors_apart(shared_samples: Path) -> None:
    """Every parallel log has the executor that its name has, which only the CSV states; the serial ones have bits."""
    results = load(shared_samples / "token-sdk/matrix")
    frame = results.frame
    parallel = frame[frame["benchmark"].astype(str).str.startswith("TestParallel")]
    assert len(parallel) > 0
    for source, executor in parallel[["source", "executor"]].drop_duplicates().itertuples(index=False):
        assert f"-{executor}-" in source
    cells = parallel.groupby(["name", "executor", "metric"], observed=True).size()
    assert set(cells) == {1}, "three executors are no repeats of each other"
    serial = frame[frame["bits"].notna()]
    for name, *levels in serial[["name", "bits", "inputs", "outputs"]].drop_duplicates().itertuples(index=False):
        found = re.search(r"bits_(\d+),_curve_\w+,_#i_(\d+),_#o_(\d+)", name)
        assert not found or [int(one) for one in found.groups()] == levels


K6 = DATA / "k6"


def handled(export: Path) -> str:
    """Return a summary of ``--summary-export`` as ``handleSummary`` writes the same run."""
    metrics = json.loads(export.read_text())["metrics"]
    shaped = {
        name: {"type": "rate" if "passes" in one else "trend" if "avg" in one else "counter", "values": one}
        for name, one in metrics.items()
    }
    for name, one in shaped.items():
        one["contains"] = "time" if name.startswith("http_req_") or name == "iteration_duration" else "default"
        one["contains"] = "data" if name.startswith("data_") else one["contains"]
    return json.dumps({"root_group": {}, "metrics": shaped})


def test_requests_in_two_notations_count_once(tmp_path: Path) -> None:
    """22 requests as JSON and as CSV, though only the JSON has the script's own trends."""
    for name in ("points.json", "points.csv"):
        shutil.copy(K6 / name, tmp_path)
    results = load(tmp_path)
    assert len(values(results, "latency")) == 20
    assert len(results.failed) == 2
    assert "points.csv: 22 of 22 values are also told by points.json; they are counted once" in {
        one.message for one in results.caveats
    }
    assert_accounted(results)
    assert len(values(load(tmp_path / "points.json", tmp_path / "points.csv"), "latency")) == 40, "two named runs"


def test_a_summary_beside_its_requests_keeps_what_they_do_not_tell(tmp_path: Path) -> None:
    """Everything k6 wrote of one run: one set of requests, and once the rates and durations of the whole run."""
    for name in ("points.json", "points.csv", "export.json", "compact.txt"):
        shutil.copy(K6 / name, tmp_path)
    (tmp_path / "handle_summary.json").write_text(handled(tmp_path / "export.json"))
    results = load(tmp_path)
    assert len(values(results, "latency")) == 20
    rows = results.failed[~results.failed["metric"].astype(str).str.startswith("latency")]
    assert set(results.failed["source"][results.failed["metric"] == "latency"]) == {"points.json"}
    assert not results.failed["metric"].astype(str).str.startswith("latency_").any()
    assert (rows["metric"] == "throughput").sum() == 1
    assert (rows["metric"] == "requests").sum() == 1
    assert_accounted(results)


def test_a_summary_of_another_run_stands_beside_the_requests(tmp_path: Path) -> None:
    """The same script on another minute: none of its 35 values is of these requests."""
    shutil.copy(K6 / "points.json", tmp_path)
    shutil.copy(K6 / "handle_summary.json", tmp_path)
    shutil.copy(K6 / "export.json", tmp_path)
    results = load(tmp_path)
    assert (results.failed["source"] == "handle_summary.json").sum() == 35
    assert_accounted(results)


def test_printed_and_written_summaries_of_a_run_are_one(shared_samples: Path) -> None:
    """k6 printed 17 values with a few digits, and wrote the same 17 with all."""
    results = load(shared_samples / "other" / "k6")
    assert set(results.failed["source"]) == {"summary.json"}
    assert len(results.failed) == 17
    assert_accounted(results)


def test_results_cut_out_of_a_longer_log_count_once(tmp_path: Path) -> None:
    """Only what both hold; a benchmark of which one value differs shows that they are two measurements."""
    rows = "".join(f"BenchmarkA{one}-2 10 {1234567 + 1001 * one} ns/op\n" for one in range(6))
    (tmp_path / "all.txt").write_text(rows + "BenchmarkB-2 10 7654321 ns/op\n")
    (tmp_path / "some.txt").write_text(rows)
    results = load(tmp_path)
    assert len(results.frame) == 7
    assert_accounted(results)
    (tmp_path / "some.txt").write_text(rows.replace("1234567", "1234599"))
    assert len(load(tmp_path).frame) == 13


def test_numbers_beyond_a_float_are_held_against_nothing(tmp_path: Path) -> None:
    """Sums and squares of such numbers overflow; nothing is said of it and nothing dropped."""
    (tmp_path / "a.txt").write_text("BenchmarkA-2 10 1.6e308 widgets\nBenchmarkA-2 10 1.7e308 widgets\n")
    (tmp_path / "b.csv").write_text(
        "benchmark,metric,value,unit\nA,widgets,1.5e308,widgets\nA,widgets_stdev,3,widgets\n"
    )
    assert len(load(tmp_path).frame) == 4


SWEEP = {1: 2245, 2: 6768, 4: 7156, 8: 4861}


def swept(folder: Path, **lines: str) -> list[str]:
    """Write a log for each level and a table of a project; return what is said of two names."""
    for level, rate in SWEEP.items():
        suffix = f"-{level}" if level > 1 else ""
        (folder / f"cpu{level}.txt").write_text(
            f"pkg: p\nBenchmarkRPS{suffix} 100 {10**9 // rate} ns/op {rate} req/s\n"
        )
    for name, text in lines.items():
        (folder / name.replace("__", ".")).write_text(text)
    return [one.message for one in load(folder).caveats if one.code == "two-names"]


def test_a_table_that_calls_a_benchmark_otherwise_is_said_with_its_files(tmp_path) -> None:
    """Two curves of one measurement would look as if they agreed; both are kept, since names are not ours to join."""
    rows = "".join(f"{level},Discover+RPS,{rate}.000,0.5\n" for level, rate in SWEEP.items())
    said = swept(tmp_path, report__csv=f"gomaxprocs,benchmark,rps,mean_latency_ms\n{rows}")
    assert said == [
        "report.csv has the same 4 values of Discover+RPS as cpu1.txt and 3 more files of RPS (throughput): "
        "one measurement under two names"
    ]
    assert len(load(tmp_path).frame) == 2 * len(SWEEP) + 2 * len(SWEEP)


@pytest.mark.parametrize(
    "rates",
    [
        {1: 2245, 2: 6768, 4: 7150, 8: 4861},
        {1: 6768, 2: 2245, 4: 7156, 8: 4861},
        {1: 2245},
    ],
    ids=["another value", "other levels", "by chance"],
)
def test_values_that_are_not_all_those_of_another_name_say_nothing(tmp_path, rates: dict[int, int]) -> None:
    """One that differs, one at another level, or one that four digits could share by chance."""
    rows = "".join(f"{level},Discover+RPS,{rate}.000\n" for level, rate in rates.items())
    assert swept(tmp_path, report__csv=f"gomaxprocs,benchmark,rps\n{rows}") == []
