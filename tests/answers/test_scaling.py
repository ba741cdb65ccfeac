"""What a study says of scaling: which rows make a curve, what weakens one, what is refused."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchlib.answers.asking import Refusal
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer, fit_scaling
from benchlib.errors import DataError
from benchlib.study import Study, open_study
from tests.synthetic import make_table

HEADS = "run benchmark workers metric value unit"
LEVELS = (1, 2, 4, 8, 16, 32)
WOBBLE = (1.0, 1.01, 0.99, 1.005, 0.995, 1.0)
CORES = "[environment]\ncores = {}\n".format


def amdahl(level: float, share: float = 0.05, rate: float = 1000.0) -> float:
    """Throughput by Amdahl's law."""
    return rate * level / (1 + share * (level - 1))


def sweep(
    run: str = "r", benchmark: str = "Serve", *, share: float = 0.05, factor: float = 1.0, levels: Any = LEVELS
) -> list[tuple[object, ...]]:
    """One run over all levels by Amdahl's law, with a little noise."""
    return [
        (run, benchmark, level, "throughput", amdahl(level, share) * wobble * factor, "req/s")
        for level, wobble in zip(levels, WOBBLE, strict=False)
    ]


def plateau(*place: str) -> list[tuple[object, ...]]:
    """A sweep that four cores end."""
    noise = (1.0, 1.002, 0.999, 1.001, 0.998, 1.0)
    return [
        (*place, level, "throughput", min(level, 4) * 1000.0 * wobble, "req/s")
        for level, wobble in zip(LEVELS, noise, strict=True)
    ]


@cache
def one_endpoint() -> Study:
    """A shipped study, narrowed to one curve."""
    return open_study("data/http-endpoints", "endpoint=hash")


def answered(of: Study | str, **options: Any) -> ScalingAnswer:
    """The scaling answer of a study that has one."""
    answer = fit_scaling(of, **options)
    assert isinstance(answer, ScalingAnswer)
    return answer


def only(of: Study, **options: Any) -> CurveAnswer:
    """The one curve of a study."""
    (curve,) = answered(of, **options).curves
    return curve


def refused(of: Study | str, **options: Any) -> Refusal:
    """Why a study has no scaling curve, in one line with advice."""
    answer = fit_scaling(of, **options)
    assert isinstance(answer, Refusal)
    assert answer.question == "scaling"
    assert answer.advice
    assert "\n" not in answer.reason + answer.advice
    return answer


def said(answer: ScalingAnswer, code: str) -> list[str]:
    """The messages of a code."""
    return [caveat.message for caveat in answer.caveats if caveat.code == code]


# Which rows make a curve.


def test_a_sweep_by_amdahls_law_is_found_to_be_one(tmp_path: Path) -> None:
    """Serial fraction 0.05, from throughput that follows the law with a little noise."""
    noisy = [
        (run, "Serve", level, "throughput", amdahl(level) * factor, "req/s")
        for level in LEVELS
        for run, factor in (("a", 0.995), ("b", 1.0), ("c", 1.006))
    ]
    curve = only(make_table(tmp_path, HEADS, noisy, CORES(64)))
    assert curve.chosen is not None
    assert curve.chosen.law == "amdahl"
    assert curve.chosen.parameters["serial_fraction"].value == pytest.approx(0.05, abs=0.005)
    assert curve.axis == "workers"
    assert [point.n for point in curve.points] == [3] * 6
    assert all(evidence.rows for evidence in curve.evidence.values())


def test_time_is_a_throughput_only_where_the_study_says_parallel(tmp_path: Path) -> None:
    """Wall time over parallel operations is one over throughput; a time that does not fall with workers is not."""
    refused(make_table(tmp_path, HEADS, [("r", "Serve", level, "time", 1e6 + level, "ns/op") for level in LEVELS]))
    times = [("r", "Serve", level, "time", 1e9 / amdahl(level), "ns/op") for level in LEVELS]
    curve = only(make_table(tmp_path, HEADS, times, '[configuration]\nparallel = ["Ser*"]\n'))
    assert (curve.metric, curve.curve.unit) == ("time", "op/sec")
    assert list(curve.curve.throughput) == pytest.approx([amdahl(level) for level in LEVELS])


