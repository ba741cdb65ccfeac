"""From a study to a report on disk: notebook, page and answers, whole or not at all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from benchlib.errors import ExportError, InputError, ParameterError, printable, suggestion
from benchlib.files import write_text

__all__ = ["Built", "build_index", "build_report", "find_notebook", "shipped_notebooks"]

#: Libraries whose version changes what a report shows.
_LIBRARIES = ("numpy", "scipy", "pandas", "plotly", "papermill", "nbconvert", "nbformat")

#: The notebook of a report that names no other.
_SUMMARY = "executive_summary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A report on disk.

    Attributes
    ----------
    page, notebook, answers : Path
    fresh : bool
        Whether it was built now; False where nothing had changed since the last time.
    status, verdict : str
    """

    page: Path
    notebook: Path
    answers: Path
    fresh: bool
    status: str
    verdict: str


def shipped_notebooks() -> Path:
    """Return the folder of the notebooks that come with benchlib.

    They lie beside the package in a checkout, and inside it in an installed wheel.
    """
    package = Path(__file__).resolve().parents[2]
    beside, inside = package.parent / "notebooks", package / "notebooks"
    return inside if inside.is_dir() else beside


def find_notebook(name: str) -> Path:
    """Return the notebook of a name: a path, or one that comes with benchlib.

    Raises
    ------
    InputError
        If there is none.
    """
    path = Path(name)
    if path.suffix == ".ipynb" and path.is_file():
        return path
    shipped = {one.stem: one for one in sorted(shipped_notebooks().glob("*.ipynb"))}
    if path.stem in shipped and path.parent == Path():
        return shipped[path.stem]
    raise InputError(
        f"no notebook '{printable(name)}'{suggestion(path.stem, shipped)}; "
        f"name a .ipynb file, or one of {', '.join(shipped)}"
    )


