"""A history: runs as files of Parquet that are named by their content and never written again.

::

    benchlib-history.json        that this is one, and its version
    runs/YYYY-MM/SHA256.parquet  a run: its rows, and its facts in columns and in the footer
    packed/SHA256.parquet        many runs in one file, sorted; a run that stands in one is read from there
    retracted/SHA256.json        what was withdrawn, by whom, why, and what stands in its place

Nothing is changed in place, so nothing can be half changed: writers need no lock, and readers no transaction.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pandas as pd

from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import InputError, SelectionError, choices, printable
from benchlib.history.place import MARK, Place
from benchlib.history.runs import (
    FOOTER,
    OWN,
    Facts,
    Footer,
    Run,
    digest,
    joined,
    read_footer,
    sorted_rows,
    table_of,
    texts,
    unsound,
)
from benchlib.metrics import Metric, better
from benchlib.results import (
    MEASURES,
    NAMES,
    RECORDED,
    SCHEMA,
    LineCounts,
    Problem,
    Results,
    Series,
    SourceFile,
    condition,
    matches,
)

if TYPE_CHECKING:
    import pyarrow as arrow
    from pyarrow import parquet

_VERSION = 1
#: A file that a pack holds is removed so long after it was packed: whoever reads it now has read it then.
_GRACE = timedelta(days=1)
#: Rows of a pack, and of a group of rows in it, of which each knows its least and greatest name.
_PACK_ROWS, _GROUP_ROWS = 20_000_000, 50_000
_READERS = 4
#: More rows than these in a file are a claim that its bytes cannot hold: they would take memory without end.
_ROWS_FREE, _ROWS_A_BYTE = 100_000, 4
#: So are more letters for each of these rows, and more bytes than a table of numbers and names unfolds to.
_LETTERS_A_ROW = 2000
_UNFOLDED_FREE, _UNFOLDED_A_BYTE = 64 * 1024**2, 200


@dataclass(frozen=True, slots=True)
class _Stored:
    """A run, and the file that it is read from."""

    run: Run
    name: str


class History:
    """Runs that were recorded, in the order of their time.

    Parameters
    ----------
    uri : str
        A folder, or ``s3://BUCKET/FOLDER?endpoint_override=HOST:PORT&scheme=http``.
    make : bool
        Make it where there is none.

    Raises
    ------
    InputError
        Where there is none, where the folder holds something else, or where a later version wrote it.
    """

    def __init__(self, uri: str, *, make: bool = False) -> None:
        self.place = Place(uri)
        self.uri = self.place.shown
        mark = self.place.read(MARK)
        if mark is None and make:
            self._make()
        elif mark is None:
            raise InputError(f"{self.uri}: no history; make one with: benchlib record RESULTS --history {self.uri}")
        else:
            self._check_version(mark)

    def _make(self) -> None:
        local = self.place.local
        if local is not None and local.exists() and not (local.is_dir() and not any(local.iterdir())):
            raise InputError(f"{self.uri}: holds something that is no history; name an empty or a new folder")
        self.place.write(MARK, json.dumps({"version": _VERSION}).encode())

    def _check_version(self, mark: bytes) -> None:
        try:
            version = json.loads(mark)["version"]
        except (ValueError, KeyError, TypeError):
            version = None
        if version != _VERSION:
            said = f"version {printable(str(version), 20)}" if isinstance(version, int) else "no version"
            raise InputError(
                f"{self.uri}/{MARK}: {said}; this benchlib reads version {_VERSION}, update it or name another history"
            )

    # ---- what is in it ----

    def runs(self) -> tuple[Run, ...]:
        """Return the runs that were not withdrawn, in the order of their time; those without one come first."""
        stored, _ = self._stored()
        return tuple(one.run for one in sorted(stored, key=_when))

    def find(self, name: str) -> Run:
        """Return the run of a name, or of the beginning of a hash.

        Raises
        ------
        SelectionError
            If there is none, or more than one.
        """
        runs = self.runs()
        named = [run for run in runs if run.facts.recording == name] or [
            run for run in runs if len(name) >= 4 and run.sha256.startswith(name)
        ]
        if len(named) != 1:
            several = f"{len(named)} runs are" if named else "no run is"
            known = choices([run.name for run in runs], 5)
            raise SelectionError(f"{self.uri}: {several} called '{printable(name, 60)}'; there are {known}")
        return named[0]

    def results(self, where: str = "") -> Results:
        """Return the rows of all runs that meet a condition.

        Parameters
        ----------
        where : str
            As everywhere, and of runs: ``"commit=4f2* machine=atom time=2026-1*"``, ``"recording=nightly-7"``,
            ``"tag.compiler=gcc"``.

        Returns
        -------
        Results
            With the columns commit, branch, machine and tags beside the axes where any run has them; when a run was
            recorded stands in `Results.series`.

        Raises
        ------
        SelectionError
            If no row is left.
        """
        stored, problems = self._stored()
        known = {f"tag.{key}" for one in stored for key in one.run.facts.tags}
        terms = condition(where)
        of_runs = [term for term in terms if term[0] in {"recording", "commit", "branch", "machine", "time"} | known]
        chosen = sorted((one for one in stored if _meets(one.run.facts, of_runs)), key=_when)
        if not chosen:
            if not stored:
                raise SelectionError(f"{self.uri}: holds no run; record one: benchlib record RESULTS --history URI")
            raise SelectionError(f"{self.uri}: '{printable(where)}' selects no run of {len(stored):,}")
        rest = [term for term in terms if term not in of_runs]
        tables = self._tables(chosen, rest, problems)
        if not tables:
            why = f"; {printable(str(problems[0]), 200)}" if problems else ""
            raise SelectionError(f"{self.uri}: '{printable(where)}' selects no row of {len(chosen):,} runs{why}")
        table, mixed = joined(tables)
        results = _results(table, chosen, problems, mixed)
        return results.select(_condition_of(rest)) if rest else results

    def _tables(
        self, chosen: Sequence[_Stored], terms: Sequence[tuple[str, bool, str]], problems: list[Problem]
    ) -> list[arrow.Table]:
        """Return the rows of some runs, file by file; a file that cannot be read is a problem."""
        wanted: dict[str, set[str]] = {}
        for one in chosen:
            wanted.setdefault(one.name, set()).add(one.run.sha256)
        with ThreadPoolExecutor(_READERS) as readers:
            read = readers.map(partial(self._table, terms=terms), wanted, wanted.values())
            tables = []
            for name, table in zip(wanted, read, strict=True):
                if isinstance(table, str):
                    problems.append(Problem(name, 0, table))
                elif len(table):
                    tables.append(table)
        return tables

    def _table(self, name: str, wanted: set[str], terms: Sequence[tuple[str, bool, str]] = ()) -> arrow.Table | str:
        """Return rows of the runs wanted of a file, or why it cannot be read."""
        import pyarrow as arrow
        from pyarrow import compute, parquet

        try:
            with self.place.fs.open_input_file(self.place.path(name)) as stream:
                file = parquet.ParquetFile(stream, pre_buffer=True)
                if file.metadata.num_rows > _ROWS_FREE + _ROWS_A_BYTE * stream.size():
                    return f"{file.metadata.num_rows:,} rows in {stream.size():,} bytes; passed over"
                named = {run.sha256 for run in read_footer(file.metadata.metadata).runs}
                asked = _exact(terms, file.schema_arrow)
                unfolded = sum(file.metadata.row_group(one).total_byte_size for one in range(file.num_row_groups))
                if unfolded > max(_UNFOLDED_FREE, _UNFOLDED_A_BYTE * stream.size()):
                    return f"{unfolded:,} bytes in {stream.size():,}; passed over"
                groups = _groups(file.metadata, asked)
                table = file.schema_arrow.empty_table()
                if groups:
                    # A text stands once in memory, as it does in the file, until it is known how much all are.
                    words = [column.name for column in file.schema_arrow if arrow.types.is_string(column.type)]
                    file = parquet.ParquetFile(stream, metadata=file.metadata, read_dictionary=words, pre_buffer=True)
                    table = file.read_row_groups(groups, use_threads=False)
                letters = _letters(table)
                if letters > _LETTERS_A_ROW * (_ROWS_FREE + _ROWS_A_BYTE * stream.size()):
                    return f"{letters:,} letters in {stream.size():,} bytes; passed over"
                table = _plain(table)
        except (OSError, arrow.ArrowException) as error:
            return f"cannot be read ({printable(str(error), 80)}); passed over"
        for column, levels in asked.items():
            table = table.filter(compute.field(column).isin(levels))
        if fault := unsound(table):
            return f"{fault}; passed over"
        there = set(table.column("run_sha256").unique().to_pylist())
        if there - named:
            return "holds rows of a run that its footer does not name; passed over"
        if there - wanted:
            table = table.filter(compute.field("run_sha256").isin(sorted(wanted)))
        return table

    def _stored(self) -> tuple[list[_Stored], list[Problem]]:
        """Return every run that was not withdrawn, with its file, and the files that are none of a history."""
        withdrawn = {_stem(name) for name in self.place.names("retracted")}
        stored: dict[str, _Stored] = {}
        problems: list[Problem] = []
        names = [*self.place.names("packed"), *self.place.names("runs")]
        # A run that a pack names is known from there: its own file is not opened.
        packed = [name for name in names if name.startswith("packed/")]

        def take(name: str, runs: tuple[Run, ...] | str) -> None:
            if isinstance(runs, str):
                problems.append(Problem(name, 0, runs))
                return
            for run in runs:
                if run.sha256 not in withdrawn:
                    stored.setdefault(run.sha256, _Stored(run, name))

        for name in packed:
            take(name, self._footer(name))
        loose = [name for name in names if name not in set(packed) and _stem(name) not in stored]
        loose = [name for name in loose if _stem(name) not in withdrawn]
        with ThreadPoolExecutor(_READERS) as readers:
            for name, runs in zip(loose, readers.map(self._footer, loose), strict=True):
                take(name, runs)
        return list(stored.values()), problems

    def _footer(self, name: str) -> tuple[Run, ...] | str:
        """Return the runs of a file, or why it has none."""
        import pyarrow as arrow
        from pyarrow import parquet

        if fault := self.place.fault(name):
            return f"{fault}; passed over"
        if not name.endswith(".parquet"):
            return "no run of a history (not named .parquet); passed over"
        try:
            with self.place.fs.open_input_file(self.place.path(name)) as file:
                return read_footer(parquet.read_metadata(file).metadata).runs
        except (OSError, arrow.ArrowException, ValueError, InputError) as error:
            return f"no run of a history ({printable(str(error), 80)}); passed over"

    # ---- writing ----

    def record(self, results: Results, facts: Facts, *, replaces: str = "") -> tuple[Run, bool]:
        """Record one run.

        Parameters
        ----------
        results : Results
        facts : Facts
        replaces : str
            The run that it stands in place of, which is withdrawn.

        Returns
        -------
        run : Run
        new : bool
            False where the same was recorded before.

        Raises
        ------
        InputError
            Where another run has the name; for results without a row.
        """
        if results.frame.empty and results.failed.empty:
            raise InputError("nothing to record: no row; name results that have some")
        run, table = table_of(facts, results)
        name = f"runs/{facts.time[:7] or 'undated'}/{run.sha256}.parquet"
        if said := self._withdrawal(f"retracted/{run.sha256}.json"):
            why = printable(str(said.get("why", "no reason")), 100)
            raise InputError(f"{self.uri}: this run, {run.name}, was withdrawn: {why}; record another")
        packed = (runs for runs in map(self._footer, self.place.names("packed")) if not isinstance(runs, str))
        new = self.place.read_info(name) is None and not any(run in runs for runs in packed)
        old = self._replaced(replaces, new) if replaces else None
        if new and facts.recording:
            others = [one for one in self.runs() if one.facts.recording == facts.recording]
            if any(one != old for one in others):
                other = others[0].sha256[:12]
                raise InputError(
                    f"{self.uri}: run '{facts.recording}' was recorded with other content: {other}, now "
                    f"{run.sha256[:12]}; name it otherwise, or add --replaces {other}"
                )
        if new:
            self.place.write(name, _parquet(table, [run]))
        if old is not None and old.sha256 != run.sha256:
            self._retract(old, f"replaced by {run.name}", run.sha256)
        return run, new

    def _replaced(self, name: str, new: bool) -> Run | None:
        """Return the run that a new one stands in place of; one that was recorded before has replaced it already."""
        try:
            return self.find(name)
        except SelectionError:
            if new:
                raise
            return None

    def retract(self, name: str, why: str) -> Run:
        """Withdraw a run: it stays where it is, and is read no more.

        Raises
        ------
        SelectionError
            If there is no such run.
        InputError
            Without a reason.
        """
        if not why.strip():
            raise InputError("no reason given; say why a run is withdrawn")
        run = self.find(name)
        self._retract(run, why, "")
        return run

    def _retract(self, run: Run, why: str, by: str) -> None:
        told = {"why": why, "replaced_by": by, "at": _now().isoformat(timespec="seconds"), "recording": run.name}
        self.place.write(f"retracted/{run.sha256}.json", json.dumps(told, indent=1).encode())

    def withdrawn(self) -> tuple[Mapping[str, Any], ...]:
        """Return what was withdrawn: run (its hash), why, at, and replaced_by."""
        told = ((_stem(name), self._withdrawal(name)) for name in self.place.names("retracted"))
        return tuple({**said, "run": run} for run, said in told if said)

    def _withdrawal(self, name: str) -> dict[str, str]:
        """Return what a file of a withdrawal says, nothing where there is none."""
        unsaid = {"why": "not said", "at": "", "replaced_by": ""}
        try:
            said = self.place.read(name)
            if said is None:
                return {}
            return unsaid | msgspec.json.decode(said, type=dict[str, str])
        except (ValueError, InputError):
            return unsaid

    def pack(self) -> tuple[int, int]:
        """Gather runs into sorted files, so that one series of many runs is read at once.

        Returns
        -------
        packed, removed : int
            Runs that were gathered, and files that are no longer needed.

        Notes
        -----
        A pack takes in the runs that stand alone, and the packs that hold fewer rows than it by then: each row is
        written about log2(n) times over the years.
        """
        stored, _ = self._stored()
        removed = self._remove_packed()
        loose = sorted((one for one in stored if not one.name.startswith("packed/")), key=lambda one: one.run.sha256)
        if len(loose) < 2:
            return 0, removed
        rows = sum(one.run.rows for one in loose)
        packs: dict[str, list[_Stored]] = {}
        for one in stored:
            if one.name.startswith("packed/"):
                packs.setdefault(one.name, []).append(one)
        taken = list(loose)
        for ones in sorted(packs.values(), key=lambda ones: sum(one.run.rows for one in ones)):
            size = sum(one.run.rows for one in ones)
            if size > rows or rows + size > _PACK_ROWS:
                break
            taken += ones
            rows += size
        problems: list[Problem] = []
        table, mixed = joined(self._tables(taken, (), problems))
        if problems:
            raise InputError(f"{self.uri}/{problems[0].source}: {problems[0].message}; see: benchlib history check")
        runs = sorted((one.run for one in taken), key=lambda run: run.sha256)
        axes = sorted(name for name in table.column_names if name not in SCHEMA and name not in OWN)
        order = [*NAMES[::-1], "metric", "unit", *axes, "time", "run_sha256", "position"]
        table = table.sort_by([(name, "ascending") for name in order])
        whole = hashlib.sha256("\n".join(run.sha256 for run in runs).encode()).hexdigest()
        self.place.write(f"packed/{whole}.parquet", _parquet(table, runs, mixed))
        return len(taken), removed

    def _remove_packed(self) -> int:
        """Remove what has stood in a pack for a day, where the pack was read again and holds it."""
        before = _now() - _GRACE
        packs: dict[str, tuple[Run, ...]] = {}
        for name in self.place.names("packed"):
            info, runs = self.place.read_info(name), self._footer(name)
            if info is not None and info.mtime < before and not isinstance(runs, str):
                packs[name] = runs
        loose = {_stem(name): name for name in self.place.names("runs")}
        held = {name: {run.sha256 for run in runs} for name, runs in packs.items()}
        old = []
        for name, runs in packs.items():
            smaller = [other for other in held if held[other] < held[name]]
            inside = [run for run in runs if run.sha256 in loose or any(run.sha256 in held[one] for one in smaller)]
            table = self._table(name, held[name]) if inside else ""
            if isinstance(table, str) or any(_faults(table, inside)):
                continue
            old += [loose.pop(run.sha256) for run in inside if run.sha256 in loose] + smaller
        for name in dict.fromkeys(old):
            self.place.remove(name)
        return len(dict.fromkeys(old))

    def check(self) -> Iterator[Problem]:
        """Read every row again, and yield each file that does not hold what it says."""
        known: set[str] = set()
        stored: list[str] = [*self.place.names("runs"), *self.place.names("packed")]
        for name in stored:
            runs = self._footer(name)
            if isinstance(runs, str):
                yield Problem(name, 0, runs)
                continue
            known |= {run.sha256 for run in runs}
            if name.startswith("runs/") and _stem(name) != runs[0].sha256:
                yield Problem(name, 0, f"its name is not the hash of its run, {runs[0].sha256[:12]}")
            table = self._table(name, {run.sha256 for run in runs})
            if isinstance(table, str):
                yield Problem(name, 0, table)
                continue
            yield from (Problem(name, 0, fault) for fault in _faults(table, runs))
        for name in self.place.names("retracted"):
            if _stem(name) not in known:
                yield Problem(name, 0, "withdraws a run that is not there")


def open_history(uri: str) -> History:
    """Open a history.

    Parameters
    ----------
    uri : str
        A folder, or ``s3://BUCKET/FOLDER``.

    Raises
    ------
    InputError
        If there is none.

    Examples
    --------
    >>> open_history("kept").runs()
    Traceback (most recent call last):
    benchlib.errors.InputError: kept: no history; make one with: benchlib record RESULTS --history kept
    """
    return History(uri)


def _when(one: _Stored) -> tuple[str, str, str]:
    """Return what orders runs; one without a time comes first."""
    return one.run.facts.time, one.run.at, one.run.sha256


def _now() -> datetime:
    return datetime.now(UTC)


def _stem(name: str) -> str:
    return name.rpartition("/")[2].partition(".")[0]


def _parquet(table: arrow.Table, runs: Iterable[Run], mixed: Sequence[str] = ()) -> bytes:
    """Return a table as the bytes of a file; its runs, and axes that are text for want of one type, in the footer."""
    from pyarrow import parquet

    footer = msgspec.json.encode(Footer(version=_VERSION, runs=tuple(runs), mixed=tuple(mixed)))
    out = io.BytesIO()
    parquet.write_table(
        table.replace_schema_metadata({FOOTER: footer}),
        out,
        compression="zstd",
        row_group_size=_GROUP_ROWS,
        write_statistics=True,
    )
    return out.getvalue()


def _meets(facts: Facts, terms: Iterable[tuple[str, bool, str]]) -> bool:
    """Whether the facts of a run meet the terms that ask of them."""
    return all(
        matches(facts.tags.get(name[4:], "") if name.startswith("tag.") else getattr(facts, name), pattern) == positive
        for name, positive, pattern in terms
    )


def _exact(terms: Iterable[tuple[str, bool, str]], schema: arrow.Schema) -> dict[str, list[str]]:
    """Return the terms that name whole texts of a column: column and texts."""
    import pyarrow as arrow

    asked = {}
    for name, positive, pattern in terms:
        place = schema.get_field_index(name)
        whole = positive and place >= 0 and not any(mark in pattern for mark in "*?[")
        if whole and arrow.types.is_string(schema.field(place).type):
            asked[name] = [*pattern.split(","), pattern]
    return asked


def _groups(metadata: parquet.FileMetaData, asked: Mapping[str, Sequence[str]]) -> list[int]:
    """Return the groups of rows that may hold what is asked for, by the least and greatest text of each column."""
    places = {metadata.schema.column(number).name: number for number in range(metadata.num_columns)}
    groups = []
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        spans = [(group.column(places[name]).statistics, levels) for name, levels in asked.items()]
        if all(
            span is None or not span.has_min_max or any(span.min <= level <= span.max for level in levels)
            for span, levels in spans
        ):
            groups.append(number)
    return groups


def _letters(table: arrow.Table) -> int:
    """Return how many letters the texts of a table have, each counted in every row that holds it."""
    import pyarrow as arrow
    from pyarrow import compute

    chunks = (chunk for column in table.columns for chunk in column.chunks)
    words = [chunk for chunk in chunks if arrow.types.is_dictionary(chunk.type)]
    lengths = (compute.binary_length(chunk.dictionary).cast("int64").take(chunk.indices) for chunk in words)
    return sum(compute.sum(length).as_py() or 0 for length in lengths)


def _plain(table: arrow.Table) -> arrow.Table:
    """Return a table with its texts in each row that holds them."""
    import pyarrow as arrow

    kinds = [
        column.type.value_type if arrow.types.is_dictionary(column.type) else column.type for column in table.schema
    ]
    fields = [column.with_type(kind) for column, kind in zip(table.schema, kinds, strict=True)]
    return table.cast(arrow.schema(fields, metadata=table.schema.metadata))


def _condition_of(terms: Iterable[tuple[str, bool, str]]) -> str:
    """Return terms as they are written."""
    import shlex

    return " ".join(shlex.quote(f"{name}{'=' if yes else '!='}{pattern}") for name, yes, pattern in terms)


def _results(table: arrow.Table, chosen: Sequence[_Stored], problems: list[Problem], mixed: Sequence[str]) -> Results:
    """Return rows of some runs as results."""
    frame = table.to_pandas(strings_to_categorical=True)
    runs = {one.run.sha256: one for one in chosen}
    places = {sha: place for place, sha in enumerate(runs)}
    order = np.array([places[sha] for sha in frame["run_sha256"].cat.categories])[frame["run_sha256"].cat.codes]
    frame = frame.iloc[np.argsort(order, kind="stable")].reset_index(drop=True)
    shas = frame["run_sha256"].cat
    outer = np.array([_shown_name(runs[sha].run) for sha in shas.categories], dtype=object)[shas.codes]
    inner = texts(frame["run"])
    frame["run"] = pd.Categorical([f"{run}/{part}" if part else run for run, part in zip(outer, inner, strict=True)])
    frame["source"] = pd.Categorical([f"{run}/{file}" for run, file in zip(outer, texts(frame["source"]), strict=True)])
    facts = [
        name
        for name in frame.columns
        if (name in ("commit", "branch", "machine") or name.startswith("tag.")) and frame[name].notna().any()
    ]
    axes = [name for name in frame.columns if name not in SCHEMA and name not in OWN and not name.startswith("tag.")]
    failed = frame["is_failed"].to_numpy(dtype=bool)
    frame = frame[[*NAMES, *(axis for axis in axes if frame[axis].notna().any()), *facts, *MEASURES]]
    ways = {name: way for one in chosen for name, way in one.run.better.items()}
    metrics = {
        str(name): Metric(str(name), str(unit), ways.get(str(name)) or better(str(name), str(unit)))
        for name, unit in frame[["metric", "unit"]].drop_duplicates("metric").itertuples(index=False)
    }
    return Results(
        frame=frame[~failed].reset_index(drop=True),
        failed=frame[failed].reset_index(drop=True),
        problems=tuple(problems),
        files=tuple(map(_file_of, chosen)),
        metrics=metrics,
        series=tuple(_dated(one) for one in chosen if one.run.facts.time),
        caveats=merge(_remarks(chosen, mixed), (said for one in chosen for said in one.run.caveats)),
    )


def _shown_name(run: Run) -> str:
    return run.name.replace("/", "_")


def _file_of(one: _Stored) -> SourceFile:
    counts = LineCounts(data=one.run.rows, context=0, problem=0, noise=0)
    return SourceFile(
        source=one.name, format="history", contains=(), sha256=one.run.sha256, rows=one.run.rows, lines=counts
    )


def _dated(one: _Stored) -> Series:
    facts = one.run.facts
    return Series(kind=RECORDED, name=facts.commit or _shown_name(one.run), source=one.name, line=0, data=(facts.time,))


def _remarks(chosen: Sequence[_Stored], mixed: Sequence[str]) -> Iterator[Caveat]:
    """Yield what whoever reads the runs should know."""
    if mixed:
        yield caveat("axis-as-text", f"{choices(mixed)}: a number in some runs and text in others, read as text")
    now = _now().strftime("%Y-%m-%dT%H:%M:%SZ")
    late = [_shown_name(one.run) for one in chosen if one.run.facts.time > now]
    if late:
        yield caveat("time-in-future", f"{choices(late)}: recorded later than now, by their time")


def _faults(table: arrow.Table, runs: Sequence[Run]) -> Iterator[str]:
    """Yield what the rows of a file are not as its footer says."""
    from pyarrow import compute

    for run in runs:
        part = table.filter(compute.equal(table.column("run_sha256"), run.sha256))
        frame = part.to_pandas().reset_index(drop=True)
        if len(frame) != run.rows:
            yield f"run {run.name}: {len(frame):,} rows where {run.rows:,} were recorded"
            continue
        own = [name for name in frame.columns if (name in OWN and name != "is_failed") or name.startswith("tag.")]
        if digest(run.facts, sorted_rows(frame.drop(columns=own))) != run.sha256:
            yield f"run {run.name}: other values than were recorded"
