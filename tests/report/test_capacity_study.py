"""The sections of a capacity plan: what they say of a load, of several, and of none."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

import benchlib
from benchlib.answers.capacity_plans import PlanningAnswer
from benchlib.answers.refusal import Refusal
from benchlib.report import capacity_study, sections
from benchlib.report.wording.markup import Section
from benchlib.report.wording.plan_headline import plan_status, plan_verdict
from benchlib.report.wording.plan_tables import plans_table
from tests.shipped_studies import study, summary, written
from tests.synthetic import make_table

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


def test_several_loads_share_one_sentence_of_what_is_kept() -> None:
    """Target and conditions once, then each load with its nodes and how sure."""
    told = plan_verdict(answer("http-endpoints"))
    assert told.startswith(
        "For 250,000 req/s with 20 % free on each and p99 latency within 5 ms. cheap: 4 nodes of the "
    )
    assert told.count("machine measured, enough with a probability of more than 99 %") == 3


@pytest.mark.parametrize(
    ("name", "charts"), [("onix-adapter-published", (2, 2, 2, 2)), ("http-endpoints", (3, 3, 0, 3))]
)
def test_every_load_has_its_figures(name: str, charts: tuple[int, ...]) -> None:
    """Demand, cost, return of cores where cores were swept, latency: one a load."""
    found = made(answer(name))
    assert tuple(figures(found[one]) for one in ("demand", "cost", "returns", "latency")) == charts


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
