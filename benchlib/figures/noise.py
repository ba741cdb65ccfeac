"""Where the noise lives: what runs differ by above what the values of one run differ by, a pair of bars a benchmark."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib.answers.noise import NoiseRow
from benchlib.document.blocks import Figure, Panel, Text
from benchlib.document.words import count, metric_words, place_words, plain_name
from benchlib.figures.style import BROWN, COLOURS, Mark, chart, plain

__all__ = ["noise_figure"]

#: Benchmarks that have room, and letters of a name.
_MOST_ROWS, _LONGEST = 6, 22


def noise_figure(rows: Sequence[NoiseRow], finding: Text) -> Figure:
    """Draw the parts of the noisiest benchmarks, the outermost level on top."""
    rows = sorted(rows, key=lambda row: -row.budget.total)[:_MOST_ROWS]
    levels = list(dict.fromkeys(part.name for row in rows for part in row.budget.parts))
    names = [_name(row, rows) for row in rows]
    traces: list[Mark] = []
    for place, level in enumerate(levels):
        parts = [next((part for part in row.budget.parts if part.name == level), None) for row in rows]
        sizes = [part.sd if part is not None else None for part in parts]
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "x": sizes,
                "y": names,
                "name": plain(_between(level)),
                "text": ["" if size is None else f"{size:.1%}" for size in sizes],
                "textposition": "outside",
                "cliponaxis": False,
                "hoverinfo": "skip",
                "marker": {"color": BROWN if level == "value" else COLOURS[(2 * place) % len(COLOURS)]},
            }
        )
    widest = max(part.sd for row in rows for part in row.budget.parts)
    drawn = chart(
        traces[::-1],
        height=50 + min(28 * len(levels), 64) * len(rows),
        xaxis={"range": [0, widest * 1.8 or 1.0], "tickformat": ".0%"},
        yaxis={"autorange": "reversed", "automargin": True},
    )
    return Figure(
        finding=finding,
        panels=(Panel(chart=drawn, line=_order(levels)),),
        alt="For each benchmark, how much its runs differ and how much the values of one run do.",
        note="standard deviations of one value, in percent of it",
    )


def _order(levels: Sequence[str]) -> str:
    """Say which bar is of which level."""
    return (
        f"from top to bottom: {', '.join(map(_between, reversed(levels)))}" if len(levels) > 1 else _between(levels[0])
    )


def _between(level: str) -> str:
    return "values" if level == "value" else f"{plain_name(level)}s"


def _name(row: NoiseRow, rows: Sequence[NoiseRow]) -> str:
    name = place_words(row.key) or str(row.key.get("benchmark", "")) or count(row.benchmarks, "benchmark")
    name = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
    several = sum(dict(other.key) == dict(row.key) for other in rows) > 1
    return plain(f"{name}: {metric_words(row.metric)}" if several else name)
