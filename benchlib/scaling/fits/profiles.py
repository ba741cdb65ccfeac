"""Profile intervals: which values of a quantity the data cannot rule out.

For a quantity held at a value, all parameters are refitted; the value belongs to the interval while the sum
of squares stays below S_min + s² F(1, n - p). Such values are the range of the quantity over the confidence
region of the parameters, so all quantities of a law share one search for the surface of that region: around
the ray that leads furthest for a quantity closer rays are sent, until none leads further.

References
----------
D. M. Bates and D. G. Watts, "Nonlinear Regression Analysis and Its Applications", Wiley 1988, section
6.1.2: profiles, and the region that they are the shadows of.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.scaling.fits.quantities import quantity_named
from benchlib.scaling.fits.rays import AROUND, MIDDLE, Rays, best_around, vertex
from benchlib.scaling.fits.surface import Region, Surface
from benchlib.scaling.laws import FloatArray

__all__ = ["profile_intervals"]

#: The angle of the first rays around the best, and by how much each round is closer.
_ANGLE, _CLOSER, _NO_ANGLE, _MOST_ROUNDS = 0.2, 6.0, 1e-6, 60
#: How close rays must end to the surface: by the square of their angle, as what they tell apart is.
_CLOSELY, _EXACTLY = 1e-4, 1e-10
#: A top that lies this little further, in logarithms, is found: what is left there is hundreds of times less.
_NO_FURTHER = 5e-6


def profile_intervals(region: Region, names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return the smallest and the largest value that the data allow, for each quantity or parameter of a law.

    Parameters
    ----------
    region : Region
        Its limit is S_min + s² F, or S_min + s² t² of a one-sided limit.
    names : sequence of str
        Derived quantities and parameters of the law.

    Returns
    -------
    dict
        Name to (low, high), in units of the objective. An end is infinite (or 0) where even the limit is not
        ruled out.
    """
    if region.limit - region.best_sum <= region.objective.negligible:
        best = region.best[np.newaxis]
        return {name: (float(quantity_named(region.law, name)(best)[0]),) * 2 for name in names}
    with np.errstate(all="ignore"):
        return _Search(region, names).intervals()


@dataclass(frozen=True, slots=True)
class _End:
    """An end that is searched for: the largest of a quantity (sign 1) or its smallest (-1)."""

    name: str
    sign: float


@dataclass(frozen=True, slots=True, eq=False)
class _Reached:
    """Parameters at the ends of rays, and which lie outside the bounds."""

    parameters: FloatArray
    outside: NDArray[np.bool_]


