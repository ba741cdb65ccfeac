"""An executed notebook on disk, whole or not at all."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchlib.files import write_text

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["answers_text", "notebook_text", "save_executed"]

#: What papermill and nbclient note of a run: clocks, and paths of this machine.
_CELL_TRACES = ("papermill", "execution", "ExecuteTime")

#: The file that a cell's code pretends to come from, named for the kernel's number; warnings quote it. It is looked for
#: from the start of a word only: from each letter of megabytes on one line it would never end.
_CELL_FILE = re.compile(r"(?<![^\s'\"])[^\s'\"]*/ipykernel_[0-9]+/[0-9]+\.py")


def save_executed(executed: NotebookNode, path: Path) -> None:
    """Write an executed notebook, without the traces of its run: the same run gives the same bytes.

    They are removed from `executed` too, so that what is made from it does not hold them either.
    """
    _remove_traces(executed)
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


def _remove_traces(executed: NotebookNode) -> None:
    """Remove clocks, random ids and paths.

    What a reader needs is not lost: the parameters stand in the cell that papermill injected, and the
    failure of a cell in its outputs.
    """
    executed.metadata.pop("papermill", None)
    for cell in executed.cells:
        for trace in _CELL_TRACES:
            cell.metadata.pop(trace, None)
        if "injected-parameters" in cell.metadata.get("tags", []):
            cell["id"] = "injected-parameters"
        if "outputs" in cell:
            cell["outputs"] = _joined(cell["outputs"])
        for output in cell.get("outputs", []):
            output.get("metadata", {}).pop("transient", None)
            if "text" in output:
                output["text"] = _CELL_FILE.sub("<cell>", output["text"])
            if "traceback" in output:
                output["traceback"] = [_CELL_FILE.sub("<cell>", one) for one in output["traceback"]]


def _joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Join what was printed in one go: where a kernel cuts it depends on the clock."""
    joined: list[NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if last is not None and output.get("name") and output["name"] == last.get("name"):
            last["text"] += output["text"]
        else:
            joined.append(output)
    return joined


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
