"""One curve in a few words: how it grows, where it peaks, and nothing that reads as its opposite."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import benchlib
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.report.page.agreeing import Known, figures
from benchlib.report.wording.cards.choice import cards
from benchlib.report.wording.curve_words import grown_words, told_growth
from benchlib.report.wording.first_page import to_do
from benchlib.report.wording.headline import verdict
from benchlib.report.wording.scaling_words import capacity_findings
from benchlib.report.wording.words import figure
from benchlib.study import Study
from tests.shipped_studies import summary
from tests.synthetic import SIX, make_table

LEVELS = (1, 2, 4, 8, 16)


def sweep(folder: Path, rates: Sequence[float], *, repeats: Sequence[float] = SIX, cores: int | None = None) -> Study:
    """A study of one endpoint at five levels of workers."""
    rows = [
        ("get", level, rate * one, place)
        for level, rate in zip(LEVELS, rates, strict=True)
        for place, one in enumerate(repeats)
    ]
    definition = f'[scaling]\nconcurrency = "workers"\n{f"[environment]{chr(10)}cores = {cores}" if cores else ""}\n'
    folder.mkdir(exist_ok=True)
    return make_table(folder, "benchmark workers throughput(req/s) run", rows, definition)


def curve(study: Study) -> CurveAnswer:
    """The one curve of a study."""
    answer = benchlib.fit_scaling(study)
    (found,) = answer.curves
    return found


def test_of_a_curve_that_falls_the_peak_is_told(tmp_path: Path) -> None:
    """From end to end it grows 1.3x, which hides both the growth and the fall."""
    study = sweep(tmp_path, [100, 200, 380, 250, 130])
    one = curve(study)
    told = grown_words([one], named=False)
    assert told == f"From 1 worker throughput grows {figure(one.best_growth)} up to 4 workers, then falls by 66 % to 16"
    speedup, point = told_growth(one)
    assert speedup.value == pytest.approx(3.8)
    assert point.concurrency == 4
    first = cards(benchlib.executive_summary(study))[0]
    assert first.label.startswith("Best speedup")
    assert first.value == figure(speedup)
    assert "from 1 worker to 4" in first.note


@pytest.mark.parametrize("name", ["http-endpoints", "onix-adapter", "reference"])
def test_no_level_before_the_fall_told_is_higher_than_the_best(name: str) -> None:
    """Where a later median exceeds that of the best level, the words say up to where."""
    answer = summary(name).scaling
    assert isinstance(answer, ScalingAnswer)
    for one in (curve for curve in answer.curves if curve.shape.kind == "retrograde"):
        best = next(point for point in one.points if point.concurrency == one.shape.best_level)
        beyond = [point for point in one.points if point.throughput.value > best.throughput.value]
        assert not beyond or ", no further up to " in grown_words([one])


def test_the_smallest_level_is_no_advice(tmp_path: Path) -> None:
    """Its balance is 1 by definition: it wins wherever the first step gains less than √2, whatever comes then."""
    found = benchlib.executive_summary(sweep(tmp_path, [100, 130, 180, 240, 330], cores=16))
    (capacity,) = found.capacity.curves
    assert capacity.returns.recommended == 1
    assert not capacity.advised
    assert not [one for one in cards(found) if one.label.startswith("Best balance")]
    assert "balance" not in f"{verdict(found)} {to_do(found)}"
    assert "no larger level has a better balance" in capacity_findings(found.capacity)[0]


@pytest.mark.parametrize(("cores", "advised"), [(None, False), (16, True)])
def test_single_values_advise_only_where_the_cores_are_known(cores: int | None, advised: bool, tmp_path: Path) -> None:
    """Without either nothing bounds what a level is worth."""
    found = benchlib.executive_summary(sweep(tmp_path, [100, 190, 350, 400, 410], repeats=(1.0,), cores=cores))
    (capacity,) = found.capacity.curves
    assert capacity.returns.recommended == 4
    assert capacity.advised is advised
    assert ("onsider 4 workers" in to_do(found)) is advised
    assert ("no level is recommended" in capacity_findings(found.capacity)[0]) is not advised


@pytest.mark.parametrize("value", [102842.0, 17454.6, 999.6, 1234567.0, 310.0])
def test_what_is_rounded_for_a_sentence_agrees_with_its_answer(value: float, tmp_path: Path) -> None:
    """And a number that is off by more than the rounding does not."""
    one = curve(sweep(tmp_path, [value] * 5)).points[0].throughput
    (told,) = figures(figure(one))
    assert Known([{"value": one.value}]).holds(told)
    assert not Known([{"value": one.value * 1.06}]).holds(told)
