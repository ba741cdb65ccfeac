"""``benchlib formats``: every format that can be read, as the readers themselves say it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from typing import Any

from benchlib.errors import printable


def add_options(command: argparse.ArgumentParser) -> None:
    """Describe the command and add its options."""
    command.description = "List the formats that are read: how each is recognised, what it yields, what it cannot tell."
    command.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print the table."""
    from benchlib.formats import registry

    formats = list_formats()
    if given.format == "json":
        print(json.dumps(formats, indent=2))
    elif given.format == "markdown":
        print(markdown(formats))
    else:
        print("\n".join(_lines(formats)))
        for whence, message in registry.plugin_problems():
            print(f"problem: {printable(whence)}: {message}")
    return 0


def list_formats() -> list[dict[str, str]]:
    """Return what each format says of itself, in the order in which readers are asked."""
    from benchlib.formats import registry

    return [_describe(reader, getattr(reader, "distribution", "")) for reader in registry.readers()]


def _describe(reader: Any, distribution: str) -> dict[str, str]:
    """Say whether a format has a reader tried on files of its tool, is read from documentation, or is a plug-in."""
    documentation = getattr(reader, "documentation", "")
    origin = "documentation" if documentation else "plug-in" if distribution else "reader"
    texts = {key: getattr(reader, key, "") for key in ("name", "rule", "yields", "limits")}
    return {**texts, "origin": origin, "documentation": documentation or distribution}


def markdown(formats: Sequence[dict[str, str]]) -> str:
    """Write formats as a table in Markdown."""
    lines = ["| format | recognised by | yields | cannot tell | tried on |", "|---|---|---|---|---|"]
    for entry in formats:
        tried = {
            "reader": "files of the tool",
            "documentation": f"from [documentation]({entry['documentation']})",
            "plug-in": entry["documentation"],
        }[entry["origin"]]
        cells = (
            f"`{entry['name']}`",
            entry["rule"],
            entry["yields"],
            entry["limits"],
            tried,
        )
        lines.append(f"| {' | '.join(_cell(text) for text in cells)} |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("\n", " ").replace("|", "\\|") or "–"


def _lines(formats: Sequence[dict[str, str]]) -> Iterator[str]:
    for entry in formats:
        note = {
            "reader": "",
            "documentation": "  (from documentation)",
            "plug-in": f"  (from {entry['documentation']})",
        }
        yield f"{printable(entry['name'])}{note[entry['origin']]}"
        for word, text in (
            ("recognised", entry["rule"]), ("yields", entry["yields"]), ("cannot tell", entry["limits"]),
        ):  # fmt: skip
            if text:
                yield f"  {word:<12}{printable(text, 400)}"
