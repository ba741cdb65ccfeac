"""Opening a folder or a file as a study."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.errors import BenchlibError, InputError, StudyError
from benchlib.study import open as open_module
from benchlib.study import open_study

HEAD = "goos: linux\npkg: example.org/codec\n"


def line(name: str, nanoseconds: float = 100.0) -> str:
    """One result as ``go test -bench`` prints it."""
    return f"Benchmark{name} \t 1000\t {nanoseconds} ns/op\t 16 B/op\t 2 allocs/op\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two runs of two benchmarks at two levels of GOMAXPROCS."""
    place = tmp_path / "codec"
    place.mkdir()
    for run, nanoseconds in (("old", 100.0), ("new", 90.0)):
        text = HEAD + "".join(line(f"{one}-{n}", nanoseconds / n) for one in ("Encode", "Decode") for n in (2, 4))
        (place / f"{run}.txt").write_text(text, encoding="utf-8")
    return place


def define(folder: Path, text: str) -> Path:
    """Write the definition of a study."""
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return folder


RUNS = '[configuration]\npaths = ["{run}.txt"]\n'


def test_a_folder_without_a_definition_opens(folder: Path) -> None:
    """What the content shows is enough: rows, a title from the name, and the one axis that counts workers."""
    study = open_study(folder)
    assert len(study.results.frame) == 24
    assert (study.name, study.title, study.definition_sha256) == ("codec", "codec", "")
    assert study.scaling.concurrency == "gomaxprocs"
    assert study.comparisons[0].column == "file"


def test_a_single_file_opens(folder: Path) -> None:
    """A file is a study of its own, and a definition beside it is not its."""
    define(folder, 'title = "all of it"')
    study = open_study(folder / "old.txt")
    assert len(study.results.frame) == 12
    assert study.title == "old.txt"


def test_templates_of_the_definition_reach_the_rows(folder: Path) -> None:
    """``{run}.txt`` fills the run column."""
    study = open_study(define(folder, RUNS))
    assert set(study.results.levels("run")) == {"old", "new"}
    assert len(study.definition_sha256) == 64


def test_the_definition_may_be_named_itself(folder: Path) -> None:
    """A path to ``study.toml`` means its folder."""
    define(folder, 'title = "T"')
    assert open_study(folder / "study.toml").title == "T"


def test_excluded_files_are_not_read(folder: Path) -> None:
    """A pattern under [files] keeps a file out of the rows and out of the problems."""
    (folder / "made.csv").write_text("not,a\nresult", encoding="utf-8")
    study = open_study(define(folder, '[files]\nexclude = ["made.csv", "new*"]'))
    assert {one.source for one in study.results.files} == {"old.txt"}
    assert study.results.problems == ()


def test_where_narrows_the_results_and_is_remembered(folder: Path) -> None:
    """Only rows that meet the condition are left, and the study says which condition it was."""
    study = open_study(define(folder, RUNS), where="run=new benchmark=Encode metric=time")
    assert study.results.frame["value"].tolist() == pytest.approx([45e-9, 22.5e-9])
    assert study.where == "run=new benchmark=Encode metric=time"


def test_where_never_makes_a_sound_definition_faulty(folder: Path) -> None:
    """A comparison of runs stands, though one side was narrowed away."""
    define(folder, RUNS + '[[compare]]\ncolumn = "run"\nbaseline = "old"\n')
    assert open_study(folder, where="run=new").comparisons[0].baselines == ("old",)


