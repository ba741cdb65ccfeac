"""The whole summary: its status, its order, its parts; samples and the quality of the data."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.answers.asking import Refusal
from benchlib.answers.executive import executive_summary
from benchlib.answers.quality import assess_quality
from benchlib.answers.samples import SampleTable, summarise_samples
from benchlib.caveats import CODES, SEVERITIES
from tests.shipped_studies import NAMES, study, summary
from tests.synthetic import around, go_text, make_study

RUNS = '[configuration]\npaths = ["{run}.txt"]\n'


def target(bound: str) -> str:
    """A definition with a target on time."""
    return f'[[targets]]\nname = "t"\nwhere = ""\nmetric = "time"\nat_most = "{bound}"\n'


def status(folder: Path, definition: str, **files: str) -> str:
    """The status of a page."""
    return executive_summary(make_study(folder, definition, **files)).status


def test_the_status_of_a_page(tmp_path: Path) -> None:
    """A missed target fails; an open one warns; all met pass; none set is said."""
    six, one = go_text({"A": around(8)}), go_text({"A": [8]})
    assert status(tmp_path, target("7 ns"), a=six) == "FAIL"
    assert status(tmp_path, target("9 ns"), a=six) == "PASS"
    assert status(tmp_path, target("9 ns"), a=one) == "WARN"
    assert status(tmp_path, "notes = []", a=six) == "NO TARGETS"


def test_an_alert_keeps_a_page_from_passing(tmp_path: Path) -> None:
    """Met targets are not enough when runs of the same code part by a half."""
    steady = {f"B{one}": around(100) for one in range(6)}
    r1, r2 = (go_text({"A": around(centre), **steady}) for centre in (100, 150))
    assert status(tmp_path, RUNS + target("400 ns"), r1=r1, r2=r2) == "WARN"


@pytest.mark.parametrize("name", NAMES)
def test_caveats_come_by_severity_each_once_and_refusals_have_advice(name: str) -> None:
    """Alerts first; every code is known; nothing is told twice; each is one line that says what to do."""
    caveats = summary(name).caveats
    ranks = [SEVERITIES.index(one.severity) for one in caveats]
    assert ranks == sorted(ranks)
    assert len(set(caveats)) == len(caveats)
    for one in caveats:
        severity, advice = CODES[one.code]
        before, _, after = advice.partition("{of}")
        assert one.severity == severity
        assert one.advice.startswith(before)
        assert one.advice.endswith(after)
        assert "{of}" not in one.advice
        assert "\n" not in one.message
    found = summary(name)
    for answer in (found.samples, found.scaling, found.effects, found.latency, *found.comparisons):
        if isinstance(answer, Refusal):
            assert answer.reason
            assert answer.advice
            assert "\n" not in answer.reason + answer.advice


@pytest.mark.parametrize("name", NAMES)
def test_every_sound_value_is_in_exactly_one_sample(name: str) -> None:
    """The table of all cells loses no measurement and counts none twice."""
    samples = summary(name).samples
    assert isinstance(samples, SampleTable)
    assert sum(one.sample.n for one in samples.rows) == len(study(name).results.frame)


def test_runs_are_pooled_unless_they_are_compared(tmp_path: Path) -> None:
    """Three runs of the same code are one sample; old and new are two."""
    files = {"new": go_text({"A": around(8)}), "old": go_text({"A": around(9)})}
    compare = '[[compare]]\nname = "runs"\ncolumn = "run"\nbaseline = "old"\n'
    for plan, expected in (("", [("", 12)]), (compare, [("new", 6), ("old", 6)])):
        table = summarise_samples(make_study(tmp_path, RUNS + plan, **files))
        assert isinstance(table, SampleTable)
        assert [(row.key.get("run", ""), row.sample.n) for row in table.rows if row.metric == "time"] == expected


def test_the_run_that_parts_from_its_peers_is_named(tmp_path: Path) -> None:
    """One benchmark half slower in one run while all others hold still."""
    steady = {f"B{one}": around(100) for one in range(6)}
    r1, r2 = (go_text({"A": around(centre), **steady}) for centre in (100, 150))
    quality = assess_quality(make_study(tmp_path, RUNS, r1=r1, r2=r2))
    (said,) = (one for one in quality.caveats if one.code == "unstable-runs")
    assert said.message.startswith("A: time is 50 % larger in r2 than in r1 (150 ns/op against 100 ns/op)")
    assert [row.key["benchmark"] for row in quality.spreads if row.unstable] == ["A"]


def test_compared_runs_are_no_noise(tmp_path: Path) -> None:
    """Where runs are the question, their difference is the answer."""
    compare = '[[compare]]\nname = "runs"\ncolumn = "run"\nbaseline = "old"\n'
    files = {"new": go_text({"A": around(8)}), "old": go_text({"A": around(90)})}
    assert assess_quality(make_study(tmp_path, RUNS + compare, **files)).spreads == ()
