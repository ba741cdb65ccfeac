"""How the workbench shows things, for a whole session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from benchlib.errors import ParameterError, choices, printable, suggestion
from benchlib.units import parse_unit

__all__ = ["options"]

_THEMES = ("auto", "light", "dark")
_MOST_ROWS, _LONGEST_UNIT = 100, 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What `options` was told: the theme of charts, the rows of a table, units by metric, and whether charts move."""

    theme: Literal["auto", "light", "dark"] = "auto"
    max_rows: int = 12
    units: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    static: bool = False


_current = Options()


def options(
    *,
    theme: Literal["auto", "light", "dark"] | None = None,
    max_rows: int | None = None,
    units: Mapping[str, str] | None = None,
    static: bool | None = None,
) -> Options:
    """Change how things are shown from now on, and return how they are; what is not given stays.

    Parameters
    ----------
    theme
        ``"dark"`` draws charts on a dark plate, ``"light"`` and ``"auto"`` on a white one.
    max_rows
        Rows of a table that stand open, 1 to 100.
    units
        The unit in which a metric is shown, such as ``{"time": "µs"}``.
    static
        Leave plotly out: charts are pictures alone, and a notebook file stays small.

    Examples
    --------
    >>> options(max_rows=5).max_rows, options(max_rows=12).theme
    (5, 'auto')
    """
    global _current
    given = {"theme": theme, "max_rows": max_rows, "units": units, "static": static}
    changed = {name: value for name, value in given.items() if value is not None}
    if theme is not None and theme not in _THEMES:
        near = suggestion(str(theme), _THEMES)
        raise ParameterError(f"options: no theme '{printable(str(theme), 40)}'{near}; accepted: {choices(_THEMES)}")
    if max_rows is not None and (type(max_rows) is not int or not 1 <= max_rows <= _MOST_ROWS):
        shown = printable(repr(max_rows), 40)
        raise ParameterError(f"options: max_rows={shown} is no number of rows; give 1 to {_MOST_ROWS}")
    if static is not None and type(static) is not bool:
        raise ParameterError(f"options: static={printable(repr(static), 40)} is neither True nor False")
    if units is not None:
        changed["units"] = MappingProxyType(_checked_units(units))
    _current = replace(_current, **changed)  # type: ignore[arg-type]  # each has been checked
    return _current


def _checked_units(units: Mapping[str, str]) -> dict[str, str]:
    if not isinstance(units, Mapping):
        raise ParameterError(f'options: units={printable(repr(units), 40)} is no mapping; write {{"time": "µs"}}')
    for metric, unit in units.items():
        if not (isinstance(metric, str) and isinstance(unit, str) and 0 < len(unit) <= _LONGEST_UNIT):
            shown = printable(repr({metric: unit}), 60)
            raise ParameterError(f'options: units={shown} names no unit of a metric; write {{"time": "µs"}}')
        parse_unit(unit)
    return dict(units)
