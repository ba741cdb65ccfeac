"""What a study says of scaling, and what weakens a curve before any law is fitted."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import benchlib
from benchlib.answers.asking import Refusal
from benchlib.answers.capacity import CapacityAnswer, capacity_answer
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer, fit_scaling
from benchlib.errors import DataError
from benchlib.study import Study
from tests.synthetic import make_table

# Scaling: which rows make a curve, which measures disagree, what is left out.

HEADS = "run benchmark workers metric value unit"
LEVELS = (1, 2, 4, 8, 16, 32)
WOBBLE = (1.0, 1.01, 0.99, 1.005, 0.995, 1.0)


TWO_LEVELS = (
    "Serve (throughput): 2 levels of workers (1, 2) carry law='linear' (needs 2), and a curve that nobody named needs 3"
)


def amdahl(level: float, share: float = 0.05, rate: float = 1000.0) -> float:
    """Throughput by Amdahl's law."""
    return rate * level / (1 + share * (level - 1))


def rows(
    benchmark: str = "Serve", run: str = "r", *, unit: str = "req/s", factor: float = 1.0
) -> list[tuple[object, ...]]:
    """A sweep by Amdahl's law."""
    return [(run, benchmark, one, "throughput", amdahl(one) * factor, unit) for one in LEVELS]


@cache
def one_endpoint() -> Study:
    """A shipped study, narrowed to one curve."""
    return benchlib.open_study("data/http-endpoints", "endpoint=hash")


def answered(of: Study | str, **options: object) -> ScalingAnswer:
    """The scaling answer of a study that has one."""
    answer = fit_scaling(of, **options)  # type: ignore[arg-type]
    assert isinstance(answer, ScalingAnswer)
    return answer


def only(of: Study) -> CurveAnswer:
    """The one curve of a study."""
    (found,) = answered(of).curves
    return found


def codes(answer: ScalingAnswer) -> set[str]:
    """Its caveats."""
    return {one.code for one in answer.caveats}


def test_a_sweep_by_amdahls_law_is_found_to_be_one(tmp_path: Path) -> None:
    """Serial fraction 0.05, from throughput that follows the law with a little noise."""
    noisy = [
        (run, "Serve", one, "throughput", amdahl(one) * factor, "req/s")
        for one in LEVELS
        for run, factor in (("a", 0.995), ("b", 1.0), ("c", 1.006))
    ]
    found = only(make_table(tmp_path, HEADS, noisy, "[environment]\ncores = 64\n"))
    assert found.chosen is not None
    assert found.chosen.law == "amdahl"
    assert found.chosen.parameters["serial_fraction"].value == pytest.approx(0.05, abs=0.005)
    assert found.axis == "workers"
    assert [one.n for one in found.points] == [3] * 6
    assert all(evidence.rows for evidence in found.evidence.values())


def test_time_is_a_throughput_only_where_the_study_says_parallel(tmp_path: Path) -> None:
    """Wall time over parallel operations is one over throughput; any other time is not."""
    times = [("r", "Serve", one, "time", 1e9 / amdahl(one), "ns/op") for one in LEVELS]
    refused = fit_scaling(make_table(tmp_path, HEADS, times))
    assert isinstance(refused, Refusal)
    found = only(make_table(tmp_path, HEADS, times, '[configuration]\nparallel = ["Ser*"]\n'))
    assert found.metric == "time"
    assert found.curve.unit == "op/sec"
    assert list(found.curve.throughput) == pytest.approx([amdahl(one) for one in LEVELS])


def test_excluded_rows_are_on_no_curve_and_said(tmp_path: Path) -> None:
    """With their reason."""
    more = [*rows(), ("odd", "Serve", 6, "throughput", 99_999, "req/s")]
    definition = '[[scaling.exclude]]\nwhere = "run=odd"\nwhy = "another machine"\n'
    answer = answered(make_table(tmp_path, HEADS, more, definition))
    assert list(answer.curves[0].curve.concurrency) == list(LEVELS)
    (said,) = (one for one in answer.caveats if one.code == "excluded-from-curve")
    assert said.message == "run=odd: kept out of the curves (another machine)"


