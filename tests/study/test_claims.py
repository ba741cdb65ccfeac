"""``[[claims]]``: what may be written, and the one line that each mistake gets."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchlib
from benchlib.errors import StudyError
from benchlib.study.claims import ClaimPlan
from benchlib.study.definition import parse_definition
from tests.synthetic import around, go_text, make_study

SAID = '[[claims]]\ntext = "It is fast."\nsource = "the README"\n'

MISTAKES = [
    pytest.param(
        '[[claims]]\nsource = "x"\nabout = "median"',
        """study.toml:1: 'text' in [[claims]] is missing; write text = "scales linearly to 8 cores\"""",
        id="no text",
    ),
    pytest.param(
        '[[claims]]\ntext = "x"\nabout = "median"',
        """study.toml:1: 'source' in [[claims]] is missing; write source = "report of 2026-03-31\"""",
        id="no source",
    ),
    pytest.param(
        SAID, """study.toml:1: 'about' in [[claims]] is missing; write about = "speedup\"""", id="about nothing"
    ),
    pytest.param(
        SAID + 'about = "speedip"',
        "study.toml:4: 'about' in [[claims]] cannot be 'speedip'; did you mean 'speedup'? Accepted: median, ratio, "
        "gain, speedup, efficiency, recommended, slowest",
        id="misspelt about",
    ),
    pytest.param(
        SAID + 'about = "speedup"\nat = 8\nmetric = "time"\nat_least = 4',
        "study.toml:6: 'metric' in [[claims]] says nothing of a claim about 'speedup', which takes of, at, at_least, "
        "at_most, between",
        id="a key of another kind of claim",
    ),
    pytest.param(
        SAID + 'about = "speedup"\nat_least = 4',
        "study.toml:1: 'at' in [[claims]] is missing; write at = 8, the level of concurrency that is meant",
        id="speedup without a level",
    ),
    pytest.param(
        SAID + 'about = "speedup"\nat = "8"\nat_least = 4',
        "study.toml:5: 'at' in [[claims]] must be a level of concurrency, e.g. 8, found the text '8'",
        id="a level that is text",
    ),
    pytest.param(
        SAID + 'about = "gain"',
        "study.toml:1: a claim in [[claims]] needs at_most, at_least or between",
        id="no bound",
    ),
    pytest.param(
        SAID + 'about = "gain"\nat_least = nan',
        "study.toml:5: 'at_least' in [[claims]] must be a number, e.g. 0.9, found the number nan",
        id="a bound that is no number",
    ),
    pytest.param(
        SAID + f'about = "gain"\nat_least = {"9" * 400}',
        "study.toml:5: 'at_least' in [[claims]] must be a number, e.g. 0.9, found a huge whole number",
        id="a bound beyond any float",
    ),
    pytest.param(
        SAID + 'about = "gain"\nbetween = [2, 1]',
        "study.toml:5: nothing can be between 2 and 1: the bounds in [[claims]] are swapped; exchange them",
        id="swapped bounds",
    ),
    pytest.param(
        SAID + 'about = "gain"\nbetween = [1]',
        "study.toml:5: 'between' in [[claims]] must be two numbers, e.g. [0.9, 1.1], found a list",
        id="one bound of two",
    ),
    pytest.param(
        SAID + 'about = "gain"\nbetween = [1, 2]\nat_most = 3',
        "study.toml:5: 'between' in [[claims]] stands beside another bound; keep one",
        id="two kinds of bounds",
    ),
    pytest.param(
        SAID + 'about = "median"\nat_most = "8 ns"',
        """study.toml:1: 'metric' in [[claims]] is missing; write metric = "time\"""",
        id="a median of nothing",
    ),
    pytest.param(
        SAID + 'about = "slowest"\nat_most = "8 B"',
        "study.toml:1: the bound 'at most 8 B' in [[claims]] is no time; write it like '2 ms'",
        id="the slowest in bytes",
    ),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES)
def test_a_mistake_gets_one_line(text: str, message: str) -> None:
    """File, line, key, what was found and what is accepted."""
    with pytest.raises(StudyError) as raised:
        parse_definition(text)
    assert str(raised.value) == message


def test_what_is_recommended_has_a_rule() -> None:
    """The knee where nobody says; a rule that is none gets one line, and so does a rule of another claim."""
    said = SAID + 'about = "recommended"\nbetween = [4, 8]\n'
    assert [parse_definition(one).claims[0].rule for one in (said, said + 'rule = "throughput per core"')] == [
        "knee",
        "throughput per core",
    ]
    with pytest.raises(StudyError, match=r"'rule' in .* cannot be 'price'; .*throughput per core"):
        parse_definition(said + 'rule = "price"')
    with pytest.raises(StudyError, match=r"'rule' in .* says nothing of a claim about 'speedup'"):
        parse_definition(SAID + 'about = "speedup"\nat = 8\nat_least = 2\nrule = "knee"')


def test_a_claim_becomes_a_plan() -> None:
    """Every key in its place, bounds in base units."""
    (found,) = parse_definition(
        SAID + 'about = "median"\nmetric = "time"\nwhere = "benchmark=Decode"\nat_most = "200 us"'
    ).claims
    assert found == ClaimPlan(
        text="It is fast.", source="the README", about="median", of="", where="benchmark=Decode", metric="time",
        at=None, rule="knee", low=None, high=pytest.approx(2e-4), unit="sec", bound="at most 200 us",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        (
            'about = "ratio"\nof = "neu"\nat_most = 1',
            "study.toml:9: no [[compare]] is named 'neu'; did you mean 'new'?",
        ),
        (
            'about = "median"\nmetric = "tim"\nat_most = "1 ns"',
            "study.toml:9: no result has the metric 'tim'; did you mean 'time'?",
        ),
        (
            'about = "median"\nmetric = "time"\nwhere = "benchmark=Nobody"\nat_most = "1 ns"',
            "study.toml:10: 'benchmark=Nobody' selects no row;",
        ),
        (
            'about = "median"\nmetric = "time"\nat_most = "1 B"',
            "study.toml:5: the bound 'at most 1 B' of [[claims]] is in 'B', but the metric 'time' is in 'sec/op';",
        ),
    ],
)
def test_what_a_claim_names_must_exist(tmp_path: Path, claim: str, message: str) -> None:
    """A comparison, metric, row or unit that the results lack is a mistake with its line."""
    compare = '[[compare]]\nname = "new"\ncolumn = "benchmark"\nbaseline = "Decode"\n'
    with pytest.raises(StudyError) as raised:
        make_study(tmp_path, compare + SAID + claim, a=go_text({"Decode": around(8), "Encode": around(9)}))
    assert message in str(raised.value)


def test_today_is_a_level(tmp_path: Path) -> None:
    """A level below 1 is none; without the key nothing is marked."""
    with pytest.raises(StudyError, match=r"study.toml:2: 'today' in \[scaling\] must be a level of concurrency"):
        parse_definition("[scaling]\ntoday = 0")
    assert parse_definition("[scaling]\ntoday = 10").scaling.today == 10
    assert benchlib.open_study(make_study(tmp_path, a=go_text({"Decode": [8]})).path).scaling.today is None
