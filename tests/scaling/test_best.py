"""The best fit alone: the numbers of the whole fit, without what takes most of its time."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.scaling.curve import build_curve
from benchlib.scaling.fit import BestFit, fit_best, fit_law
from benchlib.scaling.laws import LAWS
from benchlib.scaling.predict import predict

LEVELS = [1, 2, 4, 8, 16, 32]
MEASURED = [10.0, 19.5, 33.0, 55.0, 68.0, 76.0]


@pytest.mark.parametrize("law", [one for one in LAWS if one != "gustafson"])
@pytest.mark.parametrize("weights", ["relative", "none"])
def test_the_best_fit_is_that_of_the_whole(law: str, weights: str) -> None:
    """Field by field, and the band that follows from it."""
    curve = build_curve(LEVELS, MEASURED, unit="op/sec")
    whole = fit_law(curve, law, weights=weights)
    best = fit_best(curve, law, weights=weights)
    assert {one.name: getattr(best, one.name) for one in fields(BestFit)} == {
        one.name: getattr(whole, one.name) for one in fields(BestFit)
    }
    assert best.on_bound == whole.on_bound
    for ends in zip(
        *((band.low, band.throughput, band.high) for band in (predict(best, [3, 40]), predict(whole, [3, 40]))),
        strict=True,
    ):
        np.testing.assert_array_equal(*ends)


def test_what_cannot_be_fitted_is_refused_alike() -> None:
    """The same line, whoever asks."""
    curve = build_curve([1, 2], [10.0, 19.0], unit="op/sec")
    messages = []
    for fit in (fit_law, fit_best):
        with pytest.raises(DataError) as raised:
            fit(curve, "usl")
        messages.append(str(raised.value))
    assert messages[0] == messages[1]
    assert messages[0].startswith("USL needs 4 distinct concurrencies, got 2 (1, 2)")
