"""How does throughput grow with concurrency, which law says so, and where does it stop?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from benchlib.answers.evidence import Evidence, gather
from benchlib.answers.grouping import axes_of, cells, mixed_axes, name_caveats
from benchlib.answers.refusal import Refusal
from benchlib.answers.sweeps import FEWEST_LEVELS, Sweep, find_sweeps
from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import DataError, choices, printable
from benchlib.scaling.choice import Choice, choose_law
from benchlib.scaling.curve import ScalingCurve, ScalingPoint, build_curve, measure_points
from benchlib.scaling.fitting import ScalingFit, fit_law
from benchlib.scaling.returns import Return, best_return
from benchlib.scaling.shape import Shape, describe_shape
from benchlib.study import Exclusion, Study

__all__ = ["CurveAnswer", "Disagreement", "ScalingAnswer", "scaling_answer"]

#: Two measures of one sweep disagree when their speedups part by more than this share.
AGREEMENT = 0.05
LAWS = ("linear", "amdahl", "usl")
#: Axes that count what asks for work rather than what does it: a core serves many of them.
DEMAND_AXES = ("connections", "clients", "concurrency", "users", "subscribers")


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveAnswer:
    """One scaling curve: its points, the laws fitted to it, and what its shape says.

    Attributes
    ----------
    name : str
        Benchmark, levels of the other axes, and the metric the curve comes from.
    key : mapping
    metric : str
        ``throughput``, or ``time`` where throughput is one over it.
    axis : str
        The axis that is concurrency.
    curve : ScalingCurve
    points : tuple of ScalingPoint
    fits : tuple of ScalingFit
        Every law that could be fitted.
    refused_fits : tuple of str
        Why the others could not.
    choice : Choice or None
        None where no law could be fitted, and for a plateau: no law here tells a resource that ran
        out from contention.
    shape : Shape
    returns : Return
    evidence : mapping of float to Evidence
        By level of concurrency.
    caveats : tuple of Caveat
    """

    name: str
    key: Mapping[str, Any]
    metric: str
    axis: str
    curve: ScalingCurve
    points: tuple[ScalingPoint, ...]
    fits: tuple[ScalingFit, ...]
    refused_fits: tuple[str, ...]
    choice: Choice | None
    shape: Shape
    returns: Return
    evidence: Mapping[float, Evidence]
    caveats: tuple[Caveat, ...]

    @property
    def chosen(self) -> ScalingFit | None:
        """The fit of the chosen law."""
        if self.choice is None:
            return None
        return next(fit for fit in self.fits if fit.law == self.choice.law)


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A level at which two measures of one sweep tell different speedups."""

    concurrency: float
    speedups: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingAnswer:
    """All scaling curves of a study."""

    axis: str
    cores: int | None
    curves: tuple[CurveAnswer, ...]
    disagreements: tuple[Disagreement, ...]
    exclusions: tuple[Exclusion, ...]
    caveats: tuple[Caveat, ...]


