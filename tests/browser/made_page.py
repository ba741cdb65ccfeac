"""A small page with numbers that have evidence, and tables to sort, fold and save."""

from __future__ import annotations

from benchlib.answers.evidence import Evidence
from benchlib.document.blocks import (
    Column,
    Confidence,
    Document,
    Doubt,
    Fact,
    Figure,
    Fold,
    Link,
    List,
    Number,
    Panel,
    Section,
    Table,
)
from benchlib.figures.style import chart
from benchlib.render.check import check_page
from benchlib.render.page import page

__all__ = ["FORMULA", "NAMES", "TIMES", "made_document", "made_page"]

FORMULA = "the median <b>of</b> ten"
#: Names as a raw file may hold them: two of them a spreadsheet would run.
NAMES = ("plain", "=HYPERLINK(1)", "@SUM(A1)", 'a,b"c"', "<i>x</i>", "-2+3", "+cmd")
#: Seconds, out of order as numbers and as texts.
TIMES = (0.002, 0.00019, 1.5, 0.0203, 0.5, 0.0009, 3.0)


def time(number: int) -> Number:
    """A time with more rows behind it than a page shows."""
    rows = tuple(f"run<{number}>.txt:{line}" for line in range(1, 60, 2))
    return Number(value=TIMES[number % 7], unit="sec", evidence=Evidence(rows=rows, formula=FORMULA))


def made_document(names: tuple[str, ...] = NAMES) -> Document:
    """A document of every kind of block; every name stands wherever a name may stand."""
    columns = (Column(head=names[0]), Column(head="time", unit="sec", kind="number"))
    rows = tuple((name, time(place)) for place, name in enumerate(names))
    many = tuple((f"row {place}", time(place)) for place in range(400))
    traces = [{"type": "bar", "name": name, "x": [name], "y": [1], "text": [name]} for name in names]
    panel = Panel(chart=chart(traces), title=names[0], line=names[1])
    figure = Figure(finding=(names[2],), panels=(panel, panel), alt=names[3], note=names[4])
    items = tuple((f"{name} took ", time(place)) for place, name in enumerate(names))
    blocks = (
        List(items=items),
        Table(caption="Times", columns=columns, rows=rows, shown=100),
        Fold(line=(names[1],), blocks=(Table(caption="Many", columns=columns, rows=many),), anchor="fold"),
    )
    doubt = Doubt(anchor="doubt", text=(names[4],), fix=(names[5],))
    return Document(
        title=names[0],
        about=names[:3],
        status="Answered",
        answer=("The first takes ", time(0), ", the second ", time(1), f". {names[4]}"),
        decision=(names[5],),
        confidence=Confidence(level="medium", reason=(names[6],)),
        figure=figure,
        facts=(Fact(value=(time(2),), line=(names[0],)), Fact(value=(time(3),), line=(names[1],))),
        doubts=(Link(names[4], "doubt"),),
        sections=(
            Section(title=names[4], anchor="blocks", blocks=blocks),
            Section(title="What could be wrong", anchor="wrong", blocks=(doubt,)),
        ),
        answers={},
    )


def made_page(names: tuple[str, ...] = NAMES) -> str:
    """The page, checked."""
    made = page(made_document(names), footer=names[2])
    check_page(made)
    return made
