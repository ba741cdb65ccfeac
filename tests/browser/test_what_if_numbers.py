"""Numbers that the what-if script writes: those of `benchlib.units.show` and of the words of a plan, digit by digit."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from typing import Any

import pytest

from benchlib.report.page.template import OWN
from benchlib.report.wording.plan_words import ends, figure
from benchlib.statistics.estimates import Estimate
from benchlib.units import asked_share, percent, show

UNITS = ("sec", "sec/op", "op/sec", "B", "B/sec", "", "ratio", "x", "scripts/h")


@pytest.fixture(scope="module")
def script(browser: Any) -> Any:
    """An empty page that knows how numbers are written."""
    page = browser.new_page()
    source = (OWN / "scripts" / "what_if" / "numbers.js").read_text(encoding="utf-8")
    names = "show, fixed, percent, askedShare, figure, ends"
    page.add_script_tag(content=f"globalThis.numbers = (() => {{ {source} return {{ {names} }}; }})()")
    yield page
    page.close()


def written(page: Any, function: str, arguments: Sequence[Sequence[Any]]) -> list[str]:
    """What the script writes for each list of arguments."""
    code = "([name, all]) => all.map((one) => numbers[name](...one.map((part) => part === null ? undefined : part)))"
    return list(page.evaluate(code, [function, [list(one) for one in arguments]]))


def estimate(low: float, value: float, high: float, unit: str) -> Estimate:
    """What draws leave of a number."""
    rest: dict[str, Any] = {"confidence_level": 0.95, "n": 3, "method": "draws", "standard_error": math.nan}
    return Estimate(value=value, low=low, high=high, unit=unit, **rest)


def values() -> list[float]:
    """Of every size, among them halves, borders between units, and numbers that round up to one more digit."""
    chosen = random.Random(7)
    found = [
        0.0,
        -0.0,
        0.5,
        1.5,
        2.5,
        12.5,
        0.125,
        99.95,
        999.5,
        998.5,
        9995.0,
        0.9995,
        0.99949,
        1e-9,
        5e-10,
        1e15,
        1e21,
    ]
    found += [1.125e15, 123456789.0, 1e9, 1e9 - 1, 1023.9, 1024.0, 2.5e-7, 1e-7, 9.9999, 99999.5, 1e300, 1e-300, 5e-324]
    found += [chosen.uniform(1, 10) * 10.0**power for power in range(-14, 23) for _ in range(25)]
    found += [chosen.randrange(1, 2000) / 2**power for power in range(12) for _ in range(20)]
    found += [float(chosen.randrange(10**power)) for power in range(1, 17) for _ in range(5)]
    return [*found, *(-one for one in found[::3]), math.inf, -math.inf, math.nan]


def test_every_number_is_written_alike(script: Any) -> None:
    """In every unit, to 2 to 5 digits: thousands of numbers."""
    asked = [(one, unit, digits) for one, unit in itertools.product(values(), UNITS) for digits in (2, 3, 4, 5)]
    expected = [show(*one) for one in asked]
    found = written(script, "show", asked)
    assert [pair for pair in zip(asked, expected, found, strict=True) if pair[1] != pair[2]] == []
    assert len(asked) > 10_000


def test_digits_that_an_interval_carries_are_written_alike(script: Any) -> None:
    """Whole parts rounded, on the scale of a neighbour too."""
    kinds = itertools.product(values(), ("sec", "B/sec", "req/sec", "", "x"), (None, 4e-6, 5000.0), (2, 3, 6))
    asked = [(one, unit, 4, like, carried) for one, unit, like, carried in kinds]
    expected = [show(*one) for one in asked]
    found = written(script, "show", asked)
    assert [pair for pair in zip(asked, expected, found, strict=True) if pair[1] != pair[2]] == []


def test_halves_go_to_the_even_digit(script: Any) -> None:
    """As Python rounds them: JavaScript's own way would write 3 and 13 %."""
    assert written(script, "fixed", [(2.5, 0), (3.5, 0), (0.125, 2), (1e21, 0)]) == [
        "2", "4", "0.12", "1,000,000,000,000,000,000,000",
    ]  # fmt: skip
    assert written(script, "percent", [(0.125,), (0.135,)]) == ["12 %", percent(0.135)]


def test_shares_and_money_are_written_alike(script: Any) -> None:
    """Percent without decimals, money with two."""
    finite = [one for one in values() if math.isfinite(one)]
    assert written(script, "fixed", [(one, 2) for one in finite]) == [f"{one:,.2f}" for one in finite]
    shares = [one / 4000 for one in range(4001)]
    assert written(script, "percent", [(one,) for one in shares]) == [percent(one) for one in shares]
    shares += [0.9999, 0.999999, 0.99999999, 0.07, 2 / 3, 0.57]
    assert written(script, "askedShare", [(one,) for one in shares]) == [asked_share(one) for one in shares]


def test_estimates_carry_the_same_digits(script: Any) -> None:
    """Value and interval, infinite ends and all."""
    chosen = random.Random(8)
    asked = []
    for _ in range(1500):
        low, value, high = sorted(chosen.uniform(0.1, 10) * 10.0 ** chosen.randrange(-6, 9) for _ in range(3))
        if chosen.random() < 0.5:
            low, high = value * (1 - chosen.random() ** 6), value * (1 + chosen.random() ** 6)
        low = chosen.choice([low, low, low, 0.0, -math.inf])
        high = chosen.choice([high, high, high, math.inf])
        asked.append((low, value, high, chosen.choice(UNITS)))
    asked += [(math.inf, math.inf, math.inf, "sec"), (0.0, 0.0, 0.0, "ratio"), (-math.inf, -math.inf, 0.5, "ratio")]
    estimates = [estimate(*one) for one in asked]
    given = [({"low": one.low, "value": one.value, "high": one.high, "unit": one.unit},) for one in estimates]
    assert written(script, "figure", given) == [figure(one) for one in estimates]
    assert written(script, "ends", given) == [ends(one) for one in estimates]