class _Search:
    """The search for all ends at once."""

    def __init__(self, region: Region, names: Sequence[str]) -> None:
        self.surface = Surface(region)
        self.quantities = {name: quantity_named(region.law, name) for name in names}
        # By name, so that the rays of each quantity lie together. How far each gets: times its sign, in logarithms.
        self.furthest = {_End(name, sign): -math.inf for name in sorted(names) for sign in (-1.0, 1.0)}

    def intervals(self) -> dict[str, tuple[float, float]]:
        """Return (low, high) by name."""
        sent: dict[_End, list[Rays]] = {end: [] for end in self.furthest}
        for centre, rays in self.surface.first_rays():
            known, reached = self.surface.parameters(centre[np.newaxis]), self._reached(rays)
            for name, of in self.quantities.items():
                logs = np.log(of(reached.parameters))
                logs[reached.outside] = math.nan
                for end in (one for one in self.furthest if one.name == name):
                    self._reach(end, float(np.log(of(known))[0]))
                    best = int(np.argmax(_last_where_nan(end.sign * logs))) if len(logs) else -1
                    # What a ray reaches is not yet exact, but that there is no end to it.
                    if best >= 0 and math.isfinite(logs[best]):
                        sent[end].append(rays.rows(np.array([best])))
                    elif best >= 0:
                        self._reach(end, float(logs[best]))
        ends = [end for end, rays in sent.items() for _ in rays if self.furthest[end] < math.inf]
        if ends:
            self._follow(ends, Rays.together([ray for end in dict.fromkeys(ends) for ray in sent[end]]))
        return {
            name: (math.exp(-self.furthest[_End(name, -1.0)]), math.exp(self.furthest[_End(name, 1.0)]))
            for name in self.quantities
        }

    def _reach(self, end: _End, log: float) -> None:
        if not math.isnan(log):
            self.furthest[end] = max(self.furthest[end], end.sign * log)

    def _reached(self, rays: Rays) -> _Reached:
        return _Reached(self.surface.parameters(rays.end), ~self.surface.feasible(rays))

    def _follow(self, ends: list[_End], rays: Rays) -> None:
        """Send closer rays around the one of each end, until none leads further."""
        angle = np.full(len(ends), _ANGLE)
        settled: list[tuple[_End, Rays]] = []
        led: dict[_End, float] = {}
        for _ in range(_MOST_ROUNDS):
            first, second = rays.across()
            turns = AROUND[:, :1] * first[:, np.newaxis] + AROUND[:, 1:] * second[:, np.newaxis]
            near = rays.rows(np.repeat(np.arange(len(ends)), len(AROUND)))
            near = near.turned(near.towards + (angle[:, np.newaxis, np.newaxis] * turns).reshape(-1, 3))
            near = self.surface.lengthened(near, max(_CLOSELY * float(angle.min()) ** 2, _EXACTLY))
            logs, outside = self._signed_logs(ends, near)
            logs, outside = logs.reshape(-1, len(AROUND)), outside.reshape(-1, len(AROUND))
            values = _last_where_nan(np.where(outside, math.nan, logs))
            best = best_around(values)
            step, gain, top = vertex(values, best, np.stack([first.any(axis=1), second.any(axis=1)], axis=1))
            turn = angle[:, np.newaxis] * step
            rays = near.rows(np.arange(len(ends)) * len(AROUND) + best).turned(
                rays.towards + turn[:, :1] * first + turn[:, 1:] * second
            )
            # Once by chance a quadratic far from a top may seem to have it here.
            done = (top & (np.abs(gain) <= _NO_FURTHER) & (angle < _ANGLE)) | (angle < _NO_ANGLE)
            # One that, looked at closely, gets further only beyond a bound creeps to its top on the face there: where
            # a ray that has found a top, such as one that was sent to that face, leads already, it is left.
            got = values.max(axis=1)
            for row in np.flatnonzero(done):
                led[ends[row]] = max(led.get(ends[row], -math.inf), float(got[row]))
            behind = np.array([led.get(end, -math.inf) for end in ends]) - got > _NO_FURTHER
            beyond = np.where(outside, _last_where_nan(logs), -math.inf).max(axis=1)
            done |= behind & (beyond > got) & (angle < _ANGLE / _CLOSER**2)
            settled += [(ends[row], rays.rows(np.array([row]))) for row in np.flatnonzero(done)]
            if done.all():
                break
            # Where the best of the nine lies well ahead on their rim, more of the same; else closer.
            ahead = values[np.arange(len(ends)), best] - values[:, MIDDLE] > _NO_FURTHER
            angle = np.where(ahead & ~top, angle, angle / _CLOSER)[~done]
            rays, ends = rays.rows(~done), [one for one, over in zip(ends, done, strict=True) if not over]
        else:
            settled += [(end, rays.rows(np.array([row]))) for row, end in enumerate(ends)]
        settled.sort(key=lambda one: one[0].name)
        last = self.surface.lengthened(Rays.together([ray for _, ray in settled]), _EXACTLY)
        logs, outside = self._signed_logs([end for end, _ in settled], last)
        for (end, _), log in zip(settled, np.where(outside, math.nan, logs), strict=True):
            self._reach(end, end.sign * float(log))

    def _signed_logs(self, ends: Sequence[_End], rays: Rays) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Return how far each end, sorted by name, gets along as many rays for each, and which end out of bounds."""
        each, start = len(rays.length) // len(ends), 0
        reached, found = self._reached(rays), np.empty(len(rays.length))
        for name, of_name in itertools.groupby(ends, key=lambda one: one.name):
            signs = np.repeat([one.sign for one in of_name], each)
            here = slice(start, start + len(signs))
            found[here] = signs * np.log(self.quantities[name](reached.parameters[here]))
            start += len(signs)
        return found, reached.outside


def _last_where_nan(values: FloatArray) -> FloatArray:
    return np.where(np.isnan(values), -math.inf, values)
