"""What holds for every reader of a structured suite: no damage raises, none goes uncounted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

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


def test_a_record_that_turns_out_bad_leaves_no_value() -> None:
    """Values wait until their record is read to its end."""
    build = Building("a", [1, 2])

    def record(good: bool) -> str:
        build.configure({})
        build.keep("x", "time", 1.0, "s/op")
        if not good:
            raise DataError("bad end")
        return "data"

    build.each([False, True], record)  # type: ignore[arg-type]
    reading = build.finish(wanted="nothing")
    assert list(reading.rows.line) == [2]
    assert reading.problems == [(1, "bad end; record left out")]
