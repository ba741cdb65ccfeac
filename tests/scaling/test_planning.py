"""Reasoning about nodes: draws, latency under load, counts, growth and mixes, by their properties."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.errors import DataError
from benchlib.scaling.conclusions.prediction import predict
from benchlib.scaling.curve import ScalingCurve, build_curve
from benchlib.scaling.fits.fitting import ScalingFit, fit_law
from benchlib.scaling.laws import LAWS
from benchlib.scaling.planning.draws import STEP, CurveDraws, draw_laws, draw_points, kept
from benchlib.scaling.planning.growth import load_in, months_until
from benchlib.scaling.planning.loaded_latency import (
    draw_percentiles,
    in_flight,
    latency_with,
    load_within,
    mean_latency,
)
from benchlib.scaling.planning.mixing import mix_costs, mix_curves, shares_of
from benchlib.scaling.planning.nodes import Demand, Node, chance, enough, needed_nodes, regret_of, spent_on

LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
ALL = ("linear", "plateau", "amdahl", "usl-log", "usl")
DEMAND = Demand(target=5000.0, headroom=0.3, survive=1, share=0.95)


def measured(law: str = "usl", truth: tuple[float, ...] = (1000.0, 0.05, 1e-3), factor: float = 1.0) -> ScalingCurve:
    """Three measurements a level by a law, with 3 % noise."""
    n = np.repeat(LEVELS, 3)
    noise = np.exp(0.03 * np.random.default_rng(7).standard_normal(len(n)))
    return build_curve(n, factor * LAWS[law].throughput(n, *truth) * noise, unit="op/sec")


def fitted(curve: ScalingCurve, laws: tuple[str, ...] = ALL, weights: str = "relative") -> list[ScalingFit]:
    """Every law fitted."""
    return [fit_law(curve, law, weights=weights, derived=False) for law in laws]


def node(drawn: CurveDraws, size: float) -> Node:
    """A node of a size without a limit on latency."""
    full = drawn.throughput[:, int(np.searchsorted(drawn.concurrency, size))]
    return Node(full=full, within=np.full_like(full, np.inf))


@pytest.fixture(scope="module")
def drawn() -> CurveDraws:
    """Draws of a sweep with a peak beyond its levels."""
    return draw_laws(fitted(measured()), np.arange(1.0, 33.0))


@pytest.mark.parametrize("weights", ["relative", "none"])
@pytest.mark.parametrize("law", ["amdahl", "usl"])
def test_draws_of_one_law_have_its_band(law: str, weights: str) -> None:
    """Quantiles of the draws are the ends of the delta method's band, inside the levels where nothing is cut.

    Also where a rate of 100 million stands beside a coherency of a thousandth.
    """
    (fit,) = fitted(measured(factor=1e5), (law,), weights)
    found = draw_laws([fit], [2, 6, 12], draws=40_000)
    band = predict(fit, [2, 6, 12])
    for share, end in ((0.025, band.low), (0.5, band.throughput), (0.975, band.high)):
        np.testing.assert_allclose(np.quantile(found.throughput, share, axis=0), end, rtol=4e-3)


def test_draws_are_joint() -> None:
    """A draw that is high at one concurrency is high beside it: correlations are those of the curve, not 0."""
    found = draw_laws(fitted(measured(), ("amdahl",)), [12, 16])
    assert np.corrcoef(np.log(found.throughput).T)[0, 1] > 0.9


def test_laws_take_the_draws_they_are_due(drawn: CurveDraws) -> None:
    """Shares of the draws are the weights, to one draw."""
    for at, law in enumerate(drawn.laws):
        assert np.mean(drawn.law == at) == pytest.approx(drawn.weights[law], abs=1.5 / 4000)


def test_nothing_grows_more_than_in_proportion_beyond_the_levels() -> None:
    """Of a straight line with noise half of the draws would bend upwards: none does beyond the largest level."""
    found = draw_laws(fitted(measured("linear", (1000.0,)), ("amdahl", "usl")), [16, 32]).throughput
    growth = found[:, 1] / found[:, 0]
    assert np.max(growth) <= 2 * np.exp(2 * STEP)
    assert np.mean(growth > 1.999) > 0.2


def test_the_same_seed_draws_the_same_curves() -> None:
    """Everything follows from the seed."""
    fits = fitted(measured())
    one, two, other = (draw_laws(fits, [4, 8], seed=seed).throughput for seed in (3, 3, 4))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)


@given(st.floats(1e-6, 1e6))
def test_a_change_of_unit_changes_no_count(factor: float) -> None:
    """Throughput and target in another unit give the same nodes, latency scaled."""
    curve = measured()
    scaled = build_curve(np.repeat(LEVELS, 3), np.concatenate(curve.replicates) * factor, unit="op/sec")
    one, two = (draw_points(each, LEVELS) for each in (curve, scaled))
    for size in (4.0, 16.0):
        counts = [
            needed_nodes(node(each, size), replace(DEMAND, target=5017.3 * by))
            for each, by in ((one, 1), (two, factor))
        ]
        # Draws are kept to one part in 10,000 of a reference: a count at a border may move.
        assert np.mean(counts[0] != counts[1]) < 0.01
        assert enough(counts[0], 0.95) == enough(counts[1], 0.95)


@given(st.floats(1.0, 1e6), st.floats(1.0, 4.0), st.floats(0.0, 0.95), st.floats(0.0, 0.95), st.integers(0, 9))
def test_more_asked_is_never_fewer_nodes(target: float, more: float, one: float, two: float, survive: int) -> None:
    """More target or headroom never needs fewer nodes; nodes to survive are added one by one."""
    each = Node(full=np.array([900.0, 1100.0, 1000.0]), within=np.array([np.inf, 400.0, 700.0]))
    demand = Demand(target=target, headroom=min(one, two), survive=survive, share=0.5)
    needed = needed_nodes(each, demand)
    assert np.all(needed_nodes(each, replace(demand, target=target * more)) >= needed)
    assert np.all(needed_nodes(each, replace(demand, headroom=max(one, two))) >= needed)
    assert np.array_equal(needed_nodes(each, replace(demand, survive=survive + 3)), needed + 3)
    assert np.all(needed_nodes(replace(each, within=each.within / more), demand) >= needed)


@given(st.floats(0.05, 0.99), st.floats(0.05, 0.99))
def test_more_probability_is_never_fewer_nodes(one: float, two: float) -> None:
    """The count is the smallest whose share of draws reaches the one asked."""
    needed = np.sort(np.random.default_rng(1).integers(3, 30, 500)).astype(float)
    low, high = sorted((one, two))
    assert enough(needed, low) <= enough(needed, high)
    assert chance(needed, enough(needed, high)) >= high
    assert chance(needed, enough(needed, high) - 1) < high


def test_a_load_that_just_fits_takes_no_node_more() -> None:
    """Seven times a seventh is the whole: rounding buys no node."""
    each = Node(full=np.array([0.1]), within=np.array([np.inf]))
    assert needed_nodes(each, Demand(target=0.7, headroom=0.0, survive=0, share=0.5)).tolist() == [7.0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target": 0.0}, "target 0 is no finite throughput above 0; ask for one that is"),
        ({"headroom": 1.0}, "headroom 1 is no share from 0 to below 1; write 0.3 for 30 %"),
        ({"survive": -1}, "-1 nodes to survive are fewer than none; give 0 or more"),
    ],
)
def test_what_cannot_be_demanded_is_refused(change: dict[str, float], message: str) -> None:
    """Each in one line."""
    each = Node(full=np.array([1.0]), within=np.array([np.inf]))
    with pytest.raises(DataError) as caught:
        needed_nodes(each, replace(DEMAND, **change))  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_each_condition_adds_what_leaving_it_out_saves() -> None:
    """Counted by hand: 700 on 50 each takes 14 and one more; without the limit 70 each takes 10 and one more."""
    each = Node(full=np.full(100, 100.0), within=np.full(100, 50.0))
    assert dict(spent_on(each, replace(DEMAND, target=700.0))) == {"latency": 4.0, "headroom": 0.0, "survive": 1.0}
    free = replace(each, within=np.full(100, np.inf))
    assert dict(spent_on(free, replace(DEMAND, target=700.0))) == {"latency": 0.0, "headroom": 3.0, "survive": 1.0}


@given(st.floats(0.01, 100.0))
def test_regret_does_not_hang_on_the_currency(rate: float) -> None:
    """Prices in another currency change no share."""
    needed, other = np.array([3.0, 4.0, 4.0, 9.0]), np.array([2.0, 2.0, 3.0, 3.0])
    one, two = (regret_of(needed, 4, 2.0 * by, [(needed, 2.0 * by), (other, 3.0 * by)]) for by in (1.0, rate))
    assert one.beyond_cheapest == pytest.approx(two.beyond_cheapest)
    assert (one.falls_short, one.lacking, one.most_lacking) == (0.25, 5.0, 5.0)


@pytest.mark.parametrize("load", [200.0, 950.0, 3000.0, 5500.0])
def test_littles_law_holds_in_every_draw(drawn: CurveDraws, load: float) -> None:
    """In flight = load times mean latency, where that is read off the same curve, within 1 %."""
    flying = in_flight(drawn, load, 16)
    waits = latency_with(drawn, mean_latency(drawn), flying)
    reached = np.isfinite(flying) & (flying >= 1)
    np.testing.assert_allclose(waits[reached] * load, flying[reached], rtol=0.01)
    alone = np.isfinite(flying) & (flying < 1)
    np.testing.assert_allclose(flying[alone], load / drawn.throughput[alone, 0], rtol=1e-9)


def test_the_load_at_which_a_limit_breaks_is_where_latency_reaches_it(drawn: CurveDraws) -> None:
    """Just below that load the latency is within its limit, just above it is not."""
    waits, limit = mean_latency(drawn), 1.5 / 1000
    breaks = load_within(drawn, waits, limit, 16)
    some = np.flatnonzero((breaks > 0) & (breaks < 0.98 * np.max(drawn.throughput[:, :16], axis=1)))[:50]
    assert len(some) == 50
    for one in some:
        below, above = (
            latency_with(drawn, waits, in_flight(drawn, breaks[one] * by, 16))[one] for by in (0.995, 1.005)
        )
        assert below <= limit * 1.001
        assert above >= limit * 0.999


def test_a_limit_below_the_fastest_leaves_no_load(drawn: CurveDraws) -> None:
    """Nothing is within a limit that even one in flight exceeds, and no number of nodes is enough."""
    within = load_within(drawn, mean_latency(drawn), 1e-6, 16)
    assert not within.any()
    assert np.isinf(needed_nodes(Node(full=drawn.throughput[:, 15], within=within), DEMAND)).all()


def test_percentiles_are_read_as_measured_and_never_fall() -> None:
    """Through the medians where those rise; pooled where they fall; as at the nearest level outside."""
    levels = np.array([2.0, 4.0, 8.0, 16.0])
    middles = (1.0, 3.0, 2.0, 8.0)
    _, found = draw_percentiles(
        levels,
        [one * np.array([0.99, 1.0, 1.01]) for one in middles],
        np.array([1, 2, 4, 8, 16, 32.0]),
        draws=2000,
        seed=0,
    )
    assert np.all(np.diff(found, axis=1) >= 0)
    np.testing.assert_allclose(np.median(found, axis=0), [1, 1, 6**0.5, 6**0.5, 8, 8], rtol=0.01)


def test_points_without_replicates_tell_no_noise() -> None:
    """Nothing is drawn from single points."""
    with pytest.raises(DataError) as caught:
        draw_points(build_curve([1, 2, 4], [1.0, 2.0, 3.0], unit="op/sec"), [1, 2])
    assert str(caught.value) == (
        "one measurement at every level: nothing tells the noise; repeat each at least 3 times"
    )


def test_points_say_nothing_outside_their_levels() -> None:
    """No law carries them further."""
    with pytest.raises(DataError) as caught:
        draw_points(measured(), [32])
    assert str(caught.value) == (
        "concurrency 32 is outside the levels measured (1 to 16), and no law explains them; measure there"
    )


def test_what_is_kept_can_be_kept_again() -> None:
    """Rounded draws are whole multiples of the step, so that a page can carry them in two bytes each."""
    reference, rounded = kept(np.random.default_rng(0).lognormal(8, 2, (50, 7)))
    steps = np.log(rounded / reference) / STEP
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-6)


@pytest.mark.parametrize(("capacity", "month"), [(99.0, 1), (100.0, 2), (104.0, 3), (119.9, 6)])
def test_growth_uses_up_a_capacity_in_the_first_month_above_it(capacity: float, month: int) -> None:
    """By compound growth of 4 %: the load of the month before fits, that of the month does not."""
    assert months_until(np.array([capacity]), 100.0, 0.04).tolist() == [month]
    assert load_in(100.0, 0.04, month) > capacity
    assert month == 1 or load_in(100.0, 0.04, month - 1) <= capacity * (1 + 1e-9)


def test_what_does_not_grow_is_never_used_up() -> None:
    """Without growth only what is too small already ends."""
    assert months_until(np.array([99.0, 101.0]), 100.0, 0.0).tolist() == [1.0, np.inf]


def test_a_mix_lies_between_its_operations() -> None:
    """Half and half takes the mean of the times; order and scale of the parts are irrelevant."""
    one, two = (draw_points(measured(factor=by), LEVELS, seed=at) for at, by in enumerate((1.0, 0.25)))
    mixed = mix_curves({"a": one, "b": two}, shares_of({"a": 1, "b": 1}))
    time = (1 / one.throughput + 1 / two.throughput) / 2
    np.testing.assert_allclose(1 / mixed.throughput, time, rtol=2 * STEP)
    turned = mix_curves({"b": two, "a": one}, shares_of({"b": 50, "a": 50}))
    np.testing.assert_allclose(turned.throughput, mixed.throughput, rtol=2 * STEP)


def test_a_mix_of_costs_takes_the_mean_cost() -> None:
    """A mix of which half costs three times as much does half of what the measured operation does."""
    drawn = draw_points(measured(), LEVELS)
    costs = {"read": np.array([1.0, 1.001]), "write": np.array([3.0, 3.003])}
    mixed = mix_costs(drawn, "read", costs, shares_of({"read": 7, "write": 7}))
    np.testing.assert_allclose(np.median(mixed.throughput, axis=0), np.median(drawn.throughput, axis=0) / 2, rtol=2e-3)
    assert mixed.n == drawn.n + 4