def build_report(
    study_path: str | Path,
    output: Path,
    *,
    notebook: str = _SUMMARY,
    parameters: Mapping[str, str] | None = None,
    strict: bool = False,
    force: bool = False,
    quiet: bool = False,
) -> Built:
    """Run a notebook on a study and write page, executed notebook and answers.

    The report lies in ``output/<study>/``, beside those of other notebooks on the study: each has its page, its
    executed notebook and its answers (``answers.json`` of the executive summary, ``40_scaling.answers.json`` of
    another); ``manifest.json`` lists them. It is skipped where study, notebook, parameters,
    library versions and benchlib's own code are what they were when it was last built.

    Parameters
    ----------
    study_path : str or Path
    output : Path
        The folder of all reports.
    notebook : str
        A path, or the name of one that comes with benchlib.
    parameters : mapping of str to str
        As given on the command line; checked against the notebook's declaration.
    strict : bool
        Stop at the first problem in a file.
    force : bool
        Build even if nothing changed.
    quiet : bool

    Raises
    ------
    BenchlibError
        As `open_study`, `check_parameters`, `execute_notebook` and `check_page` do.
    """
    from benchlib.report.page.export import check_page, extract_answers, to_html
    from benchlib.report.running.execution import execute_notebook
    from benchlib.report.running.parameters import check_parameters, declared_parameters
    from benchlib.statistics.checks import checked_level
    from benchlib.study import open_study

    if "study" in (parameters or {}):
        raise ParameterError("'study' is given twice, as the study and as a parameter; give it once")
    source = find_notebook(notebook)
    values = check_parameters(
        declared_parameters(source), {"study": str(study_path), **(parameters or {})}, notebook=source.name
    )
    if isinstance(level := values.get("confidence_level"), float):
        checked_level(level)
    # Opened here too: what is wrong with a study is then one line, not a failing cell.
    where, reader = (str(values.get(one, "")) for one in ("where", "reader"))
    study = open_study(study_path, where=where, strict=strict, format=reader)
    folder = output / study.name
    built = Built(
        page=folder / f"{source.stem}.html",
        notebook=folder / f"{source.stem}.ipynb",
        answers=folder / ("answers.json" if source.stem == _SUMMARY else f"{source.stem}.answers.json"),
        fresh=False,
        status="",
        verdict="",
    )
    digest = fingerprint(study, source, values)
    if not force and (kept := _unchanged(built, folder / "manifest.json", digest)):
        return kept
    _make_folder(folder)
    executed = execute_notebook(source, built.notebook, values, quiet=quiet)
    answers = extract_answers(executed)
    page = to_html(executed, title=study.title, footer=f"benchlib {metadata.version('benchlib')}")
    check_page(page, executed)
    write_text(built.answers, json.dumps(answers, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
    write_text(built.page, page)
    # Read again: another page of the study may have been built meanwhile.
    pages = {
        **_pages(folder / "manifest.json"),
        built.page.name: {"fingerprint": digest, "answers": built.answers.name},
    }
    write_text(folder / "manifest.json", json.dumps({"pages": pages}, indent=1) + "\n")
    return _told(built, answers, fresh=True)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or "error"
        raise InputError(f"{folder}: cannot be made a folder ({reason}); choose another with -o") from error


def fingerprint(study: Any, notebook: Path, parameters: Mapping[str, object]) -> str:
    """Return a hash of everything that decides what a report says."""
    package = Path(__file__).resolve().parents[2]
    code = hashlib.sha256()
    for file in sorted(one for one in package.rglob("*") if one.suffix in (".py", ".j2", ".css", ".js", ".json")):
        code.update(file.read_bytes())
    parts = {
        "code": code.hexdigest(),
        "notebook": hashlib.sha256(notebook.read_bytes()).hexdigest(),
        "study": study.definition_sha256,
        "profiles": [dict(one.profiled) for one in study.breakdowns],
        "files": {one.source: one.sha256 for one in study.results.files},
        "problems": [str(one) for one in study.results.problems],
        "parameters": {name: value for name, value in parameters.items() if name != "study"},
        "versions": {name: metadata.version(name) for name in _LIBRARIES},
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _unchanged(built: Built, manifest: Path, digest: str) -> Built | None:
    if not (built.page.is_file() and built.answers.is_file()):
        return None
    stated = _pages(manifest).get(built.page.name, {})
    if stated.get("fingerprint") != digest:
        return None
    try:
        answers = json.loads(built.answers.read_text(encoding="utf-8"))
    except ValueError:
        return None  # somebody edited them: build again
    return _told(built, answers, fresh=False)


def _pages(manifest: Path) -> dict[str, dict[str, str]]:
    """Return what a manifest says of each page; nothing where there is none, or somebody edited it."""
    try:
        found = json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    pages = found.get("pages") if isinstance(found, dict) else None
    return dict(pages) if isinstance(pages, dict) else {}


def _told(built: Built, answers: Mapping[str, Any], *, fresh: bool) -> Built:
    return Built(
        page=built.page,
        notebook=built.notebook,
        answers=built.answers,
        fresh=fresh,
        status=str(answers.get("status", "")),
        verdict=str(answers.get("verdict", "")),
    )


def build_index(output: Path) -> Path:
    """Write ``index.html`` for every report below a folder, and return it.

    Raises
    ------
    ExportError
        If a report's answers cannot be read.
    """
    from benchlib.report.page.index import IndexEntry, to_index

    entries = []
    for manifest in sorted(output.glob("*/manifest.json")):
        pages = _read_json(manifest).get("pages", {})
        for page in sorted(pages, key=lambda one: (one != f"{_SUMMARY}.html", one)):
            try:
                answers = _read_json(manifest.with_name(pages[page]["answers"]))
            except (KeyError, TypeError, ValueError) as error:
                raise ExportError(
                    f"{manifest}: names no answers of {printable(page)}; delete the report and build it again"
                ) from error
            # Pages of one study bear its name: all but the summary say which they are.
            which = "" if page == f"{_SUMMARY}.html" else f" ({Path(page).stem})"
            entries.append(
                IndexEntry(
                    title=f"{answers.get('title', manifest.parent.name)}{which}",
                    href=f"{manifest.parent.name}/{page}",
                    status=_STATUS.get(str(answers.get("status", "")), "none"),
                    verdict=str(answers.get("verdict", "")),
                    updated="",
                    cards=tuple((str(one["label"]), str(one["value"])) for one in answers.get("cards", [])[:3]),
                )
            )
    index = output / "index.html"
    write_text(index, to_index(entries))
    return index


_STATUS = {"PASS": "pass", "WARN": "warn", "FAIL": "fail"}


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ExportError(f"{path}: not readable as JSON ({error}); delete the report and build it again") from error
    return dict(found)
