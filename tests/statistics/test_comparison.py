"""The U test, the interval that inverts it, and the verdict."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from benchlib.errors import DataError
from benchlib.statistics import ranks
from benchlib.statistics.compare import compare_samples, mann_whitney
from benchlib.statistics.ranks import shift_interval, smallest_pvalue

REFERENCE = Path(__file__).parents[1] / "reference"


def numbers(text: str) -> list[float]:
    return [float(one) for one in text.strip("[]").split()]


def test_pvalues_equal_benchstat() -> None:
    """The U rows of golang.org/x/perf/benchmath, to 1e-12."""
    with (REFERENCE / "benchmath_reference.csv").open(newline="") as lines:
        rows = [row for row in csv.reader(lines) if row[0] == "MWU"]
    assert len(rows) == 6
    for _, first, second, pvalue, _ in rows:
        assert mann_whitney(numbers(first), numbers(second)) == pytest.approx(float(pvalue), rel=0, abs=1e-12), (
            first,
            second,
        )


def test_pvalues_equal_moremath() -> None:
    """75 random pairs of samples of 1 to 60 values, tied and not, to 1e-12; its p above 1 are 1 here."""
    with (REFERENCE / "mann_whitney_reference.csv").open(newline="") as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    assert len(rows) == 75
    above = 0
    for row in rows:
        expected = float(row["pvalue"])
        above += expected > 1
        found = mann_whitney(numbers(row["first"]), numbers(row["second"]))
        assert found == pytest.approx(min(1.0, expected), rel=0, abs=1e-12), row
    assert above == 4


def test_exact_without_ties_equals_scipy() -> None:
    """Without ties SciPy's exact test counts the same arrangements."""
    random = np.random.default_rng(3)
    for n1, n2 in [(2, 7), (9, 9), (20, 31)]:
        first, second = random.normal(size=n1), random.normal(0.5, size=n2)
        expected = stats.mannwhitneyu(first, second, method="exact").pvalue
        assert mann_whitney(first, second) == pytest.approx(expected, rel=0, abs=1e-12)


def test_exact_with_ties_is_not_scipys() -> None:
    """SciPy's exact test ignores ties: with many, it is a tenth off what the permutations give."""
    first, second = np.array([1.0, 1, 1, 2, 2]), np.array([1.0, 2, 2, 2, 2])
    exact = stats.permutation_test(
        (first, second),
        lambda one, other: float(abs(one.mean() - other.mean())),
        n_resamples=9999,  # more than there are: all are taken
        vectorized=False,
        alternative="greater",
    ).pvalue
    assert mann_whitney(first, second) == pytest.approx(exact, abs=1e-12)
    assert abs(stats.mannwhitneyu(first, second, method="exact").pvalue - exact) > 0.1


def test_large_samples_take_the_normal_approximation() -> None:
    """Beyond 25 a side with ties: normal with tie and continuity correction, as SciPy has it."""
    random = np.random.default_rng(4)
    first, second = random.integers(0, 9, 26), random.integers(1, 10, 40)
    expected = stats.mannwhitneyu(first, second, method="asymptotic", use_continuity=True).pvalue
    assert mann_whitney(first, second) == pytest.approx(expected, rel=1e-12)


def test_equal_sides_have_p_one() -> None:
    """U1 = U2 gives exactly 1, whatever the n."""
    assert mann_whitney([5.0] * 3, [5.0] * 3) == 1.0
    assert mann_whitney([1.0, 3.0], [2.0, 2.0]) == 1.0
    assert mann_whitney([5.0] * 80, [5.0] * 90) == 1.0


def test_smallest_pvalue_is_reached() -> None:
    """Samples apart in every value reach the smallest p value of their sizes."""
    for n1, n2 in [(1, 1), (3, 3), (4, 6)]:
        apart = mann_whitney(np.arange(n1), np.arange(n2) + 100.0)
        assert smallest_pvalue(n1, n2) == pytest.approx(apart, rel=1e-12)
    assert smallest_pvalue(5000, 5000) == 0.0


