"""Where the end of an interval lies: a fan of steps that leads out of it, and a bracket that closes on it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from benchlib.scaling.laws import FloatArray

__all__ = ["CLOSE", "FAN", "FAR", "Bracket", "Fan", "Point"]

#: e to this power is beyond any concurrency or ratio to a measured throughput: call it unbounded.
FAR = 25.0
#: Multiples of a guess at which an end is first asked for, and how much further the next fan reaches.
FAN, _FURTHER = (1.0, 2.0), 4.0
#: An end is found where the signed root is this share of the root allowed, or its bracket this narrow.
CLOSE, _NARROW = 1e-6, 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A held value that was asked for, by its logarithm: the signed root there, and the free coordinates."""

    root: float
    log_held: float
    free: FloatArray


@dataclass(slots=True, kw_only=True, eq=False)
class Bracket:
    """One end that is searched for: it lies between a value inside the interval and one outside."""

    quantity: int
    upwards: bool
    inside: Point
    outside: Point
    furthest: Point
    known: list[Point]
    asked: int = 0

    @property
    def last(self) -> Point:
        """The value asked for last."""
        return self.known[-1]

    @property
    def end(self) -> float:
        """Where the end lies, as far as is known."""
        return self.last.log_held

    def closed(self, allowed: float) -> bool:
        """Say whether the last value is the end, for a root allowed of this size."""
        narrow = abs(self.outside.log_held - self.inside.log_held) <= _NARROW
        return narrow or abs(self.last.root) <= CLOSE * allowed

    def reopen(self, point: Point) -> None:
        """Start again from a point inside, with the first that was outside."""
        self.inside, self.outside, self.known = point, self.furthest, [self.furthest, point]

    def proposal(self) -> tuple[float, FloatArray]:
        """Return where the root should lie, and a start for the refit there: inverse interpolation.

        Every fourth time the middle, lest one side stay put.
        """
        ends = sorted((self.inside.log_held, self.outside.log_held))
        self.asked += 1
        if self.asked % 4:
            for count in (3, 2):
                points = sorted(self.known, key=lambda one: abs(one.root))[:count]
                shares = _lagrange([one.root for one in points])
                log_held = float(shares @ [one.log_held for one in points])
                if ends[0] < log_held < ends[1]:
                    return log_held, shares @ np.array([one.free for one in points])
        return sum(ends) / 2, (self.inside.free + self.outside.free) / 2

    def take(self, point: Point) -> None:
        """Narrow the bracket."""
        self.known.append(point)
        if point.root > 0:
            self.outside = point
        else:
            self.inside = point


def _lagrange(roots: list[float]) -> FloatArray:
    """Return the weights that carry values at these roots to the root 0; NaN where two are equal."""
    shares = []
    for one in roots:
        share = 1.0
        for other in roots:
            if other is not one:
                share *= other / (other - one) if other != one else math.nan
        shares.append(share)
    return np.array(shares)


@dataclass(frozen=True, slots=True)
class Fan:
    """Steps from an origin, in logarithms, at which an end is asked for; ``inside`` lies within, ``depth`` deep."""

    quantity: int
    upwards: bool
    origin: float
    reach: FloatArray
    inside: float
    depth: float

    def further(self, depth: float) -> Fan:
        """Return the next fan, beyond the last step of this one."""
        reach = np.clip(self.reach * _FURTHER, -FAR, FAR)
        return Fan(self.quantity, self.upwards, self.origin, reach, float(self.origin + self.reach[-1]), depth)
