"""How long a page takes to be ready, and to be a PDF: ``python benchmarks/page_speed.py``.

Reports of the studies in ``data/`` are built, then opened and printed again and again by one Chromium that is
warm. Prints a table. README.md in this folder says what each row means.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import nbformat
from formats_speed import ROOT
from goals import Row, print_table

from benchlib.report.page.formats import write_formats
from benchlib.report.page.formats.browser import Browser
from benchlib.run.build import Built, Request, build_report

#: Seconds until the page is ready, and for a PDF.
READY, PDF = 1.0, 1.0

#: A window of a laptop, in CSS pixels.
_WINDOW = {"width": 1200, "height": 900}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, and return 0 if every goal is kept, else 3."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="times that a page is opened and printed (default 7)")
    parser.add_argument("studies", nargs="*", help="folders of results (default: all in data/)")
    chosen = parser.parse_args(arguments)
    studies = [Path(one) for one in chosen.studies] or [one.parent for one in sorted(ROOT.glob("data/*/study.toml"))]
    rows = []
    with tempfile.TemporaryDirectory(prefix="benchlib-page-speed-") as folder, Browser() as browser:
        for study in studies:
            built = build_report(Request(study, Path(folder)))
            rows += [
                _row(f"{study.name}, ready", [_ready(browser, built) for _ in range(chosen.rounds + 1)], READY),
                _row(f"{study.name}, PDF", [_printed(browser, built) for _ in range(chosen.rounds + 1)], PDF),
            ]
    print_table(rows)
    return 0 if all(one.kept for one in rows) else 3


def _row(what: str, seconds: Sequence[float], goal: float) -> Row:
    """Tell the median; the first only warms the browser."""
    _, *counted = seconds
    median = statistics.median(counted)
    told = f"{median:.2f} s ({min(counted):.2f} to {max(counted):.2f})"
    return Row(what, told, f"under {goal:g} s", median < goal)


def _ready(browser: Browser, built: Built) -> float:
    """Open a page until it says that it can be read and used: what is on the screen is drawn."""
    tab = browser.tab(**_WINDOW)
    begun = time.perf_counter()
    tab.open(built.page)
    tab.wait_for("globalThis.left ? '' : document.documentElement?.dataset.ready", "opening the page")
    return time.perf_counter() - begun


def _printed(browser: Browser, built: Built) -> float:
    """Open a page, draw every chart of it, and write it as a PDF."""
    executed = nbformat.read(built.notebook, as_version=4)
    begun = time.perf_counter()
    write_formats(executed, built.page, ("pdf",), browser=browser)
    return time.perf_counter() - begun


if __name__ == "__main__":
    sys.exit(main())
