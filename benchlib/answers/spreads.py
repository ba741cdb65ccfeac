"""How far cells move between runs of the same code, and which of them stand out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import pandas as pd

from benchlib.answers.evidence import Evidence, gather_all
from benchlib.answers.grouping import cells, label, place_axes
from benchlib.caveats import Caveat, caveat
from benchlib.statistics.stability import SPREAD_LIMIT, RunSpread, run_spread, unstable_runs
from benchlib.units import percent, show

__all__ = ["SpreadRow"]


#: Metrics whose wandering from run to run says something about the machine.
_STABLE_METRICS = ("time", "throughput")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadRow:
    """How far one cell moved between runs of the same code."""

    key: Mapping[str, Any]
    metric: str
    unit: str
    runs: tuple[str, ...]
    spread: RunSpread
    unstable: bool
    evidence: Evidence


def _spread_rows(frame: pd.DataFrame, first: Sequence[str] = ("benchmark",)) -> tuple[SpreadRow, ...]:
    """Return the spread of each cell over the runs that repeat it: those of two runs or more, all values above 0."""
    spreads: list[tuple[dict[str, Any], RunSpread, dict[str, pd.DataFrame]]] = []
    for key, rows in cells(frame, [*place_axes(frame, first), "metric", "unit"]):
        if len(rows) < 2:
            continue
        by_run = {str(place.get("run", "")): group for place, group in cells(rows, ["run"])}
        if len(by_run) > 1 and (rows["value"] > 0).all():
            spreads.append((key, run_spread([values["value"].to_numpy() for values in by_run.values()]), by_run))
    flags = unstable_runs([spread for _, spread, _ in spreads])
    return tuple(
        SpreadRow(
            key={axis: level for axis, level in key.items() if axis not in ("metric", "unit")},
            metric=key["metric"],
            unit=key["unit"],
            runs=tuple(by_run),
            spread=spread,
            unstable=bool(flag),
            evidence=gather_all(by_run.values(), "largest over smallest median of a run"),
        )
        for (key, spread, by_run), flag in zip(spreads, flags, strict=True)
    )


def _spread_caveats(spreads: Sequence[SpreadRow], named: int | None = None) -> tuple[Caveat, ...]:
    """Name each cell that parts from its peers, or the first `named` of them; where everything wanders, the machine."""
    caveats = []
    usual = median(row.spread.ratio for row in spreads) if spreads else 1.0
    apart = [row for row in spreads if row.unstable]
    for row in apart[:named]:
        low, high = row.spread.lowest, row.spread.highest
        centres = row.spread.centres
        caveats.append(
            caveat(
                "unstable-runs",
                f"{label(row.key)}: {row.metric} is {percent(row.spread.ratio - 1)} larger in {_run(row.runs[high])} "
                f"than in {_run(row.runs[low])} ({show(centres[high], row.unit)} against "
                f"{show(centres[low], row.unit)}), where its peers differ by {percent(usual - 1)}",
            )
        )
    if len(apart) > len(caveats):
        caveats.append(caveat("unstable-runs", f"{len(apart) - len(caveats)} more part from their peers"))
    return (*caveats, *_noisy(spreads))


def _run(name: str) -> str:
    return f"run {name}" if name.isdigit() else name


def _noisy(spreads: Sequence[SpreadRow]) -> tuple[Caveat, ...]:
    """Say so when everything wanders: then no single benchmark is to blame."""
    if len(spreads) < 3:
        return ()
    usual = median(row.spread.ratio for row in spreads)
    if usual <= SPREAD_LIMIT:
        return ()
    return (
        caveat(
            "noisy-machine",
            f"runs of the same code differ by {percent(usual - 1)} in the middle of {len(spreads)} cells",
        ),
    )
