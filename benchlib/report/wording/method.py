"""How the numbers were made, and where each formula comes from."""

from __future__ import annotations

from markupsafe import Markup

from benchlib.answers.asking import Refusal
from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.scaling import ScalingAnswer
from benchlib.report.wording.facts import definition_list
from benchlib.report.wording.words import listed
from benchlib.scaling.laws import LAWS

_ALWAYS = {
    "Units": "Converted once when a file is read: seconds, bytes, operations. Bytes are shown in binary "
    "steps (1 KiB is 1,024 B).",
    "Samples": "A sample is the repeated measurements of one benchmark in one configuration. Its centre is "
    "the median; its interval two order statistics of the sample, which assume nothing about its "
    "distribution. Below 6 measurements no such interval reaches 95 %. Points of a sweep and effects of factors have "
    "intervals by Student's t on logarithms: there from 2 measurements on, and only as good as errors are alike.",
    "Digits": "A number of a unit has the digits that its interval carries, two at the least: the same median may be "
    "39,933 req/s where nothing bounds it and 40,000 req/s beside an interval. answers.json and the CSV of a table "
    "have all digits.",
    "Failures": "Values behind which calls failed are kept out of every table and fit.",
}
_SCALING = {
    "Speedup and efficiency": "Throughput relative to the smallest level, and that by concurrency relative to "
    "the smallest level. Step efficiency compares neighbouring levels.",
    "Serial fraction": "Karp and Flatt (1990), Commun. ACM 33(5): (1/S - 1/N) / (1 - 1/N) at each level.",
}
_WEIGHTS = {
    "relative": "every measurement weighs by its relative error, one for all levels",
    "replicates": "every level weighs by the variance of its own replicates",
    "none": "unweighted, as R's usl fits",
}
_LAW_STUDY = {
    "Choice of a law": "Laws that contain one another vote by AICc (Hurvich and Tsai 1989, Biometrika 76), AIC, the F "
    "test of the extra sum of squares, and leave-one-out error; at few levels no criterion decides alone. "
    "A plateau, as when a resource runs out, is told by the points before any law is fitted.",
    "Lack of fit": "F test of the misfit against the scatter of replicates (Draper and Smith 1998, section 2.1).",
    "Where the time goes": "N / X(N), what one unit of work spends in the system (Little 1961, Oper. Res. 9), "
    "split by the terms of the law; the parts sum to it.",
    "Back-test": "The first levels are fitted and the next forecast, none beyond twice the largest fitted; "
    "the interval is that of one more measurement (Tashman 2000, Int. J. Forecasting 16).",
    "Did a coefficient change": "One fit of all curves with the coefficient shared against one with it separate: F "
    "test of the extra sum of squares, variance pooled over the curves.",
    "Next measurement": "The concurrency that shrinks the interval most by the derivatives of the fitted law: "
    "c-optimal design (Atkinson, Donev and Tobias 2007).",
}
_COMPARISON = {
    "Comparison": "Ratio of medians; Hodges-Lehmann interval on logarithms by inverting the Mann-Whitney test "
    "(1947); p values adjusted by Benjamini and Hochberg (1995) over all rows that could differ. Better or worse needs "
    "both the test and the interval, which rows so picked out have at the false-coverage-adjusted level (Benjamini and "
    "Yekutieli 2005), so that 99.6 % may stand beside 95 %; small differences without repeats are not told as "
    "differences.",
    "Controls": "Rows that the change cannot affect show what the machine did alone: a t prediction interval "
    "on their log ratios. Where they moved between recordings made one after the other, no verdict on time is given.",
}
_COMPARISON_STUDY = {
    "Medians and p values": "As benchstat's: the median, two order statistics of the sample as its interval (Hahn and "
    "Meeker 1991, Statistical Intervals, section 5.2), and the Mann-Whitney U test (Ann. Math. Stat. 18, 1947), exact "
    "up to 50 values a side, and up to 25 with ties.",
    "How much it changed": "Ratio of medians. Its interval is that of the Hodges-Lehmann shift (Ann. Math. Stat. 34, "
    "1963) of the logarithms, which inverts the same test.",
    "Better, worse, same": "Better and worse need a p value that survives Benjamini and Hochberg (1995, J. R. Stat. "
    "Soc. B 57) over all rows that could differ, and an interval clear of every change too small to matter; rows so "
    "picked out have theirs at the false-coverage-adjusted level (Benjamini and Yekutieli 2005, J. Am. Stat. Assoc. "
    "100). Same needs an interval within what does not matter. All else cannot be told.",
    "What it could have shown": "The smallest change that so many values, scattering as these do, show in 4 runs of "
    "5, and how many more a side would decide the row.",
    "Controls": "Rows that the change cannot affect show what the machine did alone. A Student t prediction interval "
    "on their log ratios (Hahn and Meeker 1991, chapter 4), at a level for all rows together that they judge "
    "(Bonferroni), says how far an untouched row may go. A control speaks for rows that were recorded in turn with "
    "it, and for those it is named for; where controls moved, no row that none speaks for is better or worse.",
    "Counts": "Memory and allocations that stand still within both sides are compared as they are; from none to any "
    "is a change that has no ratio.",
}
_EFFECTS = {
    "Effects": "Within each slice of the other factors an additive model is fitted to the cell medians with "
    "errors relative to the cost; t intervals. A cell that the others cannot explain within a factor of "
    "three is set apart and the model fitted again. Levels are compared over matched cells: geometric mean "
    "of ratios, paired t interval on logarithms.",
}
_EFFECTS_STUDY = {
    "Which factor matters": "Type II shares of the variance of the logarithms, every factor taken by its levels "
    "(Langsrud 2003, Stat. Comput. 13); special cells are left out.",
    "Working together": "Ratio of the slopes of a factor between two levels of another, over matching slices "
    "(Satterthwaite 1946); slopes that change with another number, by the product of the two.",
    "Cost model": "Sums and products of powers and logarithms of the numeric factors, as in the performance model "
    "normal form (Calotoiu et al., SC 2013); levels of the others shift, scale or replace the coefficients. The model "
    "with the fewest coefficients within BIC 2 of the lowest is chosen; all within BIC 6 are rivals.",
    "Lack of fit": "F test of what cells stray by against the scatter of replicates (Draper and Smith 1998, section "
    "2.1); intervals allow for it.",
    "Predictions": "Averaged over the rivals by their BIC weights; the interval ends where their t tails average to "
    "the level. Nothing is predicted beyond twice the measured range unless it is asked for.",
    "Special cells": "A cell is set apart where the model of the others misses it by more than a factor of three and "
    "five standard deviations of its prediction, and BIC gains by it; never more than a quarter of the cells.",
    "Parts of a whole": "Shares are ratios of geometric means with Welch's interval (1947) on logarithms; the rest is "
    "1 minus their sum.",
    "Settings": "Ratios of geometric means with Welch's interval, widened for the number of pairs (Dunn 1961). A "
    "setting wins where no other is left that it is not shown to beat.",
}
_PLAN = {
    "Draws": "Each draw is one curve that the measurements allow: a law picked by its likelihood (Burnham and Anderson "
    "2002, chapter 4), then its parameters by the delta method's multivariate t (Seber and Wild 1989, section 5.1). "
    "Where no law holds the points, the levels are drawn with their replicates and read straight between on "
    "logarithms.",
    "Nodes": "The smallest m with (m - survive) X(c) (1 - headroom) >= target whose latency at "
    "target / (m - survive) is within its limit, in the share of draws that was asked for. Nodes add up in proportion.",
    "Latency": "A closed system: N in flight take N / X(N) (Little 1961, Oper. Res. 9), so that a load fixes the "
    "smallest N that delivers it, and the latency with it. Percentiles are read between the levels where they were "
    "measured, never falling as N grows.",
    "Return of a core": "X(N) / N of each, (X2 - X1) / (N2 - N1) of each added one; the knee is the largest X²/N "
    "(Eager, Zahorjan and Lazowska 1989, IEEE Trans. Comput. 38(3)).",
    "Probability": "The share of draws. Over 2,000 simulated sweeps, and 3,000 with a limit of latency, stated "
    "80 % and 95 % were right within 3 points; docs/capacity.md has the tables.",
}
_CLAIMS = {
    "Claims": "Held against an interval. Of too few values for order statistics it is by Student's t on logarithms; of "
    "a speedup, and of a ratio that has none in its comparison, by Welch's (1947): both say on how many values. They "
    "hold where noise is symmetric on logarithms; samples and verdicts of comparisons assume nothing of the kind, and "
    "have no interval there.",
}
_LATENCY = {
    "Tail bound": "If the mean lies above a percentile, the requests beyond it must carry the difference: "
    "their mean is at least (mean - share x percentile) / (1 - share).",
    "Requests in flight": "Little (1961), Oper. Res. 9: throughput x mean latency.",
}


