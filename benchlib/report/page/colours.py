"""The colours of a house: what may be chosen, whether it can be read, and how page and charts take it.

References
----------
W3C, Web Content Accessibility Guidelines 2.2: relative luminance and contrast ratio, success criteria 1.4.3 (text,
4.5 : 1) and 1.4.11 (graphics, 3 : 1).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from benchlib.errors import printable
from benchlib.plots.style import COLOURS
from benchlib.study.section import Section

__all__ = ["Colours", "contrast", "read_colours", "recoloured"]

Scheme = Literal["light", "dark"]

#: What a house may choose -> the name that the style sheet gives it.
_NAMES = {
    "accent": "link",
    "ink": "ink",
    "muted": "muted",
    "ground": "ground",
    "sheet": "sheet",
    "raised": "raised",
    "rule": "rule",
}
#: Grounds of boxes that text stands on, whose colours tell a status and are no house's to choose.
_STATUS_GROUNDS = ("pass-ground", "warn-ground", "fail-ground")
#: Text -> the grounds it stands on.
_ON: Mapping[str, tuple[str, ...]] = {
    "ink": ("sheet", "raised", *_STATUS_GROUNDS),
    "muted": ("sheet", "raised", "ground", *_STATUS_GROUNDS),
    "link": ("sheet", "raised", "ground"),
}
_TEXT, _GRAPHICS = 4.5, 3.0
_HEX = re.compile(r"#[0-9a-fA-F]{6}")
#: The last colour of charts is the ink, which turns with the text.
_MOST_CHARTS = len(COLOURS) - 1

_SCREENS: Mapping[Scheme, str] = {
    "light": "print, screen and (prefers-color-scheme: light)",
    "dark": "screen and (prefers-color-scheme: dark)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Colours:
    """The colours of a house.

    Attributes
    ----------
    css : str
        Rules that follow those of the page's own style sheet; "" for none.
    charts : mapping of str to str
        Colour of a chart as benchlib draws it -> the house's, both as ``#rrggbb``.
    """

    css: str
    charts: Mapping[str, str]


def read_colours(table: Section) -> Colours:
    """Read ``[colours]`` and ``[colours.dark]``, and check that what they colour can be read.

    Raises
    ------
    StudyError
        For an unknown name, a colour that is not ``#rrggbb``, or a pair that cannot be told apart.
    """
    table.only(*_NAMES, "charts", "dark")
    dark = table.section("dark")
    dark.only(*_NAMES, "charts")
    light_charts, dark_charts = _charts(table), _charts(dark)
    if len(dark_charts) not in (0, len(light_charts)):
        raise dark.error(
            "charts",
            f"'charts' {dark.label} holds {len(dark_charts)} colours and that of [colours] {len(light_charts)}; "
            "give as many",
        )
    rules = [
        _scheme(table, "light", light_charts, ()),
        _scheme(dark, "dark", dark_charts or light_charts, light_charts if dark_charts else ()),
    ]
    charts = dict(zip((one.lower() for one in COLOURS), light_charts, strict=False))
    return Colours(css="\n".join(one for one in rules if one), charts=charts)


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21.

    Examples
    --------
    >>> contrast("#000000", "#ffffff")
    21.0
    """
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def recoloured(figure: Any, charts: Mapping[str, str], key: str = "") -> Any:
    """Return the JSON of a figure with the colours of a house; what is no colour stays.

    Examples
    --------
    >>> recoloured({"line": {"color": "#0072B2"}, "fillcolor": "rgba(0,114,178,0.15)"}, {"#0072b2": "#123456"})
    {'line': {'color': '#123456'}, 'fillcolor': 'rgba(18,52,86,0.15)'}
    """
    if isinstance(figure, Mapping):
        return {name: recoloured(one, charts, str(name)) for name, one in figure.items()}
    if isinstance(figure, list | tuple):
        return [recoloured(one, charts, key) for one in figure]
    if not isinstance(figure, str) or not key.endswith(("color", "colorway")):
        return figure
    if figure.lower() in charts:
        return charts[figure.lower()]
    if found := re.fullmatch(r"rgba\((\d+), ?(\d+), ?(\d+), ?([\d.]+)\)", figure):
        solid = "#" + "".join(f"{int(one):02x}" for one in found.groups()[:3])
        if solid in charts:
            return f"rgba({','.join(str(one) for one in _channels(charts[solid]))},{found[4]})"
    return figure