def test_shift_interval_inverts_the_test() -> None:
    """Just inside an end the test does not reject the shift; just outside it does."""
    random = np.random.default_rng(6)
    first, second = random.normal(size=7), random.normal(2.0, size=9)
    low, high = shift_interval(first, second, 0.95)
    for end, outwards in [(low, -1), (high, 1)]:
        assert mann_whitney(first + end + outwards * 1e-9, second) <= 0.05
        assert mann_whitney(first + end - outwards * 1e-9, second) > 0.05


def test_shift_interval_of_large_samples_is_bisected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bisection over ranks and a table of all pairs find the same ends."""
    random = np.random.default_rng(8)
    first, second = random.normal(size=60), random.normal(1.0, size=70)
    tabled = shift_interval(first, second, 0.95)
    monkeypatch.setattr(ranks, "PAIRS_LIMIT", 10)
    assert shift_interval(first, second, 0.95) == pytest.approx(tabled, rel=1e-12)


def test_one_against_one_cannot_tell() -> None:
    """One value a side: a ratio and a difference, no interval, no verdict."""
    found = compare_samples([10.0], [30.0], unit="sec/op", better="lower")
    assert (found.ratio.value, found.difference.value) == (3.0, 20.0)
    assert (found.ratio.low, found.ratio.high) == (-math.inf, math.inf)
    assert (found.pvalue, found.smallest_pvalue, found.verdict) == (1.0, 1.0, "cannot tell")
    assert "cannot-detect" in {one.code for one in found.caveats}


def test_three_against_three_can_never_tell() -> None:
    """At n = 3 the smallest p value is 0.1: no difference, however large, is called one."""
    found = compare_samples([1.0, 2, 3], [1000.0, 2000, 3000], unit="sec/op", better="lower")
    assert found.verdict == "cannot tell"
    assert found.smallest_pvalue == pytest.approx(0.1)


def test_bound_that_is_met_exactly_counts() -> None:
    """At 90 % three against three reach p = 0.1 exactly: a finite interval and a verdict."""
    found = compare_samples([1.0, 2, 3], [10.0, 20, 30], unit="sec/op", better="lower", confidence_level=0.9)
    assert (found.verdict, found.ratio.has_interval) == ("worse", True)
    assert (found.difference.low, found.difference.high) == (7.0, 29.0)


@pytest.mark.parametrize(("better", "verdict"), [("lower", "worse"), ("higher", "better"), (None, "cannot tell")])
def test_verdict_follows_the_direction(better: str | None, verdict: str) -> None:
    """Doubling is worse for a time, better for a throughput, and neither for who knows what."""
    old = np.array([10.0, 10.1, 10.2, 10.3, 10.4, 10.5])
    found = compare_samples(old, 2 * old, unit="x", better=better)  # type: ignore[arg-type]
    assert found.verdict == verdict
    assert found.ratio.value == pytest.approx(2.0)
    assert found.ratio.low < 2.0 < found.ratio.high


def test_small_effects_do_not_matter() -> None:
    """A true 3 % is worse, unless only 5 % matters: then it is the same."""
    old = np.array([100.0, 100.1, 100.2, 100.3, 100.4, 100.5])
    assert compare_samples(old, 1.03 * old, unit="s", better="lower").verdict == "worse"
    assert compare_samples(old, 1.03 * old, unit="s", better="lower", min_effect=0.05).verdict == "same"


def test_same_needs_evidence() -> None:
    """Equal medians with wide intervals are not called the same; equal counts are."""
    wide = [50.0, 80, 100, 120, 150, 200]
    assert compare_samples(wide, wide, unit="s", better="lower").verdict == "cannot tell"
    assert compare_samples([479.0] * 6, [479.0] * 6, unit="allocs/op", better="lower").verdict == "same"


def test_from_nothing_to_one_has_no_ratio() -> None:
    """0 -> 1 allocation: no ratio, a difference of 1, and a regression all the same."""
    found = compare_samples([0.0] * 6, [1.0] * 6, unit="allocs/op", better="lower")
    assert math.isnan(found.ratio.value)
    assert found.ratio.high == math.inf
    assert (found.difference.value, found.difference.low, found.difference.high) == (1.0, 1.0, 1.0)
    assert found.verdict == "worse"
    assert "no-ratio" in {one.code for one in found.caveats}
    once = compare_samples([0.0], [1.0], unit="allocs/op", better="lower")
    assert (once.difference.value, once.verdict) == (1.0, "cannot tell")


def test_from_one_to_nothing_is_better() -> None:
    """1 -> 0 allocations: a ratio of 0."""
    found = compare_samples([1.0] * 6, [0.0] * 6, unit="allocs/op", better="lower")
    assert (found.ratio.value, found.ratio.low, found.ratio.high) == (0.0, 0.0, 0.0)
    assert found.verdict == "better"


def test_nothing_stays_nothing() -> None:
    """0 and 0 are the same, with enough values to say so."""
    assert compare_samples([0.0] * 6, [0.0] * 6, unit="allocs/op", better="lower").verdict == "same"


def test_interval_holds_its_value() -> None:
    """The ratio of medians lies in the interval beside it, even for lumpy samples."""
    random = np.random.default_rng(11)
    for _ in range(50):
        old = random.choice([1.0, 10.0], size=7) * random.uniform(1, 1.2, size=7)
        new = random.choice([1.0, 10.0], size=9) * random.uniform(1, 1.2, size=9)
        ratio = compare_samples(old, new, unit="s", better="lower").ratio
        assert ratio.low <= ratio.value <= ratio.high


def test_unit_does_not_change_the_answer() -> None:
    """Nanoseconds instead of seconds: same ratio, p value and verdict."""
    random = np.random.default_rng(12)
    old, new = random.lognormal(size=8), random.lognormal(0.5, size=8)
    one = compare_samples(old, new, unit="sec", better="lower")
    other = compare_samples(old * 1e9, new * 1e9, unit="ns", better="lower")
    assert (one.pvalue, one.verdict) == (other.pvalue, other.verdict)
    assert (other.ratio.low, other.ratio.high) == pytest.approx((one.ratio.low, one.ratio.high), rel=1e-9)
    assert other.difference.value == pytest.approx(1e9 * one.difference.value)


@pytest.mark.parametrize("effect", [-0.1, 1.0, 2])
def test_effect_outside_its_range(effect: float) -> None:
    """A smallest effect of 2 means 200 %: surely 2 % was meant."""
    with pytest.raises(DataError, match=r"write 2 % as 0\.02"):
        compare_samples([1.0], [1.0], unit="s", better="lower", min_effect=effect)


def coverage(n1: int, n2: int, rounds: int, seed: int) -> float:
    random = np.random.default_rng(seed)
    hits = 0
    for _ in range(rounds):
        first, second = random.lognormal(0.0, 0.3, n1), 1.5 * random.lognormal(0.0, 0.3, n2)
        low, high = shift_interval(np.log(first), np.log(second), 0.95)
        hits += math.exp(low) <= 1.5 <= math.exp(high)
    return hits / rounds


@pytest.mark.parametrize(("n1", "n2"), [(4, 4), (6, 6), (10, 7)])
def test_ratio_interval_covers(n1: int, n2: int) -> None:
    """The interval of the ratio covers at least 95 % (less 3 standard errors of the simulation)."""
    assert coverage(n1, n2, 1000, 17) >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 1000)


@pytest.mark.heavy
@pytest.mark.parametrize(("n1", "n2"), [(4, 4), (6, 6), (10, 10), (20, 25), (55, 60)])
def test_ratio_interval_covers_at_length(n1: int, n2: int) -> None:
    """The same over 20,000 rounds, and not by being needlessly wide."""
    share = coverage(n1, n2, 20_000, 18)
    assert 0.95 - 3 * math.sqrt(0.95 * 0.05 / 20_000) <= share <= 0.975