def curves_of(names: Mapping[str, str]) -> str:
    """A definition with a curve for each benchmark, as measures of the same work."""
    parts = (
        f'[[scaling.curves]]\nname = "{name}"\nwhere = "benchmark={benchmark}"\nmetric = "throughput"\n'
        for name, benchmark in names.items()
    )
    return "[scaling]\nsame_work = true\n" + "".join(parts)


@pytest.mark.parametrize(("factor", "levels"), [(1.04, []), (1.08, [8.0])])
def test_measures_of_one_sweep_disagree_beyond_five_percent(tmp_path: Path, factor: float, levels: list[float]) -> None:
    """Only at the level where they part, and only if the study says that they measure the same."""
    apart = [
        (run, name, level, metric, value * (factor if level == 8 else 1), unit)
        for run, name, level, metric, value, unit in rows("B")  # type: ignore[misc]
    ]
    study = make_table(tmp_path, HEADS, [*rows("A"), *apart], curves_of({"one": "A", "two": "B"}))
    answer = answered(study)
    assert [one.concurrency for one in answer.disagreements] == levels
    assert ("curves-disagree" in codes(answer)) is bool(levels)
    other = make_table(tmp_path, HEADS, [*rows("A"), *apart], "[scaling]\nsame_work = false\n")
    assert answered(other).disagreements == ()


def test_without_cores_the_answer_says_so(tmp_path: Path) -> None:
    """Oversubscription cannot be judged."""
    answer = answered(make_table(tmp_path, HEADS, rows()))
    assert answer.cores is None
    assert "cores-unknown" in codes(answer)
    known = answered(make_table(tmp_path, HEADS, rows(), "[environment]\ncores = 64\n"))
    assert known.cores == 64
    assert "cores-unknown" not in codes(known)


def test_workers_beyond_the_cores_are_oversubscribed_and_connections_are_not(tmp_path: Path) -> None:
    """A core serves many connections; it runs one worker at a time."""
    definition = "[environment]\ncores = 8\n"
    assert "oversubscribed" in codes(answered(make_table(tmp_path, HEADS, rows(), definition)))
    heads = HEADS.replace("workers", "connections")
    assert "oversubscribed" not in codes(answered(make_table(tmp_path, heads, rows(), definition)))


def test_a_plateau_at_the_cores_is_called_a_plateau(tmp_path: Path) -> None:
    """A resource that ran out is not contention."""
    noise = (1.0, 1.002, 0.999, 1.001, 0.998, 1.0)
    flat = [
        ("r", "Serve", one, "throughput", min(one, 4) * 1000.0 * noisy, "req/s")
        for one, noisy in zip(LEVELS, noise, strict=True)
    ]
    answer = answered(make_table(tmp_path, HEADS, flat, "[environment]\ncores = 4\n"))
    (found,) = answer.curves
    assert (found.shape.kind, found.shape.plateau_from) == ("plateau", 4)
    assert found.chosen is not None
    assert found.chosen.law == "plateau"
    assert found.chosen.parameters["servers"].value == pytest.approx(4, rel=0.01)
    assert "not as contention would slow it" in found.why
    assert "plateau" in codes(answer)


def test_a_generator_that_changes_with_concurrency_is_said(tmp_path: Path) -> None:
    """One thread at one connection, two above: that step is not the system's alone."""
    heads = "run benchmark workers threads metric value unit"
    swept = [("r", "Serve", one, 1 if one == 1 else 2, "throughput", amdahl(one), "req/s") for one in LEVELS]
    answer = answered(make_table(tmp_path, heads, swept))
    (said,) = (one for one in answer.caveats if one.code == "generator-changed")
    assert "threads changes with workers (1 from workers 1 on, 2 from workers 2 on)" in said.message


def test_levels_that_mix_an_axis_are_said(tmp_path: Path) -> None:
    """Asked to pool over an axis, the curve carries the caveat that names it."""
    heads = "mode benchmark workers metric value unit"
    mixed = [*rows(run="cold"), *rows(run="warm", factor=2)]
    definition = '[[scaling.curves]]\nname = "all"\nwhere = "benchmark=Serve"\nmetric = "throughput"\n'
    answer = answered(make_table(tmp_path, heads, mixed, definition))
    (said,) = (one for one in answer.caveats if one.code == "residue")
    assert said.message == "all: levels mix values of mode"


