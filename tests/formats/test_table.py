"""From readings to the table: one name a metric, and no value that cannot be one."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.errors import InputError
from benchlib.formats import load
from benchlib.study import open_study

REMEDY = "value skipped; correct it or measure again"


def one(folder: Path, name: str, text: str) -> Path:
    """Write one file and return its path."""
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_no_amount_is_negative(tmp_path: Path) -> None:
    """Each value with its file, line and unit as written; what is left counts, and the lines add up."""
    text = "benchmark,time_ms,rps,memory_kib,celsius\nA,-1.5,3,-2,-20.5\nB,-2,-1e3,4,1.25\nC,-4,,,\nD,1,2,3,4.5\n"
    results = load(one(tmp_path, "t.csv", text))
    assert [str(one) for one in results.problems] == [
        f"t.csv:2: time is -1.5 ms: no time is negative; {REMEDY}",
        f"t.csv:2: memory is -2 KiB: no size is negative; {REMEDY}",
        f"t.csv:3: time is -2 ms: no time is negative; {REMEDY}",
        f"t.csv:3: throughput is -1000 req/s: no rate is negative; {REMEDY}",
        f"t.csv:4: time is -4 ms: no time is negative; {REMEDY}",
    ]
    assert results.frame["value"].tolist() == [3, -20.5, 4096, 1.25, 1e-3, 2, 3072, 4.5]
    [file] = results.files
    assert file.rows == len(results.frame)
    counts = file.lines
    assert (counts.data, counts.context, counts.problem, counts.noise) == (3, 1, 1, 0)


def test_a_negative_value_of_a_failed_call_is_left_out_too(tmp_path: Path) -> None:
    """It is a problem before it is a failure: neither table holds it."""
    text = "benchmark,time_ms,errors\nA,-1,3\nA,1,3\nA,1,0\n"
    results = load(one(tmp_path, "t.csv", text))
    assert (len(results.frame), len(results.failed), len(results.problems)) == (1, 1, 1)


def test_a_file_of_nothing_but_negative_times_holds_no_result(tmp_path: Path) -> None:
    """One line, with the first of them."""
    path = one(tmp_path, "run.txt", "BenchmarkA-8 10 -5 ns/op\n")
    with pytest.raises(InputError) as caught:
        load(path)
    first = f"run.txt:1: time is -5 ns/op: no time is negative; {REMEDY}"
    assert str(caught.value) == f"{path}: holds no result; first problem: {first}"


def test_the_difference_of_two_profiles_may_be_negative(tmp_path: Path) -> None:
    """``go tool pprof -diff_base`` says which functions became cheaper."""
    table = "      flat  flat%   sum%        cum   cum%\n    -0.20s 20.00% 20.00%     -0.10s 10.00%  main.work\n"
    results = load(one(tmp_path, "top.txt", "File: x\nType: cpu\n" + table))
    assert results.problems == ()
    assert results.frame.set_index("metric").loc["flat_time", "value"] == -0.2


def test_a_percentile_of_any_tool_has_one_name(tmp_path: Path) -> None:
    """``p999`` of a table, ``p99.9`` of Go and of another table: one metric, in conditions and studies too."""
    one(tmp_path, "a.csv", "benchmark,p999_ms\nA,1.5\n")
    one(tmp_path, "b.csv", "benchmark,metric,value,unit\nA,latency_p99.90,2.5,ms\n")
    one(tmp_path, "c.txt", "BenchmarkA-8 10 3500000 p99.9-ns\n")
    results = load(tmp_path)
    assert set(results.frame["metric"]) == set(results.metrics) == {"latency_p99.9"}
    assert sorted(results.frame["value"]) == pytest.approx([1.5e-3, 2.5e-3, 3.5e-3])
    for written in ("latency_p999", "latency_p99.9", "time,latency_p999"):
        assert len(results.select(f"metric={written}").frame) == 3
    one(tmp_path, "study.toml", '[[targets]]\nname = "tail"\nmetric = "latency_p999"\nat_most = "9 ms"\n')
    assert open_study(tmp_path).targets[0].metric == "latency_p99.9"


def test_a_value_beyond_a_float_in_its_base_unit_is_no_measurement(tmp_path: Path) -> None:
    """1e308 hours are more seconds than a float holds: a problem of that line, and no warning."""
    path = one(tmp_path, "a.csv", "benchmark,metric,value,unit\nA,time,1e308,h\nB,time,1,h\n")
    results = load(path)
    assert [str(one) for one in results.problems] == ["a.csv:2: time is inf: no measurement; value skipped"]
    assert results.frame["value"].tolist() == [3600.0]
