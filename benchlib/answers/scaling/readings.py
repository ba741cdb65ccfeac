"""What the chosen law of a curve says of the concurrency, throughput or latency that was asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from benchlib.answers.scaling.amounts import latency_in, throughput_in
from benchlib.answers.scaling.question import Question
from benchlib.errors import DataError
from benchlib.scaling.fit import ScalingFit
from benchlib.scaling.predict import Reached, Reading, Within, read_at, read_latency, read_throughput

__all__ = ["Readings", "curve_readings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """What was read off the chosen law of one curve.

    Attributes
    ----------
    law : str
        Empty where none was chosen.
    throughput_asked, latency_asked : str
        As they were written; empty where nothing was asked.
    at : tuple of Reading
        By rising concurrency.
    reach : Reached or None
    within : Within or None
    refused : tuple of str
        What could not be read, and why.
    """

    law: str
    throughput_asked: str
    latency_asked: str
    at: tuple[Reading, ...]
    reach: Reached | None
    within: Within | None
    refused: tuple[str, ...]


def curve_readings(fit: ScalingFit | None, question: Question) -> Readings | None:
    """Read the chosen law of a curve where a question asks for it; None where none does."""
    if not (question.at or question.reach or question.latency):
        return None
    asked = [one.written if one else "" for one in (question.reach, question.latency)]
    nothing = Readings(
        law="",
        throughput_asked=asked[0],
        latency_asked=asked[1],
        at=(),
        reach=None,
        within=None,
        refused=("nothing is read off this curve: no law was chosen for it; name one (law)",),
    )
    if fit is None:
        return nothing
    at: list[Reading] = []
    reach, within = None, None
    refused = []
    for one in question.at:
        try:
            at += read_at(fit, one)
        except DataError as error:
            refused.append(str(error))
    try:
        reach = read_throughput(fit, throughput_in(question.reach, fit.unit)) if question.reach else None
    except DataError as error:
        refused.append(str(error))
    try:
        within = read_latency(fit, latency_in(question.latency, fit.unit)) if question.latency else None
    except DataError as error:
        refused.append(str(error))
    return replace(nothing, law=fit.law, at=tuple(at), reach=reach, within=within, refused=tuple(refused))
