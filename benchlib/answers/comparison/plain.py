"""A comparison as plain data: its rows as bare numbers, for tables of 20,000 of them, CSV and JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

from benchlib.answers.comparison.answer import ComparisonAnswer, ComparisonRow, Reason
from benchlib.answers.refusal import Refusal
from benchlib.answers.serialise import SCHEMA_VERSION, to_dict
from benchlib.answers.targets import TargetAnswer
from benchlib.metrics import Better
from benchlib.statistics.comparison import Verdict

__all__ = ["PlainRow", "comparison_document", "comparison_records", "plain_row", "plain_rows"]


class PlainRow(NamedTuple):
    """A row of a comparison in bare numbers; see `ComparisonRow` for what they mean.

    Ends of intervals are infinite where nothing is bounded; NaN stands for a number that there is none of:
    `ratio` to a baseline of 0, `adjusted_pvalue` and `beyond_pvalue` outside the family of tests, `against` without
    controls, `steady_detectable` without a drift, `more` where the row is decided or where more of the same would not
    help.
    """

    key: Mapping[str, Any]
    better: Better
    metric: str
    unit: str
    baseline: str
    candidate: str
    baseline_n: int
    baseline_median: float
    baseline_low: float
    baseline_high: float
    candidate_n: int
    candidate_median: float
    candidate_low: float
    candidate_high: float
    ratio: float
    ratio_low: float
    ratio_high: float
    ratio_level: float
    difference: float
    difference_low: float
    difference_high: float
    pvalue: float
    adjusted_pvalue: float
    beyond_pvalue: float
    smallest_pvalue: float
    verdict: Verdict
    own_verdict: Verdict
    reason: Reason
    against: float
    against_low: float
    against_high: float
    detectable: float
    steady_detectable: float
    more: float
    noticeable: bool
    constant: bool
    control: bool


def plain_row(row: ComparisonRow) -> PlainRow:
    """Return a row in bare numbers."""
    before, after = row.comparison.baseline, row.comparison.candidate
    ratio, difference, against = row.comparison.ratio, row.comparison.difference, row.against_controls
    return PlainRow(
        key=row.key,
        better=row.better,
        metric=row.metric,
        unit=row.unit,
        baseline=row.baseline,
        candidate=row.candidate,
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
        ratio_level=ratio.confidence_level,
        difference=difference.value,
        difference_low=difference.low,
        difference_high=difference.high,
        pvalue=row.comparison.pvalue,
        adjusted_pvalue=row.adjusted_pvalue,
        beyond_pvalue=row.beyond_pvalue,
        smallest_pvalue=row.comparison.smallest_pvalue,
        verdict=row.verdict,
        own_verdict=row.own_verdict,
        reason=row.reason,
        against=math.nan if against is None else against.value,
        against_low=math.nan if against is None else against.low,
        against_high=math.nan if against is None else against.high,
        detectable=row.detectable,
        steady_detectable=row.steady_detectable,
        more=math.nan if row.more is None else float(row.more),
        noticeable=row.noticeable,
        constant=before.minimum == before.maximum == after.minimum == after.maximum,
        control=row.control,
    )


def plain_rows(rows: Sequence[ComparisonRow]) -> tuple[PlainRow, ...]:
    """Return rows in bare numbers, without making each row where they come from arrays.

    Examples
    --------
    >>> plain_rows(())
    ()
    """
    made = getattr(rows, "plain", None)
    return tuple(made()) if made is not None else tuple(map(plain_row, rows))


def comparison_document(
    answers: Sequence[ComparisonAnswer | Refusal], targets: Sequence[TargetAnswer] = ()
) -> dict[str, Any]:
    """Return comparisons as data that JSON can hold; a number that is not finite is null.

    Parameters
    ----------
    answers : sequence of ComparisonAnswer or Refusal
        Those refused are told apart from the others.
    targets : sequence of TargetAnswer

    Examples
    --------
    >>> document = comparison_document([Refusal(question="new against old", reason="no row", advice="measure")])
    >>> document["schema"], document["comparisons"], document["refusals"][0]["reason"]
    ('benchlib-answers/1', [], 'no row')
    """
    return {
        "schema": SCHEMA_VERSION,
        "comparisons": [_comparison(one) for one in answers if isinstance(one, ComparisonAnswer)],
        "refusals": to_dict([one for one in answers if isinstance(one, Refusal)]),
        "targets": to_dict(tuple(targets)),
    }


def _comparison(answer: ComparisonAnswer) -> dict[str, Any]:
    # Rows are any sequence: they are made here, one after the other.
    plain = {one.name: to_dict(getattr(answer, one.name)) for one in fields(answer) if one.name != "rows"}
    return {**plain, "rows": [to_dict(row) for row in answer.rows]}


def comparison_records(answers: Sequence[ComparisonAnswer]) -> Iterator[dict[str, Any]]:
    """Yield every row as a flat record: comparison, the levels of its key, then its numbers.

    A ratio that nothing bounds from below is bounded by 0.

    An axis that has the name of a number is written ``axis.NAME``.

    Examples
    --------
    >>> list(comparison_records(()))
    []
    """
    for answer in answers:
        for row in plain_rows(answer.rows):
            numbers = {
                **row._asdict(),
                "ratio_low": _not_below(row.ratio_low),
                "against_low": _not_below(row.against_low),
            }
            taken = {"comparison", *numbers}
            key = {f"axis.{axis}" if axis in taken else axis: level for axis, level in numbers.pop("key").items()}
            yield {"comparison": answer.name, **key, **numbers, "better": row.better or ""}


def _not_below(ratio: float) -> float:
    return 0.0 if ratio < 0 else ratio
