"""Profile intervals: which values of a quantity the data cannot rule out.

For a quantity held at a value, all parameters are refitted; the value belongs to the interval
while the sum of squares stays below S_min + s² F(1, n - p). The fit of each held value is exact,
because the quantity is solved for one parameter: at a peak P the coherency is (1 - c) / P².

References
----------
D. M. Bates and D. G. Watts, "Nonlinear Regression Analysis and Its Applications", Wiley 1988,
section 6.1.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from scipy import optimize

from benchlib.scaling.laws import FloatArray, Law
from benchlib.scaling.objective import Formula, Objective
from benchlib.scaling.solver import Minimum, minimise

__all__ = [
    "QUANTITIES",
    "SATURATION_SHARE",
    "Quantity",
    "profile_interval",
    "quantity_named",
    "quantity_value",
]

#: The saturation point is the smallest N that reaches this share of the peak or ceiling.
SATURATION_SHARE = 0.95

Values = FloatArray
#: Free coordinates and the value held -> all parameters, and their derivatives by the free ones.
Embedding = Callable[[Values, float], tuple[Values, Values]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number a law implies, and how to hold it while the rest is refitted.

    Attributes
    ----------
    value : callable
        The quantity of a law's parameters; infinite where the law has none.
    free : callable
        Free coordinates of given parameters for a value held: where a refit starts.
    embed : callable
        See `Embedding`.
    bounds : callable
        Lower and upper bounds of the free coordinates for a value held.
    of_rate : bool
        Whether the quantity is a throughput and scales with the unit.
    """

    value: Callable[[Values], float]
    free: Callable[[Values, float], Values]
    embed: Embedding
    bounds: Callable[[float], tuple[Values, Values]]
    of_rate: bool


# --- USL: parameters r, c, k -------------------------------------------------------------


def _peak(p: Values) -> float:
    return math.sqrt(max(0.0, 1 - p[1]) / p[2]) if p[2] > 0 else math.inf


def _embed_peak(free: Values, peak: float) -> tuple[Values, Values]:
    rate, contention = free
    curvature = 1 / peak**2
    full = np.array([rate, contention, (1 - contention) * curvature])
    return full, np.array([[1.0, 0.0], [0.0, 1.0], [0.0, -curvature]])


def _knee(p: Values) -> float:
    return float(1 / p[1]) if p[1] > 0 else math.inf


def _embed_knee(free: Values, knee: float) -> tuple[Values, Values]:
    return np.array([free[0], 1 / knee, free[1]]), np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])


def _ceiling(p: Values) -> float:
    # X at N = sqrt((1 - c)/k); with k = 0 it becomes Amdahl's r/c.
    loss = p[1] - p[2] + 2 * math.sqrt(max(0.0, p[2] * (1 - p[1])))
    return float(p[0] / loss) if loss > 0 else math.inf


def _embed_ceiling(free: Values, ceiling: float) -> tuple[Values, Values]:
    # The root of coherency is the coordinate: the ceiling is smooth in it down to 0.
    contention, root = free
    parallel = math.sqrt(1 - contention)
    rate = ceiling * (contention - root**2 + 2 * root * parallel)
    rate_by = ceiling * np.array([1 - root / parallel, 2 * (parallel - root)])
    full = np.array([rate, contention, root**2])
    return full, np.array([rate_by, [1.0, 0.0], [0.0, 2 * root]])


def _saturation(p: Values) -> float:
    # 1/X = share⁻¹/X_peak is a quadratic in N; the smaller root lies before the peak.
    if p[1] >= 1:
        return 1.0
    target = (p[1] - p[2] + 2 * math.sqrt(max(0.0, p[2] * (1 - p[1])))) / SATURATION_SHARE
    if target <= 0:
        return math.inf
    middle = target - p[1] + p[2]
    rest = math.sqrt(max(0.0, middle**2 - 4 * p[2] * (1 - p[1])))
    return float(max(1.0, 2 * (1 - p[1]) / (middle + rest)))


