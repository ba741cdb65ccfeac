"""``benchstat -format csv``: filters, and what benchlib writes otherwise on purpose.

What benchstat wrote for each recorded input is held against benchlib by tests/contract.
"""

from __future__ import annotations

import io
import shlex
from pathlib import Path

import pandas as pd
import pytest

from benchlib.answers.benchstat import benchstat_tables
from benchlib.errors import DataError, SelectionError
from benchlib.render.benchstat_csv import write_tables
from tests.benchstat_runs import parted, write

DATA = Path(__file__).parents[1] / "data"

#: benchstat's filters as conditions.
FILTERS = {
    "/size:/^(4k|1M)$/ -/io:8 .unit:ns/op": "size=4k,1M io!=8 original_unit=ns/op",
    "-.unit:ns/op": "original_unit!=ns/op",
}


def arguments_of(command: Path) -> list[str]:
    return shlex.split(command.read_text(encoding="utf-8"))[1:]


@pytest.mark.parametrize("number", ["13", "15"])
def test_what_benchstat_filters_is_a_condition_here(number: str) -> None:
    """Tables and warnings of cells, character for character; cases without a filter stand in the contract."""
    command = DATA / "benchstat_csv" / f"{number}.cmd"
    arguments = arguments_of(command)
    told = parted(*(command.with_suffix(one).read_text(encoding="utf-8") for one in (".stdout", ".stderr")))
    found = write(arguments, DATA / "benchstat_cases", FILTERS[arguments[arguments.index("-filter") + 1]])
    assert (found.tables.split("\n"), found.of_cells) == (told.tables.split("\n"), told.of_cells)


@pytest.mark.parametrize("number", ["33", "59"])
def test_lines_that_cannot_be_read_are_told_in_the_words_of_benchstat(number: str) -> None:
    """Each of benchstat's lines begins one of ours, which says what was found and what was done."""
    command = DATA / "benchstat_csv" / f"{number}.cmd"
    told = parted("", command.with_suffix(".stderr").read_text(encoding="utf-8"))
    found = write(arguments_of(command), DATA / "benchstat_cases")
    joined = {"split.txt:2: parsing iteration count: invalid syntax\n"}
    for line in set(told.of_lines) - joined:
        assert any(one.startswith(line.rstrip("\n")) for one in found.of_lines), (line, found.of_lines)


def lines_of(arguments: str) -> list[str]:
    return write(shlex.split(arguments), DATA / "benchstat_cases").tables.splitlines()


def test_zero_is_a_time() -> None:
    """Case 25: 0 and 5 ns/op are one sample, and 0 MB/s is 0 B/s."""
    assert lines_of("zero.txt") == [
        ",zero.txt,", ",sec/op,CI", "Z,2.5e-09,∞", "geomean,2.5000000000000038e-09,", "",
        ",zero.txt,", ",B/s,CI", "Z,0,∞", "geomean,,",
    ]  # fmt: skip


def test_units_that_only_benchlib_converts_are_base_units() -> None:
    """Case 31: of eleven tables all have the unit that benchstat gives them, but op/ns."""
    told = (DATA / "benchstat_csv" / "31.stdout").read_text(encoding="utf-8").splitlines()
    found = lines_of("units2.txt")
    differ = [(one, other) for one, other in zip(told, found, strict=True) if one != other]
    assert differ == [
        (",op/ns,CI", ",op/s,CI"),
        ("A,4,∞", "A,3.9999999999999995e+09,∞"),
        ("geomean,4,", "geomean,3.999999999999998e+09,"),
    ]


def test_a_result_that_a_log_parted_is_there() -> None:
    """Case 33: benchstat writes OK-2 alone."""
    assert lines_of("split.txt")[3:5] == ["Noisy-2,4.961e-07,∞", "OK-2,3.0000000000000004e-09,∞"]


def test_times_below_zero_are_no_times() -> None:
    """Case 35: three of eight are left; what q is nobody knows, so that its values stand."""
    assert lines_of("-col note neg.txt")[2] == "N,-1.5,?,4.5,78%,-400.00%,p=0.001 n=8"
    assert lines_of("-col note neg.txt")[7] == "N,1e-09,∞,4.500000000000001e-09,78%,~,p=0.061 n=3+8"


def test_a_benchmark_without_a_name_is_named_for_its_file() -> None:
    """Case 59: benchstat leaves the label empty."""
    assert [one.split(",")[0] for one in lines_of("bad.txt")] == ["", "", "A", "bad", "ing", "A-8", "geomean"]


def of_text(folder: Path, arguments: str = "", /, **texts: str) -> list[str]:
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return write([*shlex.split(arguments), *(f"{name}.txt" for name in texts)], folder).tables.splitlines()


def test_cells_past_the_column_z_have_the_names_of_spreadsheets(tmp_path: Path) -> None:
    """benchstat calls the first of them BA."""
    (tmp_path / "wide.txt").write_text("".join(f"note: c{n}\nBenchmarkA 1 {n + 1} B/op\n" for n in range(8)))
    told = write(["-col", "note", "wide.txt"], tmp_path).of_cells
    assert [one.split(":")[0] for one in told][-5:] == ["V3", "X3", "Z3", "AB3", "AD3"]


def test_control_characters_of_names_do_not_reach_the_terminal(tmp_path: Path) -> None:
    """A name may hold any character but white space."""
    assert of_text(tmp_path, log="Benchmark\x08A 1 5 B/op\n")[2] == r"\x08A,5,∞"