@pytest.mark.parametrize(
    ("definition", "levels", "reason"),
    [
        ("", (1,), "no axis of these results is named as concurrency"),
        ("", (1, 2), TWO_LEVELS),
    ],
)
def test_too_little_is_refused_in_one_line(
    tmp_path: Path, definition: str, levels: tuple[int, ...], reason: str
) -> None:
    """With what would help, and so is the capacity that rests on it."""
    few = [("r", "Serve", one, "throughput", amdahl(one), "req/s") for one in levels]
    answer = fit_scaling(make_table(tmp_path, HEADS, few, definition))
    assert isinstance(answer, Refusal)
    assert (answer.question, answer.reason) == ("scaling", reason)
    assert answer.advice
    assert "\n" not in answer.reason + answer.advice
    rest = capacity_answer(answer)
    assert isinstance(rest, Refusal)
    assert (rest.question, rest.reason) == ("capacity", reason)


def test_capacity_takes_a_measured_level(tmp_path: Path) -> None:
    """The recommendation is one of the points, with its speedup and efficiency; it is chosen among all of them."""
    scaling = answered(make_table(tmp_path, HEADS, rows(), "[environment]\ncores = 64\n"))
    answer = capacity_answer(scaling)
    assert isinstance(answer, CapacityAnswer)
    (one,) = answer.curves
    level = one.returns.recommended
    assert level in LEVELS
    # X squared over N: the largest among the measured levels.
    assert level == max(LEVELS, key=lambda level: amdahl(level) ** 2 / level)
    assert one.speedup == pytest.approx(amdahl(level) / amdahl(1))
    assert one.efficiency == pytest.approx(one.speedup / level)
    assert set(one.evidence.rows) == {row for each in scaling.curves[0].evidence.values() for row in each.rows}
    assert answer.agree


def test_a_curve_is_never_drawn_through_two_units(tmp_path: Path) -> None:
    """Requests and bytes a second are both throughput: the sweep that mixes them is refused, the other stays."""
    mixed = [("r", "Mixed", one, "throughput", 20.0 * one, "MB/s" if one == 4 else "req/s") for one in LEVELS]
    answer = answered(make_table(tmp_path, HEADS, [*rows(), *mixed]))
    assert [one.key["benchmark"] for one in answer.curves] == ["Serve"]
    (said,) = (one.message for one in answer.caveats if one.code == "mixed-units")
    assert said == (
        "Mixed (throughput): its values are in 'req/sec' at 5 levels and 'B/sec' at 1 level: no curve is drawn "
        "through them; 5 levels in one unit carry law='usl' (needs 4)"
    )


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (
            ("r", "Bad", 4, "throughput", 0, "req/s"),
            "throughput is 0 at table.csv:10 (workers 4), no finite number above 0",
        ),
        (("r", "Bad", "x", "throughput", 5, "req/s"), "workers is 'x' at table.csv:10, no number of at least 1"),
    ],
)
def test_one_bad_row_costs_its_own_curve_alone(tmp_path: Path, bad: tuple[object, ...], said: str) -> None:
    """A zero, or a level that is no number, is named with its line; the other curves stand."""
    sound = [("r", "Bad", one, "throughput", 10.0 * one, "req/s") for one in (1, 2)]
    answer = answered(make_table(tmp_path, HEADS, [*rows(), *sound, bad], '[scaling]\nconcurrency = "workers"\n'))
    assert "Serve" in {one.key["benchmark"] for one in answer.curves}
    assert any(said in one.message for one in answer.caveats if one.code == "refused-rows"), answer.caveats


def test_no_level_is_recommended_where_efficiency_passes_100_percent(tmp_path: Path) -> None:
    """More than one worker's worth from each of two: the levels were not measured alike."""
    faster = [("r", "Serve", one, "throughput", 100.0 * one * (1.4 if one == 2 else 1.0), "req/s") for one in (1, 2, 4)]
    found = capacity_answer(answered(make_table(tmp_path, HEADS, faster, "[environment]\ncores = 2\n")))
    assert isinstance(found, CapacityAnswer)
    assert [one.comparable for one in found.curves] == [False]


