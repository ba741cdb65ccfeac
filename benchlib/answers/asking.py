"""What is asked: words of a question checked against the results, and the refusal of one that these cannot answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchlib.errors import DataError, SelectionError, choices, printable, suggestion
from benchlib.metrics import canonical
from benchlib.results import Results

__all__ = ["Refusal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Says in one line why a question has no answer here.

    Attributes
    ----------
    question : str
        The question's short name: ``"scaling"``.
    reason : str
        What the data lack.
    advice : str
        What would let the question be asked.
    """

    question: str
    reason: str
    advice: str


_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
#: Whole numbers below this are counts, written with all their digits.
_WRITTEN_OUT = 1e15


def _asked_words(given: str | Sequence[str], name: str, accepted: str = "") -> tuple[str, ...]:
    """Return the distinct words of a text with commas, or of a sequence."""
    words = given.split(",") if isinstance(given, str) else given
    if not isinstance(words, Sequence | np.ndarray) or not all(isinstance(word, str) for word in words):
        raise DataError(f"{name} {printable(repr(given), 60)} is neither a name nor a sequence of names{accepted}")
    return tuple(dict.fromkeys(word.strip() for word in words if word.strip()))


def _asked_columns(results: Results, given: str | Sequence[str], name: str) -> tuple[str, ...]:
    """Return the columns named, all of which the results have."""
    words = _asked_words(given, name)
    known = ("benchmark", "run", *results.axes)
    for word in words:
        if word not in known:
            hidden = "; 'case' holds parts of names: [configuration] names of study.toml takes them apart"
            raise SelectionError(
                f"no column '{printable(word)}'{suggestion(word, known)}; there are {choices(known, 30)}"
                f"{hidden if 'case' in known else ''}"
            )
    return words


def _asked_metrics(results: Results, given: str | Sequence[str]) -> tuple[str, ...]:
    """Return the metrics named, by their canonical names."""
    return tuple(dict.fromkeys(_asked_metric(results, word) for word in _asked_words(given, "metric")))


def _asked_metric(results: Results, word: str) -> str:
    name = canonical(word)
    if name not in results.metrics:
        known = sorted(results.metrics)
        raise SelectionError(f"no metric '{printable(word)}'{suggestion(name, known)}; there are {choices(known, 30)}")
    return name


def _level_meant(text: str, known: Sequence[Any]) -> Any:
    """Return the level that a text means: a known one, else a number, else the text."""
    for level in known:
        if str(level) == text:
            return level
    if not _NUMBER.fullmatch(text):
        return text
    number = float(text)
    return int(number) if number.is_integer() and abs(number) < _WRITTEN_OUT else number
