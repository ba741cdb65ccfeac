"""Input made from real files to break readers, and what must hold whatever a reader is given."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from benchlib.errors import InputError
from benchlib.formats.reader import Reader, Reading, TextFile
from benchlib.formats.table import ReadFile, build, failures
from benchlib.formats.text import decode, head_of
from tests.formats.test_load_generators import DOCUMENTED

ROOT = Path(__file__).parents[2]
#: Longest seed: a longer file gives its first lines and a few from its middle.
LONGEST = 6 * 1024

#: What tools, shells and enemies put where a number or a word is expected.
TOKENS = (
    "", "0", "-0", "-1", "1", "NaN", "nan", "-nan%", "Inf", "-Infinity", "1e400", "1e-400", "0x10", "1_0", "1,5",
    "9" * 25, "9" * 5000, "٣", "½", "µs", "μs", "ms", "%", "op/s", "null", "true", "[]", "{}", "''", '"', "\\", ",",
    ";", "\t", " ", ":", "=", "/", "-8", "é", "日本", "\u2028", "\x85", "\x0b", "\x1b[31m", "\ufffd", "\ufeff",
    "\U0001f600", "\\ud800", "\\u0000", "=cmd()", "Benchmark", "BenchmarkX-8 1 5 ns/op", "Running 1s test @ x",
    '{"Action":"output","Package":"p","Output":"BenchmarkX 1 5 ns/op\\n"}', "a" * 300, "[" * 300, '{"a":' * 300,
)  # fmt: skip
_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1e308, float("nan"), float("inf"), 10**30, "", "x", "12", "1.5 ms", [], {}, [[]], [{}], {"": {}},
)  # fmt: skip


#: Formats of which no file lies in the project, as their documentation writes them.
_DOCUMENTED = (
    *DOCUMENTED,
    "# A\n\n## Old\n```text\nBenchmarkX-8 10 5 ns/op\n```\n**New:**\nand so:\n~~~\nBenchmarkX-8 10 4 ns/op\n~~~\n",
    "| name | time_ms | rps |\n|:--|--:|---|\n| `a` | 1.5 ± 0.1 | 1,234 |\n| **b** | 2.5 ± 0.1 | 2,345 |\n\nwords\n",
    "=====\nAlgorithm,Threads,time_s\nMPI,4,0.25\nMPI,8,0.125\n=====\n"
    "┌───┬───┐\n│ a │ rps │\n├───┤\n│ x │ 1.5 │\n└──┘\n",
    '{"a": {"latency": {"value": 3.5, "lower_value": 3, "upper_value": 4}}, "b": {"throughput": {"value": 7}}}',
    '[{"name": "a", "unit": "ns/iter", "value": 3.5, "range": "± 1", "extra": "100 times"}, '
    '{"name": "b", "unit": "ops/sec", "value": "7"}]',
    'window.BENCHMARK_DATA = {"lastUpdate": 1, "repoUrl": "", "entries": {"Go": [{"commit": {"id": "c1"}, "date": 1, '
    '"tool": "go", "benches": [{"name": "a", "value": 3.5, "unit": "ns/op", "extra": "10 times"}]}]}}',
)


def _shrunk(value: object, most: int = 3) -> object:
    """Return a JSON document with its lists cut short: the shapes stay, and reading it takes no time."""
    if isinstance(value, dict):
        return {key: _shrunk(one, most) for key, one in value.items()}
    return [_shrunk(one, most) for one in value[:most]] if isinstance(value, list) else value


def _seed(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    if text[:1] in "{[":
        try:
            return json.dumps(_shrunk(json.loads(text)), indent=1)[: 4 * LONGEST]
        except ValueError:
            pass  # newline-delimited: cut by lines
    lines = text.split("\n")
    kept: list[str] = []
    for one in [*lines[:60], *lines[60 :: max(1, len(lines) // 40)]]:
        kept.append(one[:2000])
        if sum(map(len, kept)) > LONGEST:
            break
    return "\n".join(kept)


@cache
def seeds(*folders: Path) -> tuple[tuple[str, str], ...]:
    """Return (name, text) of each real file in tests/data, data/ and further folders, cut to a few KiB."""
    found = {}
    for folder in (ROOT / "tests" / "data", ROOT / "data", *folders):
        for path in sorted(folder.rglob("*")):
            if not path.is_file() or path.name == "study.toml" or path.suffix == ".md":
                continue
            try:
                text = decode(path.read_bytes(), path.name).file.text
            except InputError:
                continue
            seed = _seed(text)
            found.setdefault(seed, path.as_posix())
    for number, text in enumerate(_DOCUMENTED):
        found.setdefault(text, f"documented-{number}")
    return tuple((path, text) for text, path in found.items())


def own_seeds(reader: Reader, every: Iterable[tuple[str, str]]) -> list[str]:
    """Return the seeds that a reader takes for its own."""
    return [text for path, text in every if reader.recognise(TextFile(path, text.split("\n"))) != "no"]


def hurt(text: str, rng: Random, others: list[str]) -> str:
    """Return the text after one to four accidents."""
    for _ in range(rng.randrange(1, 5)):
        text = rng.choice(_ACCIDENTS)(text, rng, others)
    # What text preparation refuses or replaces reaches no reader: NUL, half a character.
    return text[: 8 * LONGEST].replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _lines(text: str, rng: Random, _: list[str]) -> str:
    """Drop, repeat, swap or move lines."""
    lines = text.split("\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[min(a, b) : max(a, b) + 1]
        case 1:
            lines[a:a] = lines[min(a, b) : max(a, b) + 1][:30]
        case 2:
            lines[a], lines[b] = lines[b], lines[a]
        case _:
            lines[a] = lines[a] + lines.pop(b) if a < b else lines[a]
    return "\n".join(lines)


def _cut(text: str, rng: Random, _: list[str]) -> str:
    """End the text early, or begin it late."""
    place = rng.randrange(len(text) + 1)
    return text[:place] if rng.randrange(3) else text[place:]


def _insert(text: str, rng: Random, _: list[str]) -> str:
    """Put a token anywhere."""
    place = rng.randrange(len(text) + 1)
    return text[:place] + rng.choice(TOKENS) + text[place:]


def _words(text: str, rng: Random, _: list[str]) -> str:
    """Put a token in place of a word or a cell of one line."""
    lines = text.split("\n")
    place = rng.randrange(len(lines))
    separator = rng.choice([" ", ",", "\t", ":", '"'])
    words = lines[place].split(separator)
    words[rng.randrange(len(words))] = rng.choice(TOKENS)
    lines[place] = separator.join(words)
    return "\n".join(lines)


def _characters(text: str, rng: Random, _: list[str]) -> str:
    """Change single characters."""
    found = list(text)
    for _unused in range(rng.randrange(1, 8)):
        if found:
            found[rng.randrange(len(found))] = chr(rng.choice([rng.randrange(32, 127), rng.randrange(0x250), 0x661]))
    return "".join(found)


def _splice(text: str, rng: Random, others: list[str]) -> str:
    """Join with a part of another file, at a line end or anywhere."""
    other = rng.choice(others)
    place = rng.randrange(len(other) + 1)
    at = rng.choice([len(text), rng.randrange(len(text) + 1)])
    return text[:at] + rng.choice(["\n", ""]) + other[place : place + LONGEST] + text[at:]


def _json(text: str, rng: Random, _: list[str]) -> str:
    """Change, drop or repeat one value of a JSON document."""
    try:
        root = json.loads(text)
    except (ValueError, RecursionError):
        return text
    places = list(_places(root))
    if not places:
        return text
    for _unused in range(rng.randrange(1, 4)):
        holder, key = rng.choice(places)
        match rng.randrange(4):
            case 0 if isinstance(holder, dict):
                holder.pop(key, None)
            case 1 if isinstance(holder, list):
                holder.append(holder[0] if holder else None)
            case 2 if isinstance(holder, dict):
                holder[rng.choice(TOKENS)] = holder.get(key)
            case _ if isinstance(holder, dict) or key < len(holder):
                holder[key] = rng.choice(_VALUES)
    try:
        return json.dumps(root, indent=rng.choice([None, 1]), ensure_ascii=rng.random() < 0.5)
    except (ValueError, RecursionError):
        return text


def _places(root: object, depth: int = 0) -> Iterator[tuple[Any, Any]]:
    if depth > 20:
        return
    if isinstance(root, dict):
        for key, one in root.items():
            yield root, key
            yield from _places(one, depth + 1)
    elif isinstance(root, list):
        for place, one in enumerate(root):
            yield root, place
            yield from _places(one, depth + 1)


_ACCIDENTS = (_lines, _cut, _insert, _words, _words, _characters, _splice, _json, _json)


def check(reader: Reader, file: TextFile, *, tables: bool = True) -> Reading | None:
    """Read a file and assert what holds for every reader; return the reading, or None where it refused.

    Raises
    ------
    AssertionError
        If a promise of the reader is broken; any other exception that leaves it is a broken one too.
    """
    certainty = reader.recognise(head_of(file))
    assert certainty in ("certain", "possible", "no")
    try:
        reading = reader.read(file)
    except InputError as error:
        assert_message(str(error))
        return None
    check_accounts(reading, file)
    check_words(reading)
    rows = reading.rows
    told = len(rows) or reading.problems or reading.series or reading.lines.context == reading.lines.total
    assert certainty != "certain" or told, "certain, and silent"
    # A value takes at least a character, and a configuration a line, a record or a value.
    assert len(rows) <= len(file.text) + 1
    assert len(reading.configurations) <= len(rows) + len(file.lines) + reading.lines.total + 1
    if tables:
        try:
            results = failures(build([_file(reader, reading, file)]))
        except InputError as error:  # more axes than a table can have
            assert_message(str(error))
            return reading
        kept = len(results.frame) + len(results.failed)
        assert kept + sum("value skipped" in one.message for one in results.problems) >= len(rows)
    return reading


def check_accounts(reading: Reading, file: TextFile) -> None:
    """Assert that each line, or each record of a structured file, is counted exactly once."""
    counts, rows, lines = reading.lines, reading.rows, len(file.lines)
    assert min(counts.data, counts.context, counts.problem, counts.noise) >= 0, counts
    # A file of several documents may begin with what was printed before the first.
    structured = any(one.lstrip().startswith(("{", "[", "window.BENCHMARK_DATA")) for one in file.lines)
    # A document that does not parse, or holds no record, is refused as a whole and says so.
    refused = counts.total == counts.problem <= 1 and not len(rows) and bool(reading.problems)
    assert refused or counts.total == lines or (structured and 0 < counts.total <= len(file.text)), (counts, lines)
    assert not len(rows) or counts.data, "rows, and no line of data"
    assert all(0 <= line <= lines for line in rows.line), "a row from beyond the file"
    assert all(0 <= line <= lines for line, _ in reading.problems), "a problem beyond the file"
    if counts.total == lines and not structured:
        assert counts.data <= max(lines, len(rows))
    columns = (rows.name, rows.metric, rows.value, rows.unit, rows.iterations, rows.errors, rows.configuration)
    assert {len(one) for one in columns} == {len(rows)}
    assert all(0 <= one < len(reading.configurations) for one in rows.configuration)


def check_words(reading: Reading) -> None:
    """Assert that every text can be written to a page, a table and a terminal."""
    for _, message in reading.problems:
        assert_message(message)
    rows = reading.rows
    assert all(isinstance(one, float) for one in rows.value)
    for word in {*rows.name, *rows.unit, *(one for one in rows.metric if one is not None)}:
        assert_word(word)
    for one in reading.configurations:
        for key, value in one.items():
            assert_word(key)
            assert isinstance(value, (str, int, float, bool)) or value is None, type(value)
            if isinstance(value, str):
                assert_word(value)
    for series in reading.series:
        assert_word(series.kind)
        assert_word(series.name)


def assert_word(word: object) -> None:
    """Assert that a word is a text that can be encoded: a lone surrogate fails where a page is written."""
    assert isinstance(word, str), type(word)
    word.encode()
    assert "\0" not in word, repr(word[:80])


def assert_message(message: str) -> None:
    """Assert that a message is one printable line of bounded length."""
    assert message.isprintable(), repr(message[:200])
    assert len(message) <= 2000, len(message)


def _file(reader: Reader, reading: Reading, file: TextFile) -> ReadFile:
    return ReadFile(
        source=file.source, format=reader.name, sha256="", reading=reading, path_facts=[], run="", problems=()
    )
