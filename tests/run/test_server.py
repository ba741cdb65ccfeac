"""A server of forks: each notebook finds a fresh world, and one that harms the server harms nobody else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.run.engine_runner import write
from tests.run.test_batch import batch, gone

#: Runs each notebook named on the command line with one server, and prints what came of each.
RUN = """
    from benchlib.imports import single_threaded
    with single_threaded():
        import pandas, nbformat
    from benchlib.report.running.engines.server import use_fork_server
    from benchlib.run.execute import execute_notebook
    use_fork_server()
    told = []
    for number, notebook in enumerate(sys.argv[2:]):
        output = Path(sys.argv[1], f"out-{number}.ipynb")
        try:
            execute_notebook(notebook, output, {}, engine="fork", quiet=True)
            error = ""
        except BenchlibError as failed:
            error = f"{type(failed).__name__}: {failed}"
        cells = nbformat.read(output, as_version=4).cells
        told.append([error, "".join(one.text for cell in cells for one in cell.outputs if "text" in one)])
    print(json.dumps(told))
    """


def ran(folder: Path, *codes: str) -> Any:
    """Return the error and the words of each notebook, given as its only cell, run one after another."""
    notebooks = [write(folder / f"{number}.ipynb", {"only": code}) for number, code in enumerate(codes)]
    return batch(RUN, folder, *notebooks)


def test_nothing_of_one_notebook_is_left_for_the_next(tmp_path: Path) -> None:
    """No name, count, folder, setting, module, warning or file of IPython's."""
    changed = """
        import os, sys, warnings, builtins, json
        left = 1
        os.environ["LEFT"] = "1"
        os.chdir("/")
        sys.modules["left"] = json
        builtins.left_too = 1
        warnings.simplefilter("error")
        get_ipython().db["left"] = 1
        get_ipython().run_line_magic("alias", "left ls")
        """
    asked = """
        import os, sys, builtins, warnings
        warnings.warn("told")
        print("left" in globals(), "LEFT" in os.environ, os.getcwd() == "/", "left" in sys.modules)
        print(hasattr(builtins, "left_too"), "left" in get_ipython().db, len(In))
        print(os.path.isdir(os.environ["IPYTHONDIR"]), get_ipython().profile_dir.location)
        """
    clean = [line.removeprefix("        ") for line in changed.splitlines()]
    ask = [line.removeprefix("        ") for line in asked.splitlines()]
    (first, _), (second, said) = ran(tmp_path, "\n".join(clean), "\n".join(ask))
    assert (first, second) == ("", "")
    printed, told = sorted(said.splitlines()), said
    assert "UserWarning: told" in told
    assert "False False False False" in printed
    assert "False False 2" in printed
    assert any(line.startswith("True /") and line.endswith("/profile_default") for line in printed)


def test_children_draw_different_numbers(tmp_path: Path) -> None:
    """What the server has drawn is not what each of them goes on from."""
    code = "import random, numpy\nprint(random.random(), numpy.random.random())"
    (_, one), (_, other) = ran(tmp_path, code, code)
    assert not set(one.split()) & set(other.split())


def test_what_the_cells_of_a_dead_server_have_started_dies_too(tmp_path: Path) -> None:
    """Nothing else knows of it."""
    code = "import os, subprocess, time\nstarted = subprocess.Popen(['sleep', '100'])\n"
    code += f"open({str(tmp_path / 'pid')!r}, 'w').write(str(started.pid))\nos.kill(os.getppid(), 9)\ntime.sleep(60)"
    [[killed, _]] = ran(tmp_path, code)
    assert "killed with the process that had forked it" in killed
    assert gone(int((tmp_path / "pid").read_text()))


def test_a_batch_leaves_no_folder_behind(tmp_path: Path) -> None:
    """However early its reports fail."""
    told = batch(
        """
        from benchlib.cli import main
        os.environ["TMPDIR"] = sys.argv[1]
        studies = []
        for name in "abc":
            studies.append(Path(sys.argv[1], name))
            studies[-1].mkdir()
            (studies[-1] / "a.txt").write_text("BenchmarkX-1 10 5 ns/op\\n")
        output = ["-o", str(Path(sys.argv[1], "out")), "--quiet", "--jobs", "2"]
        bad = main(["report", *map(str, studies), *output, "--notebook", sys.argv[2]])
        good = main(["report", *map(str, studies), *output, "--notebook", sys.argv[3]])
        print(json.dumps([bad, good, [one.name for one in Path(sys.argv[1]).glob("benchlib-*")]]))
        """,
        tmp_path,
        write(
            tmp_path / "bad.ipynb",
            {"given": "study = ''", "bad": "get_ipython().display_pub.publish({'text/html': 5})"},
            {"given": ["parameters"]},
        ),
        write(tmp_path / "mute.ipynb", {"given": "study = ''"}, {"given": ["parameters"]}),
    )
    assert told == [1, 6, []]


def test_a_notebook_that_kills_the_server_fails_alone(tmp_path: Path) -> None:
    """The next is run by a fork of the builder itself."""
    kill = "import os, time\nos.kill(os.getppid(), 9)\ntime.sleep(60)"
    (killed, _), (error, said) = ran(tmp_path, kill, "print('well')")
    assert killed.startswith("KernelDied: `0.ipynb`: cell 'only': killed with the process that had forked it")
    assert (error, said) == ("", "well\n")
