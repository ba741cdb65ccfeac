"""``benchlib compare``: what is told of axes, in every format, and how files reach benchstat's tables."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from benchlib.cli import main
from tests.cli import calling
from tests.synthetic import around, go_text

printed = partial(calling.printed, "compare")
refused = partial(calling.refused, "compare")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with two recordings of two sizes."""
    monkeypatch.chdir(tmp_path)
    for name, factor in (("old", 1.0), ("new", 1.2)):
        text = go_text({"Copy/size=4k": around(100 * factor), "Copy/size=1M": around(200 * factor)})
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("form", ["text", "markdown", "json", "html"])
def test_pooled_recordings_are_told_in_every_format(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Two files compared over another axis than the file, which benchstat says nothing of."""
    command = ("old.txt", "new.txt", "--col", "/size", "--format", form)
    said = "different configurations are pooled" if form == "text" else "cells mix values of run"
    assert said in printed(capsys, *command)
    assert said not in printed(capsys, *command, "--ignore", ".file")


def test_benchstat_csv_says_of_pooled_recordings_what_benchstat_says(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing: no projection of benchstat leaves the file over."""
    assert main(["compare", "old.txt", "new.txt", "--col", "/size", "--format", "benchstat-csv"]) == 0
    out, err = capsys.readouterr()
    assert "n=12" in out
    assert "vary" not in err


def test_results_without_a_level_are_no_side(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """benchstat has a column without a name for them, and so have its tables here."""
    (here / "one.txt").write_text(go_text({"A": around(1), "A/size=1": around(2), "A/size=2": around(3)}))
    told = printed(capsys, "one.txt", "--col", "/size@num", "--row", ".name", "--metric", "time")
    assert "Size 2 instead of size 1: 50% more time" in told
    assert main(["compare", "one.txt", "--col", "/size", "--row", ".name", "--format", "benchstat-csv"]) == 0
    assert capsys.readouterr().out.startswith(",,,1,,,,2,,,\n")


def test_one_baseline_holds_for_all_rows(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where a package has no result of the first recording, benchstat's baseline is the next; here there is none."""
    for name, packages in (("a", "p"), ("b", "pq"), ("c", "pq")):
        text = "".join(f"pkg: {one}\n{go_text({'A': around(100 + ord(name))})}" for one in packages)
        (here / f"{name}.txt").write_text(text, encoding="utf-8")
    told = printed(capsys, "a.txt", "b.txt", "c.txt", "--metric", "time")
    assert "unmatched benchmarks" in told
    assert "A, pkg q not in a." in printed(capsys, "a.txt", "b.txt", "c.txt", "--metric", "time", "--full")
    assert main(["compare", "a.txt", "b.txt", "c.txt", "--format", "benchstat-csv"]) == 0
    assert "pkg: q\n,b.txt,,c.txt,,,\n" in capsys.readouterr().out


def test_runs_that_names_tell_apart_are_read_into_benchstats_tables(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One file alone may hold several: ``/run=7`` is a part of the name, and the file one column."""
    (here / "one.txt").write_text(go_text({"A/run=7": [5.0], "A/run=8": [6.0]}), encoding="utf-8")
    assert main(["compare", "one.txt", "--format", "benchstat-csv", "--row", "/run"]) == 0
    assert [line.split(",")[0] for line in capsys.readouterr().out.splitlines()][:4] == ["", "", "7", "8"]


def test_files_of_one_label_are_one_column(capsys: pytest.CaptureFixture[str]) -> None:
    """As benchstat pools them."""
    assert main(["compare", "x=old.txt", "x=new.txt", "--format", "benchstat-csv"]) == 0
    assert capsys.readouterr().out.startswith(",x,\n,sec/op,CI\n")


def test_benchstats_tables_know_no_axis_that_a_number_in_a_name_is(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """subscribers_10 is part of the name there: a row, and no table of its own."""
    for side, factor in (("old", 100.0), ("new", 110.0)):
        text = go_text({f"FanOut/subscribers_{count}": around(factor * count) for count in (1, 10, 100)})
        (here / f"{side}.txt").write_text(text, encoding="utf-8")
    assert main(["compare", "old.txt", "new.txt", "--format", "benchstat-csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = dict.fromkeys(line.split(",")[0] for line in lines if "FanOut" in line)
    assert list(rows) == [f"FanOut/subscribers_{count}" for count in (1, 10, 100)]
    assert not any(line.startswith("subscribers") for line in lines)


def test_benchstats_tables_are_parted_as_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """By any key; an empty list of keys makes one row, or one column."""
    command = ("compare", "old.txt", "new.txt", "--format", "benchstat-csv")
    assert main([*command, "--table", "/size", "--row", ".name"]) == 0
    assert "/size: 4k\n" in capsys.readouterr().out
    assert main([*command, "--row", "", "--col", "", "--where", "metric=time"]) == 0
    assert [line.split(",")[0] for line in capsys.readouterr().out.splitlines()] == ["", "", "geomean"]
