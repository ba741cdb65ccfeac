"""A fleet: what ``reports.toml`` asks for, in which order it is built, and what is known of each report between runs.

From top to bottom: the file; the reports that it asks for; the order; the book of findings.
"""

from __future__ import annotations

import glob
import heapq
import json
import math
import os
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from graphlib import CycleError, TopologicalSorter
from itertools import product
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Literal, Protocol

from benchlib.errors import BenchlibError, DataError, InputError, choices, printable, suggestion
from benchlib.files import explaining_refusals, write_text
from benchlib.render.chromium import check_formats
from benchlib.run.build import Built, Making, Request, _checked_values, build_report, place_of, untouched
from benchlib.run.manifest import locked
from benchlib.run.parameters import _SUMMARY, find_notebook
from benchlib.toml_lines import Document, KeyPath, Level, Mistake, TomlTable, convert, parse_toml, read_text, required
from benchlib.units import parse_quantity

__all__ = [
    "Book",
    "Builders",
    "Ended",
    "Fleet",
    "Report",
    "event_of",
    "finding_of",
    "jobs_of",
    "read_fleet",
    "run_fleet",
]

# --- reports.toml -----------------------------------------------------------------------------------------------------

#: What a job may tell of.
Event = Literal["failure", "regression", "recovery"]
#: What a study that lies in a store begins with.
_STORED = "history:"
_NAME = re.compile(r"\w[\w.-]{0,59}")
_MOST_TRIES, _LONGEST_PAUSE, _MOST_SETS = 10, 600.0, 1000


class Job(TomlTable, frozen=True, kw_only=True):
    """``[[job]]``: reports of one notebook, or of some, on one study, or on some."""

    name: Annotated[str, required("nightly")]
    study: str | tuple[str, ...]  # msgspec 0.22 loses the pattern of `required` in a union, and crashes
    notebook: str = _SUMMARY
    where: str = ""
    #: Whether a notebook that lies in the study may run.
    trust: bool = False
    parameters: dict[str, Any] = {}  # noqa: RUF012  # msgspec copies it
    matrix: dict[str, tuple[Level | bool, ...]] = {}  # noqa: RUF012
    to: str = "html"
    timeout: float | None = None
    memory: str = ""
    fail_on: Literal["", "missed", "warn"] = ""
    notify: str = ""
    notify_on: tuple[Event, ...] = ("failure", "regression", "recovery")
    after: tuple[str, ...] = ()
    retries: int = 0
    backoff: float = 10.0
    overlap: Literal["skip", "queue"] = "skip"

    def __post_init__(self) -> None:
        TomlTable.__post_init__(self)
        if not _NAME.fullmatch(self.name):
            raise Mistake(f" '{printable(self.name, 60)}' names a folder; write letters, digits, _ . -", "name")
        if not self.study or not all(map(str.strip, self.studies)):
            raise Mistake(' is empty; write study = "data/*"', "study")
        for key, seconds in (("timeout", self.timeout), ("backoff", self.backoff)):
            if seconds is not None and not 0 < seconds < 1e9:
                raise Mistake(f" is {seconds:g}; write seconds above 0, such as 60", key)
        if "\0" in self.notify:
            raise Mistake(" holds a NUL, which no command and no file can; take it out", "notify")
        if not 0 <= self.retries <= _MOST_TRIES:
            raise Mistake(f" is {self.retries}; write a whole number from 0 to {_MOST_TRIES}", "retries")
        if self.memory and self.memory_bytes is None:
            raise Mistake(f" '{printable(self.memory, 40)}' is no size; write it like 2GiB or 512MiB", "memory")
        if math.prod(map(len, self.matrix.values())) > _MOST_SETS:
            raise Mistake(f" has more than {_MOST_SETS:,} sets of values; make jobs of it", "matrix")
        for key, values in self.matrix.items():
            if not values:
                raise Mistake(" is empty; write its values, or remove it", "matrix", key)
            if key == "study":
                raise Mistake(" is no axis of a matrix; write study as a list", "matrix", key)
            if key in self.parameters or (key == "where" and self.where):
                raise Mistake(f": '{printable(key, 60)}' is given beside it too; give it once", "matrix", key)

    @property
    def studies(self) -> tuple[str, ...]:
        """The studies and globs, as they are written."""
        return (self.study,) if isinstance(self.study, str) else self.study

    @property
    def memory_bytes(self) -> int | None:
        """The bound of the cells; None where there is none, or it is no size."""
        try:
            size, unit = parse_quantity(self.memory[:40])
        except DataError:
            return None
        return int(size) if unit == "B" and 1 <= size < 2**63 else None

    def pause(self, tries: int) -> float:
        """Return the seconds before the next try: each is twice as long as the one before."""
        return float(min(self.backoff * 2 ** (tries - 1), max(_LONGEST_PAUSE, self.backoff)))


