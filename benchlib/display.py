"""Rich display of answers in Jupyter, registered from outside the rooms that make them.

Formatters are registered by type name, so that importing benchlib in a notebook imports neither
plotly nor any answer before it is used.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["register"]

#: Answer -> the function of `benchlib.report.wording` that tells it.
_TABLES = {
    ("benchlib.answers.samples", "SampleTable"): "measured_tables.sample_table",
    ("benchlib.answers.scaling", "CurveAnswer"): "scaling_tables.curve_table",
    ("benchlib.answers.scaling", "ScalingAnswer"): "scaling_tables.fits_table",
    ("benchlib.answers.capacity_plans", "PlanningAnswer"): "plan_tables.plans_table",
    ("benchlib.answers.comparison", "ComparisonAnswer"): "tables.comparison_table",
    ("benchlib.answers.latency", "LatencyAnswer"): "measured_tables.latency_table",
    ("benchlib.answers.effects", "EffectsAnswer"): "effects_tables.effects_table",
    ("benchlib.answers.quality", "DataQuality"): "measured_tables.files_table",
}
#: The MIME type under which a notebook carries a figure, as JupyterLab and plotly know it.
FIGURE_MIME = "application/vnd.plotly.v1+json"
#: plotly's name of the renderer that shows it so.
_RENDERER = "plotly_mimetype"
#: The custom MIME type under which a notebook carries its answers.
ANSWERS_MIME = "application/vnd.benchlib.answers+json"


def register() -> None:
    """Teach the running IPython, if there is one, to show answers and report sections."""
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    if shell is None or shell.display_formatter is None:
        return
    html = shell.display_formatter.formatters["text/html"]
    for (module, name), function in _TABLES.items():
        html.for_type_by_name(module, name, _as_table(function))
    html.for_type_by_name("benchlib.answers.asking", "Refusal", _refusal)
    html.for_type_by_name("benchlib.report.wording.markup", "Table", _table)
    whole = shell.display_formatter.ipython_display_formatter
    whole.for_type_by_name("benchlib.report.wording.markup", "Section", _section)
    whole.for_type_by_name("benchlib.report.wording.record", "Record", _record)
    if os.environ.get("PLOTLY_RENDERER") == _RENDERER:
        whole.for_type_by_name("plotly.graph_objs._figure", "Figure", _figure)


def load_ipython_extension(_: object) -> None:
    """Do what importing benchlib in a notebook does, for a shell that started after benchlib was imported."""
    register()


def _as_table(function: str) -> Callable[[Any], str]:
    def tell(answer: Any) -> str:
        module, _, name = function.partition(".")
        tables = importlib.import_module(f"benchlib.report.wording.{module}")
        return _table(getattr(tables, name)(answer)) + _caveats(answer)

    return tell


def _table(table: Any) -> str:
    from benchlib.report.wording.markup import render_table

    return str(render_table(table))


def _caveats(answer: Any) -> str:
    from benchlib.report.wording.caveats import caveat_list

    return str(caveat_list(answer.caveats))


def _refusal(refusal: Any) -> str:
    from benchlib.report.wording.caveats import refusal_line

    return str(refusal_line(refusal))


def _section(section: Any) -> None:
    from IPython.display import display

    from benchlib.report.wording.markup import Table, section_heading

    markup = [str(section_heading(section))]
    for block in section.blocks:
        if isinstance(block, Table):
            markup.append(_table(block))
        elif hasattr(block, "__html__"):
            markup.append(str(block))
        else:  # a figure: what stands before it is one output, not many
            if markup:
                _show("\n".join(markup))
            markup = []
            display(block)
    if markup:
        _show("\n".join(markup))


def _show(markup: str) -> None:
    """Show what `IPython.display.HTML` does, which a dozen formatters would be asked for first."""
    from IPython.display import display

    display({"text/html": markup, "text/plain": "<IPython.core.display.HTML object>"}, raw=True)


def _figure(figure: Any) -> None:
    """Show a figure as plotly's renderer of this MIME type does by itself, without the imports of all its others.

    Somebody may have chosen another of them by now, or has a kind of figure of their own.
    """
    from IPython.display import display

    plotly = sys.modules.get("plotly.io._renderers")
    another = plotly is not None and plotly.renderers.default != _RENDERER
    if another or type(figure).__module__ != "plotly.graph_objs._figure":
        figure._ipython_display_()
        return
    display({FIGURE_MIME: json.loads(figure.to_json(validate=False, remove_uids=False))}, raw=True)


def _record(record: Any) -> None:
    from IPython.display import display

    display({ANSWERS_MIME: record.answers, "text/plain": record.summary}, raw=True)
