"""Where does noise live? How much values differ within a run, and how much runs differ beside that.

Values of one process share what that process met: where its memory lies, what the machine did that minute. More values
of it do not average that away; more processes do. The levels at which values were repeated (session, run, value) are
taken apart, each with the variance that it adds to the ones below.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.errors import DataError
from benchlib.lazy_scipy import special
from benchlib.statistics.estimates import checked_level

__all__ = ["NoiseBudget", "NoisePart", "noise_budget"]

_Floats = NDArray[np.float64]
_Codes = NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisePart:
    """What one level of repeating adds to the noise.

    Attributes
    ----------
    name : str
        Of the level: ``"run"``, or ``"value"`` for the innermost.
    sd, low, high : float
        Standard deviation of logarithms that units of this level add, all else alike, and its interval. 0.03 is 3 %.
    shared : float
        The part of `sd` that moves all cells of a unit alike, which a comparison within the unit is free of; NaN where
        no unit holds two cells.
    units : int
        How many units there are in all.
    repeats : float
        Units of this level in one unit of the level above (in a cell, for the outermost): the harmonic mean.
    degrees_of_freedom : float
    pvalue : float
        Of so large a difference between units if they differed by what is below them alone (F test); NaN for the
        innermost level.
    """

    name: str
    sd: float
    low: float
    high: float
    shared: float
    units: int
    repeats: float
    degrees_of_freedom: float
    pvalue: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseBudget:
    """The parts of the noise, the outermost level first, values last.

    Attributes
    ----------
    parts : tuple of NoisePart
    cells : int
        How many cells speak.
    confidence_level : float
    """

    parts: tuple[NoisePart, ...]
    cells: int
    confidence_level: float

    def __getitem__(self, name: str) -> NoisePart:
        """Return the part of a level."""
        return next(part for part in self.parts if part.name == name)

    @property
    def total(self) -> float:
        """Standard deviation of the logarithm of one value of a new unit of the outermost level."""
        return math.sqrt(sum(part.sd**2 for part in self.parts))

    def error(self, repeats: Mapping[str, float] | None = None) -> float:
        """Standard error of the mean logarithm of a cell, with these repeats of each level in the one above.

        What is not named is repeated as it was. It is the error of a result to be met on another day, as far as the
        outermost level saw one.

        Source: T. Kalibera, R. Jones, International Symposium on Memory Management (2013) 63-74, section 6.

        Examples
        --------
        >>> runs, values = [0, 0, 1, 1, 2, 2], [1.00, 1.01, 1.05, 1.06, 0.97, 0.96]
        >>> budget = noise_budget(values, [0] * 6, {"run": runs})
        >>> [round(budget.error(more) / budget.error(), 2) for more in ({"value": 1000}, {"run": 12})]
        [0.99, 0.5]
        """
        asked = dict(repeats or {})
        if unknown := set(asked) - {part.name for part in self.parts}:
            raise DataError(f"no level is called {sorted(unknown)[0]!r}; there are {[p.name for p in self.parts]}")
        variance, count = 0.0, 1.0
        for part in self.parts:
            count *= asked.get(part.name, part.repeats)
            variance += part.sd**2 / count
        return math.sqrt(variance)

    def more(self, name: str) -> int:
        """How many more of a level, in each unit of the one above, halve the interval of a mean, all else alike.

        Fewer than three times as many where few units of the outermost level leave Student's t wide.

        Examples
        --------
        >>> runs, values = [0, 0, 1, 1, 2, 2], [1.00, 1.01, 1.05, 1.06, 0.97, 0.96]
        >>> budget = noise_budget(values, [0] * 6, {"run": runs})
        >>> budget.more("run")
        2
        """
        part, outer = self[name], self.parts[0]

        def width(more: int) -> float:
            grown = (part.repeats + more - 1) / max(part.repeats - 1, 1e-9) if name == outer.name and more else 1.0
            quantile = float(special.stdtrit(outer.degrees_of_freedom * grown, (1 + self.confidence_level) / 2))
            return quantile * self.error({name: part.repeats + more})

        most = max(1, round(3 * part.repeats))
        return next((more for more in range(1, most) if width(more) <= width(0) / 2), most)

    def least_change(self) -> float:
        """Relative change between two units of the outermost level, each repeated within as here, beyond the noise.

        Of units that differ by noise alone, so large a change is met with the chance that the confidence level leaves.

        Source: "Student", The probable error of a mean, Biometrika 6 (1908) 1-25, for the difference of two such means.

        Examples
        --------
        >>> runs, values = [0, 0, 1, 1, 2, 2], [1.00, 1.01, 1.05, 1.06, 0.97, 0.96]
        >>> round(noise_budget(values, [0] * 6, {"run": runs}).least_change(), 2)
        0.31
        """
        outer = self.parts[0]
        quantile = float(special.stdtrit(outer.degrees_of_freedom, (1 + self.confidence_level) / 2))
        return math.expm1(quantile * math.sqrt(2) * self.error({outer.name: 1}))


def noise_budget(
    values: ArrayLike, cells: ArrayLike, blocks: Mapping[str, ArrayLike], *, confidence_level: float = 0.95
) -> NoiseBudget:
    """Take the noise of repeated values apart into what each level of repeating adds.

    Within each cell the means of units are held against the mean of the unit above them. The mean square of each level
    is the sum of its own variance and of the mean square below over the number of repeats there; differences that come
    out below 0 are 0. Intervals are those of Williams for a difference of mean squares. Where units hold several cells,
    as runs of a whole suite do, what all of them have in common is told apart from what is each one's own, and the
    degrees of freedom are counted accordingly: cells that move together are one witness.

    Parameters
    ----------
    values : array_like, shape (n,)
        All above 0.
    cells : array_like, shape (n,)
        What was measured: values of one cell differ by noise alone.
    blocks : mapping of str to array_like of shape (n,)
        For each level, the outermost first, which unit a value is of. A unit is known by its own label and those of the
        levels above.
    confidence_level : float

    Returns
    -------
    NoiseBudget
        The levels of `blocks` that are repeated, then ``"value"`` where values are.

    Raises
    ------
    DataError
        Where nothing is repeated, or a value is not above 0.

    References
    ----------
    T. Kalibera, R. Jones, "Rigorous benchmarking in reasonable time", ISMM (2013) 63-74.
    S. R. Searle, G. Casella, C. E. McCulloch, Variance Components (1992), chapter 3.
    J. S. Williams, Biometrika 49 (1962) 278-281, for the intervals.

    Examples
    --------
    >>> budget = noise_budget([1.00, 1.01, 1.05, 1.06], ["a"] * 4, {"run": [1, 1, 2, 2]})
    >>> [(part.name, round(part.sd, 3)) for part in budget.parts]
    [('run', 0.034), ('value', 0.007)]
    """
    level = checked_level(confidence_level)
    numbers = np.asarray(values, dtype=np.float64).ravel()
    if numbers.size == 0 or not (np.isfinite(numbers) & (numbers > 0)).all():
        raise DataError("noise is told in percent, for which every value has to be above 0")
    stages = _stages(np.log(numbers), _codes(cells), {name: _codes(labels) for name, labels in blocks.items()})
    repeated = [stage for stage in stages if stage.freedom > 0]
    if not repeated:
        raise DataError("nothing was measured twice, so that its noise is unknown; repeat each cell")
    parts, below = [], None
    for stage in reversed(repeated):
        parts.append(_part(stage, below, level))
        below = stage
    return NoiseBudget(parts=tuple(reversed(parts)), cells=int(np.unique(_codes(cells)).size), confidence_level=level)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stage:
    """The units of one level around the unit above them."""

    name: str
    square: float  # mean square of the units' means around their parent's
    freedom: float  # of it, cells that move together counted once
    units: int
    repeats: float
    shared: float  # variance that all cells of a unit share, what lies below not taken off


def _codes(labels: ArrayLike) -> _Codes:
    return np.unique(np.asarray(labels).ravel().astype(str), return_inverse=True)[1].astype(np.intp).ravel()


def _groups(*keys: _Codes) -> _Codes:
    """Number the groups of rows that agree in all keys."""
    return np.unique(np.stack(keys, axis=1), axis=0, return_inverse=True)[1].astype(np.intp).ravel()


def _stages(logs: _Floats, cells: _Codes, blocks: Mapping[str, _Codes]) -> list[_Stage]:
    """Return the mean squares of all levels, the outermost first, of unweighted means."""
    names = [*blocks, "value"]
    labels = [*blocks.values(), np.arange(logs.size)]
    paths = [np.zeros(logs.size, dtype=np.intp)]  # of the unit at each level, the levels above included
    for codes in labels:
        paths.append(_groups(paths[-1], codes))
    means, cell, path = logs, cells, paths
    stages = []
    for depth in range(len(names), 0, -1):
        parent = _groups(cell, path[depth - 1])
        stages.append(_stage(names[depth - 1], means, cell, path[depth], parent))
        size = np.bincount(parent)
        first = np.unique(parent, return_index=True)[1]
        means, cell, path = np.bincount(parent, means) / size, cell[first], [keys[first] for keys in path]
    return stages[::-1]


def _stage(name: str, means: _Floats, cell: _Codes, unit: _Codes, parent: _Codes) -> _Stage:
    sizes = np.bincount(parent)
    away = means - (np.bincount(parent, means) / sizes)[parent]
    usable = sizes[parent] > 1
    units, held = np.unique(unit[usable], return_counts=True)
    freedom = float(sizes[sizes > 1].sum() - (sizes > 1).sum())
    square = float((away[usable] ** 2).sum()) / freedom if freedom else math.nan
    shared = math.nan
    if units.size > 1 and (held > 1).any():
        freedom, shared = _together(away[usable], unit[usable], parent[usable], square, freedom)
    return _Stage(
        name=name,
        square=square,
        freedom=freedom,
        units=int(np.unique(unit).size),
        repeats=float(1 / np.mean(1 / sizes)),
        shared=shared,
    )


def _together(away: _Floats, unit: _Codes, parent: _Codes, square: float, freedom: float) -> tuple[float, float]:
    """Return degrees of freedom, and the variance that cells of one unit share.

    The mean over c cells has the shared variance and a c-th of the rest; Satterthwaite's rule joins both.
    """
    places = np.unique(unit, return_inverse=True)[1]
    held = np.bincount(places)
    middle = np.bincount(places, away) / held
    # As many units as move freely: those of one parent sum to 0.
    free = max(1.0, freedom * held.size / parent.size)
    count = float(1 / np.mean(1 / held))
    if count <= 1:
        return freedom, math.nan
    of_means = float((middle**2).sum()) / free
    shared = min(max((count * of_means - square) / (count - 1), 0.0), square)
    rest = square - shared
    if not square:
        return freedom, 0.0
    return square**2 / (shared**2 / free + rest**2 / freedom), shared


def _part(stage: _Stage, below: _Stage | None, level: float) -> NoisePart:
    """Take what lies below off the mean square of a level."""
    noise = below.square / below.repeats if below else 0.0
    tail = (1 - level) / 2
    quantile = special.chdtri(stage.freedom, np.array([tail, 1 - tail]))
    low, high = stage.square * stage.freedom / quantile
    pvalue = math.nan
    if below:
        ratio = stage.square / noise if noise else math.inf
        pvalue = float(special.fdtrc(stage.freedom, below.freedom, ratio)) if math.isfinite(ratio) else 0.0
        # Williams: the share of the noise below in either end of the F ratio is taken off.
        ends = special.fdtri(stage.freedom, below.freedom, np.array([1 - tail, tail]))
        low, high = low * (1 - ends[0] / ratio) if ratio else 0.0, high * (1 - ends[1] / ratio) if ratio else 0.0
    sd, low, high = (math.sqrt(max(0.0, float(variance))) for variance in (stage.square - noise, low, high))
    shared = stage.shared if math.isnan(stage.shared) else math.sqrt(min(stage.shared, sd**2))
    return NoisePart(
        name=stage.name,
        sd=sd,
        low=low,
        high=max(high, sd),
        shared=shared,
        units=stage.units,
        repeats=stage.repeats,
        degrees_of_freedom=stage.freedom,
        pvalue=pvalue,
    )
