"""The ratio of what was measured in some cells to what was measured in others, with its interval.

Every ratio here is of geometric means, and its interval a t interval on logarithms. Where three or
more contrasts say the same thing (pairs of cells alike in all other factors, say), the spread
between them is the error: it holds both noise and what the other factors do to the ratio. With
fewer, the replicates within the cells are all there is to judge by.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchlib.effects.cells import Cell
from benchlib.lazy_scipy import special
from benchlib.statistics.estimates import Estimate

__all__ = ["BETWEEN_FROM", "Contrast", "estimate_ratio", "exponential", "log_contrast", "t_interval", "welch"]

#: From this many contrasts on, the spread between them is the error.
BETWEEN_FROM = 3

#: Its exponential is near the largest number there is.
LARGEST_LOGARITHM = 709.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """A product of cells over a product of as many others.

    Attributes
    ----------
    over, under : tuple of Cell
        With positive values.
    """

    over: tuple[Cell, ...]
    under: tuple[Cell, ...]

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All cells of the contrast."""
        return (*self.over, *self.under)

    @property
    def positive(self) -> bool:
        """Whether every value has a logarithm."""
        return all(cell.values[0] > 0 for cell in self.cells)


def estimate_ratio(contrasts: Sequence[Contrast], level: float) -> Estimate:
    """Return the geometric mean of contrasts, unit ``"x"``; n counts the values behind it.

    Without a second contrast and without replicates there is no interval.

    Parameters
    ----------
    contrasts : sequence of Contrast
        At least one, of positive values, no cell in two of them.
    level : float
        Confidence level.

    References
    ----------
    Between contrasts: G. E. P. Box, W. G. Hunter, J. S. Hunter, Statistics for Experimenters,
    2nd ed., section 3.2. Within cells: B. L. Welch, Biometrika 34 (1947) 28-35.

    Examples
    --------
    >>> from benchlib.effects.cells import build_cells
    >>> one, two = build_cells({"bits": [32, 32, 64, 64]}, [1.0, 1.1, 2.0, 2.1], unit="sec").cells
    >>> found = estimate_ratio([Contrast(over=(two,), under=(one,))], 0.95)
    >>> round(found.value, 2), round(found.low, 2), round(found.high, 2), found.n
    (1.95, 1.41, 2.7, 4)
    """
    logs = [log_contrast(one) for one in contrasts]
    cells = [cell for one in contrasts for cell in one.cells]
    centre = math.fsum(logs) / len(logs)
    repeated = all(cell.n > 1 for cell in cells)
    if len(logs) >= BETWEEN_FROM or (len(logs) > 1 and not repeated):
        spread = math.sqrt(math.fsum((one - centre) ** 2 for one in logs) / (len(logs) - 1))
        error, degrees = spread / math.sqrt(len(logs)), float(len(logs) - 1)
        method = f"geometric mean of {len(logs)} matched ratios, t interval on logarithms"
    elif repeated:
        error, degrees = welch([_variance_of_mean(cell) for cell in cells], [cell.n - 1 for cell in cells])
        error /= len(logs)
        method = "ratio of geometric means, Welch interval on logarithms of the replicates"
    else:
        error, degrees, method = math.nan, 0.0, "ratio of single values"
    low, high = exponential(t_interval(centre, error, degrees, level))
    return Estimate(
        value=math.exp(centre),
        low=low,
        high=high,
        unit="x",
        confidence_level=level,
        n=sum(cell.n for cell in cells),
        method=method,
        standard_error=math.exp(centre) * error,
    )


def log_contrast(contrast: Contrast) -> float:
    """Return the logarithm of one contrast, of geometric means."""
    return math.fsum(map(_mean_log, contrast.over)) - math.fsum(map(_mean_log, contrast.under))


def welch(variances: Sequence[float], degrees: Sequence[float]) -> tuple[float, float]:
    """Return the standard error of a sum of independent means, and its degrees of freedom.

    Parameters
    ----------
    variances : sequence of float
        Of each mean, in the sum.
    degrees : sequence of float
        Degrees of freedom of each variance.

    References
    ----------
    F. E. Satterthwaite, Biometrics Bulletin 2 (1946) 110-114.

    Examples
    --------
    >>> welch([4.0, 4.0], [5, 5])
    (2.8284271247461903, 10.0)
    """
    total = math.fsum(variances)
    if total <= 0:
        return 0.0, math.fsum(degrees)
    # As shares of the total: squares of variances of tiny logarithms would underflow.
    parts = math.fsum((one / total) ** 2 / degree for one, degree in zip(variances, degrees, strict=True))
    return math.sqrt(total), 1 / parts


def t_interval(centre: float, error: float, degrees: float, level: float) -> tuple[float, float]:
    """Return a t interval; infinite without degrees of freedom.

    Examples
    --------
    >>> t_interval(1.0, 0.5, 0, 0.95)
    (-inf, inf)
    """
    if degrees <= 0 or not math.isfinite(error):
        return -math.inf, math.inf
    reach = float(special.stdtrit(degrees, (1 + level) / 2)) * error
    return centre - reach, centre + reach


def exponential(ends: tuple[float, float]) -> tuple[float, float]:
    """Return the ends of an interval of a logarithm as those of the number; unbounded stays unbounded.

    Examples
    --------
    >>> exponential((0.0, 1000.0)), exponential((-math.inf, math.inf))
    ((1.0, inf), (-inf, inf))
    """
    if ends == (-math.inf, math.inf):
        return ends
    low, high = (math.exp(one) if one < LARGEST_LOGARITHM else math.inf for one in ends)
    return low, high


def _mean_log(cell: Cell) -> float:
    return float(np.log(cell.values).mean())


def _variance_of_mean(cell: Cell) -> float:
    return float(np.log(cell.values).var(ddof=1)) / cell.n
