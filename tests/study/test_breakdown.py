"""``[[breakdown]]`` of study.toml: a whole and its parts."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchlib
from benchlib.errors import InputError, StudyError
from benchlib.study.definition import parse_definition
from benchlib.study.plans import BreakdownPlan

TABLE = '[[breakdown]]\nwhole = "Full"\n'


def test_read() -> None:
    """Every key, in the words of the plan; the name falls back to the whole."""
    text = TABLE + 'parts = ["Time", "Hex"]\nestimated = { escape = 0.1 }\nwhere = "run=new"\nby = ["run"]\n'
    assert parse_definition(text).breakdowns == (
        BreakdownPlan(
            name="Full",
            whole="Full",
            parts=("Time", "Hex"),
            estimated={"escape": 0.1},
            profile="",
            profiled={},
            where="run=new",
            metrics=("time",),
            by=("run",),
        ),
    )
    assert parse_definition("").breakdowns == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[breakdown]]\nparts = ['a']", "study.toml:1: 'whole' in [[breakdown]] is missing; write whole = \"Sender\""),
        (TABLE, "study.toml:1: 'parts' in [[breakdown]] names no part; list the benchmarks that 'Full' contains"),
        (TABLE + 'parts = ["Full"]', "study.toml:3: 'Full' in [[breakdown]] is both whole and part; remove one"),
        (TABLE + 'parts = ["a"]\nestimated = { a = 0.1 }',
         "study.toml:4: 'a' in [[breakdown]] is measured as a part and estimated; keep one"),
        (TABLE + "estimated = { a = 30 }",
         "study.toml:3: 'a' in [breakdown.estimated] must be a share from 0 to 1, e.g. 0.3 for 30 %, found the whole "
         "number 30"),
        (TABLE + "estimated = { a = true }",
         "study.toml:3: 'a' in [breakdown.estimated] must be a share from 0 to 1, e.g. 0.3 for 30 %, found true"),
        (TABLE + 'parts = ["a"]\nprofile = "cpu.txt"',
         "study.toml:4: 'profile' in [[breakdown]] stands beside other parts, which it holds too; give the profile a "
         "[[breakdown]] of its own"),
        (TABLE + 'profile = "../cpu.txt"',
         "study.toml:3: 'profile' in [[breakdown]]: '../cpu.txt' leaves the study folder; write it relative to "
         "study.toml, without '..'"),
        (TABLE + 'part = ["a"]',
         "study.toml:3: unknown key 'part' in [[breakdown]]; did you mean 'parts'? Accepted: name, whole, parts, "
         "estimated, profile, where, metrics, by"),
    ],
)  # fmt: skip
def test_malformed(text: str, message: str) -> None:
    with pytest.raises(StudyError) as error:
        parse_definition(text)
    assert str(error.value) == message


def folder(path: Path, table: str) -> Path:
    (path / "run.txt").write_text("BenchmarkFull-2 10 100 ns/op\nBenchmarkTime-2 10 20 ns/op\n", encoding="utf-8")
    (path / "study.toml").write_text(table, encoding="utf-8")
    return path


def test_a_study_hands_its_breakdowns_on(tmp_path: Path) -> None:
    study = benchlib.open_study(folder(tmp_path, TABLE + 'parts = ["Time"]'))
    assert [(one.whole, one.parts) for one in study.breakdowns] == [("Full", ("Time",))]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (TABLE + 'parts = ["Tine"]',
         ":3: 'Tine' is not a level of benchmark in these rows; did you mean 'Time'?; there are Full, Time"),
        ('[[breakdown]]\nwhole = "Ful"\nparts = ["Time"]',
         ":2: 'Ful' is not a level of benchmark in these rows; did you mean 'Full'?; there are Full, Time"),
        (TABLE + 'parts = ["Time"]\nby = ["curve"]', ":4: no result has the axis 'curve'"),
        (TABLE + 'parts = ["Time"]\nwhere = "curve=a"', ":4: no result has the axis 'curve'"),
        (TABLE + 'parts = ["Time"]\nmetrics = ["memory"]', ":4: no result has the metric 'memory'"),
    ],
)  # fmt: skip
def test_what_only_the_results_can_tell(tmp_path: Path, table: str, message: str) -> None:
    with pytest.raises(StudyError) as error:
        benchlib.open_study(folder(tmp_path, table))
    assert message in str(error.value)


CPU = """\
File: full.test
Type: cpu
Showing nodes accounting for 340ms, 100% of 340ms total
      flat  flat%   sum%        cum   cum%
     110ms 32.35% 32.35%      120ms 35.29%  encoding/json.appendString[go.shape.string]
      20ms  5.88% 38.23%      160ms 47.06%  encoding/json.stringEncoder (inline)
"""


def test_a_profile_is_read_for_its_breakdown(tmp_path: Path) -> None:
    """Its shares stand in the plan, by package; it is no file of results, and no problem either."""
    (tmp_path / "cpu[1].txt").write_text(CPU, encoding="utf-8")
    study = benchlib.open_study(folder(tmp_path, TABLE + 'profile = "cpu[1].txt"'))
    (plan,) = study.breakdowns
    assert plan.profiled == {"encoding/json": pytest.approx(0.3823)}
    assert {one.source for one in study.results.files} == {"run.txt"}
    assert study.results.problems == ()


def test_a_profile_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "cpu.txt").write_text("BenchmarkFull 1 2 ns/op\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        benchlib.open_study(folder(tmp_path, TABLE + 'profile = "cpu.txt"'))
    assert str(error.value).endswith("cpu.txt: the table names no function; take a longer profile")
    (tmp_path / "study.toml").write_text(TABLE + 'profile = "gone.txt"', encoding="utf-8")
    with pytest.raises(InputError, match=r"/gone\.txt: no such file or folder; check the path$"):
        benchlib.open_study(tmp_path)


def test_a_choice_is_read() -> None:
    """A setting to choose, by which metrics and in which contexts."""
    text = '[[choice]]\nfactor = "executor"\nby = ["proof", "workers"]\nmetrics = ["p99"]\nwhere = "source=runner/*"'
    (plan,) = parse_definition(text).choices
    assert (plan.name, plan.factor, plan.by) == ("executor", "executor", ("proof", "workers"))
    assert plan.where == "source=runner/*"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[[choice]]\nby = ["proof"]',
            "study.toml:1: 'factor' in [[choice]] is missing; write factor = \"executor\"",
        ),
        (
            '[[choice]]\nfactor = "executor"\nby = ["executor"]',
            "study.toml:3: 'executor' in [[choice]] is chosen and grouped by; remove it from by",
        ),
    ],
)
def test_a_choice_that_cannot_be_meant(text: str, said: str) -> None:
    """One line with its place."""
    with pytest.raises(StudyError) as caught:
        parse_definition(text)
    assert str(caught.value) == said
