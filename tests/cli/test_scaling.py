"""``benchlib scaling``: one answer in four formats, and bad input in one line."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

import benchlib
from benchlib.answers.scaling import ScalingAnswer
from benchlib.errors import DataError
from tests.cli import calling

printed = partial(calling.printed, "scaling")
refused = partial(calling.refused, "scaling")
document = partial(calling.document, "scaling")

ROOT = Path(__file__).parents[2]
REFERENCE = str(ROOT / "data" / "reference")
#: Its first curve alone: what is said of one curve needs no fit of the others.
SDM91 = (REFERENCE, "--where", "benchmark=specsdm91")
LEVELS = (1, 2, 4, 8, 16, 32)
HEADS = "benchmark,workers,metric,value,unit"


def table(folder: Path, rows: Sequence[str], heads: str = HEADS) -> str:
    """Write results as a table, and say where."""
    path = folder / "table.csv"
    path.write_text("\n".join([heads, *rows]) + "\n", encoding="utf-8")
    return str(path)


def sweep(levels: Sequence[int] = LEVELS, benchmark: str = "Serve") -> list[str]:
    """Rows by Amdahl's law with some noise, a line each."""
    wobble = (1.0, 1.01, 0.99, 1.005, 0.995, 1.0)
    return [
        f"{benchmark},{one},throughput,{1000 * one / (1 + 0.05 * (one - 1)) * noise:.1f},op/s"
        for one, noise in zip(levels, wobble, strict=False)
    ]


def test_an_infinite_peak_is_null_beside_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    """The ray tracer shows no coherency: its peak is infinite, its lower end is not."""
    raytracer = document(capsys, REFERENCE)["curves"][1]
    [usl] = [one for one in raytracer["fits"] if one["law"] == "usl"]
    assert usl["peak"]["value"] is None
    assert usl["peak"]["not_finite"]["value"] == "infinite"
    assert usl["peak"]["low"] > 64
    assert "peak-not-observable" in {one["code"] for one in usl["caveats"]}


def test_text_fits_a_terminal_of_100_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where names and units are long; nothing in it is a control character."""
    long = table(tmp_path, sweep(benchmark="N" * 150 + "\x1b[31m|<b>"))
    for path in (REFERENCE, long):
        lines = printed(capsys, path, "--concurrency", "concurrency" if path == REFERENCE else "workers").splitlines()
        assert max(map(len, lines)) <= 100
        assert all(one.isprintable() for one in lines)


@pytest.mark.parametrize("form", ["text", "markdown", "csv", "json"])
def test_hostile_names_stay_names(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No control character reaches the terminal, no pipe a table, no formula a spreadsheet."""
    out = printed(
        capsys, table(tmp_path, sweep(benchmark="=cmd()|\x1b[2J<i>")), "--concurrency", "workers", "--format", form
    )
    assert all(one.isprintable() or one == "\n" for one in out)
    if form == "markdown":
        assert "cmd()\\|" in out
        assert "\\<i\\>" in out
        for block in (one for one in out.split("\n\n") if one.startswith("|")):
            assert len({line.replace("\\|", "").count("|") for line in block.splitlines()}) == 1
    if form == "csv":
        assert all(one["curve"].startswith("'=") for one in csv.DictReader(io.StringIO(out)))


