"""One curve in a few words: how it grows, where it peaks, and nothing that reads as its opposite."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import benchlib
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.report.efficiency_chart import efficiency_chart
from benchlib.report.page.agreeing import Known, figures
from benchlib.report.wording.cards.choice import cards
from benchlib.report.wording.curve_words import curve_phrase, grown_words, told_growth
from benchlib.report.wording.first_page import to_do
from benchlib.report.wording.headline import verdict
from benchlib.report.wording.law_words import efficiency_words
from benchlib.report.wording.scaling_tables import curve_table
from benchlib.report.wording.scaling_words import capacity_findings, fit_findings, scaling_findings
from benchlib.report.wording.words import figure
from benchlib.study import Study
from benchlib.units import percent
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


def test_what_levels_off_does_not_read_as_getting_slower(tmp_path: Path) -> None:
    """ "Growing ever slower" was read as growing slower."""
    told = curve_phrase(curve(sweep(tmp_path, [100, 150, 190, 205, 206])))
    assert told.startswith("levels off at ")
    assert told.endswith("flat from 8 workers on")
    assert "slower" not in told


def test_what_was_measured_once_is_flat_as_measured(tmp_path: Path) -> None:
    """Nothing shows that two single measurements are the same."""
    once = sweep(tmp_path, [100, 150, 190, 205, 206], repeats=[1])
    assert curve_phrase(curve(once)).endswith("flat from 8 workers on, as measured")


def test_growth_that_ends_at_the_cores_says_so(tmp_path: Path) -> None:
    """What stops it is asked first; a wall at another level has no such cause on the page."""
    rates = [100, 199, 200, 200.5, 200.2]
    assert " from 2 workers on, as many as the machine has cores, at " in curve_phrase(
        curve(sweep(tmp_path / "two", rates, cores=2))
    )
    assert " from 2 workers on, at " in curve_phrase(curve(sweep(tmp_path / "four", rates, cores=4)))
    assert "best at 4 workers, as many as the machine has cores, " in curve_phrase(
        curve(sweep(tmp_path / "falls", [100, 200, 380, 250, 130], cores=4))
    )


def test_levels_that_were_not_measured_alike_are_doubted_beside_the_growth() -> None:
    """3.8x on two cores cannot stand on a first page without the reason to doubt it."""
    told = verdict(summary("onix-adapter"))
    assert " has an efficiency of 165 % at gomaxprocs 2, which puts in doubt that " in told
    assert "No level is recommended" not in verdict(summary("onix-adapter-published"))


def test_an_efficiency_has_no_more_digits_than_its_interval() -> None:
    """125.2 % of throughputs known to 11 %: whole percents in words, and in the table where an interval asks for it."""
    study = summary("http-endpoints")
    assert not isinstance(study.scaling, Refusal)
    cheap = study.scaling.curves[0]
    assert "Step efficiencies: 125 % to 2, 87 % to 4, 66 % to 8" in scaling_findings(study.scaling)[0]
    assert [row[5:7] for row in curve_table(cheap).rows][1:3] == [("125 %", "125 %"), ("109 %", "87 %")]
    once = summary("onix-adapter").scaling
    assert not isinstance(once, Refusal)
    assert [row[6] for row in curve_table(once.curves[0]).rows][1:3] == ["165 %", "57.5 %"]


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


def test_what_falls_late_does_not_fall_at_once(tmp_path: Path) -> None:
    """Flat from 2 workers to 8 and lower at 16: no reader may think that it falls from 2 on."""
    one = curve(sweep(tmp_path, [100, 200, 199.9, 200.1, 170]))
    told = grown_words([one], named=False)
    assert told == f"From 1 worker throughput grows {figure(one.best_growth)} up to 2 workers, no further up to 8, " + (
        f"then falls by {percent(one.shape.falls_by)} to 16"
    )


@pytest.mark.parametrize("name", ["http-endpoints", "onix-adapter", "reference"])
def test_no_level_before_the_fall_told_is_higher_than_the_best(name: str) -> None:
    """Where a later median exceeds that of the best level, the words say up to where."""
    answer = summary(name).scaling
    assert isinstance(answer, ScalingAnswer)
    for one in (curve for curve in answer.curves if curve.shape.kind == "retrograde"):
        best = next(point for point in one.points if point.concurrency == one.shape.best_level)
        beyond = [point for point in one.points if point.throughput.value > best.throughput.value]
        assert not beyond or ", no further up to " in grown_words([one])


def test_card_and_finding_write_one_speedup() -> None:
    """6.5x above is not 6.45x below."""
    found = summary("http-endpoints")
    card = next(one for one in cards(found) if one.label == "Speedup, cheap")
    line = next(one for one in scaling_findings(found.scaling) if one.startswith("cheap"))
    assert f"speedup {card.value} at 128" in line


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


def test_an_efficiency_that_rises_is_said_to(tmp_path: Path) -> None:
    """The words beside the chart are those of its points; its caption names its axis."""
    one = curve(sweep(tmp_path, [100, 250, 380, 400, 410]))
    assert efficiency_words(one).endswith("efficiency 100 % at 1, 125 % at 2, 26 % at 16")
    chart = efficiency_chart(benchlib.fit_scaling(sweep(tmp_path, [100, 190, 380, 400, 410])))
    assert "falling" not in chart.layout.meta["alt"]
    assert chart.layout.meta["caption"].startswith("Efficiency")


@pytest.mark.parametrize("value", [102842.0, 17454.6, 999.6, 1234567.0, 310.0])
def test_what_is_rounded_for_a_sentence_agrees_with_its_answer(value: float, tmp_path: Path) -> None:
    """And a number that is off by more than the rounding does not."""
    one = curve(sweep(tmp_path, [value] * 5)).points[0].throughput
    (told,) = figures(figure(one))
    assert Known([{"value": one.value}]).holds(told)
    assert not Known([{"value": one.value * 1.06}]).holds(told)


def test_a_coefficient_has_no_more_digits_than_its_error() -> None:
    """0 ± 0.1263442 told a limit to seven digits."""
    told = " ".join(fit_findings(summary("reference").scaling))
    assert "contention 0.0277 ± 0.0091 (" in told
    assert "0.0277285" not in told
