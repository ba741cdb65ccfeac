"""benchstat over a frame: what keys mean, in what order values stand, and what its tables say of p values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchlib.answers.benchstat import Table, benchstat_tables, printed_pvalues
from benchlib.answers.benchstat_keys import Projection, parse_keys, project_together
from benchlib.errors import SelectionError
from benchlib.formats import load
from benchlib.statistics.ranks import mann_whitney_rows

LOG = """goos: linux
pkg: ex/b
BenchmarkCopy/size=4k/fast-16 1 5 ns/op
BenchmarkCopy/size=512-16 1 5 ns/op
pkg: ex/a
BenchmarkCopy/size=1Mi 1 5 ns/op
BenchmarkMove-4 1 5 ns/op
"""


def project(frame: pd.DataFrame, keys: str, *, made_of_names: Sequence[str] = ()) -> Projection:
    """Tell the rows of a frame apart by keys alone."""
    return project_together(frame, table="", row=keys, column="", ignore="", made_of_names=made_of_names).row


@pytest.fixture
def frame(tmp_path: Path) -> pd.DataFrame:
    """Four results in two packages."""
    (tmp_path / "log.txt").write_text(LOG, encoding="utf-8")
    return load(tmp_path / "log.txt").frame


@pytest.mark.parametrize(
    ("keys", "labels", "codes"),
    [
        (".name", ("Copy", "Move"), [0, 0, 0, 1]),
        (".fullname", ("Copy/size=4k/fast-16", "Copy/size=512-16", "Copy/size=1Mi", "Move-4"), [0, 1, 2, 3]),
        ("name", ("Copy/size=4k/fast-16", "Copy/size=512-16", "Copy/size=1Mi", "Move-4"), [0, 1, 2, 3]),
        ("benchmark", ("Copy", "Move"), [0, 0, 0, 1]),
        ("/size", ("4k", "512", "1Mi", ""), [0, 1, 2, 3]),
        ("/size@num", ("512", "4k", "1Mi", ""), [1, 0, 2, 3]),
        ("/size@alpha", ("", "1Mi", "4k", "512"), [2, 3, 1, 0]),
        ("/size@(1Mi 4k)", ("1Mi", "4k"), [1, -1, 0, -1]),
        ("size@num", ("512", "4k", "1Mi", ""), [1, 0, 2, 3]),
        ("/gomaxprocs@num", ("4", "16", ""), [1, 1, 2, 0]),
        ("gomaxprocs@num", ("4", "16", ""), [1, 1, 2, 0]),
        ("case", ("fast", ""), [0, 1, 1, 1]),
        ("pkg", ("ex/b", "ex/a"), [0, 0, 1, 1]),
        ("pkg@alpha .name", ("ex/a Copy", "ex/a Move", "ex/b Copy"), [2, 2, 0, 1]),
        (".config", ("linux ex/a", "linux ex/b"), [1, 1, 0, 0]),
        ("cpu", ("",), [0, 0, 0, 0]),
        ("", ("",), [0, 0, 0, 0]),
    ],
)
def test_keys_tell_rows_apart(frame: pd.DataFrame, keys: str, labels: tuple[str, ...], codes: list[int]) -> None:
    """Names and configuration lines, in order of appearance, by letter, by number, or as listed."""
    found = project(frame, keys)
    assert (found.labels, found.codes.tolist()) == (labels, codes)


def test_an_axis_that_names_state_is_cut_out_of_them(frame: pd.DataFrame) -> None:
    """``size`` is ``/size`` where no file has such a line; ``case`` is what no key states."""
    found = project_together(frame, table=".config", row=".fullname", column="size,case", ignore="")
    assert found.row.labels == ("Copy-16", "Copy", "Move-4")


def test_what_no_projection_names_is_left(frame: pd.DataFrame) -> None:
    """The rest of the names without their base, and every key of the configuration."""
    found = project_together(frame, table="", row=".name", column=".file", ignore="goos")
    assert [name for name, _ in found.residue] == ["pkg", ".fullname"]
    assert found.residue[1][1].levels == ("*/size=4k/fast-16", "*/size=512-16", "*/size=1Mi", "*-4")


def test_axes_of_a_template_are_no_configuration(frame: pd.DataFrame) -> None:
    """A study that takes ``kind`` out of names says so."""
    taken = frame.assign(kind=["a", "b", "c", "d"])
    assert project(taken, ".config").fields == ("goos", "pkg", "kind")
    assert project(taken, ".config", made_of_names=["kind"]).fields == ("goos", "pkg")


def test_numbers_stand_as_benchstat_reads_them() -> None:
    """Prefixes, infinities, hexadecimal; NaN after all numbers, what is none after it, by letter."""
    names = ["1k", "1Ki", "999", "1kb", "0x1p4", "-inf", "nan", "x", "1_0", "1e400", "2", "+inf", "1.5M"]
    frame = pd.DataFrame({"name": [f"A/v={one}" for one in names]})
    assert project(frame, "/v@num").labels == (
        "-inf", "2", "0x1p4", "999", "1k", "1kb", "1Ki", "1.5M", "+inf", "nan", "1_0", "1e400", "x",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (",a", "--row ',a': expected a key, found ','"),
        ("a,", "--row 'a,': expected a key, found the end"),
        ("a@", "--row 'a@': expected an order, found the end"),
        ("a@(", "--row 'a@(': expected a value of the order, found the end"),
        ("a@()", "--row 'a@()': expected a value of the order, found ')'"),
        ("-a", "--row '-a': expected a key, found '-'"),
        ("a OR b", "--row 'a OR b': expected a key, found 'OR'"),
        ('"a', "--row '\"a': a quote is left open"),
        ('""', "--row '\"\"': a quoted word is empty"),
    ],
)
def test_what_is_no_projection_is_refused(text: str, message: str) -> None:
    """With what was found, and how it is written."""
    with pytest.raises(SelectionError) as caught:
        parse_keys(text, "--row")
    accepted = "write keys such as .fullname, /size@num, pkg or run@(old new), parted by commas"
    assert str(caught.value) == f"{message}; {accepted}"


def test_words_may_be_quoted() -> None:
    """As Go strings are."""
    [key] = parse_keys(r'".file"@("a b" "say \"c\"")')
    assert (key.name, key.fixed) == (".file", ("a b", 'say "c"'))


def test_lists_that_together_leave_nothing_are_refused(frame: pd.DataFrame) -> None:
    """Each of them leaves something; benchstat writes nothing then, without a word."""
    with pytest.raises(SelectionError) as caught:
        project(frame, "pkg@(ex/a),/size@(4k)")
    assert str(caught.value) == (
        "'/size@(4k)' leaves no row, of those that lists before it leave; /size takes 4k, 512, 1Mi"
    )


# Tables: ratios, levels, and p values as benchstat prints them.


def frame_of(sides: Mapping[str, Mapping[str, Sequence[float]]], unit: str = "B/op") -> pd.DataFrame:
    rows = [
        {"name": name, "run": run, "metric": "memory", "unit": unit, "original_unit": unit, "value": value}
        for run, benchmarks in sides.items()
        for name, values in benchmarks.items()
        for value in values
    ]
    return pd.DataFrame(rows)


def table_of(sides: Mapping[str, Mapping[str, Sequence[float]]], **options: float) -> Table:
    [found] = benchstat_tables(frame_of(sides), **options).tables
    return found


def test_few_values_are_told_with_how_many_it_takes() -> None:
    """At the levels asked for; benchstat looks at 50 and at 9 values at most."""
    sides = {"old": {"A": [1.0, 2.0]}, "new": {"A": [3.0, 4.0]}}
    usual = table_of(sides)
    assert usual.warnings[0, 0] == ("need >= 6 samples for confidence interval at level 0.95",)
    assert usual.change_warnings == {(0, 1): ("need >= 4 samples to detect a difference at alpha level 0.05",)}
    strict = table_of(sides, significance_level=1e-6, confidence_level=1.0)
    assert strict.warnings[0, 1] == ("need > 50 samples for confidence interval at level 1",)
    assert strict.change_warnings[0, 1] == ("need > 10 samples to detect a difference at alpha level 1e-06",)
    assert table_of(sides, significance_level=1.0).change_warnings == {}


def pvalue(first: Sequence[float], second: Sequence[float], level: float = 0.05) -> float:
    return float(printed_pvalues(np.asarray([first], dtype=float), np.asarray([second], dtype=float), level)[0])


def test_a_pvalue_at_the_level_is_rounded_as_benchstat_rounds_it() -> None:
    """3 against 3 reach 0.1 and a bit: at 0.1 benchstat finds no difference."""
    assert pvalue([1, 2, 3], [4, 5, 6], 0.1) == 0.10000000000000002
    assert mann_whitney_rows(np.array([[1, 2, 3]]), np.array([[4, 5, 6]]))[0][0] == 0.1


def test_a_doubled_tail_may_be_more_than_1() -> None:
    """Ties, sides of different n, and the baseline's U in the heavy tail; benchstat prints p=1.143."""
    assert pvalue([345] * 3, [345] * 3 + [690]) == pytest.approx(8 / 7, rel=1e-14)


def test_a_u_that_the_baseline_cannot_reach() -> None:
    """Benchstat prints p=1.020 of 24 values, one of them larger, against 25 equal ones: the right one is 0.980."""
    assert pvalue([2440] * 23 + [4882], [2440] * 25) == pytest.approx(2 * 25 / 49, rel=1e-12)
    assert pvalue([2440] * 25, [2440] * 23 + [4882]) == pytest.approx(2 * 24 / 49, rel=1e-12)


def test_far_in_the_tail_one_direction_has_a_pvalue_of_0() -> None:
    """60 values against 60 below them: 1 - 1 is 0, which benchstat does not print; the other way it is 2e-21."""
    low, high = list(range(60)), list(range(100, 160))
    assert pvalue(high, low) == 0
    assert 0 < pvalue(low, high) < 1e-20
