"""What a report is to be made of, checked before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchlib.errors import BenchlibError, InputError, ParameterError, printable
from benchlib.report.running.declarations import declared_parameters
from benchlib.report.running.fingerprint import changed_parts, fingerprint, parameters_digest
from benchlib.report.running.guarding import check_place
from benchlib.report.running.history import built_for, data_stamp
from benchlib.report.running.manifest import Origin, origin_of, read_entry
from benchlib.report.running.notebooks import find_notebook
from benchlib.report.running.parameters import Value, check_parameters
from benchlib.report.running.place import Place
from benchlib.report.running.planned import check_plan
from benchlib.report.running.secrets import Secrets, named_secrets

if TYPE_CHECKING:
    from benchlib.report.page.style import HouseStyle

__all__ = ["Order", "asked_as_published", "checked_order", "place_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A report that can be built: its inputs are there and sound.

    Attributes
    ----------
    place : Place
    title : str
        Of the study.
    origin : Origin
        The study, as the manifest names it.
    notebook : Path
    values : dict of str to value
        The parameters, typed.
    secrets : Secrets
        What the parameters name and nothing may hold.
    parts : dict of str to str
        The fingerprint.
    built_for : str
        The day that the page bears; "" for none.
    stamp : datetime
        When the report is from.
    """

    place: Place
    title: str
    origin: Origin
    notebook: Path
    values: dict[str, Value]
    secrets: Secrets
    parts: dict[str, str]
    built_for: str
    stamp: datetime

    def due(self) -> tuple[str, ...]:
        """Return why the report must be built; nothing where it is on disk as it would be built.

        Either ``never built``, ``its files``, or the parts of the fingerprint that changed.
        """
        known = read_entry(self.place.manifest, self.place.page.name)
        if not known.fingerprint:
            return ("never built",)
        return changed_parts(known.fingerprint, self.parts) or (
            () if known.intact(self.place.folder) else ("its files",)
        )


def place_of(study_path: str | Path, output: Path, *, notebook: str, name: str) -> Place:
    """Return where the report on a study lies, without opening the study.

    Raises
    ------
    InputError
        If there is no such study or notebook.
    """
    from benchlib.study.opening import resolve_study

    folder = output / resolve_study(study_path)[0].name
    stem = find_notebook(notebook).stem
    return Place(folder=folder, stem=f"{stem}.{name}" if name else stem)


def asked_as_published(
    place: Place, study_path: str | Path, *, notebook: str, parameters: Mapping[str, object]
) -> bool:
    """Tell whether a report was published with these very parameters: else they may be what is wrong."""
    known = read_entry(place.manifest, place.page.name)
    try:
        values = _checked_values(study_path, find_notebook(notebook), parameters)
    except BenchlibError:
        return False
    return known.fingerprint.get("parameters") == parameters_digest(values)


def _checked_values(study_path: str | Path, source: Path, parameters: Mapping[str, object]) -> dict[str, Value]:
    if "study" in parameters:
        raise ParameterError("'study' is given twice, as the study and as a parameter; give it once")
    return check_parameters(declared_parameters(source), {"study": str(study_path), **parameters}, notebook=source.name)


def checked_order(
    study_path: str | Path,
    output: Path,
    *,
    notebook: str,
    name: str,
    parameters: Mapping[str, object],
    strict: bool,
    style: HouseStyle | None,
) -> Order:
    """Check parameters, secrets and study, and say what would be built where.

    Raises
    ------
    BenchlibError
        As `check_parameters` and `open_study` do.
    """
    from benchlib.statistics.estimates import checked_level
    from benchlib.study import open_study

    source = find_notebook(notebook)
    values = _checked_values(study_path, source, parameters)
    if isinstance(level := values.get("confidence_level"), float):
        checked_level(level)
    if style and (plan := style.pages.get(source.stem)) and plan.append:
        declared_parameters(plan.append)  # what is wrong with the house's notebook is told now too
    secrets = named_secrets(value for given, value in values.items() if given != "study")
    # Opened here too: what is wrong with a study is then one line, not a failing cell; forked cells get a copy.
    where, reader = (str(values.get(one, "")) for one in ("where", "reader"))
    study = open_study(study_path, where=where, strict=strict, format=reader, keep=True)
    check_plan({one.name: one.default for one in declared_parameters(source)} | values, study)
    place = Place(folder=output / study.name, stem=f"{source.stem}.{name}" if name else source.stem)
    if source.resolve() in (place.notebook.resolve(), place.failed_notebook.resolve()):
        raise InputError(
            f"{printable(str(source))}: the executed notebook would take its place; "
            "move it out of the folder of reports, or choose another with -o"
        )
    origin = origin_of(study, output)
    check_place(place, output, study, origin)
    day = built_for()
    return Order(
        place=place,
        title=study.title,
        origin=origin,
        notebook=source,
        values=values,
        secrets=secrets,
        parts=fingerprint(study, source, values, style=style.digest if style else "", built_for=day),
        built_for=day,
        stamp=data_stamp(study),
    )
