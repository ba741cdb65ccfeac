"""What changed, in hand: rows with verdicts, the worst of them, and what would decide the rest."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from benchlib.answers.asking import Refusal as _Refusal
from benchlib.errors import DataError, SelectionError, choices, printable
from benchlib.workbench.answer import Answer, Refusal, evidence_table, messages
from benchlib.workbench.data import Source, read, table
from benchlib.workbench.show import Shown, in_fitting_units

if TYPE_CHECKING:
    import pandas as pd

    from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
    from benchlib.document.blocks import Document
    from benchlib.study import Study
    from benchlib.workbench.chart import Chart

__all__ = ["Comparison", "compare"]

_COLUMNS = ("name", "metric", "old", "new", "unit", "ratio", "low", "high", "p", "verdict")


def compare(
    a: Source | Sequence[float],
    b: Source | Sequence[float] | None = None,
    *,
    unit: str = "",
    better: str = "",
    col: str = "",
    baseline: str = "",
    where: str = "",
    metric: str | Sequence[str] = "",
    controls: str | Sequence[str] = (),
    history: str = "",
    min_effect: float = 0.02,
    level: float = 0.95,
) -> Comparison | Refusal:
    """Compare two recordings, two lists of values, or the levels of a column.

    Parameters
    ----------
    a, b : anything `benchlib.read` takes, or sequences of values
        Old and new. One alone is compared as its study.toml asks, or by `col`.
    unit, better : str
        Of values typed as sequences: ``"ms"``, ``"req/s"``; ``"lower"`` or ``"higher"`` where the unit does not say.
    col, baseline : str
        The column whose levels are compared, and the level to compare with.
    where : str
        Keep only the rows that meet this condition.
    metric : str or sequence of str
        What to compare; by default everything.
    controls : str or sequence of str
        Rows that the change cannot affect.
    history : str
        A history that says how far runs of the same code lie apart: a change within that is none.
    min_effect : float
        The smallest change that matters.
    level : float
        Confidence level of every interval.

    Returns
    -------
    Comparison or Refusal

    Raises
    ------
    SelectionError
        For a column or level that is not there.
    DataError
        For sides that cannot be compared.

    Examples
    --------
    >>> import benchlib as bl
    >>> bl.compare([10.1, 10.2, 10.0, 10.3, 10.1], [12.0, 12.1, 12.2, 11.9, 12.0], unit="ms").table["verdict"].tolist()
    ['worse']
    >>> bl.compare("data/lplex").drift > 1
    True
    """
    from benchlib.answers.comparison import compare_study
    from benchlib.answers.sides import comparison_study

    if better not in ("", "lower", "higher"):
        raise DataError(f"better '{printable(better)}' is none of 'lower' and 'higher'")
    sides = [_side(side, name, unit, better) for side, name in ((a, "old"), (b, "new")) if side is not None]
    if len(sides) == 1 and not col and not sides[0].comparisons:
        raise DataError("one side only: name a second one, or the column to compare (col)")
    joined = comparison_study(*_named(sides), where=where, col=col, baseline=baseline, metric=metric, controls=controls)
    answers = compare_study(
        joined, history=history, confidence_level=level, significance_level=1 - level, min_effect=min_effect
    )
    compared = [answer for answer in answers if not isinstance(answer, _Refusal)]
    if not compared:
        refusal = answers[0] if answers else None
        if not isinstance(refusal, _Refusal):
            raise DataError("there is nothing to compare; name a column (col) and a baseline")
        return Refusal(refusal)
    return Comparison(joined, tuple(compared))


def _side(side: Any, name: str, unit: str, better: str) -> Study:
    """Return one side as a study; values without a name become a table of one metric."""
    import numpy as np
    import pandas as pd

    if isinstance(side, list | tuple | np.ndarray | pd.Series):
        metric = "throughput" if _is_rate(unit) else "time" if unit else "values"
        columns: dict[str, Any] = {metric: np.asarray(side).ravel()}
        data = table(unit=unit, name="values", **columns)
        study = replace(data.study, name=name, title=name)
    else:
        study = read(side).study
    if better:
        return _with_direction(study, better)
    if study.results.metrics.keys() == {"values"}:
        raise DataError("nothing says which way is better; give a unit, e.g. unit='ms', or better='lower'")
    return study


def _is_rate(unit: str) -> bool:
    return unit.endswith(("/s", "/sec", "ps"))


def _with_direction(study: Study, better: Any) -> Study:
    results = study.results
    metrics = {name: replace(metric, better=better) for name, metric in results.metrics.items()}
    directed = replace(results, metrics=metrics)
    return replace(study, results=directed, whole=directed)


def _named(sides: Sequence[Study]) -> list[Study]:
    """Return sides under names that differ."""
    if len(sides) == 2 and sides[0].name == sides[1].name:
        return [replace(side, name=name) for side, name in zip(sides, ("old", "new"), strict=True)]
    return list(sides)


class Comparison(Answer):
    """Rows compared, each with its ratio, interval and verdict."""

    answer: tuple[ComparisonAnswer, ...]

    def __init__(self, study: Study, answer: tuple[ComparisonAnswer, ...], subset: str = "") -> None:
        super().__init__(study, answer)
        self._subset = subset

    @property
    def rows(self) -> tuple[ComparisonRow, ...]:
        """Every row with all that is known of it."""
        return tuple(row for answer in self.answer for row in answer.rows)

    def __len__(self) -> int:
        return sum(len(answer.rows) for answer in self.answer)

    @property
    def table(self) -> pd.DataFrame:
        """One row a comparison: name, metric, old, new, unit, ratio with its interval, p, verdict; in base units."""
        import pandas as pd

        rows = [
            (
                self._name(row), row.metric, row.baseline_median, row.candidate_median, row.unit, row.ratio,
                row.ratio_low, row.ratio_high, row.pvalue, row.verdict,
            )
            for row in self.rows
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=list(_COLUMNS))

    def worst(self, count: int = 5) -> Comparison:
        """Return the rows that got worst, the worst first."""
        return self._first(count, worst=True)

    def best(self, count: int = 5) -> Comparison:
        """Return the rows that improved most, the best first."""
        return self._first(count, worst=False)

    def _first(self, count: int, *, worst: bool) -> Comparison:
        def loss(row: ComparisonRow) -> float:
            size = math.log(row.ratio) if row.ratio > 0 else math.nan
            sign = -1.0 if row.better == "higher" else 1.0
            size = sign * size * (1 if worst else -1)
            return -math.inf if math.isnan(size) else size

        first = set(map(id, sorted(self.rows, key=loss, reverse=True)[:count]))
        answers = tuple(
            replace(
                answer, rows=tuple(sorted((row for row in answer.rows if id(row) in first), key=loss, reverse=True))
            )
            for answer in self.answer
        )
        which = "worst" if worst else "best"
        return Comparison(self._study, answers, f"the {which}" if count == 1 else f"the {count} {which}")

    @property
    def better(self) -> Comparison:
        """The rows that improved."""
        return self._only(lambda row: row.verdict == "better", "better")

    @property
    def worse(self) -> Comparison:
        """The rows that got worse."""
        return self._only(lambda row: row.verdict == "worse", "worse")

    @property
    def undecided(self) -> Comparison:
        """The rows that cannot be told."""
        return self._only(lambda row: row.verdict == "cannot tell", "undecided")

    def __getitem__(self, name: str) -> Comparison:
        """Return the rows whose name holds some words."""
        names = [self._name(row) for row in self.rows]
        meant = {known for known in names if known == name} or {known for known in names if name in known}
        if not meant:
            raise SelectionError(
                f"no row is named '{printable(name)}'; there are {choices(list(dict.fromkeys(names)), 12)}"
            )
        return self._only(lambda row: self._name(row) in meant, f"named {name}")

    def _ipython_key_completions_(self) -> list[str]:
        return list(dict.fromkeys(self._name(row) for row in self.rows))

    def _only(self, wanted: Callable[[ComparisonRow], bool], subset: str) -> Comparison:
        answers = tuple(replace(answer, rows=tuple(filter(wanted, answer.rows))) for answer in self.answer)
        return Comparison(self._study, answers, subset)

    def repeats_needed(self, effect: str | float = "5%") -> pd.DataFrame:
        """Return how many values a side each row needs to show a change of this size in 4 runs of 5.

        The spread is that of the values at hand; NaN where it is not known, or where more than 200 would not do.
        """
        import pandas as pd

        from benchlib.statistics.power import repeats_for

        wanted = _share(effect)
        rows = [
            (
                self._name(row), row.metric, row.baseline_n, row.candidate_n,
                repeats_for(row.baseline_values, row.candidate_values, wanted),
            )
            for row in self.rows
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=["name", "metric", "old n", "new n", "needed"])

    @property
    def drift(self) -> float:
        """What rows that the change cannot affect did: the ratio of new to old, as a mean; NaN without controls."""
        ratios = [row.ratio for row in self.rows if row.control and row.ratio > 0]
        return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan

    @property
    def geomean(self) -> pd.DataFrame:
        """The geometric mean of the ratios of each metric."""
        import pandas as pd

        rows = [
            (mean.metric, mean.baseline, mean.candidate, mean.ratio, mean.rows)
            for answer in self.answer
            for mean in answer.geomeans
        ]
        return pd.DataFrame(rows, columns=["metric", "old", "new", "ratio", "rows"])

    def benchstat(self) -> str:
        """Return benchstat's own tables of these recordings and of the metrics compared, as its CSV has them."""
        import io

        from benchlib.render.benchstat_csv import write_benchstat_csv

        out = io.StringIO()
        answer = self.answer[0]
        levels = " ".join(f'"{side.name}"' for side in answer.sides)
        column = ".file" if answer.column == "run" else answer.column
        results = self._study.results
        measured = results.frame["metric"].isin({row.metric for row in self.rows})
        write_benchstat_csv(
            replace(results, frame=results.frame[measured]),
            col=f"{column}@({levels})",
            out=out,
            err=io.StringIO(),
            made_of_names=self._study.configuration.axes_of_names,
        )
        return out.getvalue()

    def evidence(self, name: str) -> pd.DataFrame:
        """Return the measurements behind a row, each with file and line."""
        (row, *_) = self[name].rows
        return evidence_table(row.evidence.rows, row.evidence.values, row.evidence.unit)

    @property
    def sentence(self) -> str:
        """What the comparison says first; of a selection, how many rows it holds."""
        if not self._subset:
            return super().sentence
        verdicts = [row.verdict for row in self.rows]
        counts = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys(verdicts))
        rows = "row" if len(verdicts) == 1 else "rows"
        return f"{len(verdicts)} {rows} ({self._subset}){': ' if counts else ''}{counts}."

    @property
    def caveats(self) -> tuple[str, ...]:
        """What could be wrong, the gravest first."""
        return messages(dict.fromkeys(caveat for answer in self.answer for caveat in answer.caveats))

    def plot(self) -> Chart:
        """Draw the ratios of at most 12 rows, the largest changes first, with their intervals."""
        from benchlib.figures.exploring import draw_ratios
        from benchlib.workbench.chart import Chart

        if not self._subset and self._document.figure is not None:
            return super().plot()
        return Chart(draw_ratios(self.table, finding=self.sentence.removesuffix(".")))

    def _told(self) -> Document:
        from benchlib.tell import comparison

        return comparison.document(self.answer, self._study)

    def _shown(self) -> Shown:
        rows = self.table
        drawable = len(rows) > 0 and bool((rows["ratio"] > 0).any())
        return Shown(
            sentence=self.sentence,
            chart=self.plot() if drawable else None,
            table=in_fitting_units(rows, "old", "new"),
            caveats=self.caveats,
        )

    def _name(self, row: ComparisonRow) -> str:
        from benchlib.tell.changes import row_name

        several = len({(row.baseline, row.candidate) for row in self.rows}) > 1
        return f"{row_name(row.key) or row.metric}{f' ({row.candidate} against {row.baseline})' if several else ''}"


def _share(effect: str | float) -> float:
    try:
        share = float(effect.strip().removesuffix("%")) / 100 if isinstance(effect, str) else float(effect)
    except ValueError as error:
        raise DataError(f"effect '{printable(str(effect))}' is no share; write \"5%\" or 0.05") from error
    if not 0 < share < 10:
        raise DataError(f'effect {effect} is no share above 0; write "5%" or 0.05')
    return share
