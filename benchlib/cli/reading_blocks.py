"""What was read off a law: throughput at an N, the N for a throughput, the throughput within a latency."""

from __future__ import annotations

from collections.abc import Iterator

from benchlib.answers.scaling import Readings
from benchlib.cli.blocks import Grid
from benchlib.cli.numbers import figure, interval
from benchlib.scaling.predict import LITTLE, Reached, Within
from benchlib.statistics.estimates import Estimate
from benchlib.units import confidence


def reading_grid(axis: str, found: Readings) -> Grid:
    """Throughput, slope and latency at the concurrencies asked for."""
    level = confidence(found.at[0].throughput.confidence_level)
    rows = (
        (
            f"{one.concurrency:g}",
            figure(one.throughput),
            interval(one.throughput),
            figure(one.slope),
            interval(one.slope),
            figure(one.latency),
        )
        for one in found.at
    )
    heads = (axis, f"X by {found.law}", f"{level} interval", "slope", f"{level} interval", "N/X")
    return Grid(heads=heads, rows=tuple(rows), words=0)


def reading_lines(found: Readings) -> Iterator[tuple[str, str]]:
    """What stands below: where a throughput is reached, what a latency allows, what could not be read."""
    if found.at:
        yield "at", f"slope is what one more adds; latency is {LITTLE}"
    if found.reach is not None:
        yield "for", _reached(found.throughput_asked, found.reach, found.law)
    if found.within is not None:
        yield "latency", _within(found.latency_asked, found.within, found.law)
    for one in found.refused:
        yield "refused", one


def _reached(asked: str, found: Reached, law: str) -> str:
    if not found.concurrency:
        return f"{asked} is not reached: {found.reason}"
    places = " and ".join(_place(one) for one in found.concurrency)
    return f"{asked} is reached by {law} at {places}{f'; {found.reason}' if found.reason else ''}"


def _within(asked: str, found: Within, law: str) -> str:
    if found.throughput is None or found.concurrency is None:
        return f"no throughput within a mean of {asked}: {found.reason}"
    told = f"within a mean of {asked} {law} does at most {figure(found.throughput)} ({interval(found.throughput)})"
    return f"{told}, at {_place(found.concurrency)}; {f'{found.reason}; ' if found.reason else ''}latency is {LITTLE}"


def _place(estimate: Estimate) -> str:
    ends = f" ({interval(estimate)})" if estimate.has_interval else ""
    return f"N = {figure(estimate)}{ends}"