def test_excluded_rows_are_on_no_curve_and_said(tmp_path: Path) -> None:
    rows = [*sweep(), ("odd", "Serve", 6, "throughput", 99_999, "req/s")]
    definition = '[[scaling.exclude]]\nwhere = "run=odd"\nwhy = "another machine"\n'
    answer = answered(make_table(tmp_path, HEADS, rows, definition))
    assert list(answer.curves[0].curve.concurrency) == list(LEVELS)
    assert said(answer, "excluded-from-curve") == ["run=odd: kept out of the curves (another machine)"]


@pytest.mark.parametrize(
    ("code", "rows", "message"),
    [
        (
            "mixed-units",
            [("r", "Bad", level, "throughput", 20.0 * level, "MB/s" if level == 4 else "req/s") for level in LEVELS],
            "Bad (throughput): its values are in 'req/sec' at 5 levels and 'B/sec' at 1 level: no curve is drawn "
            "through them; 5 levels in one unit carry law='usl' (needs 4)",
        ),
        (
            "refused-rows",
            [*sweep("r", "Bad", levels=(1, 2)), ("r", "Bad", 4, "throughput", 0, "req/s")],
            "Bad (throughput): throughput is 0 at table.csv:10 (workers 4), no finite number above 0; 2 levels in the "
            "other rows carry law='linear' (needs 2)",
        ),
        (
            "refused-rows",
            [*sweep("r", "Bad", levels=(1, 2)), ("r", "Bad", "x", "throughput", 5, "req/s")],
            "Bad (throughput): workers is 'x' at table.csv:10, no number above 0; 2 levels in the other rows "
            "carry law='linear' (needs 2)",
        ),
    ],
)
def test_bad_rows_cost_their_own_curve_alone(
    tmp_path: Path, code: str, rows: list[tuple[object, ...]], message: str
) -> None:
    """Two units, a zero, a level that is no number: named with the line; the other curve stands."""
    answer = answered(make_table(tmp_path, HEADS, [*sweep(), *rows], '[scaling]\nconcurrency = "workers"\n'))
    assert [curve.key["benchmark"] for curve in answer.curves] == ["Serve"]
    assert said(answer, code) == [message]


def test_what_is_kept_out_of_a_curve_is_told_beside_it(tmp_path: Path) -> None:
    """Its level and median, where it has a number for a level and a rate: a word and a zero are no point."""
    apart = [("other", "Serve", 3, "throughput", 40.0, "req/s"), ("other", "Serve", "x", "throughput", 5, "req/s")]
    apart.append(("other", "Serve", 5, "throughput", 0, "req/s"))
    kept_out = '[scaling]\nconcurrency = "workers"\n[[scaling.exclude]]\nwhere = "run=other"\nwhy = "built anew"\n'
    [curve] = answered(make_table(tmp_path, HEADS, [*sweep(), *apart], kept_out)).curves
    assert [(one.concurrency, one.throughput, one.why) for one in curve.elsewhere] == [(3.0, 40.0, "built anew")]


def test_measurements_that_state_no_level_are_counted(tmp_path: Path) -> None:
    """A line that lost its -N is not of the curve: how many there were and where is said, for each curve alone."""
    lines = "".join(f"BenchmarkSend-{level} 10 {1000 / level + 50} ns/op\n" for level in LEVELS[1:])
    (tmp_path / "wide.txt").write_text(f"pkg: p\ncpu: EPYC\n{lines}")
    (tmp_path / "one.txt").write_text("pkg: p\nBenchmarkSend 10 1050 ns/op\nBenchmarkSend 10 1051 ns/op\n")
    assert said(answered(str(tmp_path), metric="time"), "level-unstated") == [
        "Send (time): 2 measurements state no gomaxprocs and stay out of the curve (one.txt)"
    ]
    # A case below a curve is another benchmark, which was never swept.
    (tmp_path / "one.txt").write_text("pkg: p\nBenchmarkSend/large 10 1050 ns/op\n")
    assert said(answered(str(tmp_path), metric="time"), "level-unstated") == []
    (tmp_path / "one.txt").write_text("pkg: p\ncpu: EPYC\nBenchmarkSend 10 1050 ns/op\n")
    answer = answered(str(tmp_path), metric="time")
    assert said(answer, "level-unstated") == []
    assert answer.curves[0].curve.concurrency.tolist() == list(LEVELS)


