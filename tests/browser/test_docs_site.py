"""The documentation as a site: opened from disk, searched and read without a request to anywhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import benchlib

ROOT = Path(__file__).parents[2]
TAUGHT = [
    path
    for path in sorted((ROOT / "notebooks").rglob("*.ipynb"))
    if path.parent.name != "reports" and not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
]

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, as `make docs` builds it; a link that leads nowhere fails here."""
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, "docs/build.py", "-o", folder], cwd=ROOT, check=True)
    return folder


@pytest.fixture
def page(browser: Any) -> Any:
    """A page without a network; closed afterwards."""
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()


def test_every_page_opens_from_disk_without_a_request(site: Path, page: Any) -> None:
    """Nothing is asked for but files of the site, and nothing is missing among them."""
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("requestfailed", lambda request: complaints.append(f"{request.url}: {request.failure}"))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 15
    for path in pages:
        page.goto(path.as_uri(), wait_until="networkidle")
    assert complaints == []
    home = site.as_uri()
    assert [url for url in requests if not url.startswith((home, "data:", "about:", "blob:"))] == []


def test_the_search_finds_a_word(site: Path, page: Any) -> None:
    """Which takes a worker, that a browser does not start for a file: iframe-worker.js stands in."""
    page.goto((site / "index.html").as_uri())
    page.click(".md-search__input")
    page.keyboard.type("contention")
    page.wait_for_selector(".md-search-result__link")
    assert "scaling.html" in " ".join(
        page.eval_on_selector_all(".md-search-result__link", "links => links.map(link => link.href)")
    )


def test_every_public_name_stands_in_the_reference(site: Path) -> None:
    """With its heading, and the text of its docstring."""
    text = (site / "reference.html").read_text(encoding="utf-8")
    assert [name for name in benchlib.__all__ if not re.search(rf'<h2[^>]* id="[\w.]*\b{name}"', text)] == []


def test_every_tutorial_is_a_page_with_its_pictures(site: Path) -> None:
    """Executed: each chart is a picture with words for those who cannot see it."""
    for path in TAUGHT:
        name = "-".join(path.relative_to(ROOT / "notebooks").with_suffix(".html").parts)
        text = (site / name).read_text(encoding="utf-8")
        pictures = re.findall(r"<img[^>]*>", text)
        assert pictures, "every notebook draws"
        assert [picture for picture in pictures if not re.search(r'alt="[^"]+"', picture)] == [], path.stem
