"""Decks and pages of ordinary questions pass the check that stands before publishing."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from benchlib.run.build import build_report
from benchlib.run.slides import build_slides

DATA = Path(__file__).parents[2] / "data"
FEW = 300
#: A study that says nothing of its capacity, so that the levels of the sweep are the kinds of node.
WITHOUT = "onix-adapter-published without a plan"
#: Every study that can be planned; its own nodes and none, limits that hold and limits that nothing keeps.
ASKED = {
    "levels as nodes": (WITHOUT, {"target": "50000/s"}),
    "one of two measures": (WITHOUT, {"target": "20000/s", "where": "benchmark=BAPCaller_RPS"}),
    "a limit that nothing keeps": ("onix-adapter-published", {"slo": "latency_mean=1us"}),
    "points that no law holds": ("onix-adapter", {"target": "5000/s"}),
    "many loads": ("token-sdk", {"target": "50/s", "survive": "1", "growth": "3%/month"}),
    "work by the hour": ("reference", {"target": "180000/h"}),
    "nodes whose cores are unknown": ("http-endpoints", {"slo": "latency_p99=300us", "nodes": "cores=1;cores=4"}),
}


def folder(study: str, tmp_path: Path) -> Path:
    """The folder of a study in data/, or a copy of it that lost its plan."""
    if study != WITHOUT:
        return DATA / study
    copy = Path(shutil.copytree(DATA / "onix-adapter-published", tmp_path / "without"))
    words = (copy / "study.toml").read_text(encoding="utf-8")
    (copy / "study.toml").write_text(re.sub(r"\[capacity\]\n(?:[^\[\n].*\n)*", "", words), encoding="utf-8")
    return copy


PRICED = {"target": "50000/s", "headroom": "12.5%", "nodes": "cores=8,cost=0.34/h", "currency": "EUR", "draws": FEW}


def words(page: Path) -> str:
    """A page as its reader sees it, with plain spaces."""
    return re.sub("<[^>]*>", "", page.read_text(encoding="utf-8")).replace("\u00a0", " ")


def held(answers: Path) -> dict[str, Any]:
    """What was asked, as the record of a page has it."""
    found = json.loads(answers.read_text(encoding="utf-8"))["answers"]["plan"]["asked"]
    return {name: found[name] for name in ("headroom", "currency")}


def test_a_page_keeps_a_currency_and_a_headroom_as_they_were_asked(tmp_path: Path) -> None:
    """A price that names no currency is in the one that was given; 12.5 % is neither 12 % nor 13 %."""
    built = build_report(folder(WITHOUT, tmp_path), tmp_path / "reports", notebook="70_capacity", parameters=PRICED)
    page = words(built.page)
    assert "with 12.5 % free on each" in built.verdict
    assert "EUR per hour" in page
    assert held(built.answers) == {"headroom": 0.125, "currency": "EUR"}


def test_a_deck_keeps_a_currency_and_a_headroom_as_they_were_asked(tmp_path: Path) -> None:
    """On its first slide, beside its prices, and in its answers."""
    built = build_slides(folder(WITHOUT, tmp_path), tmp_path / "slides", parameters=PRICED)
    [deck] = built.files
    page = words(deck)
    assert "Asked: 50,000 req/s, headroom 12.5 %" in page
    assert "EUR per hour" in page
    assert held(deck.with_suffix(".answers.json")) == {"headroom": 0.125, "currency": "EUR"}


@pytest.mark.parametrize("case", ASKED)
def test_a_deck_of_an_ordinary_question_is_published(case: str, tmp_path: Path) -> None:
    """Every number that a slide says reads as one of its answers: otherwise there would be no deck."""
    study, asked = ASKED[case]
    built = build_slides(folder(study, tmp_path), tmp_path / "slides", parameters={**asked, "draws": FEW})
    assert [one.suffix for one in built.files] == [".html"]


@pytest.mark.parametrize("case", ["levels as nodes", "many loads", "nodes whose cores are unknown"])
def test_a_page_of_an_ordinary_question_is_published(case: str, tmp_path: Path) -> None:
    """The page has words that the slides leave out."""
    study, asked = ASKED[case]
    built = build_report(
        folder(study, tmp_path), tmp_path / "reports", notebook="70_capacity", parameters={**asked, "draws": FEW}
    )
    assert built.page.exists()
