"""From a study to a report on disk: when it is built again, and that it appears whole or not at all."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_output

import benchlib
from benchlib.errors import ExportError, InputError, NotebookError, ParameterError
from benchlib.render.check import check_page
from benchlib.render.style import read_style
from benchlib.run import fingerprint as fingerprints
from benchlib.run.build import Built, Making, Request, build_report
from benchlib.run.fingerprint import fingerprint
from benchlib.run.listing import build_index
from benchlib.run.manifest import read_entry
from benchlib.run.parameters import find_notebook
from tests.run.small_notebook import write_small_notebook

GO = "BenchmarkX-8 \t 10\t 5 ns/op\n"
ANSWERS_MIME = "application/vnd.benchlib.answers+json"


class Kernel:
    """Stands in for a kernel: counts its runs and answers with what it was told."""

    def __init__(self) -> None:
        self.runs = 0
        self.error: Exception | None = None
        self.options: dict[str, Any] = {}

    def __call__(self, notebook: Path, output: Path, parameters: dict[str, Any], **options: Any) -> Any:
        self.runs += 1
        self.options = options
        executed = nbformat.read(notebook, as_version=4)
        told = {"title": "T", "status": "Answered, with doubts", "answer": f"run {self.runs}"}
        executed.cells[-1].outputs = [new_output("display_data", data={ANSWERS_MIME: told, "text/plain": "x"})]
        nbformat.write(executed, output)
        if self.error:
            raise self.error
        return executed


class Bench:
    """A study, a notebook, an output folder, and a kernel that is none."""

    def __init__(self, folder: Path, kernel: Kernel) -> None:
        self.kernel = kernel
        self.study = folder / "study"
        self.study.mkdir()
        (self.study / "run.txt").write_text(GO)
        self.notebook = write_small_notebook(folder / "small.ipynb")
        self.output = folder / "out"

    def build(self, **options: Any) -> Built:
        options.setdefault("notebook", str(self.notebook))
        return build_report(Request(self.study, self.output, **options))

    def files(self) -> list[str]:
        """What a reader sees in the folder: locks are hidden."""
        return sorted(one.name for one in (self.output / "study").iterdir() if not one.name.startswith("."))


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    kernel = Kernel()
    monkeypatch.setattr("benchlib.run.build.execute_notebook", kernel)
    return Bench(tmp_path, kernel)


def test_a_report_is_page_notebook_answers_and_manifest(bench: Bench) -> None:
    """Five files with ordinary rights, no temporary name left, and the verdict at hand."""
    built = bench.build()
    assert (built.outcome, built.because) == ("built", ("never built",))
    assert (built.status, built.verdict) == ("Answered, with doubts", "run 1")
    assert bench.files() == ["manifest.json", "small.answers.json", "small.html", "small.ipynb"]
    assert json.loads(built.answers.read_text())["answer"] == "run 1"
    assert built.page.read_text().startswith("<!DOCTYPE html>")
    assert built.page.stat().st_mode & 0o400


def test_nothing_is_built_twice(bench: Bench) -> None:
    """The second time the first answer is returned, and no kernel runs."""
    bench.build()
    again = bench.build()
    assert (again.outcome, again.verdict, bench.kernel.runs) == ("unchanged", "run 1", 1)


def test_the_limit_of_size_holds_for_a_report_that_is_there(bench: Bench) -> None:
    """As for a fresh one; with room again it is right again, and nothing was built."""
    size = bench.build().page.stat().st_size
    with pytest.raises(ExportError, match=f"more than the {size - 1:,} that --max-size allows"):
        bench.build(making=Making(max_bytes=size - 1))
    assert read_entry(bench.output / "study/manifest.json", "small.html").failure is not None
    assert bench.build(making=Making(max_bytes=size)).outcome == "unchanged"
    assert read_entry(bench.output / "study/manifest.json", "small.html").failure is None
    assert bench.kernel.runs == 1


def _append(path: Path, text: str) -> None:
    path.write_text(path.read_text() + text)


CHANGES: dict[str, Callable[[Bench], object]] = {
    "a data file": lambda bench: _append(bench.study / "run.txt", "BenchmarkY-8 \t 10\t 6 ns/op\n"),
    "a further file": lambda bench: (bench.study / "more.txt").write_text(GO),
    "an unreadable file": lambda bench: (bench.study / "core").write_bytes(b"\0\1\2"),
    "a definition": lambda bench: (bench.study / "study.toml").write_text('title = "T"\n'),
    "the notebook": lambda bench: write_small_notebook(bench.notebook, "1 + 1"),
    "a page that is gone": lambda bench: (bench.output / "study/small.html").unlink(),
    "a page that was edited": lambda bench: _append(bench.output / "study/small.html", "<p>mine"),
    "an executed notebook that is gone": lambda bench: (bench.output / "study/small.ipynb").unlink(),
    "answers that are gone": lambda bench: (bench.output / "study/small.answers.json").unlink(),
    "answers cut off": lambda bench: (bench.output / "study/small.answers.json").write_text('{"title'),
    "a manifest cut off": lambda bench: (bench.output / "study/manifest.json").write_text("{"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_the_report_builds_it_again(bench: Bench, change: str) -> None:
    """Data, definition, notebook, and the report's own files."""
    bench.build()
    CHANGES[change](bench)
    assert bench.build().outcome == "built"
    assert bench.kernel.runs == 2
    assert bench.build().outcome == "unchanged"


