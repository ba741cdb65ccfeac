"""A chart that shows itself everywhere: plotly where it runs, a picture where it does not, words where neither does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from benchlib.document.blocks import Figure, Panel
from benchlib.document.numbers import words_of
from benchlib.errors import DataError, InputError, ParameterError, choices, printable, suggestion
from benchlib.figures.style import COLOURS, plain
from benchlib.files import replacing, scratch
from benchlib.render.notebook import alt_of, figure_bundle, figure_words
from benchlib.render.panels import Theme, one_chart
from benchlib.render.svg import MOST_MARKS, lines_of, svg
from benchlib.workbench.options import options

if TYPE_CHECKING:
    import pandas as pd
    from plotly.graph_objects import Figure as PlotlyFigure

__all__ = ["Chart"]

_SUFFIXES = (".svg", ".png", ".html")
#: What two axes have in common when charts may lie over each other.
_SAME = ("type", "ticksuffix", "tickprefix", "tickformat")


class Chart:
    """What ``.plot()`` returns: a figure that a notebook shows, and that can be saved, restyled and laid over another.

    Examples
    --------
    >>> from benchlib.figures.style import chart
    >>> drawn = chart([{"type": "scatter", "mode": "lines", "x": [1, 2], "y": [3.0, 5.0]}])
    >>> shown = Chart(Figure(finding=("It grows",), panels=(Panel(chart=drawn),), alt="A line that rises."))
    >>> shown
    Chart: It grows. A line that rises.
    >>> shown.data
      series  x    y
    0      1  1  3.0
    1      1  2  5.0
    """

    def __init__(self, block: Figure) -> None:
        self._block = block

    @property
    def block(self) -> Figure:
        """The figure as pages, slides and documents take it."""
        return self._block

    @property
    def alt(self) -> str:
        """What the chart shows, in words, for those who cannot see it."""
        return alt_of(self._block)

    @property
    def figure(self) -> PlotlyFigure:
        """A plotly figure of its own, to restyle."""
        from plotly.graph_objects import Figure as PlotlyFigure

        return PlotlyFigure({**self._plotly(), "layout": {**self._plotly()["layout"], "template": {}}})

    @property
    def data(self) -> pd.DataFrame:
        """What is drawn, a row a point, bar or cell: series, x, y, and what else is known of it."""
        import pandas as pd

        rows = [row for place, panel in enumerate(self._block.panels, 1) for row in _rows(panel, place)]
        columns = ["panel", "series", "x", "y", "z", "low", "high", "words"]
        frame = pd.DataFrame(rows, columns=columns).dropna(axis="columns", how="all")
        return frame.drop(columns="panel") if len(self._block.panels) == 1 else frame

    def title(self, words: str) -> Chart:
        """Return the chart under other words."""
        return Chart(structs.replace(self._block, finding=(words,)))

    def __add__(self, other: Chart) -> Chart:
        """Return both charts on the same axes; what is of the second has colours of its own."""
        if not isinstance(other, Chart):
            return NotImplemented
        if len(self._block.panels) != len(other._block.panels):
            counts = len(self._block.panels), len(other._block.panels)
            raise DataError(f"charts of {counts[0]} and {counts[1]} panels cannot lie over each other")
        names = self._words() or "first", other._words() or "second"
        pairs = zip(self._block.panels, other._block.panels, strict=True)
        panels = tuple(_laid_over(one, two, names) for one, two in pairs)
        return Chart(structs.replace(self._block, panels=panels, alt=f"{self._block.alt} Over it: {other._block.alt}"))

    def save(self, path: str | Path) -> Path:
        """Write the chart as ``.svg``, ``.png`` (by Chromium) or ``.html`` (one offline page), and return the path."""
        path = Path(path)
        kind = path.suffix.lower()
        if kind not in _SUFFIXES:
            near = suggestion(kind, _SUFFIXES)
            raise ParameterError(
                f"'{printable(path.name)}': a chart is not saved as '{printable(kind, 20)}'{near}; "
                f"accepted: {choices(_SUFFIXES)}"
            )
        with replacing(path) as temporary:
            if kind == ".png":
                self._draw_png(temporary)
            else:
                text = self.drawn() if kind == ".svg" else self._page()
                temporary.write_text(text, encoding="utf-8")
        return path

    def __repr__(self) -> str:
        return figure_words(self._block)

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what a front end may choose from; Lab takes plotly, exports the picture, a terminal the words."""
        return figure_bundle(self._block, _theme(), moving=not options().static)

    def _words(self) -> str:
        return words_of(self._block.finding)

    def _plotly(self) -> dict[str, Any]:
        return one_chart(self._block, _theme())

    def drawn(self, most_marks: int = MOST_MARKS) -> str:
        """Return the chart as SVG; a trace of more marks than these is thinned."""
        return svg(self._plotly(), alt=self.alt, most_marks=most_marks)

    def _page(self) -> str:
        from benchlib.render.page import page

        return page(None, title=self._words() or "Chart", before=(structs.replace(self._block, finding=()),))

    def _draw_png(self, path: Path) -> None:
        from benchlib.render.chromium import find_chromium, screenshot

        try:
            find_chromium()
        except InputError as error:
            raise InputError(
                "PNG is drawn by Chromium, and there is none on the PATH; install it (Debian: apt install chromium), "
                "name it in BENCHLIB_CHROMIUM, or save the chart as .svg"
            ) from error
        layout = self._plotly()["layout"]
        with scratch() as folder:
            drawing = folder / "chart.svg"
            drawing.write_text(self.drawn(), encoding="utf-8")
            screenshot(drawing, path, width=layout["width"], height=layout["height"])


