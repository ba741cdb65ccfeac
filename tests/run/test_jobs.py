"""Jobs in forked children: what comes back, how failures are told, and that nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from benchlib.errors import BenchlibError, InputError
from benchlib.run.jobs import run_jobs
from tests.run.runner import gone

ROOT = Path(__file__).parents[2]

HEAD = """\
import json, os, sys, time
from pathlib import Path
from benchlib.errors import BenchlibError, InputError
from benchlib.run.jobs import run_jobs
from benchlib.run.worker import can_fork
assert can_fork()
"""


def batch(code: str, *arguments: object) -> Any:
    """Run code in a process that may be forked, and return the JSON that it printed last."""
    ended = subprocess.run(
        [sys.executable, "-c", HEAD + textwrap.dedent(code), *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])


def test_each_job_gives_its_result_or_its_error() -> None:
    """In children, as many as there are workers, each under the index of its job."""
    told = batch("""
        def refuse():
            raise InputError("no such study")
        jobs = [os.getpid, refuse, os.getpid, os.getpid]
        ended = dict(run_jobs(jobs, workers=2))
        print(json.dumps([os.getpid(), [str(ended[one]) for one in range(4)], type(ended[1]).__name__]))
        """)
    parent, results, kind = told
    assert (results[1], kind) == ("no such study", "InputError")
    pids = {results[0], results[2], results[3]}
    assert 1 <= len(pids) <= 2
    assert str(parent) not in pids


DEATHS = {
    "os.abort()": "the process that built it was killed by SIGABRT",
    "os.kill(os.getpid(), 9)": "the process that built it was killed by SIGKILL",
    "os._exit(3)": "the process that built it was gone: it left with exit code 3",
    "1 / 0": "the process that built it was gone: it left with exit code 1",
}


@pytest.mark.parametrize("code", DEATHS)
def test_a_child_that_dies_is_one_error_among_results(code: str) -> None:
    """Exit code 5, with the signal's name; the other jobs are done."""
    told = batch(f"""
        def die():
            {code}
        ended = dict(run_jobs([die, lambda: 1, lambda: 2]))
        print(json.dumps([str(ended[0]), ended[0].exit_code, ended[1], ended[2]]))
        """)
    assert told == [DEATHS[code], 5, 1, 2]


def test_a_child_that_is_gone_before_the_next_is_forked_still_tells_how() -> None:
    """Its exit code is kept for whoever asks."""
    told = batch("""
        from benchlib.run.worker import Child
        first = Child(lambda: os._exit(3))
        time.sleep(0.5)
        second = Child(lambda: None)
        print(json.dumps([first.wait(), first.wait(), second.wait()]))
        """)
    assert told == ["left with exit code 3", "left with exit code 3", "left with exit code 0"]


def test_large_results_come_through() -> None:
    """More than a pipe holds."""
    assert batch("print(json.dumps([len(text) for _, text in run_jobs([lambda: 'x' * 5_000_000])]))") == [5_000_000]


def test_a_child_does_one_job_after_another() -> None:
    """Until one has left a thread behind: what follows is done by a child that may be forked again."""
    told = batch("""
        import threading
        def leave():
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
            return os.getpid()
        told = dict(run_jobs([os.getpid, os.getpid, leave, os.getpid, can_fork], workers=1))
        print(json.dumps([told[0] == told[1] == told[2], told[3] == told[2], told[4]]))
        """)
    assert told == [True, False, True]


