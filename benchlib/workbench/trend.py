"""A history in hand: what changed and when, what drifts, and what each series would have hidden."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchlib.answers.asking import Refusal as _Refusal
from benchlib.errors import SelectionError, choices, printable
from benchlib.workbench.answer import Answer, Refusal
from benchlib.workbench.data import Source, read
from benchlib.workbench.show import Shown

if TYPE_CHECKING:
    import pandas as pd

    from benchlib.answers.trend import TrendAnswer
    from benchlib.document.blocks import Document
    from benchlib.workbench.chart import Chart

__all__ = ["Trends", "trend"]


def trend(
    source: Source,
    metric: str | Sequence[str] = "",
    *,
    where: str = "",
    by: str | Sequence[str] = "",
    since: str = "",
    branch: str = "",
    repo: str = "",
    control: str = "",
    min_effect: float = 0.02,
    significance_level: float = 0.05,
    level: float = 0.95,
) -> Trends | Refusal:
    """Tell what changed over the runs of a history.

    Parameters
    ----------
    source : anything `benchlib.read` takes
        With a run a version: a column ``commit``, files of asv, or what github-action-benchmark keeps.
    metric : str or sequence of str
        What to follow; by default all.
    where : str
        Keep only the rows that meet this condition.
    by : str or sequence of str
        Columns whose levels have series of their own; by default those that name a machine or toolchain.
    since : str
        A run, or a date such as ``"2026-10-01"``: changes from there on.
    branch : str
        The branch that is followed; by default main, master, or the one of most runs.
    repo : str
        A git repository whose first-parent line orders the commits, in place of their times.
    control : str
        Benchmarks that no change of the code can reach, as a condition; what a run did to them is
        taken out of all others.
    min_effect : float
        The smallest change that matters, as a share.
    significance_level : float
        The share of all changes told that may be none.
    level : float
        Confidence level of every interval.

    Returns
    -------
    Trends or Refusal

    Examples
    --------
    >>> import benchlib as bl
    >>> commits = [f"c{number:02}" for number in range(40)]
    >>> times = [100, 101, 99, 100, 102] * 5 + [120, 121, 119] * 5
    >>> bl.trend({"commit": commits, "time_ns": times}).sentence
    '1 change over 40 runs: time, 20% more time since c25; 0 of 1 series steady.'
    """
    from benchlib.answers.trend import trend as asked

    study = read(source, where=where).study
    answer = asked(
        study,
        metric=metric,
        by=by,
        control=control,
        since=since,
        branch=branch,
        repo=repo,
        least=min_effect,
        significance_level=significance_level,
        confidence_level=level,
    )
    return Refusal(answer) if isinstance(answer, _Refusal) else Trends(study, answer)


class Trends(Answer):
    """What the series of a history did."""

    answer: TrendAnswer

    @property
    def table(self) -> pd.DataFrame:
        """One row a change of a series, those of the latest run first; in base units."""
        import pandas as pd

        from benchlib.answers.trend import change_records

        return pd.DataFrame(change_records(self.answer))

    @property
    def series(self) -> pd.DataFrame:
        """One row a series: its runs, changes, drifts and wild runs, its noise, and the steps that it would show."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    **trend.key, "metric": trend.metric, "unit": trend.unit, "runs": len(trend.runs),
                    "changes": len(trend.course.changes), "drifts": len(trend.course.drifts),
                    "outliers": len(trend.course.outliers), "noise": trend.course.noise,
                    "seen_in_3": trend.course.visible(3), "seen_in_10": trend.course.visible(10),
                }
                for trend in self.answer.trends
            ]
        )  # fmt: skip

    def plot(self, since: str = "") -> Chart:
        """Draw the figure of the answer, or the series behind the change that begins with a run.

        Raises
        ------
        SelectionError
            For a run at which nothing changed.
        """
        if not since:
            return super().plot()
        from benchlib.figures.trend import series_figure
        from benchlib.workbench.chart import Chart

        for finding in self.answer.findings:
            if self.answer.runs[finding.at] == since:
                return Chart(series_figure(self.answer, finding, (f"Changed at {since}",)))
        known = [self.answer.runs[finding.at] for finding in self.answer.findings]
        raise SelectionError(f"nothing changed at '{printable(since)}'; there are {choices(known, 12)}")

    def _told(self) -> Document:
        from benchlib.tell import trend

        return trend.document(self.answer, self._study)

    def _shown(self) -> Shown:
        from dataclasses import replace

        return replace(super()._shown(), folded=(("Series", self.series),))
