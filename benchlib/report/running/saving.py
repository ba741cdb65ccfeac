"""An executed notebook on disk, whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchlib.files import write_text
from benchlib.report.running.secrets import Secrets, named_secrets
from benchlib.report.running.tidying import without_traces

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["answers_text", "notebook_text", "save_executed"]

#: What a notebook and its cells are, as their author wrote it; the outputs are looked at one by one.
_OF_A_CELL = {"kernelspec", "language_info", "cell_type", "id", "metadata", "outputs"}
_OF_AN_OUTPUT = {"output_type", "name"}


def save_executed(executed: NotebookNode, path: Path) -> None:
    """Write an executed notebook; neither its secrets nor the traces of its run come to the disk.

    They are removed from `executed` too, so that what is made from it does not hold them either.
    """
    secrets = named_secrets(executed.metadata.get("papermill", {}).get("parameters", {}).values())
    # Traces first: what was printed in pieces is joined by that, and a secret may lie across two of them.
    _blank(without_traces(executed), secrets)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, notebook_text(executed))


def notebook_text(notebook: NotebookNode) -> str:
    r"""Return a notebook as JSON, each cell on a line of its own.

    nbformat's own layout gives a line to each number of a figure; writing that takes ten times as long.

    Examples
    --------
    >>> from nbformat.v4 import new_markdown_cell, new_notebook
    >>> print(notebook_text(new_notebook(cells=[new_markdown_cell("a", id="one")])), end="")
    {"cells":[
    {"cell_type":"markdown","id":"one","metadata":{},"source":"a"}
    ],"metadata":{},"nbformat":4,"nbformat_minor":5}
    """
    cells = ",\n".join(_json(one) for one in notebook.cells)
    rest = _json({name: value for name, value in notebook.items() if name != "cells"})
    return f'{{"cells":[\n{cells}\n],{rest[1:]}\n'


def answers_text(answers: Mapping[str, Any]) -> str:
    """Return answers as JSON, each on a line of its own: indented, they would take twenty times as long to write.

    Examples
    --------
    >>> print(answers_text({"status": "PASS", "scaling": {"curves": [1, 2]}}), end="")
    {"status": "PASS",
    "scaling": {"curves": [1, 2]}}
    """
    written = {json.dumps(name): json.dumps(one, ensure_ascii=False, allow_nan=False) for name, one in answers.items()}
    return "{" + ",\n".join(f"{name}: {one}" for name, one in written.items()) + "}\n"


def _blank(executed: NotebookNode, secrets: Secrets) -> None:
    """Blank what a notebook says and shows, not the words by which Jupyter knows what is what."""
    if not secrets.values:
        return
    said = [executed.metadata, *executed.cells]
    shown = [output for cell in executed.cells for output in cell.get("outputs", [])]
    for one, kept in [*((one, _OF_A_CELL) for one in said), *((one, _OF_AN_OUTPUT) for one in shown)]:
        for name in one.keys() - kept:
            one[name] = secrets.blank(one[name])


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