class _File(TomlTable, frozen=True, kw_only=True):
    """The whole file."""

    job: tuple[Job, ...] = ()
    output: Annotated[str, required("reports")] = "reports"

    def __post_init__(self) -> None:
        TomlTable.__post_init__(self)
        names = [job.name for job in self.job]
        for number, job in enumerate(self.job):
            if job.name in names[:number]:
                raise Mistake(f" '{job.name}' is taken by another job; choose another", "job", number, "name")
            for place, name in enumerate(job.after):
                if name not in names:
                    near = suggestion(name, names)
                    known = f"{near}{'' if near else ';'} there are {choices(names)}"
                    raise Mistake(f": no job is named '{printable(name, 60)}'{known}", "job", number, "after", place)
        try:
            TopologicalSorter({job.name: job.after for job in self.job}).prepare()
        except CycleError as error:
            way = [str(name) for name in error.args[1]][::-1]
            raise Mistake(
                f" goes in a circle: {' after '.join(way)}; remove one of them", "job", names.index(way[0]), "after"
            ) from error


# --- the reports that it asks for -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Report:
    """One report of a job."""

    job: Job
    request: Request
    #: Its page below the folder of all reports, without ending: ``nightly/lplex/scaling``.
    name: str


@dataclass(frozen=True, slots=True)
class Fleet:
    """What a file asks for."""

    #: The folder of the file.
    home: Path
    #: The folder of all reports.
    output: Path
    #: In the order of the file.
    reports: tuple[Report, ...]


def read_fleet(path: Path, only: Sequence[str] = (), *, max_bytes: int | None = None) -> Fleet:
    """Return the reports that a file asks for, or those of some jobs alone, whatever they come after.

    Studies, notebooks and the folder of all reports are named from the folder of the file. Notebooks and parameters are
    checked; a study that is not there fails when its report is built, beside the others.
    """
    shown = printable(str(path))
    document = parse_toml(read_text(path, shown)[0], shown)
    file = convert(document, _File)
    names = [job.name for job in file.job]
    if not names:
        raise document.error(("job",), "holds no job; write [[job]]")
    for name in only:
        if name not in names:
            near = suggestion(name, names)
            raise InputError(f"--only: {shown} has no job '{printable(name, 60)}'{near or f'; {choices(names)}'}")
    output = path.parent / file.output
    reports: dict[str, Report] = {}
    for number, job in enumerate(file.job):
        if only and job.name not in only:
            continue
        for report in _reports(document, number, job, path.parent, output, max_bytes):
            if report.name in reports:
                raise document.error(
                    ("job", number),
                    f"two reports would lie at '{printable(report.name)}'; name a study once, and values that differ",
                )
            reports[report.name] = report
    return Fleet(path.parent, output, tuple(reports.values()))


def _reports(
    document: Document, number: int, job: Job, home: Path, output: Path, max_bytes: int | None
) -> Iterator[Report]:
    """Yield a report for each study and each set of values of the matrix."""
    try:
        formats = check_formats(job.to)
    except BenchlibError as error:
        raise document.error(("job", number, "to"), str(error)) from error
    making = Making(timeout=job.timeout, memory=job.memory_bytes, formats=formats, max_bytes=max_bytes)
    studies = [study for place in range(len(job.studies)) for study in _studies(document, number, job, place, home)]
    for values in product(*job.matrix.values()):
        chosen = dict(zip(job.matrix, values, strict=True))
        folder = output / job.name
        if chosen:
            words = ",".join(f"{key}={value}" for key, value in chosen.items())
            folder /= re.sub(r"[^\w.=,@+-]", "-", words)[:200]
        notebook = str(chosen.pop("notebook", job.notebook))
        notebook = str(home / notebook) if notebook.endswith(".ipynb") else notebook
        if where := job.where:
            chosen["where"] = where
        request = Request("", folder, notebook, {**job.parameters, **chosen}, trust=job.trust, making=making)
        try:
            for study in studies:
                asked = replace(request, study=study)
                _checked_values(asked, source := find_notebook(notebook))
                yield Report(job, asked, (folder / _named(asked) / source.stem).relative_to(output).as_posix())
        except BenchlibError as error:
            raise document.error(_blamed(job, number, str(error)), str(error)) from error


