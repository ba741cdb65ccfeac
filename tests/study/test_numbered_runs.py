"""A column that numbers repeats is the run, unless its numbers or study.toml say that it is more."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.study import open_study


@pytest.mark.parametrize(
    ("header", "numbers"),
    [("trial", "1 2"), ("Rep", "0 1"), ("iteration", "1 2"), ("test_num", "1 2"), ("Versuch", "1 2"), ("seed", "7 42")],
)
def test_a_column_that_numbers_repeats_is_the_run(tmp_path: Path, header: str, numbers: str) -> None:
    one, two = numbers.split()
    rows = f"threads,{header},time_s\n1,{one},8.1\n1,{two},8.2\n2,{one},4.1\n2,{two},4.0\n"
    (tmp_path / "x.csv").write_text(rows, encoding="utf-8")
    results = open_study(tmp_path).results
    assert (results.axes, results.frame["run"].tolist()) == (("threads",), [one, two, one, two])


@pytest.mark.parametrize("column", ["iter,10,1000", "round,first,last", "trials,1,2"])
def test_a_column_of_other_numbers_is_an_axis(tmp_path: Path, column: str) -> None:
    header, one, two = column.split(",")
    (tmp_path / "x.csv").write_text(f"{header},time_s\n{one},8.1\n{two},8.2\n", encoding="utf-8")
    assert open_study(tmp_path).results.axes == (header,)


def test_a_column_that_a_study_names_stays_its_axis(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("threads,seed,time_s\n1,1,8.1\n1,2,8.2\n", encoding="utf-8")
    (tmp_path / "study.toml").write_text('[[compare]]\ncolumn = "seed"\nbaseline = "1"\n', encoding="utf-8")
    assert "seed" in open_study(tmp_path).results.axes
