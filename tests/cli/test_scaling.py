"""``benchlib scaling``: one answer in four formats, and bad input in one line."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import benchlib
from benchlib.answers.scaling import ScalingAnswer
from benchlib.cli import main
from benchlib.errors import DataError

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


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return what the command prints where it succeeds: everything on stdout, nothing on stderr."""
    code = main(["scaling", *arguments])
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    return out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the one line that a command which fails says, with exit code 2 and no data."""
    code = main(["scaling", *arguments])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    return err.removesuffix("\n").removeprefix("benchlib: ")


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """Return the JSON of the command; NaN and Infinity are no JSON."""

    def wrong(constant: str) -> float:
        raise AssertionError(f"{constant} is no JSON")

    found = json.loads(printed(capsys, *arguments, "--format", "json"), parse_constant=wrong)
    assert isinstance(found, dict)
    return found


# The shape of the JSON.

NUMBER = (int, float)
ESTIMATE = {"value", "low", "high", "standard_error"}


def check_estimate(found: Mapping[str, Any]) -> None:
    """Four numbers; each that is null is named with a word."""
    assert set(found) >= ESTIMATE
    for name in ESTIMATE:
        if found[name] is None:
            assert found["not_finite"][name] in ("infinite", "minus infinite", "unknown")
        else:
            assert isinstance(found[name], NUMBER)
            assert name not in found["not_finite"]


def check_curve(curve: Mapping[str, Any]) -> None:
    """One curve has the shape that users were promised."""
    assert {"key", "points", "fits", "chosen", "why"} <= set(curve)
    assert isinstance(curve["key"], dict)
    assert isinstance(curve["why"], str)
    assert curve["chosen"] in {None, *(fit["law"] for fit in curve["fits"])}
    for point in curve["points"]:
        assert point["concurrency"] >= 1
        check_estimate(point["throughput"])
        assert {"speedup", "efficiency", "step_efficiency", "serial_fraction", "time"} <= set(point)
        if point["time"]:
            assert sum(point["time"]["shares"].values()) == pytest.approx(1)
            assert sum(point["time"]["parts"].values()) == pytest.approx(point["time"]["latency"])
    for fit in curve["fits"]:
        assert {"law", "parameters", "peak", "knee", "ceiling", "saturation_point"} <= set(fit)
        for estimate in fit["parameters"].values():
            check_estimate(estimate)
        for name in ("peak", "knee", "ceiling", "saturation_point"):
            if fit[name] is not None:
                check_estimate(fit[name])
        assert "pvalue" in fit["lack_of_fit"]
        assert set(fit["criteria"]) == {"aicc", "aic", "loo_rmse"}
        for one in fit["caveats"]:
            assert {"code", "message", "advice"} <= set(one)


@pytest.mark.parametrize("study", ["reference", "onix-adapter-published", "http-endpoints", "token-sdk"])
def test_the_json_has_the_promised_shape(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Curves, points, fits, criteria, caveats; every number finite or null beside a word."""
    found = document(capsys, str(ROOT / "data" / study))
    assert found["curves"]
    for curve in found["curves"]:
        check_curve(curve)


def test_json_numbers_are_the_answers_own(capsys: pytest.CaptureFixture[str]) -> None:
    """Full floats: nothing is rounded on the way out."""
    answer = benchlib.fit_scaling(benchlib.open_study(REFERENCE, "benchmark=specsdm91"))
    assert isinstance(answer, ScalingAnswer)
    fit = answer.curves[0].chosen
    assert fit is not None
    assert fit.peak is not None
    [told] = [one for one in document(capsys, *SDM91)["curves"][0]["fits"] if one["law"] == fit.law]
    assert told["peak"]["value"] == fit.peak.value
    assert told["parameters"]["contention"]["standard_error"] == fit.parameters["contention"].standard_error


def test_an_infinite_peak_is_null_beside_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    """The ray tracer shows no coherency: its peak is infinite, its lower end is not."""
    raytracer = document(capsys, REFERENCE)["curves"][1]
    [usl] = [one for one in raytracer["fits"] if one["law"] == "usl"]
    assert usl["peak"]["value"] is None
    assert usl["peak"]["not_finite"]["value"] == "infinite"
    assert usl["peak"]["low"] > 64
    assert "peak-not-observable" in {one["code"] for one in usl["caveats"]}


