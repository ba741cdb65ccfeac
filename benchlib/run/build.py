"""From a study to a report on disk: notebook, page and answers, whole or not at all."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from benchlib.errors import (
    BenchlibError,
    DrawingError,
    ExportError,
    InputError,
    NotebookTimeout,
    ParameterError,
    printable,
)
from benchlib.files import file_sha256, leads_away, read_bounded, write_text
from benchlib.render.size import check_size
from benchlib.run.bounds import bounded
from benchlib.run.execute import _Engine, execute_notebook, read_notebook, worker_ahead
from benchlib.run.failure import _forget_failure, explain_failure
from benchlib.run.fingerprint import (
    _parameters_digest,
    built_for,
    changed_parts,
    fingerprint,
    known_beforehand,
    times_digest,
)
from benchlib.run.manifest import (
    Entry,
    Origin,
    Place,
    _check_place,
    _origin_of,
    _read_origin,
    locked,
    made_folder,
    read_entry,
    way_to,
    write_entry,
)
from benchlib.run.parameters import (
    _SUMMARY,
    _Value,
    check_parameters,
    check_plan,
    declared_parameters,
    find_notebook,
    shipped_reports,
    title_of,
)

if TYPE_CHECKING:
    from benchlib.render.style import Style
    from benchlib.run.worker import Worker
    from benchlib.study import Study

__all__ = [
    "Built",
    "Making",
    "Request",
    "Stage",
    "Tell",
    "add_formats",
    "asked_as_published",
    "build_report",
    "checked_order",
    "place_of",
    "untouched",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One stage of one report."""

    #: ``open``, ``execute``, ``export``, ``check``, ``formats`` or ``publish``.
    name: str
    #: As it was named.
    study: str
    outcome: Literal["begun", "done", "failed"]
    #: How long it took; 0 where it has only begun.
    seconds: float


Tell = Callable[[Stage], None]

#: Bytes of a page, and of answers, that are read again.
_LARGEST_PAGE = 256 * 1024**2


def _silent(_: Stage) -> None:
    """Tell nobody."""


