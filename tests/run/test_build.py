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

from benchlib.errors import ExportError, InputError
from benchlib.render.check import check_page
from benchlib.render.style import read_style
from benchlib.run.build import Built, Making, Request, build_report
from benchlib.run.fingerprint import fingerprint
from benchlib.run.listing import build_index
from benchlib.run.manifest import read_entry
from benchlib.run.parameters import find_notebook
from benchlib.study import open_study
from tests.run.small_notebook import write_small_notebook

GO = "BenchmarkX-8 \t 10\t 5 ns/op\n"
ANSWERS_MIME = "application/vnd.benchlib.answers+json"


class Kernel:
    """Stands in for a kernel: counts its runs and answers with what it was told."""

    def __init__(self) -> None:
        self.runs = 0
        self.options: dict[str, Any] = {}

    def __call__(self, notebook: Path, output: Path, parameters: dict[str, Any], **options: Any) -> Any:
        self.runs += 1
        self.options = options
        executed = nbformat.read(notebook, as_version=4)
        told = {"title": "T", "status": "Answered, with doubts", "answer": f"run {self.runs}"}
        executed.cells[-1].outputs = [new_output("display_data", data={ANSWERS_MIME: told, "text/plain": "x"})]
        nbformat.write(executed, output)
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
    files = sorted(path.name for path in built.page.parent.iterdir() if not path.name.startswith("."))
    assert files == ["manifest.json", "small.answers.json", "small.html", "small.ipynb"]
    assert json.loads(built.answers.read_text())["answer"] == "run 1"
    assert built.page.read_text().startswith("<!DOCTYPE html>")
    assert built.page.stat().st_mode & 0o400


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
    """Data, definition, notebook, and the report's own files; and then nothing is built twice."""
    bench.build()
    CHANGES[change](bench)
    assert bench.build().outcome == "built"
    again = bench.build()
    assert (again.outcome, again.verdict, bench.kernel.runs) == ("unchanged", "run 2", 2)


def test_each_part_of_what_a_report_was_made_of_counts_and_is_named(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Versions of Python, libraries and benchlib among them; other parameters, limits and force count too."""
    bench.build()
    manifest = bench.output / "study/manifest.json"
    parts = ["data", "study", "parameters", "notebook", "style", "SOURCE_DATE_EPOCH", "benchlib", "libraries"]
    assert list(read_entry(manifest, "small.html").fingerprint) == parts
    for part in parts:
        document = json.loads(manifest.read_text())
        document["pages"]["small.html"]["fingerprint"][part] = "another"
        manifest.write_text(json.dumps(document))
        assert bench.build().because == (part,)
    with monkeypatch.context() as patched:
        patched.setattr("platform.python_version", lambda: "3.99")
        assert bench.build().because == ("libraries",)
    assert bench.build(parameters={"where": "metric=time"}).outcome == "built"
    limits = {"engine": "nbclient", "timeout": 3.0, "memory": 1 << 30}
    assert bench.build(making=Making(force=True, **limits)).outcome == "built"  # type: ignore[arg-type]
    assert limits.items() <= bench.kernel.options.items()


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


ANSWERS, MANIFEST = "small.answers.json", "manifest.json"
#: A file of a report, what somebody made of it, and what the list says of it.
DAMAGES = [
    *((ANSWERS, text, f"{ANSWERS} is not readable as JSON") for text in ("{", "", "[" * 100_000, None)),
    (ANSWERS, "[]", f"{ANSWERS} holds no answers"),
    ("small.html", None, "small.html is not there"),
    (MANIFEST, '{"pages": {"small.html": {}}}', f"{MANIFEST} names no answers of small.html"),
    (MANIFEST, '{"pages": {"small.html": 3}}', f"{MANIFEST} names no answers of small.html"),
]


@pytest.mark.parametrize(("file", "content", "said"), DAMAGES, ids=range(len(DAMAGES)))
def test_a_damaged_report_is_marked_and_the_others_are_listed(
    bench: Bench, file: str, content: str | None, said: str
) -> None:
    """Its line says what is wrong and the remedy, and leads to what is there; nothing else of the list changes."""
    built = bench.build()
    shutil.copytree(built.page.parent, bench.output / "sound")
    path = built.page.with_name(file)
    path.unlink() if content is None else path.write_text(content)
    broken, listed = rows_of(build_index(bench.output))
    assert f"This report is damaged: {said}. Delete its folder and build it again." in broken
    assert f'href="study/{MANIFEST if file == "small.html" else "small.html"}"' in broken
    assert 'href="sound/small.html"' in listed
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
        found.add(fingerprint(open_study(tmp_path), notebook, {})["study"])
    assert len(found) == 2
