"""The level to run at, the measurement to make next, and the command that makes it."""

from __future__ import annotations

import math
import shlex

import numpy as np
import pytest
from scipy import stats

from benchlib.errors import DataError
from benchlib.scaling.advise import best_return, measuring_command, next_measurements, seconds_of, sets_axis
from benchlib.scaling.curve import build_curve
from benchlib.scaling.fit import ScalingFit, fit_law
from benchlib.scaling.laws import usl
from benchlib.statistics.estimates import Estimate
from tests.scaling.simulations import LEVELS, ONIX_LEVELS, ONIX_REQUESTS, ONIX_TIMES, RAYTRACER, noisy_curve

TRIPLES = np.repeat(LEVELS[:5], 3)
TRUTH = (100.0, 0.05, 0.002)
CURVE = noisy_curve("usl", TRUTH, 1, levels=TRIPLES)
FIT = fit_law(CURVE, "usl")


def estimate_of(fit: ScalingFit, quantity: str) -> Estimate:
    """A parameter or a derived quantity."""
    return fit.parameters[quantity] if quantity in fit.parameters else getattr(fit, quantity)


# What to measure next, and whether it keeps its promise.


@pytest.mark.parametrize("quantity", ["rate_at_one", "contention", "peak", "ceiling", "saturation_point"])
def test_the_present_interval_is_that_of_the_fit(quantity: str) -> None:
    """Advice starts from what is known, not from another interval."""
    advice = next_measurements(CURVE, FIT, quantity, seconds_each=1, budget=6)[0]
    known = estimate_of(FIT, quantity)
    assert (advice.now.value, advice.now.method) == (known.value, known.method)
    # Profiles searched one by one or together close within 1e-7 of the rise.
    assert (advice.now.low, advice.now.high) == pytest.approx((known.low, known.high), rel=1e-5)
    assert advice.present_width == pytest.approx(known.high - known.low, rel=1e-5)
    assert advice.shrink == pytest.approx(advice.expected_width / advice.present_width)
    # The one choice that needs no computing.
    assert quantity != "rate_at_one" or advice.concurrency == 1


def test_best_first_within_reach_and_budget() -> None:
    """Whole concurrencies up to twice the largest level, as many repetitions as the budget holds."""
    advice = next_measurements(CURVE, FIT, "contention", seconds_each=8, budget=50)
    assert [step.shrink for step in advice] == sorted(step.shrink for step in advice)
    assert {step.concurrency for step in advice} >= {*range(1, 17), 32}
    assert max(step.concurrency for step in advice) == 32
    assert {(step.repetitions, step.seconds) for step in advice} == {(6, 48)}
    limited = next_measurements(CURVE, FIT, "contention", seconds_each=8, budget=50, limit=10)
    assert max(step.concurrency for step in limited) == 10
    # 10,000 repetitions are one row.
    many = next_measurements(CURVE, FIT, "contention", seconds_each=0.1, budget=1000)
    assert {step.repetitions for step in many} == {10_000}
    assert many[0].shrink < 0.6


def test_the_promise_of_a_linear_law_is_exact() -> None:
    """On a line with r more of n measurements: sqrt(n/(n + r)) times the ratio of quantiles (t(.975) 2.262, 2.145).

    Where levels share noise r values of one more level are worth one level at most: of 5 levels 6, whatever r is.
    """
    curves = [noisy_curve("linear", (10.0,), seed, levels=np.repeat(LEVELS[:5], 2)) for seed in (3, 0)]
    few, many = (
        next_measurements(curves[shared], fit_law(curves[shared], "linear"), "rate_at_one", seconds_each=1, budget=more)
        for shared, more in ((0, 5), (1, 10_000))
    )
    exact = math.sqrt(10 / 15) * 2.1447867 / 2.2621572
    assert [step.shrink for step in few] == pytest.approx([exact] * len(few), rel=1e-6)
    fit = fit_law(curves[1], "linear")
    levels = fit.variance / 2 / fit.between_levels**2
    exact = math.sqrt(5 / (5 + levels)) * 2.5705818 / 2.7764451  # t(.975) with 5 and 4 degrees of freedom
    assert [step.shrink for step in many] == pytest.approx([exact] * len(many), rel=1e-3)


def test_a_wald_promise_is_the_inverse_of_the_augmented_information() -> None:
    """The Sherman-Morrison update gives what inverting the information of all rows gives."""
    advice = {step.concurrency: step for step in next_measurements(CURVE, FIT, "contention", seconds_each=1, budget=4)}
    n = np.concatenate([CURVE.rows[0], np.full(4, 9.0)])
    relative = usl.gradient(n, *FIT.coefficients) / usl.throughput(n, *FIT.coefficients)[:, np.newaxis]
    variance = FIT.residual_standard_error**2 * np.linalg.inv(relative.T @ relative)[1, 1]
    assert advice[9].expected.standard_error == pytest.approx(math.sqrt(variance), rel=1e-6)
    assert advice[9].expected_width == pytest.approx(2 * 2.1199053 * math.sqrt(variance), rel=1e-6)  # t(.975, 16)


