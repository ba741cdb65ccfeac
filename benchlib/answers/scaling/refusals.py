"""Why rows make no curve, in one line each, with the law that the other rows would carry."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from benchlib.answers.evidence import gather
from benchlib.answers.grouping import cell_rows, cells
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling.question import Question
from benchlib.answers.sweeps import FEWEST_LEVELS, Sweep
from benchlib.caveats import Caveat, caveat
from benchlib.errors import choices, printable
from benchlib.metrics import better
from benchlib.scaling.curve import levels_text
from benchlib.scaling.laws import LAWS, offered_laws
from benchlib.study import Study

__all__ = ["carried", "no_curve", "refused_rows", "too_few_levels", "without_unit"]


def refused_rows(sweep: Sweep, axis: str) -> Caveat | None:
    """Say why the rows of a sweep make no curve; one bad row must not cost the other curves."""
    rows = sweep.rows
    if rows["unit"].nunique() > 1:
        places = rows[axis]
        units = {str(key["unit"]): places.iloc[of].nunique() for key, of in cell_rows(rows, ["unit"]) if "unit" in key}
        told = " and ".join(f"{unit!r} at {_levels(count)}" for unit, count in units.items())
        return caveat(
            "mixed-units",
            f"its values are in {told}: no curve is drawn through them; {carried(max(units.values()), 'in one unit')}",
        )
    levels = np.asarray(pd.to_numeric(rows[axis].to_numpy(), errors="coerce"), dtype=float)
    wrong = ~((levels >= 1) & (levels < np.inf))
    if wrong.any():
        found = printable(str(rows.loc[wrong, axis].iloc[0]))
        what = f"{axis} is '{found}' at {_first(rows[wrong])}, no number of at least 1"
    else:
        values = rows["value"].to_numpy(dtype=float)
        wrong = ~((values > 0) & (values < np.inf))
        if not wrong.any():
            return None
        level, found = rows.loc[wrong, axis].iloc[0], rows.loc[wrong, "value"].iloc[0]
        what = f"{sweep.metric} is {found:g} at {_first(rows[wrong])} ({axis} {level}), no finite number above 0"
    return caveat("refused-rows", f"{what}; {carried(rows.loc[~wrong, axis].nunique(), 'in the other rows')}")


def without_unit(sweep: Sweep, study: Study) -> Caveat | None:
    """Say which column lacks the unit that tells what a sweep counts, and by what time."""
    if str(sweep.rows["unit"].iloc[0]):
        return None
    sources = [str(one) for one in sweep.rows["source"].unique()]
    written = (
        str(one.data[0])
        for one in study.results.series
        if one.kind == "no-unit" and one.name == sweep.metric and one.source in sources
    )
    return caveat("no-unit", f"{next(written, repr(sweep.metric))} has no unit in {choices(sources, 2)}")


def too_few_levels(sweep: Sweep, axis: str, fewest: int) -> Refusal | None:
    """Refuse a sweep that stands still, or that nobody named and that has too few levels."""
    if sweep.levels >= fewest:
        return None
    levels = levels_text(sorted(pd.to_numeric(sweep.rows[axis].astype(object)).unique()))
    if sweep.levels == 1:
        count = len(sweep.rows)
        rows = "its one measurement is" if count == 1 else f"all {count} measurements are"
        reason = f"{rows} at {axis} {levels}, and no law fits one level"
    else:
        reason = f"{carried(sweep.levels, f'of {axis} ({levels})')}, and a curve that nobody named needs {fewest}"
    return Refusal(
        question="scaling",
        reason=f"{sweep.name}: {reason}",
        advice=f"measure at other levels of {axis}: linear needs 2, amdahl {LAWS['amdahl'].minimum_levels}, "
        f"usl {LAWS['usl'].minimum_levels}",
    )


def carried(levels: int, where: str) -> str:
    """Name the richest law that this many levels carry.

    Examples
    --------
    >>> carried(3, "in the other rows")
    "3 levels in the other rows carry law='amdahl' (needs 3)"
    """
    offered = offered_laws(levels)
    if not offered:
        return f"{_levels(levels)} {where} carr{'ies' if levels == 1 else 'y'} no law (linear needs 2)"
    return f"{_levels(levels)} {where} carry law={offered[-1]!r} (needs {LAWS[offered[-1]].minimum_levels})"


def _levels(count: int) -> str:
    return f"{count} level{'' if count == 1 else 's'}"


def no_curve(question: Question, sweeps: Sequence[Sweep], refused: Sequence[Refusal]) -> Refusal:
    """Say why a study has no scaling curve at all."""
    study, axis = question.study, question.study.scaling.concurrency
    if refused:
        return refused[0]
    if sweeps:
        most = max(sweeps, key=lambda one: one.levels)
        found = too_few_levels(most, axis, FEWEST_LEVELS)
        if found is not None:
            return found
    if study.results.frame.empty and len(study.results.failed):
        return Refusal(
            question="scaling",
            reason=f"all {len(study.results.failed)} values asked for rest on failed operations",
            advice="mend the benchmark and measure again, or ask for rows of another",
        )
    timed = study.results.frame[study.results.frame["metric"] == "time"]
    swept = [key["benchmark"] for key, rows in cells(timed, ["benchmark"]) if rows[axis].nunique() >= FEWEST_LEVELS]
    if swept and question.metric in ("", "time"):
        return Refusal(
            question="scaling",
            reason=f"{choices(swept, 3)} report time, and none is said to run operations in parallel: "
            "only then is time one over throughput",
            advice="list the parallel benchmarks: parallel in [configuration] of study.toml, "
            "or say so for all of them: --metric time",
        )
    rates = _rates_swept(study.results.frame, axis) if not question.metric else []
    if rates:
        return Refusal(
            question="scaling",
            reason=f"no metric here is called throughput; in work by time {'is' if len(rates) == 1 else 'are'} "
            f"{choices(rates, 3)}",
            advice=f"say which is meant: --metric {rates[0]}",
        )
    what = question.metric or "throughput"
    return Refusal(
        question="scaling",
        reason=f"no benchmark was measured at {FEWEST_LEVELS} or more levels of {axis}",
        advice=f"measure {what} at more levels of {axis}; double it from 1",
    )


def _rates_swept(frame: pd.DataFrame, axis: str) -> list[str]:
    """Return the metrics of another name that count work by time at enough levels."""
    rates = frame[frame["unit"].isin(["req/sec", "op/sec"]) & (frame["metric"] != "throughput")]
    swept = [
        key["metric"]
        for key, rows in cells(rates, ["metric"])
        if rows[axis].nunique() >= FEWEST_LEVELS and better(str(key["metric"]), "req/sec") == "higher"
    ]
    return [printable(str(one), 40) for one in swept]


def _first(rows: pd.DataFrame) -> str:
    return gather(rows, "").rows[0]
