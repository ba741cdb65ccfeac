"""A deck opened in Chromium: printed, a sheet a slide, and taken apart into shapes for other programs.

The browser has laid the slides out. Programs that draw slides from shapes are told where each stands, so that a slide
looks the same in both.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchlib.errors import ExportError
from benchlib.report.page.formats.figures import STEADY_IDS
from benchlib.report.page.formats.pdf import settled

if TYPE_CHECKING:
    from benchlib.report.page.formats.browser import Browser
    from benchlib.report.page.formats.tab import Tab

__all__ = ["draw_deck"]

#: CSS pixels of a slide: 10 by 5.625 inches.
SLIDE = (960, 540)
#: Dots of a picture for each CSS pixel.
_DOTS = 3

#: What is behind a slide: blocks with their place, their words and how these look.
_SHAPES = """
(async () => {
  const box = (one, slide) => {
    let [x, y] = [0, 0];
    for (let at = one; at && at !== slide; at = at.offsetParent) { x += at.offsetLeft; y += at.offsetTop; }
    return [x, y, one.offsetWidth, one.offsetHeight];
  };
  const words = (one) => {
    const style = getComputedStyle(one);
    return {
      text: one.textContent.trim().replace(/[ \\t\\n]+/g, " "), size: parseFloat(style.fontSize),
      bold: Number(style.fontWeight) >= 600, colour: style.color, right: style.textAlign === "right",
    };
  };
  const cells = (table) => [...table.rows].map((row) => [...row.cells].map(words));
  const picture = async (plot) => {
    const layout = { ...plot.layout, autosize: false, width: plot.clientWidth, height: plot.clientHeight };
    globalThis.resetChance?.();
    const size = { format: "png", width: layout.width, height: layout.height, scale: DOTS };
    const config = { showSendToCloud: false, plotlyServerURL: "", displaylogo: false };
    return Plotly.toImage({ data: plot.data, layout, config }, size);
  };
  const blocks = async (slide) => {
    const found = [];
    for (const one of slide.querySelectorAll("h1, h2, p, ul, dl, table, .card, .plot, figcaption")) {
      const nested = one.closest("aside, .card, .plot, table, ul, dl");
      if ((nested && nested !== one) || one.matches(".what-if-said") || !one.offsetHeight) continue;
      const block = { box: box(one, slide), kind: one.localName, ...words(one) };
      if (one.matches(".kicker")) block.kind = "kicker";
      if (one.matches("ul, .what-if-headline, .card")) block.items = [...one.children].map(words);
      if (one.matches(".what-if-headline")) block.kind = "lines";
      if (one.matches(".card")) block.kind = "card";
      if (one.matches("table")) {
        const [head] = one.rows;
        Object.assign(block, { kind: "table", rows: cells(one), caption: one.caption ? words(one.caption) : null });
        block.widths = [...head.cells].map((cell) => cell.offsetWidth);
        block.heights = [...one.rows].map((row) => row.offsetHeight);
        block.top = one.caption ? one.caption.offsetHeight : 0;
      }
      if (one.matches("dl")) {
        const lines = [...one.children];
        const rows = lines.map((line) => [...line.children].map(words));
        const widths = [...lines[0].children].map((cell) => cell.offsetWidth);
        Object.assign(block, { kind: "table", rows, widths, heights: lines.map((line) => line.offsetHeight) });
        Object.assign(block, { caption: null, top: 0 });
      }
      if (one.matches(".plot")) {
        Object.assign(block, { kind: "picture", alt: one.ariaLabel, url: await picture(one) });
      }
      found.push(block);
    }
    return found;
  };
  const slides = [];
  for (const slide of document.querySelectorAll(".slides > .slide")) {
    const notes = [...slide.querySelectorAll("aside.notes > *")].map((one) => one.textContent.trim());
    slides.push({ blocks: await blocks(slide), notes });
  }
  return slides;
})()
""".replace("DOTS", str(_DOTS))


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnDeck:
    """A deck as the browser drew it.

    Attributes
    ----------
    pdf : bytes
        Empty where it was not asked for.
    slides : tuple of mapping
        Blocks and notes of every slide; empty where they were not asked for.
    """

    pdf: bytes
    slides: tuple[Mapping[str, Any], ...]


def draw_deck(deck: Path, *, pdf: bool, shapes: bool, browser: Browser | None = None) -> DrawnDeck:
    """Open a deck once, and draw from it what is asked for.

    Raises
    ------
    InputError
        If there is no Chromium to draw with.
    ExportError
        If a chart cannot be drawn.
    NotebookTimeout
        If Chromium takes too long.
    """
    from contextlib import ExitStack

    from benchlib.report.page.formats.browser import Browser

    with ExitStack() as stack:
        running = browser or stack.enter_context(Browser())
        tab = running.tab(width=SLIDE[0], height=SLIDE[1])
        tab.before_scripts(STEADY_IDS)
        tab.open(deck)
        tab.wait_drawn()
        tab.show_as("print")  # a sheet a slide, and what can be moved stands still
        slides = tuple(tab.evaluate(_SHAPES)) if shapes else ()
        return DrawnDeck(pdf=_printed(tab) if pdf else b"", slides=slides)


def _printed(tab: Tab) -> bytes:
    """Print a deck that is open and drawn, a sheet a slide."""
    charts = "[...document.querySelectorAll('.plot[data-chart]')].every((one) => one.querySelector('svg.main-svg'))"
    if not tab.evaluate(charts):
        raise ExportError("a chart of the deck is not drawn; open the deck in a browser to see why")
    answer = tab.ask(
        "Page.printToPDF",
        printBackground=True,
        preferCSSPageSize=True,
        generateTaggedPDF=True,
        generateDocumentOutline=True,
    )
    return settled(base64.b64decode(answer["data"]))
