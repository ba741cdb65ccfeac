"""``benchlib scaling``: one answer in four formats, and bad input in one line."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from benchlib.answers.scaling import ScalingAnswer, fit_scaling
from benchlib.errors import DataError
from tests.cli import calling

printed = partial(calling.printed, "scaling")
refused = partial(calling.refused, "scaling")
document = partial(calling.document, "scaling")

ROOT = Path(__file__).parents[2]
REFERENCE = str(ROOT / "data" / "reference")
#: Its first curve alone: what is said of one curve needs no fit of the others.
SDM91 = (REFERENCE, "--where", "benchmark=specsdm91")
HEADS = "benchmark,workers,metric,value,unit"


def table(folder: Path, rows: Sequence[str], heads: str = HEADS) -> str:
    """Write results as a table, and say where."""
    path = folder / "table.csv"
    path.write_text("\n".join([heads, *rows]) + "\n", encoding="utf-8")
    return str(path)


def test_axis_metric_and_groups_can_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a study: --concurrency, --metric, --by; two levels are a curve where the axis was named."""
    rows = [
        f"Serve,{mode},{one},time,{mode_time / one:.1f},ns/op"
        for mode, mode_time in (("cold", 9000.0), ("warm", 5000.0))
        for one in (1, 2)
    ]
    path = table(tmp_path, rows, "benchmark,mode,workers,metric,value,unit")
    found = document(capsys, path, "--concurrency", "workers", "--metric", "time", "--by", "mode")
    assert [one["key"] for one in found["curves"]] == [
        {"benchmark": "Serve", "mode": "cold"},
        {"benchmark": "Serve", "mode": "warm"},
    ]
    assert [one["chosen"] for one in found["curves"]] == [None, None]
    assert {one["unit"] for one in found["curves"]} == {"op/sec"}
    assert "time-as-throughput" in {one["code"] for one in found["caveats"]}


# Read off the law.


def test_a_law_is_read_at_what_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """SDM91 by USL: throughput at 72, both concurrencies for 1,800 an hour, and what 3 minutes allow."""
    asked = (*SDM91, "--law", "usl", "--weights", "none", "--at", "72", "--for", "1800/h", "--latency", "3m")
    found = document(capsys, *asked)["curves"][0]["readings"]
    [at] = found["at"]
    assert (at["concurrency"], at["latency"]["unit"]) == (72, "h")
    assert at["latency"]["value"] == pytest.approx(72 / at["throughput"]["value"])
    assert [round(one["value"], 1) for one in found["reach"]["concurrency"]] == [60.6, 153.8]
    assert found["within"]["latency"] == pytest.approx(0.05)
    assert found["within"]["concurrency"]["value"] == pytest.approx(0.05 * found["within"]["throughput"]["value"])
    assert "Little" in found["system"]
    told = " ".join(printed(capsys, *asked).split())
    assert "1800/h is reached at concurrency 60 (40 to 250) and 150 (40 to 250)" in told
    assert "within a mean of 3m at most 1,880 scripts/h" in told
    assert told.index("1800/h is reached") < told.index("specsdm91 72 1,850 scripts/h 1,690 to 2,010")


def test_a_unit_of_another_kind_is_refused_curve_by_curve(capsys: pytest.CaptureFixture[str]) -> None:
    """One curve counts scripts, the others operations: each says what it cannot read, and the rest is told."""
    scripts, operations, *_ = (one["readings"] for one in document(capsys, REFERENCE, "--for", "200 op/s")["curves"])
    assert scripts["refused"] == ["throughput '200 op/s' cannot be read on a curve in scripts/h; give it in that"]
    assert (operations["refused"], len(operations["reach"]["concurrency"])) == ([], 1)


def test_numbers_may_be_asked_of_the_library() -> None:
    """In the unit of the curve, and in seconds; a truth value is no number."""
    answer = fit_scaling(REFERENCE, law="usl", at=[72], reach=200, latency=0.2)
    assert isinstance(answer, ScalingAnswer)
    found = answer.curves[1].readings
    assert found is not None
    assert [one.concurrency for one in found.at] == [72]
    assert found.reach is not None
    assert found.reach.throughput == 200
    assert found.within is not None
    assert found.within.latency == 0.2
    with pytest.raises(DataError) as caught:
        fit_scaling(REFERENCE, reach=True)
    assert str(caught.value) == "throughput True is neither a text nor a number; give one such as 5000/s or 5000"
