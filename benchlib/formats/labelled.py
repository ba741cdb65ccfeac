"""What programs of one's own print: numbers alone, one a line, and numbers behind labels or beside what they count."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from benchlib.concurrency import counted
from benchlib.formats.cells import is_number
from benchlib.formats.collector import Collector
from benchlib.formats.headers import metric_of, names_metric, unit_of
from benchlib.formats.reader import Certainty, Format, Ledger, Reading, TextFile
from benchlib.formats.tables import _read_records
from benchlib.formats.text import _unpacked_name
from benchlib.metrics import needs_unit

# Numbers alone: `latencies_ms.txt`. The header, or the name of the file, says what they measure.

#: Fewer numbers are no list.
_FEWEST_NUMBERS = 3
#: A name of more words is a sentence.
_MOST_WORDS = 12


def _filled(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Return lines with their numbers, without comments and blank lines."""
    return [
        (at, line.strip()) for at, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("#")
    ]


def _measured_by(source: str, header: str) -> tuple[str, str] | None:
    """Return metric and unit of a list of numbers: what its header says, or the name of its file."""
    if header:
        return metric_of(header)
    words = re.findall(r"[^\W_]+", PurePosixPath(_unpacked_name(source)).stem)[:_MOST_WORDS]
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length + 1):
            *first, last = words[start : start + length]
            for end in (last, re.sub(r"ies$", "y", last), last.removesuffix("s")):
                named = metric_of("_".join([*map(_singular, first), end]))
                if named and needs_unit(named[0]):
                    return named
    return None


def _singular(word: str) -> str:
    return re.sub(r"ies$", "y", word.lower()) if word.lower().endswith("ies") else word.removesuffix("s")


def _header_of(lines: Sequence[tuple[int, str]]) -> str:
    return "" if not lines or is_number(lines[0][1]) else lines[0][1]


def _are_numbers(head: TextFile) -> Certainty:
    lines = _filled(head.lines)
    header = _header_of(lines)
    numbers = [text for _, text in (lines[1:] if header else lines)]
    alike = len(numbers) >= _FEWEST_NUMBERS and all(map(is_number, numbers))
    return "possible" if alike and _measured_by(head.source, header) else "no"


def _read_numbers(file: TextFile) -> Reading:
    """Read a number a line; a latency is that of one request."""
    lines = _filled(file.lines)
    header = _header_of(lines)
    named = _measured_by(file.source, header)
    numbers = Collector(file.source, Ledger(len(file.lines)))
    if named is None:
        numbers.ledger.whole([(0, "neither header nor name of the file says what is measured; name it latency_ms.txt")])
        return numbers.reading()
    metric, unit = named
    configuration = numbers.configure({})
    shortest = min((len(text) for _, text in lines[1:-1]), default=0)
    for at, text in lines:
        if text == header and at == lines[0][0]:
            numbers.ledger.context(at)
        elif not is_number(text):
            numbers.ledger.problem(at, "is no number; line skipped")
        elif file.open_end and at == lines[-1][0] and len(text) < shortest:
            numbers.ledger.problem(at, "the last line has no end: was the file cut? End it if it is whole")
        else:
            numbers.ledger.data(at)
            each = 1.0 if metric == "latency" else None
            numbers.add("", metric, float(text), unit, line=at, configuration=configuration, iterations=each)
    return numbers.reading()


NUMBERS = Format(
    name="numbers",
    rule="a number a line, under a header or in a file whose name says what they measure, as latencies_ms.txt",
    yields="a value a line; a latency is that of one request",
    limits="a unit that neither header nor name of the file tells",
    recognise=_are_numbers,
    read=_read_numbers,
)

# Numbers behind labels: `threads: 4, time: 12.3s`, `Ran 1000 iterations with 8 workers in 2.3 seconds`.

#: Files of other endings hold settings, or what another reader knows.
_ENDINGS = ("", ".txt", ".log", ".out", ".res", ".dat", ".result", ".results")
#: More labels than these are a report of a tool, whose parts differ.
_MOST_LABELS = 24
#: When a line was logged.
_STAMP = re.compile(r"^\W{0,3}\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?Z?\W{0,3}")
#: So many lines show what a file is.
_MOST_JUDGED = 200
#: A longer line is no label and number.
_LONGEST_LINE = 300
_NUMBER = r"[-+]?\d{1,15}(?:\.\d{1,15})?(?:[eE][-+]?\d{1,3})?"
_PAIR = re.compile(
    rf"(?P<label>[A-Za-z][\w()/%-]{{0,30}}(?: [\w()/%-]{{1,30}}){{0,5}}) ?(?:[:=]|=>|->) ?(?P<number>{_NUMBER})"
    rf"(?![.,:/]?\d)(?: ?(?P<unit>[A-Za-zµμ%][A-Za-zµμ/]{{0,15}})(?!\w| ?[:=]))?"
)
_PHRASE = re.compile(rf"(?<![\w.:-])(?P<number>{_NUMBER}) ?(?P<noun>[A-Za-zµμ][A-Za-zµμ/]{{0,15}})(?!\w)")
#: What a phrase may count beside workers and times.
_WORK = frozenset({"iterations", "operations", "ops", "requests", "items", "elements", "tasks", "messages"})
_DIGIT = re.compile(r"\d")

_Pair = tuple[str, str]


