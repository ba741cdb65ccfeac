"""Which notebook a report is made of, and what it may be told: the parameters that its own cell declares.

papermill injects names unescaped, guesses types (``no`` becomes text, ``007`` seven) and only warns
of an unknown name. So everything is checked here, against the notebook's own ``parameters`` cell, before a cell runs.
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
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchlib.errors import InputError, ParameterError, choices, printable, suggestion

if TYPE_CHECKING:
    from benchlib.study import Study

#: The notebook of a report that names no other.
_SUMMARY = "executive_summary"


def shipped_reports() -> Path:
    """Return the folder of the notebooks that come with benchlib.

    They lie beside the package in a checkout, and inside it in an installed wheel.
    """
    package = Path(__file__).resolve().parents[1]
    beside, inside = package.parent / "notebooks", package / "notebooks"
    return (inside if inside.is_dir() else beside) / "reports"


def find_notebook(name: str) -> Path:
    """Return the notebook of a name: a path, or one that comes with benchlib.

    Examples
    --------
    >>> find_notebook("executive_summary").name
    'executive_summary.ipynb'
    """
    path = Path(name)
    try:
        if path.suffix == ".ipynb" and path.is_file():
            return path
    except (OSError, ValueError):  # a name too long, or with a NUL, is no file
        path = Path()
    shipped = {path.stem: path for path in sorted(shipped_reports().glob("*.ipynb"))}
    if path.stem in shipped and path.parent == Path():
        return shipped[path.stem]
    raise InputError(
        f"no notebook '{printable(name)}'{suggestion(path.stem, shipped)}; "
        f"name a .ipynb file, or one of {', '.join(shipped)}"
    )


_Scalar = str | int | float | bool
_Value = _Scalar | list[_Scalar]

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

_ONE = {
    "str": "text",
    "int": "a whole number of at most 18 digits such as 6",
    "float": "a finite number such as 0.95",
    "bool": "true or false",
    "date": "a day such as 2026-11-20",
}
#: type -> what is accepted, for a message.
TYPES = {
    **_ONE,
    "list[str]": 'texts such as one,two or ["a,b", "c"]',
    "list[int]": "whole numbers of at most 18 digits such as 1,2,4",
    "list[float]": "finite numbers such as 0.5,0.95",
    "list[bool]": "true and false such as true,false",
    "list[date]": "days such as 2026-11-20,2026-11-21",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One line of a notebook's parameters cell."""

    name: str
    #: One of `TYPES`.
    type: str
    #: The literal that stands in the cell.
    default: _Value
    #: The comment behind it.
    help: str
    #: File name of the notebook, for messages.
    notebook: str


def check_parameters(
    declared: Iterable[Parameter], given: Mapping[str, object], *, notebook: str = ""
) -> dict[str, _Value]:
    """Turn given values into the declared types, or say in one line what is wrong.

    A date becomes the text of its day: that is what papermill can inject.

    Examples
    --------
    >>> level = Parameter(name="level", type="float", default=0.95, help="", notebook="scaling.ipynb")
    >>> check_parameters([level], {"level": "0.99"})
    {'level': 0.99}
    >>> check_parameters([level], {"levle": "0.99"})
    Traceback (most recent call last):
    ...
    benchlib.errors.ParameterError: `scaling.ipynb` has no parameter 'levle'; did you mean 'level'? Declared: level
    """
    known = {parameter.name: parameter for parameter in declared}
    place = next((parameter.notebook for parameter in known.values()), notebook) or "the notebook"
    for name in given:
        if name not in known:
            near = suggestion(name[:100], known)
            raise ParameterError(
                f"`{place}` has no parameter '{printable(name, 60)}'{near}"
                f"{' Declared' if near else '; declared'}: {choices(known, limit=30)}"
            )
    return {name: _checked(known[name], value) for name, value in given.items()}


def _checked(parameter: Parameter, value: object) -> _Value:
    """Return the value in the declared type; text stays exactly the text given."""
    checked = _typed(parameter.type, value)
    if checked is None:
        raise ParameterError(
            f"`{parameter.notebook}`: parameter '{parameter.name}' is '{printable(str(value), 60)}'; "
            f"accepted: {TYPES[parameter.type]}"
        )
    return checked


def _typed(kind: str, value: object) -> _Value | None:
    """Return a value in one of `TYPES`, or None where it is not of that type."""
    if not kind.startswith("list["):
        return _scalar(kind, value)
    items = _items(value)
    if items is None:
        return None
    scalars = [_scalar(kind[len("list[") : -1], item) for item in items]
    return None if None in scalars else [scalar for scalar in scalars if scalar is not None]


def _items(value: object) -> list[object] | None:
    """Return the items of a list, written with commas or, where an item holds one, as JSON."""
    if isinstance(value, list):
        return value
    if not isinstance(value, str):
        return None
    if not value.lstrip().startswith("["):
        return [part.strip() for part in value.split(",")] if value.strip() else []
    try:
        items = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return items if isinstance(items, list) else None


