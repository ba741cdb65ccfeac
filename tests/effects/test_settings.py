"""The best setting of a factor, or none."""

from __future__ import annotations

import numpy as np
import pytest

from benchlib.effects.cells import CellTable, build_cells
from benchlib.effects.settings import Criterion, SettingChoice, choose_settings
from benchlib.errors import DataError, SelectionError

EXECUTORS = ("pool", "serial", "unbounded")


def cells(centres: tuple[float, ...], noise: float, seed: int, unit: str, repeats: int = 3) -> CellTable:
    scatter = np.random.default_rng(seed).lognormal(0, noise, len(centres) * repeats)
    return build_cells(
        {"executor": np.repeat(EXECUTORS[: len(centres)], repeats)}, np.repeat(centres, repeats) * scatter, unit=unit
    )


def chosen(rate: CellTable, tail: CellTable) -> SettingChoice:
    (found,) = choose_settings(
        [
            Criterion(metric="throughput", better="higher", table=rate),
            Criterion(metric="latency_p99", better="lower", table=tail),
        ],
        "executor",
    )
    return found


def test_a_clear_winner() -> None:
    """Ahead by 30 % in one metric and nominally in the other: alone on the front, and the winner."""
    found = chosen(cells((130.0, 100.0, 101.0), 0.01, 1, "op/sec"), cells((0.0100, 0.0105, 0.0106), 0.001, 2, "sec"))
    assert [one.level for one in found.rankings[0].settings] == ["pool", "unbounded", "serial"]
    assert (found.rankings[0].winner, found.front, found.unbeaten, found.winner) == (
        "pool",
        ("pool",),
        ("pool",),
        "pool",
    )
    first, second, third = found.rankings[0].settings
    assert np.isnan(first.ratio.value)
    assert second.ratio.high < 1
    assert third.ratio.value < second.ratio.value
    # Three pairs by two metrics.
    assert (found.pairs, found.adjusted_level) == (3, pytest.approx(1 - 0.05 / 6))
    assert second.ratio.confidence_level == found.adjusted_level


def test_a_trade() -> None:
    """One leads in throughput, another in the tail: both on the front, neither wins, each wins its metric."""
    found = chosen(cells((130.0, 100.0, 90.0), 0.01, 3, "op/sec"), cells((0.02, 0.01, 0.03), 0.01, 4, "sec"))
    assert [one.winner for one in found.rankings] == ["pool", "serial"]
    assert (found.front, found.unbeaten, found.winner) == (("pool", "serial"), ("pool", "serial"), None)


def test_noise_beats_nobody() -> None:
    """Equal settings: the front is what chance made it, but all are unbeaten and none wins."""
    found = chosen(cells((100.0, 100.0, 100.0), 0.05, 5, "op/sec"), cells((0.01, 0.01, 0.01), 0.05, 6, "sec"))
    assert found.unbeaten == EXECUTORS
    assert set(found.front) <= set(EXECUTORS)
    assert found.winner is None
    assert [one.winner for one in found.rankings] == [None, None]


def test_the_whole_of_a_context() -> None:
    """Each worker count is a context of its own; a setting without a metric is left out and named."""
    rows = [(w, e) for w in (1, 2) for e in EXECUTORS for _ in range(3)]
    factors = {"executor": [e for _, e in rows], "workers": [w for w, _ in rows]}
    rate = build_cells(factors, np.arange(1.0, 19.0), unit="op/sec")
    kept = [place for place, row in enumerate(rows) if row != (2, "pool")]
    tail = build_cells(
        {name: [column[place] for place in kept] for name, column in factors.items()}, np.arange(1.0, 16.0), unit="sec"
    )
    one, two = choose_settings(
        [
            Criterion(metric="throughput", better="higher", table=rate),
            Criterion(metric="latency_p99", better="lower", table=tail),
        ],
        "executor",
    )
    assert (dict(one.context), one.pairs, dict(two.context), two.pairs) == ({"workers": 1}, 3, {"workers": 2}, 1)
    assert [(c.code, c.message) for c in two.caveats] == [
        ("missing-cells", "pool lacks a metric at workers = 2: left out")
    ]


def test_single_values_and_zeros_have_no_winner() -> None:
    """Settings are ranked all the same, and the caveat says why none is called best."""
    (single,) = choose_settings(
        [Criterion(metric="time", better="lower", table=cells((1.0, 2.0), 0.0, 0, "sec", 1))], "executor"
    )
    assert (single.rankings[0].settings[0].level, single.winner) == ("pool", None)
    assert [c.message for c in single.caveats] == ["time was measured once in a setting: no winner"]
    (zeros,) = choose_settings(
        [Criterion(metric="gc_overhead", better="lower", table=cells((0.0, 2.0), 0.1, 0, "ratio"))], "executor"
    )
    assert (zeros.rankings[0].settings[0].level, zeros.winner) == ("pool", None)
    assert [c.message for c in zeros.caveats] == ["gc_overhead holds a 0 or less: no winner by it"]


