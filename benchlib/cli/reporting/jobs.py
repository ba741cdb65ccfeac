"""Which reports a command asks for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from benchlib.cli.options import assignments
from benchlib.errors import InputError, ParameterError, printable
from benchlib.files import explaining_refusals

if TYPE_CHECKING:
    from benchlib.report.page.formats.browser import Browser
    from benchlib.run.build import Built, Making, Order, Told
    from benchlib.run.manifest import Place

__all__ = ["Job", "jobs_asked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One report to build.

    Attributes
    ----------
    study : str
        As it was named.
    output : Path
    notebook : str
    parameters : dict of str to object
    strict : bool
    making : Making
    """

    study: str
    output: Path
    notebook: str
    parameters: dict[str, object]
    strict: bool
    making: Making

    @property
    def label(self) -> str:
        """What a line of output is about."""
        return printable(self.study)

    def build(self, told: Told) -> Built:
        """Build the report."""
        from benchlib.run.build import build_report

        with explaining_refusals():
            return build_report(
                self.study,
                self.output,
                notebook=self.notebook,
                parameters=self.parameters,
                strict=self.strict,
                making=self.making,
                told=told,
            )

    def pages_only(self) -> Job:
        """Return the same job without further formats."""
        return replace(self, making=replace(self.making, formats=()))

    def with_formats(self, built: Built, browser: Browser, told: Told) -> Built:
        """Write the further formats of a report that was built without them."""
        from benchlib.run.build import add_formats
        from benchlib.run.manifest import locked

        place = self.place()
        with explaining_refusals(), locked(place.lock, wait=True):
            formats, undrawn = add_formats(place, self.making.formats, self.study, browser=browser, told=told)
            return replace(built, formats=formats, undrawn=undrawn)

    def order(self) -> Order:
        """Check everything, and build nothing."""
        from benchlib.run.build import checked_order

        with explaining_refusals():
            return checked_order(
                self.study,
                self.output,
                notebook=self.notebook,
                parameters=self.parameters,
                strict=self.strict,
                style=self.making.style,
            )

    def as_published(self) -> bool:
        """Tell whether the report that lies there was built with these parameters."""
        from benchlib.run.build import asked_as_published

        return asked_as_published(self.place(), self.study, notebook=self.notebook, parameters=self.parameters)

    def place(self) -> Place:
        """Return where the report lies, or would lie."""
        from benchlib.run.build import place_of

        return place_of(self.study, self.output, notebook=self.notebook)


def jobs_asked(given: argparse.Namespace, making: Making) -> list[Job]:
    """Return a job for each study.

    Raises
    ------
    BenchlibError
        If studies or parameters cannot be what was meant.
    """
    studies = _studies(given)
    parameters = _parameters(given)
    _refuse_twins(studies)
    return [
        Job(
            study=study,
            output=given.output,
            notebook=given.notebook,
            parameters=parameters,
            strict=given.strict,
            making=making,
        )
        for study in studies
    ]


def _parameters(given: argparse.Namespace) -> dict[str, object]:
    """Return what the file and the command line give, which wins; ``--where`` and ``--reader`` are parameters too."""
    stated = assignments(given.parameter, "-p")
    for name, value in (("where", given.where), ("reader", given.reader)):
        if value and name in stated:
            raise ParameterError(f"'{name}' is given twice, by --{name} and by -p; give it once")
        if value:
            stated[name] = value
    return (_read_parameters(given.parameters_file) if given.parameters_file else {}) | stated


def _read_parameters(path: Path) -> dict[str, object]:
    """Return the parameters of a YAML file, as ``papermill -f`` reads it."""
    import yaml

    shown = printable(str(path))
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # a text that is no UTF-8 is a ValueError too
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(f"-f {shown}: cannot be read ({reason}); name a YAML file of parameters") from None
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        reason = getattr(error, "problem", None) or "nested too deep"
        raise InputError(f"-f {shown}{line}: not YAML ({printable(str(reason), 100)}); write NAME: VALUE") from None
    if not isinstance(document, dict) or not all(isinstance(name, str) for name in document):
        raise InputError(f"-f {shown}: holds no parameters; write a line NAME: VALUE for each")
    for name, value in document.items():
        items = value if isinstance(value, list) else [value]
        if not all(isinstance(item, str | int | float | date) for item in items):
            raise InputError(f"-f {shown}: '{printable(name, 60)}' is neither a value nor a list of values")
    if "study" in document:
        raise ParameterError(f"-f {shown}: 'study' is named on the command line; leave it out")
    return document


def _studies(given: argparse.Namespace) -> list[str]:
    if given.all and given.studies:
        raise InputError("name studies or say --all, not both")
    if not given.all:
        if not given.studies:
            raise InputError("no study named; name a folder of results, or say --all for every study in data/")
        if "-" in given.studies:
            raise InputError("-: a report reads its study more than once; save standard input to a file and name that")
        return list(given.studies)
    found = sorted(one.parent.as_posix() for one in Path("data").glob("*/study.toml"))
    if not found:
        raise InputError("no study in data/; run from the project's folder, or name the studies")
    return found


def _refuse_twins(studies: list[str]) -> None:
    """Two studies of one name would share a folder: the second report would take the first's place."""
    from benchlib.study.open import resolve_study

    seen: dict[str, tuple[str, Path]] = {}
    for one in studies:
        try:
            place = resolve_study(one)[0]
        except InputError:
            continue  # told when it is built, beside the others
        earlier, taken = seen.setdefault(place.name, (one, place))
        if taken is not place and taken == place:
            raise InputError(f"{printable(one)} is the same study as {printable(earlier)}; name it once")
        if taken != place:
            raise InputError(
                f"{printable(earlier)} and {printable(one)} are both named '{printable(place.name)}'; "
                "build them into two folders with -o"
            )
