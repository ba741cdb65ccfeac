"""The sections of a study of scaling laws: their words, their order, and their silence where there is no sweep."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import benchlib
from benchlib.answers.asking import Refusal
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.report import scaling_study
from benchlib.report.wording.law_tables import limits_table
from benchlib.report.wording.law_words import (
    limit_words,
    parameter_words,
    split_words,
    time_unit,
)
from benchlib.report.wording.markup import Section
from benchlib.scaling.fit import ScalingFit
from tests.shipped_studies import study, written
from tests.synthetic import SIX, make_table

ATTACK = "<img src=x onerror=alert(1)>"
ASKED: dict[str, Any] = {"law": "all", "weights": "auto", "confidence_level": 0.95}
SECTIONS = (
    "headline", "measured", "laws", "throughput", "efficiency", "time_split", "checks", "comparisons",
    "next_measurements", "caveats", "method",
)  # fmt: skip


@cache
def answer(name: str, extrapolate: str = "", law: str = "all") -> ScalingAnswer:
    """The scaling answer of a study in data/."""
    found = benchlib.fit_scaling(study(name), extrapolate=extrapolate, law=law)
    assert isinstance(found, ScalingAnswer)
    return found


def sections(of: ScalingAnswer | Refusal) -> list[Section]:
    """Every section that is made from the answer."""
    return [getattr(scaling_study, name)(of) for name in SECTIONS]


def words(of: ScalingAnswer | Refusal, name: str = "") -> str:
    """A section as a reader sees it, or all of them."""
    made = [getattr(scaling_study, name)(of)] if name else sections(of)
    return " ".join(text for one in made for text in written(one))


def fitted(curve: CurveAnswer, law: str) -> ScalingFit:
    """The fit of one law."""
    return next(one for one in curve.fits if one.law == law)


def test_where_there_is_no_sweep_the_first_section_says_so_and_the_others_nothing() -> None:
    """A refusal is one line with advice; no empty heading follows it."""
    refused = benchlib.fit_scaling(study("lplex"))
    assert isinstance(refused, Refusal)
    first, *others = sections(refused)
    (_, line) = written(first)
    assert refused.reason in line
    assert refused.advice in line
    assert all((one.title, one.blocks) == ("", ()) for one in others)
    made = scaling_study.record(study("lplex"), refused, refused, ASKED)
    assert made.answers["verdict"].startswith("Not answered: ")
    assert made.answers["answers"]["scaling"]["type"] == "Refusal"


@pytest.mark.parametrize("name", ["reference", "onix-adapter-published", "http-endpoints", "token-sdk"])
def test_every_study_with_a_sweep_is_told_whole(name: str) -> None:
    """No infinity, NaN or None as such: what is infinite or unknown is said in words."""
    told = words(answer(name))
    for wrong in ("inf", "nan", "None", "∞", "False", "{'", "<img"):
        assert f" {wrong} " not in told.replace("(", " ").replace(")", " ").replace(",", " "), wrong
    for one in answer(name).curves:
        assert one.name in told


def test_a_peak_that_is_not_there_is_not_observable() -> None:
    """Raytracer: the USL's coherency is on its bound, so the peak has a lower end only."""
    fit = fitted(answer("reference").curves[1], "usl")
    assert fit.peak is not None
    assert math.isinf(fit.peak.value)
    assert limit_words(fit, "peak").startswith("not observable up to N = 64; it would lie at ")
    assert "on its bound; at most" in parameter_words(fit, "coherency")
    assert limit_words(fitted(answer("reference").curves[1], "amdahl"), "peak") == "none: this law never falls"
    assert limit_words(fitted(answer("reference").curves[1], "linear"), "ceiling").startswith("none: this law grows")


def test_an_interval_without_an_upper_end_says_so() -> None:
    """'At least', and never infinity."""
    fit = fitted(answer("reference").curves[0], "usl")
    assert fit.peak is not None
    open_ended = replace(fit, peak=replace(fit.peak, high=math.inf))
    assert limit_words(open_ended, "peak").endswith("at least 77.9, no upper end)")
    nowhere = replace(fit, peak=replace(fit.peak, low=-math.inf, high=math.inf))
    assert limit_words(nowhere, "peak") == "96.5 (no interval)"


def test_the_published_coefficients_stand_in_the_table() -> None:
    """R usl 3.0.3 on SPEC SDM91: contention .0277285 ± .0091217, coherency .0001044 ± .0000199."""
    rows = {row[1]: row for row in limits_table(answer("reference").curves[0]).rows if row[0] == "USL (chosen)"}
    assert str(rows["contention"][2]).startswith("0.028 (")
    assert rows["contention"][3] == "0.00912"
    assert str(rows["coherency"][2]).startswith("0.00010 (")
    assert rows["coherency"][3] == "0.0000199"
    assert str(rows["peak"][2]).startswith("96.5 ")


def test_time_comes_in_the_unit_that_throughput_is_measured_by() -> None:
    """Scripts an hour give hours a script, not seconds."""
    sdm91 = answer("reference").curves[0]
    assert time_unit(sdm91) == "h"
    assert "0.131 h in the system" in split_words(sdm91)
    assert time_unit(answer("onix-adapter-published").curves[0]) == "sec"


def test_a_forecast_is_told_as_not_measured() -> None:
    """Beyond the data stands the average of the laws with its weights, and only where it was asked for."""
    assert "not measured" not in words(answer("reference"), "throughput")
    told = words(answer("reference", "432"), "throughput")
    assert "not measured, averaged over the laws" in told
    assert "On grey ground nothing was measured" in told


def test_twins_show_what_workers_lose_together() -> None:
    """token-sdk: each executor's row has ideal, measured, share lost with interval, verdict."""
    twins = benchlib.bottleneck_answer(study("token-sdk"))
    assert not isinstance(twins, Refusal)
    told = " ".join(written(scaling_study.bottleneck(twins)))
    for row in twins.rows:
        assert row.name in told
    for head in ("ideal, N / t1", "share lost", "verdict"):
        assert head in told
    refused = Refusal(question="bottleneck", reason="no twin", advice="measure one")
    assert "no twin" in " ".join(written(scaling_study.bottleneck(refused)))


def test_the_command_that_builds_the_page_again_carries_what_was_asked() -> None:
    """Unset parameters are left out, set ones quoted."""
    parameters = {"concurrency": "", "by": "executor,proof", "law": "usl"}
    told = " ".join(written(scaling_study.provenance(study("token-sdk"), parameters)))
    assert "benchlib report PATH/TO/token-sdk --notebook 40_scaling -p by=executor,proof -p law=usl" in told


def test_hostile_names_are_words_in_every_section(tmp_path: Path) -> None:
    """Escaped in tables, headings, sentences and commands."""
    rows = [
        (ATTACK, workers, "throughput", 900 * workers / (1 + 0.1 * (workers - 1)) * repeat, "req/s")
        for workers in (1, 2, 4, 8, 16)
        for repeat in SIX
    ]
    made = make_table(tmp_path, "benchmark workers metric value unit", rows, '[scaling]\nconcurrency = "workers"\n')
    found = benchlib.fit_scaling(made)
    assert isinstance(found, ScalingAnswer)
    for section in sections(found):
        for block in section.blocks:
            if hasattr(block, "__html__"):
                assert "<img" not in str(block)
    assert ATTACK in words(found)
