"""Notes: results that somebody pasted into Markdown, or that stand as a table within other text.

A note is cut into blocks: fenced blocks, tables, and the text between headings. Each block is read as if it were a file
of its own; which headings it stands below becomes the axis ``section``, where the note has several.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from benchlib.errors import InputError, printable
from benchlib.formats.cells import is_number, unit_of_cells
from benchlib.formats.collector import split_cells
from benchlib.formats.headers import metric_of, names_metric
from benchlib.formats.reader import Certainty, Format, Ledger, Reader, Reading, Rows, TextFile, _joined
from benchlib.formats.tables import CSV_TABLE, _separator_of
from benchlib.metrics import better
from benchlib.results import LineCounts
from benchlib.units import parse_unit

# A note cut into blocks.


@dataclass(slots=True)
class _Block:
    """Some lines of a note: the number of the first, the headings above it, and the words right above it."""

    kind: Literal["fence", "table", "drawn", "text"]
    first: int
    headings: tuple[str, ...]
    caption: str = ""
    language: str = ""
    lines: list[str] = field(default_factory=list)


_FENCE = re.compile(r"\s{0,3}(?P<fence>`{3,}|~{3,})\s*(?P<language>[\w+-]*)")
_HEADING = re.compile(r"(?P<level>#{1,6})\s+(?P<title>\S.*)")
_BOLD = re.compile(r"\*\*(?P<title>[^*]+)\*\*:?\s*")
#: A bold line is a heading below those of six marks.
_LEVEL_OF_BOLD = 7
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
#: A note with more blocks is a book.
_MOST_BLOCKS = 2000
_LONGEST_RULE = 1000
_LONGEST_CELL = 200
_LONGEST_TITLE = 120
#: A line of a list: tools write none, people do.
_BULLET = re.compile(r"[-*] (?=\S)")


def _blocks(lines: Sequence[str], *, markdown: bool) -> Iterator[_Block]:
    """Cut lines at fences, tables and headings; without Markdown there are fences and tables alone."""
    headings: dict[int, str] = {}
    caption = fence = ""
    block: _Block | None = None
    for number, line in enumerate(lines, 1):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark["fence"].startswith(fence) and not mark["language"]:
                fence = ""
                yield from [block] if block else []
                block = None
            elif block:
                block.lines.append(line)
            continue
        heading = _heading(line) if markdown else None
        kind = _kind(lines, number, block)
        if block and (mark or heading or kind != block.kind):
            yield block
            block = None
        if mark:
            fence = mark["fence"]
            block = _Block("fence", number + 1, tuple(headings.values()), caption, mark["language"].lower())
        elif heading:
            level, title = heading
            headings = {above: text for above, text in headings.items() if above < level} | {level: title}
            caption = ""
        else:
            if block is None:
                block = _Block(kind, number, tuple(headings.values()), caption)
            block.lines.append(line)
            if line.strip():
                caption = (
                    line.strip().rstrip(":") if line.rstrip().endswith(":") and len(line) <= _LONGEST_TITLE else ""
                )
    if block:
        yield block


def _kind(lines: Sequence[str], number: int, block: _Block | None) -> Literal["table", "drawn", "text"]:
    """Say what a line outside fences belongs to: a table of Markdown, one drawn with lines, or text."""
    line, kind = lines[number - 1], block.kind if block else ""
    if line.lstrip()[:1] == "┌" or (kind == "drawn" and line.lstrip()[:1] in ("│", "├", "└")):
        return "drawn"
    return "table" if "|" in line and (kind == "table" or _follows_rule(lines, number)) else "text"


def _heading(line: str) -> tuple[int, str] | None:
    if match := _HEADING.fullmatch(line):
        return len(match["level"]), printable(match["title"].strip(" #*`"), _LONGEST_TITLE)
    if match := _BOLD.fullmatch(line):
        return _LEVEL_OF_BOLD, printable(match["title"].strip(" :"), _LONGEST_TITLE)
    return None


def _follows_rule(lines: Sequence[str], number: int) -> bool:
    """Whether the line below is the rule under the head of a table, which has as many columns."""
    below = lines[number] if number < len(lines) else ""
    return len(below) <= _LONGEST_RULE and "-" in below and bool(_RULE.fullmatch(below)) and "|" in below


# A drawn table as the CSV that it would be.


_ESCAPED = "\N{SUBSTITUTE}"
_SPREAD = re.compile(r"(?P<value>[^±]*\S)\s*(?:±|\+/-).*")
_MULTIPLE = re.compile(r"(?P<value>\d[\d.,]{0,30})\s?[x×]")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
#: The columns by which a tool is known -> what these and others mean; those of no name are left out. All of them part
#: thousands by commas.
_TOOLS: tuple[tuple[frozenset[str], dict[str, str]], ...] = (
    # nanobench writes the title of its table over the names of benchmarks, in the last column.
    (frozenset({"ns/op", "op/s", "err%", "total"}), {"err%": "", "total": "", "relative": "", "": "benchmark"}),
    # hyperfine.
    (frozenset({"Command", "Relative"}), {"Command": "benchmark", "Relative": ""}),
    # tinybench, as console.table prints what bench.table() gives; versions 2 and 3.
    (
        frozenset({"(index)", "Task Name", "ops/sec"}),
        {
            **{"(index)": "", "Task Name": "benchmark", "ops/sec": "throughput [op/s]"},
            **{"Average Time (ns)": "time [ns/op]", "Margin": "", "Samples": "iterations"},
        },
    ),
    (
        frozenset({"(index)", "Task name", "Samples"}),
        {
            **{"(index)": "", "Task name": "benchmark", "Samples": "iterations"},
            **dict.fromkeys(("Latency avg (ns)", "Latency average (ns)"), "time [ns/op]"),
            **dict.fromkeys(("Latency med (ns)", "Latency median (ns)"), "time_median [ns]"),
            **dict.fromkeys(("Throughput avg (ops/s)", "Throughput average (ops/s)"), "throughput [op/s]"),
            **dict.fromkeys(("Throughput med (ops/s)", "Throughput median (ops/s)"), ""),
        },
    ),
)
#: How hyperfine calls its columns -> the metric.
_TIMES = re.compile(r"(?P<statistic>Mean|Min|Max) \[(?P<unit>\w+)\]")
_TIME_OF = {"Mean": "time", "Min": "time_min", "Max": "time_max"}


def _as_csv(block: _Block) -> TextFile:
    """Return a table of Markdown, or one drawn with lines, as CSV, each row on its own line."""
    rows = [_cells(line) for line in block.lines]
    head_at = next((number for number, row in enumerate(rows) if row), 0)
    head = rows[head_at]
    names = _columns(head)
    kept = [place for place, name in enumerate(names) if name]
    whole = [number for number, row in enumerate(rows) if len(row) == len(head) and number != head_at]
    known = names != _unknown(head)
    columns = [_numbers([rows[number][place] for number in whole], english=known) for place in kept]
    # A row of another width stays one that does not fit.
    written = {number: row if not row or len(row) != len(kept) else [*row, ""] for number, row in enumerate(rows)}
    written |= {number: [column[at] for column in columns] for at, number in enumerate(whole)}
    written[head_at] = [names[place] for place in kept]
    return TextFile("table", [",".join(map(_quoted, cells)) if any(cells) else "" for cells in written.values()])


def _cells(line: str) -> list[str]:
    """Return the cells of a row; none of a rule."""
    bar = "│" if line.lstrip()[:1] in ("┌", "│", "├", "└") else "|"
    if line.lstrip()[:1] in ("┌", "├", "└") or (bar == "|" and len(line) <= _LONGEST_RULE and _RULE.fullmatch(line)):
        return []
    inner = line.strip().replace(r"\|", _ESCAPED)
    inner = inner.removeprefix(bar).removesuffix(bar)
    return [cell.strip().strip("`*'").strip().replace(_ESCAPED, "|") for cell in inner.split(bar)]


def _columns(head: Sequence[str]) -> list[str]:
    """Return what the columns are called; empty for those that are left out."""
    for names, meanings in _TOOLS:
        if names <= set(head):
            *renamed, last = [
                f"{_TIME_OF[match['statistic']]} [{match['unit']}]"
                if (match := _TIMES.fullmatch(name))
                else meanings.get(name, name)
                for name in head
            ]
            return [*renamed, meanings.get("", last)]
    return _unknown(head)


def _unknown(head: Sequence[str]) -> list[str]:
    return [name or f"column {place}" for place, name in enumerate(head, 1)]


def _numbers(cells: Sequence[str], *, english: bool) -> list[str]:
    """Return cells without what stands beside their number: a spread, the x of a multiple, commas between thousands."""
    multiples = [_MULTIPLE.fullmatch(cell) for cell in cells]
    if all(match is not None or not cell for match, cell in zip(multiples, cells, strict=True)):
        cells = [match["value"] if match else "" for match in multiples]
    spread = [_SPREAD.fullmatch(cell) if len(cell) <= _LONGEST_CELL else None for cell in cells]
    if all(match is not None or not cell for match, cell in zip(spread, cells, strict=True)):
        cells = [match["value"].strip() if match else "" for match in spread]
    grouped = [cell for cell in cells if _GROUPED.fullmatch(cell)]
    if english or any("." in cell or cell.count(",") > 1 for cell in grouped):
        return [cell.replace(",", "") if _GROUPED.fullmatch(cell) else cell for cell in cells]
    return list(cells)


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if re.search(r'[",;\t]', cell) else cell


# A table of commas within the output of a program of one's own.


_NAME = re.compile(r"[A-Za-z_][\w ./()%-]{0,60}")
_FEWEST_COLUMNS = 3


def _csv_within(lines: Sequence[str], first: int, headings: tuple[str, ...]) -> Iterator[_Block]:
    """Yield each header of names with rows of as many cells, some of them numbers, right below it."""
    at = 0
    while at < len(lines):
        header = _row(lines[at])
        if len(header) < _FEWEST_COLUMNS or not all(map(_NAME.fullmatch, header)):
            at += 1
            continue
        end = at + 1
        while end < len(lines) and _fits(_row(lines[end]), header):
            end += 1
        if end > at + 1:
            yield _Block("table", first + at, headings, lines=list(lines[at:end]))
        at = end


def _row(line: str) -> list[str]:
    return [cell.strip() for cell in split_cells(line) or []] if line.count(",") >= _FEWEST_COLUMNS - 1 else []


def _fits(row: Sequence[str], header: Sequence[str]) -> bool:
    return len(row) == len(header) and any(map(is_number, row))


# Blocks read by the readers of files.


#: Formats that take any text with commas, or any list, for theirs: too little to go by in prose.
_OF_ANY_TEXT = frozenset({"csv", "json-rows", "criterion", "token-sdk-csv"})
#: Languages of programs: such a block says how something was run, and holds no table.
_NO_TABLE = frozenset({
    "bash", "c", "console", "cpp", "cs", "csharp", "diff", "dockerfile", "go", "golang", "html", "java", "javascript",
    "js", "json", "jsonc", "kotlin", "make", "makefile", "python", "py", "rust", "scala", "sh", "shell", "sql", "swift",
    "toml", "ts",
    "xml", "yaml", "yml", "zsh",
})  # fmt: skip


def _read_block(block: _Block, source: str) -> tuple[str, Reading] | None:
    """Return the format and what was read of a block; None where no reader knows it."""
    from benchlib.formats import registry

    text = TextFile(source, [_BULLET.sub("", line) for line in block.lines] if block.kind == "text" else block.lines)
    if not any(line.strip() for line in block.lines):
        return None
    try:
        reader: Reader = registry.choose(text, in_note=True)
    except InputError:
        reader = CSV_TABLE
    if reader.name == NOTES.name or (reader.name in _OF_ANY_TEXT and not _may_be_table(block)):
        return None
    if reader.name in _OF_ANY_TEXT and (block.kind == "drawn" or "|" in block.lines[0]):
        text, reader = _as_csv(block), CSV_TABLE
    certainty = reader.recognise(text)
    if certainty == "no" or (reader.name == CSV_TABLE.name and certainty == "possible" and not _measures(text)):
        return None
    return reader.name, reader.read(text)


def _measures(table: TextFile) -> bool:
    """Whether a table has a column of a known measure: people also write down versions, options and prices."""
    rows = [split_cells(line, _separator_of(table.lines)) or [] for line in table.lines if line.strip()]
    header, body = rows[0], rows[1:200]
    if any(_is_measure(heading.strip()) for heading in header):
        return True
    return any(unit_of_cells([row[place] for row in body if place < len(row)]) for place in range(len(header)))


def _is_measure(heading: str) -> bool:
    found = metric_of(heading)
    name, base = (found[0], parse_unit(found[1]).base) if found else ("", "")
    known = base.startswith("sec") or base.endswith("/sec") or better(name, base) is not None
    return known or (names_metric(heading) and not base)


def _may_be_table(block: _Block) -> bool:
    return block.kind in ("table", "drawn") or (block.kind == "fence" and block.language not in _NO_TABLE)


def _is_markdown(source: str) -> bool:
    return source.lower().endswith((".md", ".markdown"))


def _found(file: TextFile) -> Iterator[tuple[_Block, str, Reading]]:
    """Yield each block that a reader knows, its format, and what was read, with the lines of the note."""
    markdown = _is_markdown(file.source)
    for number, block in enumerate(_blocks(file.lines, markdown=markdown)):
        if number >= _MOST_BLOCKS:
            return
        if block.kind == "text" and not markdown:
            parts = list(_csv_within(block.lines, block.first, block.headings))
        else:
            parts = [block]
        for part in parts:
            read = _read_block(part, file.source)
            if read is not None and (len(read[1].rows) or read[1].problems):
                yield part, read[0], _moved(_by_lines(read[1], len(part.lines)), part.first - 1, file.source)


def _by_lines(reading: Reading, total: int) -> Reading:
    """Return a reading that counts lines where its reader counted records, which may be many on one line."""
    if reading.lines.total == total:
        return reading
    data = set(reading.rows.line)
    problems = {line for line, _ in reading.problems if line} - data
    context = max(0, total - len(data) - len(problems))
    counts = LineCounts(data=len(data), context=context, problem=len(problems), noise=0)
    return replace(reading, lines=counts)


def _moved(reading: Reading, lines: int, source: str) -> Reading:
    """Return a reading whose lines are so many further down."""
    rows = reading.rows
    for place, line in enumerate(rows.line):
        rows.line[place] = line + lines
    problems = [(line + lines if line else lines + 1, message) for line, message in reading.problems]
    series = [replace(each, line=each.line + lines, source=source) for each in reading.series]
    return replace(reading, problems=problems, series=series)


def _is_notes(head: TextFile) -> Certainty:
    """Be certain of Markdown with a block that a reader knows; of other text it is possible."""
    found = next((reading for _, _, reading in _found(head) if len(reading.rows)), None)
    return "no" if found is None else "certain" if _is_markdown(head.source) else "possible"


def _read_notes(file: TextFile) -> Reading:
    """Read every block that a reader knows."""
    found = list(_found(file))
    sections = _sections([block for block, _, _ in found])
    readings = []
    for (_, name, reading), section in zip(found, sections, strict=True):
        readings.append(replace(_in_section(reading, section), contains=(name, *reading.contains)))
    if not readings:
        ledger = Ledger(len(file.lines))
        ledger.whole([(0, "no block of it holds results that a reader knows")])
        return ledger.reading(Rows(), [])
    return _joined(readings, total=len(file.lines))


def _sections(blocks: Sequence[_Block]) -> list[str]:
    """Return what tells each block from the others: the headings that not all share, its caption, or its number."""
    shared = 0
    paths = [block.headings for block in blocks]
    while len(blocks) > 1 and all(len(path) > shared and path[shared] == paths[0][shared] for path in paths):
        shared += 1
    names = [" / ".join(path[shared:]) for path in paths]
    taken = Counter(names)
    names = [
        " / ".join(filter(None, (name, block.caption))) if taken[name] > 1 else name
        for name, block in zip(names, blocks, strict=True)
    ]
    taken, seen = Counter(names), Counter[str]()
    for place, name in enumerate(names):
        seen[name] += 1
        if taken[name] > 1:
            names[place] = f"{name} ({seen[name]})" if name else f"block {seen[name]}"
    return names if len(blocks) > 1 else [""] * len(blocks)


def _in_section(reading: Reading, section: str) -> Reading:
    """Return a reading whose values state the section they stand in."""
    if not section:
        return reading
    configurations: list[Mapping[str, Any]] = [{"section": section, **facts} for facts in reading.configurations]
    rows = reading.rows
    if any(configuration < 0 for configuration in rows.configuration):
        configurations.append({"section": section})
        for place, configuration in enumerate(rows.configuration):
            rows.configuration[place] = len(configurations) - 1 if configuration < 0 else configuration
    return replace(reading, configurations=configurations)


class _AllOthers(frozenset[str]):
    """Every format but those of Markdown itself: a note may hold any of them."""

    def __contains__(self, name: object) -> bool:
        return not str(name).endswith("markdown")


NOTES = Format(
    name="notes",
    rule="Markdown (*.md) with a block or table that a reader knows; else such a block, or a table of commas or lines",
    yields="what each fenced block, table and text between headings holds; the headings as axis section",
    limits="spreads behind ± in tables; a folder's notes are read only where it holds no other results",
    contains=_AllOthers(),
    recognise=_is_notes,
    read=_read_notes,
)

READERS = (NOTES,)
