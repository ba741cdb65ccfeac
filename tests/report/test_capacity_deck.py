"""The slides of a capacity plan: how many, what each says, what its notes hold, and what a refused plan leaves out."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

import benchlib
from benchlib.answers.capacity_plans import PlanningAnswer
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling import ScalingAnswer
from benchlib.report import capacity_deck
from benchlib.report.wording.leading import led
from benchlib.report.wording.markup import Section, section_heading
from tests.shipped_studies import study, written

#: The slides in the order of the notebook, with what each is given.
SLIDES = {
    "title": ("study", "plan", "asked"),
    "verdict": ("plan",),
    "measured": ("study", "curves", "plan"),
    "scaling": ("counting", "plan"),
    "saturation": ("counting", "plan"),
    "demand": ("plan",),
    "latency": ("plan",),
    "purchase": ("plan",),
    "growth": ("plan",),
    "what_if": ("plan",),
    "doubts": ("study", "plan"),
    "missing": ("curves", "plan"),
    "appendix": ("study", "plan"),
    "sources": ("study", "plan"),
}
#: Slides that would sell something.
SELLING = ("demand", "latency", "purchase", "growth", "what_if")
FEW = 300
CONDITIONS = {
    "slo": "latency_p99=5ms",
    "headroom": "30%",
    "survive": "1",
    "node": "cores=8,cost=0.34/h; cores=4,cost=0.17/h",
    "growth": "4%/month",
    "start": "2026-11",
}


@cache
def planned(name: str, *conditions: tuple[str, str]) -> dict[str, Any]:
    """What the slides of a study in data/ are made from."""
    opened = study(name)
    asked: dict[str, Any] = {"target": "50000/s", **dict(conditions)}
    answer = benchlib.plan_capacity(opened, **asked, draws=FEW)
    curves = benchlib.fit_scaling(opened)
    counting = capacity_deck.counting(opened, curves, {"concurrency": "", "metric": "", "by": ""})
    return {"study": opened, "curves": curves, "counting": counting, "plan": answer, "asked": asked}


def slides(made: dict[str, Any]) -> dict[str, Section]:
    """Every slide that has something to say."""
    every = {name: getattr(capacity_deck, name)(*(made[one] for one in given)) for name, given in SLIDES.items()}
    return {name: one for name, one in every.items() if one.title}


def words(slide: Section) -> str:
    """A slide as its reader and its speaker see it."""
    return " ".join(written(slide))


def notes(slide: Section) -> str:
    """What the speaker sees."""
    [found] = [str(one) for one in slide.blocks if '<aside class="notes">' in str(one)]
    return found


PLANS = {
    "priced": ("onix-adapter-published", tuple(CONDITIONS.items())),
    "bare": ("onix-adapter-published", ()),
    "connections": ("http-endpoints", (("slo", "latency_p99=5ms"), ("headroom", "20%"))),
    "no-curve": ("lplex", ()),
    "too-fast": ("http-endpoints", (("slo", "latency_p99=0.05ms"),)),
}


@pytest.mark.parametrize("plan", PLANS)
def test_eight_to_twelve_slides_with_a_message_each(plan: str) -> None:
    """A title that is a sentence of its own, two lines long at most; notes; one chart at most."""
    made = slides(planned(PLANS[plan][0], *PLANS[plan][1]))
    assert 8 <= len(made) <= 12
    titles = [str(one.title) for one in made.values()]
    assert len(set(titles)) == len(titles)
    for one in made.values():
        assert 10 < len(one.title) <= 130, one.title
        assert sum(isinstance(block, go.Figure) for block in one.blocks) <= 1
        assert notes(one)


def test_the_slides_follow_the_load_that_takes_the_most() -> None:
    """Two measures of one sweep ask for 10 and 13 nodes: to plan for the smaller would be to choose the answer."""
    made = planned("onix-adapter-published", *CONDITIONS.items())
    answer = made["plan"]
    assert isinstance(answer, PlanningAnswer)
    nodes = {one.name: one.best.nodes for one in answer.loads if one.best}
    most = max(nodes, key=lambda name: nodes[name])
    told = slides(made)
    assert led(answer).loads[0].name == most
    assert told["verdict"].title.startswith(f"{most}: {nodes[most]:.0f} nodes of 4 cores carry 50,000 ")
    assert f"Take {nodes[most]:.0f} nodes of 4 cores" in told["purchase"].title
    for name, count in nodes.items():
        assert f"Nodes, {name}|{count:.0f}|" in words(told["verdict"])


def test_a_limit_that_is_not_judged_is_said_in_the_verdict() -> None:
    """The published sweep holds no percentiles by level: the message says so, and the latency slide is about that."""
    told = slides(planned("onix-adapter-published", *CONDITIONS.items()))
    assert told["verdict"].title.endswith("; p99 latency within 5 ms is not judged")
    assert told["latency"].title == "Whether p99 latency within 5 ms holds, these data do not say"
    judged = slides(planned("http-endpoints", *PLANS["connections"][1]))
    assert "is not judged" not in judged["verdict"].title
    assert re.fullmatch(r"At the target the p99 latency is .*; the limit .*", judged["latency"].title)


@pytest.mark.parametrize("plan", ["no-curve", "too-fast"])
def test_a_refused_plan_sells_nothing(plan: str) -> None:
    """The verdict says that there is none and why; what would settle it stands in the place of what to buy."""
    made = planned(PLANS[plan][0], *PLANS[plan][1])
    refusal = made["plan"]
    assert isinstance(refusal, Refusal)
    told = slides(made)
    assert not set(SELLING) & set(told)
    assert told["verdict"].title == f"No plan: {refusal.reason.partition('; ')[0]}"
    assert "missing" in told
    assert not re.search(r"\b(Take|Buy)\b", " ".join(map(words, told.values())))


def test_a_load_that_nothing_carries_leads_and_sells_nothing() -> None:
    """One endpoint keeps the limit and two do not: the slides are about one of those that do not."""
    made = planned("http-endpoints", ("target", "30000/s"), ("slo", "latency_p99=0.3ms"))
    answer = made["plan"]
    assert isinstance(answer, PlanningAnswer)
    if all(one.best is not None for one in answer.loads):
        pytest.fail("every load has a plan: the limit of this test is too wide")
    told = slides(made)
    assert "no count of nodes carries" in told["verdict"].title
    assert 'class="card"' not in str(told["verdict"].blocks), "figures of another load"
    assert re.search(r"A plan stands for \w+", words(told["verdict"]))
    bare = led(answer).loads[0]
    assert bare.unmet is not None
    assert bare.unmet.reason.removeprefix(f"{bare.name}: ")[1:] in words(told["verdict"])
    assert bare.unmet.advice[1:] in words(told["missing"])
    assert not set(SELLING) & set(told)
    assert 8 <= len(told) <= 12


@pytest.mark.parametrize("plan", ["priced", "connections"])
def test_the_notes_name_the_rows_behind_the_slide(plan: str) -> None:
    """Every slide with numbers has a source with formula, count and places in its notes."""
    told = slides(planned(PLANS[plan][0], *PLANS[plan][1]))
    for name in ("verdict", "measured", "scaling", "saturation", *SELLING, "doubts", "appendix"):
        assert re.search(r"Source: .*n = [\d,]+ values?: \S+:\d+", notes(told[name])), name


def test_every_caveat_is_in_the_notes_of_what_could_be_wrong() -> None:
    """A slide has room for six lines; the speaker has all."""
    made = planned("http-endpoints", *PLANS["connections"][1])
    told = words(slides(made)["doubts"])
    plan = led(made["plan"]).loads[0]
    for one in (*plan.caveats, *made["plan"].caveats):
        assert one.message.split(" (")[0][:40] in told
        assert one.advice[:40] in told


def test_names_stay_words() -> None:
    """A study that is called markup is shown as it is written."""
    attack = "<img src=x onerror=alert(1)>"
    made = planned("onix-adapter-published")
    told = capacity_deck.title(replace(made["study"], title=attack), made["plan"], {"target": attack})
    assert str(section_heading(told)) == '<h2 id="title">&lt;img src=x onerror=alert(1)&gt;</h2>'


def test_the_record_holds_both_answers() -> None:
    """answers.json has the plan and the curves, each with its evidence."""
    made = planned("onix-adapter-published")
    found = capacity_deck.record(made["study"], made["curves"], made["plan"], made["asked"]).answers
    assert isinstance(made["curves"], ScalingAnswer)
    assert {"plan", "scaling", "quality", "parameters"} <= set(found["answers"])
    assert found["answers"]["scaling"]["pooled_evidence"]["rows"]
    assert found["verdict"]


def test_a_sweep_of_whole_nodes_has_no_slide_on_latency_and_none_to_move(tmp_path: Path) -> None:
    """What it does not say is left out, and the method is its own."""
    rows = [
        f"Serve,{n},{9000 * n / (1 + 0.03 * (n - 1)) * (1 + 0.01 * r):.1f}" for n in (1, 2, 3, 4, 6, 8) for r in (0, 1)
    ]
    (tmp_path / "runs.csv").write_text("\n".join(["name,nodes,throughput op/s", *rows]) + "\n")
    (tmp_path / "study.toml").write_text('title = "Whole nodes"\n[scaling]\nconcurrency = "nodes"\n')
    opened = benchlib.open_study(tmp_path)
    asked = {"target": "50000/s", "survive": "1"}
    curves = benchlib.fit_scaling(opened)
    made = {"study": opened, "curves": curves, "counting": curves, "asked": asked}
    told = slides({**made, "plan": benchlib.plan_capacity(opened, **asked, draws=FEW)})
    assert not {"latency", "what_if"} & set(told)
    assert 8 <= len(told) <= 12
    assert "– s" not in words(told["verdict"])
    assert "X(nodes − lost) × (1 − headroom)" in words(told["appendix"])
    assert "For twice the load no count of nodes is enough" in words(told["demand"])
