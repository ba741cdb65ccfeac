"""A notebook in a real JupyterLab: the start page runs by the menu, is readable in both themes, and stays clean."""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest

from benchlib.figures.style import contrast
from tests.lab.conftest import PATIENCE, TOKEN, Server, git

pytestmark = pytest.mark.heavy

#: Seconds after which Lab has saved by itself, see the settings of the server.
SAVED = 6
LEAST_CONTRAST = 4.5
START = "notebooks/00_start_here.ipynb"
IDLE = '.jp-Notebook-ExecutionIndicator[data-status="idle"]'
CLEAN = "!jupyterapp.shell.currentWidget.context.model.dirty"
RAN = """[...document.querySelectorAll('.jp-Notebook .jp-CodeCell .jp-InputArea-prompt')]
 .every(prompt => /^\\[\\d+\\]:$/.test(prompt.textContent.trim()))"""
#: Each word of a chart by plotly and of an answer: what it says, its colour, and what is behind it.
WORDS = """() => {
  const opaque = colour => colour && colour !== 'none' && !/^rgba\\(.*, 0\\)$|^transparent$/.test(colour);
  const ground = node => {
    const plot = node.closest('.js-plotly-plot');
    if (plot) return getComputedStyle(plot.querySelector('.main-svg')).backgroundColor;
    for (let at = node; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (opaque(colour)) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const drawn = [...document.querySelectorAll('.js-plotly-plot text')].filter(node => node.textContent.trim());
  const said = [...document.querySelectorAll('.bl-show :is(p, th, td, li, summary)')];
  return [...drawn.map(node => [node.textContent, getComputedStyle(node).fill, ground(node)]),
          ...said.map(node => [node.textContent, getComputedStyle(node).color, ground(node)])];
}"""


@pytest.fixture(scope="module")
def lab(server: Server, browser: Any) -> Iterator[Any]:
    """The address that Lab itself opens, as a page."""
    context = browser.new_context(viewport={"width": 1280, "height": 1600})
    context.set_default_timeout(1000 * PATIENCE)
    page = context.new_page()
    page.goto(f"{server.address}?token={TOKEN}")
    yield page
    context.close()


@pytest.fixture(scope="module")
def ran(server: Server, lab: Any) -> tuple[Any, int]:
    """The page after all cells ran by the menu, and when its file had last changed before that."""
    before = (server.root / START).stat().st_mtime_ns
    lab.wait_for_selector(".jp-Notebook .jp-CodeCell")
    lab.wait_for_selector(IDLE, state="attached")
    lab.click('.lm-MenuBar-item:has-text("Run")')
    lab.click('.lm-Menu-item[data-command="runmenu:run-all"]')
    lab.wait_for_function(RAN)
    lab.wait_for_selector(".js-plotly-plot .main-svg")
    return lab, before


def hexadecimal(colour: str) -> str:
    return "#{:02x}{:02x}{:02x}".format(*map(int, re.findall(r"\d+", colour)[:3]))


def drawings(page: Any) -> list[str]:
    """Return the pictures of answers as SVG."""
    sources = page.eval_on_selector_all(".bl-show img", "images => images.map(image => image.src)")
    return [base64.b64decode(source.partition(",")[2]).decode() for source in sources]


def test_the_start_page_is_open_and_nothing_has_changed(server: Server, lab: Any) -> None:
    """Lab notes the kernel's version in what it opens, and saves that by itself: not a byte differs on the disk."""
    lab.wait_for_selector(".jp-Notebook .jp-CodeCell")
    assert "Start here" in lab.inner_text(".jp-Notebook h1")
    lab.wait_for_selector(IDLE, state="attached")
    time.sleep(SAVED)
    lab.wait_for_function(CLEAN)
    assert git(server.root, "status", "--porcelain") == ""


def test_all_cells_run_by_the_menu(server: Server, ran: tuple[Any, int]) -> None:
    """No error; the first answer says its sentence beside a picture; plotly draws what ``.plot()`` returned.

    Lab saves the outputs by itself, and git has nothing to say.
    """
    lab, before = ran
    assert (
        lab.query_selector_all('[data-mime-type="application/vnd.jupyter.error"], .jp-RenderedText pre .ansi-red-fg')
        == []
    )
    first = lab.query_selector(".bl-show")
    assert "req/s" in first.query_selector(".bl-said").inner_text()
    picture = first.query_selector("img")
    assert picture.bounding_box()["height"] > 100
    assert len(lab.query_selector_all(".js-plotly-plot")) == 1
    assert "json" in lab.inner_text(".js-plotly-plot")
    lab.wait_for_function(CLEAN)
    assert (server.root / START).stat().st_mtime_ns > before
    assert git(server.root, "status", "--porcelain") == ""


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_every_word_stands_out(ran: tuple[Any, int], theme: str) -> None:
    """The words of charts and of answers, from what is behind them."""
    lab, _ = ran
    lab.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
    lab.wait_for_selector(f'body[data-jp-theme-name="{theme}"]', state="attached")
    words = lab.evaluate(WORDS)
    assert {"connections", "measured: json"} <= {text for text, _, _ in words}
    pale = [word for word in words if contrast(hexadecimal(word[1]), hexadecimal(word[2])) < LEAST_CONTRAST]
    assert pale == []
    assert drawings(lab)
    for drawn in drawings(lab):
        plate = re.search(r'<rect[^>]* fill="(#\w{6})"', drawn)
        inks = set(re.findall(r'<text[^>]* fill="(#\w{6})"', drawn))
        assert plate is not None
        assert inks
        assert [ink for ink in inks if contrast(ink, plate[1]) < LEAST_CONTRAST] == []
