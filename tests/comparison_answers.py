"""Comparisons made up by hand, for every test of how one is told: page, figures, terminal, comment.

Values are fixed, so that what is told of them may stand in a golden file. The numbers of a row come from
`judge`, as those of one row; what depends on the other rows (adjusted p, verdict, reason, controls) is stated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchlib.answers.comparison import (
    ComparisonAnswer,
    ComparisonRow,
    ControlAnswer,
    Geomean,
    Order,
    Reason,
    RowDetails,
    SideFacts,
)
from benchlib.answers.evidence import Evidence, pool
from benchlib.caveats import Caveat, caveat, merge
from benchlib.metrics import Better, better
from benchlib.statistics.compare import SampleComparison, Verdict, limits, one_pair
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.samples import summarise
from benchlib.statistics.stability import control_null
from benchlib.statistics.verdicts import VERDICTS, judge

__all__ = [
    "around",
    "changed_details",
    "controlled",
    "decided",
    "drifted",
    "few",
    "hostile",
    "large",
    "make_answer",
    "make_row",
]

ATTACK = "<img src=x onerror=alert(1)>"
#: Ten repeats that scatter by about one percent, in no order.
TEN = (1.004, 0.992, 1.0, 1.011, 0.997, 0.989, 1.002, 1.007, 0.995, 1.003)
#: As many, differently: two sides of one centre are alike, not equal.
ALSO = (0.998, 1.006, 0.991, 1.001, 1.009, 0.996, 1.005, 0.99, 1.003, 0.999)


def around(centre: float, scatter: Sequence[float] = TEN, n: int = 10) -> tuple[float, ...]:
    """So many repeats around a centre."""
    return tuple(centre * scatter[place % len(scatter)] for place in range(n))


def make_row(
    name: str,
    old: Sequence[float],
    new: Sequence[float],
    *,
    metric: str = "time",
    unit: str = "sec/op",
    pair: tuple[str, str] = ("old", "new"),
    key: Mapping[str, Any] | None = None,
    verdict: Verdict | None = None,
    own: Verdict | None = None,
    reason: Reason = "",
    against: tuple[float, float, float] | None = None,
    detectable: float = 0.02,
    more: int | None = None,
    control: bool = False,
    amortised: bool = False,
    places: tuple[Sequence[int], Sequence[int]] | None = None,
) -> ComparisonRow:
    """One row; a verdict that is not stated is that of the two samples alone, at an effect of 2 %."""
    found = _compared(old, new, unit, better(metric))
    ratio, difference = found.ratio, found.difference
    before, after = found.baseline, found.candidate
    shown = not ratio.low <= 1 <= ratio.high if ratio.has_interval else abs(math.log(ratio.value or 1)) > 0.05
    rounds = range(max(len(old), len(new)))
    first, second = places or ([2 * one for one in rounds], [2 * one + 1 for one in rounds])
    judged = None
    if against is not None:
        value, low, high = against
        judged = Estimate(
            value=value, low=low, high=high, unit="x", confidence_level=0.95, n=len(old) + len(new),
            method="ratio over the mean ratio of the controls, t prediction interval", standard_error=math.nan,
        )  # fmt: skip
    details = RowDetails(
        comparison=found,
        against_controls=judged,
        ratio_by_run={},
        run_evidence={},
        baseline_values=tuple(map(float, old)),
        candidate_values=tuple(map(float, new)),
        baseline_positions=tuple(first[: len(old)]),
        candidate_positions=tuple(second[: len(new)]),
        evidence=Evidence(rows=("results.txt:5-24",), formula="median of the candidate over median of the baseline"),
        repeats=(min(len(old), len(new)), "value"),
    )
    return ComparisonRow(
        key={"benchmark": name} if key is None else key,
        metric=metric,
        unit=unit,
        better=better(metric),
        baseline=pair[0],
        candidate=pair[1],
        baseline_n=before.n,
        baseline_median=before.median.value,
        baseline_low=before.median.low,
        baseline_high=before.median.high,
        candidate_n=after.n,
        candidate_median=after.median.value,
        candidate_low=after.median.low,
        candidate_high=after.median.high,
        ratio=ratio.value,
        ratio_low=ratio.low,
        ratio_high=ratio.high,
        difference=difference.value,
        difference_low=difference.low,
        difference_high=difference.high,
        pvalue=found.pvalue,
        adjusted_pvalue=math.nan if control else min(1.0, 2 * found.pvalue),
        smallest_pvalue=found.smallest_pvalue,
        verdict=verdict or found.verdict,
        own_verdict=own or verdict or found.verdict,
        reason=reason,
        against=math.nan if against is None else against[0],
        against_low=math.nan if against is None else against[1],
        against_high=math.nan if against is None else against[2],
        detectable=detectable,
        more=more,
        noticeable=shown,
        constant=len({*old, *new}) == 1,
        control=control,
        amortised=amortised,
        look_up=lambda: details,
    )


def _compared(old: Sequence[float], new: Sequence[float], unit: str, better: Better) -> SampleComparison:
    """Compare two samples as the only row of a comparison."""
    pairs = one_pair(np.array(old, dtype=np.float64), np.array(new, dtype=np.float64))
    judged = judge(pairs, better={"higher": 1, "lower": -1, None: 0}[better])
    before, after = (summarise(side, unit=unit, ranked=True) for side in (old, new))

    def estimate(of: str, unit: str) -> Estimate:
        value, low, high = (float(getattr(judged, of + end)[0]) for end in ("", "_low", "_high"))
        return Estimate(
            value=value, low=low, high=high, unit=unit, confidence_level=0.95, n=before.n + after.n,
            method=f"{of} of medians", standard_error=math.nan,
        )  # fmt: skip

    ratio, smallest = estimate("ratio", "x"), float(judged.statistics.smallest_pvalue[0])
    return SampleComparison(
        baseline=before,
        candidate=after,
        ratio=ratio,
        difference=estimate("difference", unit),
        pvalue=float(judged.statistics.pvalue[0]),
        smallest_pvalue=smallest,
        verdict=VERDICTS[judged.verdict[0]],
        caveats=merge(before.caveats, after.caveats, limits(ratio, smallest, 0.95, before, after)),
    )


def changed_details(row: ComparisonRow, **changes: Any) -> ComparisonRow:
    """Return a row with something else behind it."""
    details = replace(row.look_up(), **changes)
    return row._replace(look_up=lambda: details)


def make_answer(
    rows: Sequence[ComparisonRow],
    *,
    name: str = "new against old",
    question: str = "",
    column: str = "run",
    order: Order = "interleaved",
    controls: Sequence[ControlAnswer] = (),
    missing: Sequence[str] = (),
    uncompared: Sequence[str] = (),
    caveats: Sequence[Caveat] = (),
    files: Mapping[str, Sequence[str]] | None = None,
) -> ComparisonAnswer:
    """An answer of these rows; geometric means and sides follow from them."""
    pairs = list(dict.fromkeys((row.baseline, row.candidate) for row in rows))
    names = list(dict.fromkeys([first for first, _ in pairs] + [second for _, second in pairs]))
    read = files or dict.fromkeys(names, ("results.txt",))
    return ComparisonAnswer(
        name=name,
        question=question,
        column=column,
        sides=tuple(
            SideFacts(
                name=one,
                files=tuple(read[one]),
                values=sum(
                    len(row.baseline_values) * (row.baseline == one)
                    + len(row.candidate_values) * (row.candidate == one)
                    for row in rows
                ),
                machine={"cpu": "AMD EPYC", "goos": "linux", "goarch": "amd64"},
            )
            for one in names
        ),
        rows=tuple(rows),
        missing=tuple(missing),
        uncompared=tuple(uncompared),
        geomeans=tuple(_geomeans(rows)),
        order=order,
        controls=tuple(controls),
        significance_level=0.05,
        confidence_level=0.95,
        min_effect=0.02,
        caveats=merge(caveats),
    )


def _geomeans(rows: Sequence[ComparisonRow]) -> list[Geomean]:
    found: dict[tuple[str, str, str, str], list[ComparisonRow]] = {}
    for row in rows:
        found.setdefault((row.metric, row.unit, row.baseline, row.candidate), []).append(row)
    made = []
    for (metric, unit, baseline, candidate), same in found.items():
        if len(same) > 1:
            sides = [[getattr(row.comparison, side).median.value for row in same] for side in ("baseline", "candidate")]
            means = [math.exp(float(np.mean(np.log(one)))) if min(one) > 0 else math.nan for one in sides]
            made.append(
                Geomean(
                    metric=metric,
                    unit=unit,
                    baseline=baseline,
                    candidate=candidate,
                    baseline_mean=means[0],
                    candidate_mean=means[1],
                    ratio=_mean_ratio(*sides),
                    rows=len(same),
                )
            )
    return made


def _mean_ratio(before: Sequence[float], after: Sequence[float]) -> float:
    """Nothing against nothing counts as 1; nothing against something leaves no mean."""
    pairs = [(old, new) for old, new in zip(before, after, strict=True) if old or new]
    if not all(old > 0 and new > 0 for old, new in pairs):
        return math.nan
    return math.exp(sum(math.log(new / old) for old, new in pairs) / len(before))


def make_control(
    rows: Sequence[ComparisonRow],
    *,
    condition: str = "pkg=*/filter",
    speaks_for: str = "",
    moved: int = 0,
    judged: int = 0,
) -> ControlAnswer:
    """What these rows did, of which so many differ."""
    logs = [math.log(row.comparison.ratio.value) for row in rows]
    return ControlAnswer(
        condition=condition,
        speaks_for=speaks_for,
        metric=rows[0].metric,
        baseline=rows[0].baseline,
        candidate=rows[0].candidate,
        null=control_null(np.array(logs)),
        middle=math.exp(float(np.median(logs))),
        rows=len(rows),
        moved=moved,
        judged=judged,
        evidence=pool((row.evidence for row in rows), "control by control the median of new over the median of old"),
    )


def decided() -> ComparisonAnswer:
    """Rounds of both sides in one file, nothing in the way: every verdict there is, and 0 to 1 allocation."""
    flat = (0.0,) * 10
    return make_answer(
        [
            make_row("Encode", around(1.2e-6), around(1.464e-6, ALSO), detectable=0.014),
            make_row("Decode", around(2.4e-6), around(1.7e-6, ALSO), detectable=0.014),
            make_row("Match", around(90e-9), around(90.2e-9, ALSO), verdict="same", detectable=0.014),
            make_row(
                "Compile", around(3e-6), around(3.05e-6, ALSO), verdict="cannot tell", reason="at the limit",
                detectable=0.014, more=14,
            ),
            make_row("Encode", flat, (1.0,) * 10, metric="allocations", unit="allocs/op"),
            make_row("Decode", (2.0,) * 10, (2.0,) * 10, metric="allocations", unit="allocs/op", verdict="same"),
            make_row("Decode", around(410e6), around(580e6, ALSO), metric="transfer", unit="B/sec", detectable=0.014),
        ]
    )  # fmt: skip


def few() -> ComparisonAnswer:
    """Three values a side: no difference, however large, can be shown."""
    rows = [
        make_row(
            name, around(first, n=3), around(second, ALSO, n=3), verdict="cannot tell", reason="too few values",
            detectable=math.inf, more=3,
        )
        for name, first, second in (("Encode", 1.2e-6, 1.5e-6), ("Decode", 2.4e-6, 2.41e-6))
    ]  # fmt: skip
    told = "no row can show a difference at the 5 % level with n = 3 a side, however large"
    return make_answer(rows, caveats=[caveat("cannot-detect", told)])


def drifted(count: int = 30) -> ComparisonAnswer:
    """All of old, then all of new, while the machine slowed down: controls moved by 2.5x and speak for nobody."""
    rows, controls = [], []
    for place in range(count):
        slower = 2.5 * (1.2 if place % 3 == 0 else 0.95)
        untouched = place >= count - 6
        name, package = (f"Untouched{place}", "a/b") if untouched else (f"Benchmark{place}", "a")
        row = make_row(
            name,
            around((place + 1) * 1e-7),
            around((place + 1) * slower * 1e-7, [one * (1 + 0.01 * step) for step, one in enumerate(ALSO)]),
            key={"benchmark": name, "pkg": package},
            verdict="cannot tell",
            own="worse",
            reason="control" if untouched else "no control speaks for it",
            control=untouched,
            places=(range(10 * place, 10 * place + 10), range(10 * place, 10 * place + 10)),
        )
        rows.append(row)
        controls += [row] if untouched else []
    return make_answer(
        rows,
        order="sequential",
        files={"old": ("old.txt",), "new": ("new.txt",)},
        controls=[make_control(controls, condition="pkg=*/b", moved=6)],
        caveats=[
            caveat(
                "sequential-runs",
                "old and new were recorded one after the other: a change of the machine in between looks like a "
                "change of the code",
            ),
            caveat("controls-moved", "6 of 6 benchmarks that the change cannot affect differ, by 2.57x in the middle"),
        ],
    )


def controlled() -> ComparisonAnswer:
    """Controls recorded in turn with what they speak for: one row clears what they did, another lies within it."""
    untouched = [
        make_row(
            f"Filter{place}", around(1e-7 * (place + 1)), around(1e-7 * (place + 1) * ratio, ALSO),
            key={"benchmark": f"Filter{place}", "pkg": "a/filter"}, verdict="cannot tell", own="worse",
            reason="control", control=True,
        )
        for place, ratio in enumerate((1.08, 1.1, 1.12, 1.09, 1.11))
    ]  # fmt: skip
    rows = [
        make_row(
            "Encode", around(1.2e-6), around(1.8e-6, ALSO), key={"benchmark": "Encode", "pkg": "a"}, verdict="worse",
            own="worse", against=(1.5 / 1.1, 1.5 / 1.15, 1.5 / 1.052),
        ),
        make_row(
            "Decode", around(2.4e-6), around(2.69e-6, ALSO), key={"benchmark": "Decode", "pkg": "a"},
            verdict="cannot tell", own="worse", reason="within what controls did", against=(1.12 / 1.1, 0.974, 1.065),
        ),
    ]  # fmt: skip
    control = make_control(untouched, moved=5, judged=2)
    return make_answer([*rows, *untouched], controls=[control])


def hostile() -> ComparisonAnswer:
    """Names that are markup, in every place a name can stand."""
    made = controlled()
    rows = [
        row._replace(key={"benchmark": f"{ATTACK}|`{place}`", "pkg": "a"}, baseline=ATTACK, candidate=f"*{ATTACK}*")
        for place, row in enumerate(made.rows)
    ]
    control = replace(made.controls[0], condition=f"benchmark={ATTACK}", baseline=ATTACK, candidate=f"*{ATTACK}*")
    answer = make_answer(rows, name=ATTACK, question=ATTACK, column=ATTACK, controls=[control], missing=[ATTACK])
    return replace(answer, caveats=(caveat("one-sided-rows", ATTACK),))


def large(count: int = 300) -> ComparisonAnswer:
    """More rows than anybody reads: one in ten is worse, one in thirty better."""
    rows = [
        make_row(
            f"Case{place}",
            around(1e-6 * (1 + place)),
            around(1e-6 * (1 + place) * (1.3 if place % 10 == 0 else 0.8 if place % 30 == 7 else 1.0), ALSO),
        )
        for place in range(count)
    ]
    return make_answer(rows)
