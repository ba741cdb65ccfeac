"""Numbers in words: the right direction, unit and digits, whatever the number."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import benchlib
from benchlib.answers.capacity_plans import LoadPlan, NodeOption
from benchlib.cli import numbers
from benchlib.report.wording import plan_words
from benchlib.report.wording.comparison.cells import bounds_words
from benchlib.report.wording.littles_law import flying_figure, load_figure, mean_figure
from benchlib.report.wording.tables import medians_words
from benchlib.report.wording.words import (
    change,
    coefficient,
    figure,
    interval,
    with_interval,
)
from benchlib.significant_digits import differing_figures, significant_digits_of
from benchlib.statistics.estimates import Estimate, point
from benchlib.units import parse_quantity, parse_unit
from tests.comparison_answers import make_row
from tests.shipped_studies import study

METRICS = ("time", "latency_p50", "latency_max", "memory", "allocations", "throughput", "transfer", "goroutines")
OPPOSITE = {
    "faster": "slower",
    "slower": "faster",
    "less": "more",
    "more": "less",
    "higher": "lower",
    "lower": "higher",
}
UP = {"time": "slower", "latency_p50": "slower", "latency_max": "slower", "memory": "more", "allocations": "more"}
ratios = st.floats(min_value=1e-6, max_value=1e6)
finite = st.floats(min_value=1e-9, max_value=1e12)


def estimate(value: float, low: float, high: float, unit: str = "sec/op", n: int = 6) -> Estimate:
    """An estimate with an interval."""
    return Estimate(
        value=value, low=low, high=high, unit=unit, confidence_level=0.95, n=n, method="m",
        standard_error=math.nan,
    )  # fmt: skip


@given(ratio=ratios, metric=st.sampled_from(METRICS))
def test_a_factor_is_never_below_one_and_nothing_is_a_factor_less(ratio: float, metric: str) -> None:
    """The word carries the direction, the factor the size; a rate or an amount that fell has a share."""
    told = change(ratio, metric)
    if told.endswith((" lower", " less")):
        (share,) = re.findall(r"([\d.]+) %", told)
        assert float(share) == pytest.approx(100 * (1 - ratio), abs=0.51)
        return
    (factor,) = re.findall(r"([\d.,]+)x", told)
    assert _plain(factor) >= 1
    assert _plain(factor) == pytest.approx(max(ratio, 1 / ratio), rel=0.01, abs=0.01)


def _plain(factor: str) -> float:
    return float(factor.replace(",", ""))


@given(ratio=ratios.filter(lambda one: abs(math.log(one)) > 0.01), metric=st.sampled_from(METRICS))
def test_the_word_says_which_way(ratio: float, metric: str) -> None:
    """More time is slower, more memory is more, more throughput higher."""
    word = change(ratio, metric).split()[-1]
    up = UP.get(metric, "higher")
    assert word == (up if ratio > 1 else OPPOSITE[up])


@pytest.mark.parametrize(
    ("ratio", "told"),
    [
        (math.nan, "not comparable as a ratio"),
        (1.0, "no different (1.00x)"),
        (1.0049, "no different (1.00x)"),
        (0.9951, "no different (1.00x)"),
        (1.0051, "1.01x slower"),
    ],
)
def test_edges_of_a_change(ratio: float, told: str) -> None:
    """What rounds to no change is none; what is no ratio is not told as one."""
    assert change(ratio, "time") == told


# DEFECT (change() in report/wording/words.py): "infx less".
def test_a_cost_that_fell_to_nothing_prints_no_number_that_is_none() -> None:
    """From some memory to none: no factor can say it, and no 'inf' stands on a page."""
    assert "inf" not in change(0.0, "memory")


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (1e-6, 2e-6, "95 %: 1.0 to 2.0 µs/op"),
        (-math.inf, math.inf, "n = 3, no interval"),
        (1e-6, math.inf, "95 %: at least 1.00 µs/op"),
        (-math.inf, 2e-6, "95 %: at most 2.00 µs/op"),
    ],
)
def test_intervals_in_words(low: float, high: float, told: str) -> None:
    """Two ends, one end, or none: each in its own words, never an infinity."""
    assert interval(estimate(1.5e-6, low, high, n=3)) == told


@given(
    value=finite,
    below=st.floats(0, 0.999),
    above=st.floats(0, 10),
    unit=st.sampled_from(["sec/op", "B/op", "req/sec", "", "x"]),
)
def test_an_interval_holds_its_value_as_printed(value: float, below: float, above: float, unit: str) -> None:
    """Rounding never turns the ends the wrong way round; ends that are one number are written once."""
    made = estimate(value, value * (1 - below), value * (1 + above), unit)
    told = interval(made)
    numbers = re.findall(r"[−\d][\d,.]*(?:e-\d+)?(?=x| |$)", told.split(": ", 1)[1])
    ends = [float(one.replace(",", "").replace("−", "-")) for one in numbers]
    differ = made.high - made.low > 1e-8 * value > 1e-16
    assert len(ends) in ((2,) if differ else (1,) if made.low == made.high else (1, 2))
    assert ends[0] <= ends[-1]
    assert len(ends) == 1 or ends[0] < ends[1]
    assert "e+" not in told
    assert "inf" not in told


@given(
    value=st.floats(1e-8, 1e13),
    below=st.floats(1e-9, 0.999),
    above=st.floats(1e-9, 10),
    unit=st.sampled_from(["sec", "sec/op", "B/op", "req/sec", "allocs/op", "", "x", "ratio"]),
)
@example(value=9.996e-7, below=0.05, above=0.05, unit="sec")
@example(value=99_999.0, below=0.00003, above=0.0004, unit="req/sec")
@example(value=0.0199982, below=1e-5, above=1e-5, unit="")
def test_a_value_never_reads_as_one_beyond_its_ends(value: float, below: float, above: float, unit: str) -> None:
    """On a page, in a plan and in a terminal; and ends that differ read so."""
    made = estimate(value, value * (1 - below), value * (1 + above), unit)
    if not made.low < value < made.high:
        return
    for told, said in (
        (figure(made), interval(made).split(": ", 1)[1]),
        (plan_words.figure(made), plan_words.ends(made)),
        (numbers.figure(made), numbers.interval(made)),
    ):
        lower, _, upper = said.rpartition(" to ")
        lower = lower or upper  # no digit parts them
        low, middle, high = (in_base(one, upper) for one in (lower, told, upper))
        rounding = 1e-12 * high
        assert low - rounding <= middle <= high + rounding
        assert lower != upper or value * min(above, below) < 1e-8 or min(above, below) < 1e-8


def in_base(told: str, beside: str) -> float:
    """Read a number as it is told, in the unit of its neighbour where it has none."""
    number, _, unit = told.replace(",", "").rstrip("x%").partition(" ")
    unit = unit or beside.rstrip("x%").partition(" ")[2]
    return float(number) * (parse_unit(unit).factor if unit else 1.0)


@given(value=st.floats(1e-6, 1e6), width=st.floats(1e-5, 0.9))
def test_a_figure_has_no_more_digits_than_its_interval_carries(value: float, width: float) -> None:
    """A value known to 10 % is not written to five digits."""
    told = figure(estimate(value, value * (1 - width), value * (1 + width), "x")).removesuffix("x")
    if "." not in told:
        return
    digits = len(told.replace(",", "").replace(".", "").lstrip("0"))
    carried = math.floor(math.log10(value)) - math.floor(math.log10(value * width)) + 1
    assert digits <= max(carried, 2) + 1  # one more where rounding carries: 9.96 to 10.0
    assert digits <= 5 or math.isclose(width, 0, abs_tol=1e-3)  # more only where its ends take them


def test_a_figure_without_an_interval_has_three_digits() -> None:
    """One measurement is not more exact than many."""
    assert figure(point(0.000123456, "sec/op", 1, "one")) == "123 µs/op"
    assert with_interval(point(0.000123456, "sec/op", 1, "one")) == "123 µs/op (n = 1, no interval)"


# DEFECT (coefficient() in report/wording/words.py): "1e+04", and "nan".
@given(value=st.floats(0, 1e9))
def test_a_coefficient_has_no_exponent(value: float) -> None:
    """Seven decimals below one, four digits above."""
    told = coefficient(value)
    assert "e" not in told
    assert float(told.replace(",", "")) == pytest.approx(value, rel=6e-4, abs=5e-8)


# One row in words: which way it went, how far its interval reaches, and which row of many is the worst


bound = st.floats(0.01, 100)


@given(st.tuples(bound, bound, bound), st.sampled_from(["time", "throughput", "memory"]))
def test_no_end_of_an_interval_is_below_one_or_goes_the_wrong_way(
    found: tuple[float, float, float], metric: str
) -> None:
    """Read back, each end is the one it was written from, to the digits written."""
    low, ratio, high = sorted(found)
    words = bounds_words(ratio, low, high, metric)
    assert not re.search(r"(?<![\d.])0\.\d+x", words)
    ends = re.fullmatch(r"between (\S+ ?%?|\S+x) (\w+) and (\S+ ?%?|\S+x) (\w+)", words)
    assert (ends is not None) == (low < 1 < high)
    if ends is not None:
        down, up = ends[2], ends[4]
        assert (down, up) in {("faster", "slower"), ("lower", "higher"), ("less", "more")}
        if down == "faster":
            assert factor_of(ends[1]) == pytest.approx(1 / low, rel=0.01, abs=rounded(ends[1]))
        else:
            # A rate or an amount that fell is told by what is gone of it.
            assert float(ends[1].rstrip(" %")) == pytest.approx(100 * (1 - low), abs=0.51)
        assert factor_of(ends[3]) == pytest.approx(high, rel=0.01, abs=rounded(ends[3]))


def rounded(text: str) -> float:
    """By how much a written factor may miss: half of its last place."""
    return 0.505 * 10.0 ** -len(text.rstrip("x").partition(".")[2]) if text.endswith("x") else 0.0


def factor_of(text: str) -> float:
    """The factor that ``1.20x`` or ``20 %`` stands for."""
    return float(text.rstrip("x")) if text.endswith("x") else 1 + float(text.rstrip(" %")) / 100


@given(
    values=st.tuples(st.floats(1, 1e9), st.floats(0.99, 1.01)),
    widths=st.tuples(st.floats(1e-4, 2), st.floats(1e-4, 2)),
)
def test_medians_that_are_told_to_differ_read_so(values: tuple[float, float], widths: tuple[float, float]) -> None:
    """Whatever digits their intervals carry, and the larger one is the larger number."""
    first, second = values[0], values[0] * values[1]
    pair = [
        Estimate(
            value=one, low=one * (1 - width / 2), high=one * (1 + width / 2), unit="req/sec",
            confidence_level=0.95, n=6, method="", standard_error=math.nan,
        )
        for one, width in zip((first, second), widths, strict=True)
    ]  # fmt: skip
    before, after = (parse_quantity(one)[0] for one in differing_figures(pair[0], pair[1]))
    if abs(first / second - 1) > 1e-6:
        assert (before < after) == (first < second)
        assert before != after


def test_medians_of_a_row_read_apart_where_its_verdict_says_so() -> None:
    """Of 104 ns and 101 ns, each known to two digits, a verdict makes 104 and 101; without one both read 100."""
    scatter = (0.7, 0.8, 0.9, 1.0, 1.0, 1.1, 1.2, 1.3)
    old, new = ([1e-9 * centre * one for one in scatter] for centre in (104, 101))
    told = {verdict: medians_words(make_row("A", old, new, verdict=verdict)) for verdict in ("better", "cannot tell")}
    assert told == {"better": ("104 ns/op", "101 ns/op"), "cannot tell": ("100 ns/op", "100 ns/op")}


# Load, mean latency and what is in flight as they are printed: whoever multiplies them finds Little's law


_SECONDS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_WORK = {"req": 1.0, "op": 1.0, "scripts": 1.0, "B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30}


def printed(text: str) -> float:
    """Read a figure as a reader does: a number, seconds, or work by the second."""
    number, _, unit = text.replace(",", "").partition(" ")
    work, _, time = unit.partition("/")
    if time:
        return float(number) * _WORK[work] / _SECONDS[time]
    return float(number) * (_SECONDS[unit] if unit else 1.0)


def off(option: NodeOption, plan: LoadPlan) -> float:
    """By how much load x mean latency misses what is in flight."""
    product = printed(load_figure(option, plan)) * printed(mean_figure(option))
    return abs(product / printed(flying_figure(option)) - 1)


@pytest.mark.parametrize("name", ["http-endpoints", "onix-adapter-published"])
@pytest.mark.parametrize("target", ["9000/s", "50000/s", "131000/s", "250000/s", "777000/s"])
def test_printed_figures_obey_littles_law(name: str, target: str) -> None:
    """Load x mean latency is what is in flight, to 1 %, of every kind of node of every load."""
    answer = benchlib.plan_capacity(study(name), target=target, survive=1, headroom="20%", slo="", draws=300)
    judged = 0
    for plan in answer.loads:
        for option in plan.options:
            assert off(option, plan) <= 0.01, (load_figure(option, plan), mean_figure(option), flying_figure(option))
            judged += 1
    assert judged


def best_of(name: str) -> tuple[NodeOption, LoadPlan]:
    """A plan whose figures are to be changed."""
    plan = benchlib.plan_capacity(study(name), draws=200).loads[0]
    assert plan.best is not None
    return plan.best, plan


#: What is in flight and the load, of which one rounding that is not counted in leaves the law by more than 1 %.
WORST = [(0.2121, 2_018.0), (4.338, 41_301.3), (7.4309, 120_552.4), (44.1298, 11_695.0), (58.4896, 112_654.5)]
HALFWAY = itertools.product(
    [0.1004999, 0.1005, 1.0049, 1.05, 3.5625, 9.949, 12.499, 104.9, 1049.0], [1.00049, 9_994.9, 62_500.0, 104_949.0]
)


@pytest.mark.parametrize(("flying", "load"), [*WORST, *HALFWAY])
def test_the_worst_roundings_keep_within_it(flying: float, load: float) -> None:
    """Also where every figure lies halfway between two that can be written, and its interval carries two digits."""
    best, plan = best_of("http-endpoints")
    mean = flying / load
    wide = {"low": 0.5, "high": 1.5}
    option = replace(
        best,
        load=load,
        flying=replace(best.flying, value=flying, **{end: flying * at for end, at in wide.items()}),
        mean_latency=replace(best.mean_latency, value=mean, **{end: mean * at for end, at in wide.items()}),
    )
    assert significant_digits_of(option.flying.value, option.flying) == 2
    assert off(option, plan) <= 0.01, (load_figure(option, plan), mean_figure(option), flying_figure(option))