@pytest.mark.parametrize(
    "options",
    [{"parameters": {"where": "metric=time"}}, {"making": Making(force=True)}, {"notebook": "executive_summary"}],
)
def test_what_is_asked_for_builds_it_again(bench: Bench, options: dict[str, Any]) -> None:
    """Other parameters, another notebook, or force."""
    bench.build()
    assert bench.build(**options).outcome == "built"


def test_a_changed_library_builds_it_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another numpy may give other digits."""
    bench.build()
    monkeypatch.setattr(fingerprints, "_versions", lambda: {"numpy": "99"})
    assert bench.build().because == ("libraries",)


def test_another_day_on_the_page_builds_it_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """SOURCE_DATE_EPOCH stands in the footer, as a day, and is named as what changed."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1763640000")
    built = bench.build()
    assert "for 2025-11-20" in built.page.read_text()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1763650000")
    assert bench.build().outcome == "unchanged"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1763740000")
    assert bench.build().because == ("SOURCE_DATE_EPOCH",)
    assert bench.build(making=Making(style=read_style(None, "#1c5d99", None))).because == ("style",)


def test_the_place_of_a_study_does_not_change_its_report(bench: Bench, tmp_path: Path) -> None:
    """The same files under the same name elsewhere are the same study."""
    bench.build()
    elsewhere = shutil.copytree(bench.study, tmp_path / "elsewhere/study")
    assert build_report(Request(elsewhere, bench.output, notebook=str(bench.notebook))).outcome == "unchanged"


def test_a_failure_leaves_the_last_report_as_it_was(bench: Bench) -> None:
    """Page and answers of the last good run stay; the next good run takes their place."""
    built = bench.build()
    before = built.page.read_bytes(), built.answers.read_bytes()
    _append(bench.study / "run.txt", "BenchmarkY-8 \t 10\t 6 ns/op\n")
    bench.kernel.error = NotebookError("a cell failed")
    with pytest.raises(NotebookError):
        bench.build()
    assert (built.page.read_bytes(), built.answers.read_bytes()) == before
    bench.kernel.error = None
    assert bench.build().outcome == "built"


