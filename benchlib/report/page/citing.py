"""The evidence that a page cites: found in the answers, named by number, and held against them.

The words of a page refer to evidence by key (``data-e``). Its rows and formulas are taken from the answers that
the notebook hands out, and from nowhere else: what the answers do not hold cannot be cited.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from benchlib.answers.evidence import Evidence, choose, count_values, evidence_key, source_of
from benchlib.errors import ExportError, printable
from benchlib.report.page.agreeing import Known, figures
from benchlib.report.page.seen import seen
from benchlib.report.wording.told import written
from benchlib.units import show, unpadded

#: Digits of a value that a page shows: enough to work out from them what it says of them.
_DIGITS = 6
#: What stands before an interval, and the words of one that tell of no lower end, by which a table sorts.
_LEVEL = re.compile(r"[\d.]+\s%:\s")
_NO_LOWER_END = re.compile(r"all\s[\d,]+\salike|at\smost\s.*|no\sbound")
#: Data that hold more, and numbers; named once, since as unions they would be made for each of thousands of members.
_NESTED, _NUMBER = (dict, list), (int, float)
_CITED = re.compile(r'(?<= data-e=")[0-9a-f]{12}(?=")')


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Evidence as the answers hold it.

    Attributes
    ----------
    evidence : Evidence
    owners : tuple of mapping
        The answers, as JSON data, that have this evidence.
    """

    evidence: Evidence
    owners: tuple[Mapping[str, Any], ...]


def held_evidence(answers: Mapping[str, Any]) -> dict[str, Held]:
    """Return every evidence that answers hold, by key.

    Examples
    --------
    >>> behind = {"type": "Evidence", "rows": ["a.txt:5"], "formula": "the median"}
    >>> held = held_evidence({"value": 7.5, "evidence": behind}).values()
    >>> [(one.evidence.rows, one.owners[0]["value"]) for one in held]
    [(('a.txt:5',), 7.5)]
    """
    found: dict[str, Held] = {}
    for data, owner in _walk(answers, answers):
        evidence = Evidence(
            rows=tuple(data["rows"]),
            formula=str(data["formula"]),
            values=tuple((str(place), float(value)) for place, value in data.get("values", ())),
            unit=str(data.get("unit", "")),
        )
        key = evidence_key(evidence)
        before = found[key].owners if key in found else ()
        found[key] = Held(evidence=evidence, owners=(*before, owner))
    return found