# What weakens a curve is said by a code.

ALL = '[[scaling.curves]]\nname = "all"\nwhere = "metric=throughput"\nmetric = "throughput"\n'
THREADS = [(1 if level == 1 else 2, *row) for row, level in zip(sweep(), LEVELS, strict=True)]


@pytest.mark.parametrize(
    ("code", "heads", "rows", "definition", "messages"),
    [
        (
            "generator-changed", f"threads {HEADS}", THREADS, "",
            ["Serve (throughput): threads changes with workers (1 from workers 1 on, 2 from workers 2 on): that step "
             "is not the system's alone"],
        ),
        (
            "residue", HEADS.replace("run", "mode"), [*sweep("cold"), *sweep("warm", factor=2)], ALL,
            ["all: levels mix values of mode"],
        ),
        (
            "mixed-structure", HEADS, [*sweep(), *sweep("r", "Fetch")], ALL,
            ["all: one curve is drawn through Serve, Fetch"],
        ),
        # Files by level make a run each: none of them stands beside the sweep.
        ("mixed-structure", HEADS, [(f"c{row[2]}", *row[1:]) for row in sweep()], "", []),
        (
            "repeated-levels", HEADS, [*sweep(), ("r", "Serve", 4, "throughput", 3500.0, "req/s")], "",
            ["Serve (throughput): workers 4 (2) was measured more often than the others (1): read as replicates"],
        ),
        (
            "level-is-time", HEADS, sweep(), "",
            ["Serve (throughput): the levels stand in order of concurrency, one after another: level and time cannot "
             "be told apart, and a machine that slowed down or warmed up meanwhile looks like a loss or a gain of "
             "scaling"],
        ),
        ("level-is-time", HEADS, [sweep()[at] for at in (3, 0, 5, 1, 4, 2)], "", []),
        ("cores-unknown", HEADS, sweep(), "", ["the machine's number of cores was not recorded"]),
        ("cores-unknown", HEADS, sweep(), CORES(64), []),
        # A core serves many connections; it runs one worker at a time.
        ("oversubscribed", HEADS.replace("workers", "connections"), sweep(), CORES(8), []),
    ],
)  # fmt: skip
def test_what_weakens_a_curve_is_said(
    tmp_path: Path, code: str, heads: str, rows: list[tuple[object, ...]], definition: str, messages: list[str]
) -> None:
    assert said(answered(make_table(tmp_path, heads, rows, definition)), code) == messages


def test_rows_out_of_order_are_fitted_as_those_in_order(tmp_path: Path) -> None:
    fits = [only(make_table(tmp_path, HEADS, sweep()[::step])).fits[-1].coefficients for step in (1, -1)]
    assert fits[0] == pytest.approx(fits[1])


def test_few_levels_no_level_one_and_single_measurements_are_said(tmp_path: Path) -> None:
    answer = answered(make_table(tmp_path, HEADS, sweep(levels=(2, 4, 8, 16))))
    assert {"few-levels", "no-level-one", "one-replicate"} <= {caveat.code for caveat in answer.caveats}


def test_a_run_at_one_level_is_no_part_of_the_sweep_beside_it() -> None:
    """The published onix default run at 10 was built differently; its study leaves it out, the bare table cannot."""
    bare = "data/onix-adapter-published/onix_adapter_v150.csv"
    assert said(answered(bare, concurrency="gomaxprocs", metric="throughput"), "mixed-structure") == [
        "BAPCaller_RPS, action discover (throughput): run default at gomaxprocs 10 alone, beside the sweep of run "
        "sweep: it may be built differently"
    ]
    assert said(answered("data/onix-adapter-published"), "mixed-structure") == []


