"""What a ``study.toml`` says, read into plans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from benchlib.formats.names import NameTemplate
from benchlib.study.model import Breakdown, CurvePlan, Exclusion, Median, Recommended, StudyFile
from benchlib.study.open import parse_study_file
from tests.study.test_mistakes import LINES, SAID, TABLE, mistake

FULL = """
title = "T"
lead = "comparison"
commands = ["go test"]
[files]
exclude = ["made/*"]
[environment]
room = "cold"
date = 2026-11-20
cores = 4
cpu = "C"
[configuration]
paths = ["{run}.txt"]
names = [{ template = "bits_{bits:int}", benchmarks = ["Sender"] }]
parallel = ["*_Parallel"]
[scaling]
concurrency = "workers"
weights = "none"
same_work = true
[[scaling.curves]]
where = "run=sweep"
metric = "time"
[[scaling.exclude]]
where = "run=warm"
why = "warming up"
[effects]
factors = ["bits"]
[[compare]]
column = "bits"
baseline = 32
candidates = [64, 128.0]
sequential = true
[[targets]]
metric = "time"
where = "benchmark=Decode"
at_most = "8 ns"
[[targets]]
metric = "throughput"
between = ["1000 req/s", "2000 req/s"]
[latency]
where = "run=p"
[describe.benchmarks]
Sender = "sends"
[describe.levels.bits]
32 = "short"
[[breakdown]]
whole = "Full"
parts = ["Time", "Hex"]
estimated = { escape = 0.1 }
where = "run=new"
by = ["run"]
[[claims]]
text = "It is fast."
source = "the README"
about = "median"
metric = "time"
where = "benchmark=Decode"
at_most = "200 us"
[[claims]]
text = "Four to eight cores."
source = "the README"
about = "recommended"
between = [4, 8]
[capacity]
target = "50000 req/s"
slo = "latency_p99=5ms"
headroom = "30%"
survive = 1
nodes = ["cores=8,cost=0.34/h", "cores=4,cost=0.17/h"]
growth = "4%/month"
from = "2026-11"
currency = "EUR"
mix = { discover = 70, select = 30 }
"""


def test_an_empty_file_states_nothing() -> None:
    """Without a word in it, every plan is empty and every default holds."""
    empty = parse_study_file("")
    assert (empty.title, empty.lead, empty.environment) == ("", (), {})
    assert (empty.compare, empty.breakdown, empty.targets, empty.claims, empty.formats) == ((), (), (), (), ())
    assert (empty.scaling.concurrency, empty.scaling.weights, empty.scaling.by) == ("", "auto", ())
    assert empty.capacity.target is None


def test_words_facts_and_names_are_read() -> None:
    """Environment facts stand in their fixed order, dates as texts."""
    file = parse_study_file(FULL)
    assert (file.title, file.lead, file.commands) == ("T", ("comparison",), ("go test",))
    assert list(file.environment.items()) == [("cpu", "C"), ("cores", 4), ("date", "2026-11-20"), ("room", "cold")]
    named = file.configuration
    assert (file.files.exclude, named.paths, named.parallel) == (("made/*",), ("{run}.txt",), ("*_Parallel",))
    assert named.name_templates == (NameTemplate(template="bits_{bits:int}", benchmarks=("Sender",)),)
    assert file.describe.benchmarks == {"Sender": "sends"}
    assert file.describe.levels == {"bits": {"32": "short"}}


def test_tables_become_plans() -> None:
    """With bounds in base units and levels as texts; a name falls back to what is asked."""
    file = parse_study_file(FULL)
    assert file.scaling.curves == (CurvePlan(name="time", where="run=sweep", metric="time"),)
    assert file.scaling.exclusions == (Exclusion(where="run=warm", why="warming up"),)
    assert (file.scaling.concurrency, file.scaling.weights, file.scaling.same_work) == ("workers", "none", True)
    assert (file.effects.metrics, file.effects.by, file.latency.where) == (("time",), ("benchmark",), "run=p")
    compared = file.compare[0]
    assert (compared.baselines, compared.candidates, compared.sequential) == (("32",), ("64", "128"), True)
    assert compared.name == "bits: 32"
    decode, rate = file.targets
    assert (decode.name, decode.low, decode.high, decode.unit) == ("time at most 8 ns", None, 8e-9, "sec")
    assert (rate.low, rate.high, rate.unit) == (1000.0, 2000.0, "req/sec")
    assert rate.bound == "between 1000 req/s and 2000 req/s"
    assert file.breakdown[0] == Breakdown(
        name="Full", whole="Full", parts=("Time", "Hex"), estimated={"escape": 0.1}, where="run=new", by=("run",)
    )


def test_claims_become_plans() -> None:
    """The knee is the rule of what is recommended where nobody says."""
    median, recommended = parse_study_file(FULL).claims
    assert median == Median(
        text="It is fast.", source="the README", where="benchmark=Decode", metric="time", at_most="200 us"
    )
    assert (median.about, median.of, median.at) == ("median", "", None)
    assert (median.low, median.high, median.unit) == (None, pytest.approx(2e-4), "sec")
    assert isinstance(recommended, Recommended)
    assert (recommended.rule, recommended.low, recommended.high) == ("knee", 4.0, 8.0)
    assert recommended.bound == "between 4 and 8"
    said = SAID + 'about = "recommended"\nbetween = [4, 8]\nrule = '
    (claim,) = parse_study_file(said + '"throughput per core"').claims
    assert claim.rule == "throughput per core"
    assert "'rule' in [[claims]] cannot be 'price'" in mistake(said + '"price"')


def test_capacity_becomes_a_plan() -> None:
    """Every key, with its meaning; nodes from the smallest to the largest."""
    plan = parse_study_file(FULL).capacity
    assert plan.target is not None
    assert (plan.target.value, plan.target.unit) == (50000.0, "req/sec")
    assert plan.limit is not None
    assert (plan.limit.metric, plan.limit.seconds) == ("latency_p99", 0.005)
    assert (plan.headroom, plan.survive, plan.start, plan.currency) == (0.3, 1, "2026-11", "EUR")
    assert [(node.cores, node.cost, node.currency) for node in plan.nodes] == [(4, 0.17, "EUR"), (8, 0.34, "EUR")]
    assert plan.growth is not None
    assert plan.growth.monthly == pytest.approx(0.04)
    assert plan.mix == {"discover": 70.0, "select": 30.0}


def test_whether_recordings_were_sequential_may_be_unknown() -> None:
    """Absent is not false: nobody wrote down the order."""
    assert parse_study_file('[[compare]]\ncolumn = "run"\nbaseline = "a"').compare[0].sequential is None


@pytest.mark.parametrize(
    "text",
    [
        LINES + "pattern = '^(?P<value>[0-9]+) (?P<unit>[a-z]+)$'\nmetric = \"time\"",
        LINES + "pattern = '^(?P<metric>[a-z]+) (?P<value>[0-9]+)$'\nunit = \"ms\"",
        TABLE + 'columns = { a = { metric = "widgets", unit = "parsecs" } }',
        TABLE + 'columns = { a = { metric = "time", unit = "duration" }, b = { metric = "throughput" } }',
    ],
)
def test_units_that_only_the_file_knows_are_left_to_it(text: str) -> None:
    """A captured unit or metric, a unit of one's own, a duration, a metric that needs no unit."""
    (declared,) = parse_study_file(text).formats
    assert declared.name == "x"


def keys_of(kind: object) -> Iterator[str]:
    """Every key that a table, or the tables within a type, accept."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        for field in msgspec.structs.fields(kind):
            yield field.encode_name
            yield from keys_of(field.type)
    for item in get_args(kind):
        yield from keys_of(item)


@pytest.mark.parametrize("key", sorted(set(keys_of(StudyFile))))
def test_every_key_stands_in_the_docs(key: str) -> None:
    """In docs/study.md, or on the page of formats that it names."""
    docs = Path(__file__).parents[2] / "docs"
    pages = [(docs / f"{name}.md").read_text(encoding="utf-8") for name in ("study", "formats")]
    code = rf"`[^`\n]*\b{key}\b[^`\n]*`|^{key} = |^\[[\w.]*\b{key}\]"
    assert any(re.search(code, page, re.MULTILINE) for page in pages)
