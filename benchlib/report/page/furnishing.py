"""An executed notebook furnished by a house: its sections in the house's order, its charts in the house's colours."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchlib.errors import choices, printable, suggestion
from benchlib.report.page.charts import PLOTLY
from benchlib.report.page.colours import recoloured
from benchlib.report.page.style import KEPT, HouseStyle, PagePlan

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["furnished", "sections_of"]

_ANCHOR = re.compile(r'<h2\b[^>]*\bid="([^"]*)"')
_HEADING = re.compile(r"^##\s+(.+?)\s*$", re.MULTILINE)

#: What an output of text holds.
_TEXTS = {"text/html", "text/plain"}


def furnished(
    notebook: NotebookNode, style: HouseStyle, page: str, appended: NotebookNode | None = None
) -> NotebookNode:
    """Return a notebook as a house wants it shown; every answer in it stays.

    Parameters
    ----------
    notebook : NotebookNode
        Executed.
    style : HouseStyle
    page : str
        The stem of the notebook.
    appended : NotebookNode, optional
        The house's own notebook, executed, whose cells end the page.

    Raises
    ------
    StudyError
        If the style names a section that the page does not have.
    """
    made = copy.deepcopy(notebook)
    plan = style.pages.get(page)
    if plan is not None:
        made.cells = _ordered(made, plan)
    if appended is not None:
        made.cells += _renamed(copy.deepcopy(appended))
    if style.colours.charts:
        for cell in made.cells:
            for output in cell.get("outputs", []):
                if PLOTLY in output.get("data", {}):
                    output.data[PLOTLY] = recoloured(output.data[PLOTLY], style.colours.charts)
    return made


def sections_of(notebook: NotebookNode) -> tuple[str, ...]:
    """Return the anchors of the sections of an executed notebook, in their order."""
    return tuple(anchor for cell in notebook.cells if (anchor := _anchor(cell)))


def _ordered(notebook: NotebookNode, plan: PagePlan) -> list[NotebookNode]:
    """Return the cells: what precedes every section, the sections named first, the rest, without those left out."""
    parts = list(_parts(notebook))
    known = [anchor for anchor, _ in parts if anchor]
    silent = {cell.id for cell in notebook.cells if _is_silent(cell)}
    for key, names in (("first", plan.first), ("leave_out", plan.left_out)):
        for number, name in enumerate(names):
            if name not in known and name not in silent:
                allowed = [one for one in known if key == "first" or one not in KEPT]
                near = suggestion(name, allowed)
                raise plan.section.document.error(
                    (*plan.section.path, key, number),
                    f"'{key}' {plan.section.label}: no section '{printable(name, 60)}'{near}"
                    f"{' Sections' if near else '; sections'}: {choices(allowed, 40)}",
                )
    order = ["", *plan.first, *(one for one in known if one not in plan.first)]
    place = {anchor: number for number, anchor in enumerate(dict.fromkeys(order))}
    kept = [one for one in parts if one[0] not in plan.left_out]
    return [cell for _, cells in sorted(kept, key=lambda part: place[part[0]]) for cell in cells]


def _parts(notebook: NotebookNode) -> Iterator[tuple[str, list[NotebookNode]]]:
    """Give each section with its cells; cells before the first section come under ""."""
    anchor = ""
    cells: list[NotebookNode] = []
    for cell in notebook.cells:
        begun = _anchor(cell)
        if begun:
            yield anchor, cells
            anchor, cells = begun, []
        cells.append(cell)
    yield anchor, cells


def _anchor(cell: NotebookNode) -> str:
    """Return the section that a cell begins: the id of its heading, or the words of a Markdown one as an id."""
    if cell.cell_type == "markdown":
        found = _HEADING.search(cell.source)
        return re.sub(r"[^a-z0-9]+", "-", found[1].lower()).strip("-") if found else ""
    for output in cell.get("outputs", []):
        markup = output.get("data", {}).get("text/html", "")
        if found := _ANCHOR.search("".join(markup)):
            return found[1]
    return ""


def _is_silent(cell: NotebookNode) -> bool:
    """Whether a section was asked for and had nothing to show, as key results where nothing was asked."""
    shown = [output.get("data", {}) for output in cell.get("outputs", [])]
    return bool(shown) and all(one.keys() <= _TEXTS and not "".join(one.get("text/html", " ")) for one in shown)


def _renamed(appended: NotebookNode) -> list[NotebookNode]:
    """Return the cells of the house's notebook with ids of their own, and without its answers."""
    from benchlib.report.page.page_exporter import ANSWERS

    cells = [one for one in appended.cells if "parameters" not in one.metadata.get("tags", [])]
    for number, cell in enumerate(cells, 1):
        cell.id = f"house-{number}"
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(ANSWERS, None)
    return cells
