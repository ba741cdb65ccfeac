"""What people's own runners write: a JSON list of flat objects, or one object a line."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchlib.errors import printable
from benchlib.formats import json_paths, json_text
from benchlib.formats.readers.csv_header import classify, is_tidy
from benchlib.formats.readers.csv_table import Record, read_records
from benchlib.formats.reading import Certainty, Reading, TextFile
from benchlib.formats.words import one_line

__all__ = ["JsonRows"]


class JsonRows:
    """Flat objects: their keys mean what the columns of a table mean."""

    name = "json-rows"
    rule = "a JSON list of flat objects, or one a line, with a key that names a metric such as time_ms or rps"
    contains = frozenset[str]()
    files = "*.json, *.jsonl, *.ndjson"
    yields = "a value for each number whose key names a metric; texts and few whole numbers are axes"
    limits = "nested values (declare the format in study.toml); a unit that no key names"

    def recognise(self, head: TextFile) -> Certainty:
        """Judge it possible where the first keys are flat and one of them names a metric."""
        filled = head.first
        if filled.lstrip().startswith("{"):
            paths = json_paths.outline(TextFile(head.source, [filled]), 3)
        else:
            paths = frozenset(one[3:] for one in json_paths.outline(head, 3) if one.startswith("[]."))
        flat = [one for one in paths if "." not in one and "[" not in one]
        if not flat or len(flat) != len(paths):
            return "no"
        # Whole numbers that come again are axes, unless their name says what they measure.
        told = is_tidy(flat) or any(classify([one], [["1"], ["1"]])[0].role == "metric" for one in flat)
        return "possible" if told else "no"

    def read(self, file: TextFile) -> Reading:
        """Read each object as a line of a table."""
        found: list[tuple[int, object]] = []
        problems: list[tuple[int, str]] = []
        broken = 0
        filled = [(number, line) for number, line in enumerate(file.lines, 1) if line.strip()]
        a_line_each = bool(filled) and filled[0][1].lstrip().startswith("{") and filled[0][1].rstrip().endswith("}")
        documents = [json_text.parse_text(line, n) for n, line in filled] if a_line_each else [json_text.parse(file)]
        for document in documents:
            problems += document.problems
            if not document.parsed:
                broken += 1
            elif isinstance(document.root, list):
                lines = document.lines("[]")
                same = len(lines) == len(document.root)
                found += [(lines[n] if same else document.first_line, one) for n, one in enumerate(document.root)]
            else:
                found.append((document.first_line, document.root))
        reading = _as_table(file.source, found, problems)
        counts = reading.lines
        return replace(reading, lines=replace(counts, problem=counts.problem + broken))


def _as_table(source: str, found: list[tuple[int, object]], problems: list[tuple[int, str]]) -> Reading:
    header = list(dict.fromkeys(key for _, one in found if isinstance(one, dict) for key in one))
    passed: dict[str, int] = {}
    records = [Record(0, [one_line(one) for one in header])]
    wrong = 0
    places: list[int] = []
    for line, one in found:
        if not isinstance(one, dict):
            problems.append((line, "no object; each entry is to be {key: value}; entry skipped"))
            wrong += 1
            continue
        for key, value in one.items():
            if isinstance(value, (list, dict)):
                passed.setdefault(key, line)
        places.append(line)
        records.append(Record(len(places), [_cell(one.get(key)) for key in header]))
    for key, line in passed.items():
        message = f"'{printable(key, 60)}' is nested; declare the format in [[formats]] of study.toml; passed over"
        problems.append((line, message))
    if not found and not problems:
        problems.append((0, "holds no object; write a list of them"))
    reading = read_records(source, records, total=len(places), header_is_line=False)
    rows, counts = reading.rows, reading.lines
    if len(rows):
        lines = rows.line.array
        lines[:] = np.asarray(places, dtype=np.int32)[lines - 1]
    for number, one in enumerate(reading.series):
        if one.line:
            reading.series[number] = replace(one, line=places[one.line - 1])
    problems += [(places[line - 1] if line else 0, message) for line, message in reading.problems]
    return replace(
        reading,
        problems=sorted(problems, key=lambda one: one[0]),
        lines=replace(counts, problem=counts.problem + wrong),
    )


def _cell(value: object) -> str:
    if value is None or isinstance(value, (list, dict)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, float) else one_line(str(value))
