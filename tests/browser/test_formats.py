"""A page as PDF, PNG and SVG, drawn by the Chromium of this machine."""

from __future__ import annotations

import base64
import io
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree

import pytest
from benchlib.report.page.page_exporter import ANSWERS
from nbformat.v4 import new_code_cell, new_notebook, new_output
from PIL import Image

import benchlib
from benchlib.answers.capacity import planning_document
from benchlib.answers.capacity_plans import PlanningAnswer
from benchlib.errors import ExportError, InputError, NotebookTimeout
from benchlib.report.page.export import check_page, to_html
from benchlib.report.page.formats import check_formats, write_formats
from benchlib.report.page.formats.browser import Browser, find_chromium
from benchlib.report.page.formats.tab import Media
from benchlib.report.page.what_if import what_if_block
from benchlib.report.wording.markup import Column, Table, render_table
from tests.conftest import ROOT
from tests.report.pdf_text import lines_drawn, page_count, pdf_words
from tests.report.sample_notebook import sample_notebook
from tests.report.shipped import shipped_report
from tests.synthetic import around, go_text


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests."""
    try:
        program = find_chromium()
    except InputError:
        if os.environ.get("BENCHLIB_REQUIRE_BROWSER") == "1":
            raise
        pytest.skip("no chromium on the PATH: no format is drawn")
    with Browser(program) as running:
        yield running


@pytest.fixture(scope="module")
def notebook() -> Any:
    """The sample, executed."""
    return sample_notebook()


@pytest.fixture(scope="module")
def page(notebook: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its page on disk."""
    made = to_html(notebook, title="ONIX <adapter>")
    check_page(made, notebook)
    path: Path = tmp_path_factory.mktemp("formats") / "adapter.html"
    path.write_text(made, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def written(browser: Browser, notebook: Any, page: Path) -> dict[str, bytes]:
    """Every format of it, by file name."""
    paths = write_formats(notebook, page, ("html", "pdf", "png", "svg", "md"), browser=browser)
    return {one.relative_to(page.parent).as_posix(): one.read_bytes() for one in paths}


def test_the_pdf_is_a4_with_text_that_can_be_selected_and_charts_that_are_lines(written: dict[str, bytes]) -> None:
    """Every word of the title and of a chart's axis; far more lines than a page without charts has."""
    pdf = written["adapter.pdf"]
    assert b"/MediaBox [0 0 594.95996 841.91998]" in pdf or b"/MediaBox [0 0 595 842]" in pdf
    assert page_count(pdf) >= 2
    letters = pdf_words(pdf)
    for words in ("ONIX<adapter>", "Caveats", "GOMAXPROCS", f"1/{page_count(pdf)}"):
        assert words in letters
    assert lines_drawn(pdf) > 60
    assert b"/StructTreeRoot" in pdf  # headings and tables for screen readers


@pytest.mark.parametrize(
    ("title", "told"),
    [
        ('Say "no" \\ to <b> \\" }', 'Say"no"\\to<b>\\"}'),
        ("very " * 40, "very" * 22 + "..."),
    ],
)
def test_each_sheet_bears_the_title_and_its_number(browser: Browser, tmp_path: Path, title: str, told: str) -> None:
    """Whatever the title, and whoever prints: the report's own PDF, or a reader from the screen."""
    page = tmp_path / "page.html"
    notebook = sample_notebook()
    page.write_text(to_html(notebook, title=title), encoding="utf-8")
    (pdf,) = write_formats(notebook, page, ("pdf",), browser=browser)
    tab = browser.tab(width=1200, height=900)
    tab.open(page)
    tab.wait_drawn()
    by_hand = base64.b64decode(tab.ask("Page.printToPDF", preferCSSPageSize=True)["data"])
    for printed in (pdf.read_bytes(), by_hand):
        count = page_count(printed)
        letters = pdf_words(printed)
        assert count >= 2
        for number in range(1, count + 1):
            assert letters.count(f"{number}/{count}{told}") == 1  # as Chromium paints them, from the right


def test_paper_that_cannot_be_drawn_is_shown_all_the_same(browser: Browser, tmp_path: Path) -> None:
    """Nothing stays hidden: the words stand, and where a chart would be is said why not."""
    page = tmp_path / "page.html"
    made = to_html(sample_notebook(), title="a")
    page.write_text(re.sub(r'(id="plotly-bundle">)[^<]*', r"\1AAAA", made), encoding="utf-8")
    tab = browser.tab(width=680, height=962)
    tab.open(page, "print")
    with pytest.raises(ExportError, match="the page could not draw its charts"):
        tab.wait_drawn()
    words = tab.evaluate("document.body.innerText")
    assert "This chart could not be drawn" in words
    assert "Caveats" in words


def test_on_paper_no_figure_is_a_button_and_no_table_is_sorted(browser: Browser) -> None:
    """What is pressed on the screen is told as plain cells and words in a PDF; the notes are there in its place."""
    kinds = ("main [role=button]", "main th button", "main > section.footnotes li")
    tab = browser.tab(width=680, height=962)
    found = {}
    for media in get_args(Media):
        tab.open(shipped_report("onix-adapter-published").page, media)
        tab.wait_drawn()
        found[media] = [tab.evaluate(f"document.querySelectorAll('{one}').length") for one in kinds]
    figures, sorts, notes = found["screen"]
    assert figures > 0
    assert sorts > 0
    assert notes == 0
    *pressed, notes = found["print"]
    assert pressed == [0, 0]
    assert notes > 0


def test_a_pdf_is_the_same_bytes_each_time(
    browser: Browser, notebook: Any, page: Path, written: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the moment it was printed, or with that of SOURCE_DATE_EPOCH; figures too, whatever is drawn beside."""
    again = [one for kind in ("svg", "pdf", "png") for one in write_formats(notebook, page, (kind,), browser=browser)]
    assert {one.relative_to(page.parent).as_posix(): one.read_bytes() for one in again}.items() <= written.items()
    assert b"/CreationDate" not in written["adapter.pdf"]
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1763640000")
    (pdf,) = write_formats(notebook, page, ("pdf",), browser=browser)
    assert b"/CreationDate (D:20251120120000+00'00')" in pdf.read_bytes()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(InputError, match="SOURCE_DATE_EPOCH is 'yesterday'; write whole seconds since 1970"):
        write_formats(notebook, page, ("pdf",), browser=browser)


def test_sliders_print_their_answer_and_a_table_says_what_is_left_out(browser: Browser, tmp_path: Path) -> None:
    """Whatever came to life first: paper waits for the sliders, and hidden rows are counted."""
    answer = benchlib.plan_capacity(ROOT / "data" / "http-endpoints")
    assert isinstance(answer, PlanningAnswer)
    long = Table(caption="All", columns=(Column(head="name", align="text"),), rows=(("x",),) * 400)
    shown = [
        new_output("display_data", data={"text/html": str(what_if_block(answer))}),
        new_output("display_data", data={"text/html": str(render_table(long, 5))}),
        new_output("display_data", data={ANSWERS: planning_document(answer)}),
    ]
    notebook = new_notebook(cells=[new_code_cell("x", outputs=shown)])
    page = tmp_path / "page.html"
    page.write_text(to_html(notebook, title="What if"), encoding="utf-8")
    printed = {write_formats(notebook, page, ("pdf",), browser=browser)[0].read_bytes() for _ in range(4)}
    words = pdf_words(printed.pop())
    assert not printed
    assert "Inabrowser" not in words
    assert "Bindingcondition" in words
    assert "395morerowsonthescreenpage" in words


def test_a_figure_as_svg_stands_alone_and_says_what_it_shows(written: dict[str, bytes]) -> None:
    """Well-formed, nothing that loads or runs, traces drawn, a title and words for those who cannot see it."""
    for name, content in written.items():
        if not name.endswith(".svg"):
            continue
        root = ElementTree.fromstring(content)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert root[0].tag.endswith("title")
        assert root[0].text
        assert root[1].tag.endswith("desc")
        assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) >= 3
        for one in root.iter():
            assert one.tag.rpartition("}")[2] not in ("script", "foreignObject", "a", "image")
            assert not [
                value for key, value in one.attrib.items() if key.endswith("href") and not value.startswith("#")
            ]


def test_a_figure_as_png_is_sharp_and_not_blank(written: dict[str, bytes]) -> None:
    """Two dots to each CSS pixel of 960, and several colours."""
    pictures = [Image.open(io.BytesIO(content)) for name, content in written.items() if name.endswith(".png")]
    assert pictures
    for picture in pictures:
        assert picture.width == 1920
        assert len(picture.convert("RGB").getcolors(1 << 24) or ()) > 8


def test_figures_that_are_no_more_are_removed(browser: Browser, notebook: Any, page: Path) -> None:
    """A renamed figure leaves no old file; what somebody else put there stays."""
    folder = page.with_suffix(".figures")
    (folder / "07-gone.svg").write_text("old")
    (folder / "notes.svg").write_text("mine")
    write_formats(notebook, page, ("svg",), browser=browser)
    assert not (folder / "07-gone.svg").exists()
    assert (folder / "notes.svg").exists()


def test_a_page_that_never_draws_is_told_and_nothing_is_written(
    browser: Browser, notebook: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broken page leaves the formats of before as they were."""
    page = tmp_path / "a.html"
    page.with_suffix(".pdf").write_text("before")
    page.write_text('<html data-drawn="failed"><title>a</title>')
    with pytest.raises(ExportError, match="the page could not draw its charts"):
        write_formats(notebook, page, ("pdf", "svg"), browser=browser)
    assert page.with_suffix(".pdf").read_text() == "before"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.html", "a.pdf"]


def test_a_browser_that_hangs_is_ended_with_all_its_processes(browser: Browser) -> None:
    """A script that never returns; afterwards no process and no profile is left, and the next tab starts anew."""
    with Browser(find_chromium(), patience=2.0) as hanging:
        tab = hanging.tab(width=100, height=100)
        group, profile = hanging._group, Path(hanging._profile.name)
        assert profile.is_dir()
        with pytest.raises(NotebookTimeout) as caught:
            tab.evaluate("(() => { for (;;); })()")
        assert str(caught.value) == (
            "Chromium did not answer Runtime.evaluate within 2 s and was ended; build again, or choose --to html,md"
        )
        assert not profile.exists()
        assert _left(group) == []
        assert hanging.tab(width=100, height=100).evaluate("1 + 1") == 2


def _left(group: int) -> list[str]:
    """The processes of a group that outlive it by ten seconds: a machine that is busy takes a moment to end each."""
    for _ in range(100):
        if not _alive(group):
            break
        time.sleep(0.1)
    return _alive(group)


def _alive(group: int) -> list[str]:
    """The processes of a group that are more than an entry in the table."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            _, _, rest = status.read_text().rpartition(") ")
        except OSError:
            continue
        state, _, its_group = rest.split()[:3]
        if int(its_group) == group and state != "Z":
            found.append(status.parent.name)
    return found


def test_the_network_is_out_of_reach(browser: Browser, tmp_path: Path) -> None:
    """Even a page without a policy of its own loads nothing."""
    page = tmp_path / "a.html"
    page.write_text("<html><script>fetch('http://127.0.0.1:9/').catch((e) => { document.title = 'refused' })</script>")
    tab = browser.tab(width=100, height=100)
    tab.open(page)
    assert tab.wait_for("document.title === 'refused'", "the answer")
    assert tab.evaluate("navigator.onLine") is False


def test_a_program_that_is_no_browser_is_one_line(notebook: Any, page: Path) -> None:
    """It ends at once, or cannot be started."""
    with Browser(str(shutil.which("true"))) as running, pytest.raises(ExportError) as caught:
        write_formats(notebook, page, ("pdf",), browser=running)
    assert str(caught.value) == (
        f"{shutil.which('true')} ended before it answered Target.createTarget; run it by hand to see why, "
        "or choose --to html,md"
    )
    with Browser("/nowhere/chromium") as running, pytest.raises(InputError) as refused:
        write_formats(notebook, page, ("pdf",), browser=running)
    assert str(refused.value) == (
        "/nowhere/chromium: does not start (No such file or directory); name another in BENCHLIB_CHROMIUM"
    )


def test_a_machine_without_chromium_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is built, and only where a format needs it."""
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("BENCHLIB_CHROMIUM", raising=False)
    assert check_formats("html,md") == ("html", "md")
    with pytest.raises(InputError) as caught:
        check_formats("html,pdf")
    assert str(caught.value) == (
        "PDF, PNG and SVG are drawn by Chromium, and there is none on the PATH; install it "
        "(Debian: apt install chromium), name it in BENCHLIB_CHROMIUM, or choose --to html,md"
    )
    assert caught.value.exit_code == 2
    monkeypatch.setenv("BENCHLIB_CHROMIUM", "nothing")
    with pytest.raises(InputError, match="BENCHLIB_CHROMIUM names 'nothing', which is no program"):
        check_formats("svg")


def test_one_browser_serves_a_whole_batch(browser: Browser, tmp_path: Path) -> None:
    """Started once, when the first report is to be drawn; each report has its PDF."""
    starts = tmp_path / "starts"
    counted = tmp_path / "chromium"
    counted.write_text(f'#!/bin/sh\necho started >> {starts}\nexec {find_chromium()} "$@"\n', encoding="utf-8")
    counted.chmod(0o755)
    studies = [tmp_path / name for name in ("a", "b", "c")]
    for one in studies:
        one.mkdir()
        (one / "run.txt").write_text(go_text({"Decode": around(8)}), encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-m", "benchlib", "report", *studies, "-o", tmp_path / "reports", "--to", "pdf", "--quiet"],
        env={**os.environ, "BENCHLIB_CHROMIUM": str(counted)},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert ended.returncode == 0
    assert len(list((tmp_path / "reports").glob("*/executive_summary.pdf"))) == 3
    assert starts.read_text(encoding="utf-8").splitlines() == ["started"]