@contextmanager
def _stage(name: str, study: str, tell: Tell) -> Iterator[None]:
    """Tell that a stage begins, and how it ended."""
    began = time.perf_counter()
    tell(Stage(name=name, study=study, outcome="begun", seconds=0.0))
    ended: Literal["done", "failed"] = "failed"
    try:
        yield
        ended = "done"
    finally:
        tell(Stage(name=name, study=study, outcome=ended, seconds=time.perf_counter() - began))


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """How reports are made: nothing here changes what they say, but for the style."""

    engine: _Engine = "auto"
    #: Seconds that reading the study may take, and each cell.
    timeout: float | None = None
    #: Bytes of data that this process may hold while it reads, and the cells.
    memory: int | None = None
    #: Beside the page: ``pdf``, ``md``, ``png``, ``svg``.
    formats: tuple[str, ...] = ()
    #: A larger page is not published.
    max_bytes: int | None = None
    style: Style | None = None
    #: Build even if nothing changed.
    force: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """A report that is asked for, unchecked."""

    #: As it was named; empty for the one that the notebook names, if it names one.
    study: str | Path
    #: The folder of all reports.
    output: Path
    #: A path, or the name of one that comes with benchlib.
    notebook: str = _SUMMARY
    #: As given on the command line, or typed.
    parameters: Mapping[str, object] = field(default_factory=dict)
    #: Stop at the first problem in a file.
    strict: bool = False
    #: Whether a study that is a symbolic link is followed.
    linked: bool = True
    #: Whether a notebook that lies in the study may run.
    trust: bool = True
    making: Making = field(default_factory=Making)

    @property
    def shown(self) -> str:
        """The study as a line of output names it."""
        return printable(str(self.study) or self.notebook)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A report that can be built: its inputs are there and sound."""

    place: Place
    #: Of the study.
    title: str
    #: The study, as the manifest names it.
    origin: Origin
    notebook: Path
    #: The parameters, typed.
    values: dict[str, _Value]
    #: The fingerprint.
    parts: dict[str, str]
    #: The day that the page bears; "" for none.
    built_for: str
    #: What the study's files were like before they were read.
    inputs: dict[str, str]

    def due(self) -> tuple[str, ...]:
        """Return why the report must be built; nothing where it is on disk as it would be built.

        Either ``never built``, ``its files``, or the parts of the fingerprint that changed.
        """
        known = read_entry(self.place.manifest, self.place.page.name)
        if not known.fingerprint:
            return ("never built",)
        return changed_parts(known.fingerprint, self.parts) or (
            () if _as_published(self.place, known) else ("its files",)
        )


def place_of(request: Request) -> Place:
    """Return where a report lies, or would lie, without opening the study."""
    from benchlib.study.open import resolve_study

    source = find_notebook(request.notebook)
    study = _study_named(request, source)
    return Place(folder=request.output / (resolve_study(study)[0].name if study else source.stem), stem=source.stem)


def _study_named(request: Request, source: Path) -> str:
    """Return the study of a request, else the one that the notebook itself names; empty for none."""
    if not request.linked and os.path.islink(request.study):
        raise InputError(f"{request.shown}: a symbolic link; not followed; name the folder that it leads to")
    own = {parameter.name: parameter.default for parameter in declared_parameters(source)}
    return str(request.study) or str(own.get("study", ""))


def asked_as_published(request: Request) -> bool:
    """Tell whether a report was published with these very parameters: else they may be what is wrong."""
    place = place_of(request)
    known = read_entry(place.manifest, place.page.name)
    try:
        values = _checked_values(request, find_notebook(request.notebook))
    except BenchlibError:
        return False
    return known.fingerprint.get("parameters") == _parameters_digest(values)


def _checked_values(request: Request, source: Path) -> dict[str, _Value]:
    if "study" in request.parameters:
        raise ParameterError("'study' is given twice, as the study and as a parameter; give it once")
    study = _study_named(request, source)
    given = {**({"study": study} if study else {}), **request.parameters}
    return check_parameters(declared_parameters(source), given, notebook=source.name)


def checked_order(request: Request) -> Order:
    """Check parameters and study, and say what would be built where."""
    from benchlib.statistics.estimates import checked_level
    from benchlib.study.open import last_cached, open_study, resolve_study, without_results

    source = find_notebook(request.notebook)
    values = _checked_values(request, source)
    if isinstance(level := values.get("confidence_level"), float):
        checked_level(level)
    # Opened here too: what is wrong with a study is then one line, not a failing cell; a worker gets a copy.
    where, reader = (str(values.get(name, "")) for name in ("where", "reader"))
    inputs: dict[str, str] = {}
    if named := _study_named(request, source):
        inputs["times"] = times_digest(resolve_study(named)[0])
        study = open_study(named, where=where, strict=request.strict, format=reader, keep=True)
        inputs["contents"] = next((digest for digest, opened in last_cached().values() if opened is study), "")
    else:
        study = without_results(source.stem, title_of(source))
    if not request.trust and _lies_in(source, study):
        raise InputError(
            f"{printable(str(source))}: lies in the study, whose author's code would run; "
            "say --trust if you know it, or name a notebook that lies elsewhere"
        )
    check_plan({parameter.name: parameter.default for parameter in declared_parameters(source)} | values, study)
    place = Place(folder=request.output / study.name, stem=source.stem)
    if source.resolve() in (place.notebook.resolve(), place.failed_notebook.resolve()):
        raise InputError(
            f"{printable(str(source))}: the executed notebook would take its place; "
            "move it out of the folder of reports, or choose another with -o"
        )
    origin = _origin_of(study, request.output)
    _check_place(place, request.output, study, origin)
    day, style = built_for(), request.making.style
    return Order(
        place=place,
        title=study.title,
        origin=origin,
        notebook=source,
        values=values,
        parts=fingerprint(study, source, values, style=style.digest if style else "", built_for=day),
        built_for=day,
        inputs={**inputs, "strict": str(request.strict)},
    )


def untouched(request: Request) -> Built | None:
    """Return the report on disk where nothing was touched that it is made of; its study is not opened.

    The times of the study's files tell, else their contents: hashes of both were noted when they were last read. None
    says that a report must be asked for as ever: it may be due, damaged, in want of a format, or asked for wrongly.
    """
    with suppress(BenchlibError, OSError, ValueError):
        source = find_notebook(request.notebook)
        values, place = _checked_values(request, source), place_of(request)
        known = read_entry(place.manifest, place.page.name)
        making, before = request.making, known.fingerprint
        style = making.style.digest if making.style else ""
        parts = known_beforehand(source, values, style=style, built_for=built_for())
        sound = known.inputs and not (making.force or known.failure or changed_parts(before, parts))
        if (
            sound
            and not _missing_formats(place, known, making.formats)
            and _inputs_stand(request, source, place, known)
        ):
            check_size(place.page.stat().st_size, making.max_bytes)
            if _as_published(place, known):
                answers = json.loads(place.answers.read_text(encoding="utf-8"))
                made = _formats_made(place, known, making.formats)
                return replace(_outcome(place, "unchanged", (), answers), formats=made)
    return None


def _as_published(place: Place, known: Entry) -> bool:
    """Tell whether a report on disk is as its manifest says, which whoever can write there may have written.

    So a page runs and loads nothing all the same, and answers are answers.
    """
    from benchlib.render.page import is_bound

    if not known.files.keys() >= {place.page.name, place.answers.name} or not known.intact(place.folder):
        return False
    with suppress(BenchlibError, OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        answers = json.loads(read_bounded(place.answers, _LARGEST_PAGE))
        return isinstance(answers, dict) and is_bound(read_bounded(place.page, _LARGEST_PAGE).decode())
    return False


def _inputs_stand(request: Request, source: Path, place: Place, known: Entry) -> bool:
    """Tell whether a study's files are what they were, where they were."""
    from benchlib.study.open import content_digest, resolve_study

    study = resolve_study(_study_named(request, source))[0]
    origin, before = _read_origin(place.manifest), known.inputs
    if origin is None or origin.place != way_to(study, request.output) or before.get("strict") != str(request.strict):
        return False
    times = times_digest(study)
    if times and times == before.get("times"):
        return True
    if not study.exists() or content_digest(study) != before.get("contents"):
        return False
    with locked(place.lock, wait=False) as ours:
        if ours and times and read_entry(place.manifest, place.page.name) == known:
            write_entry(place.manifest, place.page.name, replace(known, inputs={**before, "times": times}))
    return True