@pytest.mark.parametrize(("factor", "broken"), [(1.0, False), (1.07, False), (1.2, True), (0.5, True)])
def test_littles_law_is_held_against_each_level(tmp_path: Path, factor: float, broken: bool) -> None:
    """Throughput times mean latency is the concurrency, or one of the three is not what it is called."""
    waits = [("r", "Serve", level, "latency_mean", factor * level / amdahl(level), "s") for level in LEVELS]
    messages = said(answered(make_table(tmp_path, HEADS, [*sweep(), *waits])), "littles-law")
    assert bool(messages) is broken
    assert all("more than 10 % off at 1, 2, 4, 8, 16, 32" in message for message in messages)


@pytest.mark.parametrize(("definition", "cores"), [("", 8), (CORES(4), 4)])
def test_cores_come_from_the_results_where_the_study_is_silent(tmp_path: Path, definition: str, cores: int) -> None:
    """A configuration line of the tool counts; the study's own word comes first."""
    rows = [(*row, 8) for row in sweep()]
    answer = answered(make_table(tmp_path, f"{HEADS} num_cpus", rows, definition), concurrency="workers")
    assert answer.cores == cores
    [message] = said(answer, "oversubscribed")
    assert f"exceeds the {cores} cores" in message


def test_a_curve_without_a_unit_is_in_plain_numbers_and_says_so(tmp_path: Path) -> None:
    """No unit is no bare slash, and a caveat names the column."""
    levels = "1,950\n2,1850\n4,3400\n8,5000\n"
    (tmp_path / "a.csv").write_text(f"connections,throughput\n{levels}")
    answer = answered(str(tmp_path), latency="5ms")
    assert said(answer, "no-unit") == ["a.csv: no unit is written for 'throughput'"]
    [curve] = answer.curves
    assert curve.curve.unit == ""
    assert curve.readings is not None
    assert "latency '5ms' cannot be read on a curve without a unit; write the unit" in curve.readings.refused[0]
    (tmp_path / "a.csv").write_text(f"connections,throughput (req/s)\n{levels}")
    assert said(answered(str(tmp_path)), "no-unit") == []


# What several curves say together.


def curves_of(*benchmarks: str) -> str:
    """A definition with a curve for each benchmark, as measures of the same work."""
    parts = (
        f'[[scaling.curves]]\nname = "of {benchmark}"\nwhere = "benchmark={benchmark}"\nmetric = "throughput"\n'
        for benchmark in benchmarks
    )
    return "[scaling]\nsame_work = true\n" + "".join(parts)


@pytest.mark.parametrize(("factor", "levels"), [(1.04, []), (1.08, [8.0])])
def test_measures_of_one_sweep_disagree_beyond_five_percent(tmp_path: Path, factor: float, levels: list[float]) -> None:
    """Only at the level where they part, and only if the study says that they measure the same."""
    apart = [
        (run, name, level, metric, value * (factor if level == 8 else 1), unit)
        for run, name, level, metric, value, unit in sweep("r", "B")  # type: ignore[misc]
    ]
    answer = answered(make_table(tmp_path, HEADS, [*sweep("r", "A"), *apart], curves_of("A", "B")))
    assert bool(said(answer, "curves-disagree")) is bool(levels)
    other = make_table(tmp_path, HEADS, [*sweep("r", "A"), *apart], "[scaling]\nsame_work = false\n")
    assert not said(answered(other), "curves-disagree")


@pytest.mark.parametrize(("share", "verdict"), [(0.15, "changed"), (0.05, "not shown to change")])
def test_a_change_of_the_chosen_law_between_curves_is_tested(tmp_path: Path, share: float, verdict: str) -> None:
    """A serial share of 5 % and one of 15 % differ by Amdahl's law; the same share twice is not shown to."""
    rows = [
        (mode, *row)
        for mode, here in (("cold", 0.05), ("warm", share))
        for run in ("a", "b")
        for row in sweep(run, share=here)
    ]
    [compared] = answered(make_table(tmp_path, f"mode {HEADS}", rows)).comparisons
    assert (compared.comparison.name, compared.comparison.verdict) == ("serial_fraction", verdict)


