"""The level to run at, and the measurement to make next."""

from __future__ import annotations

import math
import shlex
from dataclasses import replace

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.scaling.advise import (
    Advice,
    _estimate,
    _rank,
    _shrink,
    _solve_again,
    _with_more,
    best_return,
    command,
    measuring_command,
    next_measurements,
    seconds_of,
    sets_axis,
)
from benchlib.scaling.curve import ScalingCurve, build_curve
from benchlib.scaling.fit import ScalingFit, fit_law
from benchlib.scaling.laws import usl
from benchlib.statistics.estimates import Estimate

# What to measure next, and whether it keeps its promise.

LEVELS = np.repeat([1.0, 2.0, 4.0, 8.0, 16.0], 3)
TRUTH = (100.0, 0.05, 0.002)
RAYTRACER = build_curve(
    [1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64], [20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310], unit="op/sec"
)


def measured(levels: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Throughputs of the true law with noise of 5 %."""
    return usl.throughput(levels, *TRUTH) * np.exp(0.05 * random.standard_normal(len(levels)))


def some_curve(seed: int = 1) -> ScalingCurve:
    """A curve of the true law."""
    return build_curve(LEVELS, measured(LEVELS, np.random.default_rng(seed)), unit="op/sec")


def estimate_of(fit: ScalingFit, quantity: str) -> Estimate:
    """A parameter or a derived quantity."""
    return fit.parameters[quantity] if quantity in fit.parameters else getattr(fit, quantity)


def test_the_present_interval_is_that_of_the_fit() -> None:
    """Advice starts from what is known, not from another interval."""
    curve = some_curve()
    fit = fit_law(curve, "usl")
    for quantity in ("rate_at_one", "contention", "peak", "ceiling", "saturation_point"):
        found = next_measurements(curve, fit, quantity, seconds_each=1, budget=6)
        known = estimate_of(fit, quantity)
        assert (found[0].now.value, found[0].now.method) == (known.value, known.method)
        # Profiles searched one by one or together close within 1e-7 of the rise.
        assert (found[0].now.low, found[0].now.high) == pytest.approx((known.low, known.high), rel=1e-5)


def test_best_first_within_reach_and_budget() -> None:
    """Whole concurrencies up to twice the largest level, as many repetitions as the budget holds."""
    curve = some_curve()
    found = next_measurements(curve, fit_law(curve, "usl"), "contention", seconds_each=8, budget=50)
    assert [one.shrink for one in found] == sorted(one.shrink for one in found)
    assert {one.concurrency for one in found} >= {1, 2, 3, 4, 8, 16, 32}
    assert max(one.concurrency for one in found) == 32
    assert {(one.repetitions, one.seconds) for one in found} == {(6, 48)}
    limited = next_measurements(curve, fit_law(curve, "usl"), "contention", seconds_each=8, budget=50, limit=10)
    assert max(one.concurrency for one in limited) == 10


def test_the_rate_of_one_worker_is_measured_at_one_worker() -> None:
    """The one choice that needs no computing."""
    curve = some_curve()
    found = next_measurements(curve, fit_law(curve, "usl"), "rate_at_one", seconds_each=1, budget=6)
    assert found[0].concurrency == 1


def test_the_promise_of_a_linear_law_is_exact() -> None:
    """On a line with r more of n measurements: sqrt(n/(n + r)) times the ratio of quantiles (t(.975) 2.262, 2.145)."""
    levels = np.repeat([1.0, 2.0, 4.0, 8.0, 16.0], 2)
    scatter = np.exp(0.05 * np.random.default_rng(4).standard_normal(10))
    curve = build_curve(levels, 10 * levels * scatter, unit="op/sec")
    found = next_measurements(curve, fit_law(curve, "linear"), "rate_at_one", seconds_each=1, budget=5)
    exact = math.sqrt(10 / 15) * 2.1447867 / 2.2621572
    assert [one.shrink for one in found] == pytest.approx([exact] * len(found), rel=1e-6)


def test_a_wald_promise_is_the_inverse_of_the_augmented_information() -> None:
    """The Sherman-Morrison update gives what inverting the information of all rows gives."""
    curve = some_curve()
    fit = fit_law(curve, "usl")
    one = next(
        one for one in next_measurements(curve, fit, "contention", seconds_each=1, budget=4) if one.concurrency == 9
    )
    n = np.concatenate([curve.rows[0], np.full(4, 9.0)])
    relative = usl.gradient(n, *fit.coefficients) / usl.throughput(n, *fit.coefficients)[:, np.newaxis]
    variance = fit.residual_standard_error**2 * np.linalg.inv(relative.T @ relative)[1, 1]
    assert one.expected.standard_error == pytest.approx(math.sqrt(variance), rel=1e-6)
    assert one.expected_width == pytest.approx(2 * 2.1199053 * math.sqrt(variance), rel=1e-6)  # t(.975, 16)


def test_a_peak_without_upper_end_is_advised_on_its_lower_one() -> None:
    """Where the data bound the peak from below only, advice raises that bound: beyond the data."""
    fit = fit_law(RAYTRACER, "usl")
    best = next_measurements(RAYTRACER, fit, "peak", seconds_each=10, budget=60)[0]
    assert math.isinf(best.now.high)
    assert best.concurrency == 128
    assert best.expected.low > 1.5 * best.now.low
    assert 0 < best.shrink < 0.7


def test_a_coefficient_on_its_bound_is_advised_on_its_limit() -> None:
    """Its one-sided limit is what more measurements can lower."""
    fit = fit_law(RAYTRACER, "usl", weights="none")
    assert fit.on_bound == ("coherency",)
    best = next_measurements(RAYTRACER, fit, "coherency", seconds_each=10, budget=60)[0]
    assert best.now.high == pytest.approx(fit.parameters["coherency"].high, rel=1e-6)
    assert best.expected.high < 0.7 * best.now.high


def test_refusals() -> None:
    """One line each: what was found, what is needed."""
    curve = some_curve()
    fit = fit_law(curve, "amdahl")
    with pytest.raises(DataError, match="Amdahl has no quantity 'peak'; it has rate_at_one, serial_fraction, knee"):
        next_measurements(curve, fit, "peak", seconds_each=1, budget=6)
    with pytest.raises(DataError, match="a budget of 5 s holds no measurement of 10 s"):
        next_measurements(curve, fit, "knee", seconds_each=10, budget=5)
    with pytest.raises(DataError, match="give positive seconds"):
        next_measurements(curve, fit, "knee", seconds_each=0, budget=5)


@pytest.mark.parametrize("weights", ["relative", "none"])
def test_one_row_stands_for_many_repetitions(weights: str) -> None:
    """The promise for 7 repetitions is that of a profile through 7 further rows."""
    curve = some_curve()
    solution = _solve_again(curve, fit_law(curve, "usl", weights=weights), 0.95)
    weighted, once = _with_more(solution, 24, 7), _with_more(solution, 24, 1).objective
    rows = [*range(len(LEVELS)), *[len(LEVELS)] * 7]
    written_out = replace(
        once, **{name: getattr(once, name)[rows] for name in ("concurrency", "throughput", "scatter")}
    )
    assert len(weighted.objective.throughput) == len(LEVELS) + 1
    found, wanted = (_estimate(one, "peak", curve.unit) for one in (weighted, replace(weighted, objective=written_out)))
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), rel=1e-5)
    advice = next_measurements(curve, fit_law(curve, "usl"), "peak", seconds_each=1, budget=7)
    assert advice[0].expected.n == len(LEVELS) + 7


def test_a_large_budget_costs_no_memory_and_an_absurd_one_is_refused() -> None:
    """10,000 repetitions are one row; more are refused in a line, whatever the numbers."""
    curve = some_curve()
    fit = fit_law(curve, "usl")
    found = next_measurements(curve, fit, "contention", seconds_each=0.1, budget=1000)
    assert {one.repetitions for one in found} == {10_000}
    assert found[0].shrink < 0.6
    for budget, each in ((1e12, 10), (60, 1e-9), (1e300, 1e-300)):
        with pytest.raises(DataError, match="holds more than 10,000 measurements of"):
            next_measurements(curve, fit, "contention", seconds_each=each, budget=budget)


def test_without_an_end_to_compare_with_the_narrowest_to_expect_is_best() -> None:
    """A present interval that has no lower end makes no ratio: advice is then not the smallest concurrency."""
    now = Estimate(
        value=5, low=-math.inf, high=9, unit="", confidence_level=0.95, n=9, method="", standard_error=math.nan
    )
    widths = {1: 8.0, 4: 3.0, 16: 2.0, 32: math.inf, 64: math.inf, 128: math.nan}
    lows = {32: 1.0, 64: 2.0}
    assert math.isnan(_shrink(now, replace(now, low=3, high=6)))
    advised = [
        Advice(
            concurrency=n,
            repetitions=1,
            quantity="peak",
            now=now,
            expected=replace(now, low=lows.get(n, 0.0)),
            present_width=math.inf,
            expected_width=width,
            shrink=math.nan,
            seconds=1,
        )
        for n, width in widths.items()
    ]
    assert [one.concurrency for one in sorted(advised, key=_rank)] == [16, 4, 1, 64, 32, 128]


def kept_promises(runs: int, quantity: str, seed: int, levels: np.ndarray = LEVELS) -> np.ndarray:
    """One row a run: width reached by width promised, by the present one, and that after measuring at N = 4 instead.

    No run is left out. Those without a present upper end have a share of 0 of it.
    """
    random = np.random.default_rng(seed)
    found = []
    implied = quantity not in usl.parameters
    for _ in range(runs):
        throughput = measured(levels, random)
        curve = build_curve(levels, throughput, unit="op/sec")
        best = next_measurements(curve, fit_law(curve, "usl", derived=implied), quantity, seconds_each=1, budget=6)[0]
        widths = []
        for n in (float(best.concurrency), 4.0):
            further = np.full(6, n)
            rows = np.concatenate([levels, further]), np.concatenate([throughput, measured(further, random)])
            after = estimate_of(fit_law(build_curve(*rows, unit="op/sec"), "usl", derived=implied), quantity)
            widths.append(after.high - after.low)
        now = best.now.high - best.now.low
        found.append((widths[0] / best.expected_width, widths[0] / now, widths[1] / now))
    return np.array(found)


@pytest.mark.parametrize("quantity", ["contention", "ceiling"])
def test_advice_keeps_its_promise(quantity: str) -> None:
    """Measured as advised, the interval shrinks by what was promised, and more than by measuring elsewhere."""
    promised, shrunk, elsewhere = np.median(kept_promises(40, quantity, seed=5), axis=0)
    assert promised == pytest.approx(1, abs=0.2)
    assert shrunk < 0.75 * elsewhere


@pytest.mark.heavy
@pytest.mark.parametrize("quantity", ["contention", "coherency", "ceiling", "saturation_point"])
def test_advice_keeps_its_promise_in_many_runs(quantity: str) -> None:
    """The same in 150 runs, within a tenth."""
    promised, shrunk, elsewhere = np.median(kept_promises(150, quantity, seed=6), axis=0)
    assert promised == pytest.approx(1, abs=0.1)
    assert shrunk < 0.75 * elsewhere


@pytest.mark.heavy
def test_a_peak_within_the_data_is_promised_rightly() -> None:
    """Levels up to 64 around a peak at 22."""
    levels = np.repeat([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0], 3)
    assert np.median(kept_promises(200, "peak", seed=7, levels=levels)[:, 0]) == pytest.approx(1, abs=0.1)


@pytest.mark.heavy
def test_a_peak_beyond_the_data_is_promised_rightly_on_the_whole_only() -> None:
    """Over all runs within a tenth; too much where the interval is finite, too little where it is not.

    A finite interval is a sign that the peak was estimated low, and its promise is that of a low peak.
    """
    promised, of_now, _ = kept_promises(300, "peak", seed=6).T
    finite = of_now > 0
    assert np.median(promised) == pytest.approx(1, abs=0.1)
    assert 1.2 < np.median(promised[finite]) < 1.6
    assert 0.3 < np.median(promised[~finite]) < 0.7


@pytest.mark.parametrize(
    ("axis", "template", "written"),
    [
        ("gomaxprocs", "go test ./... -run='^$' -bench='A|B' -cpu=1,2,4 -count=3",
         "go test ./... '-run=^$' '-bench=A|B' -cpu=24 -count=6"),
        ("gomaxprocs", "go test -bench . -test.cpu 1,2", "go test -bench . -test.cpu 24 -count=6"),
        ("workers", "go test -v -workers=1,2 -duration=4s", "go test -v -workers=24 -duration=4s -count=6"),
        ("connections", "wrk -tT -cC -d3s http://h/x", "for i in $(seq 6); do wrk -tT -c24 -d3s http://h/x; done"),
        ("connections", "hey -c 8 http://h/x", "for i in $(seq 6); do hey -c 24 http://h/x; done"),
        ("connections", "wrk -c {concurrency} http://h/x", "for i in $(seq 6); do wrk -c 24 http://h/x; done"),
        ("nodes", "bench --{axis} {concurrency} --times {repetitions}", "bench --nodes 24 --times 6"),
        ("workers", "python run_benchmarks.py", "measure at workers 24, 6 times"),
        ("workers", "", "measure at workers 24, 6 times"),
    ],
)  # fmt: skip
def test_commands(axis: str, template: str, written: str) -> None:
    """The command that made the measurements, with its concurrency set anew; words where it says none."""
    assert measuring_command(24, 6, axis, template) == written
    assert sets_axis(axis, template) == (not written.startswith("measure"))


@pytest.mark.parametrize(
    "template",
    ["wrk -c8 x; rm -rf /", "wrk -c8 $(cat x)", "wrk -c8 x | tee y", "wrk -c8 'x", "wrk -c8 `x`", 'wrk -c8 "$HOME"'],
)
def test_a_shell_line_is_not_taken_apart(template: str) -> None:
    """What a shell would act on is neither run nor rewritten."""
    assert measuring_command(24, 2, "connections", template) == "measure at connections 24, 2 times"


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
    ],
)
def test_wrk_is_given_no_more_threads_than_connections(template: str, written: str) -> None:
    """wrk ends with `number of connections must be >= threads`; -t of another program is something else."""
    assert measuring_command(1, 1, "connections", template) == written


def test_words_are_quoted_again() -> None:
    """A pattern that a shell would expand comes out quoted, and splits into the words it was made of."""
    written = measuring_command(8, 1, "gomaxprocs", "go test -bench='^X y$' -cpu=2")
    assert shlex.split(written) == ["go", "test", "-bench=^X y$", "-cpu=8", "-count=1"]
    assert measuring_command(8, 1, "a b; x", "run {axis} {concurrency}") == "run 'a b; x' 8"


def test_an_unknown_field_is_an_error() -> None:
    """It would be printed as it stands."""
    with pytest.raises(DataError, match="unknown field 'reps'; fields: concurrency, repetitions, axis"):
        measuring_command(8, 1, "workers", "run {concurrency} {reps}")


def test_the_command_of_an_advice() -> None:
    """Concurrency and repetitions are those advised."""
    curve = some_curve()
    best = next_measurements(curve, fit_law(curve, "usl"), "rate_at_one", seconds_each=1, budget=6)[0]
    assert command(best, "gomaxprocs", "go test -bench=. -cpu=1,2,4") == "go test -bench=. -cpu=1 -count=6"


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
    found = seconds_of(template)
    assert found == (None if seconds is None else pytest.approx(seconds))


def test_a_level_takes_the_place_of_the_name_of_its_axis() -> None:
    """Only as a word of its own, in capitals, and only a level that is no shell syntax."""
    template = "wrk -cC http://h/ENDPOINT?x=ENDPOINTS"
    written = measuring_command(8, 1, "connections", template, {"endpoint": "hash"})
    assert written == "wrk -c8 'http://h/hash?x=ENDPOINTS'"
    assert "ENDPOINT?" in measuring_command(8, 1, "connections", template, {"endpoint": "a; rm -rf b"})


# Where another core pays.

RETURNS_LEVELS = [1, 2, 4, 8, 16]
TIME = 1e6 / np.array([157.0, 118.0, 73.0, 62.0, 54.0])
REQUESTS = [6499.0, 7606.0, 14356.0, 17233.0, 17455.0]


@pytest.mark.parametrize("throughput", [TIME, REQUESTS])
def test_published_onix_sweep(throughput: list[float]) -> None:
    """By core best at 1, by added core best from 2 to 4, on both curves; 4 is recommended of 10 cores."""
    curve = build_curve(RETURNS_LEVELS, throughput, unit="op/sec")
    answer = best_return(curve, fit_law(curve, "amdahl"), cores=10)
    assert answer.per_core_best == 1
    assert answer.added_core_best == (2, 4)
    assert answer.recommended == 4
    assert answer.recommended_range is None
    # A concave law always gains most at its first step: the points overrule it there.
    assert answer.law_per_core_best == 1
    assert answer.law_added_core_best == (1, 2)
    assert answer.law_recommended == 3
    assert not any(level.per_core.has_interval for level in answer.levels)


def test_levels_beyond_the_cores_never_count() -> None:
    """A gain that needs 16 workers on 4 cores is shown and not recommended."""
    curve = build_curve(RETURNS_LEVELS, [10.0, 16.0, 24.0, 60.0, 200.0], unit="op/sec")
    assert best_return(curve).recommended == 16
    answer = best_return(curve, cores=4)
    assert answer.recommended == 4
    assert [level.within_cores for level in answer.levels] == [True, True, True, False, False]
    assert answer.added_core_best == (1, 2)


def test_gains_have_intervals_where_levels_have_replicates() -> None:
    """Welch's interval of the gain, and the levels that cannot be told from the recommended one."""
    generator = np.random.default_rng(3)
    n = np.repeat([1.0, 2.0, 4.0, 8.0], 5)
    values = np.repeat([10.0, 18.0, 25.5, 30.0], 5) * (1 + 0.02 * generator.standard_normal(20))
    answer = best_return(build_curve(n, values, unit="op/sec"), cores=8)
    first = answer.gains[0].per_added_core
    assert first.low < 8.0 < first.high
    assert math.isfinite(first.standard_error)
    assert answer.recommended_range is not None
    low, high = answer.recommended_range
    assert low == 2
    assert high == 4


def test_no_gain_at_all() -> None:
    """Where throughput only falls, no added core gains and one worker is recommended."""
    answer = best_return(build_curve([1, 2, 4], [10.0, 9.0, 7.0], unit="op/sec"), cores=4)
    assert answer.added_core_best is None
    assert answer.recommended == 1


def test_unknown_cores_are_said() -> None:
    """Without the number of cores every level counts, with a caveat."""
    answer = best_return(build_curve([1, 2], [10.0, 19.0], unit="op/sec"))
    assert [one.code for one in answer.caveats] == ["cores-unknown"]


def test_no_level_within_the_cores_is_refused() -> None:
    """Levels 4 and 8 on 2 cores carry no recommendation."""
    with pytest.raises(DataError, match="lies within the 2 cores"):
        best_return(build_curve([4, 8], [10.0, 19.0], unit="op/sec"), cores=2)
