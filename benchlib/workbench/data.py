"""Results in hand: read from anywhere or typed in a cell, narrowed, tabulated, drawn."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from msgspec import structs

from benchlib.errors import DataError, InputError, SelectionError, choices, printable, suggestion
from benchlib.files import scratch
from benchlib.metrics import canonical
from benchlib.units import Unit, parse_unit
from benchlib.workbench.show import Shown, Shows

if TYPE_CHECKING:
    import pandas as pd

    from benchlib.study import Study
    from benchlib.workbench.answer import Answer, Refusal
    from benchlib.workbench.chart import Chart

__all__ = ["Data", "Source", "read", "table"]

#: What a public function takes for results.
Source = Union["Data", str, "PathLike[str]", Mapping[str, Any], "pd.DataFrame"]
#: The name under which numbers of a cell stand as a source.
_TYPED = "cell.csv"
#: What one cell of a table can hold.
_SUMMARIES = ("median", "mean", "min", "max", "std", "count")
#: What says that a text is a pattern of paths.
_WILD = frozenset("*?[")


class Data(Shows):
    """Benchmark results: one row a measured value, and everything that was read beside them.

    Examples
    --------
    >>> import benchlib as bl
    >>> data = bl.read("data/lplex")
    >>> data.metrics
    ('time', 'memory', 'allocations')
    >>> len(data.select(run="new", benchmark="Decode", metric="time").frame)
    30
    """

    def __init__(self, study: Study, units: Mapping[str, str] | None = None) -> None:
        #: The study behind it: what is asked of the results, and where they came from.
        self.study = study
        self._units = dict(units or {})

    # ---- what is in it ----

    @property
    def frame(self) -> pd.DataFrame:
        """One row a measured value, with its axes, metric, unit, file and line."""
        return self._in_units(self.study.results.frame)

    @property
    def failed(self) -> pd.DataFrame:
        """The rows with failed operations behind them, which are no results."""
        return self._in_units(self.study.results.failed)

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes that take two levels or more."""
        results = self.study.results
        return tuple(axis for axis in results.axes if results.frame[axis].nunique() > 1)

    @property
    def metrics(self) -> tuple[str, ...]:
        """What was measured."""
        return tuple(self.study.results.frame["metric"].unique())

    @property
    def files(self) -> pd.DataFrame:
        """The files that were read: format, rows, and what became of each line."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"file": file.source, "format": file.format, "rows": file.rows, "problems": file.lines.problem}
                for file in self.study.results.files
            ],
            columns=["file", "format", "rows", "problems"],
        )

    @property
    def problems(self) -> pd.DataFrame:
        """What should have been a result and is not, with file and line."""
        import pandas as pd

        rows = [(problem.source, problem.line, problem.message) for problem in self.study.results.problems]
        return pd.DataFrame(rows, columns=["file", "line", "problem"])

    @property
    def notes(self) -> tuple[str, ...]:
        """What was decided in reading, and what every conclusion should carry."""
        from benchlib.workbench.answer import messages

        return (*self.study.meant, *messages(self.study.results.caveats))

    # ---- another selection of it ----

    def select(self, where: str = "", **levels: Any) -> Data:
        """Return the rows that meet a condition, or that have these levels.

        Parameters
        ----------
        where : str
            Such as ``"benchmark=Sender* bits=32,64"``; patterns are globs.
        **levels
            The same by name: ``select(benchmark="Sender", bits=[32, 64])``.

        Raises
        ------
        SelectionError
            If a column is not there, or nothing is left.
        """
        from benchlib.study.open import narrowed

        return Data(narrowed(self.study, _condition(where, levels, "=")), self._units)

    def drop(self, where: str = "", **levels: Any) -> Data:
        """Return the rows without those that meet a condition, or that have one of these levels.

        Raises
        ------
        SelectionError
            If a column is not there, if nothing meets the condition, or if nothing is left.

        Examples
        --------
        >>> import benchlib as bl
        >>> data = bl.table(n=[1, 2, 4], throughput=[100, 190, 340], unit="req/s")
        >>> len(data.drop(n=4).frame)
        2
        """
        from benchlib.results import condition, meeting
        from benchlib.study.open import narrowed

        asked = _condition(where, levels, "=")
        terms = condition(asked)
        # Whatever meets nothing is a slip: what was to go would stay without a word.
        self.study.results.select(asked)
        if len(terms) != 1:
            results = self.study.results
            left = replace(
                results,
                frame=results.frame[~meeting(results.frame, terms)],
                failed=results.failed[~meeting(results.failed, terms)],
            )
            if left.frame.empty and left.failed.empty:
                raise SelectionError(f"'{printable(asked)}' drops every row; drop less")
            return Data(replace(self.study, results=left), self._units)
        column, _, pattern = terms[0]
        return Data(narrowed(self.study, f"{column}!={shlex.quote(pattern)}"), self._units)

    def units(self, **units: str) -> Data:
        """Return the same results shown in other units: ``data.units(time="µs")``.

        Raises
        ------
        DataError
            For a metric that is not there, or a unit of another kind.
        """
        for name, written in units.items():
            metric = self._metric(canonical(name))
            base = str(self.study.results.metrics[metric].unit)
            _unit_like(written, base, metric)
        return Data(self.study, {**self._units, **{canonical(name): unit for name, unit in units.items()}})

    def join(self, frame: pd.DataFrame, on: str | Sequence[str]) -> Data:
        """Return the results with the columns of another table as axes, matched by columns that both have."""
        keys = [on] if isinstance(on, str) else list(on)
        for key in keys:
            for have in (self.study.results.frame, frame):
                if key not in have.columns:
                    raise SelectionError(
                        f"no column '{printable(key)}' to join on; there are {choices(list(have), 30)}"
                    )
        if frame.duplicated(keys).any():
            raise DataError(f"the table to join has several rows for one {choices(keys)}; keep one of each")
        results = self.study.results
        joined = replace(
            results, frame=_joined(results.frame, frame, keys), failed=_joined(results.failed, frame, keys)
        )
        return Data(replace(self.study, results=joined, whole=joined), self._units)

    def __getitem__(self, metric: str) -> Data:
        return self.select(metric=self._metric(canonical(metric)))

    # ---- tables and charts of it ----

    def table(self, rows: str, columns: str = "", value: str = "median", metric: str = "") -> pd.DataFrame:
        """Return one number for each level of one axis, or of two.

        Parameters
        ----------
        rows, columns : str
            Axes; without `columns` one column.
        value : str
            ``"median"``, ``"mean"``, ``"min"``, ``"max"``, ``"std"`` or ``"count"``.
        metric : str
            Where several were measured; by default the first.

        Returns
        -------
        pandas.DataFrame
            Named by what it holds and by the axes over which values were pooled.
        """
        chosen = self._metric(metric and canonical(metric))
        frame = self[chosen].frame
        for axis in filter(None, (rows, columns)):
            self._column(axis)
        if value not in _SUMMARIES:
            raise DataError(f"value '{printable(value)}' is none of {choices(_SUMMARIES)}")
        summary: Any = value
        cells = frame.pivot_table(index=rows, columns=columns or None, values="value", aggfunc=summary, observed=True)
        cells.index = _whole(cells.index)
        if columns:
            cells.columns = _whole(cells.columns)
        pooled = [axis for axis in self[chosen].axes if axis not in (rows, columns)]
        over = f", over all of {', '.join(pooled)}" if pooled else ""
        title = f"{value} {chosen} ({frame['unit'].iloc[0]}{over})"
        if columns:
            return cells.rename_axis(columns=f"{columns}: {title}")
        return cells.set_axis([title], axis=1)

    def plot(self, x: str = "", y: str = "", *, color: str = "", facet: str = "", kind: str = "strip") -> Chart:
        """Draw the values of a metric against an axis.

        Parameters
        ----------
        x : str
            An axis; ``kind="ecdf"`` needs none.
        y : str
            A metric; for ``kind="heat"`` the second axis. By default the first metric.
        color, facet : str
            Axes that tell marks apart by colour, or by panels.
        kind : {"strip", "line", "heat", "ecdf"}
            Every value; medians joined; medians in cells; the share of values below each.
        """
        from benchlib.figures.exploring import KINDS, draw_values
        from benchlib.workbench.chart import Chart

        if kind not in KINDS:
            raise DataError(f"kind '{printable(kind)}' is none of {choices(KINDS)}")
        if not x and kind != "ecdf":
            raise DataError(f"name an axis to draw against: {choices(self.axes, 12) or 'benchmark'}")
        for axis in filter(None, (x, color, facet, y if kind == "heat" else "")):
            self._column(axis)
        chosen = (
            self if kind == "heat" and len(self.metrics) == 1 else self[y if y and kind != "heat" else self._metric("")]
        )
        return Chart(draw_values(chosen.frame, x=x, y=y if kind == "heat" else "", color=color, facet=facet, kind=kind))

    def where_is(self, row: int) -> str:
        """Return file and line of a row of the frame: ``"sweep/json_c8_r1.txt:12"``."""
        rows = self.study.results.frame
        if row not in rows.index:
            raise SelectionError(
                f"no row {row} in the frame; its index goes from {rows.index.min()} to {rows.index.max()}"
            )
        return f"{rows['source'][row]}:{rows['line'][row]}"

    # ---- what else can be asked of it ----

    def latency(self) -> Answer | Refusal:
        """What percentiles and throughput say of each other."""
        from benchlib.workbench.summary import latency

        return latency(self)

    def noise(self) -> Answer | Refusal:
        """Where the noise lives, and what more measurements of each kind would buy."""
        from benchlib.workbench.summary import noise

        return noise(self)

    def quality(self) -> pd.DataFrame:
        """Return what could make the results worth less, the gravest first."""
        import pandas as pd

        from benchlib.answers.quality import assess_quality

        caveats = assess_quality(self.study).caveats
        return pd.DataFrame(
            [(c.severity, c.message, c.advice) for c in caveats], columns=["severity", "what", "advice"]
        )

    def targets(self) -> pd.DataFrame:
        """Return the targets of study.toml, and whether each is met."""
        import pandas as pd

        from benchlib.answers.serialise import to_dict
        from benchlib.answers.targets import check_targets

        return pd.json_normalize([to_dict(target) for target in check_targets(self.study)])

    def _shown(self) -> Shown:
        results = self.study.results
        return Shown(
            sentence=_sentence_of(self),
            table=_axes_table(self),
            caveats=self.notes,
            folded=(
                (f"First rows of {len(results.frame):,}", self.frame.head()),
                (f"{len(results.files)} files", self.files),
                *([(f"{len(results.problems)} problems", self.problems)] if results.problems else []),
            ),
        )

    def _column(self, axis: str) -> None:
        known = ("benchmark", "run", *self.study.results.axes)
        if axis not in known:
            raise SelectionError(
                f"no axis '{printable(axis)}'{suggestion(axis, known)}; there are {choices(known, 30)}"
            )

    def _metric(self, name: str) -> str:
        if not name:
            if not self.metrics:
                raise DataError("there are no sound values here; look at .failed and .problems")
            return self.metrics[0]
        if name not in self.metrics:
            raise SelectionError(
                f"no metric '{printable(name)}'{suggestion(name, self.metrics)}; there are {choices(self.metrics, 30)}"
            )
        return name

    def _in_units(self, frame: pd.DataFrame) -> pd.DataFrame:
        from benchlib.workbench.options import options

        units = {**options().units, **self._units}
        for metric in set(units) & set(frame["metric"].unique()):
            rows = frame["metric"] == metric
            base = str(frame.loc[rows, "unit"].iloc[0])
            unit = _unit_like(units[metric], base, metric)
            frame = frame.assign(
                value=frame["value"].where(~rows, frame["value"] / unit.factor),
                unit=frame["unit"].astype(object).where(~rows, units[metric]),
            )
        return frame


def read(
    source: Source,
    *more: Source,
    where: str = "",
    exclude: str | Sequence[str] = (),
    names: str | Sequence[str] = (),
    paths: str | Sequence[str] = (),
    reader: str = "",
    strict: bool = False,
) -> Data:
    """Read results: a folder, a file, a pattern of files, a table, or numbers.

    Parameters
    ----------
    source, *more : path, pattern, ``"name=path"``, DataFrame, dict of columns, or Data
        Several become one, each under its name in the column ``run``. A ``study.toml`` is used where there is one.
    where : str
        Keep only the rows that meet this condition.
    exclude : str or sequence of str
        Files to leave out, as globs of their names; one that meets nothing is an error.
    names, paths : str or sequence of str
        Templates that take names of benchmarks, or of files, apart: ``"bits_{bits:int},_curve_{curve}"``.
    reader : str
        The format of every file, where content leaves it open.
    strict : bool
        Stop at the first problem instead of recording it.

    Returns
    -------
    Data

    Raises
    ------
    InputError
        If there is nothing, or nothing that is a result.
    SelectionError
        If `where` or `exclude` meets nothing.

    Examples
    --------
    >>> import benchlib as bl
    >>> bl.read("data/heavy-read-api-published").metrics[:2]
    ('latency_p50', 'latency_p90')
    """
    means = {"names": _words(names), "paths": _words(paths), "reader": reader, "strict": strict}
    data = _together([source, *more], means) if more else _one_source(source, means)
    for pattern in _words(exclude):
        data = data.drop(source=pattern)
    return data.select(where) if where.strip() else data


def table(*, unit: str = "", metric: str = "", name: str = "cell", **columns: Any) -> Data:
    """Make results of numbers typed in a cell.

    Parameters
    ----------
    unit : str
        Of the metric: ``"req/s"``, ``"ms"``.
    metric : str
        Which column holds the values; by default the last one.
    name : str
        What the numbers are called.
    **columns : sequences of one length, or single values
        Axes and values: ``n=[1, 2, 4], throughput=[100, 190, 340]``.

    Returns
    -------
    Data

    Raises
    ------
    DataError
        For columns of different lengths, values that are no numbers, or no column.

    Examples
    --------
    >>> import benchlib as bl
    >>> bl.table(n=[1, 2, 4], throughput=[100, 190, 340], unit="req/s").frame["value"].tolist()
    [100.0, 190.0, 340.0]
    """
    if not columns:
        raise DataError("a table needs columns, e.g. bl.table(n=[1, 2, 4], throughput=[100, 190, 340], unit='req/s')")
    measured = metric or list(columns)[-1]
    if measured not in columns:
        raise DataError(f"no column '{printable(measured)}' to be the metric; there are {choices(list(columns))}")
    import pandas as pd

    try:
        frame = pd.DataFrame(columns)
        values = pd.to_numeric(frame[measured])
    except (ValueError, TypeError) as error:
        raise DataError(
            f"these columns make no table ({printable(str(error), 100)}); give numbers in equal lengths"
        ) from error
    axes = {column: frame[column] for column in columns if column != measured}
    tidy = pd.DataFrame({"benchmark": name, **axes, "metric": canonical(measured), "unit": unit or "", "value": values})
    return _from_frame(tidy, name)


# ---- from a source to results ----


def _one_source(source: Source, means: Mapping[str, Any]) -> Data:
    import pandas as pd

    if isinstance(source, Data):
        return source
    if isinstance(source, pd.DataFrame):
        return _from_frame(source)
    if isinstance(source, Mapping):
        try:
            return _from_frame(pd.DataFrame(dict(source)))
        except ValueError as error:
            raise DataError(
                f"these columns make no table ({printable(str(error), 100)}); give equal lengths"
            ) from error
    if not isinstance(source, str | os.PathLike):
        raise DataError(
            f"{printable(type(source).__name__)} holds no results by itself; give a path, a DataFrame, a dict of "
            "columns, or name the columns: bl.table(n=[...], throughput=[...], unit='req/s')"
        )
    return Data(_opened(str(source), means))


def _opened(path: str, means: Mapping[str, Any]) -> Study:
    from benchlib.study import open_study

    options = {"strict": means["strict"], "format": means["reader"], "names": means["names"], "paths": means["paths"]}
    if not _WILD & set(path) or os.path.lexists(path):
        return open_study(path, **options)
    parts = Path(path).parts
    plain = next(place for place, part in enumerate(parts) if _WILD & set(part))
    folder, pattern = Path(*parts[:plain]), "/".join(parts[plain:])
    return open_study(str(folder), where=f"source={shlex.quote(pattern)}", **options)


def _from_frame(frame: pd.DataFrame, name: str = "cell") -> Data:
    """Return a table as results; it goes through the reader of tables, so that every column is read as in a file."""
    from benchlib.study import open_study

    if frame.empty:
        raise DataError("the table is empty; there is nothing to analyse")
    if any(label is not None for label in frame.index.names):
        frame = frame.reset_index()
    with scratch() as folder:
        path = folder / _TYPED
        frame.to_csv(path, index=False)
        try:
            study = open_study(path)
        except InputError as error:
            raise DataError(
                f"the table has no column that is known to hold results ({choices([str(c) for c in frame], 12)}); "
                'name one with its unit, e.g. "time (ms)" or "throughput (req/s)"'
            ) from error
    if "n" in study.results.axes and not study.scaling.concurrency:  # as people write it who type numbers
        study = replace(study, scaling=structs.replace(study.scaling, concurrency="n"))
    if "position" not in frame:  # the order of rows in a cell is no order of measurement
        results = replace(study.results, frame=study.results.frame.assign(position=0))
        study = replace(study, results=results, whole=results)
    return Data(replace(study, name=name, title=name))


def _together(sources: Sequence[Source], means: Mapping[str, Any]) -> Data:
    from benchlib.answers.sides import comparison_study

    sides = [source if isinstance(source, str) else _one_source(source, means).study for source in sources]
    return Data(comparison_study(*sides))


def _words(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) and given else tuple(given)


def _condition(where: str, levels: Mapping[str, Any], sign: str) -> str:
    terms = [where] if where.strip() else []
    for column, level in levels.items():
        several = level if isinstance(level, list | tuple | set | frozenset | range) else [level]
        terms.append(f"{column}{sign}{shlex.quote(','.join(_written(value) for value in several))}")
    return " ".join(terms)


def _written(level: Any) -> str:
    return f"{level:g}" if isinstance(level, float) else str(level)


def _unit_like(written: str, base: str, metric: str) -> Unit:
    """Return a unit in which a metric can be shown: of its own kind, or of its time without "per operation"."""
    unit = parse_unit(written)
    if unit.base not in (base, base.removesuffix("/op")):
        raise DataError(f"{metric} is in {base or 'no unit'}, and '{printable(written)}' is of another kind")
    return unit


def _whole(levels: pd.Index) -> pd.Index:
    """Return levels that are whole numbers as such: 32 rather than 32.0."""
    whole = levels.dtype.kind == "f" and all(float(level).is_integer() for level in levels)
    return levels.astype(int) if whole else levels


def _joined(rows: pd.DataFrame, other: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    new = [column for column in other.columns if column not in keys]
    taken = [column for column in new if column in rows.columns]
    if taken:
        raise SelectionError(f"the results have a column '{printable(str(taken[0]))}' already; rename it in the table")
    place = list(rows.columns).index("run")
    joined = rows.merge(other, on=list(keys), how="left").set_axis(rows.index, axis=0)
    return joined[[*rows.columns[:place], *new, *rows.columns[place:]]]


# ---- what a cell shows of it ----


def _sentence_of(data: Data) -> str:
    results = data.study.results
    values, files, metrics = len(results.frame), len(results.files), len(data.metrics)
    counted = [
        f"{values:,} {'value' if values == 1 else 'values'} of {metrics} {'metric' if metrics == 1 else 'metrics'} "
        f"in {files} {'file' if files == 1 else 'files'}"
    ]
    if len(results.failed):
        counted.append(f"{len(results.failed):,} failed")
    if results.problems:
        counted.append(f"{len(results.problems)} problems")
    return "; ".join(counted) + "."


def _axes_table(data: Data) -> pd.DataFrame:
    import pandas as pd

    results = data.study.results
    rows: list[tuple[str, int, str]] = []
    benchmarks = results.frame["benchmark"].unique()
    rows.append(("benchmark", len(benchmarks), ", ".join(map(str, benchmarks[:4]))))
    for axis in data.axes:
        levels = results.levels(axis)
        rows.append((axis, len(levels), ", ".join(_written(level) for level in levels[:8])))
    rows.append(("metric", len(data.metrics), ", ".join(data.metrics[:8])))
    shown = [(name, count, text if len(text) <= 60 else f"{text[:57]}...") for name, count, text in rows]
    return pd.DataFrame(shown, columns=["column", "levels", "such as"])