def test_numbers_of_the_configuration_are_written_short(tmp_path: Path) -> None:
    """1.50 and 1.5 are one level of an axis, as everywhere in benchlib."""
    text = "version: 1.50\nBenchmarkA 1 5 B/op\nversion: 1.5\nBenchmarkA 1 6 B/op\n"
    assert of_text(tmp_path, log=text)[:4] == ["version: 1.5", ",log.txt,", ",B/op,CI", "A,5.5,∞"]


def test_a_key_of_names_that_a_file_states_too_is_told_apart_by_its_value(tmp_path: Path) -> None:
    """The configuration is what no name says; the name keeps its own."""
    text = "size: 9k\nBenchmarkA/size=4k 1 5 B/op\nsize:\nBenchmarkA/size=4k 1 6 B/op\n"
    assert of_text(tmp_path, log=text) == [
        "size: ", ",log.txt,", ",B/op,CI", "A/size=4k,6,∞", "geomean,6,", "",
        "size: 9k", ",log.txt,", ",B/op,CI", "A/size=4k,5,∞", "geomean,5,",
    ]  # fmt: skip
    assert of_text(tmp_path, "-row size", log=text)[2:4] == ["9k,5,∞", ",6,∞"]


def test_configuration_lines_that_name_run_or_benchmark_are_no_configuration(tmp_path: Path) -> None:
    """They name the run and the benchmark, as columns of that name do in every other format."""
    text = "run: nightly\nbenchmark: B\ngoos: linux\nBenchmarkA/x=1 1 5 B/op\n"
    assert of_text(tmp_path, "-row benchmark", log=text)[:4] == ["goos: linux", ",log.txt,", ",B/op,CI", "B,5,∞"]


def test_what_a_file_says_first_of_a_unit_holds_in_all(tmp_path: Path) -> None:
    """benchstat says besides that b.txt contradicts a.txt."""
    texts = {"a": "Unit q assume=exact\nBenchmarkA 1 5 q\n", "b": "Unit q assume=nothing\nBenchmarkA 1 6 q\n"}
    assert of_text(tmp_path, **texts)[2] == "A,5,0%,6,0%,+20.00%,n=1"


def test_metrics_of_other_tools_have_tables_of_their_own() -> None:
    """A latency and a time are both seconds: the metric is named where the unit does not tell it."""
    frame = pd.DataFrame(
        {"name": "A", "run": "x", "metric": ["latency_p50", "latency_p99", "time"], "unit": ["sec", "sec", "sec/op"],
         "original_unit": ["ms", "ms", "ms/op"], "value": [0.001, 0.002, 0.003]}
    )  # fmt: skip
    assert [one.unit for one in benchstat_tables(frame).tables] == ["latency_p50-sec", "latency_p99-sec", "sec/op"]


@pytest.mark.parametrize(
    ("option", "level", "message"),
    [
        ("-alpha", "2", "significance level 2.0 is not from 0 to 1; write 5 % as 0.05"),
        ("-confidence", "-1", "confidence level -1.0 is not from 0 to 1; write 95 % as 0.95"),
        ("-alpha", "nan", "significance level nan is not from 0 to 1; write 5 % as 0.05"),
    ],
)
def test_levels_lie_from_0_to_1(option: str, level: str, message: str) -> None:
    """benchstat says so and exits with 0."""
    with pytest.raises(DataError) as caught:
        write([option, level, "old.txt"], DATA / "benchstat_cases")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("-col x@zzz", "--col 'x@zzz': no order 'zzz'; orders are alpha, num and a list such as @(a b)"),
        ("-row /sise", "--row '/sise': nothing here has this key; did you mean '/size'?; there are .config, .fullname, "
         ".name, .file, /size, /io, /bits, /gomaxprocs, gomaxprocs, size, io, bits, goos, goarch, pkg, cpu"),
        ("-row .unit", "--row '.unit': every unit has a table of its own; choose among them with --where"),
        ("-col '.config@(a)'", "--col '.config@(…)': a list orders the values of one key; name that key"),
        ("-row '/size@(7)'", "'/size@(7)' leaves no row; /size takes 4k, 64k, 1M"),
    ],
)  # fmt: skip
def test_keys_that_are_none_are_refused_with_what_there_is(arguments: str, message: str) -> None:
    """benchstat takes a key that nothing has for an empty one, without a word."""
    with pytest.raises(SelectionError) as caught:
        write([*shlex.split(arguments), "old.txt"], DATA / "benchstat_cases")
    assert str(caught.value) == message


@pytest.mark.parametrize("key", ["/gomaxprocs", "goos", "pkg", ".file"])
def test_keys_of_go_may_be_missing(tmp_path: Path, key: str) -> None:
    """Scripts ignore them whether a file has them or not."""
    assert of_text(tmp_path, f"-ignore {key}", log="BenchmarkA 1 5 B/op\n")[-2] == "A,5,∞"


def test_no_rows_write_nothing() -> None:
    """As benchstat does."""
    frame = pd.DataFrame({one: [] for one in ("name", "run", "metric", "unit", "original_unit", "value")})
    out, err = io.StringIO(), io.StringIO()
    write_tables(benchstat_tables(frame), out, err)
    assert (out.getvalue(), err.getvalue()) == ("", "")