def test_csv_holds_every_number_in_a_row_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    """A point has a concurrency, a law its name; the peak of SDM91 is the published 96.52."""
    rows = list(csv.DictReader(io.StringIO(printed(capsys, REFERENCE, "--format", "csv"))))
    peaks = [one for one in rows if (one["curve"], one["law"], one["quantity"]) == ("specsdm91", "usl", "peak")]
    assert [round(float(one["value"]), 2) for one in peaks] == [96.52]
    assert {one["chosen"] for one in peaks} == {"yes"}
    levels = {one["concurrency"] for one in rows if one["curve"] == "specsdm91" and one["quantity"] == "throughput"}
    assert levels == {"1.0", "18.0", "36.0", "72.0", "108.0", "144.0", "216.0"}


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


def test_text_marks_the_chosen_law_and_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    """SDM91: the criteria disagree, and the reader is told who prefers what."""
    out = printed(capsys, *SDM91)
    assert "usl *" in out
    assert "chosen    USL: AIC, F test and leave-one-out prefer USL, AICc prefers Amdahl" in out
    assert "F(1, 4) = 15.13, p = 0.0177" in out
    assert "peak                           97 " in out


def test_time_is_told_in_the_unit_that_throughput_has(capsys: pytest.CaptureFixture[str]) -> None:
    """Scripts an hour make hours a script: SDM91 takes 1/90 of an hour alone."""
    point = document(capsys, *SDM91, "--metric", "throughput")["curves"][0]["points"][0]
    assert point["time"]["unit"] == "h"
    assert point["time"]["latency"] == pytest.approx(1 / 89.9952330, abs=1e-7)


def test_extrapolation_is_made_only_where_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    """Averaged over the laws, and called a guess beyond twice the largest level."""
    given = (REFERENCE, "--where", "benchmark=raytracer")
    assert document(capsys, *given)["curves"][0]["extrapolation"] is None
    [curve] = document(capsys, *given, "--extrapolate", "96,512")["curves"]
    band = curve["extrapolation"]
    assert [one["concurrency"] for one in band["points"]] == [96, 512]
    assert sum(band["weights"].values()) == pytest.approx(1)
    widths = [math.log((one["high"] or math.inf) / max(one["low"], 1e-9)) for one in band["points"]]
    assert widths[1] > widths[0]
    assert printed(capsys, *given, "--extrapolate", "96,512").count("a guess") == 1


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


