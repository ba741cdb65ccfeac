"""A chart as a static picture: plotly's JSON as SVG, without a browser and without plotly.

It draws what benchlib's charts use: points, lines, error bars, bands, bars, heat maps, shapes, annotations, linear,
logarithmic and named axes, several panels, a legend. Any other kind of trace is refused by name.
"""

from __future__ import annotations

import base64
import html
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from benchlib.errors import DataError, printable
from benchlib.figures.style import AXIS, COLOURS, INK, MUTED, contrast, mixed
from benchlib.render.seen import seen

__all__ = [
    "MOST_MARKS",
    "SCALE",
    "Axis",
    "axes_of",
    "legend_rows",
    "lines_of",
    "picture",
    "svg",
    "text_width",
    "trace_kind",
]

#: Names longer than this are cut; a trace of more marks is thinned to what a picture can show.
_MOST_LETTERS, _MOST_ALT, MOST_MARKS = 160, 1000, 3000
#: Height of a line of text, and where its baseline lies, in sizes of its font.
_LINE, _BASE = 1.3, 0.35
#: CSS pixels between ticks, along and up.
_ALONG, _UP = 55, 34
_BREAK = re.compile(r"<br ?/?>")
_COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}|[a-z]{3,20}")
_RGB = re.compile(r"rgba?\(\s*([\d.]+)\s*,\s*([\d.]+)\s*,\s*([\d.]+)\s*(?:,\s*([\d.]+)\s*)?\)")
_DASHES = {"dash": "6 4", "dot": "2 3", "dashdot": "6 3 2 3", "longdash": "10 5", "longdashdot": "10 4 2 4"}
#: Letters by width, in shares of the font's size: what the widest of the common fonts without serifs take.
_WIDTHS = {0.32: "ijl.,:;'|!()[]It/ f", 0.42: 'r-"*', 0.92: "mwMW%@→←", 0.74: "ABCDGHKNOQRSUVXYZ&"}
_WIDTH = {letter: width for width, letters in _WIDTHS.items() for letter in letters}
_OTHER_LETTER, _WIDE_LETTER, _WIDE_FROM = 0.62, 1.0, 0x1100

#: What plotly calls a heat map's colours, from the least to the most: light to dark, so that it survives greyscale.
SCALE = ((0.0, "#eef4fa"), (0.5, "#6aa3cf"), (1.0, "#08406f"))

Marks = Mapping[str, Any]
Place = tuple[float, float]
#: Left, top, right and bottom, in CSS pixels.
Box = tuple[float, float, float, float]


# ---- text ----


def lines_of(text: object) -> list[str]:
    r"""Return the lines of a label as words: plotly's line breaks and escapes are read, anything else is text.

    Examples
    --------
    >>> lines_of("a &lt;b&gt;<br>c\u202e")
    ['a <b>', 'c\\u202e']
    """
    lines = [seen(html.unescape(line)) for line in _BREAK.split(str(text))]
    return [line if len(line) <= _MOST_LETTERS else f"{line[: _MOST_LETTERS - 1]}…" for line in lines]


def text_width(text: object, size: float) -> float:
    """Return about how many CSS pixels a label takes."""
    return size * max(
        sum(_WIDTH.get(letter, _WIDE_LETTER if ord(letter) >= _WIDE_FROM else _OTHER_LETTER) for letter in line)
        for line in lines_of(text)
    )


def _escaped(text: str) -> str:
    return html.escape(text, quote=True)


def _text(text: object, at: Place, font: Marks, *, across: str = "center", up: str = "middle", angle: float = 0) -> str:
    """Write a label whose ``across`` (left, center, right) and ``up`` (top, middle, bottom) is at a place."""
    lines = lines_of(text)
    if not any(line.strip() for line in lines) or not all(map(math.isfinite, at)):
        return ""
    size = float(font.get("size", 12))
    step, whole = _LINE * size, _LINE * size * len(lines)
    top = at[1] - {"top": 0.0, "middle": whole / 2, "bottom": whole}[up]
    x, y = _px(at[0]), top + step / 2 + _BASE * size
    anchor = {"left": "", "center": ' text-anchor="middle"', "right": ' text-anchor="end"'}[across]
    turn = f' transform="rotate({angle:g} {_px(at[0])} {_px(at[1])})"' if angle else ""
    weight = ' font-weight="600"' if font.get("weight") in ("bold", 600) else ""
    paint = _paint("fill", font.get("color", INK))
    start = f'<text{anchor}{turn}{weight} font-size="{size:g}" {paint}'
    if len(lines) == 1:
        return f'{start} x="{x}" y="{_px(y)}">{_escaped(lines[0])}</text>'
    spans = (f'<tspan x="{x}" y="{_px(y + n * step)}">{_escaped(line)}</tspan>' for n, line in enumerate(lines))
    return f"{start}>{''.join(spans)}</text>"


def _px(value: float) -> str:
    """Write a length to a tenth of a CSS pixel, without a zero that says nothing."""
    return (
        f"{value:.1f}".removesuffix(".0").replace("-0", "0", 1)
        if abs(value) < 0.05
        else f"{value:.1f}".removesuffix(".0")
    )


