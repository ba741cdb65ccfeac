"""The what-if block in a real browser: on a grid of settings it says what Python says, and anybody can work it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import benchlib
from benchlib.answers.asking import Refusal
from benchlib.answers.capacity_plans import PlanningAnswer
from benchlib.report.wording.what_if import kind_rows, plan_lines
from benchlib.study import Study, open_study
from tests.browser.planned_page import planned_page
from tests.browser.visiting import Visit


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What is written into the fields; None for a limit that is not held."""

    target: str = "50000"
    headroom: str = "30"
    survive: str = "1"
    limit: str | None = None
    growth: str = "0"
    #: Cores and cost of each kind of node.
    kinds: tuple[tuple[str, str], ...] = (("8", ""),)

    def fields(self, metric: str) -> dict[str, str]:
        """By the label of each field."""
        some = {"Target": self.target, "Headroom": self.headroom, "Nodes that may be lost": self.survive}
        some |= {"Growth": self.growth} | ({f"Limit of the {metric}": self.limit} if self.limit else {})
        for at, (size, cost) in enumerate(self.kinds, 1):
            which = f"Node {at}" if len(self.kinds) > 1 else "Node"
            some |= {f"{which}: cost": cost} | ({f"{which}: size": size} if size else {})
        return some

    def asked(self, metric: str, currency: str = "", cores: str = "") -> dict[str, Any]:
        """The same for `benchlib.plan_capacity`."""
        return {
            "target": f"{self.target}/s",
            "headroom": f"{self.headroom}%",
            "survive": self.survive,
            "slo": f"{metric}={self.limit}ms" if self.limit else "",
            "growth": f"{self.growth}%/month" if float(self.growth) else "",
            "node": [
                f"cores={size or cores}" + (f",cost={cost}{currency}/h" if cost else "") for size, cost in self.kinds
            ],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A page, and what is asked of it."""

    study: str
    metric: str
    #: The plan that the page is made with; the number of kinds of node stays as it is.
    first: Setting
    settings: tuple[Setting, ...]
    currency: str = ""
    cores: str = ""
    start: str = ""
    probability: float = 0.95

    def plan(self, study: Study, setting: Setting) -> PlanningAnswer | Refusal:
        """What Python says."""
        asked = setting.asked(self.metric, self.currency, self.cores)
        return benchlib.plan_capacity(study, start=self.start, probability=self.probability, **asked)


TWO = (("4", "0.17"), ("8", "0.34"))
GRIDS = {
    "two kinds of cores, priced": Grid(
        study="onix-adapter-published",
        metric="latency_mean",
        start="2026-11",
        first=Setting(limit="1", growth="4", kinds=TWO),
        settings=tuple(
            Setting(target=target, headroom=headroom, survive=survive, limit=limit, growth=growth, kinds=kinds)
            for (target, headroom, survive), (limit, growth, kinds) in itertools.product(
                [("50000", "30", "1"), ("1234.5", "0", "0"), ("7.5e6", "57", "3")],
                [
                    ("1", "4", TWO),
                    (None, "0", TWO),
                    ("0.35", "-2", (("2", "0.1"), ("16", "0.6"))),
                    ("0.2", "1.5", (("1", "1"), ("12", "5.5"))),
                    (None, "30", (("7", "3"), ("5", "3"))),
                    ("0.01", "4", TWO),
                    ("5", "0.1", (("10", ""), ("3", ""))),
                ],
            )
        ),
    ),
    "one kind of cores, no price": Grid(
        study="onix-adapter-published",
        metric="latency_mean",
        first=Setting(),
        settings=tuple(
            Setting(target=target, survive=survive, limit=limit, growth="12.5", kinds=((size, cost),))
            for target, survive, (limit, size, cost) in itertools.product(
                ["33333", "100000"], ["0", "2"], [(None, "1", ""), ("0.8", "16", "0.999"), (None, "11", "1200")]
            )
        ),
    ),
    "one machine, a percentile": Grid(
        study="http-endpoints",
        metric="latency_p99",
        currency="EUR",
        cores="2",
        first=Setting(target="250000", headroom="20", survive="0", limit="5", kinds=(("", "0.1"),)),
        settings=tuple(
            Setting(target=target, headroom=headroom, survive=survive, limit=limit, growth=growth, kinds=(("", cost),))
            for (target, headroom, survive), (limit, growth, cost) in itertools.product(
                [("250000", "20", "0"), ("31000", "5", "1"), ("2e6", "0", "0"), ("999", "89", "10")],
                [
                    ("5", "0", "0.1"),
                    ("1.3", "2", ""),
                    (None, "7", "12"),
                    ("0.5", "0", "0.004"),
                    ("0.1", "1", "1"),
                    ("90", "3", "2"),
                ],
            )
        ),
    ),
    "one machine, the mean": Grid(
        study="http-endpoints",
        metric="latency_mean",
        cores="2",
        first=Setting(target="250000", kinds=(("", ""),)),
        settings=tuple(
            Setting(target=target, limit=limit, growth="5", kinds=(("", "0.25"),))
            for target, limit in itertools.product(
                ["40000", "61803", "250000"], [None, "0.04", "0.058", "0.06", "0.4", "4"]
            )
        ),
    ),
    "a probability of seven nines": Grid(
        study="http-endpoints",
        metric="latency_mean",
        cores="2",
        probability=0.9999999,
        first=Setting(target="250000", kinds=(("", ""),)),
        settings=tuple(
            Setting(target=target, limit=limit, kinds=(("", "0.25"),))
            for target, limit in [("250000", "0.001"), ("250000", None), ("40000", "0.4")]
        ),
    ),
}


def plain_study(name: str) -> Study:
    """A study that asks for nothing itself."""
    study = open_study(f"data/{name}")
    nothing: dict[str, Any] = {
        "target": None,
        "limit": None,
        "headroom": 0.0,
        "survive": 0,
        "nodes": (),
        "growth": None,
    }
    return replace(study, capacity=replace(study.capacity, start="", currency="", mix={}, **nothing))


#: Fields are written as by a reader, one after the other; then what stands there is read.
WRITE = """([fields, held]) => {
  const wanted = new Map(Object.entries(fields));
  const tick = document.querySelector(".what-if-tick input");
  if (tick.checked !== held) tick.click();
  for (const box of document.querySelectorAll(".what-if-field")) {
    const label = box.querySelector("label").textContent;
    if (!wanted.has(label)) continue;
    const number = box.querySelector("input[type=number]");
    number.value = wanted.get(label);
    number.dispatchEvent(new Event("input", { bubbles: true }));
    wanted.delete(label);
  }
  const all = (where) => [...document.querySelectorAll(where)];
  return {
    missing: [...wanted.keys()],
    faults: all(".what-if-wrong").map((one) => one.textContent).filter(Boolean),
    lines: Object.fromEntries(all("[data-line]").map((one) => [one.dataset.line, one.textContent])),
    rows: all(".what-if-live tbody tr").map((row) => [...row.cells].map((one) => one.textContent)),
    command: document.querySelector(".what-if-command code").textContent,
  };
}"""


def word(metric: str) -> str:
    """A latency as its field is labelled."""
    return f"{metric.removeprefix('latency_')} latency"


def said(visit: Visit, grid: Grid, setting: Setting) -> dict[str, Any]:
    """What the page says once a setting is written into its fields."""
    told: dict[str, Any] = visit.page.evaluate(WRITE, [setting.fields(word(grid.metric)), setting.limit is not None])
    assert told["missing"] == []
    told["lines"] = {name: text.replace("\u00a0", " ") for name, text in told["lines"].items()}
    return told


def opened(browser: Any, answer: PlanningAnswer, folder: Path, **view: Any) -> Visit:
    """The page of a plan, alive."""
    visit = Visit(browser, planned_page(answer, folder), **view)
    visit.page.wait_for_selector('.what-if[data-live="1"]', state="attached")
    return visit


def compared(answer: PlanningAnswer | Refusal, at: int, told: Mapping[str, Any]) -> None:
    """Hold what the page says of a load against Python."""
    if isinstance(answer, Refusal):
        # It speaks of each load in turn.
        assert f"; {told['lines']['nodes']};" in f"; {answer.reason}; {answer.advice};"
        return
    plan = answer.loads[at]
    assert told["rows"] == [list(row) for row in kind_rows(answer, plan)]
    if plan.best is None:
        assert told["lines"]["nodes"] == plan_lines(answer, plan)["nodes"]
    else:
        assert told["lines"] == plan_lines(answer, plan)


@pytest.mark.parametrize("name", GRIDS)
def test_every_setting_says_what_python_says(browser: Any, tmp_path: Path, name: str) -> None:
    """Every line and every row of every load, to the last digit; nothing on the console, nothing asked for."""
    grid = GRIDS[name]
    study = plain_study(grid.study)
    first = grid.plan(study, grid.first)
    assert isinstance(first, PlanningAnswer)
    answers = [grid.plan(study, one) for one in grid.settings]
    plans = 0
    with opened(browser, first, tmp_path) as visit:
        for at in range(len(first.loads)):
            visit.page.locator(".what-if-load select").select_option(str(at))
            compared(first, at, said(visit, grid, grid.first))
            for setting, answer in zip(grid.settings, answers, strict=True):
                told = said(visit, grid, setting)
                assert told["faults"] == [], setting
                compared(answer, at, told)
                plans += isinstance(answer, PlanningAnswer) and answer.loads[at].best is not None
        assert visit.complaints == []
        assert len(visit.requests) == 1
    print(f"{name}: {len(grid.settings)} settings, {plans} plans alike")
    assert plans > len(grid.settings)


def test_the_grid_is_wide() -> None:
    """At least 60 settings, of both studies."""
    assert sum(len(one.settings) for one in GRIDS.values()) >= 60
    assert len({one.study for one in GRIDS.values()}) == 2
