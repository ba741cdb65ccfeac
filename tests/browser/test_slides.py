"""Decks of shipped studies in a browser, as PDF and as PPTX."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import unicodedata
import zipfile
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from pptx import Presentation

from benchlib.errors import InputError
from benchlib.report.deck.drawing import SLIDE
from benchlib.report.page.formats.browser import find_chromium
from benchlib.run.slides import DECK_FORMATS, LARGEST, BuiltSlides, build_slides
from tests.browser.test_accessibility import violations
from tests.browser.visiting import Visit
from tests.report.decks import ROOT, shipped_deck
from tests.report.pdf_text import lines_drawn, page_count, pdf_words

DECKS = [("onix-adapter-published", False), ("http-endpoints", False), ("http-endpoints", True)]
IDS = ["cores", "connections", "refused"]


@pytest.fixture(params=DECKS, ids=IDS)
def deck(request: pytest.FixtureRequest) -> BuiltSlides:
    """A deck in every format."""
    try:
        find_chromium()
    except InputError:
        if os.environ.get("BENCHLIB_REQUIRE_BROWSER") == "1":
            raise
        pytest.skip("no chromium on the PATH: no deck is drawn")
    study, refused = request.param
    return shipped_deck(study, refused=refused)


def of(deck: BuiltSlides, kind: str) -> Path:
    """The file of one format."""
    return next(one for one in deck.files if one.suffix == f".{kind}")


def titles(deck: BuiltSlides) -> list[str]:
    """The messages of the slides, from the markup."""
    markup = of(deck, "html").read_text(encoding="utf-8")
    found = re.findall(r"<h[12] [^>]*>(.*?)</h[12]>", markup)
    return [re.sub(r"<[^>]*>", "", one).replace("&lt;", "<").replace("&#39;", "'") for one in found]


def test_a_deck_is_eight_to_twelve_slides_in_one_small_file(deck: BuiltSlides) -> None:
    """At most 1.5 MB, with scripts, charts and all."""
    assert of(deck, "html").stat().st_size <= LARGEST
    assert 8 <= len(titles(deck)) <= 12


def test_every_slide_is_shown_whole_and_nothing_is_asked_for(deck: BuiltSlides, browser: Any) -> None:
    """Arrow keys go from the first to the last; no slide is taller than it may be, every chart fills its place."""
    with Visit(browser, of(deck, "html").as_uri()) as visit:
        for number, title in enumerate(titles(deck)):
            shown = visit.page.evaluate("Reveal.getCurrentSlide().querySelector('h1, h2').textContent.trim()")
            assert shown.replace(" ", " ") == title.strip().replace(" ", " ")
            assert visit.page.evaluate("Reveal.getIndices().h") == number
            visit.page.keyboard.press("ArrowRight")
        assert visit.page.evaluate("Reveal.isLastSlide()")
        tall = "[...document.querySelectorAll('section.slide')].map((one) => [one.scrollHeight, one.scrollWidth])"
        for height, width in visit.page.evaluate(tall):
            assert (height, width) <= (SLIDE[1], SLIDE[0])
        charts = visit.page.evaluate(
            """[...document.querySelectorAll(".plot")].map((one) => [one.clientHeight,
                one.querySelector("svg.main-svg").height.baseVal.value, one.querySelectorAll(".trace").length])"""
        )
        assert charts
        for place, drawn, marks in charts:
            assert place > 150
            assert abs(place - drawn) < 2
            assert marks > 0
        assert visit.requests == [of(deck, "html").as_uri()]
        assert visit.complaints == []


def test_a_phone_shows_the_same_slide_smaller(deck: BuiltSlides, browser: Any) -> None:
    """Whole and one at a time: slides of one size are no text to scroll."""
    with Visit(browser, of(deck, "html").as_uri(), width=360) as visit:
        assert visit.page.locator(".reveal-scroll").count() == 0
        for number, _ in enumerate(titles(deck)):
            box = visit.page.evaluate(
                """(({ left, right, width, height }) => [left, right, width / height])(
                    Reveal.getCurrentSlide().getBoundingClientRect())"""
            )
            assert -1 <= box[0] < box[1] <= 361
            assert box[2] == pytest.approx(SLIDE[0] / SLIDE[1], rel=0.02)
            assert visit.page.evaluate("Reveal.getIndices().h") == number
            visit.page.keyboard.press("ArrowRight")
        assert visit.complaints == []


def test_evidence_opens_by_keyboard_and_turns_no_page(browser: Any, deck: BuiltSlides) -> None:
    """A number on a slide shows the rows behind it."""
    with Visit(browser, of(deck, "html").as_uri()) as visit:
        at = visit.page.evaluate(
            "[...document.querySelectorAll('section.slide')].findIndex((one) => one.querySelector('td .figure'))"
        )
        visit.page.evaluate(f"Reveal.slide({at})")
        visit.page.evaluate("Reveal.getCurrentSlide().querySelector('td .figure[tabindex=\"0\"]').focus()")
        visit.page.keyboard.press("ArrowDown")
        assert visit.page.evaluate("Reveal.getIndices().h") == at
        visit.page.keyboard.press("Enter")
        assert re.search(r"\S+:\d+", visit.page.locator("dialog.behind .behind-rows").inner_text())
        visit.page.keyboard.press("Escape")
        assert visit.page.evaluate("Reveal.getIndices().h") == at
        assert visit.complaints == []


def test_the_speaker_has_the_notes_in_a_window_of_their_own(browser: Any, deck: BuiltSlides) -> None:
    """S opens it; it follows the slides, and its own keys turn them."""
    with Visit(browser, of(deck, "html").as_uri()) as visit:
        visit.page.keyboard.press("ArrowRight")
        with visit.page.expect_popup() as opened:
            visit.page.keyboard.press("s")
        notes = opened.value
        assert notes.locator("h1").inner_text().replace(" ", " ").startswith("2. ")
        visit.page.keyboard.press("ArrowRight")
        assert notes.locator("h1").inner_text().startswith("3. ")
        assert "Source: " in notes.locator("body").inner_text()
        notes.keyboard.press("ArrowRight")
        assert visit.page.evaluate("Reveal.getIndices().h") == 3
        assert visit.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_mend(browser: Any, scheme: str) -> None:
    """On every slide, by day and by night."""
    pytest.importorskip("axe_playwright_python")
    built = shipped_deck("onix-adapter-published")
    with Visit(browser, of(built, "html").as_uri(), scheme=scheme) as visit:
        for _ in titles(built):
            assert violations(visit) == []
            visit.page.keyboard.press("ArrowRight")


def test_the_pdf_has_a_page_for_each_slide_with_its_words_and_charts(deck: BuiltSlides) -> None:
    """10 by 5.625 inches; every message can be selected; charts are lines."""
    pdf = of(deck, "pdf").read_bytes()
    assert page_count(pdf) == len(titles(deck))
    assert re.search(rb"/MediaBox \[0 0 7(20|19\.\d+) 40[45](\.\d+)?\]", pdf)
    words = pdf_words(pdf)
    for title in titles(deck):
        assert re.sub(r"\s", "", unicodedata.normalize("NFKC", title)) in words
    assert "Source:" not in words, "the notes are the speaker's"
    assert lines_drawn(pdf) > 100


def test_the_pptx_has_native_tables_sharp_charts_and_notes(deck: BuiltSlides) -> None:
    """Read again with python-pptx: titles are titles, tables tables, pictures have three dots a pixel and words."""
    made = Presentation(str(of(deck, "pptx")))
    assert (made.slide_width, made.slide_height) == (10 * 914400, int(5.625 * 914400))
    found = [one.shapes.title.text_frame.text.replace(" ", " ") for one in made.slides]
    assert found == [one.strip().replace(" ", " ") for one in titles(deck)]
    markup = of(deck, "html").read_text(encoding="utf-8")
    shapes = [shape for slide in made.slides for shape in slide.shapes]
    tables = [one for one in shapes if one.has_table]
    in_place_of_sliders = markup.count('<div class="what-if">')  # two tables, which become one
    assert len(tables) == markup.count("<table") - in_place_of_sliders > 0
    for one in tables:
        cells = [cell.text for row in one.table.rows for cell in row.cells]
        assert sum(bool(text) for text in cells) > len(cells) / 2
    pictures = [one for one in shapes if one.shape_type == 13]
    assert len(pictures) == markup.count('data-chart="') > 0
    for one in pictures:
        wide = Image.open(io.BytesIO(one.image.blob)).width
        assert wide >= 2.9 * one.width / 9525
        assert len(one._element.nvPicPr.cNvPr.get("descr")) > 40
    said = [one.notes_slide.notes_text_frame.text for one in made.slides]
    assert sum("Source: " in one for one in said) >= len(said) - 4
    for one in shapes:
        assert one.left >= 0
        assert one.top >= 0
        assert one.left + one.width <= made.slide_width + 9525 * 30
        assert one.top + one.height <= made.slide_height + 9525


def test_every_format_is_the_same_bytes_each_time(tmp_path: Path) -> None:
    """No moment, no chance: what changed in a deck is what changed in the results."""
    from benchlib.report.deck.drawing import draw_deck
    from benchlib.report.deck.pptx import to_pptx

    built = shipped_deck("onix-adapter-published")
    drawn = draw_deck(of(built, "html"), pdf=True, shapes=True)
    assert drawn.pdf == of(built, "pdf").read_bytes()
    assert draw_deck(of(built, "html"), pdf=True, shapes=False).pdf == drawn.pdf  # whatever is drawn beside
    assert page_count(drawn.pdf) == len(drawn.slides)
    title = re.search(r"<title>(.*?)</title>", of(built, "html").read_text(encoding="utf-8"))
    assert title
    assert to_pptx(drawn.slides, title=title[1]) == of(built, "pptx").read_bytes()
    with zipfile.ZipFile(of(built, "pptx")) as archive:
        assert {one.date_time for one in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


ATTACK = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>"


def test_hostile_names_are_words_in_every_format(browser: Any, tmp_path: Path) -> None:
    """Titles, questions and curves that are markup, or hold what XML cannot; some of them very long."""
    folder = tmp_path / "hostile"
    shutil.copytree(ROOT / "data" / "onix-adapter-published", folder)
    definition = folder / "study.toml"
    text = definition.read_text(encoding="utf-8")
    text = re.sub(r'(?m)^title = ".*"$', lambda _: f"title = {json.dumps(ATTACK + 'long' * 60)}", text)
    text = re.sub(r'(?m)^question = ".*"$', lambda _: f'question = "a\\u0007b\\u202ec {"long " * 600}"', text)
    text = text.replace('name = "RPS by throughput"', f"name = {json.dumps('=cmd ' + ATTACK)}")
    definition.write_text(text, encoding="utf-8")
    built = build_slides(folder, tmp_path / "out", parameters={"draws": 300}, formats=DECK_FORMATS)
    with Visit(browser, of(built, "html").as_uri()) as visit:
        assert visit.page.title() == ATTACK + "long" * 60
        assert visit.page.locator("main img, main script:not([type='text/plain'])").count() == 0
        for _ in titles(built):
            visit.page.keyboard.press("ArrowRight")
        visit.page.keyboard.press("s")
        assert visit.requests == [of(built, "html").as_uri()]
        assert visit.complaints == []
    assert page_count(of(built, "pdf").read_bytes()) == len(titles(built))
    made = Presentation(str(of(built, "pptx")))
    assert made.slides[0].shapes.title.text_frame.text == ATTACK + "long" * 60
    assert made.core_properties.title == (ATTACK + "long" * 60)[:255], "no property holds more"
    texts = [shape.text_frame.text for slide in made.slides for shape in slide.shapes if shape.has_text_frame]
    assert any("a\\x07b\\u202ec long" in one for one in texts)
    assert any(one.startswith("=cmd <img") for one in texts)


def test_libreoffice_opens_the_pptx_and_shows_every_slide(deck: BuiltSlides, tmp_path: Path) -> None:
    """As many pages as slides, with their words."""
    soffice = shutil.which("soffice")
    if soffice is None:
        pytest.skip("libreoffice-impress is not installed: the PPTX is not opened in it")
    subprocess.run(
        [soffice, f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}", "--headless", "--convert-to", "pdf",
         "--outdir", str(tmp_path), str(of(deck, "pptx"))],
        check=True, capture_output=True, timeout=180,
    )  # fmt: skip
    [pdf] = tmp_path.glob("*.pdf")
    shown = pdf.read_bytes()
    counted = re.search(rb"/Type\s*/Pages[^>]*?/Count (\d+)", shown, re.DOTALL)
    assert counted
    assert int(counted[1]) == len(titles(deck))
