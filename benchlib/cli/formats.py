"""``benchlib formats``: every format that can be read."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from benchlib.errors import printable

if TYPE_CHECKING:
    from benchlib.formats.catalogue import FormatEntry

__all__ = ["register"]


def register(commands: Any) -> None:
    """Add the command to the parser."""
    command = commands.add_parser(
        "formats",
        help="list the formats that are read, and what each cannot tell",
        description="List the formats that are read: how each is recognised, what it yields, what it cannot tell.",
        allow_abbrev=False,
    )
    command.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print the table."""
    from benchlib.formats import registry
    from benchlib.formats.catalogue import catalogue, markdown

    entries = catalogue()
    if given.format == "json":
        print(json.dumps([dataclasses.asdict(one) for one in entries], indent=2))
    elif given.format == "markdown":
        print(markdown(entries))
    else:
        print("\n".join(_lines(entries)))
        for whence, message in registry.plugin_problems():
            print(f"problem: {printable(whence)}: {message}")
    return 0


def _lines(entries: Sequence[FormatEntry]) -> Iterator[str]:
    for one in entries:
        note = {"reader": "", "documentation": "  (from documentation)", "plug-in": f"  (from {one.documentation})"}
        yield f"{printable(one.name)}{note[one.origin]}"
        for word, text in (("recognised", one.rule), ("yields", one.yields), ("cannot tell", one.limits)):
            if text:
                yield f"  {word:<12}{printable(text, 400)}"
