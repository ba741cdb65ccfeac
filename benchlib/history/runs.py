"""What one run is: its facts, its rows as a table of Arrow, and the hash of both."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np
import pandas as pd

from benchlib.caveats import Caveat
from benchlib.errors import InputError, printable
from benchlib.results import MEASURES, NAMES, RECORDED, SCHEMA, Results

if TYPE_CHECKING:
    import pyarrow as arrow

#: The columns that a history adds to those of the tidy table, which no axis may be named.
OWN = ("run_sha256", "recording", "commit", "branch", "machine", "time", "is_failed")
#: Where the footer of a file says what runs it holds.
FOOTER = b"benchlib"
#: Axes that say when, of what and where a run is.
_TIMES = ("time", "timestamp", "date", "datetime")
#: Rows that say where they were read, but not what was measured.
_ORIGIN = ("source", "line")
#: A time as it is kept.
_WRITTEN = re.compile(r"(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)?")
_DATE = re.compile(r"\d{4}[-./]\d\d[-./]\d\d")
_HASH = re.compile(r"[0-9a-f]{64}")
#: So long may a fact be.
_LONGEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of a run besides its rows; what is not known is empty.

    Attributes
    ----------
    recording : str
        The name that people give it.
    commit, branch, machine : str
    time : str
        When it was measured, or its commit was made: ISO 8601 in UTC.
    tags : mapping of str to str
    """

    recording: str = ""
    commit: str = ""
    branch: str = ""
    machine: str = ""
    time: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = {"recording": self.recording, "commit": self.commit, "branch": self.branch, "machine": self.machine}
        for name, value in [*names.items(), *((f"tag {key}", value) for key, value in self.tags.items())]:
            if len(value) > _LONGEST or not value.isprintable():
                raise InputError(
                    f"{name} '{printable(value, 60)}' is no name; write at most {_LONGEST} letters, without control "
                    "characters"
                )
        for key in self.tags:
            if len(key) > _LONGEST or not key.isprintable():
                raise InputError(f"'{printable(key, 60)}' names no tag; write at most {_LONGEST} letters")
        if not _WRITTEN.fullmatch(self.time):
            object.__setattr__(self, "time", utc(self.time))
        elif self.time:
            utc(self.time)  # which refuses a day that there is not


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run of a history.

    Attributes
    ----------
    sha256 : str
        Of its rows and facts: the same recorded again is the same run.
    facts : Facts
    rows, failed : int
        Values, and values with failed operations behind them.
    better : mapping of str to str
        Which way a metric is better, where its files say so.
    caveats : tuple of Caveat
        What reading its files found.
    at : str
        When it was recorded: what orders runs whose time is unknown or equal.
    """

    sha256: str
    facts: Facts
    rows: int
    failed: int
    better: Mapping[str, Literal["higher", "lower"]]
    caveats: tuple[Caveat, ...] = field(default=(), compare=False)
    at: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not _HASH.fullmatch(self.sha256):
            raise InputError(f"'{printable(self.sha256, 60)}' is no hash of a run")

    @property
    def name(self) -> str:
        """What it is called: as people named it, else the beginning of its hash."""
        return self.facts.recording or self.sha256[:12]


@dataclass(frozen=True, slots=True, kw_only=True)
class Footer:
    """What the footer of a file says: its runs, and the axes that are text for want of one type."""

    version: int
    runs: tuple[Run, ...]
    mixed: tuple[str, ...] = ()


def read_footer(metadata: Mapping[bytes, bytes] | None) -> Footer:
    """Return what the footer of a file says.

    Raises
    ------
    ValueError
        If it names no runs of a history.
    """
    footer = msgspec.json.decode((metadata or {}).get(FOOTER, b""), type=Footer)
    if not footer.runs:
        raise ValueError("names no run")
    return footer


def utc(written: str) -> str:
    """Return a time as ISO 8601 in UTC, to the second; a number counts seconds or milliseconds since 1970.

    Examples
    --------
    >>> utc("2024.01.01 3:00:00 +0100"), utc("1704074400"), utc("")
    ('2024-01-01T02:00:00Z', '2024-01-01T02:00:00Z', '')
    """
    text = written.strip()
    if not text:
        return ""
    try:
        if text.isascii() and text.isdigit():
            number = int(text)
            when = pd.Timestamp(number, unit="ms" if number > 10**11 else "s", tz="UTC")
        else:
            when = pd.Timestamp(text.replace(".", "-", 2) if text[4:5] == "." else text)
            when = when.tz_localize("UTC") if when.tzinfo is None else when.tz_convert("UTC")
    except (ValueError, OverflowError):
        raise InputError(f"time '{printable(text, 60)}' is none; write it as in 2026-11-26T12:00:00Z") from None
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


# --- results as runs --------------------------------------------------------------------------------------------------


def runs_of(results: Results, versions: str = "") -> Iterator[tuple[Facts, Results]]:
    """Yield each run of some results, with what they say of it.

    Parameters
    ----------
    results : Results
    versions : str
        The column that names commits, where it is not ``commit``.
    """
    names = ["commit", "branch", "machine"]
    columns = [name for name in names if name in results.axes]
    columns += [name for name in _TIMES if name in results.axes and all(map(_is_instant, results.levels(name)))]
    dated = {series.name: str(series.data[0]) for series in results.series if series.kind == RECORDED}
    outer = versions == "run" or bool(dated) or all(map(_is_time, results.frame["run"].astype(str).unique()))
    by = [*columns, *(["run"] if outer else [])]
    if not by:
        yield Facts(), results
        return
    both = pd.concat([results.frame.assign(_failed=False), results.failed.assign(_failed=True)], ignore_index=True)
    keys = pd.DataFrame({name: texts(both[name]) for name in by})
    for key, places in keys.groupby(by, sort=False).indices.items():
        rows = both.iloc[places]
        silent = [axis for axis in results.axes if axis not in columns and rows[axis].isna().all()]
        failed = rows["_failed"].to_numpy()
        rows = rows.drop(columns=[*columns, *silent, "_failed"])
        rows = rows.assign(run="") if outer else rows
        facts = _said(dict(zip(by, key if isinstance(key, tuple) else (key,), strict=True)), dated, outer)
        yield facts, replace(results, frame=rows[~failed], failed=rows[failed])


def _said(key: Mapping[str, Any], dated: Mapping[str, str], outer: bool) -> Facts:
    """Return what columns say of a run."""
    run = str(key.get("run", "")) if outer else ""
    commit = str(key.get("commit", ""))
    times = [str(key[name]) for name in _TIMES if key.get(name)]
    if run and _is_time(run):
        times.append(run)
    elif run:
        commit = commit or run.partition("/")[0]
    times += [dated[name] for name in (run, commit) if name in dated]
    return Facts(
        commit=commit,
        branch=str(key.get("branch", "")),
        machine=str(key.get("machine", "")),
        time=times[0] if times else "",
    )


def _is_time(text: str) -> bool:
    return bool(_DATE.match(text)) and _is_instant(text)  # a commit of ten digits is no time


def _is_instant(level: object) -> bool:
    try:
        return bool(utc(str(level)))
    except InputError:
        return False


# --- a run as a table -------------------------------------------------------------------------------------------------


def table_of(facts: Facts, results: Results) -> tuple[Run, arrow.Table]:
    """Return a run and its rows, sound and failed, in an order that is the same whatever order they came in.

    Raises
    ------
    InputError
        For an axis that is named as a column of the history.
    """
    clash = [axis for axis in results.axes if axis in OWN or axis.startswith("tag.")]
    if clash:
        raise InputError(f"axis '{printable(clash[0], 60)}' is named as a column of a history; rename it")
    frame = pd.concat(
        [results.frame.assign(is_failed=False), results.failed.assign(is_failed=True)]
        if len(results.failed)
        else [results.frame.assign(is_failed=False)],
        ignore_index=True,
    )
    frame = sorted_rows(frame)
    better = {name: metric.better for name, metric in results.metrics.items() if metric.better}
    run = Run(
        sha256=digest(facts, frame),
        facts=facts,
        rows=len(frame),
        failed=len(results.failed),
        better={name: way for name, way in sorted(better.items()) if name in set(frame["metric"])},
        caveats=results.caveats,
        at=datetime.now(UTC).isoformat(),
    )
    return run, _with_facts(frame, run)


def sorted_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return rows by benchmark, metric and axes, and as they were recorded within them."""
    axes = sorted(axis for axis in frame.columns if axis not in SCHEMA and axis not in OWN)
    keys = [*NAMES[::-1], "metric", "unit", *axes, "run", "is_failed"]
    codes = [np.unique(texts(frame[column]), return_inverse=True)[1] for column in keys]
    last = [frame[column].to_numpy(dtype=float) for column in ("position", "value")]
    order = np.lexsort([*reversed(last), *reversed(codes)])
    return frame[[*NAMES, *axes, *MEASURES, "is_failed"]].iloc[order].reset_index(drop=True)


