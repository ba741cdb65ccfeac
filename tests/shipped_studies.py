"""The studies in data/, opened once a worker and summarised once a test run, and their pages as plain words."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from benchlib.answers.effects import EffectsAnswer, analyse_effects
from benchlib.answers.executive import ExecutiveSummary, executive_summary
from benchlib.document.blocks import Document
from benchlib.study import Study, open_study
from benchlib.tell.executive import executive
from tests.session_cache import made_once

DATA = Path(__file__).resolve().parents[1] / "data"
NAMES = tuple(sorted(one.parent.name for one in DATA.glob("*/study.toml")))


@cache
def study(name: str) -> Study:
    """A study of data/."""
    return open_study(DATA / name)


@cache
def summary(name: str) -> ExecutiveSummary:
    """Every answer of a study of data/."""
    return made_once(f"summary-{name}", lambda: executive_summary(study(name)))


@cache
def effects(name: str, metric: str = "time", predict: tuple[str, ...] = (), **asked: Any) -> EffectsAnswer:
    """What a study of data/ answers on effects, made once a test run for each question."""
    answer = made_once(
        f"effects-{name}-{metric}-{predict}-{sorted(asked.items())}",
        lambda: analyse_effects(study(name), metric=metric, predict=predict, **asked),
    )
    assert isinstance(answer, EffectsAnswer)
    return answer


@cache
def document(name: str) -> Document:
    """What the page of a study of data/ says."""
    return executive(summary(name))
