"""Claims of earlier reports: supported, contradicted, not decided, not testable."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from benchlib.answers.claims import ClaimAnswer
from benchlib.answers.executive import executive_summary
from benchlib.study import open_study
from tests.synthetic import around, go_text, make_study, make_table

SAID = '[[claims]]\ntext = "t"\nsource = "s"\n'
SCALING = '[scaling]\nconcurrency = "workers"\n'


def judge(folder: Path, definition: str, /, **files: str) -> ClaimAnswer:
    """The verdict on the only claim."""
    (found,) = executive_summary(make_study(folder, definition, **files)).claims
    return found


@pytest.mark.parametrize(
    ("bound", "verdict"),
    [
        ('at_most = "9 ns"', "supported"),
        ('at_most = "8.08 ns"', "supported"),
        ('at_most = "8 ns"', "not decided"),
        ('at_least = "7.92 ns"', "supported"),
        ('at_most = "7 ns"', "contradicted"),
        ('between = ["7 ns", "9 ns"]', "supported"),
        ('at_least = "9 ns"', "contradicted"),
    ],
)
def test_a_median_is_held_against_its_bound(tmp_path: Path, bound: str, verdict: str) -> None:
    """Six repeats from 7.92 to 8.08 ns."""
    found = judge(tmp_path, f'{SAID}about = "median"\nmetric = "time"\n{bound}\n', a=go_text({"Decode": around(8)}))
    assert found.verdict == verdict
    (place,) = found.findings
    assert place.place == "Decode"
    assert place.evidence.rows == ("a.txt:1-6",)


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        (
            'about = "median"\nmetric = "time"\nat_most = "1 ns"\n',
            "too few measurements for an interval; as measured it misses the bound",
        ),
        # The reason of the refusal is the reason.
        ('about = "recommended"\nat_most = 8\n', "no axis of these results is named as concurrency"),
    ],
)
def test_one_measurement_tests_nothing(tmp_path: Path, claim: str, reason: str) -> None:
    """What was measured is told, and that it decides nothing, however far it lies."""
    answer = judge(tmp_path, SAID + claim, a=go_text({"Decode": [800]}))
    assert (answer.verdict, answer.reason) == ("not testable", reason)


def test_a_mean_is_not_held_against_a_claim_on_the_median(tmp_path: Path) -> None:
    """217 µs is a mean: a source that says "less than 200 µs in the median" may be right for all that it shows."""
    text = f'{SAID}about = "median"\nmetric = "time"\nstatistic = "median"\nat_most = "7 ns"\n'
    found = judge(tmp_path, text, a=go_text({"Decode": around(8)}))
    assert found.verdict == "not testable"
    assert found.reason == "only means were published or measured, and it speaks of the median"


def test_one_place_that_contradicts_is_enough(tmp_path: Path) -> None:
    """A claim about all benchmarks fails with the first, and each place says what it says."""
    text = f'{SAID}about = "median"\nmetric = "time"\nat_most = "9 ns"\n'
    found = judge(tmp_path, text, a=go_text({"Decode": around(8), "Encode": around(20)}))
    assert found.verdict == "contradicted"
    assert {one.place: one.verdict for one in found.findings} == {"Decode": "supported", "Encode": "contradicted"}


@pytest.mark.parametrize(
    ("metric", "unit", "values"), [("time", "us/op", (100, 50)), ("throughput", "op/s", (50, 100))]
)
def test_a_gain_is_told_the_same_way_up_for_every_metric(
    tmp_path: Path, metric: str, unit: str, values: tuple[float, float]
) -> None:
    """Half the time and twice the throughput are both a gain of two."""
    rows = [
        ("B", kind, metric, centre * one, unit)
        for kind, centre in zip("ab", values, strict=True)
        for one in (0.99, 1.0, 1.01)
    ]
    definition = (
        f'[[compare]]\nname = "k"\ncolumn = "kind"\nbaseline = "a"\n{SAID}about = "gain"\nbetween = [1.9, 2.1]\n'
    )
    study = make_table(tmp_path, "benchmark kind metric value unit", rows, definition)
    (found,) = executive_summary(study).claims
    assert found.verdict == "supported"
    assert found.findings[0].estimate.value == pytest.approx(2, rel=0.02)


def sweep(repeats: int) -> list[tuple[object, ...]]:
    """Throughput that grows to 3 times its own from 1 worker to 4."""
    return [
        ("B", n, "throughput", rate * (1 + 0.01 * place), "op/s")
        for n, rate in ((1, 100), (2, 190), (4, 300))
        for place in range(repeats)
    ]


@pytest.mark.parametrize(
    ("claim", "repeats", "verdict"),
    [
        ('about = "speedup"\nat = 4\nat_least = 2.5', 3, "supported"),
        ('about = "speedup"\nat = 4\nat_least = 3.5', 3, "contradicted"),
        ('about = "efficiency"\nat = 4\nbetween = [0.7, 0.8]', 3, "supported"),
        ('about = "efficiency"\nat = 4\nat_least = 0.9', 3, "contradicted"),
        ('about = "efficiency"\nat = 4\nat_least = 0.9', 1, "not testable"),
        ('about = "recommended"\nbetween = [1, 4]', 3, "supported"),
        ('about = "recommended"\nbetween = [8, 16]', 3, "contradicted"),
    ],
)
def test_curves_answer_for_their_levels(tmp_path: Path, claim: str, repeats: int, verdict: str) -> None:
    """Speedup 3 and efficiency 0.75 at 4 workers, by intervals where levels were repeated."""
    study = make_table(tmp_path, "benchmark workers metric value unit", sweep(repeats), f"{SCALING}{SAID}{claim}\n")
    (found,) = executive_summary(study).claims
    assert found.verdict == verdict


def test_a_level_that_was_not_measured_is_named(tmp_path: Path) -> None:
    """No law is read where a measurement was claimed."""
    definition = f'{SCALING}{SAID}about = "speedup"\nat = 8\nat_least = 2\n'
    study = make_table(tmp_path, "benchmark workers metric value unit", sweep(3), definition)
    (found,) = executive_summary(study).claims
    assert (found.verdict, found.reason) == ("not testable", "no curve was measured at 8, only at 1, 2, 4")


def test_a_recommendation_is_held_against_its_own_rule() -> None:
    """The published sweep is best at 1 core per core, from 2 to 4 per added core, and has its knee at 4."""
    best = {"knee": 4.0, "throughput per core": 1.0, "throughput per added core": 2.0}
    study = open_study("data/onix-adapter-published")
    (claim,) = (one for one in study.claims if one.about == "recommended")
    object.__setattr__(study, "claims", tuple(replace(claim, rule=rule) for rule in best))
    answers = executive_summary(study).claims
    for (rule, value), answer in zip(best.items(), answers, strict=True):
        assert [one.estimate.value for one in answer.findings] == [value, value]
        inside = "meets" if rule == "knee" else "misses"
        assert answer.reason == f"too few measurements for an interval; as measured it {inside} the bound"
