"""What every slide of the deck is made of, and which load and curve it follows."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from benchlib.answers.asking import Refusal
from benchlib.answers.capacity_plans import LoadPlan, NodeOption, PlanningAnswer
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.report.wording.leading import led
from benchlib.report.wording.markup import Section, paragraph

#: What is shown where there is nothing to say.
NOTHING = Section(title="", anchor="", blocks=())
#: Lines, files and steps that a slide has room for.
MOST = 6

Plan = PlanningAnswer | Refusal
Curves = ScalingAnswer | Refusal
Tell = Callable[[PlanningAnswer, LoadPlan, NodeOption], Section]


def slide(kicker: str, anchor: str, message: str, *blocks: object) -> Section:
    """Build a slide: its message is its title, and the kicker above it says what it is about."""
    return Section(title=message, anchor=anchor, blocks=(paragraph(kicker, css="kicker"), *blocks))


def about(kicker: str, answer: PlanningAnswer) -> str:
    """Name the load that a slide is about where there are several."""
    return f"{kicker}: {answer.loads[0].name}" if len(answer.loads) > 1 else kicker


def where_planned(tell: Tell) -> Callable[[Plan], Section]:
    """Show nothing where there is no plan: the verdict has said why."""

    @wraps(tell)
    def told(answer: Plan) -> Section:
        if isinstance(answer, Refusal):
            return NOTHING
        first = led(answer)
        best = first.loads[0].best
        return NOTHING if best is None else tell(first, first.loads[0], best)

    return told


def lead(answer: Plan) -> LoadPlan | None:
    """Return the plan of the load that takes the most; None where there is none."""
    return None if isinstance(answer, Refusal) else led(answer).loads[0]


def followed(curves: ScalingAnswer, answer: Plan) -> CurveAnswer:
    """Return the curve that the slides follow; a mix bears the name of the curve that it was made from first."""
    plan = lead(answer)
    name = plan.name if plan is not None else ""
    return next(
        (one for one in curves.curves if name == one.name or name.startswith(f"{one.name}, ")), curves.curves[0]
    )
