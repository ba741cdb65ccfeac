"""The deck: six slides one can say aloud, whose what-if agrees with the plan."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from benchlib.answers.asking import Refusal
from benchlib.answers.capacity import plan_capacity
from benchlib.answers.capacity_plans import PlanningAnswer
from benchlib.answers.latency import operating_answer
from benchlib.answers.scaling import fit_scaling
from benchlib.answers.what_if import node_tables
from benchlib.capacity.one_node import count_nodes
from benchlib.document.blocks import Deck, Figure, List, Table, WhatIf, numbers_in
from benchlib.document.numbers import words_of
from benchlib.study import open_study
from benchlib.study.quantities import parse_limit
from benchlib.tell.deck import deck

DATA = Path(__file__).resolve().parents[2] / "data"
PLANNED = ["http-endpoints", "onix-adapter-published"]


@cache
def made(name: str) -> Deck:
    """The deck of a shipped study."""
    study = open_study(DATA / name)
    curves = fit_scaling(study, budget=0)
    return deck(study, plan_capacity(study), curves, operating_answer(study))


@pytest.mark.parametrize("name", PLANNED)
def test_a_deck_has_six_slides_in_the_order_of_a_talk(name: str) -> None:
    """Answer, chart, nodes and cost, what if, doubts, next measurement; the rest is for questions."""
    slides = made(name).slides
    assert len(slides) == 6
    kinds = [Figure, Table, WhatIf, List]
    assert [type(slide.blocks[0]) for slide in slides[1:5]] == kinds
    said = words_of(slides[0].blocks[1].text)  # type: ignore[union-attr]
    assert said.startswith("Confidence: medium." if name == "http-endpoints" else "Confidence: low.")
    assert len(made(name).appendix) >= 3


@pytest.mark.parametrize("name", PLANNED)
def test_slides_are_said_aloud(name: str) -> None:
    """Titles are short, a doubt and its fix have at most 30 words, and the notes explain each."""
    slides = made(name).slides
    assert all(len(words_of(slide.title).split()) <= 25 for slide in slides)
    doubts, others = slides[4].blocks
    assert isinstance(doubts, List)
    assert re.match(r"\d lesser doubts: ", words_of(others.text))  # type: ignore[union-attr]
    assert 1 <= len(doubts.items) <= 4
    assert all(len(words_of(item).split()) <= 30 for item in doubts.items)
    assert len(slides[4].notes) == len(doubts.items)


@pytest.mark.parametrize("name", PLANNED)
def test_sliders_begin_at_the_plan(name: str) -> None:
    """The small table of one node gives the counts that the draws give, for the kind of node that is taken."""
    answer = plan_capacity(DATA / name)
    assert isinstance(answer, PlanningAnswer)
    limit = parse_limit(answer.asked.slo)
    assert limit is not None
    for plan in answer.loads:
        (chosen,) = [table for table in node_tables(plan, limit.metric) if table.option is plan.best]
        headroom, survive = answer.asked.headroom, answer.asked.survive
        counted = count_nodes(chosen.levels, plan.target, headroom=headroom, survive=survive, limit=limit.seconds)
        assert counted is not None
        assert counted.level == chosen.option.concurrency
        assert counted.nodes == tuple(chosen.option.nodes_at.values())


def test_other_settings_stand_in_a_table_too() -> None:
    """On paper and in PowerPoint: twice the load, less headroom, a node lost, no limit."""
    (block,) = made("http-endpoints").slides[3].blocks
    assert isinstance(block, WhatIf)
    told = {words_of((row[0],)): [words_of(cell) for cell in row[1:]] for row in block.still.rows}  # type: ignore[arg-type]
    assert told["as asked"] == ["4", "10 to 11", "32 to 34"]
    assert told["a node lost"] == ["5", "11 to 12", "33 to 35"]
    assert told["no limit of latency"][2] in ("30 to 31", "30", "31")


def test_without_a_plan_the_slides_say_why() -> None:
    """Nothing that would sell something: no table of nodes, no sliders."""
    study = open_study(DATA / "onix-adapter-published")
    refusal = Refusal(question="capacity", reason="the study names no target", advice="name one")
    slides = deck(study, refusal, refusal, refusal).slides
    assert words_of(slides[0].title) == "No number of nodes can be named: the study names no target."
    assert not list(numbers_in(slides[0].title))
    assert [words_of(slide.title) for slide in slides[1:]] == ["The next measurement"]
