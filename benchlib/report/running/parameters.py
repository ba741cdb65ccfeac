"""What was given to a notebook, checked against what it declares.

papermill injects names unescaped, guesses types (``no`` becomes text, ``007`` seven) and only warns
of an unknown name. So everything is checked here, against the notebook's own ``parameters`` cell
(`benchlib.report.running.declarations`), before a kernel starts.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from benchlib.errors import ParameterError, choices, printable, suggestion

__all__ = ["TYPES", "Parameter", "Scalar", "Value", "check_parameters", "typed"]

Scalar = str | int | float | bool
Value = Scalar | list[Scalar]

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
    """One line of a notebook's parameters cell.

    Attributes
    ----------
    name : str
    type : str
        One of `TYPES`.
    default : str, int, float, bool or list
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
        In the order given. A date is the text of its day: that is what papermill can inject.

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
            near = suggestion(name[:100], known)
            raise ParameterError(
                f"`{place}` has no parameter '{printable(name, 60)}'{near}"
                f"{' Declared' if near else '; declared'}: {choices(known, limit=30)}"
            )
    return {name: _checked(known[name], value) for name, value in given.items()}


def _checked(parameter: Parameter, value: object) -> Value:
    """Return the value in the declared type; text stays exactly the text given."""
    found = typed(parameter.type, value)
    if found is None:
        raise ParameterError(
            f"`{parameter.notebook}`: parameter '{parameter.name}' is '{printable(str(value), 60)}'; "
            f"accepted: {TYPES[parameter.type]}"
        )
    return found


def typed(kind: str, value: object) -> Value | None:
    """Return a value in one of `TYPES`, or None where it is not of that type.

    Examples
    --------
    >>> typed("str", "007"), typed("int", "20261120"), typed("bool", "no"), typed("list[int]", "1,2,4")
    ('007', 20261120, None, [1, 2, 4])
    """
    if not kind.startswith("list["):
        return _scalar(kind, value)
    items = _items(value)
    if items is None:
        return None
    found = [_scalar(kind[len("list[") : -1], one) for one in items]
    return None if None in found else [one for one in found if one is not None]


def _items(value: object) -> list[object] | None:
    """Return the items of a list, written with commas or, where an item holds one, as JSON."""
    if isinstance(value, list):
        return value
    if not isinstance(value, str):
        return None
    if not value.lstrip().startswith("["):
        return [one.strip() for one in value.split(",")] if value.strip() else []
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) else None


def _scalar(kind: str, value: object) -> Scalar | None:
    if kind == "date":
        return _day(value)
    return _from_text(kind, value) if isinstance(value, str) else _as_is(kind, value)


def _from_text(kind: str, text: str) -> Scalar | None:
    if kind == "str":
        return text
    if kind == "bool":
        return {"true": True, "false": False}.get(text)
    if kind == "int":
        return int(text) if _WHOLE.fullmatch(text) else None
    return _finite(float(text)) if _DECIMAL.fullmatch(text) else None


def _as_is(kind: str, value: object) -> Scalar | None:
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
        found = float(number)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None
