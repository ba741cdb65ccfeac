"""``benchlib inspect``: what was recognised, as text and as data."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

from benchlib.study import open_study
from tests.cli import calling

printed = partial(calling.printed, "inspect")
document = partial(calling.document, "inspect")
refused = partial(calling.refused, "inspect")

ROOT = Path(__file__).parents[2]

GO = (
    "goos: linux\n"
    "BenchmarkEncode/size=8-4 \t 10\t 5 ns/op\t 3 widgets\n"
    "BenchmarkEncode/size=16-4 \t 10\t 9 ns/op\t 4 widgets\n"
    "BenchmarkDecode-4 \t 10\t NaN ns/op\n"
    "BenchmarkCut-4 \t 10\n"
)


def test_values_that_a_sentence_can_name_are_listed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Name and value, one a line; those that the sentences of studies name are there; one study at a time."""
    path = str(ROOT / "data" / "heavy-read-api-published")
    told = dict(line.split(maxsplit=1) for line in printed(capsys, "--values", path).splitlines())
    assert told["latency_p50.direct"] == "29%"
    assert document(capsys, "--values", path)["latency_p50.direct"]["value"] == pytest.approx(0.2896, abs=1e-4)
    study = open_study(path)
    named = re.findall(r"{([^}:]+)", study.answer + study.decision) + [one.split()[0] for one in study.answer_if]
    assert set(named) <= set(told)
    told_of_two = refused(capsys, "--values", path, str(tmp_path))
    assert told_of_two == "--values takes one study, not 2 paths"


def test_a_study_that_is_begun_opens_as_it_stands(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """What ``--write`` prints stands in the folder; none is written over, and a file alone has no place for one."""
    (tmp_path / "run.txt").write_text(GO.replace("-4", "-2") + GO)
    begun = printed(capsys, "--write", str(tmp_path))
    assert (tmp_path / "study.toml").read_text() == begun
    assert open_study(tmp_path).scaling.concurrency == "gomaxprocs"
    assert "has a study.toml" in refused(capsys, "--write", str(tmp_path))
    assert "--write takes a folder" in refused(capsys, "--write", str(tmp_path / "run.txt"))


def test_a_broken_pipe_is_no_error(tmp_path: Path) -> None:
    """``benchlib inspect ... | head -1`` ends quietly."""
    import subprocess
    import sys

    # More names than a pipe's buffer holds.
    names = "".join(f"BenchmarkX{number}{'v' * 60}-4 \t 10\t 5 ns/op\n" for number in range(2000))
    (tmp_path / "run.txt").write_text(names)
    command = [sys.executable, "-m", "benchlib", "inspect", str(tmp_path), "--format", "json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(60) == 0


def test_what_a_study_could_say_is_suggested(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Benchmarks that are parallel by their name, until the study lists them; axes that cells would mix."""
    names = ("A_Parallel/size=1", "A_Parallel/size=2", "B_RPS", "Purpose", "Warps")
    (tmp_path / "run.txt").write_text("".join(f"Benchmark{one}-4 10 5 ns/op\n" for one in names))
    found = document(capsys, str(tmp_path))
    assert (found["parallel_candidates"], found["residue"]) == (["A_Parallel", "B_RPS"], ["size"])
    text = printed(capsys, str(tmp_path))
    assert "suggestion  parallel in [configuration] of study.toml" in text
    assert "residue     size: mixed within a benchmark" in text
    (tmp_path / "study.toml").write_text('[configuration]\nparallel = ["A_*"]\n[effects]\nfactors = ["size"]\n')
    found = document(capsys, str(tmp_path))
    assert (found["parallel_candidates"], found["residue"]) == (["B_RPS"], [])


def test_what_failed_is_listed_with_its_levels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By benchmark; a level that all rows share is left out of the text, and nothing is said to be none."""
    table = "benchmark,url,workers,time_ms,status\n"
    (tmp_path / "all.csv").write_text(table + "a,/x,1,5,failed\na,/x,2,6,timeout\nb,/y,1,6,error\n")
    found = document(capsys, str(tmp_path / "all.csv"))
    assert found["failed"] == [
        {"benchmark": "a", "rows": 2, "axes": {"url": ["/x"], "workers": [1, 2]}},
        {"benchmark": "b", "rows": 1, "axes": {"url": ["/y"], "workers": [1]}},
    ]
    shown = printed(capsys, str(tmp_path / "all.csv")).splitlines()
    assert shown[:4] == [
        "0 rows from 1 file, 3 set apart because their calls failed",
        "metric      time in sec, lower is better",
        "failed      a: 2 rows; url /x; workers 1, 2",
        "failed      b: 1 row; url /y; workers 1",
    ]
    (tmp_path / "some.csv").write_text(table + "a,/x,1,5,ok\na,/x,2,6,timeout\n")
    assert "failed      a: 1 row; workers 2" in printed(capsys, str(tmp_path / "some.csv")).splitlines()


def test_many_failed_benchmarks_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Twenty lines, and how many more there are."""
    rows = "".join(f"b{number},5,failed\n" for number in range(22))
    (tmp_path / "all.csv").write_text("benchmark,time_ms,status\n" + rows)
    shown = printed(capsys, str(tmp_path / "all.csv")).splitlines()
    assert sum(one.startswith("failed ") for one in shown) == 21
    assert "failed      and 2 more benchmarks" in shown