def method_notes(summary: ExecutiveSummary) -> Markup:
    """Return the notes on the methods that this page uses, and on no others."""
    notes = dict(_ALWAYS)
    if not isinstance(summary.scaling, Refusal):
        notes |= _scaling(summary.scaling)
    if any(not isinstance(one, Refusal) for one in summary.comparisons):
        notes |= _COMPARISON
    if not isinstance(summary.effects, Refusal):
        notes |= _EFFECTS
    if not isinstance(summary.latency, Refusal):
        notes |= _LATENCY
    if summary.claims:
        notes |= _CLAIMS
    return definition_list(notes)


def scaling_notes(answer: ScalingAnswer) -> Markup:
    """Return the notes on the methods of a study of scaling laws."""
    return definition_list({**_ALWAYS, **_scaling(answer), **_LAW_STUDY})


def plan_notes() -> Markup:
    """Return the notes on the methods of a capacity plan."""
    return definition_list({**_ALWAYS, **_PLAN})


def comparison_notes() -> Markup:
    """Return the notes on the methods of a comparison."""
    return definition_list({**_ALWAYS, **_COMPARISON_STUDY})


def effects_notes() -> Markup:
    """Return the notes on the methods of a study of effects."""
    return definition_list({**_ALWAYS, **_EFFECTS, **_EFFECTS_STUDY})


def _scaling(answer: ScalingAnswer) -> dict[str, str]:
    fits = [fit for curve in answer.curves for fit in curve.fits]
    laws = [law for name, law in LAWS.items() if name in {fit.law for fit in fits}]
    weights = listed([_WEIGHTS[one] for one in dict.fromkeys(fit.weights for fit in fits)])
    notes = dict(_SCALING)
    if fits:
        notes["Laws"] = ". ".join(f"{law.title}: {law.formula} ({law.citation})" for law in laws) + "."
        notes["Fits"] = (
            f"Nonlinear least squares on all single measurements, {weights}; n - p degrees of freedom; Wald "
            "intervals for coefficients, profile intervals for limits; nothing is drawn beyond the measured range "
            "unless it is asked for."
        )
    return notes