def scaling_answer(study: Study, *, law: str = "all", confidence_level: float = 0.95) -> ScalingAnswer | Refusal:
    """Fit scaling laws to every throughput curve of a study.

    Parameters
    ----------
    study : Study
        Its plan names the concurrency axis, curves, exclusions and weights.
    law : str
        ``"all"``, or one of ``linear``, ``amdahl``, ``gustafson``, ``usl``.
    confidence_level : float

    Returns
    -------
    ScalingAnswer or Refusal

    Raises
    ------
    SelectionError
        If the plan names an axis that is not there.

    References
    ----------
    The laws and their sources: `benchlib.scaling.laws`.

    Examples
    --------
    >>> import benchlib
    >>> answer = scaling_answer(benchlib.open_study("data/onix-adapter-published"))
    >>> [round(point.speedup, 2) for point in answer.curves[0].points]
    [1.0, 1.33, 2.15, 2.53, 2.91]
    """
    plan = study.scaling
    axis = plan.concurrency
    if not axis:
        return Refusal(
            question="scaling",
            reason="no axis of these results is named as concurrency",
            advice="name it: concurrency in [scaling] of study.toml, e.g. 'gomaxprocs'",
        )
    if axis not in study.results.axes:
        return Refusal(
            question="scaling",
            reason=f"no result here has the axis {axis!r}",
            advice="measure at several levels of concurrency",
        )
    cores = study.environment.get("cores")
    cores = cores if isinstance(cores, int) else None
    curves: list[CurveAnswer] = []
    refused: list[tuple[str, Caveat]] = []
    for sweep in find_sweeps(study):
        found = _refused(sweep, axis)
        if found is None:
            try:
                curves.append(_curve(sweep, study, law, cores, confidence_level))
            except DataError as error:
                found = caveat("refused-rows", str(error))
        if found is not None:
            refused.append((sweep.name, found))
    if not curves:
        return _no_curve(study, axis, refused)
    disagreements = _disagreements(curves) if plan.same_work else ()
    excluded = tuple(
        caveat("excluded-from-curve", f"{one.where}: kept out of the curves ({one.why})") for one in plan.exclusions
    )
    return ScalingAnswer(
        axis=axis,
        cores=cores,
        curves=tuple(curves),
        disagreements=disagreements,
        exclusions=plan.exclusions,
        caveats=merge(
            _disagree(disagreements, axis),
            _cores(cores),
            excluded,
            name_caveats(refused),
            name_caveats((curve.name, one) for curve in curves for one in curve.caveats),
        ),
    )


def _refused(sweep: Sweep, axis: str) -> Caveat | None:
    """Say why the rows of a sweep make no curve; one bad row must not cost the other curves."""
    rows = sweep.rows
    units = list(dict.fromkeys(rows["unit"].astype(str)))
    if len(units) > 1:
        return caveat("mixed-units", f"its values are in {choices(units)}: no curve is drawn through them")
    levels = pd.to_numeric(rows[axis].astype(object), errors="coerce")
    wrong = rows[levels.isna() | (levels < 1)]
    if len(wrong):
        return caveat(
            "refused-rows", f"{axis} is {printable(str(wrong[axis].iloc[0]))!r} at {_first(wrong)}: no concurrency"
        )
    wrong = rows[rows["value"] <= 0]
    if len(wrong):
        return caveat("refused-rows", f"{sweep.metric} is {wrong['value'].iloc[0]:g} at {_first(wrong)}: no throughput")
    return None


def _first(rows: pd.DataFrame) -> str:
    return gather(rows, "").rows[0]


def _no_curve(study: Study, axis: str, refused: Sequence[tuple[str, Caveat]]) -> Refusal:
    if refused:
        name, one = refused[0]
        return Refusal(question="scaling", reason=f"{name}: {one.message}", advice=one.advice)
    timed = study.results.frame[study.results.frame["metric"] == "time"]
    swept = [key["benchmark"] for key, rows in cells(timed, ["benchmark"]) if rows[axis].nunique() >= FEWEST_LEVELS]
    if swept:
        return Refusal(
            question="scaling",
            reason=f"{choices(swept, 3)} report time, and none is said to run operations in parallel: "
            "only then is time one over throughput",
            advice="list the parallel benchmarks: parallel in [configuration] of study.toml",
        )
    return Refusal(
        question="scaling",
        reason=f"no benchmark was measured at {FEWEST_LEVELS} or more levels of {axis}",
        advice=f"measure throughput at more levels of {axis}; double it from 1",
    )


