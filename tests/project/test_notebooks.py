"""The form of every notebook in git: thin, canonical, without outputs."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks" / "reports").glob("*.ipynb"))
#: What is read and changed cell by cell, by hand.
EXPLORED = [
    ROOT / "notebooks" / "00_start_here.ipynb",
    *sorted((ROOT / "notebooks" / "explore").glob("*.ipynb")),
    *sorted((ROOT / "notebooks" / "tutorials").glob("*.ipynb")),
]

MAX_CELLS, MAX_LINES = 20, 10
#: A line of the parameters cell is no code: each asks one thing of the reader.
MAX_PARAMETERS = 20
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
NOTEBOOK_METADATA = {"kernelspec", "language_info"}
CELL_METADATA = {"tags", "slideshow"}
TAGS = {"parameters", "remove-input", "remove-cell"}
IMPORTS = {"import benchlib as bl", "import numpy as np", "import pandas as pd"}
CELL_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

#: ``metric: str = "time"  # What to analyse.``: papermill's inspection misreads anything richer.
PARAMETER = re.compile(r"(?P<name>[a-z]\w*): (?P<type>str|int|float|bool) = (?P<value>[^=|#]+?)  # (?P<help>[^=#]+)")

#: A branch, a loop or a formula belongs in the library, with a test.
LOGIC = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.For, ast.While, ast.If, ast.IfExp,
    ast.Try, ast.Match, ast.With, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.BinOp,
    ast.AugAssign,
)  # fmt: skip


def faults(text: str) -> list[str]:
    """Return what is wrong with the form of a report's notebook, given as the text of its file."""
    cells = nbformat.v4.reads(text).cells
    found = form_faults(text)
    if len(cells) > MAX_CELLS:
        found.append(f"{len(cells)} cells")
    return found + [f"cell {cell.id}: {fault}" for cell in code_of(cells) for fault in thickness(cell)]


def explored_faults(text: str) -> list[str]:
    """Return what is wrong with the form of a notebook that is explored, given as the text of its file."""
    cells = nbformat.v4.reads(text).cells
    found = form_faults(text)
    if not 8 <= len(cells) <= 19:
        found.append(f"{len(cells)} cells")
    if not any("**Try:**" in cell.source for cell in cells if cell.cell_type == "markdown"):
        found.append("nothing to try")
    code = code_of(cells)
    found += [f"cell {cell.id}: not 1 to 4 lines" for cell in code if not 1 <= len(lines_of(cell)) <= 4]
    imported = {line for cell in code for line in lines_of(cell) if line.startswith(("import ", "from "))}
    return found + [f"imports by {line!r}" for line in sorted(imported - IMPORTS)]


def code_of(cells: list[Any]) -> list[Any]:
    return [cell for cell in cells if cell.cell_type == "code"]


def lines_of(cell: Any) -> list[str]:
    return [line.strip() for line in cell.source.splitlines() if line.strip()]


def form_faults(text: str) -> list[str]:
    """Return what is wrong with the form of any notebook in git."""
    raw = json.loads(text)
    notebook = nbformat.v4.reads(text)
    nbformat.validate(notebook)
    found = []
    if nbformat.v4.writes(notebook) + "\n" != text:
        found.append("not in the form that nbformat writes")
    if (raw["nbformat"], raw["nbformat_minor"]) != (4, 5):
        found.append("not format 4.5")
    if set(raw["metadata"]) - NOTEBOOK_METADATA or raw["metadata"].get("kernelspec") != KERNEL:
        found.append("notebook metadata")
    if set(raw["metadata"].get("language_info", {})) - {"name"}:
        found.append("language_info says more than the language")
    cells = notebook.cells
    if not cells or cells[0].cell_type != "markdown" or not cells[0].source.startswith("# "):
        found.append("the first cell is not a title")
    code = code_of(cells)
    if [("parameters" in one.metadata.get("tags", [])) for one in code].count(True) != 1:
        found.append("not exactly one parameters cell")
    elif "parameters" not in code[0].metadata.get("tags", []):
        found.append("the parameters cell is not the first code cell")
    for cell in cells:
        found += [f"cell {cell.id}: {fault}" for fault in cell_faults(cell)]
    return found


def cell_faults(cell: Any) -> list[str]:
    """Return what is wrong with one cell of any notebook."""
    found = []
    tags = set(cell.metadata.get("tags", []))
    if set(cell.metadata) - CELL_METADATA or tags - TAGS:
        found.append("metadata or tags")
    if not CELL_ID.fullmatch(cell.id) or re.fullmatch(r"[0-9a-f]{8,}", cell.id):
        found.append("its id is not a name such as fit-usl")
    if cell.cell_type != "code":
        return found
    if cell.outputs or cell.execution_count is not None:
        found.append("has outputs")
    if "parameters" in tags:
        found += [f"parameter {line!r}" for line in lines_of(cell) if not well_formed(line)]
    return found


def thickness(cell: Any) -> list[str]:
    """Return what a code cell of a report's notebook holds that belongs in the library."""
    parameters = "parameters" in cell.metadata.get("tags", [])
    most = MAX_PARAMETERS if parameters else MAX_LINES
    found = [f"more than {most} lines"] if cell.source.count("\n") >= most else []
    if parameters:
        return found
    tree = ast.parse(cell.source)
    found += [f"holds a {type(node).__name__}" for node in ast.walk(tree) if isinstance(node, LOGIC)]
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return found + [f"holds a path {one!r}" for one in texts if "/" in one and not re.fullmatch(r"[\wµ]+/\w+", one)]


