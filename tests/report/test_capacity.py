"""A capacity plan as a page and as slides: what they say of a load, of several, and of none."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

import benchlib
from benchlib.answers.asking import Refusal
from benchlib.answers.capacity_plans import PlanningAnswer
from benchlib.report import capacity_deck, capacity_study, sections
from benchlib.report.wording.leading import led
from benchlib.report.wording.markup import Section, section_heading
from benchlib.report.wording.plan_headline import plan_status, plan_verdict
from benchlib.report.wording.plan_tables import plans_table
from benchlib.run.build import Request, build_report
from benchlib.run.slides import build_slides
from tests.shipped_studies import study, summary, written
from tests.synthetic import make_table

# The sections of a capacity plan: what they say of a load, of several, and of none


ATTACK = "<img src=x onerror=alert(1)>"
ASKED: dict[str, Any] = {"nodes": "", "target": "", "mix": "", "probability": 0.95, "draws": 4000, "seed": 0}
SECTIONS = ("headline", "plan", "demand", "cost", "returns", "latency", "what_if", "doubts", "caveats", "method")


@cache
def answer(name: str) -> PlanningAnswer:
    """The plan that a shipped study asks for."""
    found = benchlib.plan_capacity(study(name), draws=1000)
    assert isinstance(found, PlanningAnswer)
    return found


def made(of: PlanningAnswer | Refusal) -> dict[str, Section]:
    """Every section that is made from the answer."""
    return {name: getattr(capacity_study, name)(of) for name in SECTIONS}


def words(of: PlanningAnswer | Refusal, name: str) -> str:
    """A section as a reader sees it."""
    return " ".join(written(made(of)[name]))


def words_of(section: Section) -> str:
    """A section of any page as a reader sees it."""
    return " ".join(written(section))


def figures(section: Section) -> int:
    """How many figures a section holds."""
    return sum(isinstance(one, go.Figure) for one in section.blocks)


def test_where_there_is_no_plan_the_first_section_says_so_and_the_others_nothing() -> None:
    """A refusal is one line with advice; no empty heading follows it, and the page says WARN."""
    refused = benchlib.plan_capacity(study("lplex"), target="1/s")
    assert isinstance(refused, Refusal)
    first, *others = made(refused).values()
    assert refused.reason in " ".join(written(first))
    assert all((one.title, one.blocks) == ("", ()) for one in others)
    record = capacity_study.record(study("lplex"), refused, ASKED)
    assert (record.answers["status"], record.answers["cards"]) == ("WARN", [])
    assert record.answers["verdict"].startswith("Not answered: ")
    assert capacity_study.asked(study("lplex"), refused, ASKED).title == "What was asked"


def test_a_limit_that_cannot_be_judged_is_a_warning_and_no_condition() -> None:
    """p99 was not measured in the published sweep: the verdict does not claim it, the status says WARN."""
    found = benchlib.plan_capacity(study("onix-adapter-published"), draws=500, slo="latency_p99=5ms")
    assert isinstance(found, PlanningAnswer)
    assert plan_status(found) == "WARN"
    assert "p99" not in plan_verdict(found)
    assert "is not judged: these data do not say it" in words(found, "plan")


def test_a_plan_that_caveats_weaken_does_not_pass() -> None:
    """One measurement a level is no PASS; failed runs of other benchmarks are no reason, and a sound plan passes."""
    published = answer("onix-adapter-published")
    assert plan_status(published) == "WARN"
    assert "3 caveats on what was measured" in words(published, "headline")
    found = answer("http-endpoints")
    assert any(one.code == "failed-results" for one in found.caveats)
    assert "on the whole study" not in words(found, "headline")
    sound = replace(found, loads=tuple(replace(one, caveats=(), refusals=()) for one in found.loads))
    assert plan_status(sound) == "PASS"
    assert plan_status(replace(sound, loads=(replace(sound.loads[0], chosen=None), *sound.loads[1:]))) == "WARN"


def test_provenance_names_seed_and_draws() -> None:
    """The page can be made again: the command, the seed, how many curves."""
    told = " ".join(written(capacity_study.provenance(study("http-endpoints"), {**ASKED, "target": "9/s"})))
    assert "--notebook 70_capacity -p target=9/s -p probability=0.95 -p draws=4000 -p seed=0" in told
    assert "0, for 4,000 joint draws of each curve" in told


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        ("onix-adapter-published", "0, for 4,000 joint draws of each curve"),
        ("lplex", "none: nothing on this page is simulated"),
    ],
)
def test_the_executive_summary_names_the_seed_of_its_plan(name: str, seed: str) -> None:
    """A probability that was drawn is told with its seed and draws; a summary without a plan draws nothing."""
    assert f"|seed|{seed}|" in words_of(sections.provenance(summary(name)))


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    """A benchmark whose name is markup is told as it stands in every section and table."""
    rows = [
        (str(run), ATTACK, level, "throughput", 1000 * level / (1 + 0.1 * level) * (1 + 0.01 * run), "req/s")
        for run in range(3)
        for level in (1, 2, 4, 8)
    ]
    hostile = make_table(tmp_path, "run benchmark workers metric value unit", rows, "[environment]\ncores = 8\n")
    found = benchlib.plan_capacity(hostile, target="20000/s", draws=300)
    assert isinstance(found, PlanningAnswer)
    for section in made(found).values():
        assert all("<img" not in str(one) for one in section.blocks if hasattr(one, "__html__"))
    assert ATTACK in plans_table(found).rows[0][0]


def test_the_executive_summary_plans_for_the_target_of_its_study() -> None:
    """A heading, each load, one figure, and the command of the whole page; nothing where no target is named."""
    shown = sections.recommendation(summary("onix-adapter-published"))
    told = " ".join(written(shown))
    assert "Capacity for 50,000/s" in told
    assert "--notebook 70_capacity" in told
    assert figures(shown) == 1
    assert "Capacity for" not in " ".join(written(sections.recommendation(summary("lplex"))))


def test_a_target_in_other_work_is_refused_on_the_page(tmp_path: Path) -> None:
    """The summary stands; the plan says why it is not there, and nothing claims to have been drawn."""
    rows = [("Serve", level, "throughput", 100 * level, "req/s") for level in (1, 2, 4, 8) for _ in range(3)]
    definition = '[environment]\ncores = 8\n[capacity]\ntarget = "50 rows/s"\n'
    found = benchlib.executive_summary(make_table(tmp_path, "benchmark workers metric value unit", rows, definition))
    assert isinstance(found.plan, Refusal)
    assert "Not answered" in words_of(sections.recommendation(found))
    assert "|seed|none: the plan is refused, " in words_of(sections.provenance(found))


# The slides of a capacity plan: how many, what each says, what its notes hold, and what a refused plan leaves out


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
        assert f"Nodes, {name}|{count:.0f}|" in words_of(told["verdict"])


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
    assert not re.search(r"\b(Take|Buy)\b", " ".join(map(words_of, told.values())))


@pytest.mark.parametrize("plan", ["priced", "connections"])
def test_the_notes_name_the_rows_behind_the_slide(plan: str) -> None:
    """Every slide with numbers has a source with formula, count and places in its notes."""
    told = slides(planned(PLANS[plan][0], *PLANS[plan][1]))
    for name in ("verdict", "measured", "scaling", "saturation", *SELLING, "doubts", "appendix"):
        assert re.search(r"Source: .*n = [\d,]+ values?: \S+:\d+", notes(told[name])), name


def test_every_caveat_is_in_the_notes_of_what_could_be_wrong() -> None:
    """A slide has room for six lines; the speaker has all."""
    made = planned("http-endpoints", *PLANS["connections"][1])
    told = words_of(slides(made)["doubts"])
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
    assert "– s" not in words_of(told["verdict"])
    assert "X(nodes − lost) × (1 − headroom)" in words_of(told["appendix"])
    assert "For twice the load no count of nodes is enough" in words_of(told["demand"])


# Decks and pages of ordinary questions pass the check that stands before publishing


DATA = Path(__file__).parents[2] / "data"
#: A study that says nothing of its capacity, so that the levels of the sweep are the kinds of node.
WITHOUT = "onix-adapter-published without a plan"
#: Every study that can be planned; its own nodes and none, limits that hold and limits that nothing keeps.
QUESTIONS = {
    "levels as nodes": (WITHOUT, {"target": "50000/s"}),
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
    text = (copy / "study.toml").read_text(encoding="utf-8")
    (copy / "study.toml").write_text(re.sub(r"\[capacity\]\n(?:[^\[\n].*\n)*", "", text), encoding="utf-8")
    return copy


PRICED = {"target": "50000/s", "headroom": "12.5%", "nodes": "cores=8,cost=0.34/h", "currency": "EUR", "draws": FEW}


def page_words(page: Path) -> str:
    """A page as its reader sees it, with plain spaces."""
    return re.sub("<[^>]*>", "", page.read_text(encoding="utf-8")).replace("\u00a0", " ")


def held(answers: Path) -> dict[str, Any]:
    """What was asked, as the record of a page has it."""
    found = json.loads(answers.read_text(encoding="utf-8"))["answers"]["plan"]["asked"]
    return {name: found[name] for name in ("headroom", "currency")}


def test_a_deck_keeps_a_currency_and_a_headroom_as_they_were_asked(tmp_path: Path) -> None:
    """On its first slide, beside its prices, and in its answers."""
    built = build_slides(folder(WITHOUT, tmp_path), tmp_path / "slides", parameters=PRICED)
    [deck] = built.files
    page = page_words(deck)
    assert "Asked: 50,000 req/s, headroom 12.5 %" in page
    assert "EUR per hour" in page
    assert held(deck.with_suffix(".answers.json")) == {"headroom": 0.125, "currency": "EUR"}


@pytest.mark.parametrize("case", [case for case in QUESTIONS if case != "levels as nodes"])
def test_a_deck_of_an_ordinary_question_is_published(case: str, tmp_path: Path) -> None:
    """Every number that a slide says reads as one of its answers: otherwise there would be no deck."""
    study, asked = QUESTIONS[case]
    built = build_slides(folder(study, tmp_path), tmp_path / "slides", parameters={**asked, "draws": FEW})
    assert [one.suffix for one in built.files] == [".html"]


@pytest.mark.parametrize("case", ["levels as nodes", "nodes whose cores are unknown"])
def test_a_page_of_an_ordinary_question_is_published(case: str, tmp_path: Path) -> None:
    """The page has words that the slides leave out."""
    study, asked = QUESTIONS[case]
    built = build_report(
        Request(
            folder(study, tmp_path), tmp_path / "reports", notebook="70_capacity", parameters={**asked, "draws": FEW}
        )
    )
    assert built.page.exists()