def _theme() -> Theme:
    return "dark" if options().theme == "dark" else "light"


# ---- what is drawn, as a table ----


def _rows(panel: Panel, place: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    names = {side: _place_names(panel.chart["layout"].get(f"{side}axis", {})) for side in ("x", "y")}
    for number, trace in enumerate(panel.chart["data"], 1):
        common = {"panel": panel.title or place, "series": trace.get("name") or str(number)}
        if trace.get("type") == "heatmap":
            for at, values in enumerate(trace["z"]):
                y = (trace.get("y") or range(len(trace["z"])))[at]
                x = trace.get("x") or range(len(values))
                rows += [{**common, "x": one, "y": y, "z": value} for one, value in zip(x, values, strict=True)]
            continue
        words = trace.get("hovertext") or trace.get("text")
        bars = trace.get("error_y") or trace.get("error_x") or {}
        side = "y" if "error_y" in trace else "x"
        for at, (x, y) in enumerate(zip(trace.get("x", ()), trace.get("y", ()), strict=False)):
            if x is None or y is None:
                continue
            row = {**common, "x": names["x"].get(x, x), "y": names["y"].get(y, y)}
            if isinstance(words, list | tuple) and at < len(words):
                row["words"] = " ".join(lines_of(words[at]))
            if bars.get("array") is not None:
                less = bars.get("arrayminus") or bars["array"]
                row |= {"low": trace[side][at] - less[at], "high": trace[side][at] + bars["array"][at]}
            rows.append(row)
    return rows


def _place_names(axis: Mapping[str, Any]) -> dict[float, str]:
    """Return what an axis calls its places, where they are names rather than the numbers themselves."""
    if axis.get("type") == "log":
        return {}
    pairs = zip(axis.get("tickvals") or (), axis.get("ticktext") or (), strict=False)
    return {at: " ".join(lines_of(name)) for at, name in pairs if name and name != f"{at:g}"}


# ---- one chart over another ----


def _laid_over(below: Panel, above: Panel, names: tuple[str, str]) -> Panel:
    """Return a panel with the traces and marks of both; the legend names both where their traces have no names."""
    layout = dict(below.chart["layout"])
    for side in ("xaxis", "yaxis"):
        layout[side] = _shared_axis(layout.get(side, {}), above.chart["layout"].get(side, {}), side)
    moved = _recoloured(above.chart, _new_colours(below.chart, above.chart))
    for name in ("annotations", "shapes"):
        layout[name] = [*layout.get(name, ()), *moved["layout"].get(name, ())]
    data = [*_named(below.chart["data"], names[0]), *_named(moved["data"], names[1])]
    return structs.replace(below, chart={"data": data, "layout": layout})


def _shared_axis(one: Mapping[str, Any], two: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return an axis that holds what is on both; axes of different scales, units or names cannot be shared."""
    differing = [(str(one.get(key, "")), str(two.get(key, ""))) for key in _SAME if one.get(key) != two.get(key)]
    words = [dict(zip(axis.get("tickvals") or (), axis.get("ticktext") or (), strict=False)) for axis in (one, two)]
    differing += [(words[0][at], words[1][at]) for at in words[0] if at in words[1] and words[0][at] != words[1][at]]
    if differing:
        first, second = (printable(part or "none", 40) for part in differing[0])
        raise DataError(
            f"the {name} of the charts differs: '{first}' in the first, '{second}' in the second; "
            "only charts of the same axes lie over each other, so show them one below the other"
        )
    shared = dict(one)
    if ticks := words[0] | words[1]:
        shared |= {"tickvals": sorted(ticks), "ticktext": [ticks[at] for at in sorted(ticks)]}
    if one.get("range") and two.get("range"):
        ends = sorted([*one["range"], *two["range"]], reverse=one["range"][0] > one["range"][1])
        shared["range"] = [ends[0], ends[-1]]
    return shared


def _named(traces: Sequence[Mapping[str, Any]], name: str) -> list[dict[str, Any]]:
    """Return traces whose first visible marks stand in the legend, unless some stand there already."""
    named = [dict(trace) for trace in traces]
    if not any(trace.get("name") and trace.get("showlegend") for trace in named):
        strongest = max(named, key=lambda trace: "markers" in trace.get("mode", ""), default={})
        strongest |= {"name": plain(name), "showlegend": True}
    return named


def _new_colours(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, str]:
    """Return which colours of the upper chart become which, so that none means two things."""
    taken = _colours(below)
    shared = [colour for colour in COLOURS if colour in taken & _colours(above)]
    free = [colour for colour in COLOURS if colour not in taken | _colours(above)]
    return dict(zip(shared, free, strict=False))


def _colours(part: Any) -> set[str]:
    if isinstance(part, Mapping):
        return set().union(*map(_colours, part.values()))
    if isinstance(part, list | tuple):
        return set().union(*map(_colours, part))
    return {part} if isinstance(part, str) and part in COLOURS else set()


def _recoloured(part: Any, colours: Mapping[str, str]) -> Any:
    if isinstance(part, Mapping):
        return {name: _recoloured(value, colours) for name, value in part.items()}
    if isinstance(part, list | tuple):
        return [_recoloured(value, colours) for value in part]
    return colours.get(part, part) if isinstance(part, str) else part
