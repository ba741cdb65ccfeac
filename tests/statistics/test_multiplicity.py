"""Corrections for asking many questions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.statistics.verdicts import benjamini_hochberg, false_coverage_level


def test_known_answer() -> None:
    """The 15 p values of Benjamini and Hochberg 1995, section 3.2: 4 are below 0.05 (R's p.adjust)."""
    pvalues = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459,
               0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]  # fmt: skip
    adjusted = benjamini_hochberg(pvalues)
    assert int((adjusted <= 0.05).sum()) == 4
    assert adjusted[:4] == pytest.approx([0.0015, 0.003, 0.0095, 0.035625], rel=1e-12)


def test_untested_rows_do_not_count() -> None:
    """A row without a p value stays without one and does not make the others harder."""
    adjusted = benjamini_hochberg([0.04, math.nan, 0.02])
    assert math.isnan(adjusted[1])
    assert adjusted[[0, 2]].tolist() == benjamini_hochberg([0.04, 0.02]).tolist()


def test_order_of_rows_is_kept() -> None:
    """Shuffling the rows shuffles the answer alike."""
    pvalues = np.random.default_rng(2).uniform(size=20)
    order = np.random.default_rng(3).permutation(20)
    assert benjamini_hochberg(pvalues[order]).tolist() == benjamini_hochberg(pvalues)[order].tolist()


def test_nothing_to_adjust() -> None:
    """No rows, no answer, no error."""
    assert benjamini_hochberg([]).size == 0


@pytest.mark.parametrize("wrong", [-0.1, 1.1])
def test_what_is_no_pvalue(wrong: float) -> None:
    """A p value outside 0 to 1 is named."""
    with pytest.raises(DataError, match=str(wrong)):
        benjamini_hochberg([0.5, wrong])


def test_coverage_level_of_selected_rows() -> None:
    """All selected: the level itself. Few of many: a stricter one. None: as for one."""
    assert false_coverage_level(0.95, 100, 100) == pytest.approx(0.95)
    assert false_coverage_level(0.95, 1, 100) == pytest.approx(0.9995)
    assert false_coverage_level(0.95, 0, 100) == pytest.approx(0.9995)


def test_selection_that_cannot_be() -> None:
    """More selected than there are is refused."""
    with pytest.raises(DataError, match="3 rows selected of 2"):
        false_coverage_level(0.95, 3, 2)