@pytest.mark.parametrize("weights", ["relative", "none"])
def test_a_profile_promise_is_the_profile_of_rows_on_the_curve(weights: str) -> None:
    """7 repetitions promise what a fit with 7 rows on its curve says, at the level that makes s² t² the same.

    Such rows add nothing to the sum of squares and 7 degrees of freedom, so their s² is smaller by 12 to 19.
    """
    fit = fit_law(CURVE, "usl", weights=weights)
    advice = {step.concurrency: step for step in next_measurements(CURVE, fit, "peak", seconds_each=1, budget=7)}
    n, x = CURVE.rows
    further = usl.throughput(np.full(7, 24.0), *fit.coefficients)
    rows = build_curve([*n, *[24.0] * 7], [*x, *further], unit="op/sec")
    quantile = stats.t.ppf(0.975, 19) * math.sqrt(19 / 12)
    level = 1 - 2 * stats.t.sf(quantile, 19)
    peak = fit_law(rows, "usl", weights=weights, confidence_level=level).peak
    assert (advice[24].expected.low, advice[24].expected.high) == pytest.approx((peak.low, peak.high), rel=1e-5)
    assert advice[24].expected.n == 22


def test_what_is_bounded_on_one_side_is_advised_on_that_end() -> None:
    """Of a peak without upper end the lower one is raised, from beyond the data; of a loss on its bound the limit."""
    best = next_measurements(RAYTRACER, fit_law(RAYTRACER, "usl"), "peak", seconds_each=10, budget=60)[0]
    assert math.isinf(best.now.high)
    assert best.concurrency == 128
    assert best.expected.low > 1.5 * best.now.low
    assert best.shrink == pytest.approx(best.now.low * (1 / best.expected.low - 1 / best.expected.high))
    fit = fit_law(RAYTRACER, "usl", weights="none")
    assert fit.on_bound == ("coherency",)
    best = next_measurements(RAYTRACER, fit, "coherency", seconds_each=10, budget=60)[0]
    assert best.now.high == pytest.approx(fit.parameters["coherency"].high, rel=1e-6)
    assert best.expected.high < 0.7 * best.now.high


def test_where_nothing_narrows_an_interval_the_smallest_concurrency_comes_first() -> None:
    """All work serial and no level 1: the rate has no end now, and none after one more level either."""
    curve = build_curve([4, 8, 16, 32], [127.7, 126.3, 91.5, 49.2], unit="op/sec")
    advice = next_measurements(curve, fit_law(curve, "amdahl"), "rate_at_one", seconds_each=1, budget=3)
    assert all(math.isnan(step.shrink) and step.expected_width == math.inf for step in advice)
    assert [step.concurrency for step in advice[:5]] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("quantity", "seconds", "budget", "message"),
    [
        ("peak", 1, 6, "Amdahl has no quantity 'peak'; it has rate_at_one, serial_fraction, knee"),
        ("knee", 10, 5, "a budget of 5 s holds no measurement of 10 s"),
        ("knee", 0, 5, "give positive seconds"),
        ("knee", 10, 1e12, "holds more than 10,000 measurements of"),
        ("knee", 1e-9, 60, "holds more than 10,000 measurements of"),
        ("knee", 1e-300, 1e300, "holds more than 10,000 measurements of"),
    ],
)
def test_refusals(quantity: str, seconds: float, budget: float, message: str) -> None:
    """One line each: what was asked, what is needed."""
    with pytest.raises(DataError, match=message):
        next_measurements(CURVE, fit_law(CURVE, "amdahl"), quantity, seconds_each=seconds, budget=budget)