def test_curves_of_laws_that_have_no_loss_in_common_are_not_compared(tmp_path: Path) -> None:
    """A plateau beside Amdahl's law: each is read by itself, and the answer says so."""
    rows = [*plateau("flat", "Serve"), *sweep("curved")]
    answer = answered(make_table(tmp_path, HEADS.replace("run", "mode"), rows))
    assert {curve.chosen.law for curve in answer.curves if curve.chosen} == {"plateau", "amdahl"}
    assert answer.comparisons == ()
    [refusal] = answer.refusals
    assert "the laws chosen have none in common (" in refusal.reason
    assert "plateau for " in refusal.reason


# The law that is chosen, and what follows from it.


def test_a_plateau_at_the_cores_is_called_a_plateau(tmp_path: Path) -> None:
    """A resource that ran out is not contention."""
    answer = answered(make_table(tmp_path, HEADS, plateau("r", "Serve"), CORES(4)))
    (curve,) = answer.curves
    assert (curve.shape.kind, curve.shape.plateau_from) == ("plateau", 4)
    assert curve.chosen is not None
    assert curve.chosen.law == "plateau"
    assert curve.chosen.parameters["servers"].value == pytest.approx(4, rel=0.01)
    assert "not as contention would slow it" in curve.why
    assert said(answer, "plateau")


def test_a_law_that_is_named_is_chosen_even_on_two_levels() -> None:
    answer = answered("data/token-sdk", law="linear")
    assert {curve.chosen.law for curve in answer.curves if curve.chosen} == {"linear"}


@pytest.mark.parametrize(
    ("repeats", "definition", "asked", "used"),
    [
        (1, "", "auto", "relative"),
        (20, "", "auto", "replicates"),
        (20, '[scaling]\nweights = "none"\n', "auto", "none"),
        (20, '[scaling]\nweights = "none"\n', "relative", "relative"),
        (3, "", "replicates", "relative"),
    ],
)
def test_weights_follow_the_caller_then_the_study_then_the_replicates(
    tmp_path: Path, repeats: int, definition: str, asked: str, used: str
) -> None:
    """A variance of its own for each level needs 20 measurements there; with fewer it is pooled, and said."""
    rows = [
        (f"r{run}", "Serve", n, "throughput", amdahl(n) * (1 + 0.01 * ((7 * run + n) % 5 - 2)), "req/s")
        for n in LEVELS
        for run in range(repeats)
    ]
    answer = answered(make_table(tmp_path, HEADS, rows, definition), weights=asked)
    assert {fit.weights for fit in answer.curves[0].fits} == {used}
    assert bool(said(answer, "few-replicates")) is (asked == "replicates" and used == "relative")


def test_a_quantity_that_the_chosen_law_lacks_is_said_to_have_no_advice() -> None:
    """Asked for by name it is not passed over: a line says what the law has instead."""
    curve = only(one_endpoint(), improve="peak")
    assert curve.advice == ()
    assert curve.refused_fits[-1].startswith(
        "no advice for the peak: plateau has no such quantity; it has rate_at_one, servers, knee, ceiling"
    )
    named = only(one_endpoint(), law="plateau", improve="servers")
    assert named.advice
    assert not named.refused_fits
    assert not any("no advice" in line for line in only(one_endpoint(), improve="peak", budget=0).refused_fits)


