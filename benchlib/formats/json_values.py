"""What stands at a path of a parsed JSON document: a number, a text, a list, an object, or nothing.

A path that leads nowhere and a null are nothing; something else than was asked for is an error that quotes it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from benchlib.errors import DataError, printable

__all__ = ["items", "mapping", "number", "pick", "text"]

Path = str | tuple[str, ...]


def pick(root: object, path: Path) -> object:
    """Return the value at a dotted path of keys, or None where any of them is missing.

    Parameters
    ----------
    root : object
    path : str or tuple of str
        ``"a.b"``, or ``("a", "99.9")`` where a key holds a dot itself.

    Examples
    --------
    >>> pick({"a": {"b": 1}}, "a.b"), pick({"a": 1}, "a.b"), pick({"95.0": 2}, ("95.0",))
    (1, None, 2)
    """
    found = root
    for key in path.split(".") if isinstance(path, str) else path:
        if not isinstance(found, dict):
            return None
        found = found.get(key)
    return found


def number(root: object, path: Path) -> float | None:
    """Return the number at a path, None where it is missing or null.

    Raises
    ------
    DataError
        If something else stands there: a text, a truth value, a number beyond all floats.

    Examples
    --------
    >>> number({"mean": 2}, "mean"), number({"mean": None}, "mean")
    (2.0, None)
    """
    found = pick(root, path)
    if found is None:
        return None
    if isinstance(found, (int, float)) and not isinstance(found, bool) and math.isfinite(found):
        return float(found)
    raise _mistyped(path, found, "a number")


def text(root: object, path: Path) -> str | None:
    """Return the text at a path, None where it is missing or null.

    Raises
    ------
    DataError
        If something else stands there.
    """
    found = pick(root, path)
    if found is None or isinstance(found, str):
        return found
    raise _mistyped(path, found, "a text")


def items(root: object, path: Path) -> list[object]:
    """Return the list at a path, an empty one where it is missing or null.

    Raises
    ------
    DataError
        If something else stands there.
    """
    found = pick(root, path)
    if found is None:
        return []
    if isinstance(found, list):
        return found
    raise _mistyped(path, found, "a list")


def mapping(root: object, path: Path) -> Mapping[str, object]:
    """Return the object at a path, an empty one where it is missing or null.

    Raises
    ------
    DataError
        If something else stands there.
    """
    found = pick(root, path)
    if found is None:
        return {}
    if isinstance(found, dict):
        return found
    raise _mistyped(path, found, "an object")


def _mistyped(path: Path, found: object, wanted: str) -> DataError:
    where = path if isinstance(path, str) else ".".join(path)
    shown = json.dumps(found, ensure_ascii=False) if isinstance(found, (str, int, float)) else _KINDS[type(found)]
    return DataError(f"{printable(where, 60)} is {printable(shown, 60)}, not {wanted}")


_KINDS: dict[type, str] = {dict: "an object", list: "a list", type(None): "null"}
