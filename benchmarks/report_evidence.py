"""Of the numbers on the shipped pages: how many lead back to the rows behind them.

    python benchmarks/report_evidence.py

Counted is every number of a document: answers, sentences, facts and tables, folded or not; once where it is said more
than once, as its interval in a column beside it is. Levels of an axis and counts that stand as words are not counted.
"""

from __future__ import annotations

from pathlib import Path

from benchlib.answers.executive import executive_summary
from benchlib.document.blocks import numbers_in
from benchlib.study import open_study
from benchlib.tell.executive import executive

DATA = Path(__file__).parents[1] / "data"


def main() -> int:
    """Tell every study, and print a line for each."""
    traced = shown = 0
    for study in sorted(path.parent for path in DATA.glob("*/study.toml")):
        numbers = list(numbers_in(executive(executive_summary(open_study(study)))))
        every = {(number.value, number.unit) for number in numbers}
        with_rows = {
            (number.value, number.unit) for number in numbers if number.evidence is not None and number.evidence.rows
        }
        traced, shown = traced + len(with_rows), shown + len(every)
        print(f"{study.name:26} {len(with_rows):6,} of {len(every):6,}", flush=True)
    print(f"{'all':26} {traced:6,} of {shown:6,}: {100 * traced / shown:.2f} %")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
