"""What a study could say about its results and does not yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.cli import main
from benchlib.formats import load
from benchlib.study.file_names import files_alike, path_template


def write(folder: Path, *names: str) -> Path:
    """Write a log of one configuration under each name, no two the same."""
    for number, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"BenchmarkA-2 10 {1200 + 7 * number} ns/op\n")
    return folder


def test_files_that_only_their_names_tell_apart_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three executors are no repeats: inspect names them and the template that tells them apart."""
    write(tmp_path, "a-pool-1.log", "a-serial-1.log", "a-unbounded-1.log")
    assert main(["inspect", str(tmp_path)]) == 0
    (said,) = (one for one in capsys.readouterr().out.splitlines() if one.startswith("residue"))
    assert said == (
        "residue     3 files hold the same configurations, such as A, and only their names tell them apart "
        "(a-pool-1.log, a-serial-1.log, a-unbounded-1.log): kept apart as file, unless [configuration] of study.toml "
        'says what differs, e.g. paths = ["a-{variant}-1.log"]'
    )
    (tmp_path / "study.toml").write_text('[configuration]\npaths = ["a-{variant}-1.log"]\n')
    assert main(["inspect", str(tmp_path)]) == 0
    assert "only their names" not in capsys.readouterr().out


def test_runs_that_were_named_are_told_apart(tmp_path: Path) -> None:
    """Two paths on the command line are two runs; an axis in the name of a benchmark is enough too."""
    write(tmp_path, "old.txt", "new.txt")
    assert files_alike(load(tmp_path))
    assert files_alike(load(tmp_path / "old.txt", tmp_path / "new.txt")) == ()
    (tmp_path / "new.txt").write_text("BenchmarkA/size=2-2 10 1207 ns/op\n")
    assert files_alike(load(tmp_path)) == ()
    assert files_alike(load(tmp_path / "old.txt")) == ()


@pytest.mark.parametrize(
    ("sets", "template"),
    [
        ([["new.txt", "old.txt"]], "{variant}.txt"),
        ([["run1.txt", "run2.txt", "run10.txt"]], "{run}.txt"),
        ([["monday/x.txt", "tuesday/x.txt"]], "{variant}/x.txt"),
        ([["a-pool-r1.log", "a-serial-r2.log"]], "a-{variant}-{run}.log"),
        ([["a-x-y.log", "a-y-x.log"]], "a-{variant}-{variant2}.log"),
        ([["a-pool-1.log", "a-serial-1.log"], ["b-pool-2.log", "b-serial-2.log"]], "{_}-{variant}-{_}.log"),
        ([["a.txt", "a_lua.txt"]], ""),
        ([["{a}.txt", "{b}.txt"]], ""),
    ],
)
def test_a_template_has_an_axis_for_each_word_that_differs(sets: list[list[str]], template: str) -> None:
    """Names of one shape have one; others have none, and neither have names with a brace."""
    assert path_template(sets) == template


def test_the_logs_of_the_matrix_without_their_table(shared_samples: Path) -> None:
    """36 parallel logs, three executors each: one template for all."""
    results = load(shared_samples / "token-sdk" / "matrix", exclude=["*.csv"])
    ((_, sources, template),) = files_alike(results)
    assert len(sources) == 36
    assert template == "{_}-{variant}-{_}.log"