def test_a_relative_study_is_found_where_one_stands_and_then_in_the_project(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From anywhere else the project's own studies are found by the same words; of two the nearer one is meant."""
    monkeypatch.chdir(folder.parent)
    assert open_study("codec").path == folder.resolve()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setattr(open_module, "PROJECT_ROOT", folder.parent)
    assert open_study("codec").path == folder.resolve()
    (elsewhere / "codec").mkdir()
    (elsewhere / "codec" / "a.txt").write_text(HEAD + line("Hash-2"), encoding="utf-8")
    assert open_study("codec").path == (elsewhere / "codec").resolve()


def test_a_missing_study_names_the_places_and_the_nearest_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it was looked for is said, and what it may have been."""
    monkeypatch.chdir(folder.parent)
    monkeypatch.setattr(open_module, "PROJECT_ROOT", folder.parent)
    with pytest.raises(InputError) as caught:
        open_study("codek")
    assert str(caught.value) == (
        f"codek: no such file or folder; did you mean 'codec'? looked in {folder.parent}; "
        "name a folder of results or one file"
    )


def test_one_unreadable_file_does_not_hide_the_rest(folder: Path) -> None:
    """The others are loaded, the problem is told, and plans that name its rows stand."""
    (folder / "new.txt").write_bytes(b"\x00\x01\x02\xff")
    define(folder, RUNS + '[[compare]]\ncolumn = "run"\nbaseline = "old"\ncandidates = ["new"]\n')
    study = open_study(folder)
    assert len(study.results.frame) == 12
    assert [one.source for one in study.results.problems] == ["new.txt"]


def test_concurrency_is_not_guessed_between_two_axes(tmp_path: Path) -> None:
    """With workers and connections both varying, the study has to say which is meant."""
    rows = "workers,connections,time_ns\n1,8,5.5\n2,16,3.5\n4,32,2.5\n"
    (tmp_path / "a.csv").write_text(rows, encoding="utf-8")
    assert open_study(tmp_path).scaling.concurrency == ""


def test_of_two_axes_the_one_that_throughput_was_measured_along_is_concurrency(tmp_path: Path) -> None:
    """A serial benchmark with several GOMAXPROCS beside a parallel one with several workers leaves nothing to guess."""
    rows = [
        "Serial,1,,time,5,ns/op",
        "Serial,2,,time,5,ns/op",
        "Side,,1,throughput,9,op/s",
        "Side,,2,throughput,16,op/s",
    ]
    (tmp_path / "table.csv").write_text("\n".join(["benchmark,gomaxprocs,workers,metric,value,unit", *rows]))
    assert open_study(tmp_path).scaling.concurrency == "workers"
    (tmp_path / "more.csv").write_text(
        "benchmark,gomaxprocs,metric,value,unit\nB,1,throughput,9,op/s\nB,2,throughput,9,op/s"
    )
    assert open_study(tmp_path).scaling.concurrency == ""


def test_threads_of_a_load_generator_are_not_concurrency(tmp_path: Path) -> None:
    """Beside connections, threads belong to the generator."""
    rows = "threads,connections,time_ns\n1,8,5.5\n2,16,3.5\n2,32,2.5\n"
    (tmp_path / "a.csv").write_text(rows, encoding="utf-8")
    assert open_study(tmp_path).scaling.concurrency == "connections"


def test_a_problem_in_a_file_that_was_read_excuses_no_fault(folder: Path) -> None:
    """A conflict about an axis is no missing file: what the definition names must still exist."""
    text = '[configuration]\npaths = ["{goos}.txt"]\n[[compare]]\ncolumn = "goos"\nbaseline = "plan9"\n'
    with pytest.raises(StudyError, match="'plan9' is not a level of goos in these rows; there are linux"):
        open_study(define(folder, text))


# A study that is kept is the same object only as long as it would be the same study.


def test_what_is_kept_is_returned(folder: Path) -> None:
    """By any way of naming the folder; without `keep`, nothing is."""
    assert open_study(folder) is not open_study(folder)
    first = open_study(folder, keep=True)
    assert open_study(folder) is first
    assert open_study(str(folder / ".." / folder.name)) is first


@pytest.mark.parametrize("change", ["a value", "a further file", "a definition", "a name", "a file that is gone"])
def test_a_change_of_the_files_opens_them_again(folder: Path, change: str) -> None:
    """Whatever changed, and however small; what is there now is read."""
    (folder / "other.txt").write_text(HEAD + line("Hash-2"))
    first = open_study(folder, keep=True)
    if change == "a value":
        (folder / "old.txt").write_text(HEAD + line("Hash-2"))
    elif change == "a further file":
        (folder / "more.txt").write_text(HEAD + line("Hash-2"))
    elif change == "a definition":
        (folder / "study.toml").write_text('title = "T"\n')
    elif change == "a name":
        (folder / "old.txt").rename(folder / "ran.txt")
    else:
        (folder / "other.txt").unlink()
    assert open_study(folder) is not first


def test_other_questions_open_it_again(folder: Path) -> None:
    """Another condition, another reader, or strictness where there were problems."""
    (folder / "broken.txt").write_text("BenchmarkY-8 \t 10\t five ns/op\n")
    first = open_study(folder, keep=True)
    assert first.results.problems
    assert open_study(folder, where="metric=time") is not first
    assert open_study(folder, format="go-bench") is not first
    with pytest.raises(BenchlibError, match="broken"):
        open_study(folder, strict=True)
