"""The table of formats, made from the readers themselves: what a page says is what the code does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from benchlib.formats import registry
from benchlib.formats.plugins import PluginReader
from benchlib.formats.readers.declared import DeclaredFormat
from benchlib.formats.reading import Reader

__all__ = ["FormatEntry", "catalogue", "markdown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatEntry:
    """One format.

    Attributes
    ----------
    name, files : str
    rule : str
        How it is recognised.
    yields, limits : str
        What it gives, and what it cannot tell.
    origin : {"reader", "documentation", "plug-in"}
        Whether it has a reader tried on files of its tool, is declared from the tool's
        documentation, or comes from elsewhere.
    documentation : str
        An address, or the distribution of a plug-in.
    """

    name: str
    files: str
    rule: str
    yields: str
    limits: str
    origin: Literal["reader", "documentation", "plug-in"]
    documentation: str


def catalogue() -> tuple[FormatEntry, ...]:
    """Return every format in the order in which readers are asked."""
    return tuple(_entry(one) for one in registry.readers())


def _entry(reader: Reader) -> FormatEntry:
    origin: Literal["reader", "documentation", "plug-in"] = "reader"
    documentation = ""
    told = reader.spec.documentation if isinstance(reader, DeclaredFormat) else getattr(reader, "documentation", "")
    if told:
        origin, documentation = "documentation", told
    elif isinstance(reader, PluginReader):
        origin, documentation = "plug-in", reader.distribution
    return FormatEntry(
        name=reader.name,
        files=getattr(reader, "files", ""),
        rule=reader.rule,
        yields=getattr(reader, "yields", ""),
        limits=getattr(reader, "limits", ""),
        origin=origin,
        documentation=documentation,
    )


def markdown(entries: Sequence[FormatEntry]) -> str:
    r"""Write formats as a table in Markdown.

    Examples
    --------
    >>> print(markdown([FormatEntry(name="a", files="*.a", rule="holds x|y", yields="time", limits="",
    ...                             origin="reader", documentation="")]))
    | format | recognised by | yields | cannot tell | tried on |
    |---|---|---|---|---|
    | `a` | holds x\|y | time | – | files of the tool |
    """
    return "\n".join(_lines(entries))


def _lines(entries: Sequence[FormatEntry]) -> Iterator[str]:
    yield "| format | recognised by | yields | cannot tell | tried on |"
    yield "|---|---|---|---|---|"
    for one in entries:
        cells = (f"`{one.name}`", one.rule, one.yields, one.limits, _tried(one))
        yield f"| {' | '.join(_cell(text) for text in cells)} |"


def _tried(one: FormatEntry) -> str:
    if one.origin == "reader":
        return "files of the tool"
    return f"from [documentation]({one.documentation})" if one.origin == "documentation" else one.documentation


def _cell(text: str) -> str:
    return text.replace("\n", " ").replace("|", "\\|") or "–"