def test_units_do_not_matter() -> None:
    one = chosen(cells((130.0, 100.0, 90.0), 0.05, 7, "op/sec"), cells((0.02, 0.01, 0.03), 0.05, 8, "sec"))
    other = chosen(cells((13e4, 1e5, 9e4), 0.05, 7, "op/h"), cells((2e7, 1e7, 3e7), 0.05, 8, "ns"))
    assert (other.front, other.unbeaten, other.winner) == (one.front, one.unbeaten, one.winner)
    for mine, theirs in zip(one.rankings, other.rankings, strict=True):
        for a, b in zip(mine.settings[1:], theirs.settings[1:], strict=True):
            assert (a.ratio.low, a.ratio.high) == pytest.approx((b.ratio.low, b.ratio.high), rel=1e-9)


def test_malformed() -> None:
    rate = Criterion(metric="throughput", better="higher", table=cells((1.0, 2.0), 0.0, 0, "op/sec"))
    with pytest.raises(DataError, match=r"^no metric was named to judge settings by; name at least one$"):
        choose_settings([], "executor")
    with pytest.raises(DataError, match=r"^the metric 'throughput' is named twice; name it once$"):
        choose_settings([rate, rate], "executor")
    with pytest.raises(SelectionError, match=r"^no factor 'executer'; did you mean 'executor'\?; the cells vary over"):
        choose_settings([rate], "executer")
    other = build_cells({"executor": ["a", "b"], "workers": [1, 2]}, [1.0, 2.0], unit="sec")
    with pytest.raises(DataError) as error:
        choose_settings([rate, Criterion(metric="time", better="lower", table=other)], "executor")
    assert str(error.value) == (
        "the cells of time vary over executor, workers, those of throughput over executor; give all the same factors"
    )


def wins(centres: tuple[float, ...], rounds: int, repeats: int) -> float:
    """How often any setting is called the winner by throughput."""
    found = 0
    for seed in range(rounds):
        rate = Criterion(metric="throughput", better="higher", table=cells(centres, 0.04, seed, "op/sec", repeats))
        (one,) = choose_settings([rate], "executor")
        found += one.rankings[0].winner is not None
    return found / rounds


def test_how_often_there_is_a_winner() -> None:
    """Three repeats at 4 % noise: below 2.5 % among equals, above 80 % where one is 30 % ahead."""
    assert wins((100.0, 100.0, 100.0), 200, 3) <= 0.025
    assert wins((130.0, 100.0, 100.0), 100, 3) >= 0.8


def false_winners(settings: int, metrics: int, repeats: int, correlation: float, rounds: int) -> float:
    """How often a winner is named, by all metrics or by one, among settings that do not differ."""
    random = np.random.default_rng(3)
    names = np.repeat([f"s{place}" for place in range(settings)], repeats).tolist()
    found = 0
    for _ in range(rounds):
        shared = random.normal(size=len(names))
        criteria = [
            Criterion(
                metric=f"m{place}",
                better="lower",
                table=build_cells(
                    {"executor": names},
                    np.exp(
                        0.05 * (correlation**0.5 * shared + (1 - correlation) ** 0.5 * random.normal(size=len(names)))
                    ),
                    unit="sec",
                ),
            )
            for place in range(metrics)
        ]
        (one,) = choose_settings(criteria, "executor")
        found += one.winner is not None or any(ranking.winner is not None for ranking in one.rankings)
    return found / rounds


def test_several_metrics_name_no_more_winners() -> None:
    """Two equal settings by four metrics that go together, 300 contexts: 5 % at most, within two standard errors."""
    assert false_winners(2, 4, 10, 0.7, 300) <= 0.05 + 2 * (0.05 * 0.95 / 300) ** 0.5


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("settings", "metrics", "repeats", "correlation"),
    [(2, 4, 3, 0.8), (2, 4, 10, 0.7), (2, 4, 10, 0.0), (3, 4, 3, 0.9), (2, 8, 5, 0.5)],
)
def test_several_metrics_name_no_more_winners_at_length(
    settings: int, metrics: int, repeats: int, correlation: float
) -> None:
    """The same over 3,000 contexts each: no more than 5 %."""
    assert false_winners(settings, metrics, repeats, correlation, 3000) <= 0.05
