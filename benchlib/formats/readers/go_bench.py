r"""Text of ``go test -bench``, by the line rules of benchstat, and what those rules lose.

benchstat reads each line alone: a result whose name and values were parted by a log line is lost,
with an error about its iteration count. Here the name is joined again with its values. A line that
starts with ``Benchmark`` and cannot be read is a problem with benchstat's own words.

References
----------
golang.org/x/perf/benchfmt, ``reader.go``; https://go.dev/design/14313-benchmark-format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

import numpy as np

from benchlib.formats.ending import open_line
from benchlib.formats.readers.go_bulk import Block, scanned
from benchlib.formats.readers.go_line import joined, values_of
from benchlib.formats.readers.go_log import FAILED, Log, take, unfinished
from benchlib.formats.reading import Certainty, Reading, TextFile
from benchlib.results import LineCounts

__all__ = ["GoBench", "without_result"]

_RESULT = re.compile(r"Benchmark\S*\s+\d+\s+[-+.\d]\S*\s+\S+")
_NAME = re.compile(r"Benchmark[A-Z_]\S*\s*")
#: What go test prints around results.
_FRAME = ("goos: ", "goarch: ", "pkg: ", "PASS", "FAIL", "ok  \t")
#: Lines that nothing else begins with.
_CERTAIN_FRAME = ("goos: ", "goarch: ", "ok  \t")
#: What go test measures by itself: none of these is the beginning of another.
_OWN_UNITS = ("ns/op", "MB/s", "B/op", "allocs/op")
#: How far back results are looked at to judge the last line.
_NEAR = 64 * 1024
#: Below this many bytes the arrays of a block cost more than its lines.
_SHORT = 8 * 1024


class GoBench:
    """Results as ``go test -bench`` prints them, among whatever else the log holds."""

    name = "go-bench"
    rule = "lines such as 'BenchmarkX-8  100  5.2 ns/op'"
    contains = frozenset[str]()
    files = "*.txt, *.log, *.bench"
    yields = "time, memory, allocations and custom metrics of each repetition; configuration lines as axes"
    limits = "no percentiles but those a benchmark reports; ns/op of parallel work is wall time over operations"

    def recognise(self, head: TextFile) -> Certainty:
        """Be certain of a result line, or of a benchmark that failed; a bare name is possible."""
        named = framed = False
        for number, line in enumerate(head.lines):
            if line.startswith("Benchmark"):
                if _RESULT.match(line) or joined(_from(head.lines, number), 0) is not None:
                    return "certain"
                named = named or bool(_NAME.match(line))
                framed = framed or "/op" in line
            elif FAILED.match(line):
                return "certain"
            framed = framed or line.startswith(_FRAME)
        # Tables list names too: a name alone is Go's only inside what go test prints around it.
        return "possible" if named and framed else "no"

    def read(self, file: TextFile) -> Reading:
        """Read every line as a result, context, a problem or noise."""
        log = Log(source=file.source)
        read = read_lines if len(file.utf8) < _SHORT else read_blocks
        cut = _cut_result(file) if file.open_end else ""
        if cut:
            before = file.utf8.rpartition(b"\n")[0]
            count = 1 + (read(log, TextFile(file.source, utf8=before + b"\n")) if before else 0)
            log.refuse(count, f"{open_line(cut)}; line skipped")
        else:
            count = read(log, file)
        unfinished(log)
        noise = count - log.data - log.context - len(log.wrong)
        return Reading(
            rows=log.rows,
            configurations=log.configurations,
            problems=sorted(log.problems, key=lambda one: one[0]),
            lines=LineCounts(data=log.data, context=log.context, problem=len(log.wrong), noise=noise),
            contains=("benchstat",) if log.benchstat else (),
            series=log.series,
        )


def without_result(file: TextFile) -> bool:
    r"""Whether a text that holds no result is go test's all the same: its header, or its last line.

    Examples
    --------
    >>> [without_result(TextFile("new.txt", utf8=text)) for text in (b"goos: linux\npkg: ex/p\n", b"A\n")]
    [True, False]
    """
    return any(line.startswith(_CERTAIN_FRAME) for line in file.lines)


def _cut_result(file: TextFile) -> str:
    """Return the last line, which has no end, if it may be a result that was cut; else nothing.

    A number is followed by its unit, so it is whole where its units are those of the results before it, of the
    same benchmark where there are any; a lone result, where they are what go test measures by itself.
    """
    before, _, last = _text(file.utf8[-_NEAR:]).rpartition("\n")
    if last and "Benchmark".startswith(last):
        return last
    units = _units_of(last)
    if not units:
        return ""
    above = [(one.split(None, 1)[0], found) for one in before.split("\n") if (found := _units_of(one))]
    named = [found for name, found in above if name == last.split(None, 1)[0]]
    known = named or [found for _, found in above]
    whole = units in known or (
        all(one in _OWN_UNITS for one in units) and not any(one[: len(units)] == units for one in known)
    )
    return "" if whole else last


def _units_of(line: str) -> list[str]:
    fields = line.split()[1:] if line.startswith("Benchmark") else values_of(line)
    return fields[2::2] if len(fields) % 2 else []


def read_lines(log: Log, file: TextFile) -> int:
    """Take the lines of a file one by one; return how many there are."""
    lines, number = file.lines, 0
    while number < len(lines):
        number = take(log, file.source, lines[number], number + 1, _from(lines, number))
    log.flush()
    return len(lines)


def read_blocks(log: Log, file: TextFile) -> int:
    """Take the plain results of a file by the block, and its other lines one by one: the same rows."""
    before = done = 0
    content = file.utf8
    for block in scanned(content):
        waiting = _Waiting(log, block, before)
        others = np.delete(np.arange(block.count), block.lines).tolist()
        lines = _text(content[block.start : block.stop]).split("\n") if others else []
        for passed, index in enumerate(others):
            waiting.reach(index - passed)
            number = before + index + 1
            # A name may have looked ahead, and taken lines up to its values.
            if number > done:
                ahead = chain(_from(lines, index), _lines_after(content, block.stop))
                done = take(log, file.source, lines[index], number, ahead)
        waiting.reach(len(block.lines))
        waiting.append()
        log.flush()
        before += block.count
    log.settled.update(log.rows.name.levels)
    return before


class _Waiting:
    """The plain results of one block, on their way into the rows of a log.

    Parameters
    ----------
    log : Log
    block : Block
    before : int
        Lines of the file before the block.
    """

    __slots__ = ("appended", "before", "block", "configuration", "ends", "log", "reached")

    def __init__(self, log: Log, block: Block, before: int) -> None:
        self.log, self.block, self.before = log, block, before
        self.configuration = np.zeros(len(block.lines), dtype=np.int32)
        #: Where the values of each result end, among those of the block.
        self.ends = np.concatenate(([0], np.cumsum(block.values)))
        self.reached = self.appended = 0

    def reach(self, result: int) -> None:
        """Give the results up to this one the configuration in force."""
        if result > self.reached:
            if self.log.results:
                # Those taken one by one stand between the plain results before them and these.
                self.append()
                self.log.flush()
            self.configuration[self.reached : result] = self.log.configuration()
            self.reached = result

    def append(self) -> None:
        """Append the results reached so far."""
        if self.appended == self.reached:
            return
        block, rows, part = self.block, self.log.rows, slice(self.appended, self.reached)
        values = slice(self.ends[self.appended], self.ends[self.reached])
        each = block.values[part]
        rows.name.extend_array(block.names, block.name[part], each)
        rows.metric.repeat(None, len(block.value[values]))
        rows.value.extend_array(block.value[values])
        rows.unit.extend_array(block.units, block.unit[values])
        rows.iterations.extend_array(block.iterations[part], each)
        rows.errors.repeat(None, len(block.value[values]))
        rows.line.extend_array(self.before + 1 + block.lines[part], each)
        rows.configuration.extend_array(self.configuration[part], each)
        self.log.data += self.reached - self.appended
        self.appended = self.reached


def _from(lines: list[str], index: int) -> Iterator[str]:
    """Yield lines from an index on, without a copy of them."""
    return map(lines.__getitem__, range(index, len(lines)))


def _lines_after(content: bytes, end: int) -> Iterator[str]:
    """Yield the lines after the line end at a place."""
    last = len(content) - content.endswith(b"\n")
    while end < last:
        start = end + 1
        end = content.find(b"\n", start, last)
        end = last if end < 0 else end
        yield _text(content[start:end])


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogatepass")
