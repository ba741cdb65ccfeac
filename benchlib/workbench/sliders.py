"""Answers with sliders, by ipywidgets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchlib.errors import DataError

if TYPE_CHECKING:
    from benchlib.workbench.plan import Plan
    from benchlib.workbench.scaling import Fit

__all__ = ["of_fit", "of_plan"]


def _widgets() -> Any:
    try:
        import ipywidgets
    except ImportError as error:
        raise DataError("sliders need ipywidgets; pip install ipywidgets, or make lab") from error
    return ipywidgets


def of_fit(fit: Fit) -> Any:
    """Return the chart of a fit with a choice of law, and of the largest level that counts."""
    widgets = _widgets()
    levels = [float(level) for level in fit.answer.curve.concurrency]
    laws = [law.law for law in fit.answer.fits]

    def show(law: str, up_to: float) -> Any:
        beyond = [level for level in levels if level > up_to]
        return (fit.without(n=beyond) if beyond else fit).with_law(law).plot()

    return widgets.interactive(
        show,
        law=widgets.Dropdown(options=laws, value=fit.law),
        up_to=widgets.SelectionSlider(options=levels[2:] or levels, value=levels[-1], description="up to"),
    )


def of_plan(plan: Plan) -> Any:
    """Return a plan with sliders for target, headroom and nodes that may fail."""
    widgets = _widgets()
    target = plan.answer.loads[0].target

    def show(times: float, headroom: float, survive: int) -> Any:
        return plan.what_if(target=times * target, headroom=headroom, survive=survive)

    return widgets.interactive(
        show,
        times=widgets.FloatSlider(value=1, min=0.25, max=4, step=0.25, description="load x"),
        headroom=widgets.FloatSlider(value=0.0, min=0, max=0.6, step=0.05),
        survive=widgets.IntSlider(value=0, min=0, max=3),
    )