def _named(request: Request) -> str:
    """Return the folder of a report; of a study that is not there, what it would be."""
    try:
        return place_of(request).folder.name
    except InputError:
        return Path(request.study).name or "study"


def _blamed(job: Job, number: int, said: str) -> KeyPath:
    """Return the key that an error about a notebook or its parameters names."""
    for table in ("matrix", "parameters"):
        for key in getattr(job, table):
            if f"'{key}'" in said:
                return "job", number, table, key
    return "job", number, "notebook"


def _studies(document: Document, number: int, job: Job, place: int, home: Path) -> list[str]:
    """Return the studies that a text names: folders that match a glob, or files where no folder does."""
    written = job.studies[place]
    if written.startswith(_STORED):
        kind, _, where = written.partition(":")
        return [written if "://" in where else f"{kind}:{home / where}"]
    if os.path.exists(home / written) or not any(letter in written for letter in "*?["):
        return [str(home / written)]
    matches = sorted(glob.glob(str(home / written)))
    if not matches:
        raise document.error(
            ("job", number, "study", place), f"nothing is there that matches '{printable(written)}'; correct the glob"
        )
    return [path for path in matches if os.path.isdir(path)] or matches


# --- the order --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ended:
    """How a report of a fleet ended."""

    #: What was built, or why it was not; text where it was not begun.
    outcome: Built | BenchlibError | str
    seconds: float = 0.0
    #: A number of seconds where it is going to be tried again after them.
    again: float | None = None

    @property
    def good(self) -> bool:
        """Whether what comes after it may begin."""
        return isinstance(self.outcome, Built) and self.outcome.outcome != "busy" and not self.outcome.undrawn


class Builders(Protocol):
    """Who builds reports, at most so many at a time: children of this process, or a cluster's."""

    workers: int

    def __enter__(self) -> Builders:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """End what is at work."""

    @property
    def busy(self) -> int:
        """How many are at work."""

    def begin(self, place: int, /) -> None:
        """Have the report of a place built."""

    def ended(self, patience: float | None = None, /) -> Iterator[tuple[int, Any]]:
        """Yield the places that ended, each with what was built, or its error."""


#: Seconds before a report is asked for again that another run is building.
_BUSY_PAUSE = 1.0


class _Line:
    """Which reports may begin: those of jobs whose predecessors ended well, and whose pause is over."""

    def __init__(self, reports: Sequence[Report]) -> None:
        self._reports = reports
        self._open = Counter(report.job.name for report in reports)
        self._bad: dict[str, str] = {}
        self._later: list[tuple[float, int]] = []
        self._tries: Counter[int] = Counter()
        self._held = {report.job.name: report.job for report in reports}
        self._ready: deque[int] = deque()
        self._release()

    def _release(self) -> None:
        """Let the reports of jobs begin that wait for no other any more."""
        for job in list(self._held.values()):
            if not any(self._open[name] for name in job.after):
                del self._held[job.name]
                self._ready += (n for n, report in enumerate(self._reports) if report.job is job)

    def next(self) -> int | None:
        """Return the next report that may begin, if any may."""
        if self._later and self._later[0][0] <= time.monotonic():
            return heapq.heappop(self._later)[1]
        return self._ready.popleft() if self._ready else None

    def pause(self) -> float | None:
        """Return the seconds until the next pause is over; None where nobody pauses."""
        return max(0.0, self._later[0][0] - time.monotonic()) if self._later else None

    def blocked(self, place: int) -> str:
        """Return why a report is not to begin; empty where it may."""
        bad = [name for name in self._reports[place].job.after if name in self._bad]
        return f"not begun: it comes after '{bad[0]}', {self._bad[bad[0]]}" if bad else ""

    def end(self, place: int, ended: Ended) -> Ended:
        """Take note of how a report ended, and say whether it is tried again."""
        job = self._reports[place].job
        busy = isinstance(ended.outcome, Built) and ended.outcome.outcome == "busy"
        again: float | None = None
        if busy and job.overlap == "queue":
            again = _BUSY_PAUSE
        elif not ended.good and not busy and not isinstance(ended.outcome, str) and self._tries[place] < job.retries:
            self._tries[place] += 1
            again = job.pause(self._tries[place])
        if again is not None:
            heapq.heappush(self._later, (time.monotonic() + again, place))
            return replace(ended, again=again)
        self._open[job.name] -= 1
        if not ended.good:
            began = "which failed" if not isinstance(ended.outcome, str) else "which did not begin"
            self._bad.setdefault(job.name, "which another run is building" if busy else began)
        if not self._open[job.name]:
            self._release()
        return ended


