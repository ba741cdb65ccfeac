"""How the numbers were made, and where each formula comes from."""

from __future__ import annotations

from markupsafe import Markup

from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.refusal import Refusal
from benchlib.report.wording.facts import definition_list

__all__ = ["method_notes"]

_ALWAYS = {
    "Units": "Converted once when a file is read: seconds, bytes, operations. Bytes are shown in binary "
    "steps (1 KiB is 1,024 B).",
    "Samples": "A sample is the repeated measurements of one benchmark in one configuration. Its centre is "
    "the median; its interval two order statistics of the sample, which assume nothing about its "
    "distribution. Below 6 measurements no such interval reaches 95 %.",
    "Failures": "Values behind which calls failed are kept out of every table and fit.",
}
_SCALING = {
    "Speedup and efficiency": "Throughput relative to the smallest level, and that by concurrency relative to "
    "the smallest level. Step efficiency compares neighbouring levels.",
    "Serial fraction": "Karp and Flatt (1990), Commun. ACM 33(5): (1/S - 1/N) / (1 - 1/N) at each level.",
    "Laws": "Proportional growth; Amdahl (1967), AFIPS 30: X = rN / (1 + f(N - 1)); the Universal Scalability "
    "Law of Gunther (2007), Guerrilla Capacity Planning: X = rN / (1 + c(N - 1) + kN(N - 1)).",
}
_COMPARISON = {
    "Comparison": "Ratio of medians; Hodges-Lehmann interval on logarithms by inverting the Mann-Whitney test "
    "(1947); p values adjusted over the rows of a metric by Benjamini and Hochberg (1995). Better or worse needs both "
    "the test and the interval; small differences without repeats are not told as differences.",
    "Controls": "Rows that the change cannot affect show what the machine did alone: a t prediction interval "
    "on their log ratios. Where they moved between recordings made one after the other, no verdict on time is given.",
}
_EFFECTS = {
    "Effects": "Within each slice of the other factors an additive model is fitted to the cell medians with "
    "errors relative to the cost; t intervals. A cell that the others cannot explain within a factor of "
    "three is set apart and the model fitted again. Levels are compared over matched cells: geometric mean "
    "of ratios, paired t interval on logarithms.",
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
        weights = (
            "every level weighs by its relative error"
            if summary.study.scaling.weights == "relative"
            else "unweighted, as the published fits that this study repeats"
        )
        notes |= _SCALING
        notes["Fits"] = (
            f"Nonlinear least squares on all single measurements, {weights}; n - p degrees of freedom; Wald "
            "intervals for coefficients, profile intervals for limits; nothing is drawn beyond the measured range."
        )
    if any(not isinstance(one, Refusal) for one in summary.comparisons):
        notes |= _COMPARISON
    if not isinstance(summary.effects, Refusal):
        notes |= _EFFECTS
    if not isinstance(summary.latency, Refusal):
        notes |= _LATENCY
    return definition_list(notes)