def test_a_quantity_that_the_chosen_law_lacks_is_said_to_have_no_advice() -> None:
    """Asked for by name it is not passed over: one line says what the law has instead."""
    answer = fit_scaling(one_endpoint(), improve="peak")
    assert isinstance(answer, ScalingAnswer)
    for curve in answer.curves:
        assert curve.advice == ()
        assert curve.refused_fits[-1].startswith(
            "no advice for the peak: plateau has no such quantity; it has rate_at_one, servers, knee, ceiling"
        )
    named = fit_scaling(one_endpoint(), law="plateau", improve="servers")
    assert isinstance(named, ScalingAnswer)
    assert all(one.advice and not one.refused_fits for one in named.curves)
    unasked = fit_scaling(one_endpoint(), improve="peak", budget=0)
    assert isinstance(unasked, ScalingAnswer)
    assert not any("no advice" in line for one in unasked.curves for line in one.refused_fits)


def test_curves_of_laws_that_have_no_loss_in_common_are_not_compared(tmp_path: Path) -> None:
    """A plateau beside Amdahl's law: each is read by itself, and the answer says so."""
    noise = (1.0, 1.002, 0.999, 1.001, 0.998, 1.0)
    heads = "mode benchmark workers metric value unit"
    flat = [
        ("flat", "Serve", one, "throughput", min(one, 4) * 1000.0 * wobble, "req/s")
        for one, wobble in zip(LEVELS, noise, strict=True)
    ]
    curved = [
        ("curved", "Serve", one, "throughput", amdahl(one) * wobble, "req/s")
        for one, wobble in zip(LEVELS, noise, strict=True)
    ]
    answer = answered(make_table(tmp_path, heads, [*flat, *curved]))
    assert {one.chosen.law for one in answer.curves if one.chosen} == {"plateau", "amdahl"}
    assert answer.comparisons == ()
    (said,) = answer.refusals
    assert "the laws chosen have none in common (" in said.reason
    assert "plateau for " in said.reason


def test_advice_costs_what_the_printed_command_takes() -> None:
    """Runs of three seconds by the study's command: 20 of them in 60 seconds, at the endpoint of the curve."""
    answer = fit_scaling(one_endpoint())
    assert isinstance(answer, ScalingAnswer)
    for curve in answer.curves:
        assert {(one.repetitions, one.seconds) for one in curve.advice} == {(20, 60.0)}
        assert f"-d3s --latency http://127.0.0.1:18080/{curve.key['endpoint']}; done" in curve.commands[0]
    told = fit_scaling(one_endpoint(), seconds_each=30)
    assert isinstance(told, ScalingAnswer)
    assert told.curves[0].advice[0].repetitions == 2


def test_a_default_budget_holds_what_the_command_takes(tmp_path: Path) -> None:
    """A measurement longer than a minute is one; a budget that was named and holds none is refused."""
    text = 'commands = ["bench -workers=1,2 -duration=5m"]\n'
    study = make_table(tmp_path, HEADS, rows(), text)
    (curve,) = answered(study).curves
    assert {(one.repetitions, one.seconds) for one in curve.advice} == {(1, 300.0)}
    with pytest.raises(DataError, match="a budget of 60 s holds no measurement of 300 s"):
        fit_scaling(study, budget=60)
    short = make_table(tmp_path, HEADS, rows(), text.replace("5m", "1ms"))
    assert {one.repetitions for one in answered(short).curves[0].advice} == {10_000}


def test_laws_may_be_a_sequence_and_all_may_stand_among_others(tmp_path: Path) -> None:
    """The same laws however they are written; all is all, with what is named beside it."""
    study = make_table(tmp_path, HEADS, rows())
    for named in ("usl,amdahl", ["usl", "amdahl"], ("usl", "amdahl")):
        (curve,) = fit_scaling(study, law=named, budget=0).curves  # type: ignore[union-attr]
        assert [one.law for one in curve.fits] == ["usl", "amdahl"]
    (every,) = fit_scaling(study, budget=0).curves  # type: ignore[union-attr]
    (beside,) = fit_scaling(study, law="all,usl", budget=0).curves  # type: ignore[union-attr]
    assert [one.law for one in beside.fits] == [one.law for one in every.fits]
    (more,) = fit_scaling(study, law=["all", "gustafson"], budget=0).curves  # type: ignore[union-attr]
    assert any("Gustafson" in one for one in more.refused_fits)


