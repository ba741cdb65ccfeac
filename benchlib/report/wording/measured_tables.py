"""What was read and measured, as tables of words: files, cells, percentiles, spreads between runs."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib.answers.grouping import label
from benchlib.answers.latency import LatencyAnswer, LatencyRow
from benchlib.answers.quality import DataQuality
from benchlib.answers.repeatability import SpreadRow
from benchlib.answers.samples import SampleRow, SampleTable
from benchlib.report.wording.markup import Table
from benchlib.report.wording.tables import MOST_CELLS, NONE, table
from benchlib.report.wording.told import Told, evident, told
from benchlib.report.wording.words import count, evident_figure, evident_interval, metric_name
from benchlib.statistics.samples import percentile_share
from benchlib.units import show


def read_words(quality: DataQuality) -> Told:
    """Say how much was read."""
    read = f"{count(quality.rows, 'value')} from {count(quality.sources, 'file')}."
    return told(read, quality.evidence)


def files_table(quality: DataQuality) -> Table:
    """Files read, with their hashes and what became of their lines."""
    return table(
        "Files",
        ("file", "format", "SHA-256", "rows", "data", "context", "problem", "noise"),
        (
            (
                one.source,
                one.format + (f" (also {', '.join(one.contains)})" if one.contains else ""),
                one.sha256[:16],
                f"{one.rows:,}",
                *(f"{count:,}" for count in (one.lines.data, one.lines.context, one.lines.problem, one.lines.noise)),
            )
            for one in quality.files
        ),
        words=3,
    )


def sample_table(samples: SampleTable) -> Table:
    """Cells of the results, the first `MOST_CELLS` of them."""
    left = len(samples.rows) - MOST_CELLS
    more = f"; {left:,} more in answers.json" if left > 0 else ""
    axes = [axis for axis in samples.by if any(axis in row.key for row in samples.rows)]
    return table(
        f"Every cell: median with its order-statistic interval{more}",
        (*axes, "metric", "n", "median", "interval", "least", "most"),
        (
            (
                *(str(row.key.get(axis, NONE)) for axis in axes),
                row.metric,
                evident(str(row.sample.n), row.evidence, row.sample.n),
                evident_figure(row.sample.median, row.evidence),
                evident_interval(row.sample.median, row.evidence),
                _end(row.sample.minimum, row),
                _end(row.sample.maximum, row),
            )
            for row in samples.rows[:MOST_CELLS]
        ),
        words=len(axes) + 1,
    )


def _end(value: float, row: SampleRow) -> Told:
    return evident(show(value, row.unit, like=row.sample.median.value), row.evidence, value)


def latency_table(answer: LatencyAnswer) -> Table:
    """Percentiles of every cell."""
    names = list(dict.fromkeys(name for row in answer.rows for name in row.statistics))
    order: list[str] = [one for one in ("mean", "stdev", "min") if one in names]
    order += sorted((one for one in names if one[0] == "p" and one[1:2].isdigit()), key=percentile_share)
    order += [one for one in names if one not in order]
    return table(
        "Latency by cell (medians over runs of the statistics as reported)",
        ("configuration", "n", *order, "p99 / p50"),
        (
            (
                label(row.key),
                evident(_sizes(row), row.evidence),
                *(_statistic(row, name) for name in order),
                NONE
                if row.tail_ratio is None
                else evident(f"{row.tail_ratio:.1f}x", row.statistic_evidence["tail_ratio"], row.tail_ratio),
            )
            for row in answer.rows
        ),
    )


def _sizes(row: LatencyRow) -> str:
    sizes = sorted({sample.n for sample in row.statistics.values()})
    return str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"


def _statistic(row: LatencyRow, name: str) -> str:
    if name not in row.statistics:
        return NONE
    median = row.statistics[name].median
    return evident_figure(median, row.statistic_evidence[name])


def spread_table(spreads: Sequence[SpreadRow]) -> Table:
    """How far cells moved between runs of the same code, widest first."""
    rows = sorted(spreads, key=lambda row: -row.spread.ratio)
    return table(
        "Spread between runs of the same code",
        ("configuration", "metric", "medians by run", "largest / smallest", "from run to run", "judgement"),
        (
            (
                label(row.key),
                metric_name(row.metric),
                evident(
                    ", ".join(show(one, row.unit, like=row.spread.centres[0]) for one in row.spread.centres),
                    row.evidence,
                ),
                evident(f"{row.spread.ratio:.2f}x", row.evidence, row.spread.ratio),
                row.spread.trend or NONE,
                "unstable" if row.unstable else "as its peers",
            )
            for row in rows
        ),
        words=3,
    )
