"""Of the numbers on the shipped pages: how many lead back to the rows behind them.

    python benchmarks/report_evidence.py

Counted are numbers in sentences, cards, captions and tables; not names, headings, code, what the study's author wrote,
advice, and the lines of a file beside its name. What leads back to rows has been compared with answers.json, or the
page would not have been published.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchlib.run.build import Request, build_report  # noqa: E402
from tests.report.test_evidence import NAMES, Numbers  # noqa: E402

#: Each study with its summary, and the notebooks that were made for what it asks.
PAGES = [
    *((one.name, "executive_summary") for one in sorted((ROOT / "data").iterdir()) if one.is_dir()),
    ("lplex", "30_comparison"),
    ("heavy-read-api-published", "30_comparison"),
    ("reference", "40_scaling"),
    ("http-endpoints", "40_scaling"),
    ("token-sdk", "50_effects"),
]


class AllNumbers(Numbers):
    """Captions too: they say how to read a figure, and how much of it is drawn."""

    names = NAMES - {"caption", "figcaption"}


def main() -> int:
    """Build the pages, and print a line for each."""
    traced = bare = 0
    with tempfile.TemporaryDirectory() as output:
        for study, notebook in PAGES:
            built = build_report(Request(ROOT / "data" / study, Path(output), notebook=notebook))
            page = built.page.read_text(encoding="utf-8")
            found = AllNumbers(page.partition('<main id="content">')[2].partition("</main>")[0])
            traced, bare = traced + found.traced, bare + len(found.bare)
            print(f"{study:26} {notebook:18} {found.traced:6,} of {found.traced + len(found.bare):6,}", flush=True)
    print(f"{'all':45} {traced:6,} of {traced + bare:6,}: {100 * traced / (traced + bare):.2f} %")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
