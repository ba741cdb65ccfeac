"""The sections of a study of effects: their order, their words, and their silence where no factor varies."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import benchlib
from benchlib.answers.asking import Refusal
from benchlib.answers.effects import EffectsAnswer
from benchlib.report import effects_study
from benchlib.report.wording.cost_tables import (
    importance_table,
    prediction_remarks,
    predictions_table,
)
from benchlib.report.wording.markup import Section
from benchlib.study import Study
from tests.shipped_studies import effects, study, written
from tests.synthetic import SIX, make_table

ATTACK = "<img src=x onerror=alert(1)>"
ASKED: dict[str, Any] = {"metric": "", "factors": "", "predict": "", "confidence_level": 0.95}
SECTIONS = (
    "headline", "importance", "effects", "models", "predictions", "interactions", "special_cells",
    "breakdowns", "changes", "cells", "caveats",
)  # fmt: skip
CELLS = ("bits=64 inputs=4 outputs=6 curve=BN254", "bits=64 inputs=4 outputs=60 curve=BN254")


@cache
def answer(name: str, metric: str = "time", predict: tuple[str, ...] = ()) -> EffectsAnswer:
    """The effects answer of a study in data/."""
    return effects(name, metric, predict)


def complete(folder: Path) -> tuple[Study, EffectsAnswer]:
    """A complete factorial made up of hostile names, with a prediction."""
    rows = [
        (ATTACK, bits, outputs, kind, "time", (2 + 5 * outputs) * bits * factor * repeat, "ms/op")
        for kind, factor in (("a", 1.0), (ATTACK, 1.5))
        for bits in (32, 64)
        for outputs in (1, 2, 4, 8)
        for repeat in SIX
    ]
    plan = '[effects]\nfactors = ["bits", "outputs", "kind"]\nmetrics = ["time"]\nby = ["benchmark"]\n'
    made = make_table(folder, "benchmark bits outputs kind metric value unit", rows, plan)
    found = benchlib.analyse_effects(made, predict={"bits": 64, "outputs": 16, "kind": ATTACK})
    assert isinstance(found, EffectsAnswer)
    return made, found


def sections(of: EffectsAnswer | Refusal) -> list[Section]:
    """Every section that is made from the answer."""
    return [getattr(effects_study, name)(of) for name in SECTIONS]


def words(of: EffectsAnswer | Refusal, name: str = "") -> str:
    """A section as a reader sees it, or all of them."""
    made = [getattr(effects_study, name)(of)] if name else sections(of)
    return " ".join(text for one in made for text in written(one))


def test_without_a_factor_the_first_section_says_so_and_the_others_nothing() -> None:
    """A refusal is one line with advice; no empty heading follows it; the record is a refusal too."""
    refused = benchlib.analyse_effects(study("reference"))
    assert isinstance(refused, Refusal)
    first, *others = sections(refused)
    (_, line) = written(first)
    assert refused.reason in line
    assert refused.advice in line
    assert all((one.title, one.blocks) == ("", ()) for one in others)
    made = effects_study.record(study("reference"), refused, ASKED)
    assert made.answers["verdict"].startswith("Not answered: ")
    assert made.answers["answers"]["effects"]["type"] == "Refusal"
    assert effects_study.method(study("reference"), refused, ASKED).title == "Provenance"


@pytest.mark.parametrize("name", ["token-sdk", "lplex"])
def test_every_study_with_factors_is_told_whole(name: str) -> None:
    """No infinity, NaN or None as such; every group is named; a heading stands over every block."""
    of = answer(name)
    made = sections(of)
    told = " ".join(text for section in made for text in written(section))
    for wrong in ("inf", "nan", "None", "∞", "False", "{'", "<img"):
        assert f" {wrong} " not in told.replace("(", " ").replace(")", " ").replace(",", " "), wrong
    for one in of.models:
        assert str(one.key["benchmark"]) in told
    assert all(bool(one.title) == bool(one.blocks) or one.anchor == "verdict" for one in made)


def test_shares_of_a_complete_table_are_the_whole(tmp_path: Path) -> None:
    """Factors, what two do together, and the rest."""
    found = importance_table(complete(tmp_path)[1])
    assert found is not None
    ((_, *shares, _, _),) = found.rows
    assert sum(float(str(one).rstrip(" %")) for one in shares) == pytest.approx(100, abs=0.2)


def test_a_prediction_is_told_with_both_intervals_or_refused_with_the_reason() -> None:
    """Beyond twice the measured range there is no number."""
    found = predictions_table(answer("token-sdk", predict=CELLS))
    assert found is not None
    inside, refused = found.rows[:2]
    assert all(" to " in str(one) for one in inside[3:])
    assert refused[2:] == ("refused", "–", "–")
    told = prediction_remarks(answer("token-sdk", predict=CELLS))
    assert len(told) == 2, "the same remark holds for every group"
    assert told[0].startswith("bits 64, inputs 4, outputs 6, curve BN254: inputs = 4 (measured from 1 to 3)")
    assert "60, curve BN254: refused: " in told[1]
    assert "beyond twice the measured range" in told[1]
    assert predictions_table(answer("token-sdk")) is None
    assert effects_study.predictions(answer("token-sdk")).blocks == ()


def test_the_command_that_builds_the_page_again_carries_what_was_asked() -> None:
    """Quoted, because a cell has spaces."""
    parameters = {**ASKED, "predict": CELLS[0]}
    told = " ".join(written(effects_study.method(study("token-sdk"), answer("token-sdk"), parameters)))
    assert f"benchlib report PATH/TO/token-sdk --notebook 50_effects -p 'predict={CELLS[0]}'" in told
    assert "How the numbers were made" in told


def test_the_record_is_the_document_of_the_command() -> None:
    """The same models as ``benchlib effects --format json``, beside verdict and cards."""
    made = effects_study.record(study("lplex"), answer("lplex"), ASKED)
    effects = made.answers["answers"]["effects"]
    assert [one["metric"] for one in effects["models"]] == [one.metric for one in answer("lplex").models]
    assert made.answers["cards"]
    assert made.answers["answers"]["parameters"] == ASKED
    assert made.summary.startswith("NO TARGETS: FanOut")


def test_hostile_names_are_words_in_every_section(tmp_path: Path) -> None:
    """Escaped in tables, headings, sentences and commands."""
    made, found = complete(tmp_path)
    for section in [*sections(found), effects_study.method(made, found, {**ASKED, "predict": ATTACK})]:
        for block in section.blocks:
            if hasattr(block, "__html__"):
                assert "<img" not in str(block)
    assert ATTACK in words(found)
