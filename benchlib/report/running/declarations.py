"""What a notebook may be told: the parameters that its own ``parameters`` cell declares, read without running it."""

from __future__ import annotations

import ast
import io
import json
import keyword
import tokenize
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchlib.errors import InputError, ParameterError, printable
from benchlib.report.running.parameters import TYPES, Parameter, typed

__all__ = ["declared_parameters"]


def declared_parameters(notebook_path: str | Path) -> tuple[Parameter, ...]:
    """Read the cell tagged ``parameters`` of a notebook, without running it.

    Each line is ``name: type = literal  # help``. The type may be left out where the literal tells it: a text,
    a whole number, a decimal number, true or false, or a list that is not empty. Lists are written
    ``list[int]``, dates ``"date"`` in quotes, since a notebook that runs by hand would look the name up.

    Parameters
    ----------
    notebook_path : str or Path

    Returns
    -------
    tuple of Parameter
        In the order of the cell; empty if the notebook has no such cell.

    Raises
    ------
    InputError
        If the file is not there or is no notebook.
    ParameterError
        If a line of the cell is not ``name: type = literal``.

    Examples
    --------
    >>> import json, tempfile
    >>> source = 'metric: str = "time"  # What to analyse.'
    >>> cell = {"cell_type": "code", "metadata": {"tags": ["parameters"]}, "source": source}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "one.ipynb")
    ...     _ = path.write_text(json.dumps({"cells": [cell]}))
    ...     [metric] = declared_parameters(path)
    >>> metric.name, metric.type, metric.default, metric.help
    ('metric', 'str', 'time', 'What to analyse.')
    """
    path = Path(notebook_path)
    for cell in _cells(path):
        if "parameters" in cell.get("metadata", {}).get("tags", []):
            return _parse_cell("".join(cell.get("source", "")), path.name)
    return ()


def _cells(path: Path) -> list[dict[str, Any]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such notebook") from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: not a readable notebook ({printable(str(error))})") from None
    cells = content.get("cells") if isinstance(content, dict) else None
    if not isinstance(cells, list) or not all(isinstance(one, dict) for one in cells):
        raise InputError(f"{path}: not a notebook: it has no list of cells")
    return cells


@lru_cache(maxsize=64)  # each report of a batch asks twice, and most are of one notebook
def _parse_cell(source: str, notebook: str) -> tuple[Parameter, ...]:
    try:
        statements = ast.parse(source).body
        comments = _comments(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError) as error:
        raise ParameterError(f"`{notebook}`: the parameters cell is not Python: {printable(str(error))}") from None
    return tuple(_parse_line(one, comments.get(one.end_lineno or 0, ""), notebook) for one in statements)


def _parse_line(statement: ast.stmt, help_text: str, notebook: str) -> Parameter:
    """Read ``name: type = literal``; a missing type is that of the literal."""
    unreadable = ParameterError(
        f"`{notebook}`: line {statement.lineno} of the parameters cell is "
        f"'{printable(ast.unparse(statement), 60)}'; write `name: type = literal  # help` "
        f"with type {' | '.join(TYPES)}"
    )
    if isinstance(statement, ast.AnnAssign):
        target: ast.expr = statement.target
        kind = _annotated(statement.annotation)
    elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target, kind = statement.targets[0], None
    else:
        raise unreadable
    if not isinstance(target, ast.Name) or keyword.issoftkeyword(target.id) or statement.value is None:
        raise unreadable
    try:
        literal = ast.literal_eval(statement.value)
    except ValueError:
        raise unreadable from None
    kind = kind or _inferred(literal)
    default = typed(kind, literal) if kind in TYPES and _written_as(kind, literal) else None
    if default is None:
        raise unreadable
    return Parameter(name=target.id, type=kind, default=default, help=help_text, notebook=notebook)


def _annotated(annotation: ast.expr) -> str:
    """Return a type as it is written, quotes or not."""
    return annotation.value if isinstance(annotation, ast.Constant) else ast.unparse(annotation)  # type: ignore[return-value]


def _inferred(literal: object) -> str:
    """Return the type of a literal; of a list that of its first item, which the others must share."""
    if isinstance(literal, list) and literal:
        return f"list[{type(literal[0]).__name__}]"
    return type(literal).__name__


def _written_as(kind: str, literal: object) -> bool:
    """Tell whether a literal is written in the form of its type: a text is no number, a number no text."""
    if kind.startswith("list["):
        return isinstance(literal, list)
    return isinstance(literal, str) == (kind in ("str", "date"))


def _comments(source: str) -> dict[int, str]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {one.start[0]: one.string.lstrip("# ").rstrip() for one in tokens if one.type == tokenize.COMMENT}
