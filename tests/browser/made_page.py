"""A small page with figures that have evidence, and a table to sort, fold, copy and save."""

from __future__ import annotations

from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output

from benchlib.answers.evidence import Evidence
from benchlib.answers.serialise import to_dict
from benchlib.report.page.export import check_page, to_html
from benchlib.report.page.page_exporter import ANSWERS
from benchlib.report.wording.markup import Column, Table, bullets, paragraph, render_table
from benchlib.report.wording.told import Told, evident, told

__all__ = ["FORMULA", "NAMES", "TIMES", "made_page"]

FORMULA = "the median <b>of</b> ten"
#: Names as a raw file may hold them: two of them a spreadsheet would run.
NAMES = ("plain", "=HYPERLINK(1)", "@SUM(A1)", 'a,b"c"', "<i>x</i>", "-2+3", "+cmd")
#: Seconds, out of order as numbers and as texts.
TIMES = (0.002, 0.00019, 1.5, 0.0203, 0.5, 0.0009, 3.0)
MANY = 40


def behind(number: int) -> Evidence:
    """Evidence of more rows than a page shows."""
    return Evidence(rows=tuple(f"run<{number}>.txt:{line}" for line in range(1, 60, 2)), formula=FORMULA)


def shown(seconds: float) -> str:
    """A time in a unit of its own."""
    return f"{1e3 * seconds:g} ms" if seconds < 1 else f"{seconds:g} s"


def cell(number: int, seconds: float) -> Told:
    """One figure of the table."""
    return evident(shown(seconds), behind(number), seconds)


def tables() -> list[Table]:
    """Seven rows that show; a table with a short fold; one whose fold is packed away."""
    heads = (Column(head="name", align="text"), Column(head="time", align="number"))
    heads += (Column(head="change", align="number"),)
    first = Table(
        caption="Times",
        columns=heads,
        rows=tuple(
            (name, cell(number, seconds), f"{number - 3:+d}".replace("-", "−"))
            for number, (name, seconds) in enumerate(zip(NAMES, TIMES, strict=True))
        ),
    )
    rest = [
        Table(
            caption=f"{count:,} rows",
            columns=heads,
            rows=tuple((f"row {place}", cell(place % 7, float(count - place)), "–") for place in range(count)),
        )
        for count in (12, MANY * 10)
    ]
    return [first, *rest]


def notebook() -> NotebookNode:
    """Sentences, tables, answers."""
    answers: dict[str, Any] = {
        "schema": "benchlib-answers/1",
        "answers": [
            {"values": [*TIMES, *range(MANY * 10 + 1)], "evidence": to_dict(behind(number))} for number in range(7)
        ],
    }
    data: list[dict[str, Any]] = [
        {"text/html": str(paragraph(told("The first takes 2 ms, the second 190 µs.", behind(0))))},
        {"text/html": str(bullets([told("of 7 rows", behind(1)), told("n = 5", behind(2))]))},
        *({"text/html": str(render_table(one, 5 if len(one.rows) > 7 else None))} for one in tables()),
        {ANSWERS: answers},
    ]
    outputs = [new_output("display_data", data=one) for one in data]
    return new_notebook(cells=[new_code_cell("x", outputs=outputs)])


def made_page() -> str:
    """The page, checked."""
    read = notebook()
    page = to_html(read, title="Made")
    (answers,) = (one.data[ANSWERS] for one in read.cells[0].outputs if ANSWERS in one.data)
    check_page(page, read, answers=answers)
    return page
