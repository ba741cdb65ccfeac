"""An executed notebook without the traces of its run: the same run gives the same bytes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["without_traces"]

#: What papermill and nbclient note of a run: clocks, and paths of this machine.
_CELL_TRACES = ("papermill", "execution", "ExecuteTime")

#: The file that a cell's code pretends to come from, named for the kernel's number; warnings quote it. It is looked for
#: from the start of a word only: from each letter of megabytes on one line it would never end.
_CELL_FILE = re.compile(r"(?<![^\s'\"])[^\s'\"]*/ipykernel_[0-9]+/[0-9]+\.py")


def without_traces(executed: NotebookNode) -> NotebookNode:
    """Remove clocks, random ids and paths from an executed notebook, and return it.

    What a reader needs is not lost: the parameters stand in the cell that papermill injected, and the
    failure of a cell in its outputs.

    Examples
    --------
    >>> from nbformat.v4 import new_code_cell, new_notebook
    >>> injected = new_code_cell("study = 'a'", metadata={"tags": ["injected-parameters"], "papermill": {}})
    >>> found = without_traces(new_notebook(cells=[injected], metadata={"papermill": {"start_time": "now"}}))
    >>> found.cells[0].id, found.cells[0].metadata, found.metadata
    ('injected-parameters', {'tags': ['injected-parameters']}, {})
    """
    executed.metadata.pop("papermill", None)
    injected = 0
    for cell in executed.cells:
        for trace in _CELL_TRACES:
            cell.metadata.pop(trace, None)
        if "injected-parameters" in cell.metadata.get("tags", []):
            injected += 1  # a house's own notebook has such a cell too, and no two cells share an id
            cell["id"] = "injected-parameters" if injected == 1 else f"injected-parameters-{injected}"
        if "outputs" in cell:
            cell["outputs"] = _joined(cell["outputs"])
        for output in cell.get("outputs", []):
            output.get("metadata", {}).pop("transient", None)
            if "text" in output:
                output["text"] = _CELL_FILE.sub("<cell>", output["text"])
            if "traceback" in output:
                output["traceback"] = [_CELL_FILE.sub("<cell>", one) for one in output["traceback"]]
    return executed


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