def test_one_concurrency_to_predict_may_be_a_number(tmp_path: Path) -> None:
    """As well as a sequence or a text."""
    study = make_table(tmp_path, HEADS, rows())
    for asked in (500, 500.0, "500", [500], np.array([500])):
        (curve,) = fit_scaling(study, extrapolate=asked, budget=0).curves  # type: ignore[union-attr, arg-type]
        assert curve.averaged is not None
        assert list(curve.averaged.concurrency) == [500.0]


@pytest.mark.parametrize(
    ("options", "said"),
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
def test_what_cannot_be_meant_is_refused_in_one_line(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    """A wrong type or an absurd number is an error of benchlib, not of Python."""
    with pytest.raises(DataError, match=said) as caught:
        fit_scaling(make_table(tmp_path, HEADS, rows()), **options)
    assert "\n" not in str(caught.value)


def test_without_concurrency_the_axes_that_the_results_have_are_listed(tmp_path: Path) -> None:
    """Also where none of them takes two numbers: not an axis that is not there."""
    stands = [("r", "Serve", 4, "throughput", 10, "req/s")]
    answer = fit_scaling(make_table(tmp_path, HEADS, stands))
    assert isinstance(answer, Refusal)
    assert "workers" in answer.advice
    assert "gomaxprocs" not in answer.advice


# What weakens a scaling curve is said by a code; what several curves say together is tested.


def swept(run: str = "r", *, share: float = 0.05, levels: tuple[int, ...] = LEVELS) -> list[tuple[object, ...]]:
    """One run over all levels."""
    return [
        (run, "Serve", one, "throughput", amdahl(one, share) * noise, "req/s")
        for one, noise in zip(levels, WOBBLE, strict=False)
    ]


def said(answer: ScalingAnswer, code: str) -> list[str]:
    """The messages of a code."""
    return [one.message for one in answer.caveats if one.code == code]


def test_a_run_at_one_level_is_no_part_of_the_sweep_beside_it() -> None:
    """The published onix default run at 10 was built differently; its study leaves it out, the bare table cannot."""
    bare = "data/onix-adapter-published/onix_adapter_v150.csv"
    [message] = said(answered(bare, concurrency="gomaxprocs", metric="throughput"), "mixed-structure")
    assert message == (
        "BAPCaller_RPS, action discover (throughput): run default at gomaxprocs 10 alone, beside the sweep of run "
        "sweep: it may be built differently"
    )
    assert said(answered("data/onix-adapter-published"), "mixed-structure") == []


def test_a_run_for_each_level_is_an_ordinary_sweep(tmp_path: Path) -> None:
    """Files by level make a run each: none of them stands beside the sweep."""
    rows = [(f"c{level}", *rest) for (_, *rest), level in zip(swept(), LEVELS, strict=True)]
    assert said(answered(make_table(tmp_path, HEADS, rows)), "mixed-structure") == []


def test_one_curve_through_two_benchmarks_is_said(tmp_path: Path) -> None:
    """A condition that is too wide makes one curve of two tasks."""
    other = [(run, "Fetch", *rest) for run, _, *rest in swept()]
    definition = '[[scaling.curves]]\nname = "all"\nwhere = "metric=throughput"\nmetric = "throughput"\n'
    messages = said(answered(make_table(tmp_path, HEADS, [*swept(), *other], definition)), "mixed-structure")
    assert messages == ["all: one curve is drawn through Serve, Fetch"]


def test_levels_out_of_order_are_put_in_order_and_said(tmp_path: Path) -> None:
    """The fit is that of the sorted rows."""
    rows = swept()
    mixed = [rows[one] for one in (3, 0, 5, 1, 4, 2)]
    (tmp_path / "mixed").mkdir()
    (tmp_path / "sorted").mkdir()
    one = answered(make_table(tmp_path / "mixed", HEADS, mixed))
    two = answered(make_table(tmp_path / "sorted", HEADS, rows))
    assert len(said(one, "unsorted-levels")) == 1
    assert said(two, "unsorted-levels") == []
    assert one.curves[0].fits[-1].coefficients == pytest.approx(two.curves[0].fits[-1].coefficients)


def test_a_level_that_stands_twice_is_read_as_replicates_and_said(tmp_path: Path) -> None:
    """Only where the other levels do not."""
    answer = answered(make_table(tmp_path, HEADS, [*swept(), ("r", "Serve", 4, "throughput", 3500.0, "req/s")]))
    assert [one.n for one in answer.curves[0].points] == [1, 1, 2, 1, 1, 1]
    assert said(answer, "repeated-levels") == [
        "Serve (throughput): workers 4 (2) was measured more often than the others (1): read as replicates"
    ]


@pytest.mark.parametrize(("factor", "broken"), [(1.0, False), (1.07, False), (1.2, True), (0.5, True)])
def test_littles_law_is_held_against_each_level(tmp_path: Path, factor: float, broken: bool) -> None:
    """Throughput times mean latency is the concurrency, or one of the three is not what it is called."""
    waits = [("r", "Serve", one, "latency_mean", factor * one / amdahl(one), "s") for one in LEVELS]
    messages = said(answered(make_table(tmp_path, HEADS, [*swept(), *waits])), "littles-law")
    assert bool(messages) is broken
    if broken:
        assert "more than 10 % off at 1, 2, 4, 8, 16, 32" in messages[0]


def test_cores_come_from_the_results_where_the_study_is_silent(tmp_path: Path) -> None:
    """A configuration line of the tool counts; the study's own word comes first."""
    rows = [(*one, 8) for one in swept()]
    for number, (definition, cores) in enumerate((("", 8), ("[environment]\ncores = 4\n", 4))):
        folder = tmp_path / str(number)
        folder.mkdir()
        answer = answered(make_table(folder, f"{HEADS} num_cpus", rows, definition), concurrency="workers")
        assert answer.cores == cores
        [message] = said(answer, "oversubscribed")
        assert f"exceeds the {cores} cores" in message


def test_few_levels_no_level_one_and_single_measurements_are_said(tmp_path: Path) -> None:
    """Each by its code."""
    codes = {one.code for one in answered(make_table(tmp_path, HEADS, swept(levels=(2, 4, 8, 16)))).caveats}
    assert {"few-levels", "no-level-one", "one-replicate"} <= codes


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
        (
            f"r{number}",
            "Serve",
            level,
            "throughput",
            amdahl(level) * (1 + 0.01 * ((7 * number + level) % 5 - 2)),
            "req/s",
        )
        for level in LEVELS
        for number in range(repeats)
    ]
    answer = answered(make_table(tmp_path, HEADS, rows, definition), weights=asked)
    assert {one.weights for one in answer.curves[0].fits} == {used}
    assert bool(said(answer, "few-replicates")) is (asked == "replicates" and used == "relative")


def test_a_change_of_the_chosen_law_between_curves_is_tested(tmp_path: Path) -> None:
    """A serial share of 5 % and one of 15 % differ by Amdahl's law; the same share twice is not shown to."""
    heads = f"mode {HEADS}"

    def compared(folder: str, share: float) -> list[tuple[str, str]]:
        rows = [
            (mode, *row)
            for mode, here in (("cold", 0.05), ("warm", share))
            for run in ("a", "b")
            for row in swept(run, share=here)
        ]
        (tmp_path / folder).mkdir()
        answer = answered(make_table(tmp_path / folder, heads, rows))
        return [(one.comparison.name, one.comparison.verdict) for one in answer.comparisons]

    assert compared("apart", 0.15) == [("serial_fraction", "changed")]
    assert compared("alike", 0.05) == [("serial_fraction", "not shown to change")]


def test_a_law_that_is_named_is_chosen_even_on_two_levels() -> None:
    """The caller has chosen."""
    answer = answered("data/token-sdk", law="linear")
    assert {one.chosen.law for one in answer.curves if one.chosen} == {"linear"}


def test_every_part_of_an_answer_follows_the_chosen_law() -> None:
    """The split sums to the whole at every level; every fit has its back-test."""
    for one in answered("data/http-endpoints", budget=0).curves:
        assert [split.concurrency for split in one.split] == [point.concurrency for point in one.points]
        for split in one.split:
            assert sum(split.parts.values()) == pytest.approx(split.latency)
        assert [tested.law for tested in one.back_tests] == [fit.law for fit in one.fits]


def test_a_curve_without_a_unit_is_in_plain_numbers_and_says_so(tmp_path: Path) -> None:
    """No unit is no bare slash, and a caveat names the column."""
    (tmp_path / "a.csv").write_text("connections,throughput\n1,950\n2,1850\n4,3400\n8,5000\n")
    answer = answered(str(tmp_path), latency="5ms")
    assert said(answer, "no-unit") == ["a.csv: no unit is written for 'throughput'"]
    assert answer.curves[0].curve.unit == ""
    assert answer.curves[0].readings is not None
    assert (
        "latency '5ms' cannot be read on a curve without a unit; write the unit" in answer.curves[0].readings.refused[0]
    )
    (tmp_path / "a.csv").write_text("connections,throughput (req/s)\n1,950\n2,1850\n4,3400\n8,5000\n")
    assert said(answered(str(tmp_path)), "no-unit") == []


def test_measurements_that_state_no_level_are_counted(tmp_path: Path) -> None:
    """A line that lost its -N is not of the curve: how many there were and where is said, for each curve alone."""
    lines = [f"BenchmarkSend-{one} 10 {1000 / one + 50} ns/op\n" for one in LEVELS[1:]]
    (tmp_path / "wide.txt").write_text("pkg: p\ncpu: EPYC\n" + "".join(lines))
    (tmp_path / "one.txt").write_text("pkg: p\nBenchmarkSend 10 1050 ns/op\nBenchmarkSend 10 1051 ns/op\n")
    [message] = said(answered(str(tmp_path), metric="time"), "level-unstated")
    assert message == "Send (time): 2 measurements state no gomaxprocs and stay out of the curve (one.txt)"
    (tmp_path / "one.txt").write_text("pkg: p\ncpu: EPYC\nBenchmarkSend 10 1050 ns/op\n")
    answer = answered(str(tmp_path), metric="time")
    assert said(answer, "level-unstated") == []
    assert answer.curves[0].curve.concurrency.tolist() == list(LEVELS)


def test_a_case_below_a_curve_is_no_measurement_that_it_lost(tmp_path: Path) -> None:
    """Another benchmark, which was never swept."""
    lines = [f"BenchmarkSend-{one} 10 {1000 / one + 50} ns/op\n" for one in LEVELS]
    (tmp_path / "wide.txt").write_text("pkg: p\n" + "".join(lines))
    (tmp_path / "one.txt").write_text("pkg: p\nBenchmarkSend/large 10 1050 ns/op\n")
    assert said(answered(str(tmp_path), metric="time"), "level-unstated") == []


def test_a_rate_of_failures_is_not_offered(tmp_path: Path) -> None:
    """Nobody wants a curve of them instead."""
    (tmp_path / "a.csv").write_text("connections,http_5xx (req/s)\n1,950\n2,1850\n4,3400\n8,5000\n")
    found = fit_scaling(str(tmp_path))
    assert isinstance(found, Refusal)
    assert "5xx" not in found.reason + found.advice


def test_a_rate_of_another_name_is_offered(tmp_path: Path) -> None:
    """It was swept, so that nothing is left to measure: only the name is not throughput."""
    (tmp_path / "a.csv").write_text("connections,Durchsatz (req/s)\n1,950\n2,1850\n4,3400\n8,5000\n")
    found = fit_scaling(str(tmp_path))
    assert isinstance(found, Refusal)
    assert found.reason == "no metric here is called throughput; in work by time is durchsatz"
    assert found.advice == "say which is meant: --metric durchsatz"
    assert answered(str(tmp_path), metric="durchsatz").curves[0].curve.unit == "req/sec"
