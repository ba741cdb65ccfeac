"""What weakens a scaling curve is said by a code; what several curves say together is tested."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchlib
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling import ScalingAnswer, fit_scaling
from benchlib.study import Study
from tests.synthetic import make_table

HEADS = "run benchmark workers metric value unit"
LEVELS = (1, 2, 4, 8, 16, 32)
WOBBLE = (1.0, 1.01, 0.99, 1.005, 0.995, 1.0)


def amdahl(level: float, share: float = 0.05, rate: float = 1000.0) -> float:
    """Throughput by Amdahl's law."""
    return rate * level / (1 + share * (level - 1))


def swept(run: str = "r", *, share: float = 0.05, levels: tuple[int, ...] = LEVELS) -> list[tuple[object, ...]]:
    """One run over all levels."""
    return [
        (run, "Serve", one, "throughput", amdahl(one, share) * noise, "req/s")
        for one, noise in zip(levels, WOBBLE, strict=False)
    ]


def answered(of: Study | str, **options: object) -> ScalingAnswer:
    """The scaling answer of a study that has one."""
    answer = fit_scaling(of, **options)  # type: ignore[arg-type]
    assert isinstance(answer, ScalingAnswer)
    return answer


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


def test_different_benchmarks_are_not_set_against_each_other() -> None:
    """The contention of a ray tracer says nothing of that of a file server."""
    assert answered("data/reference").comparisons == ()


def test_what_reading_found_is_among_the_caveats() -> None:
    """A benchmark whose every call failed is an alert of every answer."""
    assert "failed-results" in {one.code for one in answered("data/token-sdk").caveats}


def test_two_levels_are_a_curve_where_the_study_lists_it_and_choose_no_law() -> None:
    """Speedup and efficiency are told; a line through two levels proves nothing."""
    answer = answered("data/token-sdk")
    assert len(answer.curves) == 6
    for one in answer.curves:
        assert [point.concurrency for point in one.points] == [1, 2]
        assert (one.choice, one.chosen, one.split, one.advice) == (None, None, (), ())
        assert one.why == "none: 2 levels cannot tell one law from another; measure at least 3"
        assert "usl needs 4" in one.refused_fits[0]


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


def test_the_public_name_opens_what_it_is_given(tmp_path: Path) -> None:
    """A study, a path, or its text: the same answer."""
    study = make_table(tmp_path, HEADS, swept())
    found = [benchlib.fit_scaling(one, budget=0) for one in (study, tmp_path, str(tmp_path))]
    peaks = [one.curves[0].fits[-1].coefficients for one in found if isinstance(one, ScalingAnswer)]
    assert len(set(peaks)) == 1
    assert len(peaks) == 3


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