def _paint(what: str, colour: object, opacity: float = 1.0) -> str:
    """Write a colour as an attribute; its transparency is one of its own, which every reader of SVG knows."""
    words = str(colour)
    if match := _RGB.fullmatch(words):
        words = "#{:02x}{:02x}{:02x}".format(*(min(255, round(float(part))) for part in match.groups()[:3]))
        opacity *= float(match[4] or 1)
    elif not _COLOUR.fullmatch(words):
        words = MUTED
    return f'{what}="{words}"' + (f' {what}-opacity="{opacity:.3g}"' if opacity < 1 else "")


# ---- axes ----


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """An axis: where its ends lie in the picture, what they are, and its ticks; on a logarithmic one as exponents."""

    given: Marks
    start: float
    end: float
    low: float
    high: float
    log: bool
    names: Mapping[str, int]
    ticks: tuple[tuple[float, str], ...]

    def number(self, value: object) -> float:
        """Return a value of the data on the scale of the axis; NaN for what has no place on it."""
        if isinstance(value, str) and self.names:
            return float(self.names.get(value, math.nan))
        number = _number(value)
        if self.log:
            return math.log10(number) if number > 0 else math.nan
        return number

    def at(self, number: float) -> float:
        """Return where a number of the scale lies, in CSS pixels."""
        return self.start + (number - self.low) / (self.high - self.low) * (self.end - self.start)

    def place(self, value: object) -> float:
        """Return where a value of the data lies."""
        return self.at(self.number(value))


def _number(value: object) -> float:
    try:
        return float(value) if value is not None else math.nan  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.nan


def _floats(values: Iterable[object]) -> list[float]:
    return [number for number in map(_number, values) if math.isfinite(number)]


def axes_of(chart: Marks, box: Box) -> dict[str, Axis]:
    """Return the axes of a chart by plotly's short names (x, y2) within a box of left, top, right, bottom."""
    layout, axes = chart["layout"], {}
    names = [name for name in layout if re.fullmatch(r"[xy]axis\d*", name)]
    for name in sorted({"xaxis", "yaxis", *names}):
        given, short = layout.get(name, {}), name.replace("axis", "")
        low, high = given.get("domain", (0.0, 1.0))
        left, top, right, bottom = box
        if short[0] == "x":
            ends = left + low * (right - left), left + high * (right - left)
        else:
            ends = bottom - low * (bottom - top), bottom - high * (bottom - top)
        traces = [trace for trace in chart["data"] if trace.get(f"{short[0]}axis", short[0]) == short]
        axes[short] = _axis(given, short[0], traces, ends, layout.get("barmode", "group"))
    return axes


def _axis(given: Marks, side: str, traces: Sequence[Marks], ends: Place, barmode: str) -> Axis:
    log = given.get("type") == "log"
    values = [value for trace in traces for value in trace.get(side) or () if value is not None]
    named = given.get("type") == "category" or (values and all(isinstance(value, str) for value in values))
    names = {str(name): place for place, name in enumerate(dict.fromkeys(map(str, values)))} if named else {}
    low, high = _range(given, side, traces, names, barmode)
    around = Axis(given=given, start=ends[0], end=ends[1], low=low, high=high, log=log, names=names, ticks=())
    return Axis(given=given, start=ends[0], end=ends[1], low=low, high=high, log=log, names=names,
                ticks=tuple(_ticks(around, side)))  # fmt: skip


def _range(given: Marks, side: str, traces: Sequence[Marks], names: Mapping[str, int], barmode: str) -> Place:
    if given.get("range") and None not in given["range"]:
        low, high = _floats(given["range"])
        return (low, high) if low != high else (low - 0.5, high + 0.5)
    log, held, padded, from_zero = given.get("type") == "log", list(map(float, names.values())), False, False
    for trace in traces:
        reach, pads = _reach(trace, side)
        held += [] if names else reach
        padded |= pads
        from_zero |= trace.get("type") == "bar" and _bar_side(trace) == side and not log
    if barmode in ("stack", "relative") and from_zero:
        held += _stacked(traces, side)
    if log:
        held = [math.log10(value) for value in held if value > 0]
    low, high = (min(held), max(held)) if held else (0.0, 1.0)
    words_beyond = any(trace.get("textposition") == "outside" for trace in traces)
    edge = (0.12 if words_beyond else 0.05) * (high - low) or 0.05 * abs(high) or 0.5
    if names:
        low, high = low - 0.5, high + 0.5
    elif padded or side == "y" or low == high:
        low, high = low - edge, high + edge
    if from_zero or (given.get("rangemode") == "tozero" and not log):
        low, high = (0.0 if min(held, default=0) >= 0 else low), (0.0 if max(held, default=0) < 0 else high)
    return (high, low) if given.get("autorange") == "reversed" else (low, high)


def _reach(trace: Marks, side: str) -> tuple[list[float], bool]:
    """Return the values that a trace needs on a side, and whether its marks stand out over them."""
    values = _floats(trace.get(side) or ())
    if trace.get("type") == "heatmap":
        rows = trace.get("z") or [[]]
        edges = _edges(trace.get(side), len(rows) if side == "y" else len(rows[0]))
        return [edges[0], edges[-1]], False
    if trace.get("type") == "bar":
        if _bar_side(trace) == side:
            return values + [
                value + base
                for value, base in zip(values, _floats(_listed(trace.get("base"), 0, len(values))), strict=False)
            ], True
        half = _number(trace.get("width", 0.8)) / 2
        return [end for value in values for end in (value - half, value + half)], False
    bars = trace.get(f"error_{side}") or {}
    more = _floats(bars.get("array") or ())
    less = _floats(bars.get("arrayminus") or bars.get("array") or ())
    values += [value + extra for value, extra in zip(values, more, strict=False)]
    values += [value - extra for value, extra in zip(values, less, strict=False)]
    return values, "markers" in trace.get("mode", "lines")


