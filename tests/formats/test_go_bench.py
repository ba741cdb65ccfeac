"""The reader of Go benchmark text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.formats import load
from benchlib.formats.go import GO_BENCH
from benchlib.formats.reader import Reading, TextFile


def read(text: str) -> Reading:
    return GO_BENCH.read(TextFile("run.txt", text.split("\n")))


def values(text: str) -> list[tuple[str, float, str]]:
    rows = read(text).rows
    return list(zip(rows.name, rows.value, rows.unit, strict=True))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("BenchmarkA ", "missing iteration count; line skipped"),
        ("BenchmarkA 1e3 5 ns/op",
         "parsing iteration count: invalid syntax: '1e3' is not an integer; line skipped"),
        ("BenchmarkA 99999999999999999999 5 ns/op",
         "parsing iteration count: value out of range: '99999999999999999999'; line skipped"),
        ("BenchmarkA 1", "missing measurements; line skipped"),
        ("BenchmarkA 1 x ns/op",
         "parsing measurement: invalid syntax: 'x' is not a number; line skipped"),
        ("BenchmarkA 1 0x1p4 ns/op 1_0 B/op",
         "parsing measurement: invalid syntax: '1_0' is not a number; line skipped"),
        ("BenchmarkA 1 1e400 ns/op", "parsing measurement: value out of range: '1e400'; line skipped"),
        ("BenchmarkA 1 100", "missing units: '100' has none; line skipped"),
        ("Unit", "missing unit; write: Unit ns/op better=lower"),
        ("Unit x foo", "expected key=value; found 'foo'"),
        ("Unit ns/op better=lower\nUnit sec/op better=higher",
         "metadata better of unit sec/op already set to lower; line skipped"),
        ("BenchmarkA 1 NaN ns/op", "nan ns/op is no measurement; value skipped"),
        ("--- FAIL: BenchmarkA/b-8", "benchmark 'A/b-8' failed; it has no result"),
        ("     100\t  5.0 ns/op", "values without a benchmark name; line skipped"),
        ("panic: boom", "the program panicked: boom; results after it are missing"),
        ("BenchmarkA/b", "benchmark 'A/b' was started and has no result; was the log cut short?"),
    ],
)  # fmt: skip
def test_a_line_that_is_no_result_is_a_problem_in_benchstats_words(line: str, message: str) -> None:
    """Each way a line can fail is a problem with its line number, and the line is counted so."""
    reading = read(line)
    last = line.count("\n") + 1
    assert reading.problems == [(last, message)]
    assert reading.lines.problem == 1
    assert len(reading.rows) == 0


FAIL = "--- FAIL: BenchmarkA-8"
GOOD = "BenchmarkA-8 \t 10\t 5 ns/op"


@pytest.mark.parametrize("filler", [0, 2000])
@pytest.mark.parametrize("lines", [[GOOD, FAIL], [FAIL, GOOD], [GOOD, FAIL, GOOD]])
def test_a_repeat_that_failed_leaves_the_others(lines: list[str], filler: int, tmp_path: Path) -> None:
    """Results before and after a failure stand, in a short log and a long one; the failure travels as an alert."""
    text = "".join(f"BenchmarkB-8 \t 10\t {one} ns/op\n" for one in range(filler)) + "\n".join(lines)
    reading = read(text)
    said = "benchmark 'A-8' failed; this repeat has no result; those of other repeats stand"
    assert reading.problems == [(filler + lines.index(FAIL) + 1, said)]
    assert list(reading.rows.name).count("BenchmarkA-8") == lines.count(GOOD)
    assert reading.lines.problem == 1
    (tmp_path / "run.txt").write_text(text)
    results = load(tmp_path)
    assert (results.frame["benchmark"] == "A").sum() == lines.count(GOOD)
    assert [(one.code, one.message) for one in results.caveats] == [
        ("failed-results", f"A: failed at run.txt:{filler + lines.index(FAIL) + 1}")
    ]


@pytest.mark.parametrize("make", ["make", "make[1]", "gmake[2]", "ninja"])
def test_what_make_says_around_results_is_no_configuration(make: str) -> None:
    """The folder that make enters is no axis of what is measured there; a key that only has its name is one."""
    text = f"{make}: Entering directory '/src'\npkg: ex/a\nBenchmarkA 1 5 ns/op\n{make}: Leaving directory '/src'\n"
    reading = read(f"{text}make: Dell\nBenchmarkB 1 5 ns/op")
    assert reading.configurations == [{"pkg": "ex/a"}, {"pkg": "ex/a", "make": "Dell"}]
    assert (reading.lines.noise, reading.problems) == (2, [])


def test_a_make_that_stopped_is_told_where_nothing_else_failed() -> None:
    """It may have stopped before all was measured; beside a failure that was told it says nothing new."""
    stopped = "make: *** [Makefile:3: bench] Error 1"
    assert read(f"{GOOD}\n{stopped}").problems == [
        (2, "make stopped: '*** [Makefile:3: bench] Error 1'; results may be missing; read its log")
    ]
    assert [line for line, _ in read(f"{GOOD}\n{FAIL}\n{stopped}").problems] == [2]
    assert len(read(f"{GOOD}\n{stopped}\nmake: *** Waiting for unfinished jobs....").problems) == 1


@pytest.mark.parametrize(
    "said",
    ["make: [Makefile:3: bench] Error 1 (ignored)", "make[1]: warning: jobserver unavailable", "ninja: build stopped."],
)
def test_what_make_goes_on_from_is_neither_a_problem_nor_an_axis(said: str) -> None:
    """It did what came next."""
    reading = read(f"{said}\n{GOOD}")
    assert (reading.problems, reading.configurations) == ([], read(GOOD).configurations)


def test_a_result_cut_by_log_lines_is_joined_again() -> None:
    """Name, log text and bare values make one row, at the line of the values."""
    text = "BenchmarkN-2   \thello\nmore: log\n     100\t       496.1 ns/op\t 3 B/op\nBenchmarkO-2 1 3 ns/op"
    reading = read(text)
    assert values(text) == [("BenchmarkN-2", 496.1, "ns/op"), ("BenchmarkN-2", 3, "B/op"),
                            ("BenchmarkO-2", 3, "ns/op")]  # fmt: skip
    assert list(reading.rows.line) == [3, 3, 4]
    assert reading.rows.iterations[0] == 100
    assert reading.configurations == [{}], "a log line between name and values is no configuration"
    assert (reading.lines.data, reading.lines.context, reading.lines.noise) == (2, 1, 1)


def test_values_after_log_text_on_one_line_are_found() -> None:
    """Log text without a line end stands between the name and its values."""
    assert values("BenchmarkN-2  \thello     100\t  496.1 ns/op") == [("BenchmarkN-2", 496.1, "ns/op")]
    assert values("BenchmarkN-2  \tx\ny 12     100\t  496.1 ns/op") == [("BenchmarkN-2", 496.1, "ns/op")]


def test_values_are_never_joined_to_the_wrong_name() -> None:
    """A name whose run ended without values does not take those of another line."""
    assert values("BenchmarkA-2  \tx\nPASS\n   7\t 5 ns/op") == []
    assert values("BenchmarkA 1e3 100 ns/op") == []


def test_names_announced_by_go_test_v_are_noise() -> None:
    """Under -v each name stands alone before its result, and each parent before its children."""
    reading = read("BenchmarkA\nBenchmarkA/b\nBenchmarkA/b-8 \t 1\t 5 ns/op\nPASS")
    assert reading.problems == []
    assert reading.lines.noise == 3


LINES = st.lists(
    st.one_of(
        st.text(st.characters(exclude_characters="\n\r", exclude_categories=("Cs",)), max_size=30),
        st.from_regex(r"(Benchmark[A/=-]{0,4}|Unit|[a-z]{1,3}:|--- FAIL: Benchmark|)( |\t)?"
                      r"[0-9 .xeE_\tns/op-]{0,20}", fullmatch=True).filter(lambda one: "\n" not in one),
    ),
    min_size=1, max_size=12,
)  # fmt: skip


@given(LINES)
def test_every_line_of_any_text_is_counted_once(lines: list[str]) -> None:
    """Whatever the text, reading ends, and data, context, problems and noise add up to its lines."""
    reading = GO_BENCH.read(TextFile("any", lines))
    assert reading.lines.total == len(lines)
    assert min(reading.lines.data, reading.lines.context, reading.lines.problem, reading.lines.noise) >= 0
    assert len({len(getattr(reading.rows, name)) for name in reading.rows.__slots__}) == 1
    assert GO_BENCH.recognise(TextFile("any", lines)) in ("certain", "possible", "no")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "FAIL\tdemo/x [build failed]",
            "package 'demo/x' failed: build failed; it has no result; correct it and run again",
        ),
        (
            "FAIL\tdemo/x [setup failed]",
            "package 'demo/x' failed: setup failed; it has no result; correct it and run again",
        ),
        ("FAIL\tdemo/x\t0.512s", "package 'demo/x' failed; results may be missing; read its log"),
        ("FAIL", "go test failed and does not say of what; results may be missing; read its log"),
        (
            "./x_test.go:5:2: undefined: y",
            "the compiler stopped at './x_test.go:5:2: undefined: y'; its package has no result; correct it",
        ),
        ("signal: killed", "the run was ended by a signal: killed; results after it are missing"),
        (
            "*** Test killed with quit: ran too long (11m0s).",
            "the run was ended: '*** Test killed with quit: ran too long (11m0s).'; results after it are missing",
        ),
        (
            "fatal error: all goroutines are asleep - deadlock!",
            "the run was ended: 'fatal error: all goroutines are asleep - deadlock!'; results after it are missing",
        ),
    ],
)
def test_a_package_that_failed_is_a_problem(line: str, message: str) -> None:
    """As the reader of the same events tells it: no result is lost silently."""
    reading = read(f"BenchmarkA-8\t100\t5.2 ns/op\n{line}")
    assert reading.problems == [(2, message)]
    assert (reading.lines.data, reading.lines.problem) == (1, 1)
    assert reading.configurations == [{}]


def test_what_failed_is_told_once() -> None:
    """A package that failed by its benchmark, its verdicts, and what the compiler lists need no more messages."""
    failed = read("BenchmarkA-8\t100\t5.2 ns/op\n--- FAIL: BenchmarkB\nFAIL\nexit status 1\nFAIL\tdemo/x\t0.3s\nFAIL")
    assert [line for line, _ in failed.problems] == [2]
    listed = read("BenchmarkA-8 1 5 ns/op\n./x_test.go:5:2: undefined: y\n./x_test.go:6:2: undefined: z")
    assert ([line for line, _ in listed.problems], listed.lines.problem) == ([2], 2)
    passed = read("BenchmarkA-8 1 5 ns/op\n    x_test.go:5: logged\nPASS\nok  \tdemo/x\t0.3s")
    assert passed.problems == []
    two = read("BenchmarkA-8 1 5 ns/op\npanic: out\nFAIL\ta\t1s\nok  \tb\t1s\nFAIL\tc\t1s\nFAIL")
    assert [line for line, _ in two.problems] == [2, 5]