def test_advice_costs_what_the_printed_command_takes(tmp_path: Path) -> None:
    """Runs of three seconds by the study's command: 20 of them in 60 seconds, at the endpoint of the curve."""
    curve = only(one_endpoint())
    assert {(step.repetitions, step.seconds) for step in curve.advice} == {(20, 60.0)}
    assert "-d3s --latency http://127.0.0.1:18080/hash; done" in curve.commands[0]
    assert only(one_endpoint(), seconds_each=30).advice[0].repetitions == 2
    # A measurement longer than a minute is one; a budget that was named and holds none is refused.
    text = 'commands = ["bench -workers=1,2 -duration=5m"]\n'
    study = make_table(tmp_path, HEADS, sweep(), text)
    assert {(step.repetitions, step.seconds) for step in only(study).advice} == {(1, 300.0)}
    with pytest.raises(DataError, match="a budget of 60 s holds no measurement of 300 s"):
        fit_scaling(study, budget=60)
    short = make_table(tmp_path, HEADS, sweep(), text.replace("5m", "1ms"))
    assert {step.repetitions for step in only(short).advice} == {10_000}


def test_the_level_to_stop_at_is_a_measured_one(tmp_path: Path) -> None:
    """X squared over N is largest there among the measured levels."""
    curve = only(make_table(tmp_path, HEADS, sweep(), CORES(64)))
    rates = {point.concurrency: point.throughput.value for point in curve.points}
    assert curve.returns.recommended == max(LEVELS, key=lambda level: rates[level] ** 2 / level)


def test_mean_sessions_below_one_make_a_curve(tmp_path: Path) -> None:
    """Active sessions are a mean: 0.19 to 5.3 of them are levels as any other, and a law can be read between them."""
    sessions = (0.19, 0.4, 0.8, 1.3, 2.2, 3.4, 5.3)
    rows = [("r", "Serve", level, "throughput", amdahl(level), "req/s") for level in sessions]
    study = make_table(tmp_path, HEADS.replace("workers", "sessions"), rows)
    curve = only(study, concurrency="sessions", at="0.3", budget=0)
    assert [point.concurrency for point in curve.points] == list(sessions)
    assert curve.readings is not None
    assert curve.readings.at[0].throughput.value == pytest.approx(amdahl(0.3), rel=1e-3)


# What is asked, and what is refused.