def well_formed(line: str) -> bool:
    """Say whether a line declares a parameter: plain type, literal of that type, help."""
    match = PARAMETER.fullmatch(line)
    if match is None:
        return False
    try:
        value = ast.literal_eval(match["value"])
    except (ValueError, SyntaxError):
        return False
    return type(value).__name__ == match["type"]


def test_a_notebook_has_the_form() -> None:
    """Thin, canonical, without outputs; its cells have names and its parameters their help."""
    assert "executive_summary" in [path.stem for path in NOTEBOOKS]
    assert [f"{path.stem}: {fault}" for path in NOTEBOOKS for fault in faults(path.read_text(encoding="utf-8"))] == []


def test_a_notebook_to_explore_has_its_form() -> None:
    """Few cells of few lines, only benchlib, pandas and numpy, and something to try."""
    assert len(EXPLORED) > 10
    texts = {path.stem: path.read_text(encoding="utf-8") for path in EXPLORED}
    assert [f"{name}: {fault}" for name, text in texts.items() for fault in explored_faults(text)] == []
    start = json.loads(texts["00_start_here"])
    code = next(cell for cell in start["cells"] if cell["source"] == ['fits["json"].predict([16, 32])'])
    code["source"] = ["from benchlib.study import Study\n", "1\n", "2\n", "3\n", "4"]
    start["cells"] = [cell for cell in start["cells"] if "**Try:**" not in "".join(cell["source"])][:7]
    assert explored_faults(written(start)) == [
        "7 cells",
        "nothing to try",
        f"cell {code['id']}: not 1 to 4 lines",
        "imports by 'from benchlib.study import Study'",
    ]


def test_papermill_finds_every_parameter_with_its_help() -> None:
    """``papermill --help-notebook`` lists each declared parameter, typed, with default and help."""
    from papermill import inspect_notebook

    for path in NOTEBOOKS:
        notebook = nbformat.read(path, as_version=4)
        [cell] = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
        declared = [PARAMETER.fullmatch(line) for line in cell.source.splitlines() if line.strip()]
        listed = inspect_notebook(str(path))
        assert {match["name"]: (match["type"], match["value"], match["help"]) for match in declared if match} == {
            name: (entry["inferred_type_name"], entry["default"], entry["help"]) for name, entry in listed.items()
        }, path.stem


def sound() -> dict[str, Any]:
    """Return a notebook of the right form, as the content of its file."""
    return {
        "cells": [
            {"cell_type": "markdown", "id": "title", "metadata": {}, "source": ["# Is it fast?"]},
            {
                "cell_type": "code", "execution_count": None, "id": "parameters",
                "metadata": {"tags": ["parameters"]}, "outputs": [],
                "source": ['metric: str = "time"  # What to analyse.\n', "level: float = 0.95  # How sure."],
            },
            {
                "cell_type": "code", "execution_count": None, "id": "fit-usl", "metadata": {}, "outputs": [],
                "source": ['answer = question(metric, unit="sec/op")\n', "answer"],
            },
        ],
        "metadata": {"kernelspec": KERNEL, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }  # fmt: skip


def written(notebook: dict[str, Any]) -> str:
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def test_a_sound_notebook_has_no_faults() -> None:
    """The check does not complain of a notebook in the right form."""
    assert faults(written(sound())) == []


def test_each_fault_is_found() -> None:
    """The check itself names what departs from the form."""
    for cell, key, value, fault in (
        (0, "source", ["no title"], "title"),
        (0, "id", "a1b2c3d4", "not a name"),
        (1, "source", ["metric = 'time'"], "parameter"),
        (1, "source", ['metric: str = "time"'], "parameter"),
        (1, "source", ['metric: str = "a=b"  # Help.'], "parameter"),
        (1, "source", ["level: float = 1  # An int."], "parameter"),
        (1, "source", ["level: float | None = 1.0  # Help."], "parameter"),
        (1, "metadata", {}, "exactly one parameters cell"),
        (2, "execution_count", 3, "outputs"),
        (2, "outputs", [{"output_type": "stream", "name": "stdout", "text": ["1"]}], "outputs"),
        (2, "metadata", {"collapsed": True}, "metadata"),
        (2, "metadata", {"tags": ["misspelt"]}, "tags"),
        (2, "source", ["x\n"] * 10 + ["x"], "lines"),
        (2, "source", ["def f(): ..."], "FunctionDef"),
        (2, "source", ["for x in y: x"], "For"),
        (2, "source", ["[x for x in y]"], "ListComp"),
        (2, "source", ["x * 2"], "BinOp"),
        (2, "source", ["load('data/onix-adapter/run.txt')"], "path"),
    ):
        notebook: dict[str, Any] = sound()
        notebook["cells"][cell][key] = value
        assert any(fault in message for message in faults(written(notebook))), (key, value)


def test_a_notebook_saved_by_hand_is_not_canonical() -> None:
    """Another indent than nbformat's is a fault, so that a diff shows only what changed."""
    assert "not in the form that nbformat writes" in faults(json.dumps(sound(), indent=2) + "\n")