def test_the_next_measurement_is_a_command_of_the_study(capsys: pytest.CaptureFixture[str]) -> None:
    """For the quantity and budget asked; no budget, no advice."""
    study = str(ROOT / "data" / "onix-adapter-published")
    asked = ("--improve", "serial_fraction", "--seconds-each", "30", "--budget", "120")
    [advice, *_] = document(capsys, study, *asked)["curves"][0]["advice"]
    assert (advice["quantity"], advice["repetitions"], advice["seconds"]) == ("serial_fraction", 4, 120)
    assert "-cpu=" in advice["command"]
    assert advice["command"].startswith("go test")
    assert advice["concurrency"] <= 10  # the machine has no more cores
    assert document(capsys, study, "--budget", "0")["curves"][0]["advice"] == []


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
    "a misspelt axis": (
        sweep(),
        ("--concurrency", "worker"),
        "no axis 'worker'; did you mean 'workers'?; there are workers",
    ),
    "a misspelt group": (
        sweep(),
        ("--by", "benchmrk"),
        "no column 'benchmrk'; did you mean 'benchmark'?; there are benchmark, run, workers",
    ),
    "a misspelt metric": (
        sweep(),
        ("--metric", "throughputt"),
        "no metric 'throughputt'; did you mean 'throughput'?; there are throughput",
    ),
    "a metric that is no rate": (
        [*sweep(), "Serve,1,memory,16,B/op"],
        ("--metric", "memory"),
        "metric 'memory' is in 'B/op', no work by time; choose a rate, or a time per operation (throughput)",
    ),
    "a misspelt law": (
        sweep(),
        ("--law", "amdal"),
        "unknown law 'amdal'; did you mean 'amdahl'?; laws: all, linear, plateau, amdahl, gustafson, usl",
    ),
    "Gustafson's law of strong scaling": (
        sweep(),
        ("--law", "gustafson"),
        "table.csv: Serve (throughput): Gustafson's law needs weak scaling, where work grows with concurrency; declare "
        "it (weak = true), or fit law='amdahl'; Measure what the message names, or fit the law that it names.",
    ),
    "misspelt weights": (
        sweep(),
        ("--weights", "relativ"),
        "unknown weights 'relativ'; did you mean 'relative'?; weights: auto, relative, replicates, none",
    ),
    "a level in percent": (
        sweep(),
        ("--confidence-level", "95"),
        "confidence level 95.0 is not between 0 and 1; write 95 % as 0.95",
    ),
    "a level that is no number": (sweep(), ("--confidence-level", "high"), "--confidence-level 'high' is not a number"),
    "no number to extrapolate to": (
        sweep(),
        ("--extrapolate", "64,far"),
        "cannot extrapolate to 'far'; give concurrencies such as 32,64",
    ),
    "infinitely far": (
        sweep(),
        ("--extrapolate", "inf"),
        "cannot extrapolate to inf; give finite concurrencies of at least 1",
    ),
    "a misspelt quantity": (
        sweep(),
        ("--improve", "peek"),
        "no quantity 'peek'; did you mean 'peak'?; there are peak, ceiling, knee, saturation_point, rate_at_one, "
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


def test_without_an_axis_the_numeric_ones_are_offered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is guessed."""
    rows = [f"Serve,{one},throughput,{one},op/s" for one in (1, 2, 4)]
    path = table(tmp_path, rows, "benchmark,shards,metric,value,unit")
    assert refused(capsys, path) == (
        "table.csv: no axis of these results is named as concurrency; name it: --concurrency, or concurrency in "
        "[scaling] of study.toml; axes of numbers here: shards"
    )


def test_a_condition_that_selects_nothing_is_refused_as_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    """--where is the same for every command."""
    said = refused(capsys, REFERENCE, "--where", "benchmark=nothing")
    assert said.startswith("'benchmark=nothing' selects no row")


# Read off the law.


def test_readings_are_told_in_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    """SDM91 by USL: throughput at 72, both concurrencies for 1,800 an hour, and what 3 minutes allow."""
    asked = (*SDM91, "--law", "usl", "--weights", "none", "--at", "72", "--for", "1800/h", "--latency", "3m")
    found = document(capsys, *asked)["curves"][0]["readings"]
    [at] = found["at"]
    for name in ("throughput", "slope", "latency"):
        check_estimate(at[name])
    assert (at["concurrency"], at["latency"]["unit"]) == (72, "h")
    assert at["latency"]["value"] == pytest.approx(72 / at["throughput"]["value"])
    assert [round(one["value"], 1) for one in found["reach"]["concurrency"]] == [60.6, 153.8]
    assert found["within"]["latency"] == pytest.approx(0.05)
    assert found["within"]["concurrency"]["value"] == pytest.approx(0.05 * found["within"]["throughput"]["value"])
    assert "Little" in found["system"]
    rows = list(csv.DictReader(io.StringIO(printed(capsys, *asked, "--format", "csv"))))
    places = [round(float(one["value"]), 1) for one in rows if one["quantity"] == "concurrency_for_throughput"]
    assert places[:2] == [60.6, 153.8]
    for form in ("text", "markdown"):
        told = " ".join(printed(capsys, *asked, "--format", form).split())
        assert "1800/h is reached by usl at N = 61 (44 to 254) and N = 154 (44 to 254)" in told
        assert "within a mean of 3m usl does at most" in told
        assert "Little's law in a closed system" in told


def test_without_a_question_nothing_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    """The key is there, and null."""
    assert {one["readings"] for one in document(capsys, REFERENCE)["curves"]} == {None}


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
        ("--for=nan", "throughput 'nan' is no finite number above 0; give one such as 5000/s or 5000"),
        ("--for=1e400/s", "throughput '1e400/s' is no finite number above 0; give one such as 5000/s or 5000"),
        ("--for=5ms", "throughput '5ms' is in 'sec', no work by time; give one such as 5000/s or 5000"),
        ("--for=\x1b[31m", "throughput '\\x1b[31m' is no number with a unit; give one such as 5000/s or 5000"),
        ("--latency=5", "latency '5' has no unit; give a time such as 5ms"),
        ("--latency=abc", "latency 'abc' is no number with a unit; give a time such as 5ms"),
        ("--latency=-5ms", "latency '-5ms' is no finite number above 0; give a time such as 5ms"),
        ("--latency=5 req/s", "latency '5 req/s' is in 'req/sec', no time; give a time such as 5ms"),
        ("--at=abc", "cannot read a law at 'abc'; give concurrencies such as 32,64"),
        ("--at=0", "cannot read a law at 0; give finite concurrencies of at least 1"),
        ("--at=nan", "cannot read a law at nan; give finite concurrencies of at least 1"),
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


def test_the_points_of_a_study_fit_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Intervals and all: one line a level, the unit said once as the head of its column."""
    lines = printed(capsys, str(ROOT / "data/http-endpoints"), "--budget", "0").splitlines()
    assert max(map(len, lines)) <= 100
    heads = [one.split() for one in lines if one.split()[:2] == ["connections", "n"]]
    assert len(heads) == 3
    assert all(one[2:6] == ["req/s", "95", "%", "interval"] for one in heads)
    assert "          128  5  103,000  97,000 to 106,000    6.45x       5.0 %   52.1 %           0.1484" in lines
