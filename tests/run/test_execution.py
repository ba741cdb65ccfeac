"""Notebooks run by a real kernel: what is kept, and how each failure is told."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from benchlib.errors import InputError, KernelDied, NotebookError, NotebookTimeout
from benchlib.run.execute import execute_notebook

FIGURE = """\
import plotly.graph_objects as go
go.Figure(go.Scatter(y=[1, 2])).show()
"""


def write(folder: Path, **cells: str) -> Path:
    """Write a notebook whose cells have the given ids; the first is its parameters cell."""
    path = folder / "{braces}.ipynb"  # papermill itself would take these for a parameter
    code = [new_code_cell(source, id=name.replace("_", "-")) for name, source in cells.items()]
    code[0].metadata["tags"] = ["parameters"]
    # A kernelspec that points elsewhere must not matter.
    kernel = {"name": "no-such-kernel", "display_name": "Elsewhere", "language": "python"}
    nbformat.write(new_notebook(cells=code, metadata={"kernelspec": kernel}), path)
    return path


def test_cells_run_in_this_interpreter_with_the_parameters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parameters arrive as given, plotly shows figures as data, and no path of this machine is kept."""
    monkeypatch.setenv("HOME", str(tmp_path / "absent"))
    notebook = write(
        tmp_path,
        declare='study: str = ""',
        look="import sys, os; print(repr(study)); print(sys.executable)",
        show=FIGURE,
    )
    output = tmp_path / "new" / "output.ipynb"
    executed = execute_notebook(notebook, output, {"study": 'a"\n\\ <b> {x} é'}, engine="nbclient", quiet=True)
    printed = next(cell for cell in executed.cells if cell.id == "look").outputs[0].text.splitlines()
    assert printed == [repr('a"\n\\ <b> {x} é'), sys.executable]
    assert "application/vnd.plotly.v1+json" in executed.cells[-1].outputs[0].data
    saved = nbformat.read(output, as_version=4)
    assert str(tmp_path) not in json.dumps(saved.metadata)
    assert [one.name for one in output.parent.iterdir()] == ["output.ipynb"]


def test_a_failing_cell_is_named_and_the_notebook_kept(tmp_path: Path) -> None:
    """The message has the cell's id, the error and its first line, and where to look."""
    notebook = write(tmp_path, one="1", fit_usl="raise ValueError('too few levels\\nsecond line')", after="2")
    output = tmp_path / "output.ipynb"
    with pytest.raises(NotebookError) as caught:
        execute_notebook(notebook, output, {}, engine="nbclient", quiet=True)
    assert str(caught.value) == (
        f"`{{braces}}.ipynb`: cell 'fit-usl': ValueError: too few levels; the executed notebook is {output}"
    )
    kept = nbformat.read(output, as_version=4)
    assert any(one.output_type == "error" for cell in kept.cells for one in cell.get("outputs", []))


def test_leaving_early_is_a_failure(tmp_path: Path) -> None:
    """``sys.exit(0)`` in the middle ends well with papermill; a half report must not pass for a whole one."""
    notebook = write(tmp_path, one="import sys; sys.exit(0)", rest="2")
    with pytest.raises(NotebookError, match=r"cell 'one': ended the run by sys\.exit"):
        execute_notebook(notebook, tmp_path / "output.ipynb", {}, engine="nbclient", quiet=True)


def test_a_slow_cell_times_out(tmp_path: Path) -> None:
    """Its own error, with the cell and the limit; exit code 4."""
    notebook = write(tmp_path, one="1", sleep="import time; time.sleep(60)", rest="2")
    with pytest.raises(NotebookTimeout, match="cell 'sleep': ran longer than 1 s"):
        execute_notebook(notebook, tmp_path / "output.ipynb", {}, timeout=1, engine="nbclient", quiet=True)
    assert (tmp_path / "output.ipynb").exists()


def test_a_dead_kernel_is_told_from_a_failing_cell(tmp_path: Path) -> None:
    """A crash has no traceback; it is reported as what it is."""
    notebook = write(tmp_path, one="1", crash="import os; os.abort()", rest="2")
    with pytest.raises(KernelDied, match="cell 'crash': the kernel died"):
        execute_notebook(notebook, tmp_path / "output.ipynb", {}, engine="nbclient", quiet=True)


def test_what_is_no_notebook_starts_no_kernel(tmp_path: Path) -> None:
    """Missing and unreadable files are bad input, and nothing is written."""
    with pytest.raises(InputError, match="no such notebook"):
        execute_notebook(tmp_path / "none.ipynb", tmp_path / "output.ipynb", {})
    (tmp_path / "text.ipynb").write_text("hello")
    with pytest.raises(InputError, match="not a readable notebook"):
        execute_notebook(tmp_path / "text.ipynb", tmp_path / "output.ipynb", {})
    assert not (tmp_path / "output.ipynb").exists()
