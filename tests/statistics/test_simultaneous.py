"""The farthest of several draws: known answers, ways back, and where it must lie."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from benchlib.errors import DataError
from benchlib.statistics.simultaneous import farthest_pvalue, farthest_reach

KNOWN = (2, 3, 6, 26)


@pytest.mark.parametrize("known", KNOWN)
def test_one_draw_is_students_t(known: int) -> None:
    """Together with none, a draw has Student's t."""
    distances = np.array([0.0, 0.5, 2.0, 30.0])
    expected = 2 * stats.t.sf(distances, known - 1)
    assert farthest_pvalue(distances, known=known, together=1) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("known", [3, 6, 11])
@pytest.mark.parametrize("together", [2, 5])
def test_several_draws_are_multivariate_t(known: int, together: int) -> None:
    """Distances share the mean and the spread: a multivariate t with correlation 1 / (known + 1) (scipy, 2e-5)."""
    shape = np.full((together, together), 1 / (known + 1))
    np.fill_diagonal(shape, 1.0)
    for distance in (1.0, 2.5, 5.0):
        within = stats.multivariate_t.cdf(
            np.full(together, distance),
            shape=shape,
            df=known - 1,
            lower_limit=np.full(together, -distance),
            maxpts=200_000,
            random_state=1,
        )
        assert farthest_pvalue([distance], known=known, together=together)[0] == pytest.approx(1 - within, abs=2e-5)


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("together", [2, 26, 20_000])
def test_it_lies_between_one_draw_and_bonferroni(known: int, together: int) -> None:
    """Several draws lie farther out than one, but never more often than the sum of their chances."""
    distances = np.geomspace(0.1, 1000, 60)
    alone = farthest_pvalue(distances, known=known, together=1)
    found = farthest_pvalue(distances, known=known, together=together)
    assert (found >= alone * (1 - 1e-3)).all()
    assert (found <= np.minimum(1, together * alone) * (1 + 1e-3)).all()
    assert (np.diff(found) <= 0).all()


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("together", [1, 7, 500])
def test_the_way_back(known: int, together: int) -> None:
    """At the reach of a level the p value is what the level leaves."""
    for level in (0.5, 0.95, 0.999):
        reach = farthest_reach(level, known=known, together=together)
        assert farthest_pvalue(reach, known=known, together=together)[0] == pytest.approx(1 - level, rel=1e-9)


def test_many_distances_are_answered_as_each_by_itself() -> None:
    """Blocks of rows leave no seam."""
    distances = np.linspace(0, 8, 2500)
    found = farthest_pvalue(distances, known=5, together=9)
    for place in (0, 1023, 1024, 2499):
        assert found[place] == pytest.approx(farthest_pvalue([distances[place]], known=5, together=9)[0], rel=1e-12)
    assert found[0] == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize(("known", "together"), [(1, 3), (5, 0)])
def test_too_few_draws_are_refused(known: int, together: int) -> None:
    """A spread needs two draws, a question one."""
    message = f"{known} known and {together} new draws: give 2 known ones or more, and 1 new one or more"
    for ask in (farthest_pvalue, farthest_reach):
        with pytest.raises(DataError) as raised:
            ask(0.5, known=known, together=together)
        assert str(raised.value) == message


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, float("nan")])
def test_a_level_outside_its_range_is_refused(level: float) -> None:
    """Levels are shares."""
    with pytest.raises(DataError) as raised:
        farthest_reach(level, known=4, together=2)
    assert str(raised.value) == f"confidence level {level!r} is not between 0 and 1; write 95 % as 0.95"
