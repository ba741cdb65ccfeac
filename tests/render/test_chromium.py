"""A page as PDF, and its charts as PNG and SVG: drawn by the Chromium of this machine, or by a program that is none."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from benchlib.errors import ExportError, InputError, NotebookTimeout
from benchlib.render import chromium
from benchlib.render.chromium import check_formats, draw_charts, find_chromium, print_pdf
from tests.browser.made_page import NAMES, made_page
from tests.run.runner import gone


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page of two charts, on disk."""
    path = tmp_path / "adapter.html"
    path.write_text(made_page(), encoding="utf-8")
    return path


@pytest.fixture
def drawing(page: Path) -> Path:
    """The page, where there is a Chromium to draw it."""
    try:
        find_chromium()
    except InputError:
        if os.environ.get("BENCHLIB_REQUIRE_BROWSER") == "1":
            raise
        pytest.skip("no chromium on the PATH: no format is drawn")
    return page


def test_a_pdf_is_a4_and_the_same_bytes_each_time(drawing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tagged for screen readers, with an outline; without the moment it was printed, or with SOURCE_DATE_EPOCH's."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    pdf = print_pdf(drawing).read_bytes()
    assert pdf.startswith(b"%PDF-")
    width, height = map(float, re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)[0])
    assert (round(width), round(height)) == (595, 842)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) >= 2
    assert b"/StructTreeRoot" in pdf
    assert b"/Outlines" in pdf
    assert b"/CreationDate" not in pdf
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1763640000")
    dated = print_pdf(drawing).read_bytes()
    assert b"/CreationDate (D:20251120120000+00'00')" in dated
    dates = rb"/(?:CreationDate|ModDate) \(.*?\)"
    assert re.sub(dates, lambda found: b" " * len(found[0]), dated) == pdf


def test_each_chart_is_a_sharp_png_that_is_not_blank(drawing: Path) -> None:
    """Two dots to each CSS pixel of 960, several colours, named by what the figure shows."""
    files = draw_charts(drawing, "png")
    assert [path.name for path in files] == ["01-sum-a1-plain.png", "02-sum-a1-plain.png"]
    for path in files:
        with Image.open(path) as picture:
            assert picture.width == 1920
            assert len(picture.convert("RGB").getcolors(1 << 24) or ()) > 8


def test_each_chart_is_an_svg_that_stands_alone(drawing: Path) -> None:
    """Titled, with its traces, and nothing that loads or runs; a chart that is no more leaves no file, others stay."""
    folder = drawing.with_suffix(".figures")
    folder.mkdir()
    for name in ("07-gone.svg", "notes.svg"):
        (folder / name).write_text("old")
    files = draw_charts(drawing, "svg")
    assert sorted(path.name for path in folder.iterdir()) == [*(path.name for path in files), "notes.svg"]
    for path in files:
        root = ElementTree.fromstring(path.read_bytes())
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert root[0].tag.endswith("title")
        assert root[0].text == f"{NAMES[2]}: {NAMES[0]}"
        assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) >= 3
        for element in root.iter():
            assert element.tag.rpartition("}")[2] not in ("script", "foreignObject", "a", "image")
            assert not [
                value for key, value in element.attrib.items() if key.endswith("href") and not value.startswith("#")
            ]


def test_a_page_that_cannot_draw_leaves_the_charts_of_before(drawing: Path) -> None:
    """Its plotly.js is broken: said, and nothing is written."""
    drawing.write_text(re.sub(r'(id="plotly-bundle">)[^<]*', r"\1AAAA", drawing.read_text()), encoding="utf-8")
    with pytest.raises(ExportError, match=r"adapter.html: Chromium could not draw its charts"):
        draw_charts(drawing, "svg")
    assert list(drawing.parent.iterdir()) == [drawing]


def test_a_program_that_is_no_browser_is_told(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does nothing, fails, does not start, or hangs: then it is ended with what it started."""
    program = page.with_name("chromium")

    def become(script: str) -> None:
        program.write_text(script)
        program.chmod(0o755)
        monkeypatch.setenv("BENCHLIB_CHROMIUM", str(program))

    become("#!/bin/sh\nexit 0\n")
    with pytest.raises(ExportError, match=r"adapter.html: Chromium printed nothing; open the page in a browser"):
        print_pdf(page)
    become("#!/bin/sh\nexit 7\n")
    with pytest.raises(ExportError, match="chromium ended with code 7; run it by hand to see why"):
        print_pdf(page)
    become("#!/nowhere/sh\n")
    with pytest.raises(InputError, match=r"chromium: does not start \(No such file or directory\); name another in"):
        print_pdf(page)
    monkeypatch.setattr(chromium, "_PATIENCE", 0.5)
    become(f"#!/bin/sh\nsleep 60 &\necho $! > {page.with_name('pid')}\nwait\n")
    began = time.monotonic()
    with pytest.raises(NotebookTimeout, match=r"adapter.html: Chromium took longer than 0.5 s and was ended; build"):
        print_pdf(page)
    assert time.monotonic() - began < 20
    assert gone(int(page.with_name("pid").read_text()))
    assert not page.with_suffix(".pdf").exists()


def test_a_machine_without_chromium_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is built, and only where a format needs it."""
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("BENCHLIB_CHROMIUM", raising=False)
    assert check_formats("md, html") == ("html", "md")
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
    with pytest.raises(InputError, match="no format 'pgn'; did you mean 'png'"):
        check_formats("pgn")
