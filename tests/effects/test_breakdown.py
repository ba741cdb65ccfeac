"""A whole and its parts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from benchlib.effects.breakdown import break_down, break_down_cells
from benchlib.effects.cells import build_cells
from benchlib.errors import DataError

WHOLE = [100.0, 104.0, 97.0, 101.0]
FORMAT = [20.0, 21.0, 19.5]
ENCODE = [50.0, 52.0, 49.0, 51.0]


def test_shares_by_hand() -> None:
    """Geometric means over geometric means, Welch's interval on logarithms by SciPy; units and order do not matter."""
    broken = break_down(WHOLE, {"format": FORMAT, "encode": ENCODE}, unit="ns")
    assert [part.name for part in broken.parts] == ["encode", "format"]
    for part, values in zip(broken.parts, (ENCODE, FORMAT), strict=True):
        ends = stats.ttest_ind(np.log(values), np.log(WHOLE), equal_var=False).confidence_interval(0.95)
        assert part.share.value == pytest.approx(stats.gmean(values) / stats.gmean(WHOLE), rel=1e-12)
        assert (part.share.low, part.share.high) == pytest.approx(np.exp([ends.low, ends.high]), rel=1e-9)
        assert (part.cost.value, part.cost.unit) == (pytest.approx(stats.gmean(values), rel=1e-12), "ns")
        assert (part.share.unit, part.share.n, part.source) == ("ratio", len(values) + 4, "measured")
    assert broken.rest.value + sum(part.share.value for part in broken.parts) == pytest.approx(1.0, abs=1e-12)
    assert broken.rest.low < broken.rest.value < broken.rest.high
    assert broken.whole.value == pytest.approx(stats.gmean(WHOLE), rel=1e-12)
    assert broken.caveats == ()
    scaled = {"encode": [1e-9 * value for value in ENCODE[::-1]], "format": [1e-9 * value for value in FORMAT]}
    other = break_down([1e-9 * value for value in WHOLE[::-1]], scaled, unit="sec")
    assert [(part.name, pytest.approx(part.share.low, rel=1e-9)) for part in broken.parts] == [
        (part.name, part.share.low) for part in other.parts
    ]
    assert other.rest.high == pytest.approx(broken.rest.high, rel=1e-9)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"a": [80.0, 81.0, 79.0], "b": [60.0, 61.0, 59.0]}, "the parts cost 39.3 % more than the whole"),
        (
            {"a": [50.0, 55.0, 45.0], "b": [52.0, 57.0, 48.0]},
            "the parts cost 1.56 % more than the whole, which noise alone could do",
        ),
    ],
)
def test_parts_that_exceed_the_whole(parts: dict[str, list[float]], message: str) -> None:
    """Beyond noise the caveat is plain; within noise it says so."""
    broken = break_down(WHOLE, parts, unit="ns")
    assert broken.rest.value < 0
    assert (broken.rest.high < 0) == ("noise" not in message)
    assert [(caveat.code, caveat.message) for caveat in broken.caveats] == [("parts-exceed-whole", message)]


def test_shares_that_were_not_measured() -> None:
    """A profile's and an author's shares are ranked with the rest, without an interval, and labelled."""
    broken = break_down(WHOLE, {"encode": ENCODE}, unit="ns", profiled={"gc": 0.3}, estimated={"hex": 0.1})
    assert [(part.name, part.source, part.share.has_interval) for part in broken.parts] == [
        ("encode", "measured", True), ("gc", "profiled", False), ("hex", "estimated", False),
    ]  # fmt: skip
    assert [part.share.method for part in broken.parts[1:]] == ["stated by a profile", "estimated by the author"]
    assert broken.rest.value == pytest.approx(1 - 0.4 - broken.parts[0].share.value, rel=1e-12)
    assert [caveat.message for caveat in broken.caveats] == [
        "the shares of gc, hex were not measured: the rest takes them as exact"
    ]
    stated = break_down(WHOLE, unit="ns", estimated={"hex": 0.4})
    assert (stated.rest.value, stated.rest.has_interval) == (pytest.approx(0.6), False)


