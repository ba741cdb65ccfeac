"""The slides of a capacity plan, in the order of a talk: one function a slide, one message each.

::

    title, verdict                                  asked
    measured, scaling, saturation                   curves
    demand, latency, purchase, growth, what_if      planned, where there is a plan
    doubts, missing                                 unsettled
    appendix, sources, record                       behind

A slide is a `Section` whose title is its message, said by the answers. The slides follow the load that takes the most;
the verdict names all. Where there is no plan the slides say why and what would settle it, and those that would sell
something are left out.
"""

from __future__ import annotations

from benchlib.report.capacity_deck.asked import title, verdict
from benchlib.report.capacity_deck.behind import appendix, record, sources
from benchlib.report.capacity_deck.curves import counting, measured, saturation, scaling
from benchlib.report.capacity_deck.planned import demand, growth, latency, purchase, what_if
from benchlib.report.capacity_deck.unsettled import doubts, missing

__all__ = [
    "appendix",
    "counting",
    "demand",
    "doubts",
    "growth",
    "latency",
    "measured",
    "missing",
    "purchase",
    "record",
    "saturation",
    "scaling",
    "sources",
    "title",
    "verdict",
    "what_if",
]