def _lies_in(notebook: Path, study: Study) -> bool:
    """Tell whether a notebook is a study's own; those that come with benchlib are not, where the study holds them."""
    return notebook.parent != shipped_reports() and notebook.resolve().is_relative_to(study.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A report on disk."""

    page: Path
    notebook: Path
    answers: Path
    #: What was written beside the page.
    formats: tuple[Path, ...]
    #: ``busy``: another run is building it, and nothing was done.
    outcome: Literal["built", "unchanged", "busy"]
    #: What had changed since it was last built.
    because: tuple[str, ...]
    #: "" where it is busy.
    status: str
    verdict: str
    #: ``missed`` where a target is missed, ``warn`` where there are doubts; "" where neither.
    gate: str
    #: Why a further format is missing: the page is as good without it.
    undrawn: DrawingError | None

    def trips(self, gate: str) -> bool:
        """Tell whether a gate, ``missed`` or ``warn``, does not let it pass."""
        return bool(gate) and self.gate in ("missed", gate)


def build_report(request: Request, tell: Tell = _silent) -> Built:
    """Run a notebook on a study and write page, executed notebook and answers.

    The report lies in ``output/<study>/``, beside those of other notebooks on the study: each has its page, its
    executed notebook and its answers (``answers.json`` of the executive summary, ``scaling.answers.json`` of
    another); ``manifest.json`` lists them. It is skipped where study, notebook, parameters, style,
    library versions and benchlib's own code are what they were when it was last built, and where another run is
    building it. A run that fails leaves a page that says so, and the last good one as it was.
    """
    making, shown = request.making, str(request.study) or request.notebook
    with worker_ahead(find_notebook(request.notebook), engine=making.engine, memory=making.memory) as worker:
        with _stage("open", shown, tell), bounded(f"{printable(shown)}: reading", making.timeout, making.memory):
            order = checked_order(request)
        made_folder(order.place.folder)
        with locked(order.place.lock, wait=False) as ours:
            if not ours:
                return _outcome(order.place, "busy", (), {})
            return _build_if_due(order, making, worker, shown, tell)


def _build_if_due(order: Order, making: Making, worker: Worker | None, shown: str, tell: Tell) -> Built:
    """Build a report that is due, and write the formats that are missing; whoever asks holds its lock."""
    because = order.due() or (("--force",) if making.force else ())
    if worker and not because:
        worker.end()
    try:
        answers = _built(order, making, worker, shown, tell) if because else _unchanged(order, making)
    except BenchlibError as error:
        explain_failure(order.place, error, title=order.title, study=shown)
        raise
    formats, undrawn = add_formats(order.place, making.formats, shown, tell)
    built = _outcome(order.place, "built" if because else "unchanged", because, answers)
    return replace(built, formats=formats, undrawn=undrawn)


def _built(order: Order, making: Making, worker: Worker | None, shown: str, tell: Tell) -> dict[str, Any]:
    """Execute, export, check and publish; nothing is published before everything is checked."""
    place = order.place
    _forget_failure(place)
    with _stage("execute", shown, tell):
        executed = execute_notebook(
            order.notebook,
            place.failed_notebook,  # under the name of a failure until its page is published
            order.values,
            engine=making.engine,
            timeout=making.timeout,
            memory=making.memory,
            worker=worker,
        )
    # Not before the fork that runs the cells: it starts threads.
    from benchlib.render.cells import answers_in
    from benchlib.render.check import check_page
    from benchlib.render.page import notebook_page
    from benchlib.render.private import private_folders

    with _stage("export", shown, tell):
        answers = answers_in(executed)
        day = f", for {order.built_for}" if order.built_for else ""
        footer = f"benchlib {_version()}{day}"
        page = notebook_page(executed, title=order.title, footer=footer, style=making.style)
    with _stage("check", shown, tell):
        folders = private_folders(shown, place.folder.parent)
        check_page(page, max_bytes=making.max_bytes, folders=folders)
    with _stage("publish", shown, tell):
        _publish(order, page, answers)
    return answers


@cache  # the metadata of a package are searched for on disk
def _version() -> str:
    return metadata.version("benchlib")


def _publish(order: Order, page: str, answers: Mapping[str, Any]) -> None:
    place = order.place
    place.failed_notebook.replace(place.notebook)
    write_text(place.answers, _answers_text(answers))
    write_text(place.page, page)
    files = {path.name: file_sha256(path) for path in (place.page, place.notebook, place.answers)}
    for old in read_entry(place.manifest, place.page.name).files.keys() - files.keys():
        if not leads_away((place.folder / old).parent, place.folder):  # a link in the place of a folder of figures
            (place.folder / old).unlink(missing_ok=True)  # a PDF of the last page, beside this one, would lie
    entry = Entry(
        fingerprint=order.parts,
        answers=place.answers.name,
        files=files,
        failure=None,
        inputs=order.inputs,
    )
    write_entry(place.manifest, place.page.name, entry, origin=order.origin)


def _unchanged(order: Order, making: Making) -> dict[str, Any]:
    """Return the answers of the report on disk, if it may be as large as it is."""
    place = order.place
    known = read_entry(place.manifest, place.page.name)
    if known.failure:  # of inputs that are no longer there: the report on disk is right again
        _forget_failure(place)
    if known.failure or known.inputs != order.inputs:
        write_entry(place.manifest, place.page.name, replace(known, failure=None, inputs=order.inputs))
    check_size(place.page.stat().st_size, making.max_bytes)
    answers: dict[str, Any] = json.loads(place.answers.read_text(encoding="utf-8"))
    return answers


def add_formats(
    place: Place, formats: Iterable[str], shown: str, tell: Tell = _silent
) -> tuple[tuple[Path, ...], DrawingError | None]:
    """Write the other formats of a published report that are not there yet, and note their files.

    Where Chromium cannot draw, Markdown is written all the same, and the rest is tried again by the next run.
    """
    known = read_entry(place.manifest, place.page.name)
    missing = _missing_formats(place, known, formats)
    written: list[Path] = []
    undrawn: list[str] = []
    why = ""
    with _stage("formats", shown, tell) if missing else nullcontext():
        for ending in missing:
            try:
                written += _written(place, ending)
            except (ExportError, InputError, NotebookTimeout) as error:
                undrawn.append(ending)
                why = str(error)
    if written:
        files = {path.relative_to(place.folder).as_posix(): file_sha256(path) for path in written}
        known = replace(known, files={**known.files, **files})
        write_entry(place.manifest, place.page.name, known)
    made = _formats_made(place, known, formats)
    if not undrawn:
        return made, None
    return made, DrawingError(f"{place.page}: is published, without {', '.join(undrawn)}: {why}")


def _formats_made(place: Place, known: Entry, formats: Iterable[str]) -> tuple[Path, ...]:
    """Return the files beside a page that are of some formats."""
    endings = tuple(f".{ending}" for ending in formats if ending != "html")
    noted = (name for name in sorted(known.files) if name.startswith(f"{place.stem}."))
    return tuple(place.folder / name for name in noted if name.endswith(endings))


def _missing_formats(place: Place, known: Entry, formats: Iterable[str]) -> list[str]:
    return [ending for ending in formats if ending != "html" and not _formats_made(place, known, [ending])]


def _written(place: Place, ending: str) -> tuple[Path, ...]:
    """Write one further format of the page on disk."""
    from benchlib.render.cells import read_cells
    from benchlib.render.chromium import draw_charts, print_pdf
    from benchlib.render.markdown import plain_markdown

    if ending == "pdf":
        return (print_pdf(place.page),)
    if ending in ("png", "svg"):
        return draw_charts(place.page, "png" if ending == "png" else "svg")
    path = place.page.with_suffix(".md")
    document = read_cells(read_notebook(place.notebook)).document
    if document is None:
        raise ExportError(f"{place.notebook.name}: shows no document of benchlib; Markdown is written from one")
    write_text(path, plain_markdown(document))
    return (path,)


def _outcome(
    place: Place, outcome: Literal["built", "unchanged", "busy"], because: tuple[str, ...], answers: Mapping[str, Any]
) -> Built:
    return Built(
        page=place.page,
        notebook=place.notebook,
        answers=place.answers,
        formats=(),
        outcome=outcome,
        because=because,
        status=str(answers.get("status", "")),
        verdict=str(answers.get("answer", "")),
        gate=str(answers.get("gate", "")),
        undrawn=None,
    )


def _answers_text(answers: Mapping[str, Any]) -> str:
    """Return answers as JSON, each on a line of its own: indented, they would take twenty times as long to write."""
    written = {
        json.dumps(name): json.dumps(value, ensure_ascii=False, allow_nan=False) for name, value in answers.items()
    }
    return "{" + ",\n".join(f"{name}: {value}" for name, value in written.items()) + "}\n"
