"""What holds for every reader of a structured suite: no damage raises, none goes uncounted."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchlib.errors import DataError
from benchlib.formats.criterion import CRITERION, CRITERION_CSV, CRITERION_MESSAGES, CRITERION_TEXT
from benchlib.formats.reader import Reader, TextFile
from benchlib.formats.registry import choose
from benchlib.formats.suites import (
    GOOGLE_BENCHMARK,
    GOOGLE_BENCHMARK_CSV,
    HYPERFINE,
    HYPERFINE_CSV,
    JMH,
    JMH_CSV,
    PYPERF,
    PYTEST_BENCHMARK,
    PYTEST_BENCHMARK_CSV,
    Building,
)

DATA = Path(__file__).parents[1] / "data"
JSON: list[tuple[Any, str]] = [
    (HYPERFINE, "hyperfine/failures.json"),
    (GOOGLE_BENCHMARK, "google_benchmark/named_args.json"),
    (PYTEST_BENCHMARK, "pytest_benchmark/with_data.json"),
    (PYPERF, "pyperf/memory.json"),
    (JMH, "jmh/result.json"),
    (CRITERION, "criterion/fib/recursive/10/new/sample.json"),
]
TEXT: list[tuple[Any, str]] = [
    (HYPERFINE_CSV, "hyperfine/params.csv"),
    (GOOGLE_BENCHMARK_CSV, "google_benchmark/noreps.csv"),
    (JMH_CSV, "jmh/result.csv"),
    (CRITERION_TEXT, "criterion_text/criterion.txt"),
    (CRITERION_TEXT, "criterion_text/libtest.txt"),
    (CRITERION_CSV, "criterion_csv/fib/recursive/8/new/raw.csv"),
    (CRITERION_MESSAGES, "criterion_messages/messages.json"),
    (PYTEST_BENCHMARK_CSV, "pytest_benchmark/statistics.csv"),
]
LINES = {file: (DATA / file).read_text(encoding="utf-8").split("\n") for _, file in [*JSON, *TEXT]}
#: Small twins of the JSON files: a mutation then hits what matters, and is read in microseconds.
ROOTS = {file: json.loads("\n".join(LINES[file]).replace("NaN", "null")) for _, file in JSON}
ROOTS["jmh/result.json"] = [
    {
        **entry,
        "primaryMetric": {
            key: [[iteration[:3] for iteration in fork] for fork in value] if key == "rawDataHistogram" else value
            for key, value in entry["primaryMetric"].items()
        },
    }
    for entry in ROOTS["jmh/result.json"][::2]
]


def sound(reader: Reader, file: TextFile) -> None:
    """Recognise and read without raising; finite values, counts that add up, never silence."""
    reader.recognise(file)
    reading = reader.read(file)
    counts = reading.lines
    assert min(counts.data, counts.context, counts.problem, counts.noise) >= 0
    assert len(reading.rows) or reading.problems or counts.context == counts.total
    assert bool(counts.data) or not len(reading.rows)
    assert all(math.isfinite(one) for one in reading.rows.value)
    for column in ("name", "metric", "value", "unit", "line", "configuration"):
        assert len(getattr(reading.rows, column)) == len(reading.rows)
    assert all(0 <= one < len(reading.configurations) for one in reading.rows.configuration)


@pytest.mark.parametrize(("reader", "file"), [*JSON, *TEXT], ids=lambda one: one if isinstance(one, str) else "")
def test_a_file_has_one_reader(reader: Reader, file: str) -> None:
    """The registry gives the file to its own reader, and each declares what it yields and cannot tell."""
    assert choose(TextFile(file, LINES[file])).name == reader.name
    for said in ("rule", "yields", "limits", "files"):
        assert getattr(reader, said)


@pytest.mark.parametrize(("reader", "file"), JSON, ids=lambda one: one if isinstance(one, str) else "")
def test_a_cut_document_is_one_problem(reader: Reader, file: str) -> None:
    """A download that stopped half-way gives no value and says where it stops."""
    whole = "\n".join(LINES[file])
    reading = reader.read(TextFile(file, whole[: len(whole) // 2].split("\n")))
    assert not len(reading.rows)
    assert reading.lines.problem == reading.lines.total == 1
    assert "not JSON at column" in reading.problems[0][1]


@pytest.mark.parametrize("content", ["", "{}", "[]", "null", "3", '"x"', "[[]]", '{"benchmarks": 1, "results": 1}'])
@pytest.mark.parametrize("reader", [one for one, _ in JSON], ids=lambda one: one.name)
def test_an_empty_document_is_never_silent(reader: Reader, content: str) -> None:
    """A reader named by --format gets whatever is there."""
    reading = reader.read(TextFile("fib/new/sample.json", [content]))
    assert not len(reading.rows)
    assert reading.problems


#: What a hostile or careless hand puts in the place of a value.
ODD = st.sampled_from(
    [None, True, -1, 0, 1e308, 10**30, "", "NaN", "x" * 300, "\x00\ud800", [], [[]], {}, {"a": None}, [1, "2"], -0.0]
).map(copy.deepcopy)


@settings(max_examples=250, deadline=None)
@given(data=st.data())
def test_no_change_to_a_document_raises(data: st.DataObject) -> None:
    """Any value may be gone, doubled or of another kind: records are counted and nothing raises."""
    reader, file = data.draw(st.sampled_from(JSON))
    root = json.loads(json.dumps(ROOTS[file]))
    for _ in range(data.draw(st.integers(1, 4))):
        at = root
        for _ in range(data.draw(st.integers(0, 6))):
            below = [
                one for one in (at.values() if isinstance(at, dict) else at) if isinstance(one, (dict, list)) and one
            ]
            if not below:
                break
            at = data.draw(st.sampled_from(below[:12]))
        if not at:
            continue
        if isinstance(at, dict):
            key = data.draw(st.sampled_from(sorted(at)))
            if data.draw(st.booleans()):
                del at[key]
            else:
                at[key] = data.draw(ODD)
        else:
            place = data.draw(st.integers(0, len(at) - 1))
            at[place : place + 1] = data.draw(
                st.sampled_from([[], [data.draw(ODD)], [copy.deepcopy(at[place]) for _ in range(3)]])
            )
    sound(reader, TextFile(file, json.dumps(root, indent=data.draw(st.sampled_from([None, 1]))).split("\n")))


@settings(max_examples=250, deadline=None)
@given(data=st.data())
def test_no_change_to_a_text_raises(data: st.DataObject) -> None:
    """Lines may be gone, doubled or altered: every line is counted once and nothing raises."""
    reader, file = data.draw(st.sampled_from([*TEXT, *JSON[:4]]))
    lines = list(LINES[file])
    for _ in range(data.draw(st.integers(1, 5))):
        place = data.draw(st.integers(0, len(lines) - 1))
        line = lines[place]
        at = data.draw(st.integers(0, len(line)))
        change = data.draw(st.sampled_from(["drop", "double", "cut", "insert"]))
        if change == "drop" and len(lines) > 1:
            del lines[place]
        elif change == "double":
            lines.insert(place, line)
        elif change == "cut":
            lines[place] = line[:at]
        else:
            lines[place] = line[:at] + data.draw(st.text(max_size=4).map(lambda one: one.replace("\n", ""))) + line[at:]
    text = TextFile(file, lines)
    sound(reader, text)
    if file.endswith((".csv", ".txt")):
        assert reader.read(text).lines.total == len(lines)


def test_a_record_that_turns_out_bad_leaves_no_value() -> None:
    """Values wait until their record is read to its end."""
    build = Building("a", [1, 2])

    def record(good: bool) -> str:
        build.configure({})
        build.add("x", "time", 1.0, "s/op")
        if not good:
            raise DataError("bad end")
        return "data"

    build.each([False, True], record)  # type: ignore[arg-type]
    reading = build.reading(wanted="nothing")
    assert list(reading.rows.line) == [2]
    assert reading.problems == [(1, "bad end; record left out")]
