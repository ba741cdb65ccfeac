"""What was read off a law: throughput at an N, the N for a throughput, the throughput within a latency."""

from __future__ import annotations

from collections.abc import Iterator

from benchlib.answers.scaling import Readings
from benchlib.cli.blocks import Grid
from benchlib.cli.numbers import figure, interval
from benchlib.scaling.predict import LITTLE, Reached, Within
from benchlib.statistics.estimates import Estimate
from benchlib.units import confidence


def reading_grid(axis: str, readings: Readings) -> Grid:
    """Throughput, slope and latency at the concurrencies asked for."""
    level = confidence(readings.at[0].throughput.confidence_level)
    rows = (
        (
            f"{reading.concurrency:g}",
            figure(reading.throughput),
            interval(reading.throughput),
            figure(reading.slope),
            interval(reading.slope),
            figure(reading.latency),
        )
        for reading in readings.at
    )
    heads = (axis, f"X by {readings.law}", f"{level} interval", "slope", f"{level} interval", "N/X")
    return Grid(heads=heads, rows=tuple(rows), words=0)


def reading_lines(readings: Readings) -> Iterator[tuple[str, str]]:
    """What stands below: where a throughput is reached, what a latency allows, what could not be read."""
    if readings.at:
        yield "at", f"slope is what one more adds; latency is {LITTLE}"
    if readings.reach is not None:
        yield "for", _reached(readings.throughput_asked, readings.reach, readings.law)
    if readings.within is not None:
        yield "latency", _within(readings.latency_asked, readings.within, readings.law)
    for refusal in readings.refused:
        yield "refused", refusal


def _reached(asked: str, reached: Reached, law: str) -> str:
    if not reached.concurrency:
        return f"{asked} is not reached: {reached.reason}"
    places = " and ".join(_place(level) for level in reached.concurrency)
    return f"{asked} is reached by {law} at {places}{f'; {reached.reason}' if reached.reason else ''}"


def _within(asked: str, within: Within, law: str) -> str:
    if within.throughput is None or within.concurrency is None:
        return f"no throughput within a mean of {asked}: {within.reason}"
    sentence = (
        f"within a mean of {asked} {law} does at most {figure(within.throughput)} ({interval(within.throughput)})"
    )
    reason = f"{within.reason}; " if within.reason else ""
    return f"{sentence}, at {_place(within.concurrency)}; {reason}latency is {LITTLE}"


def _place(estimate: Estimate) -> str:
    ends = f" ({interval(estimate)})" if estimate.has_interval else ""
    return f"N = {figure(estimate)}{ends}"
