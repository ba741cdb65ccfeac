"""The author's own answer and decision from study.toml: words by the author, numbers by the data.

``answer = "One machine serves {cheap.rate:number} requests a second."`` takes the numbers from the values that the
answers name. With ``answer_if = ["cheap.rate > 90000"]`` the sentence is shown only while the condition holds.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from benchlib.document.blocks import Number, Text
from benchlib.document.numbers import write
from benchlib.errors import DataError, StudyError, printable, suggestion
from benchlib.study import Study
from benchlib.study.model import Named, parse_condition, parse_sentence
from benchlib.units import parse_quantity

_BARE = re.compile(r"[-+]?[0-9][0-9,]*\.?[0-9]*(?:[eE][-+]?[0-9]+)?")
_PERCENT = re.compile(r"([-+]?[0-9]+\.?[0-9]*)\s*%")
_COMPARED = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}


class Authored(NamedTuple):
    """The author's sentences, empty where there are none; ``broken`` says which condition no longer holds."""

    answer: Text
    decision: Text
    broken: str


def authored(study: Study, values: Mapping[str, Number]) -> Authored:
    """Return the sentences that study.toml states, with the numbers of the answers.

    Raises
    ------
    StudyError
        If a sentence or a condition names a value that the answers do not have.
    """
    for condition in study.answer_if:
        name, compared, written = parse_condition(condition)
        shown = _value(name, "answer_if", values)
        if not _COMPARED[compared](shown.value, _bound(written, shown, values)):
            return Authored((), (), f"{condition} no longer holds: {name} is {write(shown)}")
    return Authored(_fill(study.answer, "answer", values), _fill(study.decision, "decision", values), "")


def _fill(sentence: str, key: str, values: Mapping[str, Number]) -> Text:
    """Put the numbers into a sentence, each as the author wants it written."""
    return tuple(
        _formed(_value(piece.name, key, values), piece) if isinstance(piece, Named) else piece
        for piece in parse_sentence(sentence)
    )


def _value(name: str, key: str, values: Mapping[str, Number]) -> Number:
    if name not in values:
        near = suggestion(name, list(values))
        raise StudyError(
            f"study.toml: {key} names '{printable(name, 60)}', which no answer has{near}; "
            "benchlib inspect --values lists the names"
        )
    return values[name]


def _formed(shown: Number, named: Named) -> Number:
    return msgspec.structs.replace(shown, bare=named.bare or shown.bare, digits=named.digits or shown.digits)


def _bound(written: str, shown: Number, values: Mapping[str, Number]) -> float:
    """Read what a value is held against: another value, a quantity with a unit, a percent, or a bare number."""
    if _BARE.fullmatch(written):
        return float(written.replace(",", ""))
    if written in values:
        bound, unit = values[written].value, values[written].unit
    elif percent := _PERCENT.fullmatch(written):
        bound, unit = float(percent[1]) / 100, "ratio"
    else:
        try:
            bound, unit = parse_quantity(written)
        except DataError:
            raise StudyError(
                f"study.toml: answer_if holds a value against '{printable(written, 60)}'; write a number, "
                "a percent, a quantity such as 5 ms, or the name of a value"
            ) from None
    if _kind(unit) != _kind(shown.unit):
        raise StudyError(
            f"study.toml: answer_if holds a value in '{shown.unit or 'no unit'}' against "
            f"'{printable(written, 60)}' in '{unit or 'no unit'}'; write both in one unit"
        )
    return bound


def _kind(unit: str) -> str:
    """Return what a unit measures: whatever is done in a second, a time is of."""
    return "a second" if unit.endswith("/sec") else "sec" if unit.startswith("sec") else unit
