"""A capacity plan that answers other settings without a kernel: sliders over the very draws it was computed from.

    PlanningAnswer -> what_if_block -> markup with the plan as a table, and its draws packed
                                    -> what_if_script (in the browser): sliders in place of the table

The block stands by itself: any page or slide may take it, with the script and the rules of style beside it.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from markupsafe import Markup

from benchlib.answers.capacity import exported_codes, exported_plan
from benchlib.answers.capacity_plans import LoadPlan, PlanningAnswer
from benchlib.answers.evidence import Evidence
from benchlib.report.page.draw_packing import pack_draws
from benchlib.report.page.packing import pack_bytes
from benchlib.report.page.what_if_page import WHAT_IF
from benchlib.report.wording.markup import Column, Table, join, paragraph, render_table, tag
from benchlib.report.wording.plan_words import unjudged_words
from benchlib.report.wording.told import Told, told
from benchlib.report.wording.what_if import KIND_HEADS, LABELS, NOTE, kind_rows, plan_lines


def can_be_moved(answer: PlanningAnswer) -> bool:
    """Tell whether a page can answer other settings: a sweep of whole nodes has no kinds of node to move."""
    return all(one.counts != "nodes" for one in answer.loads)


def what_if_block(answer: PlanningAnswer) -> Markup:
    """Return a plan whose settings can be moved: target, headroom, lost nodes, limit, growth, size and cost of nodes.

    Only for a plan that `can_be_moved`. Where scripts run, `benchlib.report.page.scripts.what_if_script` puts sliders
    in place of the tables; elsewhere, as in a notebook, the tables say the plan.

    Examples
    --------
    >>> import benchlib
    >>> answer = benchlib.plan_capacity("data/onix-adapter-published", target="50000/s", draws=200)
    >>> what_if_block(answer).startswith('<div class="what-if">')
    True
    """
    loads = [_packed(answer, one) for one in answer.loads]
    head = {"words": {"labels": LABELS, "heads": KIND_HEADS, "note": NOTE}, "loads": [one for one, _ in loads]}
    text = json.dumps(head, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    packed = pack_bytes(text.encode("ascii") + b"\n" + b"".join(left for _, left in loads))
    plan = tag("div", *(_plan(answer, one) for one in answer.loads), css="what-if-plan")
    # A name of its own: several blocks may stand on one page.
    name = f"what-if-{hashlib.sha256(packed.encode()).hexdigest()[:8]}"
    data = tag("script", Markup(packed), type="text/plain", id=name)
    return tag("div", plan, data, css=WHAT_IF)


def _packed(answer: PlanningAnswer, plan: LoadPlan) -> tuple[dict[str, Any], bytes]:
    exported = exported_plan(answer, plan)
    levels = {one.concurrency for one in plan.measured} if plan.read_from == "points" else set()
    first = [at for at, one in enumerate(exported["concurrency"]) if one in levels]
    parts = [pack_draws(one, exported["laws"], first) for one in exported_codes(plan)]
    unjudged = "" if plan.best is None else unjudged_words(plan.best, answer)
    found = {**exported, "unjudged": unjudged, "steps": [steps for steps, _ in parts]}
    return found, b"".join(left for _, left in parts)


def _traced(line: str, behind: Evidence) -> Told:
    """Return a line with its own evidence, where it has some."""
    return line if isinstance(line, Told) and line.marks else told(line, behind)


def _plan(answer: PlanningAnswer, plan: LoadPlan) -> Markup:
    behind = plan.evidence if plan.best is None else plan.best.evidence
    lines = plan_lines(answer, plan)
    said = Table(
        caption=f"The plan: {plan.name}",
        columns=(Column(head="what", align="text"), Column(head="plan", align="text")),
        rows=tuple((label, _traced(lines[name], behind)) for name, label in LABELS.items()),
    )
    kinds = Table(
        caption=f"Every kind of node: {plan.name}",
        columns=tuple(Column(head=one, align="number" if at else "text") for at, one in enumerate(KIND_HEADS)),
        rows=tuple(
            (row[0], *(told(cell, one.evidence) for cell in row[1:]))
            for row, one in zip(kind_rows(answer, plan), plan.options, strict=True)
        ),
    )
    note = paragraph(
        "In a browser that runs the script of this page, sliders answer other settings from the same draws."
    )
    return join([render_table(said), render_table(kinds), note])
