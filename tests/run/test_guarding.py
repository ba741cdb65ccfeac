"""What lies where a report would lie: other studies' reports, other people's files, the results themselves."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from benchlib.cli import main
from benchlib.errors import PlaceTaken
from benchlib.formats.load import load
from benchlib.run.build import Request, build_report
from benchlib.run.manifest import check_index
from tests.run.small_notebook import write_small_notebook

GO = "BenchmarkX-8 \t 10\t 5 ns/op\n"
OTHER = GO.replace("X", "Y")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_small_notebook(tmp_path / "small.ipynb")
    write_study(tmp_path / "a/s1", "Codec")
    return tmp_path


def write_study(folder: Path, title: str, *, file: str = "run.txt", text: str = GO) -> None:
    """Write a study of one file; without a title it has no ``study.toml``."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if title:
        (folder / "study.toml").write_text(f'title = "{title}"\n')
    (folder / file).write_text(text)


def report(study: str, *options: str, to: str = "out") -> int:
    return main(["report", study, "-o", to, "--notebook", "small.ipynb", "--quiet", *options])


def contents(folder: Path) -> dict[Path, bytes]:
    return {one: one.read_bytes() for one in folder.rglob("*") if one.is_file()}


def test_another_study_of_the_same_name_takes_no_report_away(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2 and one line that names both and the way on; report, manifest, history and list stay as they were."""
    write_study(here / "c/s1", "Ledger", file="other.txt", text=OTHER)
    assert report("a/s1") == 0
    before = contents(here / "out/s1")
    for words in ("report", "report --force", "report --dry-run", "slides"):
        command, *option = words.split()
        assert main([command, "c/s1", "-o", "out", "--notebook", "small.ipynb", "--quiet", *option]) == 2
        err = capsys.readouterr().err
        assert err == (
            "benchlib: out/s1: holds the reports on 'Codec' (run.txt), another study than 'Ledger' (other.txt); "
            "choose another folder with -o, or delete this one\n"
        )
    assert contents(here / "out/s1") == before


#: Folder and title of the study that was reported first, the study that comes then (folder, title, file, text), and
#: whether it is the same.
SAME = {
    "its title says so elsewhere": ("a/s1", "Codec", ("2027/s1", "Codec", "new.txt", OTHER), True),
    "so does a file of the same content": ("a/s1", "Codec", ("2027/s1", "Renamed", "new.txt", GO), True),
    "a title may be the folder's name": ("a/s1", "s1", ("2027/s1", "s1", "run.txt", OTHER), True),
    "a folder's name is no title here": ("a/s1", "", ("c/s1", "s1", "run.txt", OTHER), False),
    "a folder's name is no title there": ("a/s1", "s1", ("c/s1", "", "run.txt", OTHER), False),
    "nor on both sides": ("a/s1", "", ("c/s1", "", "run.txt", OTHER), False),
    "another title elsewhere": ("a/s1", "Codec", ("c/s1", "Ledger", "run.txt", OTHER), False),
    "a title beside none": ("a/s1", "", ("c/s1", "Ledger", "run.txt", OTHER), False),
    "new files in its place": ("a/s1", "Codec", ("a/s1", "Codec", "new.txt", OTHER), True),
    "renamed in its place, file of the same name": ("a/s1", "Codec", ("a/s1", "Renamed", "run.txt", OTHER), True),
    "renamed in its place, file moved": ("a/s1", "Codec", ("a/s1", "Renamed", "moved.txt", GO), True),
}


@pytest.mark.parametrize("case", SAME)
def test_a_study_is_the_same_where_something_says_so(here: Path, capsys: pytest.CaptureFixture[str], case: str) -> None:
    """Title, place, names and contents of files; else exit 2, one line with the way on, and nothing is touched."""
    first, title, (second, other, file, text), same = SAME[case]
    write_study(here / first, title)
    assert report(first) == 0
    manifest = here / "out/s1/manifest.json"
    before = contents(here / "out/s1")
    write_study(here / second, other, file=file, text=text)
    assert report(second, "--force") == (0 if same else 2)
    if same:
        assert json.loads(manifest.read_text())["study"].keys() == {"title", "titled", "files", "place"}
        return
    assert capsys.readouterr().err == (
        f"benchlib: out/s1: holds the reports on '{title or 's1'}' (run.txt), another study than '{other or 's1'}' "
        "(run.txt), which lies elsewhere and shares no content; choose another folder with -o, delete this one, or, if "
        "both are one study, give them one 'title' in study.toml\n"
    )
    assert contents(here / "out/s1") == before


def test_a_study_without_a_title_may_be_measured_again(here: Path) -> None:
    """It lies where it was, seen from the reports, though the folder of both was moved and its files are new."""
    (here / "a/s1/study.toml").unlink()
    assert report("a/s1", to="a/out") == 0
    (here / "a").rename(here / "b")
    (here / "b/s1/run.txt").rename(here / "b/s1/new.txt")
    (here / "b/s1/new.txt").write_text(GO.replace("X", "Y"))
    assert report("b/s1", to="b/out") == 0
    assert str(here) not in (here / "b/out/s1/manifest.json").read_text()


@pytest.mark.parametrize(
    "name", ["index.html", "s1/small.html", "s1/small.ipynb", "s1/small.answers.json", "s1/manifest.json"]
)
def test_what_somebody_else_wrote_stays(here: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Exit 2 and one line that names it, each time; nothing is written beside it."""
    foreign = here / "out" / name
    foreign.parent.mkdir(parents=True)
    foreign.write_text('{"name": "mine"}')
    for options in ((), (), ("--dry-run",)):
        assert report("a/s1", *options) == 2
        assert capsys.readouterr().err == (
            f"benchlib: out/{name}: is there, and benchlib did not write it; "
            "move it away, or choose another place with -o\n"
        )
    assert contents(foreign.parent) == {foreign: b'{"name": "mine"}'}


def test_a_page_beside_reports_is_not_theirs_for_that(here: Path) -> None:
    """Other reports of the study lie in the folder; this page is none of them."""
    assert report("a/s1") == 0
    shutil.copy(here / "small.ipynb", here / "own.ipynb")
    (here / "out/s1/own.html").write_text("mine")
    with pytest.raises(PlaceTaken, match=re.escape("own.html: is there")):
        build_report(Request("a/s1", here / "out", notebook="own.ipynb"))
    assert (here / "out/s1/own.html").read_text() == "mine"


@pytest.mark.parametrize("lost", [".*", "manifest.json"])
def test_folders_of_reports_go_on_working(here: Path, lost: str) -> None:
    """Copied without hidden files they have their manifest; with a damaged manifest they have their locks."""
    assert report("a/s1") == 0
    for one in [*(here / "out").glob(lost), *(here / "out/s1").glob(lost)]:
        one.unlink() if lost.startswith(".") else one.write_text("{")
    check_index(here / "out")
    assert report("a/s1", "--force") == 0


@pytest.mark.parametrize("output", ["a", "a/s1"])
def test_reports_are_not_written_among_the_results(here: Path, capsys: pytest.CaptureFixture[str], output: str) -> None:
    """The next run would read them as results that nobody recognises."""
    before = contents(here / "a")
    assert report("a/s1", to=output) == 2
    assert "among the files of the study itself, which would read them as results" in capsys.readouterr().err
    assert contents(here / "a") == before


def test_a_folder_of_reports_may_lie_in_its_study(here: Path) -> None:
    """As ``benchlib report .`` in a folder of results makes it: the next run passes over it, and finds nothing changed.

    So it does over the reports of one study that somebody copied there, without hidden files.
    """
    output = here / "a/s1/reports"
    assert report("a/s1", to="a/s1/reports") == 0
    shutil.copytree(output / "s1", here / "a/s1/copied", ignore=shutil.ignore_patterns(".*"))
    assert build_report(Request("a/s1", output, notebook="small.ipynb")).outcome == "unchanged"
    found = load(here / "a/s1")
    assert [one.source for one in found.files] == ["run.txt"]
    assert len(found.problems) == 0


@pytest.mark.parametrize("command", ["report", "slides"])
def test_an_empty_folder_is_no_folder(here: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    """A variable that is not set does not stand for the working directory."""
    before = contents(here)
    with pytest.raises(SystemExit) as ended:
        main([command, "a/s1", "-o", ""])
    assert ended.value.code == 2
    assert "-o is empty; name a folder" in capsys.readouterr().err
    assert contents(here) == before
