"""From readings to the table: one name a metric, no value that cannot be one, and what readers remark."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.errors import InputError, StudyError
from benchlib.formats import load
from benchlib.formats.table import timeouts
from benchlib.study import open_study

DATA = Path(__file__).parents[1] / "data"
REMEDY = "value skipped; correct it or measure again"


def write(folder: Path, name: str, text: str) -> Path:
    """Write one file and return its path."""
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_no_amount_is_negative(tmp_path: Path) -> None:
    """Each value with its file, line and unit as written; what is left counts, and the lines add up."""
    text = "benchmark,time_ms,rps,memory_kib,celsius\nA,-1.5,3,-2,-20.5\nB,-2,-1e3,4,1.25\nC,-4,,,\nD,1,2,3,4.5\n"
    results = load(write(tmp_path, "t.csv", text))
    assert [str(problem) for problem in results.problems] == [
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
    results = load(write(tmp_path, "t.csv", text))
    assert (len(results.frame), len(results.failed), len(results.problems)) == (1, 1, 1)


#: Requests that failed, of 10,000 -> whether the values stand.
PROPORTIONS: dict[str, dict[str | int, bool]] = {
    "requests,failed,rps\n9987,0,5\n10000,{},6": {0: True, 9: True, 11: False},
    "requests,error_rate,rps\n9987,0,5\n10000,{},6": {"0.0005": True, "0.05%": True, "2%": False, 2: False},
}


@pytest.mark.parametrize("text", PROPORTIONS)
def test_few_failures_are_a_caveat_and_many_set_a_value_apart(tmp_path: Path, text: str) -> None:
    """Up to 0.1 % of the operations, or the share that is asked for; the caveat says how many."""
    for failed, stands in PROPORTIONS[text].items():
        results = load(write(tmp_path, "t.csv", text.format(failed)))
        assert results.frame["value"].tolist() == ([5, 6] if stands else [5])
    few = text.format(next(failed for failed in PROPORTIONS[text] if failed))
    [caveat] = [caveat for caveat in load(write(tmp_path, "t.csv", few)).caveats if caveat.code == "few-failures"]
    assert caveat.message.startswith(("t: 9 of 10,000 operations (0.09 %)", "t: 5 of 10,000 operations (0.05 %)"))
    assert load(tmp_path / "t.csv", tolerated=0.0).frame["value"].tolist() == [5]
    many = text.format(11 if "failed" in text else "2%")
    assert load(write(tmp_path, "t.csv", many), tolerated=0.05).frame["value"].tolist() == [5, 6]


@pytest.mark.parametrize("failure", ["status,failed", "error,refused", "exit_code,9", "crashed,true", "success,false"])
def test_a_failure_that_is_not_counted_is_of_all_operations(tmp_path: Path, failure: str) -> None:
    """However many they are: no value of a call that crashed stands for being one of a million."""
    head, cell = failure.split(",")
    sound = "true" if head == "success" else ""
    text = f"benchmark,iterations,time_ms,{head}\nA,1000000,5,{cell}\nB,1000000,5,{sound}\n"
    results = load(write(tmp_path, "t.csv", text))
    assert (results.frame["benchmark"].tolist(), results.failed["errors"].tolist()) == (["B"], [1e6])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "url,time_ms,status_code\n/a,1,200\n/a,2,429\n/a,3,503\n"),
        ("t.jtl", "timeStamp,elapsed,label,responseCode,success\n"
                  "1,1,/a,200,true\n2,2,/a,429,false\n3,3,/a,503,false\n"),
        ("t.json", "".join(
            f'{{"attack":"","seq":{at},"code":{code},"timestamp":"2026-01-01T00:00:00Z","latency":{at + 1}000000}}\n'
            for at, code in enumerate((200, 429, 503)))),
        ("t.csv", "url,time_ms,status\n/a,1,ok\n/a,2,rejected\n/a,3,crashed\n"),
    ],
)  # fmt: skip
def test_a_failure_that_the_study_expects_is_none(tmp_path: Path, name: str, text: str) -> None:
    """A rate limiter is to answer 429; what nobody expects is still set apart."""
    expected = "rejected" if "rejected" in text else "429"
    write(tmp_path, name, text)
    assert len(open_study(tmp_path).results.frame) == 1
    write(tmp_path, "study.toml", f'[failures]\nexpected = ["{expected}"]\n')
    results = open_study(tmp_path).results
    assert (results.frame["value"].round(6).tolist(), len(results.failed)) == ([0.001, 0.002], 1)


def test_an_expected_outcome_that_no_result_tells_is_refused(tmp_path: Path) -> None:
    """It is misspelt, or the files do not say why calls failed."""
    write(tmp_path, "t.csv", "url,time_ms,status_code\n/a,1,200\n")
    write(tmp_path, "study.toml", '[failures]\nexpected = ["4xx"]\n')
    with pytest.raises(StudyError, match=r"study\.toml:2: .*no result tells the outcome '4xx'; remove it"):
        open_study(tmp_path)


def test_a_file_of_nothing_but_negative_times_holds_no_result(tmp_path: Path) -> None:
    """One line, with the first of them."""
    path = write(tmp_path, "run.txt", "BenchmarkA-8 10 -5 ns/op\n")
    with pytest.raises(InputError) as caught:
        load(path)
    first = f"run.txt:1: time is -5 ns/op: no time is negative; {REMEDY}"
    assert str(caught.value) == f"{path}: holds no result; first problem: {first}"


def test_the_difference_of_two_profiles_may_be_negative(tmp_path: Path) -> None:
    """``go tool pprof -diff_base`` says which functions became cheaper."""
    table = "      flat  flat%   sum%        cum   cum%\n    -0.20s 20.00% 20.00%     -0.10s 10.00%  main.work\n"
    results = load(write(tmp_path, "top.txt", "File: x\nType: cpu\n" + table))
    assert results.problems == ()
    assert results.frame.set_index("metric").loc["flat_time", "value"] == -0.2


def test_a_percentile_of_any_tool_has_one_name(tmp_path: Path) -> None:
    """``p999`` of a table, ``p99.9`` of Go and of another table: one metric, in conditions and studies too."""
    write(tmp_path, "a.csv", "benchmark,p999_ms\nA,1.5\n")
    write(tmp_path, "b.csv", "benchmark,metric,value,unit\nA,latency_p99.90,2.5,ms\n")
    write(tmp_path, "c.txt", "BenchmarkA-8 10 3500000 p99.9-ns\n")
    results = load(tmp_path)
    assert set(results.frame["metric"]) == set(results.metrics) == {"latency_p99.9"}
    assert sorted(results.frame["value"]) == pytest.approx([1.5e-3, 2.5e-3, 3.5e-3])
    for written in ("latency_p999", "latency_p99.9", "time,latency_p999"):
        assert len(results.select(f"metric={written}").frame) == 3
    write(tmp_path, "study.toml", '[[targets]]\nname = "tail"\nmetric = "latency_p999"\nat_most = "9 ms"\n')
    assert open_study(tmp_path).targets[0].metric == "latency_p99.9"


def test_a_value_beyond_a_float_in_its_base_unit_is_no_measurement(tmp_path: Path) -> None:
    """1e308 hours are more seconds than a float holds: a problem of that line, and no warning."""
    path = write(tmp_path, "a.csv", "benchmark,metric,value,unit\nA,time,1e308,h\nB,time,1,h\n")
    results = load(path)
    assert [str(problem) for problem in results.problems] == ["a.csv:2: time is inf: no measurement; value skipped"]
    assert results.frame["value"].tolist() == [3600.0]


# What readers remark of a file reaches every conclusion as a caveat.


def test_a_closed_loop_is_told_once_for_all_files(tmp_path: Path) -> None:
    """With the tool and the files, the third and further ones counted."""
    raw = (DATA / "jmeter" / "plan.jtl").read_bytes()
    for name in ("a.jtl", "b.jtl", "c.jtl"):
        # A file that repeats another to the last digit would count once.
        (tmp_path / name).write_bytes(raw.replace(b",96,Home", f",{ord(name[0])},Home".encode()))
    messages = [caveat.message for caveat in load(tmp_path).caveats if caveat.code == "closed-loop"]
    assert messages == ["a.jtl, b.jtl and 1 more file: JMeter waits for each answer before it sends the next request"]


def test_a_rounded_table_is_told_where_it_is_used(tmp_path: Path) -> None:
    """A lone table made from logs says that it is rounded, and how."""
    [table] = (DATA / "token_sdk_csv").glob("*.csv")
    (tmp_path / "t.csv").write_bytes(table.read_bytes())
    [message] = [caveat.message for caveat in load(tmp_path).caveats if caveat.code == "rounded-values"]
    assert message.startswith("t.csv: times and latencies are cut to whole milliseconds")


def test_requests_that_timed_out_are_told_for_each_run() -> None:
    """With benchmark, file and count: they are in no percentile of that run."""
    results = load(DATA / "wrk" / "slow_all_timeout_c8.txt")
    [caveat] = timeouts(results)
    assert caveat.code == "latency-excludes-timeouts"
    assert caveat.message.endswith("requests timed out and are in no percentile")
    assert caveat not in results.caveats, "it is told beside latencies"
