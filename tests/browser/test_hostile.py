"""Fifty names that would run, load, lead astray or hide: each stands on the page as what it is."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from benchlib.answers.evidence import Evidence
from benchlib.answers.serialise import to_dict
from benchlib.report.page.charts import PLOTLY
from benchlib.report.page.export import check_page, to_html
from benchlib.report.page.page_exporter import ANSWERS
from benchlib.report.page.seen import seen
from benchlib.report.wording.markup import Column, Table, bullets, render_table
from benchlib.report.wording.told import evident, told
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
#: What makes a spreadsheet read a cell as a formula, also as wide as an ideograph.
ACTS = "=+-@\uff1d\uff0b\uff0d\uff20"
NAMES = [*SCRIPTS, *FORMULAS, *OTHERS]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page on which every name stands in heading, sentence, table, caption, chart and evidence."""
    evidence = [Evidence(rows=(f"{name}:1",), formula=name) for name in NAMES]
    columns = (Column(head="name", align="text"), Column(head="n", align="number"))
    rows = tuple((name, evident("7 ms", one, 0.007)) for name, one in zip(NAMES, evidence, strict=True))
    table = render_table(Table(caption=NAMES[0], columns=columns, rows=rows))
    figure = {
        "data": [{"type": "bar", "name": name, "x": [name], "y": [1], "text": [name]} for name in NAMES],
        "layout": {"title": {"text": NAMES[1]}, "meta": {"alt": NAMES[2], "caption": NAMES[3]},
                   "xaxis": {"title": {"text": NAMES[7]}}, "annotations": [{"text": NAMES[7], "x": 0, "y": 1}]},
    }  # fmt: skip
    answers = {
        "answers": [
            {"name": name, "value": 0.007, "evidence": to_dict(one)} for name, one in zip(NAMES, evidence, strict=True)
        ]
    }
    lines = bullets(told(f"{name} took 7 ms", one) for name, one in zip(NAMES, evidence, strict=True))
    shown: list[dict[str, Any]] = [{"text/html": str(lines)}, {"text/html": str(table)}, {PLOTLY: figure}]
    outputs = [new_output("display_data", data=one) for one in (*shown, {ANSWERS: answers})]
    headings = [new_markdown_cell(f"## {name}") for name in NAMES if "\n" not in name]
    notebook = new_notebook(cells=[new_code_cell("x", outputs=outputs), *headings])
    page = to_html(notebook, title=NAMES[0], subtitle=NAMES[1], footer=NAMES[2])
    check_page(page, notebook, answers=answers)
    path: Path = tmp_path_factory.mktemp("names") / "page.html"
    path.write_text(page, encoding="utf-8")
    return path.as_uri()


def test_there_are_fifty_of_them() -> None:
    """Each once."""
    assert len(set(NAMES)) == len(NAMES) >= 50


def test_nothing_runs_loads_or_leads_away(browser: Any, address: str) -> None:
    """One request, no complaint, no element that no writer of the page has made; each name can be read."""
    with Visit(browser, address) as visit:
        page = visit.page
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        page.wait_for_timeout(200)
        assert page.evaluate("window.pwned") is None
        assert visit.requests == [address]
        assert visit.complaints == []
        assert (
            page.locator("main :is(img, iframe, object, embed, form, input, base, link, meta, math, style)").count()
            == 0
        )
        assert page.locator("main svg a, a[href^='javascript' i], a[href^='/'], a[href^='file']").count() == 0
        assert page.locator("main script").count() == 0
        cells = page.locator("tbody tr").evaluate_all("all => all.map(row => row.cells[0].textContent)")
        assert cells == [seen(name) for name in NAMES]


def test_what_is_behind_each_is_text(browser: Any, address: str) -> None:
    """Formula and file of each, opened one by one."""
    with Visit(browser, address) as visit:
        for name, figure in zip(NAMES, visit.page.locator("td .figure").all(), strict=True):
            figure.focus()
            visit.page.keyboard.press("Enter")
            assert visit.page.locator(".behind-formula").evaluate("one => one.textContent") == seen(name)
            visit.page.keyboard.press("Escape")
        assert visit.page.evaluate("window.pwned") is None
        assert visit.complaints == []


def test_no_saved_cell_is_a_formula(browser: Any, address: str) -> None:
    """Neither in the names nor in the heads."""
    with Visit(browser, address) as visit:
        with visit.page.expect_download() as waiting:
            visit.page.locator(".table-tools button", has_text="CSV").click()
        text = Path(waiting.value.path()).read_text(encoding="utf-8-sig")
        rows = list(csv.reader(io.StringIO(text, newline="")))
        assert len(rows) == len(NAMES) + 1
        assert not [cell for row in rows for cell in row if cell.lstrip()[:1] in ACTS and cell.strip()]


def test_a_block_of_data_is_the_pages_own(browser: Any, tmp_path: Path) -> None:
    """Another element of its name stands before it: the page draws what was checked."""
    mine = '<pre id="page-data">mine</pre><pre id="plotly-bundle">mine</pre>'
    figure = {"data": [{"type": "bar", "x": [1], "y": [1]}], "layout": {}}
    outputs = [new_output("display_data", data=one) for one in ({"text/html": mine}, {PLOTLY: figure})]
    notebook = new_notebook(cells=[new_code_cell("x", outputs=outputs)])
    page = to_html(notebook, title="a")
    check_page(page, notebook)
    path = tmp_path / "page.html"
    path.write_text(page, encoding="utf-8")
    with Visit(browser, path.as_uri()) as visit:
        assert visit.page.locator(".plot.drawn").count() == 1
        assert visit.complaints == []
