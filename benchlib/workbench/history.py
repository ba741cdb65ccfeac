"""A history in hand: its runs as a table, their rows as results, and another run put in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchlib.workbench.data import Data, Source, read
from benchlib.workbench.show import Shown, Shows

if TYPE_CHECKING:
    import pandas as pd

    from benchlib import history
    from benchlib.workbench.answer import Refusal
    from benchlib.workbench.trend import Trends

__all__ = ["History", "open_history"]


def open_history(uri: str, *, make: bool = False) -> History:
    """Open a history of runs.

    Parameters
    ----------
    uri : str
        A folder, or ``s3://BUCKET/FOLDER``.
    make : bool
        Make it where there is none.

    Returns
    -------
    History

    Raises
    ------
    InputError
        If there is none, if the folder holds something else, or if a later version of benchlib wrote it.

    Examples
    --------
    >>> import tempfile
    >>> import benchlib as bl
    >>> folder = tempfile.mkdtemp()
    >>> kept = bl.open_history(folder, make=True)
    >>> kept.record({"benchmark": ["Encode"], "time_ns": [120]}, commit="4f2a1b3", time="2026-11-26", run="nightly-1")
    'nightly-1'
    >>> kept.runs[["run", "commit", "rows"]].values.tolist()
    [['nightly-1', '4f2a1b3', 1]]
    >>> kept.results("commit=4f2*").metrics
    ('time',)
    """
    from benchlib.history import store

    return History(store.History(uri, make=make))


class History(Shows):
    """Runs that were recorded."""

    def __init__(self, kept: history.History) -> None:
        self._kept = kept

    @property
    def runs(self) -> pd.DataFrame:
        """One row a run: its name, time, commit, branch, machine, tags and rows, in the order of time."""
        import pandas as pd

        rows = [
            {
                "run": run.name, "time": run.facts.time, "commit": run.facts.commit, "branch": run.facts.branch,
                "machine": run.facts.machine, **run.facts.tags, "rows": run.rows, "failed": run.failed,
            }
            for run in self._kept.runs()
        ]  # fmt: skip
        columns = ["run", "time", "commit", "branch", "machine", "rows", "failed"]
        return pd.DataFrame(rows, columns=None if rows else columns)

    def results(self, where: str = "") -> Data:
        """Return the rows of all runs that meet a condition, such as ``"machine=atom time=2026-1*"``.

        Raises
        ------
        SelectionError
            If no row is left.
        """
        from benchlib.study.open import HISTORY, open_study

        return Data(open_study(f"{HISTORY}{self._kept.place.uri}", where))

    def trend(self, metric: str = "", *, where: str = "", **asked: Any) -> Trends | Refusal:
        """Tell what changed over the runs; the same as `benchlib.trend` of the history."""
        from benchlib.workbench.trend import trend

        return trend(self.results(where), metric, **asked)

    def record(
        self,
        source: Source,
        *,
        commit: str = "",
        branch: str = "",
        time: str = "",
        machine: str = "",
        run: str = "",
        replaces: str = "",
        **tags: str,
    ) -> str:
        """Record results as one run, and return its name; the same again is the same run.

        Parameters
        ----------
        source : anything `benchlib.read` takes
        commit, branch, time, machine : str
            What is known of it.
        run : str
            What to call it; by default the beginning of its hash.
        replaces : str
            A run that is withdrawn in its favour.
        **tags : str
            Whatever else tells runs apart.

        Raises
        ------
        InputError
            Where another run has the name, or where the results have no row.
        """
        from benchlib.history import Facts

        facts = Facts(recording=run, commit=commit, branch=branch, machine=machine, time=time, tags=tags)
        made, _ = self._kept.record(read(source).study.results, facts, replaces=replaces)
        return made.name

    def _shown(self) -> Shown:
        runs = self.runs
        times = [time for time in runs["time"] if time]
        span = f", {times[0][:10]} to {times[-1][:10]}" if times else ""
        rows = int(runs["rows"].sum()) if len(runs) else 0
        return Shown(
            sentence=f"{len(runs):,} {'run' if len(runs) == 1 else 'runs'} in {self._kept.uri}{span}; {rows:,} rows.",
            table=runs.tail(10).iloc[::-1],
            folded=(("All runs", runs),),
        )
