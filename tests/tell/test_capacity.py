"""Capacity in words: first screens of shipped studies read by hand, and what holds for every plan."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from msgspec import structs

from benchlib.answers.asking import Refusal
from benchlib.answers.capacity import plan_capacity
from benchlib.answers.capacity_plans import PlanningAnswer
from benchlib.document.blocks import Document, Number, Table, Text, from_json, numbers_in, to_json
from benchlib.document.numbers import words_of
from benchlib.study import Study
from benchlib.tell.capacity import document, finding, lead
from tests.shipped_studies import study
from tests.synthetic import make_table

HEADS = "run benchmark connections metric value unit"


@cache
def plan(name: str) -> PlanningAnswer:
    """The plan that a shipped study asks for."""
    answer = plan_capacity(study(name))
    assert isinstance(answer, PlanningAnswer)
    return answer


def read(text: Text | str | Number | None) -> str:
    """A text or a cell as a reader meets it."""
    return words_of(text if isinstance(text, tuple) else () if text is None else (text,))


def first_screen(page: Document) -> dict[str, str]:
    """What a page says first."""
    sure = f"{page.confidence.level}: {read(page.confidence.reason)}"
    return {"answer": read(page.answer), "decision": read(page.decision), "confidence": sure}


def rows(table: Table) -> list[list[str]]:
    """A table as a reader meets it."""
    return [[read(cell) for cell in row] for row in table.rows]


def test_a_first_step_that_is_not_alike_leaves_the_levels_beyond_it() -> None:
    """From one connection to two wrk took a second thread: levels 2 to 128 are alike, and answer."""
    page = document(plan("http-endpoints"), study("http-endpoints"))
    assert page.status == "Answered, with doubts"
    evidence = page.sections[0].blocks
    assert "it held the number of requests constant" in read(evidence[0].text)  # type: ignore[union-attr]
    assert "measurement noise only" in read(evidence[0].text)  # type: ignore[union-attr]


def test_what_a_reader_asked_for_is_no_example() -> None:
    """Another target and price than those of study.toml are the reader's own."""
    of = study("onix-adapter-published")
    answer = plan_capacity(of, target="10000/s", node="cores=4,cost=$0.20/h")
    assert isinstance(answer, PlanningAnswer)
    said = lead(answer, of)
    assert said.table is not None
    assert "example" not in read(said.answer) + said.table.caption + said.table.columns[2].head
    labelled = lead(plan("onix-adapter-published"), of).table
    assert labelled is not None
    assert labelled.caption.startswith("Nodes for an example load")


@pytest.mark.parametrize("name", ["http-endpoints", "onix-adapter-published"])
def test_first_screens_are_short_and_every_number_has_its_rows(name: str) -> None:
    """At most 25 and 20 words, three numbers, no identifiers."""
    page = document(plan(name), study(name))
    said = first_screen(page)
    assert len(said["answer"].split()) <= 25
    assert len(said["decision"].split()) <= 20
    assert len(list(numbers_in(page.answer))) <= 3
    assert all(number.evidence is not None for number in numbers_in((page.answer, page.decision)))
    assert not re.search(r"_|[a-z][A-Z]", said["answer"] + said["decision"])
    assert from_json(to_json(page)) == structs.replace(page, answers={})
    shown = finding(plan(name), study(name))
    assert shown is not None
    assert shown.line == page.answer


def make_sweep(folder: Path, runs: int = 6, name: str = "Serve", *, in_order: bool = False) -> Study:
    """Connections that grow in proportion to 4, and no further; in rounds of all levels, or level by level."""
    found = [
        (str(run), name, level, metric, value * (1 + 0.004 * (run % 3) + 0.001 * level), unit)
        for run in range(runs)
        for level, rate in ((1, 1000), (2, 1950), (4, 3600), (8, 3700), (16, 3650))
        for metric, value, unit in (("throughput", rate, "req/s"), ("latency_p99", 2 * level / rate, "s"))
    ]
    found = sorted(found, key=lambda value: value[2]) if in_order else found
    return make_table(folder, HEADS, found, "[environment]\ncores = 8\n")