def _stacked(traces: Sequence[Marks], side: str) -> list[float]:
    sums: dict[object, float] = {}
    other = "y" if side == "x" else "x"
    for trace in traces:
        for place, value in zip(trace.get(other) or (), trace.get(side) or (), strict=False):
            sums[place] = sums.get(place, 0.0) + (_number(value) if value is not None else 0.0)
    return list(sums.values())


def _bar_side(trace: Marks) -> str:
    return "x" if trace.get("orientation") == "h" else "y"


def _edges(places: Sequence[object] | None, count: int) -> list[float]:
    """Return where the cells of a heat map meet: half-way between their middles."""
    middles = _floats(places or ())
    if len(middles) != count or any(isinstance(place, str) for place in places or ()):
        middles = list(map(float, range(count)))
    inner = [(one + other) / 2 for one, other in pairwise(middles)]
    if not inner:
        return [middles[0] - 0.5, middles[0] + 0.5] if middles else [0.0, 1.0]
    return [2 * middles[0] - inner[0], *inner, 2 * middles[-1] - inner[-1]]


def _ticks(axis: Axis, side: str) -> Iterator[tuple[float, str]]:
    """Yield the ticks that have room beside each other: those given, the names, or round numbers."""
    given = axis.given
    if given.get("showticklabels") is False and not given.get("showgrid"):
        return
    size = float(given.get("tickfont", {}).get("size", 12))
    if given.get("tickvals") is not None:
        words = given.get("ticktext") or [f"{value:g}" for value in given["tickvals"]]
        ticks = [(axis.number(value), str(text)) for value, text in zip(given["tickvals"], words, strict=False)]
    elif axis.names:
        ticks = [(float(place), name) for name, place in axis.names.items()]
    else:
        room = max(2, int(abs(axis.end - axis.start) / (_ALONG if side == "x" else _UP)))
        ticks = list(_round_ticks(axis, min(room, int(given.get("nticks") or room))))
    last = -math.inf
    for number, words in sorted(ticks, key=lambda tick: axis.at(tick[0])):
        at = axis.at(number)
        half = text_width(words, size) / 2 + 3 if side == "x" else 0.5 * size
        inside = min(axis.start, axis.end) - 1 <= at <= max(axis.start, axis.end) + 1
        if inside:
            yield number, words if at - half >= last else ""
            last = at + half if at - half >= last else last


