"""Readers from other distributions, found by the entry point group ``benchlib.formats``.

Each entry point names a reader, or a class or function that gives one when called without
arguments. What such code raises is not ours to know: a plug-in that fails is a problem that names
its distribution, and the rest goes on without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from benchlib.errors import FormatError, InputError, printable
from benchlib.formats.reading import Certainty, Reader, Reading, TextFile

__all__ = ["GROUP", "PluginReader", "Plugins", "find_plugins"]

GROUP = "benchlib.formats"

#: What code that was written elsewhere raises when it is wrong.
_FAULTS = (
    ArithmeticError, AssertionError, AttributeError, ImportError, LookupError, NameError, OSError,
    RuntimeError, SyntaxError, TypeError, ValueError,
)  # fmt: skip
_TEXTS = ("name", "rule")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugins:
    """The readers that were found, and what is wrong with the others.

    Attributes
    ----------
    readers : tuple of PluginReader
    problems : tuple of (str, str)
        Distribution and message.
    """

    readers: tuple[PluginReader, ...]
    problems: tuple[tuple[str, str], ...]


class PluginReader:
    """A reader of another distribution: what it raises becomes an error that names it."""

    def __init__(self, reader: Reader, distribution: str) -> None:
        self.reader = reader
        self.distribution = distribution
        self.name = reader.name
        self.rule = reader.rule
        self.contains = frozenset(getattr(reader, "contains", ()))
        self.files = str(getattr(reader, "files", ""))
        self.yields = str(getattr(reader, "yields", ""))
        self.limits = str(getattr(reader, "limits", ""))
        #: What went wrong in `recognise`, and at which file first.
        self.faults: dict[str, str] = {}

    def recognise(self, head: TextFile) -> Certainty:
        """Ask the reader; where it fails, the file is not its own and the fault is kept."""
        try:
            answer = self.reader.recognise(head)
        except _FAULTS as error:
            self.faults.setdefault(_fault(error), head.source)
            return "no"
        if answer not in ("certain", "possible", "no"):
            self.faults.setdefault(f"answered '{printable(str(answer), 40)}', not certain, possible or no", head.source)
            return "no"
        return answer

    def read(self, file: TextFile) -> Reading:
        """Ask the reader.

        Raises
        ------
        InputError
            If it fails, or gives back no `Reading`.
        """
        shown = f"{file.source}: the format plug-in '{printable(self.name, 40)}' of {self.distribution}"
        try:
            reading: Any = self.reader.read(file)
        except _FAULTS as error:
            raise InputError(f"{shown} failed ({_fault(error)}); remove or mend it") from error
        if not isinstance(reading, Reading):
            found = type(reading).__name__
            raise InputError(f"{shown} gave back {printable(found, 40)}, not a Reading; remove or mend it")
        return reading

    def take_faults(self) -> list[tuple[str, str]]:
        """Return what went wrong while files were judged, and forget it."""
        told = [
            (
                self.distribution,
                f"the format plug-in '{printable(self.name, 40)}' failed at {source} ({fault}); mend it",
            )
            for fault, source in self.faults.items()
        ]
        self.faults.clear()
        return told


def _fault(error: BaseException) -> str:
    return f"{type(error).__name__}: {printable(str(error), 100)}"


@lru_cache(maxsize=1)
def find_plugins(shipped: frozenset[str]) -> Plugins:
    """Return the readers of other distributions.

    Parameters
    ----------
    shipped : frozenset of str
        Names that are taken.

    Raises
    ------
    FormatError
        If a plug-in takes the name of a shipped reader or of another plug-in.
    """
    readers: list[PluginReader] = []
    problems: list[tuple[str, str]] = []
    taken = dict.fromkeys(shipped, "benchlib")
    for one in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        whence = one.dist.name if one.dist is not None else "an unnamed distribution"
        try:
            reader = PluginReader(_reader(one), whence)
        except _FAULTS as error:
            shown = f"the format plug-in '{printable(one.name, 40)}' cannot be used ({_fault(error)})"
            problems.append((whence, f"{shown}; remove or mend it"))
            continue
        if reader.name in taken:
            raise FormatError(
                f"{whence}: its format plug-in is named '{printable(reader.name, 40)}', as is a format of "
                f"{taken[reader.name]}; rename it, or remove the distribution"
            )
        taken[reader.name] = whence
        readers.append(reader)
    return Plugins(readers=tuple(readers), problems=tuple(problems))


def _reader(entry: EntryPoint) -> Reader:
    found = entry.load()
    reader = found() if isinstance(found, type) or not hasattr(found, "recognise") else found
    for name in _TEXTS:
        if not isinstance(getattr(reader, name, None), str) or not getattr(reader, name):
            raise TypeError(f"{name} is no text")
    for name in ("recognise", "read"):
        if not callable(getattr(reader, name, None)):
            raise TypeError(f"{name} is no method")
    return reader  # type: ignore[no-any-return]