def test_a_sweep_measured_in_the_order_of_its_levels_buys_nothing_yet(tmp_path: Path) -> None:
    """What looks like the most a node delivers may be a machine that warmed up."""
    of = make_sweep(tmp_path, in_order=True)
    said = first_screen(document(plan_capacity(of, target="20000/s", node="cores=8,cost=100EUR/month"), of))
    assert said["decision"] == "Do not buy yet: measure in random order first."
    assert said["confidence"] == "low: measured in order."


def test_a_sound_sweep_says_what_to_buy(tmp_path: Path) -> None:
    """A probability is said of what it covers, and no latency limit means no latency promise to refuse."""
    of = make_sweep(tmp_path)
    answer = plan_capacity(of, target="20000/s", node="cores=8,cost=100EUR/month")
    page = document(answer, of)
    said = first_screen(page)
    assert said["answer"] == "A load of 20,000 req/s takes 6 nodes of 8 cores."
    assert said["decision"] == "Buy 6 nodes of 8 cores, about €600 a month."
    assert said["confidence"] == (
        "medium: enough despite measurement noise (in more than 99% of cases); arrivals and balancing were not "
        "measured."
    )


def test_a_limit_turns_buying_into_measuring(tmp_path: Path) -> None:
    """The percentile at the load of a node is not in a sweep that waits for answers."""
    of = make_sweep(tmp_path)
    answer = plan_capacity(of, target="20000/s", slo="latency_p99=3ms")
    page = document(answer, of)
    assert read(page.decision).startswith("Do not buy yet: send one")
    (step,) = next(section.blocks for section in page.sections if section.anchor == "next")
    assert "wrk2 -R" in read(step.text)  # type: ignore[union-attr]
    (table,) = [block for block in page.sections[0].blocks if isinstance(block, Table)]
    assert rows(table)[0][-1] == "99th percentile exceeds 3 ms above 4 connections"


def test_what_cannot_be_planned_says_why_and_what_would_help() -> None:
    """A refusal has no table, no finding, and a decision."""
    of = study("onix-adapter-published")
    refusal = Refusal(question="capacity", reason="no curve supports a plan", advice="measure at 3 levels or more")
    page = document(refusal, of)
    assert first_screen(page) == {
        "answer": "No number of nodes can be named: no curve supports a plan.",
        "decision": "Do not buy yet: measure at 3 levels or more.",
        "confidence": "none: nothing was measured that answers it.",
    }
    assert page.status == "Cannot tell"
    assert finding(refusal, of) is None


def test_a_load_without_a_plan_keeps_its_row(tmp_path: Path) -> None:
    """What no count of nodes meets stands beside what one does, with its reason."""
    found = [
        (str(run), name, level, metric, value * (1 + 0.01 * run), unit)
        for run in range(3)
        for name, wait in (("quick", 0.001), ("slow", 1.0))
        for level, rate in ((1, 1000), (2, 1900), (4, 3500))
        for metric, value, unit in (("throughput", rate, "req/s"), ("latency_p99", wait, "s"))
    ]
    of = make_table(tmp_path, HEADS, found, "[environment]\ncores = 8\n")
    answer = plan_capacity(of, target="20000/s", slo="latency_p99=5ms")
    assert isinstance(answer, PlanningAnswer)
    table = lead(answer, of).table
    assert table is not None
    without = next(row for row in rows(table) if row[0].startswith("slow"))
    assert without[-1].startswith("no count of nodes keeps")


def test_a_size_that_was_not_asked_for_is_said(tmp_path: Path) -> None:
    """20 cores lie beyond the levels: the nearest size is planned, and the page says in whose place."""
    found = [
        (str(run), "Serve", level, "throughput", 1000 * level / (1 + 0.02 * level) * (1 + 0.01 * run), "req/s")
        for run in range(3)
        for level in (1, 2, 4, 8)
    ]
    of = make_table(tmp_path, HEADS.replace("connections", "workers"), found, "[environment]\ncores = 64\n")
    answer = plan_capacity(of, target="20000/s", node="cores=20,cost=1/h")
    assert "say nothing of cores=20,cost=1/h" in read(lead(answer, of).note)