def test_who_stops_asking_ends_the_rest() -> None:
    """Neither the child at work nor the one that waits for a job is left."""
    told = batch("""
        def slow():
            time.sleep(100)
        pids = []
        for index, pid in run_jobs([os.getpid, slow, slow], workers=2):
            pids.append(pid)
            break
        try:
            os.waitpid(-1, os.WNOHANG)
            left = True
        except ChildProcessError:
            left = False
        print(json.dumps([len(pids), left]))
        """)
    assert told == [1, False]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_children(number: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C, or the end of the parent itself: no child goes on working."""
    code = """
        folder = Path(sys.argv[1])
        def slow():
            (folder / str(os.getpid())).touch()
            time.sleep(100)
        list(run_jobs([slow, slow]))
        """
    parent = subprocess.Popen(
        [sys.executable, "-c", HEAD + textwrap.dedent(code), str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 30
    while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    children = [int(one.name) for one in tmp_path.iterdir()]
    assert len(children) == 2
    parent.send_signal(number)
    assert parent.wait(20) != 0
    assert all(gone(one) for one in children)


def test_a_process_of_several_threads_runs_its_jobs_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, with the same results and errors: it is never forked."""
    monkeypatch.setattr("benchlib.run.jobs.can_fork", lambda: False)

    def refuse() -> int:
        raise InputError("no such study")

    ended: dict[int, int | BenchlibError] = dict(run_jobs([os.getpid, refuse]))
    assert ended[0] == os.getpid()
    assert str(ended[1]) == "no such study"


def test_the_parent_of_a_batch_has_one_thread() -> None:
    """After all that a report needs was imported and tried, and without pyarrow."""
    told = batch("""
        from benchlib.run.jobs import preload
        preload()
        ready = can_fork()
        import pyarrow
        print(json.dumps([ready, "benchlib.tell.executive" in sys.modules]))
        """)
    assert told == [True, True]


def test_the_command_forks(tmp_path: Path) -> None:
    """Nothing that it imports before its reports are built starts a thread: kernels would take seconds each."""
    told = batch(
        """
        from benchlib.run import execute
        seen = []
        def counted():
            seen.append(can_fork())
            return seen[-1]
        execute.can_fork = counted
        from benchlib.cli import main
        study = Path(sys.argv[1], "study")
        study.mkdir()
        (study / "a.txt").write_text("BenchmarkX-1 10 5 ns/op\\n")
        code = main(["report", str(study), "-o", str(Path(sys.argv[1], "reports")), "--quiet"])
        print(json.dumps([code, seen]))
        """,
        tmp_path,
    )
    assert told == [0, [True]]


def test_cells_started_ahead_are_handed_the_study_that_was_opened_since(tmp_path: Path) -> None:
    """When they have run, their process is gone, and ending it once more harms nobody.

    What cannot be handed over is left: the child has what was kept before it began.
    """
    told = batch(
        """
        from benchlib.imports import single_threaded
        with single_threaded():
            import pandas
        import nbformat
        from benchlib.run.execute import execute_notebook, worker_ahead
        from benchlib.study.open import adopt, open_study
        folder = Path(sys.argv[1])
        study, notebook = folder / "study", folder / "small.ipynb"
        study.mkdir()
        (study / "a.txt").write_text("BenchmarkX-1 10 5 ns/op\\nBenchmarkX-2 10 6 ns/op\\n")
        cell = "import benchlib\\nfrom benchlib.study.open import last_cached\\n"
        cell += "print([len(study.results.frame) for _, study in last_cached().values()])"
        nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)]), notebook)
        with worker_ahead(notebook) as worker:
            open_study(study, keep=True)
            done = execute_notebook(notebook, folder / "out.ipynb", {}, worker=worker)
        worker.end()
        with worker_ahead(notebook) as worker:
            adopt({(study, "", ""): ("digest", lambda: "not to be pickled")})
            refused = execute_notebook(notebook, folder / "out.ipynb", {}, worker=worker)
        print(json.dumps([done.cells[0].outputs[0].text, refused.cells[0].outputs[0].text]))
        """,
        tmp_path,
    )
    assert told == ["[2]\n", "[2]\n"]


def test_python_builds_a_report_as_the_command_does(tmp_path: Path) -> None:
    """Whoever calls it has imported nothing: pandas comes with the same kind of texts on both sides of the fork."""
    told = batch(
        """
        from benchlib.run.build import Request, build_report
        folder = Path(sys.argv[1])
        study = folder / "study"
        study.mkdir()
        (study / "a.txt").write_text("BenchmarkX-1 10 5 ns/op\\nBenchmarkX-2 10 6 ns/op\\n")
        print(json.dumps(build_report(Request(study, folder / "reports")).outcome))
        """,
        tmp_path,
    )
    assert told == "built"
