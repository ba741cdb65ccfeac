"""Back-tests: a law is held against levels it has not seen."""

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.scaling.choose import back_test
from benchlib.scaling.curve import build_curve, up_to
from benchlib.scaling.fit import fit_law
from benchlib.scaling.laws import amdahl, plateau, usl
from benchlib.scaling.predict import predict

LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])


def test_rounds_grow_from_the_fewest_levels() -> None:
    """USL on 7 levels: rounds of 4, 5 and 6, each predicting the levels within twice its own."""
    curve = build_curve(LEVELS, usl.throughput(LEVELS, 100.0, 0.03, 5e-4), unit="op/sec")
    tested = back_test(curve, "usl")
    assert (tested.law, tested.refused) == ("usl", "")
    assert [(one.levels, one.up_to, [miss.concurrency for miss in one.misses]) for one in tested.rounds] == [
        (4, 8.0, [16.0]),
        (5, 16.0, [32.0]),
        (6, 32.0, [64.0]),
    ]


def test_a_true_law_does_not_miss() -> None:
    """On the law's own curve every error is rounding."""
    curve = build_curve(LEVELS, amdahl.throughput(LEVELS, 100.0, 0.07), unit="op/sec")
    errors = [miss.error for one in back_test(curve, "amdahl").rounds for miss in one.misses]
    assert len(errors) == 4
    assert errors == pytest.approx([0.0] * 4, abs=1e-7)


def test_a_miss_is_the_prediction_of_the_first_levels() -> None:
    """SPEC SDM91: numbers are those of a fit up to 108 and its interval for one more measurement."""
    throughput = [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2]
    curve = build_curve([1, 18, 36, 72, 108, 144, 216], throughput, unit="op/sec")
    tested = back_test(curve, "usl", weights="none")
    band = predict(fit_law(up_to(curve, 108), "usl", weights="none"), [144, 216], kind="prediction")
    misses = tested.rounds[1].misses
    assert [miss.predicted for miss in misses] == band.throughput.tolist()
    assert [miss.low for miss in misses] == band.low.tolist()
    assert [miss.measured for miss in misses] == [1775.0, 1702.2]
    assert misses[1].error == pytest.approx(band.throughput[1] / 1702.2 - 1)
    assert misses[1].error < -0.2, "the USL of the first five levels expects a fall that did not come"


def test_a_wall_is_a_surprise() -> None:
    """Amdahl's law from below a plateau misses above it, outside its interval."""
    noise = 1 + 0.01 * np.random.default_rng(3).standard_normal(7)
    curve = build_curve(LEVELS, plateau.throughput(LEVELS, 100.0, 16.0) * noise, unit="op/sec")
    first = {one.up_to: one for one in back_test(curve, "amdahl").rounds}[16.0]
    assert first.misses[0].error > 0.5
    assert not first.misses[0].inside


def test_levels_too_far_apart_are_not_predicted() -> None:
    """Nothing beyond twice the levels fitted: that round is named, not left out in silence."""
    levels = [1, 2, 4, 8, 40, 48]
    tested = back_test(build_curve(levels, amdahl.throughput(levels, 10.0, 0.05), unit="op/sec"), "amdahl")
    assert [one.up_to for one in tested.rounds] == [4.0, 40.0]
    assert tested.refused == "from 8 the next level 40 lies beyond twice it"


def test_too_few_levels_leave_nothing_to_predict() -> None:
    """A law that fits all levels but no fewer has no round, and the reason counts them."""
    tested = back_test(build_curve([1, 2, 4], [10, 18, 30], unit="op/sec"), "amdahl")
    assert tested.rounds == ()
    assert tested.refused == "back-testing Amdahl needs 4 distinct concurrencies, got 3 (1, 2, 4)"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"law": "amdal"}, "did you mean 'amdahl'"),
        ({"law": "amdahl", "weights": "relativ"}, "unknown weights"),
        ({"law": "amdahl", "confidence_level": 95}, "not between 0 and 1"),
        ({"law": "gustafson"}, "needs weak scaling"),
        ({"law": "usl"}, "needs 4 distinct"),
    ],
)
def test_questions_that_cannot_be_asked_are_refused(options: dict, message: str) -> None:
    """What no fit could answer is no refusal among the rounds, but an error."""
    with pytest.raises(DataError, match=message):
        back_test(build_curve([1, 2, 4], [10, 18, 30], unit="op/sec"), **options)
