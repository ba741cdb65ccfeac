"""Of the numbers on the shipped pages: how many lead back to the rows behind them.

    python benchmarks/report_evidence.py

Counted is every number of a document: answers, sentences, facts and tables, folded or not. Levels of an axis and counts
that stand as words are no numbers of a document.
"""

from __future__ import annotations

from pathlib import Path

import benchlib
from benchlib.document.blocks import numbers_in
from benchlib.tell.executive import executive

DATA = Path(__file__).parents[1] / "data"


def main() -> int:
    """Tell every study, and print a line for each."""
    traced = shown = 0
    for study in sorted(path.parent for path in DATA.glob("*/study.toml")):
        numbers = list(numbers_in(executive(benchlib.executive_summary(benchlib.open_study(study)))))
        with_rows = sum(number.evidence is not None and bool(number.evidence.rows) for number in numbers)
        traced, shown = traced + with_rows, shown + len(numbers)
        print(f"{study.name:26} {with_rows:6,} of {len(numbers):6,}", flush=True)
    print(f"{'all':26} {traced:6,} of {shown:6,}: {100 * traced / shown:.2f} %")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
