"""``benchlib doctor``: what is installed here, what is missing for what, and the command that mends it."""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from packaging.requirements import Requirement

from benchlib.errors import InputError
from benchlib.render.chromium import find_chromium

#: Extra of pyproject.toml -> what it is for; the first is what benchlib cannot do without.
_EXTRAS = {
    "": "reports, slides, notebooks",
    "lab": "JupyterLab: notebooks by hand, sliders, scheduled jobs (make lab)",
    "arrow": "Parquet: results read, and written by benchlib convert",
    "cluster": "benchlib fleet run --dask",
    "slides": "PowerPoint: benchlib slides --to pptx",
    "zstd": "results in .zst files",
    "docs": "building this project's documentation (make docs)",
    "test": "working on benchlib itself (make test)",
}


@dataclass(frozen=True, slots=True)
class _Finding:
    """One row: a part, whether it is there, what it is for, and what would mend it."""

    part: str
    state: str
    purpose: str
    remedy: str


def add_options(command: argparse.ArgumentParser) -> None:
    """Describe the command; it has no options."""
    command.description = "Say what is installed, what is missing for what, and the command that mends it."
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print the table; nothing missing is an error, for most of it is needed by some."""
    findings = [*_packages(), _chromium(), _go()]
    rows = [("part", "state", "for"), *((row.part, row.state, row.purpose) for row in findings)]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    print(f"benchlib {importlib.metadata.version('benchlib')}, Python {platform.python_version()} ({sys.executable})\n")
    for part, state, purpose in rows:
        print(f"{part:<{widths[0]}}  {state:<{widths[1]}}  {purpose}")
    remedies = [row for row in findings if row.remedy]
    print("\nTo mend:" if remedies else "\nNothing is missing.")
    for row in remedies:
        print(f"  {row.part:<{widths[0]}}  {row.remedy}")
    return 0


def _packages() -> Iterator[_Finding]:
    """Yield a row an extra, as benchlib's own metadata list what belongs to it."""
    wanted = [Requirement(line) for line in importlib.metadata.requires("benchlib") or ()]
    provided = _provided()
    for extra in ("", *provided):
        # Without a marker a requirement belongs to the core; `benchlib[...]` names other extras, which have rows.
        own = [
            requirement
            for requirement in wanted
            if requirement.name != "benchlib"
            and (requirement.marker.evaluate({"extra": extra}) if requirement.marker else not extra)
        ]
        lacking = [requirement for requirement in own if not _satisfied(requirement)]
        names = ", ".join(requirement.name for requirement in lacking)
        yield _Finding(
            part=extra or "core",
            state=f"missing: {names}" if lacking else "installed",
            purpose=_EXTRAS[extra],
            remedy=f"{_pip()} install {' '.join(map(_quoted, lacking))}" if lacking else "",
        )


def _provided() -> list[str]:
    return importlib.metadata.metadata("benchlib").get_all("Provides-Extra") or []


def _satisfied(requirement: Requirement) -> bool:
    try:
        return importlib.metadata.version(requirement.name) in requirement.specifier
    except importlib.metadata.PackageNotFoundError:
        return False


def _quoted(requirement: Requirement) -> str:
    """Write a requirement for a shell, to which < and > mean files."""
    return f"'{requirement.name}{requirement.specifier}'"


def _pip() -> str:
    """Return the pip of this Python; uv makes environments without it."""
    return f"{sys.executable} -m pip" if importlib.util.find_spec("pip") else f"uv pip --python {sys.executable}"


def _chromium() -> _Finding:
    try:
        state, remedy = find_chromium(), ""
    except InputError:
        state, remedy = "missing", "apt install chromium, or name a Chrome or Chromium in BENCHLIB_CHROMIUM"
    return _Finding(part="Chromium", state=state, purpose="PDF, PNG and SVG of a page (--to pdf)", remedy=remedy)


def _go() -> _Finding:
    return _Finding(
        part="Go",
        state=shutil.which("go") or "missing",
        purpose="recording Go benchmarks (schedules/interleave.sh); benchlib itself never runs it",
        remedy="",
    )