def texts(column: pd.Series) -> np.ndarray[tuple[int], np.dtype[Any]]:
    """Return a column as text: 32 and 32.0 alike, nothing where it says nothing."""
    places, levels = pd.factorize(column)
    written = [f"{level!r}".removesuffix(".0") if isinstance(level, float) else str(level) for level in levels.tolist()]
    return np.array([*written, ""], dtype=object)[places]


def digest(facts: Facts, frame: pd.DataFrame) -> str:
    """Return the hash of a run: its facts, and its rows but for the files they were read from.

    Numbers of an axis are hashed as they are written, so that an axis that later turns to text keeps the hash.
    """
    seen = hashlib.sha256(json.dumps(asdict(facts), sort_keys=True).encode())
    for name in sorted(frame.columns):
        if name in _ORIGIN or frame[name].isna().all():
            continue
        seen.update(f"\n{json.dumps(name)}:".encode())
        if name in ("value", "iterations", "errors", "position"):
            numbers = frame[name].to_numpy(dtype="<f8", copy=True)
            numbers[np.isnan(numbers)] = np.nan
            seen.update(numbers.tobytes())
        else:
            seen.update(json.dumps(texts(frame[name]).tolist()).encode())
    return seen.hexdigest()


def _with_facts(frame: pd.DataFrame, run: Run) -> arrow.Table:
    """Return rows as Arrow, with the facts of their run in columns of their own, for whoever reads the file alone."""
    import pyarrow as arrow

    columns: dict[str, Any] = {}
    for name in frame.columns:
        column = frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype) or column.dtype == object:
            column = column.astype(object).where(column.notna(), None)
            columns[name] = arrow.array(column.tolist(), type=arrow.string())
        else:
            columns[name] = arrow.array(np.ascontiguousarray(column.to_numpy()), from_pandas=True)
    facts = {name: value for name, value in asdict(run.facts).items() if name not in ("tags", "time")}
    facts |= {"run_sha256": run.sha256, **{f"tag.{key}": value for key, value in run.facts.tags.items()}}
    for name, value in facts.items():
        columns[name] = arrow.array([value or None], type=arrow.string()).take(arrow.array(np.zeros(len(frame), int)))
    stamp = pd.Timestamp(run.facts.time).tz_convert("UTC") if run.facts.time else None
    columns["time"] = arrow.array([stamp] * len(frame), type=arrow.timestamp("us", "UTC"))
    return arrow.table(columns)


