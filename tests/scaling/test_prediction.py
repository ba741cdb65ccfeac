"""Bands of a fitted law: as wide as the data allow, and no further than asked."""

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.scaling.curve import build_curve
from benchlib.scaling.fit import fit_law
from benchlib.scaling.laws import usl
from benchlib.scaling.predict import EXTRAPOLATION_LIMIT, predict

LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
FIT = fit_law(
    build_curve(LEVELS, usl.throughput(LEVELS, 100.0, 0.03, 5e-4) * [1, 1.01, 0.98, 1.02, 1, 0.99], unit="op/sec"),
    "usl",
)


def test_beyond_twice_the_data_is_refused_unless_meant() -> None:
    """Twice the largest level is the end, itself included; the refusal says what was measured and what to do."""
    assert EXTRAPOLATION_LIMIT == 2.0
    assert predict(FIT, [64]).concurrency.tolist() == [64.0]
    with pytest.raises(DataError) as caught:
        predict(FIT, [8, 65])
    assert str(caught.value) == (
        "concurrency 65 is beyond twice the largest level measured (32); "
        "ask up to 64, measure further, or ask for extrapolation"
    )
    assert predict(FIT, [65], extrapolate=True).high[0] > 0


@pytest.mark.parametrize("wrong", [0.5, 0, -1, np.nan, np.inf])
def test_concurrency_is_a_number_of_workers(wrong: float) -> None:
    """Less than one worker, and what is no number, is refused whether or not extrapolation is meant."""
    with pytest.raises(DataError, match="no finite number of at least 1"):
        predict(FIT, [wrong], extrapolate=True)


def test_extrapolating_changes_no_number_within_the_limit() -> None:
    """Permission to go further does not move the band that needs none."""
    plain, meant = predict(FIT, LEVELS), predict(FIT, LEVELS, extrapolate=True)
    assert np.array_equal(plain.low, meant.low)
    assert np.array_equal(plain.high, meant.high)
