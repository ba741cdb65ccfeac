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
from benchlib.report.wording.plan_headline import plan_cards, plan_status, plan_verdict
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


def test_one_load_is_one_sentence() -> None:
    """How many of what for what, kept how, how sure."""
    whole = answer("onix-adapter-published")
    single = replace(whole, loads=whole.loads[:1])
    nodes = whole.loads[0].best
    assert nodes is not None
    assert plan_verdict(single) == (
        f"{nodes.nodes:.0f} nodes of 2 cores for 50,000 op/s with 30 % free on each, 1 node lost and mean latency "
        "within 1 ms, enough with a probability of 95 %."
    )


@pytest.mark.parametrize(
    ("name", "charts"), [("onix-adapter-published", (2, 2, 2, 2)), ("http-endpoints", (3, 3, 0, 3))]
)
def test_every_load_has_its_figures(name: str, charts: tuple[int, ...]) -> None:
    """Demand, cost, return of cores where cores were swept, latency: one a load."""
    found = made(answer(name))
    assert tuple(figures(found[one]) for one in ("demand", "cost", "returns", "latency")) == charts


def test_the_rule_and_the_recommendation_stand_with_the_returns() -> None:
    """What was published holds as it is meant and not otherwise; the page says by which rule and where the best is."""
    told = words(answer("onix-adapter-published"), "returns")
    assert "“Give the adapter four to eight cores.” holds by the points, by knee, as it is meant: best at 4" in told
    assert "“Give the adapter four to eight cores.” does not hold by throughput per core: best at 1" in told
    assert "best from 2 to 4 by the points" in told


def test_scale_up_or_out_is_said_in_words() -> None:
    """The smallest kind costs least at every load: out."""
    told = words(answer("onix-adapter-published"), "cost")
    assert "Scale out: nodes of 2 cores cost least for every load up to 100,000 op/s." in told


def test_a_kind_that_is_cheapest_somewhere_is_told_for_how_many_loads() -> None:
    """A dear small node against a cheap large one: up, for part of the loads."""
    kinds = ["cores=1,cost=0.1/h", "cores=8,cost=0.17/h"]
    found = benchlib.plan_capacity(study("onix-adapter-published"), draws=500, node=kinds)
    assert isinstance(found, PlanningAnswer)
    assert "Scale up: nodes of 8 cores cost least for 94 % of the loads up to 100,000 op/s." in words(found, "cost")


def test_other_settings_are_offered_where_they_can_be_moved() -> None:
    """The plan line by line, with its draws; a sweep of whole nodes has no kinds of node to move."""
    told = words(answer("onix-adapter-published"), "what_if")
    assert all(one in told for one in ("To take", "Binding condition", "Runner-up"))
    swept = replace(
        answer("onix-adapter-published"),
        loads=tuple(replace(one, counts="nodes") for one in answer("onix-adapter-published").loads),
    )
    assert made(swept)["what_if"].blocks == ()


def test_what_could_be_wrong_names_laws_refusals_and_shared_caveats_once() -> None:
    """Each law's own count, the level beyond the cores, and one line for what both loads have."""
    told = words(answer("onix-adapter-published"), "doubts")
    assert "if one law is the true one" in told
    assert told.count("what 16 cores deliver is not in this sweep") == 1
    assert told.count("one measurement at every level") == 1


def test_a_limit_that_cannot_be_judged_is_a_warning_and_no_condition() -> None:
    """p99 was not measured in the published sweep: the verdict does not claim it, the status says WARN."""
    found = benchlib.plan_capacity(study("onix-adapter-published"), draws=500, slo="latency_p99=5ms")
    assert isinstance(found, PlanningAnswer)
    assert plan_status(found) == "WARN"
    assert "p99" not in plan_verdict(found)
    assert "is not judged: these data do not say it" in words(found, "plan")


def test_cards_are_at_most_six_and_hold_the_numbers_of_the_plan() -> None:
    """Nodes of each load, then latency, headroom and cost of the one that takes most; each names its load."""
    cards = plan_cards(answer("http-endpoints"))
    assert [one.label for one in cards] == [
        "Nodes, cheap", "Nodes, json", "Nodes, hash", "At the target: p99 latency, hash",
        "Free at the target, hash", "Cost per hour, hash",
    ]  # fmt: skip
    assert cards[0].value == "4"
    assert cards[3].target == "limit 5 ms"
    assert cards[5].value == "3.10 EUR"


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


def test_the_caveats_of_the_loads_are_pointed_to() -> None:
    """A section that says none beside a list of four elsewhere would be false."""
    told = words(answer("onix-adapter-published"), "caveats")
    assert "None concerns the whole study." in told
    assert "of the loads planned: see |What could be wrong" in told


def test_what_was_asked_names_what_the_study_asks() -> None:
    """Parameters that were left empty are the study's, and are shown with what it says."""
    (told,) = written(capacity_study.asked(study("http-endpoints"), answer("http-endpoints"), ASKED))[-1:]
    assert "target|250000/s" in told.replace(" | ", "|").replace("| ", "|").replace(" |", "|")
    assert "latency_p99=5ms" in told
    assert "cores=2,cost=73EUR/month" in told


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