#: What a column of the tidy table holds, where it is no text.
_NUMBERS = frozenset({"value", "iterations", "errors", "position", "line"})
_NEEDED = frozenset({*SCHEMA, "is_failed", "run_sha256"})


def unsound(table: arrow.Table) -> str:
    """Say why rows are none that a history wrote: somebody else may have put the file there. Empty where they are."""
    import pyarrow as arrow
    from pyarrow import compute

    if lacking := _NEEDED - set(table.column_names):
        return f"has no column {printable(sorted(lacking)[0], 40)}"
    if len(set(table.column_names)) < table.num_columns:
        return "has two columns of one name"
    for column in table.schema:
        kind, shown = column.type, printable(column.name, 40)
        number = arrow.types.is_floating(kind) or arrow.types.is_integer(kind) or arrow.types.is_null(kind)
        text = arrow.types.is_string(kind) or arrow.types.is_null(kind)
        number = number and not arrow.types.is_float16(kind)
        own = {"is_failed": arrow.types.is_boolean(kind), "time": arrow.types.is_timestamp(kind)}
        fits = own.get(column.name, number if column.name in _NUMBERS else text or number)
        if column.name in (*NAMES, "metric", "unit", "run", "source", "original_unit", "run_sha256"):
            fits = text
        if not fits:
            return f"column {shown} holds {printable(str(kind), 40)}"
        if (
            arrow.types.is_string(kind)
            and compute.any(compute.match_substring(table.column(column.name), "\0")).as_py()
        ):
            return f"column {shown} holds a zero byte"
    try:
        table.validate(full=True)
    except arrow.ArrowInvalid as error:
        return printable(str(error), 80)
    values = table.column("value")
    if values.null_count or (not compute.all(compute.is_finite(values)).as_py() and len(values)):
        return "holds a value that is no finite number"
    return ""


def joined(tables: Sequence[arrow.Table]) -> tuple[arrow.Table, list[str]]:
    """Return tables as one, and the axes that are numbers in some and text in others: they are text."""
    import pyarrow as arrow

    kinds: dict[str, set[str]] = {}
    known: set[str] = set()
    for table in tables:
        known.update(read_footer(table.schema.metadata).mixed)
        for column in table.schema:
            kind = "text" if arrow.types.is_string(column.type) else "number"
            if not arrow.types.is_null(column.type):
                kinds.setdefault(column.name, set()).add(kind)
    mixed = sorted(name for name, kind in kinds.items() if len(kind) > 1)
    if mixed:
        tables = [_as_text(table, mixed) for table in tables]
    return arrow.concat_tables(tables, promote_options="permissive"), sorted(known.union(mixed))


def _as_text(table: arrow.Table, names: Sequence[str]) -> arrow.Table:
    import pyarrow as arrow

    for name in names:
        place = table.schema.get_field_index(name)
        if place >= 0 and not arrow.types.is_string(table.schema.field(place).type):
            written = [text or None for text in texts(table.column(place).to_pandas()).tolist()]
            table = table.set_column(place, name, arrow.array(written, type=arrow.string()))
    return table