def test_a_page_that_fails_its_check_is_not_published(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gate stands before the first file is written."""

    def refuse(page: str, **options: Any) -> None:
        raise ExportError("the page loads something")

    monkeypatch.setattr("benchlib.render.check.check_page", refuse)
    with pytest.raises(ExportError):
        bench.build()
    assert bench.files() == ["manifest.json", "small.failed.html", "small.failed.ipynb"]
    assert "the page loads something" in (bench.output / "study/small.failed.html").read_text()


def test_a_study_is_named_once(bench: Bench) -> None:
    """A parameter cannot lead the notebook to another study than the one the page is named after."""
    with pytest.raises(ParameterError, match="'study' is given twice"):
        bench.build(parameters={"study": "data/lplex"})


def test_a_file_where_the_report_should_be_is_bad_input(bench: Bench) -> None:
    """No traceback, and the file stays."""
    bench.output.mkdir()
    (bench.output / "study").write_text("mine")
    with pytest.raises(InputError, match="cannot be made a folder"):
        bench.build()
    assert (bench.output / "study").read_text() == "mine"
    assert bench.kernel.runs == 0


def test_a_notebook_is_found_by_name_or_path(tmp_path: Path) -> None:
    """A name is one of the shipped; a path is what it says; a folder does not make a shipped name."""
    assert find_notebook("executive_summary").is_file()
    own = write_small_notebook(tmp_path / "own.ipynb")
    assert find_notebook(str(own)) == own
    for name in ("own", str(tmp_path), "elsewhere/executive_summary", "../executive_summary", ""):
        with pytest.raises(InputError, match="no notebook"):
            find_notebook(name)


def rows_of(index: Path) -> list[str]:
    """The lines of the list of reports, as markup."""
    return re.findall(r"<tr><td>.*?</tr>", index.read_text(encoding="utf-8"))


def test_the_index_lists_every_report(bench: Bench) -> None:
    """One line a report: status, a link that leads to the page, answer, decision, sparkline, measured, built."""
    built = bench.build()
    answers = json.loads(built.answers.read_text())
    more = {"decision": "Use <4>.", "spark": [1, 2.5, 2], "measured": "2026-11-20"}
    built.answers.write_text(json.dumps(answers | more))
    os.utime(built.page, times=(1_795_520_000, 1_795_520_000))  # 2026-11-24
    index = build_index(bench.output)
    check_page(index.read_text())
    [row] = rows_of(index)
    cells = [re.sub(r"<svg.*</svg>", "drawn", cell) for cell in re.findall(r"<td.*?>(.*?)</td>", row)]
    assert [re.sub("<.*?>", "", cell) for cell in cells] == [
        "Answered, with doubts", "T (small)", "run 1", "Use &lt;4&gt;.", "drawn", "2026-11-20", "2026-11-24",
    ]  # fmt: skip
    assert re.findall('href="(.*?)"', row) == ["study/small.html"]
    assert (index.parent / "study/small.html") == built.page


def test_pages_of_one_study_keep_their_own_answers(bench: Bench) -> None:
    """A second notebook takes nothing from the first: both stay fresh, both are listed, the summary first."""
    summary = bench.build(notebook="executive_summary")
    other = bench.build()
    assert (summary.answers.name, other.answers.name) == ("answers.json", "small.answers.json")
    told = [json.loads(one.answers.read_text())["answer"] for one in (summary, other)]
    assert told == ["run 1", "run 2"]
    assert [bench.build(**one).outcome for one in ({"notebook": "executive_summary"}, {})] == ["unchanged"] * 2
    assert bench.kernel.runs == 2
    page = build_index(bench.output).read_text()
    links = re.findall(r'<a href="(study/[^"]+)">([^<]+)</a>', page)
    assert links == [("study/executive_summary.html", "T"), ("study/small.html", "T (small)")]
    assert page.index("run 1") < page.index("run 2")


@pytest.mark.parametrize("broken", ['{"pages": {"small.html": {}}}', '{"pages": {"small.html": 3}}'])
def test_a_manifest_that_names_no_answers_is_told_in_the_list(bench: Bench, broken: str) -> None:
    """Somebody edited it: said with the remedy, no traceback."""
    bench.build()
    (bench.output / "study/manifest.json").write_text(broken)
    page = build_index(bench.output).read_text()
    assert "This report is damaged: manifest.json names no answers of small.html. Delete its folder" in page


def test_a_page_that_is_gone_is_told_in_the_list(bench: Bench) -> None:
    """Somebody deleted it: a link to it would lead nowhere."""
    bench.build().page.unlink()
    [row] = rows_of(build_index(bench.output))
    assert "This report is damaged: small.html is not there. Delete its folder" in row
    assert 'href="study/manifest.json"' in row


def test_the_index_of_nothing_is_a_page(tmp_path: Path) -> None:
    """No report yet is no error."""
    assert build_index(tmp_path).read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("damage", ["{", "", "[]", "[" * 100_000, None])
def test_a_damaged_report_is_marked_and_the_others_are_listed(bench: Bench, damage: str | None) -> None:
    """Its entry says what is wrong and the remedy; nothing else of the list changes."""
    built = bench.build()
    sound = shutil.copytree(built.page.parent, bench.output / "sound")
    built.answers.write_text(damage) if damage is not None else built.answers.unlink()
    broken, listed = rows_of(build_index(bench.output))
    assert "This report is damaged: small.answers.json" in broken
    assert "Delete its folder and build it again." in broken
    assert f'href="{sound.name}/small.html"' in listed
    assert "run 1" in listed
    assert "damaged" not in listed


@pytest.mark.parametrize("spark", ["3", '["a"]', "null", "[1e999, NaN]", "[[1]]"])
def test_a_sparkline_of_anything_else_is_left_out(bench: Bench, spark: str) -> None:
    """Answers may come from a notebook of somebody's own."""
    built = bench.build()
    built.answers.write_text(built.answers.read_text().replace("{", f'{{"spark": {spark},', 1))
    [row] = rows_of(build_index(bench.output))
    assert "run 1" in row
    assert "<svg" not in row


def test_a_profile_is_part_of_the_fingerprint(tmp_path: Path) -> None:
    """No file of results, and yet a report that tells of it must be built again when it changes."""
    (tmp_path / "run.txt").write_text("BenchmarkFull-2 10 100 ns/op\n", encoding="utf-8")
    (tmp_path / "study.toml").write_text('[[breakdown]]\nwhole = "Full"\nprofile = "cpu.txt"\n', encoding="utf-8")
    notebook = tmp_path / "a.ipynb"
    notebook.write_text("{}", encoding="utf-8")
    found = set()
    for share in ("32.35%", "40.00%"):
        row = f"flat flat% sum% cum cum%\n10ms {share} {share} 10ms {share} main.work\n"
        (tmp_path / "cpu.txt").write_text(row, encoding="utf-8")
        found.add(fingerprint(benchlib.open_study(tmp_path), notebook, {})["study"])
    assert len(found) == 2