def build_one(request: Request) -> Built:
    """Build a report, further formats included."""
    with explaining_refusals():
        return build_report(request)


def run_fleet(reports: Sequence[Report], builders: Callable[[], Builders]) -> Iterator[tuple[Report, Ended]]:
    """Have reports built that are due, each when its time has come, and yield how each ended.

    What nobody touched is told at once, and where all is as it was no builder is ever asked for.
    """
    line = _Line(reports)
    began: dict[int, float] = {}
    crew: Builders | None = None
    try:
        while True:
            while (crew is None or crew.busy < crew.workers) and (place := line.next()) is not None:
                began[place] = time.monotonic()
                outcome = line.blocked(place) or untouched(reports[place].request)
                if outcome:
                    yield reports[place], line.end(place, Ended(outcome))
                    continue
                if crew is None:
                    crew = builders().__enter__()
                crew.begin(place)
            if crew and crew.busy:
                for place, outcome in crew.ended(line.pause() if crew.busy < crew.workers else None):
                    yield reports[place], line.end(place, Ended(outcome, time.monotonic() - began[place]))
            elif (pause := line.pause()) is not None:
                time.sleep(pause)
            else:
                return
    finally:
        if crew:
            crew.__exit__(None, None, None)


def jobs_of(reports: Sequence[Report]) -> list[Callable[[], Built]]:
    """Return what a forked child does for each report."""
    return [partial(build_one, report.request) for report in reports]


# --- what is known of each report between runs ------------------------------------------------------------------------


def finding_of(job: Job, outcome: Built | BenchlibError) -> str:
    """Return the finding of a report in words that stay the same as long as it does; empty where all is well."""
    error = outcome.undrawn if isinstance(outcome, Built) else outcome
    if error:
        return f"failure {error.exit_code}: {re.sub('[0-9]+', '#', printable(str(error), 300))}"
    return f"regression: {outcome.gate}" if isinstance(outcome, Built) and outcome.trips(job.fail_on) else ""


def event_of(finding: str) -> Event:
    """Return what a finding is; none is the end of one.

    Examples
    --------
    >>> event_of("regression: missed"), event_of("")
    ('regression', 'recovery')
    """
    return "recovery" if not finding else "failure" if finding.startswith("failure") else "regression"


class Book:
    """How each report of a folder ended last, since when, and what was told of it: ``fleet.json``.

    Several runs write it, each what it knows. Where it is damaged nothing is known, and a finding is told once more.
    """

    def __init__(self, output: Path) -> None:
        self._path = output / "fleet.json"
        self._changed: dict[str, dict[str, Any]] = {}
        self._known = self._read()

    def entry(self, name: str) -> dict[str, Any]:
        """Return what is known of a report."""
        known = self._changed.get(name) or self._known.get(name)
        return known if isinstance(known, dict) else {}

    def event(self, name: str, finding: str) -> Event | None:
        """Return what is to be told of a report, if it was not told before."""
        before = str(self.entry(name).get("told", ""))
        if finding == before:
            return None
        return event_of(finding)

    def note(self, name: str, finding: str, *, heard: bool, **facts: object) -> None:
        """Put down how a report ended; `heard` where who wanted to know of it does now, or nobody does."""
        before = self.entry(name)
        now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        same = "since" in before and before.get("finding") == finding
        self._changed[name] = {
            "finding": finding,
            "since": before["since"] if same else now,
            "ran": now,
            "told": finding if heard else before.get("told", ""),
            **facts,
        }

    def save(self) -> None:
        """Write it down beside what other runs wrote."""
        if not self._changed:
            return
        with locked(self._path.with_name(".fleet.lock"), wait=True):
            self._known = {**self._read(), **self._changed}
            document = {"schema": "benchlib-fleet/1", "reports": dict(sorted(self._known.items()))}
            write_text(self._path, json.dumps(document, indent=1) + "\n")
        self._changed.clear()

    def _read(self) -> dict[str, Any]:
        try:
            reports = json.loads(self._path.read_text(encoding="utf-8"))["reports"]
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return {}
        return reports if isinstance(reports, dict) else {}
