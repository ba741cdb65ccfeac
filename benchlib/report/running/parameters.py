"""What a notebook may be told: its declared parameters, and the check of what was given.

papermill injects names unescaped, guesses types (``no`` becomes text, ``007`` seven) and only warns
of an unknown name. So everything is checked here, against the notebook's own ``parameters`` cell,
before a kernel starts.
"""

from __future__ import annotations

import ast
import io
import json
import keyword
import math
import re
import tokenize
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchlib.errors import InputError, ParameterError, choices, printable, suggestion

__all__ = ["Parameter", "Value", "check_parameters", "declared_parameters"]

Value = str | int | float | bool

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")
_ACCEPTED = {
    "str": "text",
    "int": "a whole number such as 6",
    "float": "a finite number such as 0.95",
    "bool": "true or false",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One line of a notebook's parameters cell.

    Attributes
    ----------
    name : str
    type : {"str", "int", "float", "bool"}
    default : str, int, float or bool
        The literal that stands in the cell.
    help : str
        The comment behind it.
    notebook : str
        File name of the notebook, for messages.
    """

    name: str
    type: str
    default: Value
    help: str
    notebook: str


def declared_parameters(notebook_path: str | Path) -> tuple[Parameter, ...]:
    """Read the cell tagged ``parameters`` of a notebook, without running it.

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


def check_parameters(
    declared: Iterable[Parameter], given: Mapping[str, object], *, notebook: str = ""
) -> dict[str, Value]:
    """Turn given values into the declared types, or say in one line what is wrong.

    Parameters
    ----------
    declared : iterable of Parameter
    given : mapping of str to object
        Text as typed on a command line, or values that already have their type.
    notebook : str
        Named in messages when the notebook declares nothing.

    Returns
    -------
    dict of str to value
        In the order given.

    Raises
    ------
    ParameterError
        For a name that is not declared or a value of another type.

    Examples
    --------
    >>> level = Parameter(
    ...     name="confidence_level", type="float", default=0.95, help="", notebook="40_scaling.ipynb"
    ... )
    >>> check_parameters([level], {"confidence_level": "0.99"})
    {'confidence_level': 0.99}
    >>> check_parameters([level], {"confidnce": "0.99"})
    Traceback (most recent call last):
    ...
    benchlib.errors.ParameterError: `40_scaling.ipynb` has no parameter 'confidnce'; did you mean \
'confidence_level'? Declared: confidence_level
    """
    known = {one.name: one for one in declared}
    place = next((one.notebook for one in known.values()), notebook) or "the notebook"
    for name in given:
        if name not in known:
            raise ParameterError(
                f"`{place}` has no parameter '{printable(name, 60)}'{suggestion(name, known) or ';'}"
                f" Declared: {choices(known, limit=30)}"
            )
    return {name: _typed(known[name], value) for name, value in given.items()}


def _typed(parameter: Parameter, value: object) -> Value:
    """Return the value in the declared type; text stays exactly the text given."""
    typed = _from_text(parameter.type, value) if isinstance(value, str) else _as_is(parameter.type, value)
    if typed is None:
        raise ParameterError(
            f"`{parameter.notebook}`: parameter '{parameter.name}' is '{printable(str(value), 60)}'; "
            f"accepted: {_ACCEPTED[parameter.type]}"
        )
    return typed


def _from_text(kind: str, text: str) -> Value | None:
    if kind == "str":
        return text
    if kind == "bool":
        return {"true": True, "false": False}.get(text)
    if kind == "int":
        return int(text) if _WHOLE.fullmatch(text) else None
    return _finite(float(text)) if _DECIMAL.fullmatch(text) else None


def _as_is(kind: str, value: object) -> Value | None:
    """Accept a value that already has its type; True is no number here."""
    if kind == "bool":
        return value if isinstance(value, bool) else None
    if isinstance(value, bool):
        return None
    if kind == "int":
        return value if isinstance(value, int) else None
    return _finite(float(value)) if kind == "float" and isinstance(value, int | float) else None


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _cells(path: Path) -> list[dict[str, Any]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such notebook") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: not a readable notebook ({printable(str(error))})") from None
    cells = content.get("cells") if isinstance(content, dict) else None
    if not isinstance(cells, list) or not all(isinstance(one, dict) for one in cells):
        raise InputError(f"{path}: not a notebook: it has no list of cells")
    return cells


def _parse_cell(source: str, notebook: str) -> tuple[Parameter, ...]:
    try:
        statements = ast.parse(source).body
        comments = _comments(source)
    except (SyntaxError, ValueError, tokenize.TokenError) as error:
        raise ParameterError(f"`{notebook}`: the parameters cell is not Python: {error}") from None
    return tuple(_parse_line(one, comments.get(one.end_lineno or 0, ""), notebook) for one in statements)


def _parse_line(statement: ast.stmt, help_text: str, notebook: str) -> Parameter:
    """Read ``name: type = literal``; a missing type is that of the literal."""
    unreadable = ParameterError(
        f"`{notebook}`: line {statement.lineno} of the parameters cell is "
        f"'{printable(ast.unparse(statement), 60)}'; write `name: type = literal  # help` "
        f"with type {' | '.join(_ACCEPTED)}"
    )
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.annotation, ast.Name):
        target: ast.expr = statement.target
        kind = statement.annotation.id
    elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target, kind = statement.targets[0], ""
    else:
        raise unreadable
    if not isinstance(target, ast.Name) or keyword.issoftkeyword(target.id) or statement.value is None:
        raise unreadable
    try:
        default = ast.literal_eval(statement.value)
    except ValueError:
        raise unreadable from None
    kind = kind or type(default).__name__
    if kind == "float" and isinstance(default, int) and not isinstance(default, bool):
        default = float(default)
    if kind not in _ACCEPTED or type(default).__name__ != kind:
        raise unreadable
    return Parameter(name=target.id, type=kind, default=default, help=help_text, notebook=notebook)


def _comments(source: str) -> dict[int, str]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {one.start[0]: one.string.lstrip("# ").rstrip() for one in tokens if one.type == tokenize.COMMENT}
