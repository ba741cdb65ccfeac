"""Caveats and refusals as they stand on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from benchlib.answers.asking import Refusal
from benchlib.answers.evidence import Evidence
from benchlib.caveats import Caveat
from benchlib.report.wording.markup import join, tag
from benchlib.report.wording.told import told

__all__ = ["caveat_list", "refusal_line"]

_WORDS = {"alert": "Alert", "warning": "Caution", "note": "Note"}


def caveat_list(caveats: Sequence[Caveat], behind: Mapping[Caveat, Evidence] | None = None) -> Markup:
    """Return caveats as a list: severity in words, what was found, what to do.

    Parameters
    ----------
    caveats : sequence of Caveat
    behind : mapping of Caveat to Evidence, optional
        What stands behind the numbers of those that have any.
    """
    if not caveats:
        return Markup()
    items = (
        tag(
            "li",
            tag("span", f"{_WORDS[one.severity]}: ", css="caveat-word"),
            tag(
                "span",
                told(one.message, behind[one]) if behind and one in behind else one.message,
                css="caveat-message",
            ),
            ". ",
            tag("span", one.advice, css="caveat-advice"),
            css=f"caveat caveat-{one.severity}",
        )
        for one in caveats
    )
    return tag("ul", join(items), css="caveats")


def refusal_line(refusal: Refusal, asked: str = "") -> Markup:
    """Return the one line that says why a section is empty, or why what was asked in it has no answer."""
    return tag(
        "p",
        f"Not answered{f' ({asked})' if asked else ''}: {refusal.reason}. ",
        tag("span", f"To answer it: {refusal.advice}."),
        css="refusal",
    )
