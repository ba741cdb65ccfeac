"""The table of samples: medians, and the intervals that files state themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.answers.samples import SampleTable, summarise_samples
from benchlib.study import open_study


@pytest.mark.parametrize(
    ("text", "intervals"),
    [
        ("name,time_ms,ci95\nA,10,1.5\nB,20,\n", {"A": (0.0085, 0.0115), "B": None}),
        ("name,time_ms,Score Error (99.9%)\nA,10,1.5\n", {"A": (0.0085, 0.0115)}),
        ("Benchmark  Mode  Cnt   Score   Error  Units\nT.a        avgt    5  10.000 ± 1.500  ms/op\n",
         {"T.a": (0.0085, 0.0115)}),
        ('"Benchmark","Mode","Threads","Samples","Score","Score Error (99.9%)","Unit"\n'
         '"p.T.a","thrpt",1,5,60,6,"ops/min"\n',
         {"T.a": (0.9, 1.1)}),
        # At a lower level, or at none, a bar is no interval at 95 %; and two values of a line share none.
        ("name,time_ms,ci90\nA,10,1.5\n", {"A": None}),
        ("name,time_ms,error\nA,10,1.5\n", {"A": None}),
    ],
)  # fmt: skip
def test_the_interval_that_a_file_states_is_that_of_its_value(
    tmp_path: Path, text: str, intervals: dict[str, tuple[float, float] | None]
) -> None:
    """A single value has no other; it says so, and at which level."""
    (tmp_path / "t.csv").write_text(text)
    table = summarise_samples(open_study(tmp_path))
    assert isinstance(table, SampleTable)
    medians = {row.key["benchmark"]: row.sample.median for row in table.rows if row.metric in ("time", "throughput")}
    ends = {name: (median.low, median.high) if median.has_interval else None for name, median in medians.items()}
    assert ends == {name: pair and pytest.approx(pair) for name, pair in intervals.items()}
    assert all("as the file states it" in median.method for median in medians.values() if median.has_interval)
