"""A stated probability is the share that comes true, and chosen counts are enough as often as they say."""

import numpy as np
import pytest

from tests.scaling.plan_simulations import FITTED, SHARES, Case, simulate


def share(cases: list[Case], what: str, at: int) -> float:
    """The mean of one column over cases."""
    return float(np.mean([getattr(one, what)[at] for one in cases]))


def test_a_few_plans_are_about_as_sure_as_they_say() -> None:
    """60 sweeps: four standard errors around 80 and 95 %, so that a blunder shows without a long run."""
    cases = list(simulate(range(60)))
    assert [share(cases, "right", at) for at in range(2)] == pytest.approx(SHARES, abs=0.2)
    assert share(cases, "counted", 1) >= 0.85


@pytest.mark.heavy
def test_2000_plans_are_as_sure_as_they_say() -> None:
    """Stated 80 and 95 % come true within 3 points over all truths; counts are enough at least as often."""
    cases = list(simulate(range(2000)))
    for at, stated in enumerate(SHARES):
        assert share(cases, "right", at) == pytest.approx(stated, abs=0.03)
        assert share(cases, "counted", at) >= stated
        for truth in FITTED:
            some = [one for one in cases if one.truth == truth and not one.beyond]
            # Within the levels no truth is told too surely, but for three standard errors of so few.
            assert share(some, "right", at) >= stated - 0.065
