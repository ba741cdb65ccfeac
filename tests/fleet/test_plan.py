"""What ``reports.toml`` asks for: reports, their places, their order; and what it cannot mean."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchlib.cli import main
from tests.fleet.nights import Nights


def job(**keys: object) -> str:
    """Write a job as TOML; these values are JSON's too."""
    return "[[job]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())


def planned(folder: Path, fleet: str, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    Nights(folder, fleet)
    code = main(["fleet", "plan", str(folder / "reports.toml"), *arguments])
    return code, *capsys.readouterr()


def test_a_glob_is_a_report_for_each_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Named from the folder of the file; files beside the folders are none."""
    (tmp_path / "data/b").mkdir(parents=True)
    (tmp_path / "data/b/run.txt").write_text("BenchmarkX 10 5 ns/op\n")
    (tmp_path / "data/README.md").write_text("Notes.\n")
    code, out, _ = planned(tmp_path, job(name="all", study="data/*", notebook="small.ipynb"), capsys)
    assert code == 0
    assert out.splitlines() == [
        f"{tmp_path}/reports/all/{study}/small.html: would be built: never built" for study in ("a", "b")
    ]


def test_a_matrix_is_a_folder_for_each_set_of_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of notebooks, conditions and parameters; what no folder can be named is written as one."""
    fleet = job(name="m", study="data/a") + '[job.matrix]\nwhere = ["", "name=X*"]\nnotebook = ["small.ipynb"]\n'
    code, out, _ = planned(tmp_path, 'output = "out"\n' + fleet, capsys)
    pages = [line.partition(": ")[0].removeprefix(f"{tmp_path}/out/m/") for line in out.splitlines()]
    assert (code, pages) == (
        0,
        [f"where={where},notebook=small.ipynb/a/small.html" for where in ("", "name=X-")],
    )


def test_only_takes_a_job_out_of_its_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever it comes after: a scheduler has seen to that; the rest is not planned."""
    fleet = job(name="first", study="data/a", notebook="small.ipynb")
    fleet += job(name="second", study="data/a", notebook="small.ipynb", after=["first"])
    _, out, _ = planned(tmp_path, fleet, capsys, "--only", "second", "--json-log")
    [line] = map(json.loads, out.splitlines())
    assert (line["event"], line["job"], line["because"]) == ("due", "second", ["never built"])


A = {"name": "a", "study": "data/a", "notebook": "small.ipynb"}
MISTAKES = {
    'jobs = "a"': "1: unknown key 'jobs' at the top level; did you mean 'job'?",
    "": " holds no job; write [[job]]",
    job(**A, notify_no=["failure"]): "5: unknown key 'notify_no' in [[job]]; did you mean 'notify_on'?",
    job(**A, keep=3): "5: unknown key 'keep' in [[job]]; accepted: name, study,",
    job(**A, notify_on=["fail"]): "5: 'notify_on' in [[job]] cannot be 'fail'; did you mean 'failure'?",
    job(**A, overlap="wait"): "5: 'overlap' in [[job]] cannot be 'wait'; accepted: skip, queue",
    job(**A, after=["b"]) + job(**A | {"name": "b"}, after=["a"]): "5: 'after' in [[job]] goes in a circle: a after b",
    job(**A, after=["b"]): "5: 'after' in [[job]]: no job is named 'b'; there are a",
    job(**A) + job(**A): "6: 'name' in [[job]] 'a' is taken by another job",
    job(**A | {"name": "../a"}): "2: 'name' in [[job]] '../a' names a folder",
    job(**A, retries=99): "5: 'retries' in [[job]] is 99; write a whole number from 0 to 10",
    job(**A, timeout=0): "5: 'timeout' in [[job]] is 0; write seconds above 0",
    job(**A, memory="2 cows"): "5: 'memory' in [[job]] '2 cows' is no size",
    job(**A, notify="a\0.jsonl"): "5: 'notify' in [[job]] holds a NUL",
    job(**A, where="a b"): "5: 'where' in [[job]]: 'a' is not a condition",
    job(**A, to="pfd"): "5: --to: no format 'pfd'; did you mean 'pdf'?",
    job(**A | {"study": []}): "3: 'study' in [[job]] is empty; write study =",
    job(**A | {"study": ""}): "3: 'study' in [[job]] is empty; write study =",
    job(**A | {"study": "none/*"}): "3: nothing is there that matches 'none/*'",
    job(**A | {"study": ["data/a", "data/*"]}): "1: two reports would lie at 'a/a/small'",
    job(**A | {"notebook": "smal"}): "4: no notebook 'smal'",
    job(**A) + "[job.parameters]\nbits = 3\n": "6: `small.ipynb` has no parameter 'bits'",
    job(**A) + '[job.matrix]\nreader = ["", 3]\n': "6: `small.ipynb`: parameter 'reader' is '3'",
    job(**A) + "[job.matrix]\nreader = []\n": "6: 'reader' in [job.matrix] is empty",
    job(**A)
    + f"[job.matrix]\na = {list(range(40))}\nb = {list(range(40))}\n": "5: 'matrix' in [[job]] has more than 1,000",
    job(**A) + '[job.matrix]\nstudy = ["b"]\n': "6: 'study' in [job.matrix] is no axis of a matrix",
}


@pytest.mark.parametrize("fleet", MISTAKES)
def test_a_mistake_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], fleet: str) -> None:
    """File, line, what was found, what is accepted; exit code 2, and nothing is written."""
    code, out, err = planned(tmp_path, fleet, capsys)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"benchlib: {tmp_path}/reports.toml:{MISTAKES[fleet]}")
    assert not (tmp_path / "reports").exists()


def test_an_unknown_job_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the nearest that there is."""
    code, _, err = planned(tmp_path, job(**A | {"name": "nightly"}), capsys, "--only", "nighly")
    assert code == 2
    assert err.endswith("has no job 'nighly'; did you mean 'nightly'?\n")
