"""Fifty names that would run, load, lead astray or hide: each stands on the page as what it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from benchlib.render.cells import PLOTLY
from benchlib.render.check import check_page
from benchlib.render.page import notebook_page
from benchlib.render.seen import seen
from tests.browser.made_page import made_page
from tests.browser.visiting import Visit

_RUN = "window.pwned=1"
SCRIPTS = [
    f"<script>{_RUN}</script>", f"</script><script>{_RUN}</script>", f"<img src=x onerror={_RUN}>",
    f"<svg onload={_RUN}>", f"<svg><script>{_RUN}</script></svg>", f"<iframe srcdoc='<script>{_RUN}</script>'>",
    f"<iframe src=javascript:{_RUN}>", f"<a href=javascript:{_RUN}>x</a>", f'" onfocus={_RUN} autofocus="',
    f"' onmouseover='{_RUN}", f"<details open ontoggle={_RUN}>", f"<body onload={_RUN}>",
    f"<math href=javascript:{_RUN}>",
    f"<object data=javascript:{_RUN}>", f"<embed src=javascript:{_RUN}>", f"<form action=javascript:{_RUN}><input>",
    f"<style>@import 'x'; *{{background:url(javascript:{_RUN})}}</style>", "<meta http-equiv=refresh content=0>",
    "<link rel=stylesheet href=https://example.org/a.css>", "<base href=https://example.org/>",
    f"<!--><script>{_RUN}//-->",
    "<!-- <script>", "]]><x>", "<template><script>1</script></template>",
    f"{{{{constructor.constructor('{_RUN}')()}}}}",
    f"${{{_RUN}}}", "{% raw %}{{ 7*7 }}{% endraw %}", "%(x)s {0} %n", "&lt;script&gt;", "&#60;script&#62;",
    "$\\href{javascript:1}{x}$", "[x](javascript:alert(1))", "![x](https://example.org/a.png)",
    "`x` **b** ~~s~~ | a | b |",
]  # fmt: skip
FORMULAS = [
    "=1+1",
    "+1+cmd|' /C calc'!A0",
    "-1+1",
    "@SUM(1)",
    '=HYPERLINK("https://example.org")',
    "\t=1+1",
    "\uff1d1+1",
]
OTHERS = [
    "../../etc/passwd", "C:\\Windows\\x", "file:///etc/passwd", "//example.org/x", "a\u202egnp.exe", "zero\u200bwidth",
    "\u2066isolate", "\ufeffbom", "e\u0301\u0302\u0303", "🧪 µs 測試", "'; DROP TABLE x; --", "a\u2028b",
]  # fmt: skip
NAMES = [*SCRIPTS, *FORMULAS, *OTHERS]


def open_page(folder: Path, page: str) -> str:
    """Write a page, checked, and return its address."""
    check_page(page)
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page on which the names stand in every kind of block, in charts and in evidence."""
    return open_page(tmp_path_factory.mktemp("names"), made_page(tuple(NAMES)))


def test_nothing_runs_loads_or_leads_away(browser: Any, address: str) -> None:
    """One request, no complaint, no element that no writer of the page has made; each name can be read."""
    with Visit(browser, address) as visit:
        page = visit.page
        page.evaluate("openAll()")
        assert page.evaluate("window.pwned") is None
        assert visit.requests == [address]
        assert visit.complaints == []
        strange = "main :is(img, iframe, object, embed, form, input, base, link, meta, math, style)"
        assert page.locator(strange).count() == 0
        assert page.locator("main svg a, a[href^='javascript' i], a[href^='/'], a[href^='file']").count() == 0
        assert page.locator("main script").count() == 0
        cells = (
            page.locator("table")
            .first.locator("tbody tr")
            .evaluate_all("all => all.map(row => row.cells[0].textContent)")
        )
        assert cells == [seen(name) for name in NAMES]


def test_cells_of_a_notebook_stay_words(browser: Any, tmp_path: Path) -> None:
    """Headings, outputs and charts of the author with every name, and a block of data that is not the page's."""
    figure = {
        "data": [{"type": "bar", "name": name, "x": [name], "y": [1], "text": [name]} for name in NAMES],
        "layout": {"title": {"text": NAMES[1]}, "annotations": [{"text": NAMES[7], "x": 0, "y": 1}]},
    }
    mine = '<pre id="page-data">mine</pre><pre id="plotly-bundle">mine</pre>'
    outputs = [new_output("display_data", data=data) for data in ({"text/html": mine}, {PLOTLY: figure})]
    headings = [new_markdown_cell(f"## {name}") for name in NAMES if "\n" not in name]
    notebook = new_notebook(cells=[new_code_cell("x", outputs=outputs), *headings])
    address = open_page(tmp_path, notebook_page(notebook, title=NAMES[0], footer=NAMES[2]))
    with Visit(browser, address) as visit:
        assert visit.page.evaluate("window.pwned") is None
        assert visit.requests == [address]
        assert visit.complaints == []
        assert visit.page.locator(".plot .main-svg").count() > 0
