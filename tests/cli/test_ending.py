"""Commands that somebody else ends: Ctrl-C, or a scheduler's time limit."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchlib.cli.shell import endable
from tests.run.runner import gone
from tests.run.small_notebook import write_small_notebook

ROOT = Path(__file__).parents[2]


def begun(folder: Path, studies: int) -> tuple[subprocess.Popen[str], list[int]]:
    """Start reports whose cells sleep; return the command, and the processes of the cells once all are at work."""
    (folder / "temporary").mkdir()
    names = [f"study{number}" for number in range(studies)]
    for name in names:
        (folder / name).mkdir()
        (folder / name / "run.txt").write_text("BenchmarkX-8 \t 10\t 5 ns/op\n")
    write_small_notebook(
        folder / "small.ipynb",
        f"import os, time; Path('{folder}', Path(study).name + '.pid').write_text(str(os.getpid())); time.sleep(60)",
    )
    command = [sys.executable, "-m", "benchlib", "report", *names, "--notebook", "small.ipynb", "--quiet"]
    running = subprocess.Popen(
        [*command, "--notify", 'echo "$BENCHLIB_EVENT $BENCHLIB_EXIT_CODE ${BENCHLIB_ERROR%;*}" > told'],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "temporary")},
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60
    cells: list[int] = []
    while len(cells) < studies and time.monotonic() < until:
        time.sleep(0.05)
        cells = [int(pid) for path in folder.glob("*.pid") if (pid := path.read_text())]
    assert len(cells) == studies
    return running, cells


@pytest.mark.parametrize(
    ("studies", "number", "code", "told"),
    [
        (2, signal.SIGTERM, 143, "failure 143 ended by SIGTERM before it was done\n"),
        (1, signal.SIGHUP, 129, "failure 129 ended by SIGHUP before it was done\n"),
        (2, signal.SIGQUIT, 131, "failure 131 ended by SIGQUIT before it was done\n"),
        (1, signal.SIGINT, 130, ""),
    ],
)
def test_a_report_that_is_ended_cleans_up_and_says_so(
    tmp_path: Path, studies: int, number: signal.Signals, code: int, told: str
) -> None:
    """One line, a code of its own, no temporary file, no cell at work; a notice where no person did it."""
    running, cells = begun(tmp_path, studies)
    running.send_signal(number)
    _, said = running.communicate(timeout=30)
    assert running.returncode == code
    assert said.count("\n") == 1
    assert said.startswith("benchlib: ")
    assert ((tmp_path / "told").read_text() if (tmp_path / "told").exists() else "") == told
    assert list((tmp_path / "temporary").iterdir()) == []
    assert [one for one in cells if Path(f"/proc/{one}").exists()] == []


def test_a_report_that_is_killed_leaves_nothing_beyond_the_next_run(tmp_path: Path) -> None:
    """Its cells end with it; what it had among temporary files is removed by the next."""
    running, cells = begun(tmp_path, 2)
    running.kill()
    running.communicate(timeout=30)
    assert all(gone(pid) for pid in cells)
    assert len(list((tmp_path / "temporary").iterdir())) >= 2
    write_small_notebook(tmp_path / "small.ipynb")
    for _ in ("built", "unchanged"):
        done = subprocess.run(
            [sys.executable, "-m", "benchlib", "report", "study0", "--notebook", "small.ipynb", "--quiet"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path / "temporary")},
            check=False,
        )
        assert done.returncode == 0
        assert list((tmp_path / "temporary").iterdir()) == []
        assert list((tmp_path / "reports").rglob(".benchlib-*")) == []
        (tmp_path / "temporary" / ".benchlib-k9v6iasl").mkdir()  # of a run killed once its pages were there


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="no setpriv, of util-linux")
def test_a_browser_ends_with_the_command_that_is_killed(tmp_path: Path) -> None:
    """So do its temporary files, by the next run: they lie in a folder of ours."""
    (tmp_path / "study").mkdir()
    (tmp_path / "study/run.txt").write_text("BenchmarkX-8 \t 10\t 5 ns/op\n")
    (tmp_path / "temporary").mkdir()
    (tmp_path / "chromium").write_text(f"#!/bin/sh\necho $$ $TMPDIR > {tmp_path}/drawing\nexec sleep 60\n")
    (tmp_path / "chromium").chmod(0o755)
    write_small_notebook(tmp_path / "small.ipynb")
    running = subprocess.Popen(
        [sys.executable, "-m", "benchlib", "report", "study", "--notebook", "small.ipynb", "--quiet", "--to", "pdf"],
        cwd=tmp_path,
        env={
            **os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path / "temporary"),
            "BENCHLIB_CHROMIUM": str(tmp_path / "chromium"),
        },
    )  # fmt: skip
    until = time.monotonic() + 60
    words: list[str] = []
    while len(words) < 2 and time.monotonic() < until:
        time.sleep(0.05)
        words = (tmp_path / "drawing").read_text().split() if (tmp_path / "drawing").exists() else []
    running.kill()
    running.wait()
    assert gone(int(words[0]))
    assert Path(words[1]).parent == tmp_path / "temporary"
    assert Path(words[1]).name.startswith(".benchlib-")


def test_a_signal_that_comes_while_a_string_is_run_leaves_the_exit_code_alone(tmp_path: Path) -> None:
    """Python would end by SIGINT itself where a plain KeyboardInterrupt has passed through ``exec``."""
    (tmp_path / "ended.py").write_text(
        "import sys\n"
        "from benchlib.cli.shell import endable\n"
        "from benchlib.errors import Interrupted\n"
        "try:\n"
        "    with endable():\n"
        "        exec('import signal; signal.raise_signal(signal.SIGINT)')\n"
        "except Interrupted as error:\n"
        "    sys.exit(error.exit_code)\n"
    )
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    ended = subprocess.run([sys.executable, "-m", "ended"], env={**os.environ, "PYTHONPATH": path}, check=False)
    assert ended.returncode == 130


def test_a_handler_of_the_caller_stays() -> None:
    """A program that calls benchlib decides itself what SIGTERM does."""
    seen: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: seen.append(number))
    try:
        with endable():
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    assert seen == [signal.SIGTERM]