def _embed_saturation(free: Values, point: float) -> tuple[Values, Values]:
    rate, contention = free
    inverse = 1 / SATURATION_SHARE
    parallel = math.sqrt(1 - contention)
    square = point - 1 + inverse
    middle = 2 * inverse * parallel
    constant = (1 - contention) / point - contention * (inverse - 1)
    spread = math.sqrt(max(middle**2 - 4 * square * constant, 0.0))
    root = max(0.0, 2 * constant / (middle + spread))
    # Implicit derivative of square·root² - middle·root + constant = 0 by contention.
    middle_by = -inverse / parallel
    constant_by = -1 / point - (inverse - 1)
    root_by = (middle_by * root - constant_by) / (2 * square * root - middle)
    return (
        np.array([rate, contention, root**2]),
        np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 2 * root * root_by]]),
    )


def _serial_share_at(point: float) -> float:
    """Return the serial fraction whose Amdahl curve saturates at ``point``."""
    odds = SATURATION_SHARE / (1 - SATURATION_SHARE)
    return odds / (point + odds)


_NEARLY_ONE = 1 - 1e-9


def _box(lower: list[float], upper: list[float]) -> Callable[[float], tuple[Values, Values]]:
    ends = np.array(lower), np.array(upper)
    return lambda held: ends


def _held(index: int, law_lower: tuple[float, ...], law_upper: tuple[float, ...]) -> Quantity:
    """Return a parameter itself as a quantity."""
    others = [one for one in range(len(law_lower)) if one != index]
    tangent = np.zeros((len(law_lower), len(others)))
    tangent[others, range(len(others))] = 1.0

    def embed(free: Values, held: float) -> tuple[Values, Values]:
        return np.insert(free, index, held), tangent

    return Quantity(
        value=lambda p: float(p[index]),
        free=lambda p, held: np.delete(p, index),
        embed=embed,
        bounds=_box([law_lower[one] for one in others], [law_upper[one] for one in others]),
        of_rate=index == 0,
    )


_USL: dict[str, Quantity] = {
    "peak": Quantity(
        value=_peak,
        free=lambda p, held: p[:2],
        embed=_embed_peak,
        bounds=_box([0.0, 0.0], [math.inf, 1.0]),
        of_rate=False,
    ),
    "knee": Quantity(
        value=_knee,
        free=lambda p, held: p[[0, 2]],
        embed=_embed_knee,
        bounds=_box([0.0, 0.0], [math.inf, math.inf]),
        of_rate=False,
    ),
    "ceiling": Quantity(
        value=_ceiling,
        free=lambda p, held: np.array([max(p[1], min(p[0] / held, 0.5)), math.sqrt(p[2])]),
        embed=_embed_ceiling,
        bounds=_box([0.0, 0.0], [_NEARLY_ONE, 1.0]),
        of_rate=True,
    ),
    "saturation_point": Quantity(
        value=_saturation,
        free=lambda p, held: p[:2],
        embed=_embed_saturation,
        bounds=lambda held: (
            np.array([0.0, 0.0]),
            np.array([math.inf, min(_NEARLY_ONE, _serial_share_at(held))]),
        ),
        of_rate=False,
    ),
}

# --- Amdahl: parameters r, f -------------------------------------------------------------

_AMDAHL: dict[str, Quantity] = {
    "knee": Quantity(
        value=_knee,
        free=lambda p, held: p[:1],
        embed=lambda free, held: (np.array([free[0], 1 / held]), np.array([[1.0], [0.0]])),
        bounds=_box([0.0], [math.inf]),
        of_rate=False,
    ),
    "ceiling": Quantity(
        value=lambda p: float(p[0] / p[1]) if p[1] > 0 else math.inf,
        free=lambda p, held: np.maximum(p[1:], min(p[0] / held, 0.5)),
        embed=lambda free, held: (np.array([held * free[0], free[0]]), np.array([[held], [1.0]])),
        bounds=_box([0.0], [1.0]),
        of_rate=True,
    ),
    "saturation_point": Quantity(
        value=lambda p: _saturation(np.array([p[0], p[1], 0.0])),
        free=lambda p, held: p[:1],
        embed=lambda free, held: (
            np.array([free[0], _serial_share_at(held)]),
            np.array([[1.0], [0.0]]),
        ),
        bounds=_box([0.0], [math.inf]),
        of_rate=False,
    ),
}

