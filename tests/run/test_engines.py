"""Both engines leave the same outputs and tell failures as what they are."""

from __future__ import annotations

import difflib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from benchlib.errors import KernelDied
from benchlib.run.execute import execute_notebook
from tests.report.small_notebook import write_small_notebook
from tests.run import torture
from tests.run.engine_runner import ROOT, Ran, environment, run, write

ENGINES = ("fork", "served", "nbclient")
FORKS = ("fork", "served")

#: Clocks, and addresses of objects.
_CHANCE = re.compile(r"(?:CPU times|Wall time): [^\\]*|0x[0-9a-f]+")


def told(notebook: Any) -> list[str]:
    """Return a notebook as lines, without what chance decides."""
    text = json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False)
    return _CHANCE.sub("?", text).splitlines()


def assert_same(one: Ran, other: Ran) -> None:
    """Show where two notebooks differ, if they do."""
    assert (one.error, other.error) == ("", "")
    different = list(difflib.unified_diff(told(one.notebook), told(other.notebook), lineterm="", n=2))
    assert not different, "\n".join(different[:80])


def test_the_engines_agree_on_a_notebook_of_everything(tmp_path: Path) -> None:
    """Streams, displays and their updates, errors, magics, programs, top-level await, counts: all the same."""
    notebook = write(tmp_path / "torture.ipynb", torture.CELLS, torture.TAGS)
    fork, served, kernel = (
        run(one, notebook, tmp_path / f"{one}.ipynb", parameters={"word": "told"}) for one in ENGINES
    )
    assert_same(fork, kernel)
    assert_same(served, kernel)
    cells = {one.id: one for one in fork.notebook.cells}
    # The sameness of nothing would prove nothing.
    assert fork.texts("printed") == ["told\né ∑ 𝄞", "to stderr\n"]
    assert cells["handle"].outputs[0].data["text/html"] == "<i>third</i>"
    assert [one.text for one in cells["cleared-wait"].outputs] == ["kept too\n"]
    assert fork.texts("in-c") == ["by number\n"]
    assert fork.texts("finished") == ["done\n"]
    assert "application/vnd.plotly.v1+json" in cells["last-figure"].outputs[0].data
    assert cells["asked"].outputs[-1].ename == "StdinNotImplementedError"
    assert cells["skipped"].execution_count is None
    assert "<cell>:2: UserWarning: careful" in "".join(fork.texts("warned"))
    assert not re.search(r"ipykernel_\d", json.dumps(fork.notebook))


NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
STUDIES = {"30_comparison": "lplex", "50_effects": "token-sdk"}


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_engines_agree_on_every_shipped_notebook(notebook: Path, tmp_path: Path) -> None:
    """The same outputs, to the byte, with figures and answers among them."""
    study = {"study": f"data/{STUDIES.get(notebook.stem, 'onix-adapter-published')}"}
    fork, served, kernel = (run(one, notebook, tmp_path / f"{one}.ipynb", parameters=study) for one in ENGINES)
    assert_same(fork, kernel)
    assert_same(served, kernel)
    text = json.dumps(fork.notebook)
    assert "application/vnd.plotly.v1+json" in text
    assert "application/vnd.benchlib.answers+json" in text


