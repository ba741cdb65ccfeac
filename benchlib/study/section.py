"""Typed access to the tables of ``study.toml``: every wrong key or type is told with its line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Any, TypeVar

from benchlib.errors import SelectionError, StudyError, choices, printable, suggestion
from benchlib.results import condition
from benchlib.study.toml_lines import KeyPath

__all__ = ["Document", "Section"]

Word = TypeVar("Word", bound=str)

#: No bound, factor or level that a person writes comes near.
_HUGE = 1e15


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Where the tables came from: the file to name, and the line of each key."""

    source: str
    lines: Mapping[KeyPath, int]

    def error(self, path: KeyPath, message: str) -> StudyError:
        """Return the error that a key gives rise to, with the line it stands on."""
        while path and path not in self.lines:
            path = path[:-1]
        place = f"{self.source}:{self.lines[path]}" if path else self.source
        return StudyError(f"{place}: {message}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One table of the file: asked for values by key and expected type."""

    values: Mapping[str, Any]
    path: KeyPath
    document: Document

    @property
    def label(self) -> str:
        """The table as its header is written, for a message."""
        if not self.path:
            return "at the top level"
        name = ".".join(printable(str(one), 40) for one in self.path if isinstance(one, str))
        return f"in [[{name}]]" if isinstance(self.path[-1], int) else f"in [{name}]"

    def error(self, key: str | int | None, message: str) -> StudyError:
        """Return an error that points at a key of this table, or at the table."""
        return self.document.error(self.path if key is None else (*self.path, key), message)

    def only(self, *known: str) -> None:
        """Refuse any key that is not known.

        Raises
        ------
        StudyError
            Naming the key, its line, the closest known key and all of them.
        """
        for key in self.values:
            if key not in known:
                near = suggestion(key, known)
                raise self.error(
                    key,
                    f"unknown key '{printable(key, 60)}' {self.label}{near}"
                    f"{' Accepted' if near else '; accepted'}: {choices(known, 40)}",
                )

    def wrong(self, key: str, expected: str) -> StudyError:
        """Return the error that a value is not of the type expected."""
        return self.error(
            key,
            f"'{printable(key, 60)}' {self.label} must be {expected}, found {_found(self.values[key])}",
        )

    def text(self, key: str, default: str = "") -> str:
        """Return the text of a key, or the default where it is absent."""
        value = self.values.get(key, default)
        if not isinstance(value, str):
            raise self.wrong(key, "text")
        return value

    def required(self, key: str, example: str) -> str:
        """Return the text of a key that has to be there and cannot be empty."""
        value = self.text(key)
        if not value.strip():
            fault = "is empty" if key in self.values else "is missing"
            raise self.error(
                key if key in self.values else None, f"'{key}' {self.label} {fault}; write {key} = {example}"
            )
        return value

    def choice(self, key: str, known: Iterable[Word], default: Word) -> Word:
        """Return one of the known words."""
        value = self.text(key, default)
        return self._known(key, value, list(known)) if key in self.values else default

    def choices(self, key: str, known: Iterable[Word]) -> tuple[Word, ...]:
        """Return known words, one or a list, none of them twice; nothing where the key is absent."""
        allowed = list(known)
        if not isinstance(self.values.get(key), list):
            return (self._known(key, self.text(key), allowed),) if key in self.values else ()
        return tuple(self._known(key, one, allowed) for one in self.texts(key))

    def _known(self, key: str, value: str, allowed: Sequence[Word]) -> Word:
        for one in allowed:
            if value == one:
                return one
        near = suggestion(value, allowed)
        raise self.error(
            key,
            f"'{key}' {self.label} cannot be '{printable(value, 60)}'{near}"
            f"{' Accepted' if near else '; accepted'}: {choices(allowed)}",
        )

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false")
        return value

    def share(self, key: str) -> float:
        """Return a number from 0 to 1."""
        value = self.values[key]
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise self.wrong(key, "a share from 0 to 1, e.g. 0.3 for 30 %")
        return float(value)

    def number(self, key: str, expected: str) -> float:
        """Return a finite number; ``expected`` says what kind, with an example."""
        return self.checked_number(key, self.values[key], expected)

    def checked_number(self, key: str, value: object, expected: str) -> float:
        """Return a number that stands under a key, by itself or in a list."""
        # NaN is not below anything, and a whole number may have thousands of digits.
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _HUGE:
            raise self.wrong(key, expected)
        return float(value)

    def texts(self, key: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return a list of texts, none of them empty or twice."""
        value = self.values.get(key)
        if value is None:
            return default
        if not isinstance(value, list):
            raise self.wrong(key, 'a list of texts, e.g. ["a", "b"]')
        for number, one in enumerate(value):
            path = (*self.path, key, number)
            if not isinstance(one, str):
                raise self.document.error(path, f"'{key}' {self.label} must hold texts only, found {_found(one)}")
            if not one.strip():
                raise self.document.error(path, f"'{key}' {self.label} holds an empty text; remove it")
            if one in value[:number]:
                raise self.document.error(path, f"'{key}' {self.label} names '{printable(one, 60)}' twice; remove one")
        return tuple(value)

    def levels(self, key: str) -> tuple[str, ...]:
        """Return levels of a column: one or a list, texts or numbers, as texts."""
        value = self.values.get(key)
        listed = value if isinstance(value, list) else [] if value is None else [value]
        for one in listed:
            if isinstance(one, bool) or not isinstance(one, (str, int, float)):
                raise self.wrong(key, 'a level or a list of levels, e.g. "old" or ["a", "b"]')
        words = tuple(one if isinstance(one, str) else f"{one:g}" for one in listed)
        for number, one in enumerate(words):
            if not one or one in words[:number]:
                fault = f"names '{printable(one, 60)}' twice" if one else "holds an empty level"
                raise self.error(key, f"'{key}' {self.label} {fault}; remove it")
        return words

    def where(self, key: str, default: str = "") -> str:
        """Return a condition that can be split into terms."""
        value = self.text(key, default)
        try:
            condition(value)
        except SelectionError as error:
            raise self.error(key, f"'{key}' {self.label}: {error}") from error
        return value

    def facts(self, known: tuple[str, ...]) -> dict[str, str | int | float | bool]:
        """Return every scalar of the table, the known keys first and in their order."""
        found: dict[str, str | int | float | bool] = {}
        for key in [*(one for one in known if one in self.values), *self.values]:
            value = self.values[key]
            if isinstance(value, (date, time)):
                value = value.isoformat()
            if not isinstance(value, (str, int, float)) or (isinstance(value, float) and not math.isfinite(value)):
                raise self.wrong(key, "one fact: text, a finite number, true or false, or a date")
            found[key] = value
        return found

    def section(self, key: str) -> Section:
        """Return a table of this table, empty where it is absent."""
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(key, f"a table; start it with {self._header(key)}")
        return Section(values=value, path=(*self.path, key), document=self.document)

    def sections(self, key: str) -> Iterator[Section]:
        """Give each table of a list of tables."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise self.wrong(key, f"a list of tables; start each with [{self._header(key)}]")
        for number, one in enumerate(value):
            yield Section(values=one, path=(*self.path, key, number), document=self.document)

    def _header(self, key: str) -> str:
        return f"[{'.'.join(str(one) for one in (*self.path, key) if isinstance(one, str))}]"


def _found(value: object) -> str:
    """Say what a value is, quoted where it is short enough to quote."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text '{printable(value, 60)}'"
    if isinstance(value, int):
        return f"the whole number {value}" if abs(value) < 10**30 else "a huge whole number"
    if isinstance(value, float):
        return f"the number {value}"
    if isinstance(value, list):
        return "a list"
    return "a table" if isinstance(value, dict) else "a date or time"
