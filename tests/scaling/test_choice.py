"""The choice between laws."""

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.scaling.choice import choose_law
from benchlib.scaling.curve import build_curve
from benchlib.scaling.fitting import fit_law
from benchlib.scaling.laws import amdahl, usl

LEVELS = np.repeat([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0], 3)


def fits(throughput: np.ndarray, seed: int) -> list:
    noise = 1 + 0.02 * np.random.default_rng(seed).standard_normal(len(LEVELS))
    curve = build_curve(LEVELS, throughput * noise, unit="op/sec")
    return [fit_law(curve, law) for law in ("linear", "amdahl", "usl")]


def test_the_true_law_is_chosen_when_it_shows() -> None:
    """A curve that bends down is the USL's; one that only flattens is not."""
    assert choose_law(fits(usl.throughput(LEVELS, 50.0, 0.05, 0.002), 1)).law == "usl"
    flat = choose_law(fits(amdahl.throughput(LEVELS, 50.0, 0.05), 2))
    assert flat.law == "amdahl"


def test_proportional_data_are_linear() -> None:
    """Without loss the line wins, whichever coefficients reach their bounds."""
    assert choose_law(fits(50.0 * LEVELS, 3)).law == "linear"


def test_order_of_fits_is_irrelevant() -> None:
    """The same laws in any order give the same choice."""
    given = fits(usl.throughput(LEVELS, 50.0, 0.05, 0.002), 4)
    assert choose_law(given) == choose_law(given[::-1])


def test_one_law_is_chosen_and_said_so() -> None:
    """A single fit is the choice, for lack of others."""
    only = choose_law(fits(50.0 * LEVELS, 5)[:1])
    assert (only.law, only.why) == ("linear", "linear: the only law fitted")


def test_criteria_that_cannot_be_computed_do_not_vote() -> None:
    """At 5 single measurements AICc of the USL does not exist, so it prefers nothing."""
    curve = build_curve([1, 2, 4, 8, 16], [10, 18, 30, 40, 41], unit="op/sec")
    choice = choose_law([fit_law(curve, law) for law in ("amdahl", "usl")])
    assert "AICc" not in choice.preferred


def test_fits_of_other_data_or_weights_are_refused() -> None:
    """Criteria of different data or weights cannot be compared."""
    curve = build_curve([1, 2, 4, 8], [10, 18, 30, 44], unit="op/sec")
    with pytest.raises(DataError, match="fit them alike"):
        choose_law([fit_law(curve, "amdahl"), fit_law(curve, "linear", weights="none")])
    with pytest.raises(DataError, match="no fitted laws"):
        choose_law([])