def _pairs_of(line: str) -> list[_Pair]:
    """Return the labels and cells of a line; of a sentence what its numbers count.

    Examples
    --------
    >>> _pairs_of("[INFO] threads=4 time=62.0s"), _pairs_of("Ran 10 iterations with 8 workers in 2.3 seconds")
    ([('threads', '4'), ('time', '62.0 s')], [('iterations', '10'), ('workers', '8'), ('time', '2.3 seconds')])
    """
    if len(line) > _LONGEST_LINE:
        return []
    line = _STAMP.sub("", " ".join(line.split()))
    for pattern, read in ((_PAIR, _labelled), (_PHRASE, _phrase)):
        pairs = [pair for match in pattern.finditer(line) if (pair := read(match))]
        # A number that nothing explains may be what the others hang on.
        if pairs and not re.search(r"\d", pattern.sub("", line)):
            return pairs
    return []


def _labelled(match: re.Match[str]) -> _Pair:
    return match["label"].strip(), _cell(match["number"], match["unit"] or "")


def _cell(number: str, unit: str) -> str:
    return f"{number} {unit}" if unit and (unit_of(unit) or unit == "B") else number


def _phrase(match: re.Match[str]) -> _Pair | None:
    number, noun = match["number"], match["noun"]
    unit = unit_of(noun)
    if unit:
        return ("throughput" if "/" in unit else "time"), f"{number} {noun}"
    return (noun, number) if counted(noun) or noun.lower() in _WORK else None


def _measures(pair: _Pair) -> bool:
    """Whether a label and its cell are a measurement: it names a metric, and one of them has the unit."""
    label, cell = pair
    named = metric_of(label)
    return names_metric(label) and (" " in cell or bool(named and named[1]))


def _names_nothing(lines: Sequence[str]) -> bool:
    """Whether all words beside labels and numbers come again: else they are names, which no label says.

    ``[parse] time: 3 ms`` and ``[lex] time: 2 ms`` differ in them, and so do sections with a head each.
    """
    rests: dict[tuple[str, ...], set[str]] = {}
    heads: Counter[str] = Counter()
    passed: list[str] = []
    for line in lines:
        pairs = _pairs_of(line)
        if pairs:
            heads.update(passed)
            passed = []
            rest = (_PAIR if _PAIR.search(line) else _PHRASE).sub("", _STAMP.sub("", " ".join(line.split())))
            kinds = tuple(counted(label) or label for label, _ in pairs)
            rests.setdefault(kinds, set()).add(re.sub(r"\W+", " ", rest).strip().lower())
        elif rests and re.search(r"[A-Za-z]", line):
            passed.append(line.strip())
    return all(len(rest) == 1 for rest in rests.values()) and len(heads) < 2 and 1 not in heads.values()


def _are_labelled(head: TextFile) -> Certainty:
    if PurePosixPath(_unpacked_name(head.source)).suffix.lower() not in _ENDINGS:
        return "no"
    lines = [line for line in head.lines[:_MOST_JUDGED] if _DIGIT.search(line)]
    pairs = [_pairs_of(line) for line in lines]
    understood = sum(map(bool, pairs))
    measured = Counter(label for line in pairs for label, cell in line if _measures((label, cell)))
    counts = any(counted(label) for line in pairs for label, _ in line)
    whole = bool(lines) and understood * 4 >= len(lines) * 3
    few = len({label for line in pairs for label, _ in line}) <= _MOST_LABELS
    if not _names_nothing(head.lines[:_MOST_JUDGED]):
        return "no"
    return "possible" if whole and few and measured and (counts or max(measured.values()) > 1) else "no"


def _records_of(lines: Sequence[str]) -> Iterator[tuple[int, dict[str, str], list[int]]]:
    """Yield records: the line of the first measurement, what was printed, and the other lines; a label begins anew."""
    record: dict[str, str] = {}
    at, others = 0, list[int]()
    for number, line in enumerate(lines, 1):
        pairs = _pairs_of(line)
        if record and at and any(label in record for label, _ in pairs):
            yield at, record, others
            record, at, others = {}, 0, []
        measured = not at and any(map(_measures, pairs))
        if measured:
            at = number
        elif pairs:
            others.append(number)
        record |= dict(pairs)
    if at:
        yield at, record, others


def _read_labelled(file: TextFile) -> Reading:
    """Read each group of lines as a row of a table whose columns are the labels."""
    ledger = Ledger(len(file.lines))
    for number, line in enumerate(file.lines, 1):
        if _DIGIT.search(line) and not _pairs_of(line):
            ledger.problem(number, "no label says what its numbers are; line skipped")
    records = list(_records_of(file.lines))
    header = list(dict.fromkeys(label for _, record, _ in records for label in record))
    # What is printed once, above all, holds for all that follows.
    once = [label for label in header if sum(label in record for _, record, _ in records) == 1 < len(records)]
    above = {label: records[0][1][label] for label in once if label in records[0][1]}
    rows: list[tuple[int, list[str] | None]] = [(0, header)]
    for at, record, others in records:
        for number in others:
            ledger.context(number)
        rows.append((at, [(above | record).get(label, "") for label in header]))
    return _read_records(file.source, rows, ledger, header_is_line=False)


LABELLED = Format(
    name="labelled",
    rule="lines of labels and numbers, 'threads: 4, time: 12.3 s' or '8 workers in 2.3 seconds', one of them measured",
    yields="what a table of the same labels does; a label that comes again begins a row",
    limits="numbers without a label; lines of over 300 characters",
    recognise=_are_labelled,
    read=_read_labelled,
)

READERS = (NUMBERS, LABELLED)