def test_axis_metric_and_groups_can_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a study: --concurrency, --metric, --by; two levels are a curve where the axis was named."""
    rows = [
        f"Serve,{mode},{one},time,{mode_time / one:.1f},ns/op"
        for mode, mode_time in (("cold", 9000.0), ("warm", 5000.0))
        for one in (1, 2)
    ]
    path = table(tmp_path, rows, "benchmark,mode,workers,metric,value,unit")
    found = document(capsys, path, "--concurrency", "workers", "--metric", "time", "--by", "mode")
    assert [one["key"] for one in found["curves"]] == [
        {"benchmark": "Serve", "mode": "cold"},
        {"benchmark": "Serve", "mode": "warm"},
    ]
    assert [one["chosen"] for one in found["curves"]] == [None, None]
    assert {one["unit"] for one in found["curves"]} == {"op/sec"}
    assert "time-as-throughput" in {one["code"] for one in found["caveats"]}


# Bad input: one line, the whole of it.


CASES: dict[str, tuple[list[str], tuple[str, ...], str]] = {
    "fewer points than parameters": (
        sweep((1, 2, 4)),
        ("--law", "usl"),
        "table.csv: Serve (throughput): USL needs 4 distinct concurrencies, got 3 (1, 2, 4); measure another, or fit "
        "law='amdahl' (needs 3); Measure what the message names, or fit the law that it names.",
    ),
    "all N equal": (
        [*sweep((4,)), *sweep((4,))],
        (),
        "table.csv: Serve (throughput): all 2 measurements are at workers 4, and no law fits one level; measure at "
        "other levels of workers: linear needs 2, amdahl 3, usl 4",
    ),
    "zero throughput": (
        [*sweep((1, 2, 4)), "Serve,8,throughput,0,op/s"],
        (),
        "table.csv: Serve (throughput): throughput is 0 at table.csv:5 (workers 8), no finite number above 0; 3 levels "
        "in the other rows carry law='amdahl' (needs 3); Mend the values named, or leave them out with --where.",
    ),
    "units mixed": (
        [*sweep((1, 2, 4)), "Serve,8,throughput,7,MB/s"],
        (),
        "table.csv: Serve (throughput): its values are in 'op/sec' at 3 levels and 'B/sec' at 1 level: no curve is "
        "drawn through them; 3 levels in one unit carry law='amdahl' (needs 3); Choose one unit: narrow with --where, "
        "e.g. unit=req/sec.",
    ),
    "a concurrency that is not a number": (
        [*sweep((1, 2, 4)), "Serve,many,throughput,7,op/s"],
        (),
        "table.csv: Serve (throughput): workers is 'many' at table.csv:5, no number of at least 1; 3 levels in the "
        "other rows carry law='amdahl' (needs 3); Mend the values named, or leave them out with --where.",
    ),
    "no concurrency that is a number": (
        [one.replace(",1,", ",few,").replace(",2,", ",many,") for one in sweep((1, 2))],
        (),
        "concurrency 'workers' takes few, many: not numbers; name an axis of numbers (none)",
    ),
    "a misspelt group": (
        sweep(),
        ("--by", "benchmrk"),
        "no column 'benchmrk'; did you mean 'benchmark'?; there are benchmark, run, workers",
    ),
    "a metric that is no rate": (
        [*sweep(), "Serve,1,memory,16,B/op"],
        ("--metric", "memory"),
        "metric 'memory' is in 'B/op', no work by time; choose a rate, or a time per operation (throughput)",
    ),
    "Gustafson's law of strong scaling": (
        sweep(),
        ("--law", "gustafson"),
        "table.csv: Serve (throughput): Gustafson's law needs weak scaling, where work grows with concurrency; declare "
        "it (weak = true), or fit law='amdahl'; Measure what the message names, or fit the law that it names.",
    ),
    "a misspelt quantity": (
        sweep(),
        ("--improve", "peek"),
        "no quantity 'peek'; did you mean 'peak'?; there are peak, knee, ceiling, saturation_point, rate_at_one, "
        "servers, serial_fraction, contention, coherency",
    ),
    "a budget for nothing": (
        sweep(),
        ("--budget", "5"),
        "a budget of 5 s holds no measurement of 10 s; raise it, or shorten them",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_one_line_that_says_what_to_do(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was found, what is needed, and the law that the data would carry."""
    rows, options, message = CASES[case]
    axis = () if "--concurrency" in options else ("--concurrency", "workers")
    assert refused(capsys, table(tmp_path, rows), *axis, *options) == message