#: Derived quantities of each law; a line and Gustafson's law have none.
QUANTITIES: Mapping[str, Mapping[str, Quantity]] = MappingProxyType(
    {"usl": MappingProxyType(_USL), "amdahl": MappingProxyType(_AMDAHL)}
)


def quantity_named(law: Law, name: str) -> Quantity:
    """Return a derived quantity, or one of the parameters as a quantity."""
    if name in law.parameters:
        return _held(law.parameters.index(name), law.lower, law.upper)
    return QUANTITIES[law.name][name]


def quantity_value(law: Law, name: str, parameters: Values) -> float:
    """Return what a law with these parameters implies.

    Examples
    --------
    >>> import numpy as np
    >>> from benchlib.scaling.laws import usl
    >>> round(quantity_value(usl, "peak", np.array([90.0, 0.0277, 0.000104])), 2)
    96.69
    """
    return quantity_named(law, name).value(parameters)


def profile_interval(
    objective: Objective,
    law: Law,
    name: str,
    best: Values,
    best_sum: float,
    allowed_rise: float,
) -> tuple[float, float]:
    """Return the values of a quantity whose refit raises the sum of squares by no more than allowed.

    Parameters
    ----------
    objective : Objective
    law : Law
    name : str
        A derived quantity or a parameter of the law.
    best : ndarray, shape (p,)
        The feasible fit, in units of the objective.
    best_sum : float
        Its sum of squares.
    allowed_rise : float
        s² F, or s² t² for a one-sided limit.

    Returns
    -------
    low, high : float
        In units of the objective. An end is infinite (or 0) where even the limit is not ruled out.
    """
    quantity = quantity_named(law, name)
    value = quantity.value(best)
    if allowed_rise <= objective.negligible:
        return value, value

    formula = objective.evaluator(law)
    # Each refit starts from the last: neighbours on a profile lie close together.
    near = [best]
    known: dict[float, float] = {}

    def excess(log_held: float) -> float:
        if log_held not in known:
            held = math.exp(log_held)
            found, near[0] = _held_sum(formula, quantity, held, (near[0], best), objective.negligible)
            # Capped, because root finding cannot interpolate towards infinity.
            known[log_held] = min(found - best_sum, 1e9 * allowed_rise) - allowed_rise
        return known[log_held]

    if value == 0:
        start = math.log(1e-9)
        return 0.0, _end(excess, start, 1.0)
    if math.isinf(value):
        seed = math.log(float(np.max(objective.throughput if quantity.of_rate else objective.concurrency)))
        while excess(seed) > 0 and seed < 60:
            seed += 1.0
        return _end(excess, seed, -1.0), math.inf
    start = math.log(value)
    return _end(excess, start, -0.05), _end(excess, start, 0.05)


def _held_sum(
    formula: Formula, quantity: Quantity, held: float, near: tuple[Values, ...], negligible: float
) -> tuple[float, Values]:
    """Return the smallest sum of squares with a quantity held, and the parameters there."""
    lower, upper = quantity.bounds(held)

    def evaluate(free: Values) -> tuple[Values, Values]:
        full, tangent = quantity.embed(free, held)
        residuals, jacobian = formula(full)
        return residuals, jacobian @ tangent

    searches: list[Minimum] = []
    for start in near:
        found = minimise(
            evaluate, quantity.free(start, held), lower, upper, negligible=negligible, orthogonal=_FOR_SUMS
        )
        searches.append(found)
        if found.converged:
            break
    lowest = min(searches, key=lambda one: one.sum_of_squares)
    return lowest.sum_of_squares, quantity.embed(lowest.parameters, held)[0]


#: Exact enough for a sum of squares, of which it is the square that counts.
_FOR_SUMS = 1e-5
#: e to this power is beyond any concurrency or ratio to a measured throughput: call it unbounded.
_FAR = 25.0


def _end(excess: Callable[[float], float], start: float, step: float) -> float:
    """Walk from inside the interval until the data object, then find the end exactly."""
    inside = start
    if excess(inside) > 0:
        return math.exp(inside)
    while abs(inside - start) < _FAR:
        outside = inside + step
        if excess(outside) > 0:
            root = optimize.brentq(excess, inside, outside, xtol=1e-9, rtol=1e-12)
            return math.exp(float(root))
        inside, step = outside, step * 1.6
    return math.inf if step > 0 else 0.0