def test_a_part_that_costs_nothing_and_one_measured_once() -> None:
    """No allocation is a share of 0; a 0 among others keeps its arithmetic mean and the spread of that."""
    broken = break_down([4.0, 4.0], {"none": [0.0, 0.0], "some": [0.0, 1.0]}, unit="allocs/op")
    shares = {part.name: part.share for part in broken.parts}
    assert (shares["none"].value, shares["none"].low, shares["none"].high) == (0.0, 0.0, 0.0)
    assert shares["some"].value == pytest.approx(0.125)
    # t(.975, 1) = 12.706 times 0.125, the standard error of the mean of 0 and a quarter; on logarithms.
    assert shares["some"].high == pytest.approx(0.125 * np.exp(12.7062047), rel=1e-6)
    once = break_down([10.0], {"a": [5.0], "b": [1.0, 2.0]}, unit="s")
    assert not any(estimate.has_interval for estimate in (*(part.share for part in once.parts), once.rest))
    assert [caveat.message for caveat in once.caveats] == ["the whole, a were measured once: no interval"]


def test_cell_by_cell() -> None:
    """A breakdown for each cell that has all parts."""
    whole = build_cells({"bits": [32, 32, 64, 64, 128]}, [10.0, 10.2, 20.0, 20.4, 40.0], unit="s")
    proof = build_cells({"bits": [32, 32, 64, 64]}, [9.0, 9.1, 19.0, 19.1], unit="s")
    broken = break_down_cells(whole, {"proof": proof})
    assert [(dict(levels), round(own.parts[0].share.value, 2)) for levels, own in broken] == [
        ({"bits": 32}, 0.9), ({"bits": 64}, 0.94),
    ]  # fmt: skip
    with pytest.raises(DataError) as error:
        break_down_cells(whole, {"proof": build_cells({"curve": ["a"]}, [1.0], unit="s")})
    assert str(error.value) == (
        "the part 'proof' is in s over curve, the whole in s over bits; give both the same unit and factors"
    )


@pytest.mark.parametrize(
    ("whole", "parts", "estimated", "message"),
    [
        ([1.0], {}, {}, "no part was named; name at least one part of the whole"),
        ([1.0], {"a": [1.0]}, {"a": 0.5}, "the part 'a' is named twice; keep its measurement or one share"),
        ([0.0, 1.0], {"a": [1.0]}, {}, "the whole holds 0; shares need a whole above 0: leave such rows out"),
        ([1.0], {"a": [-1.0]}, {}, "the part 'a' holds -1; a part costs 0 or more: mend the rows"),
        ([1.0], {}, {"a": 30.0}, "the estimated share of 'a' is 30; write 30 % as 0.3"),
        ([], {"a": [1.0]}, {}, "the whole holds no values; at least 1 is needed"),
    ],
)
def test_malformed(
    whole: list[float], parts: dict[str, list[float]], estimated: dict[str, float], message: str
) -> None:
    with pytest.raises(DataError) as error:
        break_down(whole, parts, unit="s", estimated=estimated)
    assert str(error.value) == message


@pytest.mark.parametrize("noise", [0.05, 0.3])
def test_intervals_cover(noise: float) -> None:
    """Six replicates, 400 rounds: 95 % within 3.5 standard errors for a share and for the rest."""
    hits = np.zeros(2)
    for seed in range(400):
        scatter = np.random.default_rng(seed).lognormal(0, noise, (3, 6))
        broken = break_down(10 * scatter[0], {"a": 5 * scatter[1], "b": 2 * scatter[2]}, unit="s")
        share = {part.name: part.share for part in broken.parts}["a"]
        hits += [share.low <= 0.5 <= share.high, broken.rest.low <= 0.3 <= broken.rest.high]
    assert hits / 400 == pytest.approx([0.95, 0.95], abs=3.5 * (0.95 * 0.05 / 400) ** 0.5)
