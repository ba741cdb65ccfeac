"""Where the time of one unit of work goes: shares of work and losses at every level measured."""

from __future__ import annotations

import plotly.graph_objects as go

from benchlib.answers.scaling import CurveAnswer
from benchlib.plots.style import AXIS, empty_figure, plain
from benchlib.units import show

__all__ = ["split_figure"]

#: Part of the time -> colour and hatching: the hatching is what greyscale and colour-blind readers see.
_PARTS = {
    "work": ("#56B4E9", ""),
    "serial_fraction": ("#D55E00", "/"),
    "contention": ("#D55E00", "/"),
    "coherency": ("#0072B2", "x"),
    "waiting": ("#E69F00", "\\"),
}
_OTHER = ("#CC79A7", ".")


def split_figure(one: CurveAnswer, *, unit: str, alt: str, caption: str) -> go.Figure | None:
    """Draw what the time N / X(N) goes to, a bar a level; None where no law was chosen.

    Shares and not times are drawn, because at the largest levels the times would dwarf the others.
    ``unit`` is that of the time.
    """
    if not one.split:
        return None
    figure = empty_figure(alt=alt, caption=caption, height=340)
    levels = [f"{split.concurrency:g}" for split in one.split]
    for part in one.split[0].parts:
        colour, hatching = _PARTS.get(part, _OTHER)
        name = part.replace("_", " ")
        figure.add_trace(
            go.Bar(
                x=levels,
                y=[split.shares[part] for split in one.split],
                name=name,
                marker={
                    "color": colour,
                    "line": {"color": AXIS, "width": 1},
                    "pattern": {"shape": hatching, "fillmode": "overlay", "fgcolor": "#ffffff", "size": 7},
                },
                customdata=[plain(show(split.parts[part], unit, like=split.latency)) for split in one.split],
                hovertemplate=f"%{{x}}: {name} %{{y:.1%}}, %{{customdata}}<extra></extra>",
            )
        )
    figure.update_layout(barmode="stack", legend={"traceorder": "normal"})
    figure.update_xaxes(type="category", title=plain(one.axis))
    figure.update_yaxes(title="share of the time in the system", tickformat=".0%", range=[0, 1])
    return figure
