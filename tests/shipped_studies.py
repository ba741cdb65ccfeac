"""The studies in data/, opened once a worker and summarised once a test run, and their pages as plain words."""

from __future__ import annotations

import html
import re
from functools import cache
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

import benchlib
from benchlib.answers.effects import EffectsAnswer
from benchlib.answers.executive import ExecutiveSummary
from benchlib.report import sections
from benchlib.report.wording.markup import Section, Table, render_table
from benchlib.study import Study
from tests.session_cache import made_once

DATA = Path(__file__).resolve().parents[1] / "data"
NAMES = tuple(sorted(one.parent.name for one in DATA.glob("*/study.toml")))


@cache
def study(name: str) -> Study:
    """A study of data/."""
    return benchlib.open_study(DATA / name)


@cache
def summary(name: str) -> ExecutiveSummary:
    """Every answer of a study of data/."""
    return made_once(f"summary-{name}", lambda: benchlib.executive_summary(study(name)))


@cache
def effects(name: str, metric: str = "time", predict: tuple[str, ...] = (), **asked: Any) -> EffectsAnswer:
    """What a study of data/ answers on effects, made once a test run for each question."""
    answer = made_once(
        f"effects-{name}-{metric}-{predict}-{sorted(asked.items())}",
        lambda: benchlib.analyse_effects(study(name), metric=metric, predict=predict, **asked),
    )
    assert isinstance(answer, EffectsAnswer)
    return answer


@cache
def words(name: str, section: str = "") -> str:
    """A section of the page of a study as a reader sees it, or all of them."""
    chosen = [section] if section else sections.__all__
    return " ".join(" ".join(written(getattr(sections, one)(summary(name)))) for one in chosen)


def written(section: Section) -> list[str]:
    """The blocks of a section without their tags; of a figure, its alternative text and caption."""
    told = [section.title]
    for block in section.blocks:
        if isinstance(block, go.Figure):
            told += [block.layout.meta["alt"], block.layout.meta["caption"]]
        else:
            markup = str(render_table(block)) if isinstance(block, Table) else str(block)
            # A figure that can be traced is a part of its sentence.
            markup = re.sub(r"<span data-e=[^>]*>([^<]*)</span>", r"\1", markup)
            # Neighbouring cells and list items are words apart, not one word.
            told.append(" ".join(html.unescape(re.sub(r"(<[^>]*>\s*)+", "|", markup)).split()))
    return told
