"""Cells run as in a kernel, and each failure is told as what it is.

``everything.json`` is what a kernel of nbclient's left of the notebook in `everything`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchlib.errors import KernelDied
from benchlib.run.execute import execute_notebook
from tests.run import everything
from tests.run.runner import Ran, environment, gone, run, run_all, write
from tests.run.small_notebook import write_small_notebook

#: Clocks, and addresses of objects.
_CHANCE = re.compile(r"(?:CPU times|Wall time): [^\n]*|0x[0-9a-f]+")


def told(cell: Any) -> list[str]:
    """Return the outputs of a cell as lines, without what chance decides."""
    lines = []
    for output in cell.outputs:
        if output.output_type == "stream":
            line = f"{output.name}: {output.text}"
        elif output.output_type == "error":
            line = f"error: {output.ename}: {output.evalue}"
        else:
            line = f"{output.output_type}: {', '.join(sorted(output.data))}: {output.data.get('text/plain', '')}"
        lines.append(_CHANCE.sub("?", line))
    return lines


def test_cells_leave_what_a_kernel_leaves(tmp_path: Path) -> None:
    """Streams, displays and their updates, errors, magics, programs, top-level await, counts."""
    notebook = write(tmp_path / "everything.ipynb", everything.CELLS, everything.TAGS)
    ran = run(notebook, tmp_path / "out.ipynb", parameters={"word": "told"})
    assert ran.error == ""
    expected = json.loads(Path(__file__).with_name("everything.json").read_text(encoding="utf-8"))
    assert {cell.id: told(cell) for cell in ran.notebook.cells} == expected
    cells = {cell.id: cell for cell in ran.notebook.cells}
    assert cells["handle"].outputs[0].data["text/html"] == "<i>third</i>"
    assert cells["raw"].outputs[0].metadata == {"isolated": True}
    assert cells["skipped"].execution_count is None
    assert cells["printed"].execution_count == 3
    assert not re.search(r"ipykernel_\d", json.dumps(ran.notebook))


ENDED = "NotebookError", 1, "ended the run by sys.exit (SystemExit"
#: What a cell does -> the options of the run, class and exit code of its error, and what is said.
FAILURES: dict[str, tuple[dict[str, Any], str, int, str]] = {
    "raise ValueError('too few\\nsecond line')": ({}, "NotebookError", 1, "ValueError: too few;"),
    "import sys; sys.exit(3)": ({}, *ENDED),
    "import sys; sys.exit(0)": ({}, *ENDED),
    "import sys; sys.exit()": ({}, *ENDED),
    "import time; time.sleep(60)": ({"timeout": 1}, "NotebookTimeout", 4, "ran longer than 1 s;"),
    "import numpy; x = numpy.ones(1 << 28)": ({"memory": 1 << 30}, "KernelDied", 5, "ran out of memory: "),
    # Nobody waits for what can say nothing any more.
    "import os, time; os.closerange(3, 300); time.sleep(100)": ({}, "KernelDied", 5, "killed by SIGKILL"),
    # What no notebook can hold, and Jupyter's own check would end in a traceback.
    **{
        f"import IPython\nIPython.get_ipython().display_pub.publish({data})": (
            {}, "NotebookError", 1, "published what a notebook cannot hold: ",
        )
        for data in ("{'text/html': 5}", "{'image/png': {}}")
    },
}  # fmt: skip


#: What ends the process of the cells -> how that is told.
ENDINGS = {
    "import os; os.abort()": "killed by SIGABRT (crash or memory)",
    "import os; os.kill(os.getpid(), 9)": "killed by SIGKILL (crash or memory)",
    "import os; os._exit(3)": "left with exit code 3 (crash or memory)",
}
LAST_WORDS = "import os, sys\nprint('printed')\nsys.stdout.flush()\nos.write(2, b'last words\\n')\n"
MUTE = {"mute": "get_ipython().showtraceback = lambda *_, **__: None\n1 / 0", "rest": "2"}


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ran]:
    """What came of every notebook that fails; those with the same options run one after another in one process."""
    notebooks = {code: {"one": "print('so far')", "bad": code, "rest": "print('never')"} for code in FAILURES}
    notebooks |= {code: {"crash": LAST_WORDS + code} for code in ENDINGS} | {"mute": MUTE}
    found: dict[str, Ran] = {}
    for options in ({}, {"timeout": 1}, {"memory": 1 << 30}):
        codes = [code for code in notebooks if FAILURES.get(code, ({},))[0] == options]
        folders = {code: tmp_path_factory.mktemp("failing") for code in codes}
        paths = [write(folders[code] / "a.ipynb", notebooks[code]) for code in codes]
        found |= dict(zip(codes, run_all(paths, folders[codes[0]] / "out.ipynb", **options), strict=True))
    return found


@pytest.mark.parametrize("code", FAILURES)
def test_a_failure_is_told_as_what_it_is(code: str, failed: dict[str, Ran]) -> None:
    """Its class, exit code and cell; what was printed before it is kept, and the rest has not run."""
    _, kind, exit_code, said = FAILURES[code]
    ran = failed[code]
    assert (ran.error, ran.exit_code) == (kind, exit_code)
    assert ran.message.startswith("`a.ipynb`: cell 'bad': ")
    assert said in ran.message
    assert re.search(r"; the executed notebook is /\S+/out\.ipynb$", ran.message)
    assert ran.texts("one") == ["so far\n"]
    # Outputs are held against the format once, when all have come.
    assert bool(ran.texts("rest")) is ("cannot hold" in said)


def test_a_cell_that_never_ran_is_a_failure(failed: dict[str, Ran]) -> None:
    """Whatever stopped the run before it, even without a word: a half report must not pass for a whole one."""
    ran = failed["mute"]
    assert (ran.error, ran.exit_code) == ("NotebookError", 1)
    assert "stopped before its end; cell 'rest' never ran" in ran.message


@pytest.mark.parametrize("code", ENDINGS)
def test_a_dead_child_leaves_its_last_words(code: str, failed: dict[str, Ran]) -> None:
    """How it ended, and what it had printed or written without flushing."""
    ran = failed[code]
    assert (ran.error, ran.exit_code) == ("KernelDied", 5)
    assert ran.message.startswith(f"`a.ipynb`: cell 'crash': {ENDINGS[code]}; the executed notebook is ")
    assert ran.texts("crash") == ["printed\n", "last words\n"]


def test_a_time_out_ends_what_the_cell_started(tmp_path: Path) -> None:
    """A program in the background does not outlive its report."""
    pid_file = tmp_path / "pid"
    cells = {
        "start": "import subprocess\np = subprocess.Popen(['sleep', '100'])",
        "tell": f"open({str(pid_file)!r}, 'w').write(str(p.pid))",
        "wait": "p.wait()",
    }
    ran = run(write(tmp_path / "a.ipynb", cells), tmp_path / "out.ipynb", timeout=1)
    assert ran.error == "NotebookTimeout"
    assert gone(int(pid_file.read_text()))


def test_widgets_get_a_kernel(tmp_path: Path) -> None:
    """What opens a channel to a front end runs in a kernel, from its first cell."""
    cells = {
        "who": "import os; print(os.environ.get('JPY_PARENT_PID') is not None)",
        "widget": "import comm\nc = comm.create_comm(target_name='x')",
    }
    ran = run(write(tmp_path / "a.ipynb", cells), tmp_path / "out.ipynb")
    assert ran.error == ""
    assert ran.texts("who") == ["True\n"]


def test_a_failure_after_such_an_output_is_told_as_what_it_is(tmp_path: Path) -> None:
    """And the notebook that is kept can be read, without the output."""
    publish = "import IPython\nIPython.get_ipython().display_pub.publish({'text/html': 5})"
    cells = {"published": f"print('kept')\n{publish}", "failed": "raise ValueError('the real one')"}
    ran = run(write(tmp_path / "a.ipynb", cells), tmp_path / "out.ipynb")
    assert ran.message.startswith("`a.ipynb`: cell 'failed': ValueError: the real one;")
    assert ran.texts("published") == ["kept\n"]
    assert len(ran.notebook.cells[0].outputs) == 1


def test_a_slip_of_the_source_that_jupyter_lets_pass_is_no_failure(tmp_path: Path) -> None:
    """Only what the cells publish is held against the format."""
    notebook = write(tmp_path / "a.ipynb", {"one": "print('well')"})
    found = json.loads(notebook.read_text())
    found["cells"][0]["collapsed"] = True
    notebook.write_text(json.dumps(found))
    ran = run(notebook, tmp_path / "out.ipynb")
    assert (ran.error, ran.texts("one")) == ("", ["well\n"])


def test_another_language_gets_the_kernel_that_it_names(tmp_path: Path) -> None:
    """It is looked up, and one line says that it is not installed."""
    spec = {"name": "no-such-kernel", "display_name": "R", "language": "R"}
    ran = run(write(tmp_path / "a.ipynb", {"one": "1"}, kernelspec=spec), tmp_path / "out.ipynb")
    assert (ran.error, ran.exit_code) == ("InputError", 2)
    assert "wants the kernel 'no-such-kernel', which is not installed" in ran.message


def test_a_kernelspec_of_this_language_does_not_matter(tmp_path: Path) -> None:
    """Whatever a user has registered: the cells run in this interpreter, in a kernel too; no home is needed."""
    spec = {"name": "no-such-kernel", "display_name": "Elsewhere", "language": "python"}
    notebook = write(tmp_path / "{braces}.ipynb", {"one": "import sys; print(sys.executable)"}, kernelspec=spec)
    for engine in ("auto", "nbclient"):
        assert run(notebook, tmp_path / "out.ipynb", engine=engine).texts("one") == [f"{sys.executable}\n"]


def test_nothing_of_one_notebook_is_left_for_the_next(tmp_path: Path) -> None:
    """No name, count, folder, setting, module, warning or file of IPython's; nor do both draw the same numbers."""
    draw = "import random, numpy\nprint('drawn', random.random(), numpy.random.random())\n"
    leave = """\
import os, sys, warnings, builtins, json
left = 1
os.environ["LEFT"] = "1"
os.chdir("/")
sys.modules["left"] = json
builtins.left_too = 1
warnings.simplefilter("error")
get_ipython().run_line_magic("alias", "left ls")
"""
    ask = """\
import os, sys, builtins, warnings
warnings.warn("told")
print("left" in globals(), "LEFT" in os.environ, os.getcwd() == "/", "left" in sys.modules)
print(hasattr(builtins, "left_too"), len(In), os.path.isdir(os.environ["IPYTHONDIR"]))
"""
    notebooks = [write(tmp_path / f"{n}.ipynb", {"only": draw + code}) for n, code in enumerate((leave, ask))]
    first, second = run_all(notebooks, tmp_path / "out.ipynb")
    assert (first.error, second.error) == ("", "")
    printed, warned = second.texts("only")
    assert printed.endswith("False False False False\nFalse 2 True\n")
    assert "UserWarning: told" in warned
    drawn = zip(first.texts("only")[0].split()[1:3], printed.split()[1:3], strict=True)
    assert all(one != other for one, other in drawn)


def test_what_a_cell_writes_past_python_stays_in_its_outputs(tmp_path: Path) -> None:
    """Nor what a program writes that it starts."""
    (tmp_path / "study").mkdir()
    (tmp_path / "study/run.txt").write_text("BenchmarkX-8 \t 10\t 5 ns/op\n")
    raw = "import os, time; _ = os.write(1, b'RAW'), os.write(2, b'RAW'), os.system('echo RAW; echo RAW >&2')"
    write_small_notebook(tmp_path / "small.ipynb", f"{raw}; time.sleep(0.3)")
    command = [sys.executable, "-m", "benchlib", "report", "study", "--notebook", "small.ipynb", "-o", "out"]
    ended = subprocess.run(
        command,
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
