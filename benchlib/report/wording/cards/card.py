"""One figure of merit, and a row of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from benchlib.report.wording.markup import tag

__all__ = ["Card", "card_row"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A figure of merit.

    Attributes
    ----------
    label, value : str
        What it is, and the number with its unit.
    interval : str
        How sure it is.
    change : str
        Against the baseline, where recordings are compared.
    target : str
        What it is to keep, and whether it does, where the study says.
    note : str
    """

    label: str
    value: str
    interval: str
    change: str
    target: str
    note: str


def card_row(chosen: Sequence[Card]) -> Markup:
    """Return the cards as markup."""
    return tag(
        "div",
        *(
            tag(
                "div",
                tag("div", one.label, css="card-label"),
                tag("div", one.value, css="card-value"),
                tag("div", one.interval, css="card-interval"),
                *([tag("div", one.change, css="card-change")] if one.change else []),
                *([tag("div", one.target, css="card-target")] if one.target else []),
                tag("div", one.note, css="card-note"),
                css="card",
            )
            for one in chosen
        ),
        css="cards",
    )
