"""``go tool pprof -top``."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.formats import load
from benchlib.formats.profiles import PPROF_TOP
from benchlib.formats.reader import TextFile

DATA = Path(__file__).parents[1] / "data" / "pprof_top"


@pytest.mark.parametrize(
    ("name", "functions", "metric", "unit", "first"),
    [
        # Lines of each table: tail -n +N file | wc -l.
        ("cpu_top.txt", 126, "flat_time", "sec", 0.38),
        ("alloc_top.txt", 36, "flat_memory", "B", 115.85 * 2**20),
        ("objects_top.txt", 39, "flat_count", "", 65537.0),
    ],
)
def test_each_line_is_a_function(name: str, functions: int, metric: str, unit: str, first: float) -> None:
    """Four values a function, in base units, bytes by 1,024 as pprof counts them."""
    results = load(DATA / name)
    assert results.problems == ()
    assert len(results.frame) == 4 * functions
    rows = results.frame[results.frame["metric"] == metric]
    assert len(rows) == functions
    assert rows["value"].iloc[0] == pytest.approx(first, rel=1e-12)
    assert results.metrics[metric].unit == unit
    assert set(results.frame["benchmark"]) == {"enc.test"}


def test_shares_are_ratios_and_inlining_is_no_part_of_a_name() -> None:
    """31.15 % is 0.3115; ``(inline)`` is left out of the axis function."""
    frame = load(DATA / "cpu_top.txt").frame
    shares = frame[frame["metric"] == "flat_share"].set_index("function")["value"]
    assert shares["crypto/internal/fips140/sha256.blockSHANI"] == pytest.approx(0.3115)
    assert shares["bytes.(*Buffer).tryGrowByReslice"] == pytest.approx(0.0164)


def test_a_line_that_is_none_is_a_problem() -> None:
    """Within the table only; what stands before it is context or noise."""
    text = (
        "hello\nType: cpu\n  flat  flat%   sum%        cum   cum%\n 10ms 5% 5% 1.50mins 5% a b\n0 0% 5% 0 0% c\n1 2 3"
    )
    reading = PPROF_TOP.read(TextFile("x", text.split("\n")))
    counts = reading.lines
    assert (counts.data, counts.context, counts.problem, counts.noise) == (2, 2, 1, 1)
    assert list(reading.rows.value) == [10.0, 5.0, 90.0, 5.0, 0.0, 0.0, 0.0, 0.0]
    assert list(reading.rows.unit) == ["ms", "%", "s", "%", "s", "%", "s", "%"]
