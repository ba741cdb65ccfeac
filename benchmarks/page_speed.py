"""How long a page takes to be ready, and to be a PDF: ``python benchmarks/page_speed.py``.

Reports of the studies in ``data/`` are built, then opened again and again by one Chromium that is warm, and printed by
one that starts for each, as ``--to pdf`` does. Prints a table. README.md in this folder says what each row means.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from formats_speed import ROOT
from goals import Row, print_table

from benchlib.render.chromium import find_chromium, print_pdf
from benchlib.run.build import Request, build_report

#: Seconds until the page is ready, and for a PDF.
READY, PDF = 0.5, 5.0

#: A window of a laptop, in CSS pixels.
_WINDOW = {"width": 1280, "height": 800}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, and return 0 if every goal is kept, else 3."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="times that a page is opened and printed (default 7)")
    parser.add_argument("studies", nargs="*", help="folders of results (default: all in data/)")
    chosen = parser.parse_args(arguments)
    studies = [Path(one) for one in chosen.studies] or [one.parent for one in sorted(ROOT.glob("data/*/study.toml"))]
    rows = []
    with tempfile.TemporaryDirectory(prefix="benchlib-page-speed-") as folder:
        pages = {study.name: build_report(Request(study, Path(folder))).page for study in studies}
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
            for name, page in pages.items():
                rows.append(_row(f"{name}, ready", [_ready(browser, page) for _ in range(chosen.rounds + 1)], READY))
            browser.close()
        for name, page in pages.items():
            rows.append(_row(f"{name}, PDF", [_printed(page) for _ in range(chosen.rounds + 1)], PDF))
    print_table(rows)
    return 0 if all(one.kept for one in rows) else 3


def _row(what: str, seconds: Sequence[float], goal: float) -> Row:
    """Tell the median; the first only warms the browser."""
    _, *counted = seconds
    median = statistics.median(counted)
    told = f"{median:.2f} s ({min(counted):.2f} to {max(counted):.2f})"
    return Row(what, told, f"under {goal:g} s", median < goal)


def _ready(browser: Any, page: Path) -> float:
    """Open a page until it says that it can be read and used: what is on the screen is drawn."""
    context = browser.new_context(viewport=_WINDOW)
    tab = context.new_page()
    begun = time.perf_counter()
    tab.goto(page.as_uri())
    tab.wait_for_selector("html[data-ready='1']", state="attached")
    seconds = time.perf_counter() - begun
    context.close()
    return seconds


def _printed(page: Path) -> float:
    begun = time.perf_counter()
    print_pdf(page)
    return time.perf_counter() - begun


if __name__ == "__main__":
    sys.exit(main())