@pytest.mark.parametrize("value", ["inf", "nan", "-3"])
def test_a_throughput_that_is_no_measurement_is_a_problem_with_its_place(
    value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its row is refused where it is read, and said; the others make the curve."""
    path = table(tmp_path, [*sweep((1, 2, 4, 8)), f"Serve,16,throughput,{value},op/s"])
    found = document(capsys, path)
    assert [one["concurrency"] for one in found["curves"][0]["points"]] == [1, 2, 4, 8]
    [said] = [one["message"] for one in found["caveats"] if one["code"] == "problems-in-files"]
    assert "table.csv:6" in said
    assert "table.csv:6" in refused(capsys, path, "--strict")


# Read off the law.


def test_a_law_is_read_at_what_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """SDM91 by USL: throughput at 72, both concurrencies for 1,800 an hour, and what 3 minutes allow."""
    asked = (*SDM91, "--law", "usl", "--weights", "none", "--at", "72", "--for", "1800/h", "--latency", "3m")
    found = document(capsys, *asked)["curves"][0]["readings"]
    [at] = found["at"]
    assert (at["concurrency"], at["latency"]["unit"]) == (72, "h")
    assert at["latency"]["value"] == pytest.approx(72 / at["throughput"]["value"])
    assert [round(one["value"], 1) for one in found["reach"]["concurrency"]] == [60.6, 153.8]
    assert found["within"]["latency"] == pytest.approx(0.05)
    assert found["within"]["concurrency"]["value"] == pytest.approx(0.05 * found["within"]["throughput"]["value"])
    assert "Little" in found["system"]
    told = " ".join(printed(capsys, *asked).split())
    assert "1800/h is reached by usl at N = 61 (44 to 254) and N = 154 (44 to 254)" in told


def test_a_unit_of_another_kind_is_refused_curve_by_curve(capsys: pytest.CaptureFixture[str]) -> None:
    """One curve counts scripts, the others operations: each says what it cannot read, and the rest is told."""
    scripts, operations, *_ = (one["readings"] for one in document(capsys, REFERENCE, "--for", "200 op/s")["curves"])
    assert scripts["refused"] == ["throughput '200 op/s' cannot be read on a curve in scripts/h; give it in that"]
    assert (operations["refused"], len(operations["reach"]["concurrency"])) == ([], 1)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--for=abc", "throughput 'abc' is no number with a unit; give one such as 5000/s or 5000"),
        ("--for=-5/s", "throughput '-5/s' is no finite number above 0; give one such as 5000/s or 5000"),
        ("--for=1e400/s", "throughput '1e400/s' is no finite number above 0; give one such as 5000/s or 5000"),
        ("--for=5ms", "throughput '5ms' is in 'sec', no work by time; give one such as 5000/s or 5000"),
        ("--for=\x1b[31m", "throughput '\\x1b[31m' is no number with a unit; give one such as 5000/s or 5000"),
        ("--latency=5", "latency '5' has no unit; give a time such as 5ms"),
        ("--latency=abc", "latency 'abc' is no number with a unit; give a time such as 5ms"),
        ("--latency=5 req/s", "latency '5 req/s' is in 'req/sec', no time; give a time such as 5ms"),
        ("--at=0", "cannot read a law at 0; give finite concurrencies of at least 1"),
        (
            "--at=433",
            "cannot read a law at 433: the largest concurrency measured is 216; give 432 at most, measure further, "
            "or extrapolate to it",
        ),
    ],
)
def test_what_cannot_be_read_is_one_line(option: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Hostile values are named, with what would do."""
    assert refused(capsys, REFERENCE, option) == message


def test_numbers_may_be_asked_of_the_library() -> None:
    """In the unit of the curve, and in seconds; a truth value is no number."""
    answer = benchlib.fit_scaling(REFERENCE, law="usl", at=[72], reach=200, latency=0.2)
    assert isinstance(answer, ScalingAnswer)
    found = answer.curves[1].readings
    assert found is not None
    assert [one.concurrency for one in found.at] == [72]
    assert found.reach is not None
    assert found.reach.throughput == 200
    assert found.within is not None
    assert found.within.latency == 0.2
    with pytest.raises(DataError) as caught:
        benchlib.fit_scaling(REFERENCE, reach=True)
    assert str(caught.value) == "throughput True is neither a text nor a number; give one such as 5000/s or 5000"
