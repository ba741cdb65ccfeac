"""Answers as plain data: one versioned schema for answers.json and every ``--format json``."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import PurePath
from typing import Any

import msgspec
import numpy as np

from benchlib.results import Results

__all__ = ["SCHEMA_VERSION", "to_dict"]

#: Raised when a key changes its meaning or goes away; new keys may come without it.
SCHEMA_VERSION = "benchlib-answers/2"


def to_dict(answer: Any) -> Any:
    """Return an answer as dicts, lists, strings and numbers that JSON can hold.

    A number that is not finite becomes null: an infinite bound stands beside a caveat that says
    so. Tables of raw rows are left out; evidence names them.

    Parameters
    ----------
    answer : dataclass instance, or a tuple or mapping of them

    Returns
    -------
    dict, list, str, int, float, bool or None

    Examples
    --------
    >>> from benchlib.statistics.estimates import point
    >>> to_dict(point(2.5, "sec", 1, "single"))["low"] is None
    True
    """
    # Numbers and words first: most of what an answer holds.
    if answer is None or isinstance(answer, (bool, int)):
        return answer
    if isinstance(answer, (float, np.floating)):
        return finite(float(answer))
    if isinstance(answer, str):
        return str(answer)  # words of a page know more than their text
    if isinstance(answer, Results):
        return {"rows": len(answer.frame), "failed_rows": len(answer.failed), "files": to_dict(answer.files)}
    names: tuple[str, ...] = getattr(answer, "json_fields", ())
    struct = isinstance(answer, msgspec.Struct) or dataclasses.is_dataclass(answer)
    if not names and struct and not isinstance(answer, type):
        kind: Any = type(answer)
        names = _public(kind)
    if names:
        return {"type": type(answer).__name__, **{name: to_dict(getattr(answer, name)) for name in names}}
    if isinstance(answer, Mapping):
        return {_key(key): to_dict(value) for key, value in answer.items()}
    if isinstance(answer, np.ndarray):
        return [to_dict(item) for item in answer.tolist()]
    if isinstance(answer, (Sequence, set, frozenset)):
        return [to_dict(item) for item in answer]
    if isinstance(answer, (np.integer, np.bool_)):
        return answer.item()
    if isinstance(answer, PurePath):
        return answer.name  # never a path of this machine
    raise TypeError(f"{type(answer).__name__} has no plain form")


def finite(number: float) -> float | None:
    """Return a number, or None for one that JSON does not know."""
    return float(number) if math.isfinite(number) else None


@cache
def _public(kind: Any) -> tuple[str, ...]:
    """Return the fields of a kind of answer; private ones are how it was made, and no part of it."""
    if issubclass(kind, msgspec.Struct):
        return tuple(kind.__struct_fields__)
    return tuple(field.name for field in dataclasses.fields(kind) if not field.name.startswith("_"))


def _key(key: Any) -> str:
    return f"{key:g}" if isinstance(key, float) else str(key)
