"""How the numbers were made: one note a method, with its source, told only where the method was used."""

from __future__ import annotations

from benchlib.document.blocks import Column, Table, Text

_NOTES: dict[str, dict[str, str]] = {
    "always": {
        "Units": "Converted once when a file is read: seconds, bytes, operations. 1 KiB is 1,024 B.",
        "Medians": (
            "The centre of repeated measurements is their median. Its interval is two order statistics of the "
            "sample (Hahn and Meeker 1991, section 5.2): below 6 measurements there is none at 95%. A single value has "
            "the interval that its file states, at 95% or above."
        ),
        "Digits": "Two significant digits of the half width of the interval; without an interval three.",
        "Failures": "Values of which more calls failed than are tolerated, 0.1% unless told, are in no table and fit.",
    },
    "scaling": {
        "Speedup": "Throughput relative to the smallest level; efficiency is speedup over concurrency.",
        "Sweet spot": (
            "The level with the largest product of speedup and efficiency (Eager, Zahorjan and Lazowska 1989, "
            "IEEE Trans. Comput. 38(3)), among the levels within the machine's cores."
        ),
        "Laws": (
            "Amdahl, Gustafson, the Universal Scalability Law (Gunther 2007), a line and a plateau, by nonlinear "
            "least squares on every measurement. Laws that contain one another are chosen by AICc, AIC, F test "
            "and leave-one-out error. Where replicates show that a law misses its points, the points are told."
        ),
    },
    "comparison": {
        "Differences": (
            "Ratio of medians; Hodges-Lehmann interval on logarithms, which inverts the Mann-Whitney test (1947). "
            "p values are adjusted over all comparisons that could differ (Benjamini and Hochberg 1995)."
        ),
        "Controls": (
            "Benchmarks that the change cannot affect show what the machine did alone: a Student t prediction "
            "interval on their log ratios, with Bonferroni's bound. Where they moved, no verdict on time is "
            "given."
        ),
    },
    "effects": {
        "Costs": (
            "Within each slice of the other factors an additive model is fitted to the medians with errors "
            "relative to the cost. A configuration that the others cannot explain within a factor of three is a "
            "special case."
        ),
        "Levels": "Compared over matched configurations: geometric mean of ratios, paired t interval on logarithms.",
    },
    "latency": {
        "Slowest requests": (
            "If the mean lies above a percentile, the requests beyond it carry the difference: their mean is at "
            "least (mean - share x percentile) / (1 - share)."
        ),
        "In flight": "Throughput times mean latency (Little 1961, Oper. Res. 9).",
    },
    "capacity": {
        "Nodes": (
            "The smallest number whose capacity, less what stays free and what may be lost, carries the load "
            "within its limit. Curves are drawn from what the measurements allow; the share of draws covers "
            "measurement noise only."
        ),
    },
    "claims": {
        "Claims": (
            "A sentence of an earlier report is held against an interval of the same quantity; of a mean where it "
            "speaks of a median, it is not testable."
        ),
    },
}


def method(*questions: str) -> Table:
    """Return the notes of the questions that a page answers.

    Examples
    --------
    >>> [row[0] for row in method("latency").rows][-2:]
    ['Slowest requests', 'In flight']
    """
    notes = {name: note for question in ("always", *questions) for name, note in _NOTES[question].items()}
    rows: tuple[tuple[str | Text, ...], ...] = tuple((name, note) for name, note in notes.items())
    return Table(
        caption="How the numbers were made",
        columns=(Column(head="method"), Column(head="how")),
        rows=rows,
        shown=len(rows),
    )
