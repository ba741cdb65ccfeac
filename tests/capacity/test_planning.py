"""Reasoning about nodes: draws, latency under load, counts, growth and mixes, by their properties."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.capacity.draws import STEP, CurveDraws, draw_laws, draw_points, rounded_draws
from benchlib.capacity.latency import (
    in_flight,
    loads_within,
    mean_latency,
)
from benchlib.capacity.mix import mix_costs, mix_curves, shares_of
from benchlib.capacity.nodes import (
    EITHER,
    Counts,
    Demand,
    Node,
    chance,
    enough,
    held_in,
    months_until,
    needed_nodes,
    spent_on,
)
from benchlib.errors import DataError
from benchlib.scaling.curve import ScalingCurve, build_curve
from benchlib.scaling.fit import ScalingFit, fit_law
from benchlib.scaling.laws import LAWS
from benchlib.scaling.predict import predict
from benchlib.statistics.moments import t_quantile

LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
ALL = ("linear", "plateau", "amdahl", "usl")
DEMAND = Demand(target=5000.0, headroom=0.3, survive=1, share=0.95)


def measured(law: str = "usl", truth: tuple[float, ...] = (1000.0, 0.05, 1e-3), factor: float = 1.0) -> ScalingCurve:
    """Three measurements a level by a law, with 3 % noise that levels share nothing of."""
    n = np.repeat(LEVELS, 3)
    noise = np.exp(0.03 * np.random.default_rng(6).standard_normal(len(n)))
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
    return draw_laws(fitted(measured()), measured(), np.arange(1.0, 33.0))


@pytest.mark.parametrize("weights", ["relative", "none"])
@pytest.mark.parametrize("law", ["amdahl", "usl"])
def test_draws_of_one_law_are_its_band_and_a_third_of_what_levels_lie_off(law: str, weights: str) -> None:
    """Inside the levels, where nothing is cut: the delta method's band, moved and widened by what may be the shape.

    Also where a rate of 100 million stands beside a coherency of a thousandth.
    """
    curve = measured(law, (1000.0, 0.05, 1e-3)[: len(LAWS[law].parameters)], factor=1e5)
    (fit,) = fitted(curve, (law,), weights)
    assert not fit.between_levels
    inner, freedom = LEVELS[1:4], fit.degrees_of_freedom
    logs = np.log(draw_laws([fit], curve, inner, draws=40_000).throughput)
    band = predict(fit, inner)
    off = np.array([np.mean(np.log(values)) for values in curve.replicates[1:4]]) - np.log(band.throughput)
    np.testing.assert_allclose(np.median(logs, axis=0), np.log(band.throughput) + off / 3, atol=2e-3)
    of_law = np.log(band.high / band.low) / 2 / t_quantile(0.975, freedom)
    of_level = fit.residual_standard_error / (1 if weights == "relative" else band.throughput) / math.sqrt(3)
    # Student's t varies by f / (f - 2).
    wanted = of_law**2 * freedom / (freedom - 2) + of_level**2 * (1 / 3) * (2 / 3)
    np.testing.assert_allclose(np.var(logs, axis=0), wanted, rtol=0.05)


def test_draws_follow_the_levels_where_those_lie_off_a_law() -> None:
    """Values repeat to a thousandth, and a level lies 15 % below its law: draws lie between the two, and hold both."""
    n = np.repeat(LEVELS, 5)
    rates = LAWS["amdahl"].throughput(n, 1000.0, 0.05) * np.where(n == 4, 0.85, 1.0)
    curve = build_curve(n, rates * np.tile([0.999, 0.9995, 1.0, 1.0005, 1.001], len(LEVELS)), unit="op/sec")
    (fit,) = fitted(curve, ("amdahl",))
    drawn = draw_laws([fit], curve, [4.0], draws=4000).throughput[:, 0]
    law, level = float(predict(fit, [4.0]).throughput[0]), float(curve.throughput[2])
    low, middle, high = np.quantile(drawn, [0.025, 0.5, 0.975])
    assert low < level < middle < law < high


def test_draws_are_joint() -> None:
    """A draw that is high at one concurrency is high beside it: correlations are those of the curve, not 0."""
    found = draw_laws(fitted(measured(), ("amdahl",)), measured(), [12, 16])
    assert np.corrcoef(np.log(found.throughput).T)[0, 1] > 0.9


def test_laws_take_the_draws_they_are_due(drawn: CurveDraws) -> None:
    """Shares of the draws are the weights, to one draw."""
    for at, law in enumerate(drawn.laws):
        assert np.mean(drawn.law == at) == pytest.approx(drawn.weights[law], abs=1.5 / 4000)


def test_nothing_grows_more_than_in_proportion_beyond_the_levels() -> None:
    """Of a straight line with noise half of the draws would bend upwards: none does beyond the largest level."""
    line = measured("linear", (1000.0,))
    found = draw_laws(fitted(line, ("amdahl", "usl")), line, [16, 32]).throughput
    growth = found[:, 1] / found[:, 0]
    assert np.max(growth) <= 2 * np.exp(2 * STEP)
    assert np.mean(growth > 1.999) > 0.2


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
        assert np.mean(counts[0].least != counts[1].least) < 0.01
        assert enough(counts[0], 0.95) == enough(counts[1], 0.95)


@given(st.floats(1.0, 1e6), st.floats(1.0, 4.0), st.floats(0.0, 0.95), st.floats(0.0, 0.95), st.integers(0, 9))
def test_more_asked_is_never_fewer_nodes(target: float, more: float, one: float, two: float, survive: int) -> None:
    """More target or headroom never needs fewer nodes; nodes to survive are added one by one."""
    each = Node(full=np.array([900.0, 1100.0, 1000.0]), within=np.array([np.inf, 400.0, 700.0]))
    demand = Demand(target=target, headroom=min(one, two), survive=survive, share=0.5)
    needed = needed_nodes(each, demand).least
    assert np.all(needed_nodes(each, replace(demand, target=target * more)).least >= needed)
    assert np.all(needed_nodes(each, replace(demand, headroom=max(one, two))).least >= needed)
    assert np.array_equal(needed_nodes(each, replace(demand, survive=survive + 3)).least, needed + 3)
    assert np.all(needed_nodes(replace(each, within=each.within / more), demand).least >= needed)


@given(st.floats(0.05, 0.99), st.floats(0.05, 0.99))
def test_more_probability_is_never_fewer_nodes(one: float, two: float) -> None:
    """The count is the smallest whose share of draws reaches the one asked."""
    least = np.random.default_rng(1).integers(3, 30, 500).astype(float)
    needed = Counts(least=least, most=np.full(500, np.inf))
    low, high = sorted((one, two))
    assert enough(needed, low) <= enough(needed, high)
    assert chance(needed, enough(needed, high)) >= high
    assert chance(needed, enough(needed, high) - 1) < high


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60), st.floats(0.01, 0.99))
def test_what_a_share_of_the_draws_holds(values: list[float], share: float) -> None:
    """The smallest value that so many draws do not exceed: fewer draws lie below it."""
    held = held_in(np.array(values), share)
    assert np.mean(np.array(values) <= held) >= share * (1 - 1e-9)
    assert np.mean(np.array(values) < held) < share


def test_a_load_that_just_fits_takes_no_node_more() -> None:
    """Seven times a seventh is the whole: rounding buys no node."""
    each = Node(full=np.array([0.1]), within=np.array([np.inf]))
    assert needed_nodes(each, Demand(target=0.7, headroom=0.0, survive=0, share=0.5)).least.tolist() == [7.0]


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
    """Counted by hand: 700 on 50 each takes 14 and one more; without the limit 70 each takes 10; bare 7."""
    each = Node(full=np.full(100, 100.0), within=np.full(100, 50.0))
    demand = replace(DEMAND, target=700.0)
    assert dict(spent_on(each, demand)) == {"latency": 4.0, "headroom": 0.0, "survive": 1.0, EITHER: 3.0}
    free = replace(each, within=np.full(100, np.inf))
    assert dict(spent_on(free, demand)) == {"latency": 0.0, "headroom": 3.0, "survive": 1.0, EITHER: 0.0}


def test_two_conditions_that_bind_together_are_not_told_to_add_nothing() -> None:
    """A limit at 70 and 30 % free ask for the same 10 nodes: neither alone adds one to 7, and both do."""
    each = Node(full=np.full(100, 100.0), within=np.full(100, 70.0))
    spent = spent_on(each, replace(DEMAND, target=700.0, survive=0))
    assert dict(spent) == {"latency": 0.0, "headroom": 0.0, "survive": 0.0, EITHER: 3.0}


@pytest.mark.parametrize("load", [200.0, 950.0, 3000.0, 5500.0])
def test_requests_that_do_not_meet_are_in_proportion(drawn: CurveDraws, load: float) -> None:
    """Below the smallest level; above it the curve delivers the load at what is in flight, within 1 %."""
    flying = in_flight(drawn, load, 16)
    for draw in np.flatnonzero(np.isfinite(flying) & (flying >= 1))[:50]:
        rates = np.maximum.accumulate(drawn.throughput[draw])
        assert np.interp(flying[draw], drawn.concurrency, rates) == pytest.approx(load, rel=0.01)
    alone = np.isfinite(flying) & (flying < 1)
    np.testing.assert_allclose(flying[alone], load / drawn.throughput[alone, 0], rtol=1e-9)


def test_a_limit_is_kept_at_the_loads_between_which_it_is_said_to(drawn: CurveDraws) -> None:
    """Just inside of both ends the latency is within its limit, just beyond them it is not."""
    waits, limit = mean_latency(drawn), 1.5 / 1000
    least, most = loads_within(drawn, waits, limit, 16)
    assert not least.any(), "alone a request is fastest"
    some = np.flatnonzero((most > 0) & (most < 0.98 * np.max(drawn.throughput[:, :16], axis=1)))[:50]
    assert len(some) == 50
    for one in some:
        loads = [most[one] * by for by in (0.995, 1.005)]
        below, above = (in_flight(drawn, load, 16)[one] / load for load in loads)
        assert below <= limit * 1.001
        assert above >= limit * 0.999


def dipping(draws: int = 200) -> CurveDraws:
    """Alone a request takes 1 ms, two at once take 0.6 ms each, four 0.8 ms, eight 2 ms."""
    n = np.array([1.0, 2.0, 4.0, 8.0])
    rates = n / np.array([1.0, 0.6, 0.8, 2.0]) * 1000
    curve = build_curve(np.repeat(n, 2), np.repeat(rates, 2) * np.tile([0.999, 1.001], 4), unit="op/sec")
    return draw_points(curve, n, draws=draws)


def test_a_limit_that_is_exceeded_at_less_load_is_judged_at_the_load_that_is_planned() -> None:
    """0.7 ms hold from 1,900 to 4,000 a second, not at 1,000: too many nodes are as wrong as too few."""
    found = dipping()
    least, most = loads_within(found, mean_latency(found), 0.7e-3, 8)
    assert 1000 < float(np.median(least)) < 3333 < float(np.median(most)) < 5000
    node = Node(full=found.throughput[:, -1], within=most, within_from=least)
    counts = {}
    for target in (3000.0, 30_000.0):
        demand = Demand(target=target, headroom=0.0, survive=0, share=0.95)
        needed = needed_nodes(node, demand)
        counts[target] = enough(needed, 0.95)
        for nodes in range(1, 40):
            load = target / nodes
            flying = in_flight(found, load, 8)
            kept = (flying / load <= 0.7e-3) & (load <= node.full)
            assert abs(chance(needed, nodes) - np.mean(kept)) < 0.02
    assert counts == {3000.0: 1.0, 30_000.0: 8.0}
    few = replace(DEMAND, target=500.0, headroom=0.0, survive=0)
    assert np.isinf(enough(needed_nodes(node, few), 0.95))


def test_what_is_kept_along_several_stretches_is_counted_along_each() -> None:
    """A mean that dips twice, in draws that scatter by a third: every count against the latency at its very load."""
    n = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    rates = n / np.array([0.6, 0.9, 0.65, 0.9, 0.7]) * 1000
    curve = build_curve(np.repeat(n, 2), np.repeat(rates, 2) * np.tile([0.85, 1.18], 5), unit="op/sec")
    found = draw_points(curve, np.unique(np.concatenate([n, np.arange(1.0, 17.0)])), draws=1000)
    for limit in (0.7e-3, 0.8e-3, 1e-3):
        least, most = loads_within(found, mean_latency(found), limit, 16)
        assert least.shape[1] > 1
        assert np.all(least[:, 1:][most[:, 1:] > 0] >= most[:, :-1][most[:, 1:] > 0])
        node = Node(full=found.throughput[:, -1], within=most, within_from=least)
        needed = needed_nodes(node, Demand(target=40_000.0, headroom=0.2, survive=0, share=0.9))
        shares = {}
        for nodes in range(1, 80):
            load = 40_000.0 / nodes
            kept = (in_flight(found, load, 16) / load <= limit) & (load <= 0.8 * node.full)
            shares[nodes] = float(np.mean(kept))
            assert chance(needed, nodes) == pytest.approx(shares[nodes], abs=0.003)
        for share in (0.3, 0.6):
            assert enough(needed, share) == next((one for one, found in shares.items() if found >= share), np.inf)


def test_a_count_is_enough_only_where_it_is_neither_too_few_nor_too_many() -> None:
    """Against every count tried, for random ends."""
    chosen = np.random.default_rng(3)
    least = chosen.integers(1, 20, 300).astype(float)
    needed = Counts(least=least, most=least + chosen.integers(0, 15, 300))
    for share in (0.2, 0.4, 0.6):
        shares = {nodes: np.mean((needed.least <= nodes) & (nodes <= needed.most)) for nodes in range(1, 40)}
        first = next((nodes for nodes, one in shares.items() if one >= share), np.inf)
        assert enough(needed, share) == first


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


@pytest.mark.parametrize("wrong", [np.inf, np.nan, 0.0])
def test_draws_that_are_no_number_make_no_plan(wrong: float) -> None:
    """One is enough."""
    with pytest.raises(DataError, match="no finite number above 0"):
        rounded_draws(np.array([[1.0, 2.0], [wrong, 2.0]]))


def test_what_is_kept_can_be_kept_again() -> None:
    """Rounded draws are whole multiples of the step, so that a page can carry them in two bytes each."""
    reference, rounded = rounded_draws(np.random.default_rng(0).lognormal(8, 2, (50, 7)))
    steps = np.log(rounded / reference) / STEP
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-6)


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
