"""A cost model as one line of plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchlib.effects.cells import Level, name_cell
from benchlib.effects.hypotheses import Space
from benchlib.effects.models.designs import Slots, slice_of
from benchlib.effects.shapes import Scale, Term
from benchlib.errors import printable
from benchlib.units import show

__all__ = ["amount", "formula"]

#: So many slices with coefficients of their own, and so many scales, are written out.
_SHOWN = 6


def amount(value: float, unit: str) -> str:
    """Write an amount with three digits; zeros behind its point say nothing, nor does that it is for an operation.

    Examples
    --------
    >>> [amount(0.0281, "sec/op"), amount(1220482, "B/op"), amount(17.25, "allocs/op"), amount(5000.0, "req/sec")]
    ['28.1 ms', '1.16 MiB', '17.2 allocs', '5,000 req/s']
    >>> amount(9.91e-19, "sec")
    '9.91e-10 ns'
    """
    number, _, name = show(value, unit, 3).removesuffix("/op").partition(" ")
    digits, power, exponent = number.partition("e")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return f"{digits}{power}{exponent} {name}".rstrip()


def formula(
    coefficients: Sequence[float],
    scales: Sequence[float],
    slots: Slots,
    terms: Sequence[Term | None],
    space: Space,
    unit: str,
) -> str:
    """Write a model as a formula.

    Parameters
    ----------
    coefficients : sequence of float
        In ``unit``.
    scales : sequence of float
        As factors, not logarithms.
    """
    fixed = [place for place, part in enumerate(slots.parts) if part is None]
    told = []
    for place in fixed[:_SHOWN]:
        group = slots.groups[place]
        summed = amount(coefficients[place], unit)
        for other, part in enumerate(slots.parts):
            if part is not None and all(
                code in (-1, here) for code, here in zip(slots.groups[other], group, strict=True)
            ):
                product = " * ".join(_term(space.scales[factor], terms[factor]) for factor in part)
                summed += f" + {amount(coefficients[other], unit)} * {product}"
        where = slice_of(group, space.categories)
        told.append(f"{name_cell(where)}: {summed}" if where else summed)
    written = "; ".join(told)
    if len(fixed) > _SHOWN:
        written += f"; and {len(fixed) - _SHOWN} more"
    if not scales:
        return written
    times = " ".join(
        f"* {scale:.3g} at {name_cell(_level(slot, space.categories))}"
        for slot, scale in list(zip(slots.scaled, scales, strict=True))[:_SHOWN]
    )
    if len(scales) > _SHOWN:
        times += f" and {len(scales) - _SHOWN} more"
    single = len(fixed) == 1 and all(part is None for part in slots.parts)
    return f"{written} {times}" if single else f"({written}) {times}"


def _term(scale: Scale, term: Term | None) -> str:
    return scale.words(term) if term is not None else printable(scale.factor)


def _level(slot: tuple[int, int], categories: Mapping[str, tuple[Level, ...]]) -> dict[str, Level]:
    factor, levels = list(categories.items())[slot[0]]
    return {factor: levels[slot[1]]}