def _scalar(kind: str, value: object) -> _Scalar | None:
    if kind == "date":
        return _day(value)
    return _from_text(kind, value) if isinstance(value, str) else _as_is(kind, value)


def _from_text(kind: str, text: str) -> _Scalar | None:
    if kind == "str":
        return text
    if kind == "bool":
        return {"true": True, "false": False}.get(text)
    if kind == "int":
        return int(text) if _WHOLE.fullmatch(text) else None
    return _finite(float(text)) if _DECIMAL.fullmatch(text) else None


def _as_is(kind: str, value: object) -> _Scalar | None:
    """Accept a value that already has its type; True is no number here."""
    if kind == "bool":
        return value if isinstance(value, bool) else None
    if isinstance(value, bool):
        return None
    if kind == "int":
        return value if isinstance(value, int) else None
    return _finite(value) if kind == "float" and isinstance(value, int | float) else None


def _day(value: object) -> str | None:
    """Return the text of a day that is in the calendar; `date` of a TOML file is one already."""
    if type(value) is date:
        return value.isoformat()
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        return None
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        return None


def _finite(number: float) -> float | None:
    try:
        finite = float(number)
    except OverflowError:
        return None
    return finite if math.isfinite(finite) else None


def declared_parameters(notebook_path: str | Path) -> tuple[Parameter, ...]:
    """Read the cell tagged ``parameters`` of a notebook, without running it.

    Each line is ``name: type = literal  # help``. The type may be left out where the literal tells it: a text,
    a whole number, a decimal number, true or false, or a list that is not empty. Lists are written
    ``list[int]``, dates ``"date"`` in quotes, since a notebook that runs by hand would look the name up.

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


def title_of(notebook: Path) -> str:
    """Return the first heading of a notebook, else its name."""
    texts = ["".join(cell.get("source", "")) for cell in _cells(notebook) if cell.get("cell_type") == "markdown"]
    lines = (line for text in texts for line in text.splitlines())
    return next((line.lstrip("# ").strip() for line in lines if line.startswith("#")), "") or notebook.stem


def said_before(notebook: Path) -> tuple[str, ...]:
    """Return what a notebook leaves out that a report can do without, so that it is known before anything runs."""
    remarks = []
    if not declared_parameters(notebook):
        remarks.append("no cell is tagged 'parameters', so it takes none")
    code = "\n".join("".join(cell.get("source", "")) for cell in _cells(notebook) if cell.get("cell_type") == "code")
    if not re.search(r"\b(verdict|document|executive|deck)\b|benchlib\.(answers|document|deck)\+json", code):
        remarks.append("it ends in no bl.verdict(...), so the page says 'No verdict'")
    return tuple(remarks)


def _cells(path: Path) -> list[dict[str, Any]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such notebook") from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: not a readable notebook ({printable(str(error))})") from None
    cells = content.get("cells") if isinstance(content, dict) else None
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        raise InputError(f"{path}: not a notebook: it has no list of cells")
    return cells


@lru_cache(maxsize=64)  # each report of a batch asks twice, and most are of one notebook
def _parse_cell(source: str, notebook: str) -> tuple[Parameter, ...]:
    try:
        statements = ast.parse(source).body
        comments = _comments(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError) as error:
        raise ParameterError(f"`{notebook}`: the parameters cell is not Python: {printable(str(error))}") from None
    return tuple(
        _parse_line(statement, comments.get(statement.end_lineno or 0, ""), notebook) for statement in statements
    )


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
    default = _typed(kind, literal) if kind in TYPES and _written_as(kind, literal) else None
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
    return {token.start[0]: token.string.lstrip("# ").rstrip() for token in tokens if token.type == tokenize.COMMENT}


#: Parameters by which a notebook is known to plan capacity; the rest may be left out.
_CORE = {"target", "slo", "headroom", "survive", "nodes"}
#: All parameters of a plan.
_PLAN = (*sorted(_CORE), "growth", "start", "currency", "mix", "probability", "draws", "seed")


def check_plan(values: Mapping[str, Any], study: Study) -> None:
    """Check the words of a plan as `benchlib capacity` does, where a notebook has the parameters of one."""
    if not values.keys() >= _CORE:
        return
    # Imported where a plan is asked for: other reports need none of it.
    from benchlib.answers.capacity_loads import mix_axis
    from benchlib.answers.requirements import plan_wanted

    # Kinds of node are several in a notebook, and one option of a command.
    words = {"node" if name == "nodes" else name: values[name] for name in _PLAN if name in values}
    wanted = plan_wanted(study, **words)
    if wanted.mix:
        mix_axis(study.results, wanted.mix)
