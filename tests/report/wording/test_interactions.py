"""Where a change depends on a third thing: told only where the levels differ, and never for more than it is."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import benchlib
from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.report.wording.comparison.interactions import MOST_SENTENCES, interactions
from benchlib.report.wording.comparison.sentences import comparison_findings
from benchlib.study import Study
from tests.comparison_answers import TEN, around, make_answer, make_row
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


def test_a_cost_that_grows_is_told_level_by_level() -> None:
    """What the gateway costs, by endpoint: a disadvantage, at three levels, in one sentence."""
    answer = summary("heavy-read-api-published").comparisons[1]
    assert isinstance(answer, ComparisonAnswer)
    (line,) = interactions(answer)
    assert line.startswith(
        "By endpoint (post-redis, post-marshal, post) apisix against direct is 1.37x, 1.61x and 1.67x slower in p50 "
        "latency; 1.65x, 3.36x and 3.60x slower in p99 latency; "
    )
    assert line.endswith("lower in throughput (as measured, n = 1 each: no verdict)")


def test_among_key_results_what_depends_on_where_is_told_once() -> None:
    """The same three factors stood in a sentence by endpoint and again in one of each metric; the section has both."""
    answer = summary("heavy-read-api-published").comparisons[1]
    assert isinstance(answer, ComparisonAnswer)
    (line,) = comparison_findings(answer, limit=4, once=True)
    assert line.startswith("By endpoint (post-redis, post-marshal, post)")
    assert [one for one in comparison_findings(answer) if "1.37x slower (+2.6 ms) at endpoint post-redis" in one]


def test_levels_that_part_ways_keep_their_words() -> None:
    """Slower here, faster there."""
    (line,) = told(at_levels({"x": 1.5, "y": 1.0, "z": 0.5}))
    assert line.startswith(
        "By place (x, y, z) new against old is 1.50x slower, no different (1.00x) and 2.00x faster in time per op"
    )


def test_of_many_levels_the_ends_are_told() -> None:
    """A cost along 1 to 512 subscribers."""
    (line,) = told(at_levels({str(2**one): 1 + one / 5 for one in range(10)}))
    assert line.startswith(
        "Over 10 levels of place new against old goes from no different (1.00x) at 1 to 2.80x slower at 512 in time"
    )


def test_a_change_with_verdicts_needs_no_hedge() -> None:
    """Ten values a side at both places: n alone."""
    (line,) = told(at_levels({"near": 0.5, "far": 0.9}, n=10))
    assert line == (
        "From place near to far, new against old goes from 2.00x faster to 1.11x faster in time per operation; of its "
        "advantage (on logarithms) 85 % is gone (n = 10 each)"
    )


@pytest.mark.parametrize("n", [1, 10])
@pytest.mark.parametrize(("left", "gone"), [(1.7, "23 %"), (1.45, "46 %"), (1.38, "54 %"), (1.1, "86 %")])
def test_the_share_of_an_advantage_that_is_gone_is_said_whatever_it_is(left: float, gone: str, n: int) -> None:
    """On logarithms, and without a threshold: a reader judges whether half of 2.0x is much."""
    (line,) = told(at_levels({"near": 1 / 2.0, "far": 1 / left}, n=n))
    assert f"; of its advantage (on logarithms) {gone} is gone (" in line


def test_what_leaves_nothing_leaves_nothing() -> None:
    """1.00x elsewhere: all of it, and no per cent."""
    (line,) = told(at_levels({"near": 1 / 2.0, "far": 1.0}))
    assert "; all of its advantage is gone (as measured" in line


def test_of_several_levels_the_least_loss_is_said() -> None:
    """2.0x, then 1.4x and 1.1x; where one level loses nothing, nothing is said."""
    (line,) = told(at_levels({"x": 1 / 2.0, "y": 1 / 1.1, "z": 1 / 1.4}))
    assert "; of its advantage (on logarithms) at least 51 % is gone (" in line
    (line,) = told(at_levels({"x": 1 / 2.0, "y": 1 / 1.1, "z": 1 / 2.1}))
    assert "advantage" not in line


def test_an_advantage_is_less_elsewhere_only_where_the_intervals_lie_apart() -> None:
    """1.5x at two levels, but one scatters by a fifth either way and reaches the 2.0x of the first."""
    wide = (0.8, 0.9, 0.95, 1.0, 1.05, 1.15, 1.25)

    def at(place: str, ratio: float, scatter: Sequence[float]) -> ComparisonRow:
        return make_row("", around(1e-6, scatter, 7), around(1e-6 * ratio, scatter, 7), key={"place": place})

    near, far = at("x", 1 / 2.0, TEN), at("y", 1 / 1.5, TEN)
    (line,) = told([near, far, at("z", 1 / 1.5, TEN)])
    assert "at least 42 % is gone" in line
    (line,) = told([near, far, at("z", 1 / 1.7, wide)])
    assert "advantage" not in line


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


def test_each_metric_is_told_what_became_of_its_advantage() -> None:
    """Of four metrics two lost a part, one all, and one turned round: no sentence holds for all."""
    (line,) = told(
        [
            row._replace(metric=metric)
            for metric, far in (("latency_p50", 1.05), ("latency_p99", 1.6), ("latency_p90", 1.0), ("latency_max", 0.7))
            for row in at_levels({"near": 1 / 2.0, "far": 1 / far})
        ]
    )
    assert (
        "; of its advantage (on logarithms) 93 % is gone in p50 latency, 32 % in p99 latency and all of it in p90 "
        "latency; it turns into a loss in max latency (as measured, n = 1 each"
    ) in line
    (line,) = told(at_levels({"near": 1 / 2.0, "far": 1.4}))
    assert "; its advantage turns into a loss (as measured" in line


def test_a_loss_within_the_noise_of_runs_is_no_turn() -> None:
    """Slower as measured, by what runs of one code differ: the advantage is gone, and no more is said."""
    near, far = at_levels({"near": 1 / 2.0, "far": 1.1})
    (line,) = told([near, far._replace(noticeable=False)])
    assert "; all of its advantage is gone (as measured" in line


def test_a_cost_that_grows_is_no_advantage_that_is_lost() -> None:
    """1.2x slower, then 3x: there was none."""
    (line,) = told(at_levels({"near": 1.2, "far": 3.0}))
    assert "from 1.20x slower to 3.00x slower" in line
    assert "advantage" not in line


def test_changes_too_small_to_tell_do_not_interact() -> None:
    """4 % faster here and 4 % slower there are 8 % apart, and each is nothing that may be told."""
    assert told(at_levels({"near": 0.96, "far": 1.04})) == []
    assert told(at_levels({"near": 0.96, "far": 1.04}, n=10)) == []
    assert len(told(at_levels({"near": 0.94, "far": 1.04}, n=10))) == 1


def test_what_no_repeat_bears_out_does_not_interact() -> None:
    """Runs of one code that differ as much as this: 1.3x here and 1.1x there are noise."""
    rows = at_levels({"near": 1.3, "far": 1.1})
    assert len(told(rows)) == 1
    assert told([row._replace(noticeable=False) for row in rows]) == []


def test_benchmarks_are_not_places() -> None:
    """Two benchmarks that change differently are two findings; a package is no level either."""
    assert told(at_levels({"A": 2.0, "B": 0.5}, axis="benchmark")) == []
    assert told(at_levels({"a/x": 2.0, "a/y": 0.5}, axis="pkg")) == []


def test_each_thing_is_told_by_itself() -> None:
    """Encode does not change with size, Decode does."""
    (line,) = told(
        at_levels({"small": 1.5, "large": 1.5}, axis="size", benchmark="Encode"),
        at_levels({"small": 1.1, "large": 2.0}, axis="size", benchmark="Decode"),
    )
    assert line.startswith("Decode: from size small to large, new against old goes from 1.10x slower to 2.00x slower")


def test_of_many_the_furthest_are_told() -> None:
    """Nine things that depend on size: six sentences, the rest counted."""
    lines = told(
        *(at_levels({"small": 1.1, "large": 1.3 + one / 10}, axis="size", benchmark=f"B{one}") for one in range(9))
    )
    assert [line.split(":")[0] for line in lines[:-1]] == [f"B{one}" for one in range(3, 9)]
    assert len(lines) == MOST_SENTENCES + 1
    assert lines[-1] == "3 more changes of this kind stand in the table"


def test_no_factor_of_an_interaction_is_below_one() -> None:
    """1.22x slower, never 0.82x faster."""
    for name in ("heavy-read-api-published", "token-sdk"):
        for answer in summary(name).comparisons:
            assert isinstance(answer, ComparisonAnswer)
            found = re.findall(r"([\d.]+)x", " ".join(interactions(answer)))
            assert all(float(one) >= 1 for one in found)
