"""Which reports a command asks for: each study with each set of parameters."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchlib.cli.options import assignments
from benchlib.errors import InputError, ParameterError, printable
from benchlib.files import explaining_refusals

if TYPE_CHECKING:
    from benchlib.report.page.formats.browser import Browser
    from benchlib.report.running.build import Built, Making
    from benchlib.report.running.order import Order
    from benchlib.report.running.place import Place
    from benchlib.report.running.stages import Told

__all__ = ["Job", "jobs_asked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One report to build.

    Attributes
    ----------
    study : str
        As it was named.
    output : Path
    notebook, name : str
        ``name`` is that of the set of parameters; "" without one.
    parameters : dict of str to object
    strict : bool
    making : Making
    """

    study: str
    output: Path
    notebook: str
    name: str
    parameters: dict[str, object]
    strict: bool
    making: Making

    @property
    def label(self) -> str:
        """What a line of output is about."""
        return printable(f"{self.study} [{self.name}]" if self.name else self.study)

    def build(self, told: Told) -> Built:
        """Build the report."""
        from benchlib.report.running.build import build_report

        with explaining_refusals():
            return build_report(
                self.study,
                self.output,
                notebook=self.notebook,
                name=self.name,
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
        from benchlib.report.running.build import add_formats
        from benchlib.report.running.locking import locked

        place = self.place()
        with explaining_refusals(), locked(place.lock, wait=True):
            formats, undrawn = add_formats(place, self.making.formats, self.study, browser=browser, told=told)
            return replace(built, formats=formats, undrawn=undrawn)

    def order(self) -> Order:
        """Check everything, and build nothing."""
        from benchlib.report.running.order import checked_order

        with explaining_refusals():
            return checked_order(
                self.study,
                self.output,
                notebook=self.notebook,
                name=self.name,
                parameters=self.parameters,
                strict=self.strict,
                style=self.making.style,
            )

    def as_published(self) -> bool:
        """Tell whether the report that lies there was built with these parameters."""
        from benchlib.report.running.order import asked_as_published

        return asked_as_published(self.place(), self.study, notebook=self.notebook, parameters=self.parameters)

    def place(self) -> Place:
        """Return where the report lies, or would lie."""
        from benchlib.report.running.order import place_of

        return place_of(self.study, self.output, notebook=self.notebook, name=self.name)


def jobs_asked(given: argparse.Namespace, making: Making) -> list[Job]:
    """Return a job for each study and each set of parameters.

    Raises
    ------
    BenchlibError
        If studies or parameters cannot be what was meant.
    """
    studies = _studies(given)
    common = _parameters(given)
    sets = list(_sets(given, common))
    _refuse_twins(studies)
    return [
        Job(
            study=study,
            output=given.output,
            notebook=given.notebook,
            name=name,
            parameters=parameters,
            strict=given.strict,
            making=making,
        )
        for study in studies
        for name, parameters in sets
    ]


def _parameters(given: argparse.Namespace) -> dict[str, str]:
    """Return what stands on the command line; ``--where`` and ``--reader`` are parameters too."""
    found = assignments(given.parameter, "-p")
    for name, value in (("where", given.where), ("reader", given.reader)):
        if value and name in found:
            raise ParameterError(f"'{name}' is given twice, by --{name} and by -p; give it once")
        if value:
            found[name] = value
    return found


def _sets(given: argparse.Namespace, common: dict[str, str]) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield each set of parameters with what the command line says for all."""
    if given.parameters is None:
        yield "", dict(common)
        return
    from benchlib.report.running.declarations import declared_parameters
    from benchlib.report.running.notebooks import find_notebook
    from benchlib.report.running.parameter_sets import read_parameter_sets

    notebook = find_notebook(given.notebook)
    for one in read_parameter_sets(given.parameters, declared_parameters(notebook), notebook=notebook.name):
        if twice := sorted(common.keys() & one.values.keys()):
            raise ParameterError(
                f"'{twice[0]}' is given twice, by [{one.name}] of {printable(str(given.parameters))} and on the "
                "command line; give it once"
            )
        yield one.name, {**common, **one.values}


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
