"""Where a change depends on a third thing: told only where the levels differ, and never for more than it is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import benchlib
from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.report.wording.comparison.interactions import interactions
from benchlib.study import Study
from tests.comparison_answers import around, make_answer, make_row
from tests.shipped_studies import summary
from tests.synthetic import make_table

KINDS = '[[compare]]\nname = "kinds"\ncolumn = "kind"\nbaseline = "a"\n'
HEADS = "place kind metric value unit"


def compared(of: Study) -> ComparisonAnswer:
    """The one comparison of a study."""
    (answer,) = benchlib.compare_study(of)
    assert isinstance(answer, ComparisonAnswer)
    return answer


def at_levels(ratios: Mapping[str, float], n: int = 1, axis: str = "place", **more: Any) -> list[ComparisonRow]:
    """One thing at each level, changed by this ratio there."""
    return [
        make_row(
            "", around(1e-6, n=n), around(1e-6 * ratio, n=n), key={**more, axis: level},
            **({"verdict": "cannot tell", "reason": "too few values"} if n < 4 else {}),  # type: ignore[arg-type]
        )
        for level, ratio in ratios.items()
    ]  # fmt: skip


def told(*rows: Sequence[ComparisonRow]) -> list[str]:
    """What is said of them."""
    return interactions(make_answer([one for same in rows for one in same]))


def test_an_advantage_that_shrinks_elsewhere_is_said(tmp_path: Path) -> None:
    """Twice as fast here, hardly faster there: of the logarithm 0.69 is left 0.11."""
    rows: list[tuple[object, ...]] = [
        ("B", "near", "a", "latency_p50", 100, "ms"),
        ("B", "near", "b", "latency_p50", 50, "ms"),
        ("B", "far", "a", "latency_p50", 200, "ms"),
        ("B", "far", "b", "latency_p50", 180, "ms"),
    ]
    (line,) = interactions(compared(make_table(tmp_path, f"benchmark {HEADS}", rows, KINDS)))
    assert line.startswith("From place near to far, b against a goes ")
    assert "from 2.00x faster to 1.11x faster in p50 latency" in line
    assert line.endswith("; of its advantage (on logarithms) 85 % is gone (as measured, n = 1 each: no verdict)")


def test_an_advantage_that_stays_is_no_interaction(tmp_path: Path) -> None:
    """The same factor in both places is one finding, not a change."""
    rows: list[tuple[object, ...]] = [
        ("B", place, kind, "latency_p50", base / half, "ms")
        for place, base in (("near", 100), ("far", 300))
        for kind, half in (("a", 1), ("b", 2))
    ]
    assert interactions(compared(make_table(tmp_path, f"benchmark {HEADS}", rows, KINDS))) == []


def test_an_advantage_whose_intervals_meet_is_no_interaction(tmp_path: Path) -> None:
    """2.0x and 1.8x faster, each by a third either way: not shown to differ; 1.1x is."""
    wide = (0.8, 0.9, 0.97, 1.03, 1.15, 1.3)
    for there, told in ((1.8, 0), (1.1, 1)):
        rows: list[tuple[object, ...]] = [
            ("B", place, kind, "latency_p50", 100 / factor * one, "ms")
            for place, faster in (("near", 2.0), ("far", there))
            for kind, factor in (("a", 1.0), ("b", faster))
            for one in wide
        ]
        folder = tmp_path / str(told)
        folder.mkdir()
        assert len(interactions(compared(make_table(folder, f"benchmark {HEADS}", rows, KINDS)))) == told


def test_the_shares_stand_in_the_answer() -> None:
    """Each with the rows that it is of; p50 of the published API keeps 1.15x of 1.41x."""
    answer = summary("heavy-read-api-published").comparisons[0]
    assert isinstance(answer, ComparisonAnswer)
    one = next(one for one in answer.lost if answer.rows[one.first].metric == "latency_p50")
    first, other = answer.rows[one.first], answer.rows[one.elsewhere]
    assert (one.axis, first.key["gateway"], other.key["gateway"]) == ("gateway", "direct", "apisix")
    left = math.log(other.comparison.ratio.value) / math.log(first.comparison.ratio.value)
    assert one.share == pytest.approx(1 - left)
    assert round(one.share, 2) == 0.58


def test_what_no_repeat_bears_out_does_not_interact() -> None:
    """Runs of one code that differ as much as this: 1.3x here and 1.1x there are noise."""
    rows = at_levels({"near": 1.3, "far": 1.1})
    assert len(told(rows)) == 1
    assert told([row._replace(noticeable=False) for row in rows]) == []


def test_benchmarks_are_not_places() -> None:
    """Two benchmarks that change differently are two findings; a package is no level either."""
    assert told(at_levels({"A": 2.0, "B": 0.5}, axis="benchmark")) == []
    assert told(at_levels({"a/x": 2.0, "a/y": 0.5}, axis="pkg")) == []