def _walk(data: Any, owner: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Give each evidence with the answer that has it: the object in whose ``evidence`` it stands."""
    if isinstance(data, dict):
        if data.get("type") == "Evidence":
            yield data, owner
            return
        for name, value in data.items():
            if isinstance(value, _NESTED):
                yield from _walk(value, data if name.endswith("evidence") else owner)
    elif isinstance(data, list):
        for one in data:
            if isinstance(one, _NESTED):
                yield from _walk(one, owner)


def cite(body: str, answers: Mapping[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    """Number the evidence that a body cites, and return it in that order.

    Parameters
    ----------
    body : str
        Markup, with ``data-e="<key>"`` on what can be traced.
    answers : mapping
        Empty where a notebook handed out none: then nothing is cited.

    Raises
    ------
    ExportError
        If the answers do not hold what is cited.
    """
    if not answers:
        return re.sub(r' data-e="[0-9a-f]*"', "", body), []
    held = held_evidence(answers)
    numbers: dict[str, int] = {}

    def numbered(found: re.Match[str]) -> str:
        key = found[0]
        if key not in held:
            after = re.sub(r"<[^>]*>", "", body[found.end() : found.end() + 200].partition(">")[2])
            raise ExportError(
                f"the page traces a number to evidence that the answers do not hold, before '{after[:40]}'"
            )
        return str(numbers.setdefault(key, len(numbers)))

    body = _CITED.sub(numbered, body)
    return body, [_shown(held[key].evidence) for key in numbers]


def _shown(evidence: Evidence) -> dict[str, Any]:
    """Return what a page shows: the values, each with its place; where rows have no such values, as many rows."""
    n = count_values(evidence)
    if evidence.values:
        first = repr(evidence.values[0][1])
        rows = [[seen(place), _value(repr(value), evidence.unit, first)] for place, value in evidence.values]
        more = n - len(rows)
    else:
        rows = [[seen(evidence.rows[one]), ""] for one in choose([(source_of(row), 0) for row in evidence.rows])]
        more = len(evidence.rows) - len(rows)
    return {"formula": seen(evidence.formula), "n": n, "rows": rows, "more": more}


@lru_cache(maxsize=8192)  # a page cites what its check looks up again, and what is pooled has the same values
def _value(value: str, unit: str, first: str) -> str:
    """Write a measured value on the scale of the first, without zeros that nobody measured.

    Both are given as Python writes them: as numbers, 0.0 and -0.0 would be one.
    """
    return unpadded(show(float(value), unit, digits=_DIGITS, like=float(first)))


def check_cited(
    cited: Sequence[Mapping[str, Any]],
    values: Mapping[int, Sequence[str]],
    words: Mapping[int, Sequence[str]],
    worded: Sequence[tuple[str, str]],
    answers: Mapping[str, Any],
) -> None:
    """Make sure that what a page cites, and each number it shows with it, is what the answers say.

    Parameters
    ----------
    cited : sequence of mapping
        The evidence of the page, in the order of its numbers.
    values : mapping of int to sequence of str
        For each number of an evidence, the values that stand with it on the page, as `written` writes them.
    words : mapping of int to sequence of str
        For each number of an evidence, the words that a reader sees there.
    worded : sequence of (str, str)
        The values of the page, each with the words that a reader sees for it.
    answers : mapping

    Raises
    ------
    ExportError
        At the first that differs.
    """
    owners: dict[str, list[Mapping[str, Any]]] = {}
    for held in held_evidence(answers).values():
        owners.setdefault(_identity(_shown(held.evidence)), []).extend(held.owners)
    behind = [owners.get(_identity(one), []) for one in cited]
    for one, found in zip(cited, behind, strict=True):
        if not found:
            raise ExportError(f"the evidence '{printable(one['formula'], 60)}' of the page is not that of answers.json")
    numbers: dict[int, set[str]] = {}

    def known(owner: Mapping[str, Any]) -> set[str]:
        # An answer with evidence for each of its levels is asked once.
        if id(owner) not in numbers:
            found = set[float]()
            _gather_numbers(owner, found)
            numbers[id(owner)] = set(map(written, found))
        return numbers[id(owner)]

    for place, shown in values.items():
        if not 0 <= place < len(cited):
            raise ExportError(f"the page traces {shown[0]} to evidence {place}; it has {len(cited)}")
        for value in dict.fromkeys(shown):
            if not any(value in known(owner) for owner in behind[place]):
                raise ExportError(
                    f"the page shows {printable(value, 40)}, which its answer in answers.json does not hold"
                )
    said = Known(_messages(answers))
    read: dict[int, Known] = {}

    def asked(place: int) -> Iterator[Known]:
        yield said  # what most words repeat, and the quickest to ask
        for owner in behind[place]:
            if id(owner) not in read:
                read[id(owner)] = Known([owner])
            yield read[id(owner)]

    for place, texts in words.items():
        if texts and not 0 <= place < len(cited):
            raise ExportError(f"the page traces '{printable(texts[0], 40)}' to evidence {place}; it has {len(cited)}")
        for text in dict.fromkeys(texts):
            if not all(any(known.holds(figure) for known in asked(place)) for figure in figures(text)):
                raise ExportError(
                    f"the page says '{printable(text, 60)}', and no number of its answer in answers.json reads so"
                )
    for value, text in dict.fromkeys(worded):
        ends = _LEVEL.sub("", text, count=1)
        told = () if _NO_LOWER_END.fullmatch(ends) else figures(ends)
        if told and not any(one.tells(float(value)) for one in told):
            raise ExportError(f"the page says '{printable(text, 60)}' of {printable(value, 40)}")


def _messages(data: Any) -> Iterator[str]:
    """Give the words of all answers: names hold digits, and a caveat of several has the evidence of the first."""
    for one in data.values() if isinstance(data, dict) else data:
        if isinstance(one, str):
            yield one
        elif isinstance(one, list) or (isinstance(one, dict) and one.get("type") != "Evidence"):
            yield from _messages(one)


def _identity(shown: Mapping[str, Any]) -> str:
    return json.dumps(shown, sort_keys=True)


def _gather_numbers(data: Any, found: set[float]) -> None:
    for one in data.values() if isinstance(data, dict) else data:
        if isinstance(one, _NESTED):
            _gather_numbers(one, found)
        elif isinstance(one, _NUMBER):
            found.add(float(one))
