"""JMH: one value a fork, percentiles of sampled calls, either decimal mark in CSV."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from benchlib.formats import load
from benchlib.formats.reader import Reading, TextFile
from benchlib.formats.suites import JMH, JMH_CSV

DATA = Path(__file__).parents[1] / "data" / "jmh"


def read(metric: object, **fields: object) -> Reading:
    """Read one benchmark with this primary metric."""
    entry = {"jmhVersion": "1.37", "benchmark": "a.b.C.m", "mode": "avgt", "threads": 4, "primaryMetric": metric}
    return JMH.read(TextFile("a.json", [json.dumps([{**entry, **fields}])]))


def test_one_value_a_fork() -> None:
    """6 benchmarks of 2 forks (jq): 12 values, each the mean of the 3 iterations of its fork."""
    results = load(DATA / "result.json")
    frame = results.frame
    assert frame["metric"].isin(["time", "throughput"]).sum() == 12
    first = (0.6336584549242411 + 0.8824030043023342 + 0.7194080510925442) / 3 * 1e6
    assert frame["value"].iloc[0] == pytest.approx(first, rel=1e-12)
    assert set(frame["benchmark"]) == {"DemoBench.hashTput", "DemoBench.build", "DemoBench.hashSample"}
    assert set(frame["size"]) == {10, 100}
    assert set(frame["pkg"]) == {"demo"}
    assert results.files[0].lines.data == results.files[0].lines.total == 6
    assert not results.problems


def test_sample_mode_has_a_histogram_and_percentiles() -> None:
    """A fork's mean is that of its histogram: 37947.254 us over 29332 calls (jq); 10 percentiles each."""
    frame = load(DATA / "result.json").frame
    sampled = frame[frame["mode"] == "sample"]
    assert (sampled["metric"] == "time").sum() == 4
    assert sampled["value"].iloc[0] == pytest.approx(37947.254000000015 / 29332 * 1e-6, rel=1e-12)
    latencies = sampled[sampled["metric"].astype(str).str.startswith("latency_")]
    assert len(latencies) == 20
    assert set(latencies["unit"]) == {"sec"}
    assert sampled.loc[sampled["metric"] == "latency_p99.9", "value"].iloc[0] == pytest.approx(22.48239999999991e-6)
    assert {"latency_min", "latency_p50", "latency_max"} <= set(latencies["metric"])


def test_profilers_are_metrics_of_their_own() -> None:
    """The normalised allocation rate is memory an operation; others keep their name."""
    reading = read(
        {"scoreUnit": "ns/op", "rawData": [[1.0], [2.0]]},
        secondaryMetrics={
            "·gc.alloc.rate.norm": {"scoreUnit": "B/op", "rawData": [[16.0], [18.0]]},
            "gc.count": {"scoreUnit": "counts", "score": 3},
        },
    )
    assert list(reading.rows.metric) == [None, None, "memory", "memory", "gc_count"]
    assert list(reading.rows.value) == [1.0, 2.0, 16.0, 18.0, 3.0]
    assert reading.configurations[0]["threads"] == 4


def test_a_score_that_is_no_number_is_missing() -> None:
    """JMH writes "NaN" as a text: such an iteration, and a fork of nothing else, is told and gives no value."""
    reading = read({"scoreUnit": "ns/op", "rawData": [["NaN", 4.0], ["NaN", "NaN"], [6.0]], "scoreError": "NaN"})
    assert list(reading.rows.value) == [4.0, 6.0]
    assert reading.problems == [
        (1, "fork 1 of a.b.C.m: 1 of 2 iterations are NaN; left out"),
        (1, "fork 2 of a.b.C.m has no iteration with a value; left out"),
    ]
    reading = read({"scoreUnit": "ns/op", "rawData": [["NaN"]], "score": "NaN"})
    assert "has no score" in reading.problems[0][1]


def test_without_raw_data_the_score_is_one_sample() -> None:
    """Older files hold a score alone."""
    assert list(read({"scoreUnit": "ns/op", "score": 7}).rows.value) == [7.0]


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        (None, "has no score"),
        ([], "primaryMetric is a list"),
        ({"rawData": [["x"]]}, 'score is "x"'),
        ({"rawDataHistogram": [[[[1]]]]}, "pairs of value and count"),
        ({"rawDataHistogram": [[[[1, -1]]]]}, "no number"),
    ],
)
def test_a_bad_metric_is_a_problem(metric: object, said: str) -> None:
    """Each says what is wrong and leaves no value."""
    reading = read(metric)
    assert said in reading.problems[0][1]
    assert not len(reading.rows)