def measured(levels: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Throughputs of the true law with noise of 5 %."""
    return usl.throughput(levels, *TRUTH) * np.exp(0.05 * random.standard_normal(len(levels)))


def promises(runs: int, quantity: str, seed: int, levels: np.ndarray = TRIPLES) -> np.ndarray:
    """One row a run: width reached by width promised, by the present one, and that after measuring at N = 4 instead.

    No run is left out. Those without a present upper end have a share of 0 of it.
    """
    random = np.random.default_rng(seed)
    rows = []
    implied = quantity not in usl.parameters
    for _ in range(runs):
        throughput = measured(levels, random)
        curve = build_curve(levels, throughput, unit="op/sec")
        best = next_measurements(curve, fit_law(curve, "usl", derived=implied), quantity, seconds_each=1, budget=6)[0]
        widths = []
        for n in (float(best.concurrency), 4.0):
            further = np.full(6, n)
            more = np.concatenate([levels, further]), np.concatenate([throughput, measured(further, random)])
            after = estimate_of(fit_law(build_curve(*more, unit="op/sec"), "usl", derived=implied), quantity)
            widths.append(after.high - after.low)
        now = best.now.high - best.now.low
        rows.append((widths[0] / best.expected_width, widths[0] / now, widths[1] / now))
    return np.array(rows)


@pytest.mark.parametrize(
    ("quantity", "runs", "within"),
    [
        ("contention", 20, 0.2),
        ("ceiling", 20, 0.2),
        *(
            pytest.param(quantity, 150, 0.1, marks=pytest.mark.heavy)
            for quantity in ("contention", "coherency", "ceiling", "saturation_point")
        ),
    ],
)
def test_advice_keeps_its_promise(quantity: str, runs: int, within: float) -> None:
    """Measured as advised, the interval shrinks by what was promised, and more than by measuring elsewhere."""
    promised, shrunk, elsewhere = np.median(promises(runs, quantity, seed=6), axis=0)
    assert promised == pytest.approx(1, abs=within)
    assert shrunk < 0.75 * elsewhere


@pytest.mark.heavy
def test_a_peak_is_promised_rightly_within_the_data_and_beyond_on_the_whole_only() -> None:
    """Levels up to 64 around a peak at 22; beyond the data too much where the interval is finite, else too little.

    A finite interval is a sign that the peak was estimated low, and its promise is that of a low peak.
    """
    within = promises(200, "peak", seed=7, levels=np.repeat(LEVELS, 3))
    assert np.median(within[:, 0]) == pytest.approx(1, abs=0.1)
    promised, of_now, _ = promises(300, "peak", seed=6).T
    finite = of_now > 0
    # Without an upper end now and after there is no share.
    assert np.nanmedian(promised) == pytest.approx(1, abs=0.2)
    assert 1.2 < np.nanmedian(promised[finite]) < 1.6
    assert 0.3 < np.nanmedian(promised[~finite]) < 0.7


# The command that makes a measurement.


@pytest.mark.parametrize(
    ("axis", "template", "written"),
    [
        ("gomaxprocs", "go test ./... -run='^$' -bench='A|B' -cpu=1,2,4 -count=3",
         "go test ./... '-run=^$' '-bench=A|B' -cpu=24 -count=6"),
        ("gomaxprocs", "go test -bench . -test.cpu 1,2", "go test -bench . -test.cpu 24 -count=6"),
        ("gomaxprocs", "go test -cpu=1 -cpu=2 -bench=x", "go test -cpu=1 -cpu=24 -bench=x -count=6"),
        ("workers", "go test -v -workers=1,2 -duration=4s", "go test -v -workers=24 -duration=4s -count=6"),
        ("connections", "wrk -tT -cC -d3s http://h/x", "for i in $(seq 6); do wrk -tT -c24 -d3s http://h/x; done"),
        ("connections", "hey -c 8 http://h/x", "for i in $(seq 6); do hey -c 24 http://h/x; done"),
        ("connections", "wrk -c {concurrency} http://h/x", "for i in $(seq 6); do wrk -c 24 http://h/x; done"),
        ("nodes", "bench --{axis} {concurrency} --times {repetitions}", "bench --nodes 24 --times 6"),
        ("workers", "python run_benchmarks.py", "measure at workers 24, 6 times"),
        ("workers", "", "measure at workers 24, 6 times"),
        # What a shell would act on is neither run nor rewritten.
        *(
            ("connections", f"wrk -c8 {rest}", "measure at connections 24, 6 times")
            for rest in ("x; rm -rf /", "$(cat x)", "x | tee y", "'x", "`x`", '"$HOME"')
        ),
    ],
)  # fmt: skip
def test_commands(axis: str, template: str, written: str) -> None:
    """The command that made the measurements, with its concurrency set anew; words where it says none."""
    assert measuring_command(24, 6, axis, template) == written
    assert sets_axis(axis, template) == (not written.startswith("measure"))


@pytest.mark.parametrize(
    ("template", "written"),
    [
        ("wrk -t2 -c8 -d3s http://h/x", "wrk -t1 -c1 -d3s http://h/x"),
        ("/usr/bin/wrk --threads 4 --connections=8 http://h/x", "/usr/bin/wrk --threads 1 --connections=1 http://h/x"),
        ("wrk -t 2 -c {concurrency} http://h/x", "wrk -t 1 -c 1 http://h/x"),
        ("wrk -t1 -c8 http://h/x", "wrk -t1 -c1 http://h/x"),
        ("wrk -tT -c8 http://h/x", "wrk -tT -c1 http://h/x"),
        ("wrk -c8 http://h/x", "wrk -c1 http://h/x"),
        ("hey -t 20 -c 8 http://h/x", "hey -t 20 -c 1 http://h/x"),
        # Only a word of its own, in capitals, takes the level of its axis, and only a level that is no shell syntax.
        ("wrk -cC http://h/ENDPOINT?x=ENDPOINTS&y=ACTION", "measure at connections 1, once"),
        ("wrk -cC 'http://h/ENDPOINT?x=ENDPOINTS,ACTION'", "wrk -c1 'http://h/hash?x=ENDPOINTS,ACTION'"),
    ],
)
def test_what_else_a_command_takes(template: str, written: str) -> None:
    """wrk ends with `number of connections must be >= threads`; -t of another program is something else."""
    levels = {"endpoint": "hash", "action": "a; rm -rf b"}
    assert measuring_command(1, 1, "connections", template, levels) == written


def test_words_are_quoted_again_and_fields_known() -> None:
    """A pattern that a shell would expand comes out quoted; an unknown field would be printed as it stands."""
    written = measuring_command(8, 1, "gomaxprocs", "go test -bench='^X y$' -cpu=2")
    assert shlex.split(written) == ["go", "test", "-bench=^X y$", "-cpu=8", "-count=1"]
    assert measuring_command(8, 1, "a b; x", "run {axis} {concurrency}") == "run 'a b; x' 8"
    with pytest.raises(DataError, match="unknown field 'reps'; fields: concurrency, repetitions, axis"):
        measuring_command(8, 1, "workers", "run {concurrency} {reps}")


@pytest.mark.parametrize(
    ("template", "seconds"),
    [
        ("wrk -t2 -cC -d3s http://h/x", 3),
        ("wrk -t2 -c8 -d 30 http://h/x", 30),
        ("wrk -c8 --duration 2m http://h/x", 120),
        ("hey -c 8 -z 1m30s http://h/x", 90),
        ("go test -bench=. -benchtime=200ms -cpu=1,2", 0.2),
        ("go test -bench=. -benchtime 1.5s -cpu=1,2", 1.5),
        ("go test -v -workers=1,2 -duration=4s", 4),
        ("go test -bench=. -benchtime=100x -cpu=1,2", None),
        ("wrk -c8 -d0s http://h/x", None),
        ("wrk -c8 -d", None),
        ("wrk -c8 -d3s http://h/x | tee log", None),
        ("python run.py", None),
        ("", None),
    ],
)
def test_the_time_of_a_measurement_is_read_from_its_command(template: str, seconds: float | None) -> None:
    """As the tools write it; a count of iterations, or a line for a shell, says no time."""
    assert seconds_of(template) == (None if seconds is None else pytest.approx(seconds))


# Where another core pays.


@pytest.mark.parametrize("throughput", [ONIX_TIMES, ONIX_REQUESTS])
def test_published_onix_sweep(throughput: list[float]) -> None:
    """By core best at 1, by added core best from 2 to 4, on both curves; 4 is recommended of 10 cores."""
    curve = build_curve(ONIX_LEVELS, throughput, unit="op/sec")
    answer = best_return(curve, cores=10)
    assert (answer.per_core_best, answer.added_core_best, answer.recommended) == (1, (2, 4), 4)
    assert answer.recommended_range is None


@pytest.mark.parametrize(
    ("throughput", "cores", "recommended", "added"),
    [
        ([10.0, 16.0, 24.0, 60.0, 200.0], None, 16, (8, 16)),
        ([10.0, 16.0, 24.0, 60.0, 200.0], 4, 4, (1, 2)),
        ([10.0, 9.0, 7.0], 4, 1, None),
    ],
)
def test_levels_beyond_the_cores_never_count(
    throughput: list[float], cores: int | None, recommended: int, added: tuple[int, int] | None
) -> None:
    """A gain that needs 16 workers on 4 cores is not recommended; a curve that only falls gains nowhere."""
    curve = build_curve(2 ** np.arange(len(throughput)), throughput, unit="op/sec")
    answer = best_return(curve, cores=cores)
    assert (answer.recommended, answer.added_core_best) == (recommended, added)


def test_no_level_within_the_cores_is_refused() -> None:
    """Levels 4 and 8 on 2 cores carry no recommendation."""
    with pytest.raises(DataError, match="lies within the 2 cores"):
        best_return(build_curve([4, 8], [10.0, 19.0], unit="op/sec"), cores=2)


def test_levels_that_cannot_be_told_from_the_best_are_a_range() -> None:
    """By Welch's test of X²/N, where levels have replicates."""
    generator = np.random.default_rng(3)
    n = np.repeat([1.0, 2.0, 4.0, 8.0], 5)
    values = np.repeat([10.0, 18.0, 25.5, 30.0], 5) * (1 + 0.02 * generator.standard_normal(20))
    assert best_return(build_curve(n, values, unit="op/sec"), cores=8).recommended_range == (2, 4)