def _curve(sweep: Sweep, study: Study, law: str, cores: int | None, confidence_level: float) -> CurveAnswer:
    axis, rows = study.scaling.concurrency, sweep.rows
    unit = str(rows["unit"].iloc[0])
    values = rows["value"].to_numpy()
    if sweep.metric == "time":
        numerator, _, denominator = unit.partition("/")
        values, unit = 1.0 / values, f"{denominator}/{numerator}"
    curve = build_curve(rows[axis].to_numpy(dtype=float), values, unit=unit)
    fits, refused = _fits(curve, law, study, confidence_level)
    shape = describe_shape(curve, cores=cores)
    # A law would call a ceiling contention: where a resource ran out, none is chosen.
    choice = choose_law(fits) if fits and shape.kind != "plateau" else None
    demand = axis in DEMAND_AXES
    chosen = next((fit for fit in fits if choice and fit.law == choice.law), None)
    formula = "one over the median time" if sweep.metric == "time" else "median throughput"
    return CurveAnswer(
        name=sweep.name,
        key=sweep.key,
        metric=sweep.metric,
        axis=axis,
        curve=curve,
        points=measure_points(curve, confidence_level=confidence_level),
        fits=fits,
        refused_fits=refused,
        choice=choice,
        shape=shape,
        returns=best_return(curve, chosen, cores=None if demand else cores),
        evidence={float(place[axis]): gather(group, formula) for place, group in cells(rows, [axis])},
        caveats=merge(
            (one for one in shape.caveats if not (demand and one.code == "oversubscribed")),
            choice.caveats if choice else (),
            chosen.caveats if chosen else (),
            _confounded(rows, axis),
        ),
    )


def _fits(
    curve: ScalingCurve, law: str, study: Study, confidence_level: float
) -> tuple[tuple[ScalingFit, ...], tuple[str, ...]]:
    laws = LAWS if law == "all" else (law,)
    if law == "all" and study.scaling.weak:
        laws = (*laws, "gustafson")
    fits, refused = [], []
    for one in laws:
        try:
            fits.append(fit_law(curve, one, weights=study.scaling.weights, confidence_level=confidence_level))
        except DataError as error:
            refused.append(str(error))
    return tuple(fits), tuple(refused)


def _confounded(rows: pd.DataFrame, axis: str) -> tuple[Caveat, ...]:
    """Axes that change with concurrency cannot be told from it; axes mixed in a level blur it."""
    mixed = mixed_axes(rows, [axis])
    found = []
    if mixed:
        found.append(caveat("residue", f"levels mix values of {', '.join(mixed)}"))
    for one in axes_of(rows):
        if one == axis or one in mixed:
            continue
        steps: dict[str, float] = {}
        for place, _ in cells(rows, [axis, one]):
            steps.setdefault(str(place.get(one, "not recorded")), place[axis])
        told = ", ".join(f"{level} from {axis} {start:g} on" for level, start in steps.items())
        found.append(
            caveat(
                "generator-changed",
                f"{one} changes with {axis} ({told}): that step is not the system's alone",
            )
        )
    return tuple(found)


def _disagreements(curves: Sequence[CurveAnswer]) -> tuple[Disagreement, ...]:
    speedups = [{point.concurrency: point.speedup for point in one.points} for one in curves]
    common = sorted(set.intersection(*(set(one) for one in speedups)))
    found = []
    for level in common:
        values = [one[level] for one in speedups]
        if max(values) > min(values) * (1 + AGREEMENT):
            found.append(
                Disagreement(
                    concurrency=level,
                    speedups={one.name: value for one, value in zip(curves, values, strict=True)},
                )
            )
    return tuple(found)


def _disagree(disagreements: Sequence[Disagreement], axis: str) -> tuple[Caveat, ...]:
    if not disagreements:
        return ()
    widest = max(disagreements, key=lambda one: max(one.speedups.values()) / min(one.speedups.values()))
    told = " but ".join(f"{value:.2f} by {name}" for name, value in widest.speedups.items())
    levels = _listed([f"{one.concurrency:g}" for one in disagreements])
    return (
        caveat(
            "curves-disagree",
            f"the measures of this sweep disagree at {axis} {levels}: at {widest.concurrency:g} the speedup is {told}",
        ),
    )


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def _cores(cores: int | None) -> tuple[Caveat, ...]:
    if cores is not None:
        return ()
    return (caveat("cores-unknown", "the machine's number of cores was not recorded"),)
