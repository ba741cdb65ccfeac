"""Targets: met, missed, open, or not tested."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.answers.targets import TargetAnswer, check_targets
from tests.synthetic import around, go_text, make_study


def target(bound: str, metric: str = "time", where: str = "benchmark=Decode") -> str:
    """A definition with one target."""
    return f'[[targets]]\nname = "t"\nwhere = "{where}"\nmetric = "{metric}"\n{bound}\n'


def judge(folder: Path, definition: str, where: str = "", /, **files: str) -> TargetAnswer:
    """The verdict on the only target."""
    (found,) = check_targets(make_study(folder, definition, where, **files))
    return found


@pytest.mark.parametrize(
    ("bound", "status"),
    [
        ('at_most = "9 ns"', "PASS"),
        ('at_most = "8.02 ns"', "WARN"),
        ('at_most = "7.97 ns"', "WARN"),
        ('at_most = "7 ns"', "FAIL"),
        ('at_least = "7 ns"', "PASS"),
        ('at_least = "9 ns"', "FAIL"),
        ('between = ["7 ns", "9 ns"]', "PASS"),
        ('between = ["8.5 ns", "9 ns"]', "FAIL"),
        ('between = ["8 ns", "9 ns"]', "WARN"),
    ],
)
def test_the_interval_decides(tmp_path: Path, bound: str, status: str) -> None:
    """Six repeats from 7.92 to 8.08 ns: inside, outside, or the bound lies within them."""
    found = judge(tmp_path, target(bound), a=go_text({"Decode": around(8)}))
    assert found.status == status
    assert ("interval" in found.reason) is (status == "WARN")


def test_without_an_interval_a_met_target_is_open(tmp_path: Path) -> None:
    """One measurement below the bound is no proof; one above it is a miss."""
    warned = judge(tmp_path, target('at_most = "9 ns"'), a=go_text({"Decode": [8]}))
    assert (warned.status, warned.reason) == ("WARN", "the median meets it, but n = 1 gives no interval")
    missed = judge(tmp_path, target('at_most = "7 ns"'), a=go_text({"Decode": [8]}))
    assert missed.status == "FAIL"


def test_one_allocation_misses_a_target_of_none(tmp_path: Path) -> None:
    """From 0 to 1 is a failure, and 0 is none."""
    bound = target('at_most = "0 allocs/op"', "allocations")
    six = {"Decode": around(8)}
    assert judge(tmp_path, bound, a=go_text(six, allocations=0)).status == "PASS"
    found = judge(tmp_path, bound, a=go_text(six, allocations=1))
    assert found.status == "FAIL"
    assert found.bound == "at most 0 allocs/op"


@pytest.mark.parametrize(
    ("cells", "status", "named", "reason"),
    [
        # A bad case is not hidden by the median over good ones.
        ({"small": around(5), "large": around(50), "middle": around(6)}, "FAIL", "large", "1 of 3 cells"),
        # Of cells that pass, the nearest to the bound is the one to watch.
        ({"small": around(1), "large": around(7)}, "PASS", "large", ""),
        # One measurement far below the bound is less sure than six close to it.
        (
            {"once": [1], "six": around(7)}, "WARN", "once",
            "the median meets it, but n = 1 gives no interval",
        ),
        # Surely 8.5 ns is worse than 9 ns of a cell that scatters from 5 to 13.
        ({"sure": around(8.5), "wide": [5, 6, 9, 9, 12, 13]}, "FAIL", "sure", "1 of 2 cells"),
    ],
)  # fmt: skip
def test_the_worst_cell_decides(
    tmp_path: Path, cells: dict[str, list[float]], status: str, named: str, reason: str
) -> None:
    text = go_text({f"Decode/{name}": values for name, values in cells.items()})
    answer = judge(tmp_path, target('at_most = "8 ns"'), a=text)
    assert (answer.status, answer.benchmark, answer.reason) == (status, f"Decode, {named}", reason)
    before = sum(len(cells[name]) for name in list(cells)[: list(cells).index(named)])
    assert answer.sample is not None
    last = before + answer.sample.n
    assert answer.evidence.rows == (f"a.txt:{before + 1}-{last}" if last > before + 1 else f"a.txt:{last}",)


def test_a_target_narrowed_away_was_not_tested(tmp_path: Path) -> None:
    """Said, with the reason, and no sample made up."""
    text = go_text({"Decode": around(8), "Encode": around(8)})
    found = judge(tmp_path, target('at_most = "9 ns"'), "benchmark=Encode", a=text)
    assert (found.status, found.sample, found.evidence.rows) == ("NOT TESTED", None, ())
    assert "selects no row" in found.reason


def test_where_runs_are_compared_the_candidate_is_judged(tmp_path: Path) -> None:
    """Before and after are not pooled: what is about to ship has to meet the target."""
    definition = (
        '[configuration]\npaths = ["{run}.txt"]\n'
        '[[compare]]\nname = "runs"\ncolumn = "run"\nbaseline = "old"\ncandidates = ["new"]\n'
    ) + target('at_most = "9 ns"')
    found = judge(tmp_path, definition, old=go_text({"Decode": around(8)}), new=go_text({"Decode": around(20)}))
    assert found.status == "FAIL"
    assert all(one.startswith("new.txt") for one in found.evidence.rows)
