"""A page with one what-if block, made from a plan by the exporter of every page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchlib.report.page.page_exporter import ANSWERS
from nbformat.v4 import new_code_cell, new_notebook, new_output

from benchlib.answers.capacity import planning_document
from benchlib.answers.capacity_plans import PlanningAnswer
from benchlib.report.page.export import check_page, to_html
from benchlib.report.page.what_if import what_if_block

__all__ = ["planned_page"]


def planned_page(answer: PlanningAnswer, folder: Path) -> str:
    """Write the page, checked, and return its address."""
    answers = planning_document(answer)
    data: list[dict[str, Any]] = [{"text/html": str(what_if_block(answer))}, {ANSWERS: answers}]
    outputs = [new_output("display_data", data=one) for one in data]
    read = new_notebook(cells=[new_code_cell("x", outputs=outputs)])
    page = to_html(read, title="What if")
    check_page(page, read, answers=answers)
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    return path.as_uri()
