"""From captured parts to rows: the same for lines, tables and records of a declared format."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from benchlib.errors import DataError, printable
from benchlib.formats.declaration import FormatSpec, Part
from benchlib.formats.reading import Rows
from benchlib.formats.words import one_line
from benchlib.units import misfit, parse_duration

__all__ = ["DeclaredRows"]

#: What tools write where nothing was measured.
_MISSING = frozenset({"", "-", "--", "nan", "-nan", "+nan", "n/a", "na", "null", "none"})
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?")
_YES = {"true": 0.0, "1": 0.0, "ok": 0.0, "pass": 0.0, "passed": 0.0, "yes": 0.0, "success": 0.0}
_NO = {"false": 1.0, "0": 1.0, "fail": 1.0, "failed": 1.0, "no": 1.0, "error": 1.0, "failure": 1.0}


class DeclaredRows:
    """Rows as a spec says they are to be read.

    Parameters
    ----------
    spec : FormatSpec

    Attributes
    ----------
    rows : Rows
    configurations : list of mapping
    """

    __slots__ = ("_numbers", "configurations", "rows", "spec")

    def __init__(self, spec: FormatSpec) -> None:
        self.spec = spec
        self.rows = Rows()
        self.configurations: list[Mapping[str, Any]] = []
        self._numbers: dict[tuple[tuple[str, Any], ...], int] = {}

    def take(self, captured: Mapping[str, Any], line: int, context: Mapping[str, Any]) -> list[str]:
        """Add the values among captured parts and return what is wrong with the others.

        Parameters
        ----------
        captured : mapping
            Part to text, number, truth value, list or None.
        line : int
        context : mapping
            Parts that lines before have told; ``captured`` goes before.
        """
        told = {**context, **{key: value for key, value in captured.items() if value is not None}}
        words, faults = self._words(told)
        counts: dict[str, float | None] = {}
        for role in ("iterations", "errors", "success"):
            try:
                counts[role] = _success(words[role]) if role == "success" else _number(words.get(role), "")
            except KeyError:
                counts[role] = None
            except DataError as error:
                faults.append(f"{role} {error}")
                counts[role] = None
        failed = counts["errors"] if counts["errors"] is not None else counts["success"]
        number = None
        for metric, value, unit in self._measured(captured, words, faults):
            if number is None:
                number = self._configuration(words, told, faults)
            self.rows.add(
                name=str(words.get("name") or words.get("benchmark") or ""),
                metric=metric or None,
                value=value,
                unit=unit,
                line=line,
                configuration=number,
                iterations=counts["iterations"],
                errors=failed,
            )
        return faults

    def _words(self, told: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        words: dict[str, Any] = {}
        faults = []
        for part in self.spec.parts:
            if part.role in ("axis", "measure", "value"):
                continue
            value = told.get(part.source)
            if isinstance(value, (list, dict)):
                faults.append(f"{printable(part.source, 60)} is no single {part.role}")
            elif value is not None and str(value).strip():
                words[part.role] = one_line(value.strip()) if isinstance(value, str) else value
        if self.spec.benchmark and not words.get("benchmark") and not words.get("name"):
            words["benchmark"] = self.spec.benchmark
        return words, faults

    def _measured(
        self, captured: Mapping[str, Any], words: Mapping[str, Any], faults: list[str]
    ) -> Iterator[tuple[str, float, str]]:
        for part in self.spec.parts:
            if part.role not in ("measure", "value") or captured.get(part.source) is None:
                continue
            metric, unit = _meaning(part, words, self.spec)
            found = captured[part.source]
            for one in found if isinstance(found, list) else [found]:
                try:
                    value = _number(one, unit)
                except DataError as error:
                    faults.append(f"{printable(part.source, 60)} {error}")
                    continue
                written = "s" if unit == "duration" else unit
                wrong = misfit(metric, written)
                if not metric and not written:
                    wrong = "neither metric nor unit is given"
                if wrong:
                    faults.append(f"{printable(part.source, 60)}: {wrong}; correct the format")
                elif value is not None:
                    yield metric, value, written

    def _configuration(self, words: Mapping[str, Any], told: Mapping[str, Any], faults: list[str]) -> int:
        facts: dict[str, Any] = dict(self.spec.axes)
        for part in self.spec.parts:
            value = told.get(part.source) if part.role == "axis" else None
            if isinstance(value, (list, dict)):
                faults.append(f"{printable(part.source, 60)} is no single level of an axis")
            elif value is not None and str(value).strip():
                facts[part.name] = _level(value)
        if words.get("run") is not None:
            facts["run"] = str(words["run"])
        if words.get("benchmark") is not None and not str(words["benchmark"]).startswith("Benchmark"):
            facts["benchmark"] = str(words["benchmark"])
        key = tuple(facts.items())
        number = self._numbers.setdefault(key, len(self.configurations))
        if number == len(self.configurations):
            self.configurations.append(facts)
        return number


def _meaning(part: Part, words: Mapping[str, Any], spec: FormatSpec) -> tuple[str, str]:
    if part.role == "measure":
        return part.name, part.unit
    return str(words.get("metric", spec.metric)), str(words.get("unit", spec.unit))


def _level(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return one_line(value.strip()) if isinstance(value, str) else value


def _number(value: Any, unit: str) -> float | None:
    """Return a captured number, None where nothing was measured.

    Raises
    ------
    DataError
        If it is something else.
    """
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if not math.isfinite(value):
            raise DataError(f"is {value}: no measurement; value skipped")
        return float(value)
    if not isinstance(value, str):
        raise DataError(f"is {_kind(value)}, not a number; value skipped")
    text = value.strip()
    if text.lower() in _MISSING:
        return None
    if unit == "duration":
        return parse_duration(text)
    plain = text.replace(",", "") if _GROUPED.fullmatch(text) else text
    try:
        # Python also reads 1_0 and digits of other scripts; no tool means a number by them.
        number = float(plain) if plain.isascii() and "_" not in plain else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise DataError(f"is '{printable(text, 40)}', not a number; value skipped")
    return number


def _success(value: Any) -> float | None:
    text = str(value).strip().lower()
    if text in _YES or text in _NO:
        return _YES.get(text, 1.0)
    raise DataError(f"is '{printable(str(value), 40)}', not true or false")


def _kind(value: Any) -> str:
    return "true or false" if isinstance(value, bool) else "a list" if isinstance(value, list) else "an object"
