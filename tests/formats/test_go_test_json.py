"""The reader of ``go test -json``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.formats import load
from benchlib.formats.go import GO_BENCH, GO_TEST_JSON
from benchlib.formats.reader import Reading, TextFile
from benchlib.formats.text import decode

DATA = Path(__file__).parents[1] / "data" / "go_test_json"
SAMPLE = DATA / "filter_pgn.jsonl"


def read(*lines: str) -> Reading:
    return GO_TEST_JSON.read(TextFile("run.jsonl", list(lines)))


def read_file(path: Path) -> Reading:
    return GO_TEST_JSON.read(decode(path.read_bytes(), path.name).file)


def output(text: str, package: str = "ex/a", **more: str) -> str:
    return json.dumps({"Action": "output", "Package": package, "Output": text, **more})


def names_and_values(reading: Reading) -> list[tuple[str, float, str, int]]:
    rows = reading.rows
    return list(zip(rows.name, rows.value, rows.unit, rows.line, strict=True))


def test_the_events_give_what_their_text_gives() -> None:
    """The concatenated output of each package, read as text: the same rows in the same order."""
    reading = read_file(SAMPLE)
    events = [json.loads(one) for one in SAMPLE.read_text().splitlines()]
    for package in {one["Package"] for one in events}:
        text = "".join(one.get("Output", "") for one in events if one["Package"] == package)
        plain = GO_BENCH.read(TextFile("run.txt", text.split("\n"))).rows
        mine = [n for n, one in enumerate(reading.rows.configuration)
                if reading.configurations[one]["pkg"] == package]  # fmt: skip
        for column in ("name", "value", "unit", "iterations"):
            assert [getattr(reading.rows, column)[n] for n in mine] == list(getattr(plain, column))


def test_packages_that_ran_at_the_same_time_are_told_apart() -> None:
    """Two packages of a multi-module run print in turns; each name keeps its own values and its package."""
    reading = read(
        output("BenchmarkA-2 \t", "ex/a"), output("BenchmarkA-2 \t", "ex/b"),
        output(" 10\t 5 ns/op\n", "ex/b"), output(" 20\t 7 ns/op\n", "ex/a"),
    )  # fmt: skip
    assert names_and_values(reading) == [
        ("BenchmarkA-2", 7.0, "ns/op", 4),
        ("BenchmarkA-2", 5.0, "ns/op", 3),
    ]
    assert [reading.configurations[one]["pkg"] for one in reading.rows.configuration] == ["ex/a", "ex/b"]


def test_the_package_of_the_output_wins_over_that_of_the_event() -> None:
    """The text says more: it is what a reader of the text would get."""
    reading = read(output("pkg: ex/own\n"), output("BenchmarkA 1 5 ns/op\n"))
    assert reading.configurations == [{"pkg": "ex/own"}]


def test_a_second_run_of_a_package_starts_afresh() -> None:
    """What the first run left unfinished is not joined with the second."""
    start = json.dumps({"Action": "start", "Package": "ex/a"})
    reading = read(start, output("goos: linux\n"), output("BenchmarkA-2 \t"), start, output(" 10\t 5 ns/op\n"))
    assert len(reading.rows) == 0
    assert [line for line, _ in reading.problems] == [3, 5]


def test_results_beside_the_events_are_read_too() -> None:
    """A log of a run without -json in the same file loses nothing."""
    reading = read(output("BenchmarkA 1 5 ns/op\n"), "go: downloading x v1", "pkg: ex/b", "BenchmarkB 1 6 ns/op", "")
    assert names_and_values(reading) == [
        ("BenchmarkA", 5.0, "ns/op", 1),
        ("BenchmarkB", 6.0, "ns/op", 4),
    ]
    assert reading.contains == ("go-bench",)
    assert (reading.lines.data, reading.lines.context, reading.lines.noise) == (2, 1, 2)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"Action":"output","Package":"ex/a","Outp', "not an event of go test"),
        (output("BenchmarkB 1 x ns/op\n"), "parsing measurement: invalid syntax"),
        (json.dumps({"Action": "fail", "Package": "ex/a"}), "package 'ex/a' failed"),
        (json.dumps({"Action": "fail", "Package": "ex/a", "Test": "BenchmarkB"}), "benchmark 'B' failed"),
    ],
)
def test_what_should_have_been_a_result_is_a_problem(line: str, message: str) -> None:
    """Each with its line, while the rest is read."""
    reading = read(output("BenchmarkA 1 5 ns/op\n"), line)
    assert [at for at, _ in reading.problems] == [2]
    assert reading.problems[0][1].startswith(message)
    assert (reading.lines.data, reading.lines.problem) == (1, 1)


@pytest.mark.parametrize(
    "line",
    [
        '{"Action":"output","Package":7,"Output":"BenchmarkA 1 5 ns/op"}',
        '{"Action":["output"],"Package":"a"}',
        '{"Action":"output","Package":"a","Output":["x"]}',
        '{"Action":"login","Package":"a"}',
        '{"a":' * 5000,
        '["Action", "Package"]',
    ],
)
def test_other_json_is_no_event_and_no_error(line: str) -> None:
    """Wrong types, other actions, depth: the line is counted, and the next one read."""
    reading = read(line, output("BenchmarkA 1 5 ns/op\n"))
    assert len(reading.rows) == 1
    assert reading.lines.total == 2


def test_events_without_a_benchmark_are_a_problem_and_not_silence() -> None:
    """go test -json without -bench is the usual mistake."""
    reading = read(output("=== RUN TestA\n"), json.dumps({"Action": "pass", "Package": "ex/a"}))
    assert reading.problems == [(0, "events of go test and no benchmark among them; run it with -bench")]


def test_colours_and_redrawn_lines_inside_the_output_are_cleaned() -> None:
    """They are escaped in JSON, so that the text preparation of the file has not seen them."""
    reading = read(output("10 %\r\x1b[1mBenchmarkA 1 5 ns/op\x1b[0m\r\n"))
    assert names_and_values(reading) == [("BenchmarkA", 5.0, "ns/op", 1)]


def test_an_event_stream_is_recognised_by_itself() -> None:
    """load() finds the reader; -cpu=1,2 gives the suffix-less name gomaxprocs 1 as in the text."""
    results = load(SAMPLE)
    assert [one.format for one in results.files] == ["go-test-json"]
    assert len(results.frame) == 156
    assert GO_TEST_JSON.recognise(TextFile("a", ['{"Action":"buy","Package":"parcel"}'])) == "no"


def test_the_suffix_that_go_leaves_out_for_one_processor(tmp_path: Path) -> None:
    """go test -cpu=1,2 writes BenchmarkA and BenchmarkA-2."""
    lines = [output("BenchmarkA 1 5 ns/op\n"), output("BenchmarkA-2 1 3 ns/op\n")]
    (tmp_path / "run.jsonl").write_text("\n".join(lines))
    assert load(tmp_path / "run.jsonl").frame["gomaxprocs"].tolist() == [1, 2]


PIECES = st.sampled_from(
    [
        "BenchmarkA-2 \t",
        " 10\t 5 ns/op\n",
        "goos: linux\n",
        "--- FAIL: BenchmarkA\n",
        "log",
        "\n",
        "Unit x a=b\n",
        "k:\n",
    ]
)


@given(st.lists(st.tuples(PIECES, st.sampled_from("ab")), max_size=12))
def test_however_the_output_is_cut_each_event_counts_once(pieces: list[tuple[str, str]]) -> None:
    """The rows are those of the text of each package, and the counts add up to the events."""
    reading = read(*(output(text, package) for text, package in pieces))
    assert reading.lines.total == len(pieces)
    expected = []
    for package in dict.fromkeys(package for _, package in pieces):
        text = "".join(one for one, owner in pieces if owner == package)
        expected += GO_BENCH.read(TextFile("t", text.split("\n"))).rows.value
    assert list(reading.rows.value) == expected
    assert all(1 <= one <= len(pieces) for one in reading.rows.line)


def test_a_failure_that_only_events_tell_leaves_the_other_repeats() -> None:
    """As in plain text: the results of the benchmark stand, and the words say so."""
    events = [
        {"Action": "output", "Package": "p", "Output": "BenchmarkA-8 \t 10\t 5 ns/op\n"},
        {"Action": "fail", "Package": "p", "Test": "BenchmarkA"},
    ]
    reading = GO_TEST_JSON.read(TextFile("run.json", [json.dumps(one) for one in events]))
    said = "benchmark 'A' failed; this repeat has no result; those of other repeats stand"
    assert reading.problems == [(2, said)]