FAILURES = {
    "a cell fails": ("raise ValueError('too few\\nsecond line')", {}, "NotebookError", 1, "ValueError: too few;"),
    "a cell leaves": ("import sys; sys.exit(3)", {}, "NotebookError", 1, "(SystemExit: 3);"),
    "a cell leaves as if all were well": (
        "import sys; sys.exit(0)",
        {},
        "NotebookError",
        1,
        "cell 'bad': ended the run by sys.exit (SystemExit: 0);",
    ),
    "a cell is slow": ("import time; time.sleep(60)", {"timeout": 1}, "NotebookTimeout", 4, "ran longer than 1 s;"),
    "a cell crashes": ("import os; os.abort()", {}, "KernelDied", 5, ""),
    "a cell kills itself": ("import os; os.kill(os.getpid(), 9)", {}, "KernelDied", 5, ""),
    "a cell ends the process": ("import os; os._exit(3)", {}, "KernelDied", 5, ""),
    "memory": (
        "import numpy; x = numpy.ones(1 << 28)",
        {"memory": 1 << 30},
        "KernelDied",
        5,
        "ran out of memory: ",
    ),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("what", FAILURES)
def test_a_failure_is_told_as_what_it_is(what: str, engine: str, tmp_path: Path) -> None:
    """Its class, exit code and cell; what was printed before it is kept, and the rest has not run."""
    code, options, kind, exit_code, said = FAILURES[what]
    cells = {"one": "print('so far')", "bad": code, "rest": "print('never')"}
    ran = run(engine, write(tmp_path / "a.ipynb", cells), tmp_path / "out.ipynb", **options)
    assert (ran.error, ran.exit_code) == (kind, exit_code)
    assert ran.message.startswith("`a.ipynb`: cell 'bad': ")
    assert said in ran.message
    assert ran.message.endswith(f"; the executed notebook is {tmp_path / 'out.ipynb'}")
    assert ran.texts("one") == ["so far\n"]
    assert not ran.texts("rest")


@pytest.mark.parametrize("engine", ENGINES)
def test_leaving_at_the_very_end_is_a_failure(engine: str, tmp_path: Path) -> None:
    """``sys.exit()`` ends well with papermill: what came after it in its cell, say the answers, would be missed."""
    ran = run(engine, write(tmp_path / "a.ipynb", {"one": "import sys; sys.exit()"}), tmp_path / "out.ipynb")
    assert (ran.error, ran.exit_code) == ("NotebookError", 1)
    assert ran.message.startswith("`a.ipynb`: cell 'one': ended the run by sys.exit (SystemExit); ")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_cell_that_never_ran_is_a_failure(engine: str, tmp_path: Path) -> None:
    """Whatever stopped the run before it, even without a word: a half report must not pass for a whole one."""
    cells = {"mute": "get_ipython().showtraceback = lambda *_, **__: None\n1 / 0", "rest": "2"}
    ran = run(engine, write(tmp_path / "a.ipynb", cells), tmp_path / "out.ipynb")
    assert (ran.error, ran.exit_code) == ("NotebookError", 1)
    assert "stopped before its end; cell 'rest' never ran" in ran.message


ENDINGS = {
    "import os; os.abort()": "killed by SIGABRT (crash or memory)",
    "import os; os.kill(os.getpid(), 9)": "killed by SIGKILL (crash or memory)",
    "import os; os._exit(3)": "left with exit code 3 (crash or memory)",
}


@pytest.mark.parametrize("engine", FORKS)
@pytest.mark.parametrize("code", ENDINGS)
def test_a_dead_child_leaves_its_last_words(code: str, engine: str, tmp_path: Path) -> None:
    """How it ended, and what it had printed or written without flushing."""
    cells = {"crash": f"import os, sys\nprint('printed')\nsys.stdout.flush()\nos.write(2, b'last words\\n')\n{code}"}
    ran = run(engine, write(tmp_path / "a.ipynb", cells), tmp_path / "out.ipynb")
    assert f"cell 'crash': {ENDINGS[code]}" in ran.message
    assert ran.texts("crash") == ["printed\n", "last words\n"]


@pytest.mark.parametrize("engine", FORKS)
def test_a_time_out_ends_what_the_cell_started(engine: str, tmp_path: Path) -> None:
    """A program in the background does not outlive its report."""
    pid_file = tmp_path / "pid"
    cells = {
        "start": "import subprocess\np = subprocess.Popen(['sleep', '100'])",
        "tell": f"open({str(pid_file)!r}, 'w').write(str(p.pid))",
        "wait": "p.wait()",
    }
    ran = run(engine, write(tmp_path / "a.ipynb", cells), tmp_path / "out.ipynb", timeout=1)
    assert ran.error == "NotebookTimeout"
    assert ended(int(pid_file.read_text()))


def ended(pid: int) -> bool:
    """Wait a little for a process that was killed to be gone, or to be nobody's child."""
    for _ in range(100):
        try:
            if Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] == "Z":
                return True
            os.kill(pid, 0)
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("engine", FORKS)
def test_widgets_get_a_kernel(engine: str, tmp_path: Path) -> None:
    """What opens a channel to a front end runs in a kernel, from its first cell, though a fork was asked for."""
    cells = {
        "who": "import os; print(os.environ.get('JPY_PARENT_PID') is not None)",
        "widget": "import comm\nc = comm.create_comm(target_name='x')",
    }
    ran = run(engine, write(tmp_path / "a.ipynb", cells), tmp_path / "out.ipynb")
    assert ran.error == ""
    assert ran.texts("who") == ["True\n"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("data", ["{'text/html': 5}", "{'image/png': {}}"])
def test_an_output_that_no_notebook_can_hold_is_the_notebooks_error(data: str, engine: str, tmp_path: Path) -> None:
    """Not a traceback of Jupyter's own check."""
    cells = {"bad": f"import IPython\nIPython.get_ipython().display_pub.publish({data})"}
    ran = run(engine, write(tmp_path / "a.ipynb", cells), tmp_path / "out.ipynb")
    assert (ran.error, ran.exit_code) == ("NotebookError", 1)
    assert ran.message.startswith("`a.ipynb`: cell 'bad': published what a notebook cannot hold: ")


@pytest.mark.parametrize("engine", FORKS)
def test_a_failure_after_such_an_output_is_told_as_what_it_is(engine: str, tmp_path: Path) -> None:
    """And the notebook that is kept can be read, without the output."""
    publish = "import IPython\nIPython.get_ipython().display_pub.publish({'text/html': 5})"
    cells = {"published": f"print('kept')\n{publish}", "failed": "raise ValueError('the real one')"}
    ran = run(engine, write(tmp_path / "a.ipynb", cells), tmp_path / "out.ipynb")
    assert ran.message.startswith("`a.ipynb`: cell 'failed': ValueError: the real one;")
    assert ran.texts("published") == ["kept\n"]
    assert len(ran.notebook.cells[0].outputs) == 1


def test_a_slip_of_the_source_that_jupyter_lets_pass_is_no_failure(tmp_path: Path) -> None:
    """Only what the cells publish is held against the format."""
    notebook = write(tmp_path / "a.ipynb", {"one": "print('well')"})
    found = json.loads(notebook.read_text())
    found["cells"][0]["collapsed"] = True
    notebook.write_text(json.dumps(found))
    ran = run("fork", notebook, tmp_path / "out.ipynb")
    assert (ran.error, ran.texts("one")) == ("", ["well\n"])


@pytest.mark.parametrize("engine", FORKS)
def test_a_cell_that_closes_its_pipe_and_goes_on_is_ended(engine: str, tmp_path: Path) -> None:
    """Nobody waits for what can say nothing any more."""
    cells = {"mute": "import os, time\nos.closerange(3, 300)\ntime.sleep(100)"}
    ran = run(engine, write(tmp_path / "a.ipynb", cells), tmp_path / "out.ipynb")
    assert ran.error == "KernelDied"
    assert "cell 'mute': killed by SIGKILL" in ran.message


def test_another_language_gets_the_kernel_that_it_names(tmp_path: Path) -> None:
    """It is looked up, and one line says that it is not installed."""
    spec = {"name": "no-such-kernel", "display_name": "R", "language": "R"}
    ran = run("fork", write(tmp_path / "a.ipynb", {"one": "1"}, kernelspec=spec), tmp_path / "out.ipynb")
    assert (ran.error, ran.exit_code) == ("InputError", 2)
    assert "wants the kernel 'no-such-kernel', which is not installed" in ran.message


def test_a_kernelspec_of_this_language_does_not_matter(tmp_path: Path) -> None:
    """Whatever a user has registered: the cells run in this interpreter."""
    spec = {"name": "no-such-kernel", "display_name": "Elsewhere", "language": "python"}
    for engine in ENGINES:
        notebook = write(tmp_path / "a.ipynb", {"one": "import sys; print(sys.executable)"}, kernelspec=spec)
        assert run(engine, notebook, tmp_path / "out.ipynb").texts("one")[0].startswith("/")


@pytest.mark.parametrize("engine", ["fork", "nbclient"])
def test_what_a_cell_writes_past_python_stays_in_its_outputs(engine: str, tmp_path: Path) -> None:
    """Neither engine lets a cell, or a program that it starts, write to the terminal."""
    (tmp_path / "study").mkdir()
    (tmp_path / "study/run.txt").write_text("BenchmarkX-8 \t 10\t 5 ns/op\n")
    raw = "import os, time; _ = os.write(1, b'RAW'), os.write(2, b'RAW'), os.system('echo RAW; echo RAW >&2')"
    write_small_notebook(tmp_path / "small.ipynb", f"{raw}; time.sleep(0.3)")
    command = [sys.executable, "-m", "benchlib", "report", "study", "--notebook", "small.ipynb", "-o", "out"]
    ended = subprocess.run(
        [*command, "--engine", engine],
        cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert len(ended.stderr.splitlines()) == 5  # a line a stage
    assert "RAW" not in ended.stdout + ended.stderr
    assert (tmp_path / "out/study/small.ipynb").read_text().count("RAW") >= 4


def test_a_kernel_that_does_not_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last line that it wrote, in the error."""
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'ModuleNotFoundError: no ipykernel' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    notebook = write(tmp_path / "a.ipynb", {"one": "1"})
    with pytest.raises(KernelDied, match="started no kernel: ModuleNotFoundError: no ipykernel"):
        execute_notebook(notebook, tmp_path / "out.ipynb", {}, engine="nbclient")
