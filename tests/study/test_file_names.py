"""What names of files say: repeats are pooled where names differ in numbers, else kept apart, with a template."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchlib
from benchlib.answers.latency import LatencyAnswer
from benchlib.answers.samples import SampleTable
from benchlib.cli import main
from benchlib.formats import load
from benchlib.study import open_study
from benchlib.study.file_names import files_alike, path_template
from tests.shipped_studies import DATA

SLOW, QUICK = (20.0, 20.2, 20.1, 20.3, 20.4, 20.2), (23.0, 23.2, 23.1, 23.3, 23.4, 23.2)


def written(folder: Path, **files: tuple[float, ...]) -> Path:
    """A folder with a file of one benchmark for each name."""
    for place, (name, times) in enumerate(files.items()):
        # Two files of the same bytes are one that was copied.
        lines = "".join(f"BenchmarkSend-2 {100 + place} {time} ns/op\n" for time in times)
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / f"{name}.txt").write_text(f"goos: linux\n{lines}", encoding="utf-8")
    return folder


def sizes(folder: Path) -> list[tuple[str, int]]:
    """The file and n of every cell of All measurements."""
    table = benchlib.executive_summary(open_study(folder)).samples
    assert isinstance(table, SampleTable)
    return [(str(row.key.get("file", "")), row.sample.n) for row in table.rows]


def test_files_that_differ_in_words_are_kept_apart_and_named(tmp_path: Path) -> None:
    """Each has its own median and interval, and a caveat says which files and what to do."""
    folder = written(tmp_path, send_csp=SLOW, send_bulletproof=QUICK)
    assert sizes(folder) == [("bulletproof", 6), ("csp", 6)]
    (said,) = (caveat for caveat in open_study(folder).results.caveats if caveat.code == "files-apart")
    assert said.message == (
        "nobody said that these files repeat each other, and their names differ: "
        "bulletproof (send_bulletproof.txt), csp (send_csp.txt)"
    )
    assert "study.toml" in said.advice


@pytest.mark.parametrize(
    "names", [("run1", "run2"), ("old-r1", "old-r2"), ("2026-11-20", "2026-11-21"), ("x_c1", "x_t2_c1_d5s")]
)
def test_files_that_differ_in_numbers_repeat_each_other(tmp_path: Path, names: tuple[str, str]) -> None:
    """As runs do that somebody numbered or dated; a letter or two before a number counts something."""
    folder = written(tmp_path, **dict.fromkeys(names, SLOW))
    assert sizes(folder) == [("", 12)]
    assert all(caveat.code != "files-apart" for caveat in open_study(folder).results.caveats)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        # three repeats of two kinds are two samples of three files
        (
            {f"send-{kind}-r{run}": times[:2] for kind, times in (("csp", SLOW), ("bp", QUICK)) for run in (1, 2, 3)},
            [("bp", 6), ("csp", 6)],
        ),
        # what differs may stand in the name of the folder
        ({"a/x_c1_r1": SLOW, "b/x_c64_r2": QUICK}, [("a", 6), ("b", 6)]),
    ],
)
def test_repeats_of_several_kinds_are_pooled_within_each(
    tmp_path: Path, files: dict[str, tuple[float, ...]], expected: list[tuple[str, int]]
) -> None:
    """By the words in which their names differ."""
    assert sizes(written(tmp_path, **files)) == expected


def test_files_of_different_benchmarks_have_nothing_to_be_kept_apart(tmp_path: Path) -> None:
    """What no other file measures needs no name of a file beside its own."""
    written(tmp_path, send=SLOW)
    (tmp_path / "receive.txt").write_text("BenchmarkReceive-2 100 7 ns/op\n", encoding="utf-8")
    assert sizes(tmp_path) == [("", 1), ("", 6)]


def test_who_says_what_the_files_are_is_believed(tmp_path: Path) -> None:
    """Paths in study.toml that name runs pool them; so does naming a folder as one side of a comparison."""
    folder = written(tmp_path, old=SLOW, new=QUICK)
    (folder / "study.toml").write_text('title = "t"\n', encoding="utf-8")
    assert sizes(folder) == [("new", 6), ("old", 6)]
    (folder / "study.toml").write_text('[configuration]\npaths = ["{run}.txt"]\n', encoding="utf-8")
    assert sizes(folder) == [("", 12)]


def test_a_folder_is_one_side_of_a_comparison(tmp_path: Path) -> None:
    """However its files are called: two recordings were named, and each is one."""
    for side, times in (("before", SLOW), ("after", QUICK)):
        (tmp_path / side).mkdir()
        written(tmp_path / side, **{f"{side}_morning": times, f"{side}_evening": times})
    answer = benchlib.compare(tmp_path / "before", tmp_path / "after")
    assert [(row.comparison.baseline.n, row.comparison.candidate.n) for row in answer.rows] == [(12, 12)]


def test_files_of_a_folder_can_be_compared(tmp_path: Path) -> None:
    """The axis that keeps them apart is one to compare by."""
    answer = benchlib.compare(written(tmp_path, old=SLOW, new=QUICK), col="file", baseline="old")
    assert [(row.candidate, row.verdict) for row in answer.rows] == [("new", "worse")]


def test_no_sample_of_real_files_mixes_what_their_names_tell_apart() -> None:
    """Three executors and two proof types were one sample of 18, and one interval, once."""
    study = open_study(DATA / "token-sdk" / "runner")
    latency = benchlib.executive_summary(study).latency
    assert isinstance(latency, LatencyAnswer)
    assert len(latency.rows) > 6
    assert {sample.n for row in latency.rows for sample in row.statistics.values()} == {3}


def test_shipped_studies_say_what_their_files_are() -> None:
    """None of their values stands apart by the name of its file alone."""
    for file in sorted(DATA.glob("*/study.toml")):
        assert "file" not in open_study(file.parent).results.axes, file.parent.name


def test_files_that_only_their_names_tell_apart_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three executors are no repeats: inspect names them and the template that tells them apart."""
    for number, kind in enumerate(("pool", "serial", "unbounded")):
        (tmp_path / f"a-{kind}-1.log").write_text(f"BenchmarkA-2 10 {1200 + number} ns/op\n")
    assert main(["inspect", str(tmp_path)]) == 0
    (said,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("residue"))
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
    written(tmp_path, old=SLOW, new=QUICK)
    assert files_alike(load(tmp_path))
    assert files_alike(load(tmp_path / "old.txt", tmp_path / "new.txt")) == ()
    (tmp_path / "new.txt").write_text("BenchmarkSend/size=2-2 10 1207 ns/op\n")
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