def test_csv_is_one_sample_a_benchmark() -> None:
    """Two scores; the error that could not be computed is no value."""
    results = load(DATA / "result.csv")
    assert results.frame["value"].tolist() == pytest.approx([1198912.0, 108126.0], rel=1e-12)
    assert results.frame["size"].tolist() == [10, 100]
    assert set(results.frame["metric"]) == {"throughput"}
    assert (results.files[0].lines.data, results.files[0].lines.context) == (2, 1)


def test_a_csv_of_the_same_run_gives_way_to_the_json(tmp_path: Path) -> None:
    """The mean of the forks is not one more sample of them."""
    shutil.copy(DATA / "result.json", tmp_path)
    same = (DATA / "result.csv").read_text().replace("1.198912", "0.703400").replace("0.108126", "0.060400")
    (tmp_path / "result.csv").write_text(same)
    results = load(tmp_path)
    assert len(results.frame) == 32
    assert "superseded-file" in {one.code for one in results.caveats}


def test_semicolons_and_decimal_commas() -> None:
    """-rf scsv on a machine that writes decimal commas gives the same values."""
    lines = (DATA / "result.csv").read_text().splitlines()
    european = [one.replace(",", ";").replace(".9", ",9").replace("0.1", "0,1") for one in lines]
    european[0] = lines[0].replace(",", ";")
    file = TextFile("a.csv", european)
    assert "1.198912" in lines[1]
    european[1] = european[1].replace("1.198912", "1,198912")
    assert JMH_CSV.recognise(file) == "certain"
    assert list(JMH_CSV.read(file).rows.value) == [1.198912, 0.108126]


def test_csv_names_with_a_colon_are_percentiles_and_profilers() -> None:
    """``:p0.99`` of sample mode, ``:·gc.alloc.rate.norm`` of a profiler."""
    header = '"Benchmark","Mode","Threads","Samples","Score","Score Error (99.9%)","Unit"'
    lines = [
        header,
        '"a.C.m","sample",1,9,2.5,0.1,"us/op"',
        '"a.C.m:m·p0.99","sample",1,1,4.5,NaN,"us/op"',
        '"a.C.m:p1.00","sample",1,1,9.5,NaN,"us/op"',
        '"a.C.m:·gc.alloc.rate.norm","sample",1,2,16,NaN,"B/op"',
    ]
    reading = JMH_CSV.read(TextFile("a.csv", lines))
    assert list(reading.rows.metric) == [None, "latency_p99", "latency_max", "memory"]
    assert list(reading.rows.unit) == ["us/op", "us", "us", "B/op"]
    assert {one["benchmark"] for one in reading.configurations} == {"C.m"}


def test_a_damaged_csv_line_is_a_problem() -> None:
    """Cut lines, words for numbers and missing scores are told."""
    header, line, _ = (DATA / "result.csv").read_text().splitlines()
    lines = [header, line[:30], line.replace("1.198912", "fast"), line.replace("1.198912", "NaN"), line]
    reading = JMH_CSV.read(TextFile("a.csv", lines))
    assert (reading.lines.problem, reading.lines.data) == (3, 1)


def test_what_a_profiler_could_not_measure_is_told() -> None:
    """By its own name; the error of a score, which two forks alone cannot give, is NaN as a rule and no loss."""
    reading = read(
        {"scoreUnit": "ns/op", "rawData": [[1.0]], "scoreError": "NaN"},
        secondaryMetrics={"·gc.time": {"scoreUnit": "ms", "score": "NaN", "rawData": [["NaN"]]}},
    )
    assert list(reading.rows.value) == [1.0]
    assert reading.problems == [(1, "fork 1 of a.b.C.m gc_time has no iteration with a value; left out")]


def test_a_percentile_that_is_no_number_is_told() -> None:
    """The others stand."""
    histogram = {"scoreUnit": "us/op", "rawDataHistogram": [[[[2.0, 3]]]]}
    reading = read({**histogram, "scorePercentiles": {"50.0": 2.0, "99.0": "NaN"}}, mode="sample")
    assert list(reading.rows.metric)[1:] == ["latency_p50"]
    assert reading.problems == [(1, "percentile 99 of a.b.C.m is NaN; left out")]