def _round_ticks(axis: Axis, most: int) -> Iterator[tuple[float, str]]:
    """Yield ticks at 1, 2 or 5 times a power of ten, so far apart that about ``most`` fit; on a logarithm at powers."""
    low, high = sorted((axis.low, axis.high))
    if axis.log and high - low > 0.7:
        wide = high - low >= 2.5
        powers = range(math.floor(low), math.ceil(high) + 1)
        step = max(1, -(-len(powers) // max(most, 2))) if wide else 1
        for power in powers[::step]:
            for first in (1,) if wide else (1, 2, 5):
                place = power + math.log10(first)
                if low <= place <= high:
                    yield place, _worded(first * 10.0**power, first * 10.0**power, axis.given)
        return
    if axis.log:
        low, high = 10**low, 10**high
    rough = (high - low) / max(most, 1)
    decade = 10.0 ** math.floor(math.log10(rough))
    apart = next(first * decade for first in (1, 2, 5, 10) if first * decade >= rough * 0.999)
    for count in range(math.ceil(low / apart - 1e-9), math.floor(high / apart + 1e-9) + 1):
        value = count * apart
        if not axis.log or value > 0:
            yield math.log10(value) if axis.log else value, _worded(value, apart, axis.given)


def _worded(value: float, step: float, given: Marks) -> str:
    """Write the number of a tick: by the format of the axis, or with the digits that its step needs."""
    form, step = str(given.get("tickformat", "")), abs(step)
    tiny_or_huge = not form and not 1e-6 < max(abs(value), step) < 1e7
    if form == "~s" or tiny_or_huge:
        power = next((power for power in (12, 9, 6, 3, 0, -3, -6, -9) if abs(value) >= 10.0**power), 0)
        prefix = {12: "T", 9: "G", 6: "M", 3: "k", 0: "", -3: "m", -6: "µ", -9: "n"}[power]
        words = f"{value / 10.0**power:.6g}{prefix}"
    elif re.fullmatch(r",?(\.\d+)?[f%]", form):
        words = f"{value:{form}}"
    else:
        words = f"{value:,.{max(0, -math.floor(math.log10(step) + 1e-9))}f}"
    return f"{given.get('tickprefix', '')}{words.replace('-', '−')}{given.get('ticksuffix', '')}"


def _axis_lines(axis: Axis, side: str, across: Axis) -> Iterator[str]:
    """Yield the grid of an axis, its line and its zero line, within the panel that the other axis bounds."""
    given = axis.given
    ends = across.start, across.end
    if given.get("showgrid"):
        yield _rules([axis.at(number) for number, _ in axis.ticks], ends, side, given.get("gridcolor", "#e3e7ec"), 1)
    if given.get("ticks") == "outside":
        stub = across.start, across.start + (4 if side == "x" else -4)
        yield _rules([axis.at(number) for number, _ in axis.ticks], stub, side, given.get("tickcolor", AXIS), 1)
    low, high = sorted((axis.low, axis.high))
    if given.get("zeroline") and low <= 0 <= high and not axis.log:
        yield _rules([axis.at(0.0)], ends, side, given.get("zerolinecolor", AXIS), 1)
    if given.get("showline"):
        yield _rules([across.start], (axis.start, axis.end), "y" if side == "x" else "x",
                     given.get("linecolor", AXIS), given.get("linewidth", 1))  # fmt: skip


def _rules(places: Iterable[float], ends: Place, side: str, colour: object, width: float) -> str:
    start, end = map(_px, ends)
    path = "".join(f"M{_px(at)} {start}V{end}" if side == "x" else f"M{start} {_px(at)}H{end}" for at in places)
    return f'<path d="{path}" {_paint("stroke", colour)} stroke-width="{width:g}"/>' if path else ""


def _axis_words(axis: Axis, side: str, across: Axis) -> Iterator[str]:
    """Yield the words of an axis: its ticks and its title, outside of the panel."""
    given, font, widest = axis.given, {"size": 12, "color": MUTED} | dict(axis.given.get("tickfont", {})), 0.0
    stub = 7 if given.get("ticks") == "outside" else 3
    for number, words in axis.ticks if given.get("showticklabels") is not False else ():
        at = axis.at(number)
        widest = max(widest, text_width(words, font["size"]))
        if side == "x":
            yield _text(words, (at, across.start + stub), font, up="top")
        else:
            yield _text(words, (across.start - 2 - stub, at), font, across="right")
    title = given.get("title", {})
    title = title if isinstance(title, Mapping) else {"text": title}
    middle = (axis.start + axis.end) / 2
    font = {"size": 12, "color": MUTED} | dict(title.get("font", {}))
    if side == "x":
        yield _text(
            title.get("text", ""), (middle, across.start + (6 + _LINE * 12 if axis.ticks else 4)), font, up="top"
        )
    else:
        yield _text(title.get("text", ""), (across.start - widest - 12, middle), font, up="bottom", angle=-90)


# ---- traces ----


def trace_kind(trace: Marks) -> str:
    """Return what a trace is drawn as; a kind that no picture is made of is an error that names it."""
    kind = str(trace.get("type", "scatter"))
    if kind not in ("scatter", "bar", "heatmap"):
        raise DataError(
            f"a trace of type '{printable(kind, 40)}' cannot be drawn as a picture; use scatter, bar or heatmap"
        )
    return kind


def _colour(trace: Marks, number: int) -> str:
    own = trace.get("marker", {}).get("color")
    own = own if isinstance(own, str) else None
    return str(trace.get("line", {}).get("color") or own or COLOURS[number % len(COLOURS)])


def _listed(value: object, default: object, count: int) -> list[Any]:
    """Return one value for each mark of a trace, from one for all, one each, or none."""
    if isinstance(value, list | tuple):
        return [*value, *[default] * count][:count]
    return [default if value is None else value] * count


def _scatter(trace: Marks, colour: str, x: Axis, y: Axis, before: Sequence[Place], most: int) -> Iterator[str]:
    points = [(x.place(one), y.place(other)) for one, other in zip(trace["x"], trace["y"], strict=False)]
    opacity = float(trace.get("opacity", 1))
    mode, line = trace.get("mode", "lines"), trace.get("line", {})
    if fill := _filled(trace, points, y, before):
        paint = _paint("fill", trace["fillcolor"]) if "fillcolor" in trace else _paint("fill", colour, 0.2)
        yield f'<path d="{fill}Z" {paint}/>'
    if "lines" in mode and line.get("width", 2):
        path = _path(_thinned(points, most), str(line.get("shape", "linear")))
        yield f'<path d="{path}" fill="none" {_stroke(line, colour, opacity)} stroke-linejoin="round"/>'
    for side, along in (("x", x), ("y", y)):
        if bars := trace.get(f"error_{side}"):
            yield _error_bars(trace, bars, side, along, points, str(bars.get("color", colour)))
    if "markers" in mode:
        yield from _markers(trace, points, colour, opacity, most)
    if "text" in mode:
        yield from _point_words(trace, points)


def _path(points: Sequence[Place], shape: str) -> str:
    """Return the path through points; one without a place is a gap."""
    parts, up = [], False
    for at, (x, y) in enumerate(points):
        if not (math.isfinite(x) and math.isfinite(y)):
            up = False
            continue
        if up and shape == "hv":
            parts.append(f"H{_px(x)}V{_px(y)}")
        elif up and shape == "vh":
            parts.append(f"V{_px(y)}H{_px(x)}")
        else:
            parts.append(f"{'L' if up else 'M'}{_px(x)} {_px(y)}")
        up = at >= 0
    return "".join(parts)


def _thinned(points: Sequence[Place], most: int) -> list[Place]:
    """Return so many points of a line at most: of each stretch its ends, its highest and its lowest."""
    if len(points) <= most:
        return list(points)
    stretch = -(-len(points) * 4 // most)
    kept: list[Place] = []
    for start in range(0, len(points), stretch):
        part = [(at, points[at]) for at in range(start, min(start + stretch, len(points)))]
        finite = [entry for entry in part if math.isfinite(entry[1][1])]
        chosen = {part[0][0], part[-1][0]}
        if finite:
            chosen |= {min(finite, key=lambda entry: entry[1][1])[0], max(finite, key=lambda entry: entry[1][1])[0]}
        kept += [points[at] for at in sorted(chosen)]
    return kept


def _filled(trace: Marks, points: Sequence[Place], y: Axis, before: Sequence[Place]) -> str:
    """Return the path around what a trace fills: itself, down to the axis, or up to the trace before it."""
    fill = trace.get("fill", "none")
    drawn = [point for point in points if all(map(math.isfinite, point))]
    if fill == "none" or not drawn:
        return ""
    path = _path(drawn, str(trace.get("line", {}).get("shape", "linear")))
    if fill == "tozeroy":
        floor = y.at(y.low if y.log else min(max(0.0, min(y.low, y.high)), max(y.low, y.high)))
        return f"{path}V{_px(floor)}H{_px(drawn[0][0])}"
    back = [point for point in before if all(map(math.isfinite, point))]
    if fill == "tonexty" and back:
        return path + _path(back[::-1], "linear").replace("M", "L", 1)
    return path


def _error_bars(trace: Marks, bars: Marks, side: str, axis: Axis, points: Sequence[Place], colour: str) -> str:
    """Draw the interval of each point, with caps."""
    count = len(points)
    more = _listed(bars.get("array"), bars.get("value"), count)
    less = _listed(bars.get("arrayminus"), None, count) if bars.get("arrayminus") is not None else more
    cap, path = float(bars.get("width", 3)), ""
    for value, (px, py), up, down in zip(trace[side], points, more, less, strict=False):
        middle = _number(value)
        ends = axis.place(middle - _number(down)), axis.place(middle + _number(up))
        if not all(map(math.isfinite, (px, py, ends[1]))):
            continue
        low, high = (ends[0] if math.isfinite(ends[0]) else axis.start), ends[1]
        if side == "y":
            path += f"M{_px(px)} {_px(low)}V{_px(high)}M{_px(px - cap)} {_px(high)}h{_px(2 * cap)}"
            path += f"M{_px(px - cap)} {_px(low)}h{_px(2 * cap)}"
        else:
            path += f"M{_px(low)} {_px(py)}H{_px(high)}M{_px(low)} {_px(py - cap)}v{_px(2 * cap)}"
            path += f"M{_px(high)} {_px(py - cap)}v{_px(2 * cap)}"
    width = float(bars.get("thickness", 1.5))
    return f'<path d="{path}" fill="none" {_paint("stroke", colour)} stroke-width="{width:g}"/>' if path else ""


def _markers(trace: Marks, points: Sequence[Place], colour: str, opacity: float, most: int) -> Iterator[str]:
    """Yield the marks of a trace, those of one look together; where many lie on each other, one of them."""
    given, count = trace.get("marker", {}), len(points)
    line = given.get("line", {})
    looks = zip(
        _listed(given.get("symbol"), "circle", count),
        _listed(given.get("size"), 6, count),
        _listed(given.get("color"), colour, count),
        _listed(line.get("color"), None, count),
        _listed(given.get("opacity"), 1, count),
        strict=True,
    )
    drawn = [(point, look) for point, look in zip(points, looks, strict=True) if all(map(math.isfinite, point))]
    cell = 0.1
    while len(drawn) > most:
        cell *= 1.25
        drawn = list({(round(x / cell), round(y / cell), look): ((x, y), look) for (x, y), look in drawn}.values())
    groups: dict[tuple[Any, ...], list[Place]] = {}
    for point, look in drawn:
        groups.setdefault(look, []).append(point)
    for (symbol, size, fill, outline, share), places in groups.items():
        hollow, share = str(symbol).endswith("-open"), float(share) * opacity
        radius = float(size) / 2
        width = float(line.get("width", 1 if hollow else 0))
        paint = 'fill="none"' if hollow else _paint("fill", fill, share)
        if width and (hollow or outline):
            paint += f' {_paint("stroke", fill if hollow else outline, share)} stroke-width="{width:g}"'
        kind = str(symbol).removesuffix("-open")
        yield f"<g {paint}>{''.join(_symbol(kind, x, y, radius) for x, y in places)}</g>"


def _symbol(kind: str, x: float, y: float, r: float) -> str:
    at, d = f"{_px(x)} {_px(y)}", _px(r)
    if kind == "square":
        return f'<path d="M{at}m-{d} -{d}h{_px(2 * r)}v{_px(2 * r)}h-{_px(2 * r)}z"/>'
    if kind == "diamond":
        return f'<path d="M{at}m0 -{d}l{d} {d}l-{d} {d}l-{d} -{d}z"/>'
    if kind.startswith("triangle"):
        return f'<path d="M{at}m0 -{d}l{d} {_px(2 * r)}h-{_px(2 * r)}z"/>'
    if kind in ("x", "cross"):
        t = _px(r / 3)
        turn = f' transform="rotate(45 {at})"' if kind == "x" else ""
        arm = _px(2 * r / 3)
        return (
            f'<path{turn} d="M{at}m-{t} -{d}h{arm}v{arm}h{arm}v{arm}h-{arm}v{arm}h-{arm}v-{arm}h-{arm}v-{arm}h{arm}z"/>'
        )
    return f'<circle cx="{_px(x)}" cy="{_px(y)}" r="{d}"/>'


def _point_words(trace: Marks, points: Sequence[Place]) -> Iterator[str]:
    font = {"size": 12, "color": INK} | dict(trace.get("textfont", {}))
    words = _listed(trace.get("text"), "", len(points))
    where = _listed(trace.get("textposition"), "middle center", len(points))
    sizes = _listed(trace.get("marker", {}).get("size"), 6, len(points))
    for (x, y), text, position, size in zip(points, words, where, sizes, strict=True):
        up, across = str(position).split(" ")
        gap = float(size) / 2 + 2
        at = (
            x + gap * {"left": -1, "right": 1, "center": 0}[across],
            y + gap * {"top": -1, "bottom": 1, "middle": 0}[up],
        )
        side, rise = (
            {"left": "right", "right": "left"}.get(across, across),
            {"top": "bottom", "bottom": "top"}.get(up, up),
        )
        yield _text(text, at, font, across=side, up=rise)


def _bars(trace: Marks, colour: str, x: Axis, y: Axis, lane: Place, under: dict[Any, float]) -> Iterator[str]:
    """Yield the bars of a trace: ``lane`` is its share of the width, ``under`` what it stands on at each place."""
    side = _bar_side(trace)
    along, across = (x, y) if side == "x" else (y, x)
    values, places = trace[side], trace["y" if side == "x" else "x"]
    count = len(values)
    given = trace.get("marker", {})
    fills = _listed(given.get("color"), colour, count)
    widths = _listed(trace.get("width"), 0.8, count)
    bases = _listed(trace.get("base"), 0, count)
    words = _listed(trace.get("text"), "", count)
    font = {"size": 12, "color": INK} | dict(trace.get("textfont", {}))
    opacity = float(given.get("opacity", 1)) * float(trace.get("opacity", 1))
    for value, place, fill, width, base, text in zip(values, places, fills, widths, bases, words, strict=False):
        size, middle = _number(value), across.number(place)
        if not (math.isfinite(size) and math.isfinite(middle)):
            continue
        start = under.get(place, 0.0) + _number(base)
        under[place] = under.get(place, 0.0) + size
        left = across.at(middle - width / 2 + width * lane[0])
        right = across.at(middle - width / 2 + width * lane[1])
        floor = along.low if along.log else along.number(start)
        one, other = along.at(floor), along.place(start + size)
        (a, b), (c, d) = sorted((one, other)), sorted((left, right))
        box = (a, c, b - a, d - c) if side == "x" else (c, a, d - c, b - a)
        names = ("x", "y", "width", "height")
        drawn = " ".join(f'{name}="{_px(part)}"' for name, part in zip(names, box, strict=True))
        yield f"<rect {drawn} {_paint('fill', fill, opacity)}/>"
        if trace.get("textposition", "none") == "outside":
            at = (other + 4, (c + d) / 2) if side == "x" else ((c + d) / 2, other - 2)
            yield _text(
                text, at, font, across="left" if side == "x" else "center", up="middle" if side == "x" else "bottom"
            )


def _heat_map(trace: Marks, x: Axis, y: Axis, plate: str) -> Iterator[str]:
    """Yield the cells of a heat map by colour, then their words, and the scale beside it."""
    rows = trace["z"]
    columns = _edges(trace.get("x") if not x.names else None, len(rows[0]) if rows else 0)
    heights = _edges(trace.get("y") if not y.names else None, len(rows))
    low, high = _bounds(trace)
    cells: dict[str, str] = {}
    words = []
    for at, row in enumerate(rows):
        for place, value in enumerate(row):
            (a, b), (c, d) = sorted(map(x.at, columns[place : place + 2])), sorted(map(y.at, heights[at : at + 2]))
            number = _number(value)
            colour = _scaled_colour(trace, (number - low) / (high - low)) if math.isfinite(number) else plate
            if math.isfinite(number):
                cells[colour] = f"{cells.get(colour, '')}M{_px(a)} {_px(c)}H{_px(b)}V{_px(d)}H{_px(a)}z"
            if text := _cell_words(trace, at, place, value):
                ink = max("#ffffff", INK, key=lambda ink: contrast(ink, colour))
                words.append(_text(text, ((a + b) / 2, (c + d) / 2), dict(trace.get("textfont", {})) | {"color": ink}))
    yield from (f'<path d="{path}" fill="{colour}" shape-rendering="crispEdges"/>' for colour, path in cells.items())
    yield from words


def _bounds(trace: Marks) -> Place:
    held = _floats(value for row in trace["z"] for value in row)
    low = _number(trace.get("zmin", min(held, default=0.0)))
    high = _number(trace.get("zmax", max(held, default=1.0)))
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def _scaled_colour(trace: Marks, share: float) -> str:
    given = trace.get("colorscale")
    stops = given if isinstance(given, list | tuple) else SCALE
    share = round(min(1.0, max(0.0, share)) * 32) / 32  # cells of nearly one colour share a path
    for (start, below), (end, above) in pairwise(stops):
        if share <= end:
            return mixed(below, above, (share - start) / ((end - start) or 1.0))
    return str(stops[-1][1])


def _cell_words(trace: Marks, row: int, column: int, value: object) -> str:
    if "texttemplate" not in trace or value is None:
        return ""
    text = trace["text"][row][column] if trace.get("text") else f"{_number(value):.3g}"
    return str(trace["texttemplate"]).replace("%{text}", str(text)).replace("%{z}", str(text))


def _colour_bar(trace: Marks, x: Axis, y: Axis) -> Iterator[str]:
    low, high = _bounds(trace)
    left, (top, bottom) = max(x.start, x.end) + 10, sorted((y.start, y.end))
    given = trace.get("colorbar", {})
    scale = Axis(given=given, start=bottom, end=top, low=low, high=high, log=False, names={}, ticks=())
    step = (bottom - top) / 32
    for part in range(32):
        colour = _scaled_colour(trace, (part + 0.5) / 32)
        place = f'x="{_px(left)}" y="{_px(bottom - (part + 1) * step)}" width="10" height="{_px(step + 0.5)}"'
        yield f'<rect {place} fill="{colour}"/>'
    font = {"size": 12, "color": MUTED} | dict(given.get("tickfont", {}))
    for number, words in _ticks(scale, "y"):
        yield _text(words, (left + 14, scale.at(number)), font, across="left")
    title = given.get("title", {})
    words = title.get("text", "") if isinstance(title, Mapping) else title
    yield _text(words, (left, top - 4), font, across="left", up="bottom")


# ---- shapes and annotations ----


def _referred(mark: Marks, side: str, axes: Mapping[str, Axis], box: Box) -> tuple[Axis | None, float, float]:
    """Return the axis that a mark refers to on a side, or none, and the ends between which 0 to 1 lies then."""
    reference = str(mark.get(f"{side}ref", side))
    if reference == "paper":
        return (None, box[0], box[2]) if side == "x" else (None, box[3], box[1])
    short, _, domain = reference.partition(" ")
    axis = axes.get(short, axes[side])
    return None if domain else axis, axis.start, axis.end


def _shape(mark: Marks, axes: Mapping[str, Axis], box: Box) -> str:
    """Draw a line or a rectangle."""
    ends = []
    for name in ("x0", "y0", "x1", "y1"):
        axis, start, end = _referred(mark, name[0], axes, box)
        value = mark.get(name, 0)
        ends.append(axis.place(value) if axis else start + _number(value) * (end - start))
    if not all(map(math.isfinite, ends)):
        return ""
    a, b, c, d = map(_px, ends)
    line, share = mark.get("line", {}), float(mark.get("opacity", 1))
    stroke = _stroke(line, line.get("color", AXIS), share) if line.get("width", 2) else ""
    if mark.get("type") == "rect":
        fill = _paint("fill", mark["fillcolor"], share) if mark.get("fillcolor") else 'fill="none"'
        return f'<path d="M{a} {b}H{c}V{d}H{a}z" {fill} {stroke}/>'
    return f'<path d="M{a} {b}L{c} {d}" {stroke}/>'


#: Where a label stands by the third of the panel that it is in, along and up.
_BY_THIRD = {"x": ("left", "center", "right"), "y": ("bottom", "middle", "top")}


def _annotation(mark: Marks, axes: Mapping[str, Axis], box: Box) -> str:
    """Write words at a place of the data, of a panel, or of the picture."""
    at, anchors = [], []
    for side in ("x", "y"):
        axis, start, end = _referred(mark, side, axes, box)
        value = mark.get(side, 0)
        third = 1
        if axis:  # on a logarithm plotly takes the exponent
            at.append(axis.at(axis.number(value) if isinstance(value, str) else _number(value)))
        else:
            third = min(2, max(0, int(_number(value) * 3)))
            at.append(start + _number(value) * (end - start))
        anchor = str(mark.get(f"{side}anchor", "auto"))
        anchors.append(_BY_THIRD[side][third] if anchor == "auto" else anchor)
    place = at[0] + float(mark.get("xshift", 0)), at[1] - float(mark.get("yshift", 0))
    font = {"size": 12, "color": INK} | dict(mark.get("font", {}))
    return _text(mark.get("text", ""), place, font, across=anchors[0], up=anchors[1])


# ---- the picture ----


def legend_rows(traces: Sequence[Marks], width: float) -> list[list[tuple[float, int]]]:
    """Return the rows of a legend: where each entry stands, and of which trace it is."""
    rows: list[list[tuple[float, int]]] = []
    at = math.inf
    for number, trace in enumerate(traces):
        if not trace.get("name") or not trace.get("showlegend"):
            continue
        needed = 40 + text_width(trace["name"], 12)
        if at + needed > width:
            rows.append([])
            at = 0.0
        rows[-1].append((at, number))
        at += needed
    return rows


def _legend(traces: Sequence[Marks], corner: Place, width: float, font: Marks) -> Iterator[str]:
    """Yield the names of traces in rows above the panels, each beside what its trace looks like."""
    rows = legend_rows(traces, width)
    for place, row in enumerate(rows):
        y = corner[1] - 20 * (len(rows) - place) + 10
        for at, number in row:
            x = corner[0] + at
            yield from _key(traces[number], _colour(traces[number], number), x, y)
            yield _text(traces[number]["name"], (x + 30, y), {"size": 12, "color": INK} | dict(font), across="left")


def _key(trace: Marks, colour: str, x: float, y: float) -> Iterator[str]:
    """Yield a short line, a mark, or a patch of a trace."""
    line, mode = trace.get("line", {}), trace.get("mode", "lines")
    if trace_kind(trace) == "bar" or (trace.get("fill") and not line.get("width", 2)):
        fill = _paint("fill", trace.get("fillcolor", colour))
        yield f'<rect x="{_px(x)}" y="{_px(y - 6)}" width="24" height="12" {fill}/>'
        return
    if "lines" in mode:
        yield f'<path d="M{_px(x)} {_px(y)}h24" {_stroke(line, colour)}/>'
    if "markers" in mode:
        first = {
            name: value[0] if isinstance(value, list | tuple) else value
            for name, value in trace.get("marker", {}).items()
        }
        yield from _markers({"marker": first | {"size": 8}}, [(x + 12, y)], colour, 1.0, 1)


def _stroke(line: Marks, colour: object, opacity: float = 1.0) -> str:
    """Write how a line is drawn: colour, width, dashes."""
    dash = f' stroke-dasharray="{_DASHES[line["dash"]]}"' if line.get("dash") in _DASHES else ""
    return f'{_paint("stroke", colour, opacity)} stroke-width="{float(line.get("width", 2)):g}"{dash}'


def picture(drawn: str, alt: str) -> Markup:
    """Return a drawing as an image in markup: Lab takes drawings out of what it does not trust, and leaves images."""
    data = base64.b64encode(drawn.encode()).decode("ascii")
    return Markup('<img src="data:image/svg+xml;base64,{}" alt="{}">').format(data, alt)


def svg(chart: Marks, *, alt: str, most_marks: int = MOST_MARKS) -> str:
    """Return a chart as SVG, on a plate of its own colour; ``alt`` is its title for those who cannot see it."""
    layout = chart["layout"]
    width, height = float(layout.get("width", 720)), float(layout.get("height", 260))
    margin = {"l": 8, "r": 8, "t": 8, "b": 34} | dict(layout.get("margin", {}))
    box = (float(margin["l"]), float(margin["t"]), width - margin["r"], height - margin["b"])
    plate = str(layout.get("paper_bgcolor", "#ffffff"))
    axes = axes_of(chart, box)
    parts = [f'<rect width="{width:g}" height="{height:g}" {_paint("fill", plate)}/>']
    for short, axis in axes.items():
        parts += _axis_lines(axis, short[0], _across(short, axes))
    parts += _panels(chart, axes, box, plate, most_marks)
    for short, axis in axes.items():
        parts += _axis_words(axis, short[0], _across(short, axes))
    parts += [_annotation(mark, axes, box) for mark in layout.get("annotations", ())]
    if layout.get("showlegend"):
        parts += _legend(chart["data"], (box[0], box[1]), box[2] - box[0], layout.get("legend", {}).get("font", {}))
    words = _escaped(seen(alt[:_MOST_ALT]))
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{words}"'
    look = 'font-family="system-ui, sans-serif" xml:space="preserve"'
    return f"{head} {look}><title>{words}</title>{''.join(parts)}</svg>"


def _across(short: str, axes: Mapping[str, Axis]) -> Axis:
    """Return the axis that an axis stands on."""
    other = "y" if short[0] == "x" else "x"
    return axes.get(str(axes[short].given.get("anchor", other + short[1:])), axes[other])


def _panels(chart: Marks, axes: Mapping[str, Axis], box: Box, plate: str, most: int) -> Iterator[str]:
    """Yield what lies within the axes: shapes below, traces, shapes above; a panel shows nothing beyond its edges."""
    layout = chart["layout"]
    every = sum(len(trace.get("x") or ()) for trace in chart["data"]) or 1
    pairs = dict.fromkeys((trace.get("xaxis", "x"), trace.get("yaxis", "y")) for trace in chart["data"])
    shapes = layout.get("shapes", ())
    yield from (_shape(mark, axes, box) for mark in shapes if mark.get("layer") == "below")
    for pair in pairs:
        x, y = (axes[name] for name in pair)
        (left, right), (top, bottom) = sorted((x.start, x.end)), sorted((y.start, y.end))
        a, b, c, d = (_px(part) for part in (left - 1, top - 1, right - left + 2, bottom - top + 2))
        traces = [(number, trace) for number, trace in enumerate(chart["data"])
                  if (trace.get("xaxis", "x"), trace.get("yaxis", "y")) == pair]  # fmt: skip
        yield f'<svg x="{a}" y="{b}" width="{c}" height="{d}" viewBox="{a} {b} {c} {d}" overflow="hidden">'
        yield from _traces(traces, x, y, str(layout.get("barmode", "group")), plate, most / every)
        yield "</svg>"
        for _, trace in traces:
            if trace_kind(trace) == "heatmap" and trace.get("showscale") is not False:
                yield from _colour_bar(trace, x, y)
    yield from (_shape(mark, axes, box) for mark in shapes if mark.get("layer") != "below")


def _traces(
    traces: Sequence[tuple[int, Marks]], x: Axis, y: Axis, barmode: str, plate: str, share: float
) -> Iterator[str]:
    bars = sum(trace_kind(trace) == "bar" for _, trace in traces)
    lanes = bars if barmode == "group" else 1
    under: dict[Any, float] = {}
    lane, before = 0, list[Place]()
    for number, trace in traces:
        colour = _colour(trace, number)
        if trace_kind(trace) == "heatmap":
            yield from _heat_map(trace, x, y, plate)
        elif trace_kind(trace) == "bar":
            yield from _bars(
                trace, colour, x, y, (lane / lanes, (lane + 1) / lanes), under if barmode == "stack" else {}
            )
            lane += lanes > 1
        else:
            yield from _scatter(trace, colour, x, y, before, max(60, int(share * len(trace["x"]))))
            before = [(x.place(one), y.place(other)) for one, other in zip(trace["x"], trace["y"], strict=False)]
