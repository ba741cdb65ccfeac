"""Where the reports on a study lie, and what ``manifest.json`` says of them.

What each was made from, its files, and how the last run ended; one run at a time writes a report, and none takes the
place of what benchlib did not write.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchlib.errors import InputError, PlaceTaken, printable
from benchlib.files import file_sha256, read_bounded, sweep_scratch, write_text
from benchlib.run.parameters import _SUMMARY

if TYPE_CHECKING:
    from benchlib.study import Study

__all__ = ["check_index", "holds_reports", "locked", "made_folder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The files of one report.

    Examples
    --------
    >>> place = Place(folder=Path("reports/lplex"), stem="scaling")
    >>> place.page.as_posix(), place.answers.name, place.failed_page.name
    ('reports/lplex/scaling.html', 'scaling.answers.json', 'scaling.failed.html')
    """

    #: ``output/<study>``, which all reports on a study share.
    folder: Path
    #: The notebook's name.
    stem: str

    @property
    def page(self) -> Path:
        """The page that people read."""
        return self.folder / f"{self.stem}.html"

    @property
    def notebook(self) -> Path:
        """The executed notebook."""
        return self.folder / f"{self.stem}.ipynb"

    @property
    def answers(self) -> Path:
        """The answers as data; those of the executive summary bear no other name."""
        return self.folder / ("answers.json" if self.stem == _SUMMARY else f"{self.stem}.answers.json")

    @property
    def failed_page(self) -> Path:
        """What a run that failed has to say; the last good page stays beside it."""
        return self.folder / f"{self.stem}.failed.html"

    @property
    def failed_notebook(self) -> Path:
        """The notebook as far as it came."""
        return self.folder / f"{self.stem}.failed.ipynb"

    @property
    def lock(self) -> Path:
        """Held while this report is built."""
        return self.folder / f".{self.stem}.lock"

    @property
    def manifest(self) -> Path:
        """What the folder holds, and what each report was made from."""
        return self.folder / "manifest.json"


def made_folder(folder: Path) -> Path:
    """Make a folder of reports where it is missing, and return it; what killed runs left among temporary files goes."""
    sweep_scratch()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "error"
        raise InputError(
            f"{printable(str(folder))}: cannot be made a folder ({reason}); choose another with -o"
        ) from error
    return folder


@contextmanager
def locked(path: Path, *, wait: bool) -> Iterator[bool]:
    """Hold a lock for the time of a block; yield whether it is held.

    The system takes the lock away when its holder ends, however it ends: the file that stays behind is
    empty, and never blocks. It is not removed, since another run may have opened it meanwhile and would
    then hold a lock on a file that nobody else can find. Where the system has no such locks
    (Windows), nothing is held and the block runs.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with locked(Path(folder, "one"), wait=True) as first, locked(Path(folder, "one"), wait=False) as second:
    ...         print(first, second)
    True False
    """
    if os.name != "posix":
        path.touch()
        yield True
        return
    import fcntl

    try:
        # Not through a link: whoever can write here must not choose which file is opened.
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise InputError(
            f"{printable(str(path))}: cannot be locked ({error.strerror}); choose another place with -o"
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)  # a child forked meanwhile has it open too, and closing would not do
        os.close(descriptor)


_SCHEMA = "benchlib-manifest/1"
#: Bytes of a manifest that are read: ours take a few thousand, more is not valid JSON once it is cut.
_LARGEST = 16 * 1024**2


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """How the last run of a report failed."""

    exit_code: int
    #: One line.
    error: str
    #: File name of the page that tells it.
    page: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One report in the manifest."""

    #: What it was made from; empty where it was never built.
    fingerprint: Mapping[str, str]
    #: File name of the answers; "" where it was never built.
    answers: str
    #: File name -> SHA-256 of what was published.
    files: Mapping[str, str]
    #: Where the last run failed; the files are then those of the last good one.
    failure: Failure | None
    #: What the study's files were like, for whoever asks whether they were touched: hashes of times and of contents.
    inputs: Mapping[str, str] = field(default_factory=dict)

    def intact(self, folder: Path) -> bool:
        """Tell whether every published file is there as it was written."""
        return bool(self.files) and all(file_sha256(folder / name) == digest for name, digest in self.files.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The study that the reports of a folder are on."""

    title: str
    #: Whether ``study.toml`` gave the title; without one it is the folder's name, which may be any study's.
    titled: bool
    #: Name of a file of results -> SHA-256.
    files: Mapping[str, str]
    #: SHA-256 of the way from the folder of all reports to the study, which would name folders of this machine.
    place: str


