"""github-action-benchmark: its custom input, and the history that it keeps as ``data.js``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from benchlib import metrics, units
from benchlib.errors import DataError, printable
from benchlib.formats import json_paths, json_text, json_values
from benchlib.formats.ledger import Records
from benchlib.formats.reading import Certainty, Reading, Rows, TextFile
from benchlib.formats.words import one_line
from benchlib.results import Series

__all__ = ["GithubAction"]

_HISTORY = re.compile(r"\s*window\.BENCHMARK_DATA\s*=\s*")
_COUNT = re.compile(r"(?:^|\n)\s*(?:iterations:\s*(\d{1,18})|(\d{1,18}) (?:times|samples))\b", re.ASCII)
#: The tool of the history -> which way is better, where the metric's name does not tell.
_DIRECTION = {"customBiggerIsBetter": "higher", "customSmallerIsBetter": "lower"}


class GithubAction:
    """Lists of ``{name, unit, value}``, alone or in a history of commits."""

    name = "github-action-benchmark"
    rule = "a JSON list of objects with name, unit and value, or window.BENCHMARK_DATA ="
    contains = frozenset[str]()
    files = "*.json, data.js"
    yields = "a value for each entry; from a history also run (the commit), suite and tool"
    limits = "samples: one value a benchmark and commit; range is text of no fixed meaning"
    documentation = "https://github.com/benchmark-action/github-action-benchmark"

    def recognise(self, head: TextFile) -> Certainty:
        """Be certain of the history's name, and of a list whose entries have all three keys."""
        if _HISTORY.match("\n".join(head.lines[:20])):
            return "certain"
        paths = json_paths.outline(head, 2)
        return "certain" if {"[].name", "[].unit", "[].value"} <= paths else "no"

    def read(self, file: TextFile) -> Reading:
        """Read each entry as a record."""
        content = "\n".join(file.lines)
        start = _HISTORY.match(content)
        if start:
            line = content.count("\n", 0, start.end()) + 1
            document = json_text.parse_text(content[start.end() :].rstrip().removesuffix(";"), line)
        else:
            document = json_text.parse(file)
        if not document.parsed:
            return json_text.unreadable(document)
        entries = list(_history(document.root) if start else _entries(document.root, {}))
        lines = [] if start else document.lines("[]")
        if len(lines) != len(entries):
            lines = [document.first_line] * len(entries)
        records = Records(lines)
        records.whole(document.problems)
        rows, series = Rows(), []
        configurations: list[Mapping[str, Any]] = []
        for number, (entry, facts) in enumerate(entries):
            try:
                name, unit, value = _values(entry)
            except DataError as error:
                records.problem(number, str(error))
                continue
            if not configurations or configurations[-1] != facts:
                configurations.append(facts)
            metric = _metric(unit)
            rows.add(
                name=name,
                metric=metric,
                value=value,
                unit=unit,
                line=lines[number],
                configuration=len(configurations) - 1,
                iterations=_count(entry),
            )
            records.data(number)
            better = _DIRECTION.get(str(facts.get("tool", "")))
            base = units.parse_unit(unit).base
            if better and metrics.better(metric or metrics.metric(unit)[0].name) is None:
                told = (("better", better),)
                series.append(Series(kind="unit", name=base, source=file.source, line=lines[number], data=told))
        if not entries:
            records.whole([(0, "holds no entry with name, unit and value")])
        return Reading(
            rows=rows,
            configurations=configurations or [{}],
            problems=records.problems,
            lines=records.counts(),
            series=list({one.name: one for one in series}.values()),
        )


def _entries(listed: object, facts: Mapping[str, Any]) -> Iterator[tuple[object, Mapping[str, Any]]]:
    for one in listed if isinstance(listed, list) else [listed]:
        yield one, facts


def _history(root: object) -> Iterator[tuple[object, Mapping[str, Any]]]:
    suites = json_values.pick(root, "entries")
    for suite, commits in suites.items() if isinstance(suites, dict) else []:
        for commit in commits if isinstance(commits, list) else [commits]:
            facts = {"suite": one_line(suite)}
            identity = json_values.pick(commit, "commit.id")
            if isinstance(identity, str) and identity:
                facts["run"] = one_line(identity[:10])
            tool = json_values.pick(commit, "tool")
            if isinstance(tool, str) and tool:
                facts["tool"] = one_line(tool)
            yield from _entries(json_values.pick(commit, "benches") or [], facts)


def _values(entry: object) -> tuple[str, str, float]:
    name, unit = json_values.text(entry, "name"), json_values.text(entry, "unit")
    written = json_values.pick(entry, "value")
    # The action accepts a number in quotes.
    if isinstance(written, str):
        try:
            value: float | None = float(written) if written.isascii() and "_" not in written else None
        except ValueError:
            value = None
    else:
        value = json_values.number(entry, "value")
    if not name or value is None:
        shown = printable(name or "an entry", 60)
        raise DataError(f"{shown}: {'no number in value' if name else 'no name'}; write name, unit and value")
    return one_line(name), one_line((unit or "").strip()).replace("/iter", "/op").replace("iter/", "op/"), value


def _metric(unit: str) -> str | None:
    """Name the metric of a bare unit; one such as ``ns/op`` names its own."""
    base = units.parse_unit(unit).base
    return {"sec": "time", "B": "size", "": "value"}.get(base)


def _count(entry: object) -> float | None:
    extra = json_values.pick(entry, "extra")
    found = _COUNT.search(extra) if isinstance(extra, str) else None
    return float(found[1] or found[2]) if found else None
