"""axe-core finds nothing to mend: on a phone and on a screen, by day and by night, with everything open."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.browser.made_index import made_index
from tests.browser.made_page import made_page
from tests.browser.visiting import Visit
from tests.report.shipped import shipped_report

if os.environ.get("BENCHLIB_REQUIRE_BROWSER") != "1":
    pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")


#: WCAG 2.2 to level AA, and what axe-core calls best practice.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def violations(visit: Visit) -> list[str]:
    """What axe-core finds, rule by rule with the first places."""
    import axe_playwright_python

    source = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    visit.page.evaluate(source)
    found = visit.page.evaluate(
        """axe.run(document, {resultTypes: ["violations"], runOnly: RULES}).then((found) => found.violations.map(
            (one) => one.id + ": " + one.nodes.slice(0, 3).map((node) => node.target + " " + node.failureSummary)))
        """.replace("RULES", str(RULES))
    )
    return [str(one) for one in found]


#: A phone by night, a screen by day, and the other way round.
VIEWS = [(360, "dark"), (1200, "light"), (360, "light"), (1200, "dark")]


def check(visit: Visit, views: Sequence[tuple[int, str]] = VIEWS) -> None:
    """Look at a page that is open in some views."""
    for width, scheme in views:
        visit.page.set_viewport_size({"width": width, "height": 900})
        visit.page.emulate_media(color_scheme=scheme)
        assert violations(visit) == [], (width, scheme)


def test_a_page_with_everything_open(browser: Any, tmp_path: Path) -> None:
    """Figures, folds, sorted columns, and the dialog of evidence."""
    path = tmp_path / "page.html"
    path.write_text(made_page(), encoding="utf-8")
    with Visit(browser, path.as_uri()) as visit:
        visit.page.locator(".fold").first.click()
        visit.page.locator("th button").first.click()
        check(visit)
        visit.page.locator(".figure").first.click()
        check(visit)


@pytest.mark.parametrize(
    ("study", "notebook"), [("onix-adapter-published", "executive_summary"), ("lplex", "30_comparison")]
)
def test_a_shipped_report(browser: Any, study: str, notebook: str) -> None:
    """With every fold open; charts have their words."""
    with Visit(browser, shipped_report(study, notebook).page.as_uri()) as visit:
        visit.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        check(visit)
        assert visit.page.locator(".plot:not([aria-label])").count() == 0


def test_the_list_of_reports(browser: Any, tmp_path: Path) -> None:
    """All of it, and narrowed to nothing."""
    path = tmp_path / "index.html"
    path.write_text(made_index(), encoding="utf-8")
    with Visit(browser, path.as_uri()) as visit:
        check(visit)
        visit.page.fill("#words", "nothing like it")
        check(visit)
