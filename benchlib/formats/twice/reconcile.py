"""Rules across files: what is told twice counts once, and what speaks of another run stays.

1. Two files that hold the same results (a log, and the results cut out of it) are one measurement: the second
   is dropped, lest every sample count double. Where a file holds some results of another, such as the requests
   of one run in another notation, it loses these.
2. A benchmark that failed in a log, and has no sound value there, takes its rows of a table that was made
   from logs to the failed ones.
3. A summary of a whole run, which names no benchmark, gives way to the requests of the run, but for what these
   do not tell. It must be theirs beyond coincidence.
4. A row of a table gives way to a log of the same benchmark, where no axis that both state differs and its
   value is what the table would say of the log's: one of them, or their median, mean or another statistic, to
   the digits that the table writes. What the table knows of the log's rows is handed to them.

5. A table that says of one benchmark what the logs say of another, value for value, is left as it is: that the
   two names are of one is for its reader to say. A caveat names both files.

Nothing gives way to a file of another run that was named. Each file that loses rows has a caveat with their
number and the files that they are read from; `benchlib.formats.twice.copies`, `groups` and `summaries` find them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import choices, printable
from benchlib.formats.naming import split_name
from benchlib.formats.raw import unpacked_name
from benchlib.formats.table import ReadFile
from benchlib.formats.twice.copies import LEAST_DIGITS, ROUTINE_DIGITS, contradict, copies, notations, run_of
from benchlib.formats.twice.digits import significant, statistic_of
from benchlib.formats.twice.groups import Group, Mask, Places, grouped
from benchlib.formats.twice.renamed import Renamed, renamed
from benchlib.formats.twice.summaries import against
from benchlib.results import Results

__all__ = ["reconcile"]

#: Nobody cuts results out of a log by hand in a folder of more files than these, all written one way.
_CUT_BY_HAND = 1000


def reconcile(
    results: Results, files: Sequence[ReadFile], summaries: Mapping[str, int], tables: Collection[str] = ()
) -> Results:
    """Apply the rules.

    Parameters
    ----------
    results : Results
        Of all files.
    files : sequence of ReadFile
    summaries : mapping of str to int
        Sources whose reader says that they are made from logs, and how many digits the values had before: 0
        where it does not say.
    tables : collection of str
        Sources of tables that may be.
    """
    if len(files) < 2:
        return results
    # Sums of hostile numbers are beyond a float: they agree with nothing.
    with np.errstate(over="ignore", invalid="ignore"):
        return _reconciled(results, files, summaries, tables)


def _reconciled(
    results: Results, files: Sequence[ReadFile], summaries: Mapping[str, int], tables: Collection[str]
) -> Results:
    whole = _Whole(results, files)
    whole.drop_copies(copies(files))
    held = [*summaries, *tables]
    # A lone table has no log to be held against.
    made = set(held) if len(held) < len(files) else set()
    if len(files) <= _CUT_BY_HAND or _notations(files) > 1:
        whole.drop_notations(made)
    if made:
        whole.fail(set(summaries) & made, made)
    whole.drop_totals()
    if made:
        whole.drop_told(held, summaries)
        whole.tell_renamed(held)
    return whole.results()


def _notations(files: Sequence[ReadFile]) -> int:
    """Return in how many ways the files are written, as far as format and ending tell."""
    return len({(one.format, PurePosixPath(unpacked_name(one.source)).suffix) for one in files})


class _Whole:
    """The rows of all files, sound ones first, and what becomes of them."""

    def __init__(self, results: Results, files: Sequence[ReadFile]) -> None:
        self._results = results
        self.runs = {one.source: run_of(one) for one in files}
        failed = len(results.failed)
        self.frame = pd.concat([results.frame, results.failed], ignore_index=True) if failed else results.frame
        self.failed: Mask = np.arange(len(self.frame)) >= len(results.frame)
        self.dropped: Mask = np.zeros(len(self.frame), dtype=bool)
        self.axes = results.axes
        self.caveats: list[Caveat] = []
        self._sources = self.frame["source"].cat.codes.to_numpy()
        self._known = {str(one): code for code, one in enumerate(self.frame["source"].cat.categories)}
        self._handed: dict[str, list[tuple[Places, Any]]] = {}
        self._moved = False

    def of(self, *sources: str) -> Places:
        """Return the places of the rows of some files that are left."""
        codes = [self._known[one] for one in sources if one in self._known]
        return np.flatnonzero(np.isin(self._sources, codes) & ~self.dropped)

    def drop_copies(self, repeats: Mapping[str, str]) -> None:
        """Rule 1, for whole files."""
        for one, other in repeats.items():
            own = self.of(one)
            self.dropped[own] = True
            message = f"{one} holds the same {_counted(len(own))} as {other}; they are counted once"
            self.caveats.append(caveat("repeated-file", message))

    def drop_notations(self, tables: Collection[str]) -> None:
        """Rule 1, for files that hold some results of another; tables have a rule of their own."""
        left = np.flatnonzero(~self.dropped)
        rows = self.frame.iloc[left] if len(left) < len(self.frame) else self.frame
        unnamed = _unnamed(rows)
        if unnamed.any():
            # The name of its file names no benchmark: two notations of one run have two.
            blank = {one: _blanked(rows[one], unnamed) for one in ("name", "benchmark")}
            rows = rows.assign(**blank)
        found = notations(rows, self.axes, lambda one, other: (one in tables) == (other in tables))
        for one, other, places in found:
            told = f"{len(places)} of {_counted(len(self.of(one)))}"
            self.dropped[left[places]] = True
            message = f"{one}: {told} are also told by {other}; they are counted once"
            self.caveats.append(caveat("repeated-file", message))

    def fail(self, summaries: Collection[str], tables: Collection[str]) -> None:
        """Rule 2: what failed in a log did not succeed in the table made from it."""
        logs = ~np.isin(self._sources, [self._known[one] for one in tables if one in self._known])
        benchmarks, runs = self.frame["benchmark"], self.frame["run"]

        def met(mask: Mask) -> set[tuple[str, str]]:
            pairs = pd.DataFrame({"benchmark": benchmarks[mask], "run": runs[mask]}).drop_duplicates()
            return {(str(name), str(run)) for name, run in pairs.itertuples(index=False)}

        lost = {
            (split_name(one.name)[0], self.runs.get(one.source, ""))
            for one in self._results.series
            if one.kind == "failed-benchmark"
        }
        lost |= met(logs & self.failed)
        sound = met(logs & ~self.failed)
        names = {name for name, _ in lost}
        mine = np.isin(self._sources, [self._known[one] for one in summaries if one in self._known])
        mine &= ~self.failed & ~self.dropped & benchmarks.isin(list(names)).to_numpy()
        for place in np.flatnonzero(mine).tolist():
            name, run = str(benchmarks.iloc[place]), str(runs.iloc[place])
            if _knows(lost, name, run) and not _knows(sound, name, run):
                self.failed[place] = self._moved = True

    def drop_totals(self) -> None:
        """Rule 3."""
        unnamed = _unnamed(self.frame) & ~self.dropped
        if not unnamed.any():
            return
        metrics = self.frame["metric"].cat
        parts = [statistic_of(str(one)) for one in metrics.categories]
        summed = np.asarray([bool(statistic) for _, statistic in parts])[metrics.codes.to_numpy()]
        bases = {name for name, statistic in parts if statistic}
        raw = np.asarray([str(one) in bases for one in metrics.categories])[metrics.codes.to_numpy()] & ~self.dropped
        if not raw.any():
            return
        pools = grouped(self.frame, np.flatnonzero(raw), self.failed, ["source", "run"], self.axes)
        for code in np.unique(self._sources[unnamed & summed]).tolist():
            places = np.flatnonzero((self._sources == code) & unnamed)
            self._drop_total(places, pools)

    def _drop_total(self, places: Places, pools: Sequence[Group]) -> None:
        rows = self.frame.iloc[places]
        source = str(rows["source"].iloc[0])
        # Here the benchmark is what the file is called: it may be any.
        own = rows.assign(benchmark=pd.Categorical([""] * len(rows)))
        for pool in pools:
            theirs = self.frame.iloc[pool.places]
            other = str(theirs["source"].iloc[0])
            if other == source or contradict(own, theirs, ["run", *self.axes]):
                continue
            found = against(own.assign(**dict.fromkeys(self.axes)), [pool], self.axes).superseded
            timed = found & np.asarray(["sec" in str(one) for one in rows["unit"]])
            digits = sum(max(0, significant(one) - ROUTINE_DIGITS) for one in rows["value"].to_numpy()[timed].tolist())
            if digits >= LEAST_DIGITS:
                self._supersede(source, places, found, [other])
                return

    def drop_told(self, tables: Sequence[str], digits: Mapping[str, int]) -> None:
        """Rule 4."""
        mine, every = self.of(*tables), self.frame["benchmark"].cat.codes.to_numpy()
        logs = np.isin(every, np.unique(every[mine[~self.failed[mine]]])) & ~self.dropped
        logs[mine] = False
        places = np.flatnonzero(logs)
        groups = grouped(self.frame, places, self.failed, ["source", "name", "benchmark", "run", *self.axes], self.axes)
        for source in tables if groups else ():
            own = self.of(source)
            own = own[~self.failed[own]]
            rows = self.frame.iloc[own]
            verdict = against(rows, groups, self.axes, digits.get(source, 0))
            if not verdict.superseded.any():
                continue
            told = np.concatenate([one.places for one in verdict.groups])
            logs_ = [str(one) for one in self.frame["source"].iloc[told].unique()]
            taken: dict[str, None] = {}
            for group, axes in verdict.handed:
                taken |= dict.fromkeys(axes)
                for axis, level in axes.items():
                    self._handed.setdefault(axis, []).append((group.places, level))
            self._supersede(source, own, verdict.superseded, logs_, list(taken))
            if verdict.unclear:
                axes_ = choices(sorted(verdict.unclear))
                message = (
                    f"{source} states {axes_} of values that stand in several files, and not of which: {_named(logs_)}"
                )
                self.caveats.append(caveat("files-alike", message))

    def tell_renamed(self, tables: Collection[str]) -> None:
        """Rule 5."""
        sound = self.frame[~(self.dropped | self.failed)]
        told: dict[tuple[str, str, str, tuple[str, ...]], list[Renamed]] = {}
        for one in renamed(sound, self.axes, tables):
            told.setdefault((one.source, one.benchmark, one.other, one.others), []).append(one)
        for (source, benchmark, other, others), same in told.items():
            count = _counted(sum(one.count for one in same))
            message = (
                f"{source} has the same {count} of {printable(benchmark, 60)} as {_named(others)} of "
                f"{printable(other, 60)} ({choices([one.metric for one in same], 3)}): one measurement under two names"
            )
            self.caveats.append(caveat("two-names", message))

    def _supersede(
        self, source: str, places: Places, superseded: Mask, others: Sequence[str], taken: Sequence[str] = ()
    ) -> None:
        count = f"{superseded.sum()} of {_counted(len(self.of(source)))}"
        known = f"; these take {choices(taken)} from it" if taken else ""
        message = f"{source}: {count} are also told by {_named(others)}, and read from there{known}"
        self.caveats.append(caveat("superseded-file", message))
        self.dropped[places[superseded]] = True

    def results(self) -> Results:
        """Return the results that the rules leave."""
        if not (self.caveats or self._moved):
            return self._results
        frame = self.frame
        for axis, handed in self._handed.items():
            frame = frame.assign(**{axis: _filled(frame[axis], handed)})
        kept = ~self.dropped
        if self._moved or self.dropped.any():
            empty = [
                axis for axis in self.axes if frame[axis].notna().any() and not frame.loc[kept, axis].notna().any()
            ]
            frame = frame.drop(columns=empty)
        return replace(
            self._results,
            frame=frame[kept & ~self.failed].reset_index(drop=True),
            failed=frame[kept & self.failed].reset_index(drop=True),
            caveats=merge(self._results.caveats, self.caveats),
        )


def _unnamed(rows: pd.DataFrame) -> Mask:
    """Return which rows have no name of their own, and take that of their file."""
    names, benchmarks, sources = (rows[one].cat for one in ("name", "benchmark", "source"))
    of = {str(one): code for code, one in enumerate(benchmarks.categories)}
    stems = [of.get(PurePosixPath(unpacked_name(str(one))).stem, -2) for one in sources.categories]
    same = np.asarray([of.get(str(one), -3) for one in names.categories])
    codes = benchmarks.codes.to_numpy()
    found: Mask = np.asarray(stems)[sources.codes.to_numpy()] == codes
    found &= same[names.codes.to_numpy()] == codes
    return found


def _blanked(column: pd.Series[Any], where: Mask) -> pd.Categorical:
    named = column.cat.add_categories([""]) if "" not in column.cat.categories else column
    codes = named.cat.codes.to_numpy().astype(np.int32)
    codes[where] = list(named.cat.categories).index("")
    return pd.Categorical.from_codes(codes, categories=named.cat.categories)


def _filled(column: pd.Series[Any], handed: Sequence[tuple[Places, Any]]) -> Any:
    """Return a column with levels that the table of the same column states."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy(copy=True)
        known = {one: code for code, one in enumerate(column.cat.categories)}
        for places, level in handed:
            codes[places] = known[level]
        return pd.Categorical.from_codes(codes, dtype=column.dtype)
    values = column.to_numpy(copy=True)
    for places, level in handed:
        values[places] = level
    return values


def _knows(pairs: Collection[tuple[str, str]], name: str, run: str) -> bool:
    """Whether a benchmark is among those of a run; rows of no named run may be of any."""
    return any(one == name and (other == run or not other or not run) for one, other in pairs)


def _counted(count: int) -> str:
    return f"{count} value{'' if count == 1 else 's'}"


def _named(sources: Sequence[str]) -> str:
    shown = printable(sources[0], 60)
    rest = len(sources) - 1
    return shown if not rest else f"{shown} and {rest} more file{'s' if rest > 1 else ''}"