def _origin_of(study: Study, output: Path) -> Origin:
    """Return what a manifest says of a study, whose reports lie below a folder."""
    return Origin(
        title=study.title,
        titled=study.titled,
        files={file.source: file.sha256 for file in study.results.files},
        place=way_to(study.path, output),
    )


def way_to(study: Path, output: Path) -> str:
    """Return a hash of the way from the folder of all reports to a study."""
    way = os.path.realpath(study)
    with suppress(ValueError):  # on two drives of Windows
        way = os.path.relpath(way, os.path.realpath(output))
    return hashlib.sha256(os.fsencode(way)).hexdigest()


def _read_manifest(manifest: Path) -> dict[str, Any]:
    """Return what a manifest says of each page; nothing where there is none, or somebody edited it."""
    pages = _document(manifest).get("pages")
    return dict(pages) if isinstance(pages, dict) else {}


def _read_origin(manifest: Path) -> Origin | None:
    """Return which study the reports are on; None where the manifest does not say."""
    stated: Any = _document(manifest).get("study")
    with suppress(KeyError, TypeError, AttributeError):
        return Origin(
            title=str(stated["title"]),
            titled=bool(stated["titled"]),
            files={str(name): str(digest) for name, digest in stated["files"].items()},
            place=str(stated["place"]),
        )
    return None