def _scheme(table: Section, scheme: Scheme, charts: tuple[str, ...], drawn: tuple[str, ...]) -> str:
    """Check the colours of one scheme, and return its rules."""
    own = {_NAMES[name]: _colour(table, name) for name in _NAMES if name in table.values}
    every = {**_own_colours(scheme), **own}
    for text, grounds in _ON.items():
        for ground in grounds:
            if text in own or ground in own:
                _check(table, text, ground, every)
    _check_charts(table, scheme, charts, every["sheet"])
    variables = "".join(f" --{name}: {colour};" for name, colour in own.items())
    lines = [f":root {{{variables} }}"] if variables else []
    # A chart is drawn in the light colours; in the dark each takes its partner, as the page's own do.
    for before, after in zip(drawn, charts, strict=True) if drawn else ():
        shown = ", ".join(str(one) for one in _channels(before))
        lines += [
            f'.plot [style*="{part}: rgb({shown})"] {{ {part}: {after} !important; }}' for part in ("fill", "stroke")
        ]
    return f"@media {_SCREENS[scheme]} {{\n" + "\n".join(lines) + "\n}" if lines else ""


def _check(table: Section, text: str, ground: str, every: Mapping[str, str]) -> None:
    ratio = contrast(every[text], every[ground])
    if ratio >= _TEXT:
        return
    written = {shown: name for name, shown in _NAMES.items()}
    key = written[text] if written[text] in table.values else written.get(ground, "")
    raise table.error(
        key,
        f"text in '{written[text]}' {table.label} ({every[text]}) on '{written.get(ground, ground)}' ({every[ground]}) "
        f"has a contrast of {_ratio(ratio)}; WCAG AA asks for {_TEXT} : 1, so choose one that is darker or lighter",
    )


def _check_charts(table: Section, scheme: Scheme, charts: tuple[str, ...], sheet: str) -> None:
    stated = "charts" in table.values
    for number, colour in enumerate(charts):
        if (ratio := contrast(colour, sheet)) < _GRAPHICS:
            advice = "choose one that is darker or lighter" if stated else "give [colours.dark] charts of its own"
            place = (*table.path, "charts", number) if stated else ("colours", "charts", number)
            raise table.document.error(
                place,
                f"chart colour {colour} on the {scheme} sheet ({sheet}) has a contrast of {_ratio(ratio)}; "
                f"WCAG AA asks for {_GRAPHICS:g} : 1, so {advice}",
            )


def _ratio(ratio: float) -> str:
    # Rounded down: what is refused must not read as if it were enough.
    return f"{int(ratio * 100) / 100:.2f} : 1"


def _charts(table: Section) -> tuple[str, ...]:
    found = table.texts("charts")
    if len(found) > _MOST_CHARTS:
        raise table.error("charts", f"'charts' {table.label} holds {len(found)} colours; give at most {_MOST_CHARTS}")
    return tuple(_checked(table, ("charts", number), one) for number, one in enumerate(found))


def _colour(table: Section, key: str) -> str:
    return _checked(table, (key,), table.required(key, '"#1c5d99"'))


def _checked(table: Section, key: tuple[str | int, ...], colour: str) -> str:
    if not _HEX.fullmatch(colour):
        raise table.document.error(
            (*table.path, *key),
            f"'{key[0]}' {table.label}: '{printable(colour, 40)}' is no colour; write six digits, such as #1c5d99",
        )
    return colour.lower()


def _own_colours(scheme: Scheme) -> dict[str, str]:
    """Return what the page's own style sheet says: one source for the page and for this check."""
    sheet = Path(__file__).with_name("templates").joinpath("page.css").read_text(encoding="utf-8")
    blocks = re.findall(r":root\s*\{([^}]*)\}", sheet)
    return dict(re.findall(r"--([\w-]+):\s*(#[0-9a-fA-F]{6})\b", blocks[0 if scheme == "light" else 1]))


def _luminance(colour: str) -> float:
    linear = [
        one / 255 / 12.92 if one / 255 <= 0.04045 else ((one / 255 + 0.055) / 1.055) ** 2.4 for one in _channels(colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