def test_laws_and_levels_may_be_written_in_several_ways(tmp_path: Path) -> None:
    """All is all, with what is named beside it; a concurrency may be a number, a text or a sequence."""
    study = make_table(tmp_path, HEADS, sweep())
    for named in ("usl,amdahl", ["usl", "amdahl"], ("usl", "amdahl")):
        assert [fit.law for fit in only(study, law=named, budget=0).fits] == ["usl", "amdahl"]
    every = [fit.law for fit in only(study, budget=0).fits]
    assert [fit.law for fit in only(study, law="all,usl", budget=0).fits] == every
    assert any("Gustafson" in reason for reason in only(study, law=["all", "gustafson"], budget=0).refused_fits)
    for asked in (500, 500.0, "500", [500], np.array([500])):
        averaged = only(study, extrapolate=asked, budget=0).averaged
        assert averaged is not None
        assert list(averaged.concurrency) == [500.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"law": None}, "law None is neither a name nor a sequence of names; laws: all, linear"),
        ({"law": [1]}, r"law \[1\] is neither a name nor a sequence of names"),
        ({"law": []}, "unknown law ''; laws: all"),
        ({"weights": None}, "weights None is not a text; leave it out"),
        ({"concurrency": 4}, "concurrency 4 is not a text"),
        ({"improve": None}, "improve None is not a text"),
        ({"by": 5}, "by 5 is neither a name nor a sequence of names"),
        ({"confidence_level": "0.9"}, "confidence_level '0.9' is not a number; give one such as 0.95"),
        ({"budget": "60"}, "budget '60' is not a number; give one such as 60"),
        ({"budget": True}, "budget True is not a number"),
        ({"seconds_each": "3"}, "seconds_each '3' is not a number; give one such as 10"),
        ({"budget": 1e12}, r"a budget of 1e\+12 s holds more than 10,000 measurements of 10 s; lower it to 100000 s"),
        ({"seconds_each": 1e-9}, "a budget of 60 s holds more than 10,000 measurements of 1e-09 s"),
        ({"extrapolate": None}, "cannot extrapolate to 'None'; give concurrencies such as 32,64"),
        (
            {"extrapolate": "1e300"},
            r"cannot extrapolate to 1e\+300: the largest workers measured is 32, and beyond 1,000",
        ),
        ({"extrapolate": [32_001]}, "give 32000 at most"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    """A wrong type or an absurd number is an error of benchlib, not of Python."""
    with pytest.raises(DataError, match=message) as caught:
        fit_scaling(make_table(tmp_path, HEADS, sweep()), **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("levels", "reason"),
    [
        ((1,), "no axis of these results is named as concurrency"),
        (
            (1, 2),
            "Serve (throughput): 2 levels of workers (1, 2) carry law='linear' (needs 2), and a curve that nobody "
            "named needs 3",
        ),
    ],
)
def test_too_little_is_refused(tmp_path: Path, levels: tuple[int, ...], reason: str) -> None:
    refusal = refused(make_table(tmp_path, HEADS, sweep(levels=levels)))
    assert refusal.reason == reason
    # Axes that there are, though none of them takes two numbers.
    assert "workers" in refusal.advice
    assert "gomaxprocs" not in refusal.advice


def test_who_asks_for_what_is_set_apart_is_told_that(tmp_path: Path) -> None:
    """The axis has its name, and its levels are there; what they measured is not to be used."""
    rows = "".join(f"{workers},{90 * workers},{workers + 50},{900 * workers + 7}\n" for workers in (1, 2, 4, 8))
    (tmp_path / "a.csv").write_text(f"workers,rps,failed,requests\n{rows}")
    refusal = refused(str(tmp_path))
    assert refusal.reason.startswith("4 of 4 values rest on failed operations and are set apart; what is left is of")
    assert "tolerated in [failures]" in refusal.advice


def test_a_rate_of_another_name_is_fitted_and_one_of_failures_is_not(tmp_path: Path) -> None:
    """It was swept, and it is the only one."""
    table = "connections,{} (req/s)\n1,950\n2,1850\n4,3400\n8,5000\n"
    (tmp_path / "a.csv").write_text(table.format("Durchsatz"))
    assert answered(str(tmp_path)).curves[0].curve.unit == "req/sec"
    (tmp_path / "a.csv").write_text(table.format("http_5xx"))
    refusal = refused(str(tmp_path))
    assert "5xx" not in refusal.reason + refusal.advice


def test_a_curve_that_falls_steeply_does_not_grow_faster_than_in_proportion(tmp_path: Path) -> None:
    """Without bounds the USL has contention of -0.39 here (p = 0.015), and no step gains more than 78 %."""
    rates = {1: 100, 2: 156.3, 4: 223, 8: 107, 16: 59.2, 32: 18.8, 64: 7, 128: 4.9}
    table = "\n".join(f"{n},{rate}" for n, rate in rates.items())
    (tmp_path / "a.csv").write_text(f"workers,throughput_rps\n{table}\n", encoding="utf-8")
    answer = fit_scaling(tmp_path, law=["linear", "amdahl", "usl"])
    assert isinstance(answer, ScalingAnswer)
    assert answer.curves[0].choice is not None
    assert answer.curves[0].choice.superlinear
    assert "superlinear" not in {caveat.code for caveat in answer.caveats}


def test_repeats_that_agree_to_the_last_digit_leave_the_levels_to_differ(tmp_path: Path) -> None:
    """Unequally often, and off every law: what a level shares is all the noise there is."""
    rows = [(1, 100), (1, 100), (2, 130), (4, 390), (8, 400), (8, 400), (16, 900)]
    table = "\n".join(f"{n},{rate}" for n, rate in rows)
    (tmp_path / "a.csv").write_text(f"workers,throughput_rps\n{table}\n", encoding="utf-8")
    answer = fit_scaling(tmp_path)
    assert isinstance(answer, ScalingAnswer)
    assert all(np.isfinite(fit.residual_standard_error) for fit in answer.curves[0].fits)