def _document(manifest: Path) -> dict[str, Any]:
    try:
        document = json.loads(read_bounded(manifest, _LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def read_entry(manifest: Path, page: str) -> Entry:
    """Return what a manifest says of one page; an entry of nothing where it says nothing sound."""
    nothing = Entry(fingerprint={}, answers="", files={}, failure=None)
    stated = _read_manifest(manifest).get(page)
    if not isinstance(stated, dict):
        return nothing
    with suppress(KeyError, TypeError, ValueError, AttributeError):
        failed = stated.get("failure")
        return Entry(
            fingerprint={str(part): str(digest) for part, digest in stated["fingerprint"].items()},
            answers=_plain_name(stated["answers"]) if stated["answers"] else "",
            files={_name_within(name): str(digest) for name, digest in stated["files"].items()},
            failure=failed
            and Failure(
                exit_code=int(failed["exit_code"]), error=str(failed["error"]), page=_plain_name(failed["page"])
            ),
            inputs={str(part): str(digest) for part, digest in stated.get("inputs", {}).items()},
        )
    return nothing


def holds_reports(output: Path) -> bool:
    """Tell whether a folder has reports below it; decks are no reports, and stand in no list."""
    return any(_read_manifest(manifest) for manifest in output.glob("*/manifest.json"))


def write_entry(manifest: Path, page: str, entry: Entry, *, origin: Origin | None = None) -> None:
    """Put what is known of one page, and of the study where it is told, into the manifest; the rest of it stays."""
    failure = entry.failure
    stated = {
        "fingerprint": dict(entry.fingerprint),
        "answers": entry.answers,
        "files": dict(sorted(entry.files.items())),
        "failure": failure and {"exit_code": failure.exit_code, "error": failure.error, "page": failure.page},
        "inputs": dict(entry.inputs),
    }
    _write(manifest, {page: stated}, origin)


def _write_origin(manifest: Path, origin: Origin) -> None:
    """Put into the manifest which study the folder is on; the rest of it stays."""
    _write(manifest, {}, origin)


def _write(manifest: Path, stated: Mapping[str, Any], origin: Origin | None) -> None:
    with locked(manifest.with_name(".manifest.lock"), wait=True):
        pages = {**_read_manifest(manifest), **stated}
        origin = origin or _read_origin(manifest)
        study = {"study": asdict(origin)} if origin else {}
        document = {"schema": _SCHEMA, **study, "pages": dict(sorted(pages.items()))}
        # In ASCII: the name of a study may hold bytes that are no text.
        write_text(manifest, json.dumps(document, indent=1) + "\n")


def _plain_name(name: object) -> str:
    """Return a file name that leads nowhere else."""
    if not isinstance(name, str) or not name or Path(name).name != name or name == "..":
        raise ValueError
    return name


def _name_within(name: object) -> str:
    """Return the name of a file of the report's folder, or of a folder in it: figures lie in one of their own."""
    if not isinstance(name, str):
        raise ValueError
    for part in name.split("/"):
        _plain_name(part)
    return name


def _check_place(place: Place, output: Path, study: Study, origin: Origin) -> None:
    """Make sure that a report may be written in its place."""
    if place.folder.name in ("index.html", ".index.lock"):
        raise PlaceTaken(f"{printable(str(place.folder))}: is where the list of reports lies; rename the study")
    _check_apart(place, output, study)
    if not (os.path.exists(place.lock) or place.page.name in _read_manifest(place.manifest)):
        for path in (place.page, place.notebook, place.answers, place.failed_page, place.failed_notebook):
            _refuse_if_there(path)
    if not (os.path.exists(place.folder / ".manifest.lock") or _is_ours(place.manifest)):
        _refuse_if_there(place.manifest)
    _check_same(place, origin)


def check_index(output: Path) -> None:
    """Make sure that the list of all reports takes the place of no page that somebody else wrote."""
    if not os.path.isdir(output):  # which says no of a name too long, where Path.is_dir raises
        return
    if not (os.path.exists(output / ".index.lock") or holds_reports(output)):
        _refuse_if_there(output / "index.html")


def _refuse_if_there(path: Path) -> None:
    if os.path.lexists(path):
        raise PlaceTaken(
            f"{printable(str(path))}: is there, and benchlib did not write it; "
            "move it away, or choose another place with -o"
        )


def _is_ours(path: Path) -> bool:
    """Tell whether a file of JSON names a schema of benchlib's."""
    return str(_document(path).get("schema")).startswith("benchlib-")


def _check_same(place: Place, origin: Origin) -> None:
    """Refuse the reports of another study.

    A study is the same with a file of the same content, or where it was, with the same title or a file of the same
    name. Elsewhere it is the same with the same title, where ``study.toml`` gave it both times: a folder's name, which
    stands for a title that is not given, says nothing there.
    """
    before = _read_origin(place.manifest)
    if before is None or set(before.files.values()) & set(origin.files.values()):
        return
    same_title = before.title == origin.title
    alike = same_title or not before.files.keys().isdisjoint(origin.files)
    elsewhere = before.place != origin.place
    if same_title and before.titled and origin.titled:
        return
    if alike and not elsewhere:
        return
    how, way = "", ", or delete this one"
    if alike:
        how = ", which lies elsewhere and shares no content"
        way = ", delete this one, or, if both are one study, give them one 'title' in study.toml"
    raise PlaceTaken(
        f"{printable(str(place.folder))}: holds the reports on {_named(before)}, another study than "
        f"{_named(origin)}{how}; choose another folder with -o{way}"
    )


def _named(origin: Origin) -> str:
    some = ", ".join(printable(name, 60) for name in list(origin.files)[:2])
    return f"'{printable(origin.title, 60)}' ({some}{', …' if len(origin.files) > 2 else ''})"


def _check_apart(place: Place, output: Path, study: Study) -> None:
    """Refuse the study's own folder for reports: the next run passes over folders of reports, and not over that one."""
    home = Path(study.path).resolve()
    if home.is_dir() and home in (place.folder.resolve(), output.resolve()):
        raise PlaceTaken(
            f"{printable(str(place.folder))}: reports would lie among the files of the study itself, which would read "
            "them as results; choose a folder of their own with -o"
        )
