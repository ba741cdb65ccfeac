"""What a study says of scaling: its curves, the laws fitted to each, and what was refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchlib.answers.evidence import Evidence
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling.readings import Readings
from benchlib.caveats import Caveat
from benchlib.scaling.advise import Advice, Return
from benchlib.scaling.choose import BackTest, Choice
from benchlib.scaling.curve import ScalingCurve
from benchlib.scaling.fit import ScalingFit
from benchlib.scaling.intervals import ParameterComparison
from benchlib.scaling.points import ScalingPoint, SerialTrend, Shape
from benchlib.scaling.predict import AveragedBand, TimeSplit
from benchlib.statistics.estimates import Estimate
from benchlib.study import Exclusion

__all__ = ["CurveAnswer", "Disagreement", "LawComparison", "ScalingAnswer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveAnswer:
    """One scaling curve: its points, the laws fitted to it, and what its shape says.

    Attributes
    ----------
    name : str
        Benchmark, levels of the other axes, and the metric the curve comes from.
    key : mapping
        What all of its rows share.
    metric : str
        ``throughput`` or another rate, or a time where throughput is one over it.
    axis : str
        The axis that is concurrency.
    curve : ScalingCurve
    points : tuple of ScalingPoint
    growth : Estimate
        Speedup of the largest level, with Welch's interval where both ends were measured more than once.
    best_growth : Estimate
        Speedup of the best level of the shape, likewise.
    serial_trend : SerialTrend
        Whether the serial fraction of the points rises (overhead) or stays (serial work).
    fits : tuple of ScalingFit
        Every law that could be fitted, simplest first.
    refused_fits : tuple of str
        Why the others could not, and why a quantity that was to be improved has no advice.
    choice : Choice or None
        None where fewer than 3 levels leave nothing to choose between, or no law could be fitted.
    back_tests : tuple of BackTest
        Of every fitted law, in the order of ``fits``.
    split : tuple of TimeSplit
        Where the time goes at each measured level by the chosen law; empty without one.
    readings : Readings or None
        What was read off the chosen law; None where nothing was asked for.
    averaged : AveragedBand or None
        Mean curve averaged over the laws where extrapolation was asked for; None where it was not.
    advice : tuple of Advice
        What to measure next to know the asked quantity better, best first.
    commands : tuple of str
        The command that takes each advice.
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
    growth: Estimate
    best_growth: Estimate
    serial_trend: SerialTrend
    fits: tuple[ScalingFit, ...]
    refused_fits: tuple[str, ...]
    choice: Choice | None
    back_tests: tuple[BackTest, ...]
    split: tuple[TimeSplit, ...]
    readings: Readings | None
    averaged: AveragedBand | None
    advice: tuple[Advice, ...]
    commands: tuple[str, ...]
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

    @property
    def why(self) -> str:
        """Why the law was chosen, or why none was."""
        if self.choice is not None:
            return self.choice.why
        if not self.fits:
            return "; ".join(self.refused_fits)
        return f"none: {len(self.points)} levels cannot tell one law from another; measure at least 3"


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A level at which two measures of one sweep tell different speedups."""

    concurrency: float
    speedups: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class LawComparison:
    """One parameter of one law, compared between several curves.

    Attributes
    ----------
    law : str
    curves : tuple of str
        The names of the curves; differences are against the first.
    comparison : ParameterComparison
    evidence : Evidence
        The rows of all of them.
    """

    law: str
    curves: tuple[str, ...]
    comparison: ParameterComparison
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingAnswer:
    """All scaling curves of a study.

    Attributes
    ----------
    axis : str
    cores : int or None
        Of the machine: from ``study.toml``, else from the results; None where neither says.
    curves : tuple of CurveAnswer
    comparisons : tuple of LawComparison
        Whether a parameter of the laws chosen differs between curves in one unit; empty with one curve.
    disagreements : tuple of Disagreement
    exclusions : tuple of Exclusion
    refusals : tuple of Refusal
        Curves that could not be drawn or fitted, and why; also why curves are not compared.
    confidence_level : float
    caveats : tuple of Caveat
    """

    axis: str
    cores: int | None
    curves: tuple[CurveAnswer, ...]
    comparisons: tuple[LawComparison, ...]
    disagreements: tuple[Disagreement, ...]
    exclusions: tuple[Exclusion, ...]
    refusals: tuple[Refusal, ...]
    confidence_level: float
    caveats: tuple[Caveat, ...]
