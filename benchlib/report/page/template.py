"""The frame of a page: benchlib's own, or that of a house with its blocks replaced."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchlib.errors import InputError, choices, printable, suggestion
from benchlib.report.page.filling import filled_apart

if TYPE_CHECKING:
    from jinja2 import Environment

    from benchlib.study.section import Section

__all__ = [
    "FRAME",
    "HOUSE_CSS",
    "OWN",
    "REPORTS",
    "TEMPLATE_FILES",
    "check_templates",
    "environment",
    "filled",
    "house_css",
    "own_script",
    "own_style",
    "render",
]

FRAME, REPORTS, HOUSE_CSS = "frame.html.j2", "reports.html.j2", "house.css"

#: What a template folder may hold: the frame of every page, the list of reports, and rules of style that come last.
TEMPLATE_FILES = (FRAME, REPORTS, HOUSE_CSS)

#: Where benchlib's own lie; a house's template reaches them as ``benchlib/frame.html.j2``.
OWN = Path(__file__).with_name("templates")

#: What a template may come to, besides errors of its own: ``{{ 1 / 0 }}``, or more loops in loops than Python takes.
_WRONG = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    OSError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
)

#: Bytes of a template, which takes a few lines: what is looked at by this process takes it seconds at most.
_LARGEST = 1 << 20

#: What is wrong with a link that leaves the folder.
_ELSEWHERE = "leads to no file of its folder; put the file itself there"


@cache
def environment(folder: Path | None) -> Environment:
    """Return where templates are looked for: in a folder of the house first, then in benchlib's own.

    A template says how a page looks. It runs no code and changes nothing that it is given, whoever wrote it.
    """
    from jinja2 import ChoiceLoader, FileSystemLoader, FunctionLoader, PrefixLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    own = FileSystemLoader(OWN)
    places = [FunctionLoader(partial(_of_house, folder))] if folder else []
    return ImmutableSandboxedEnvironment(
        loader=ChoiceLoader([*places, own, PrefixLoader({"benchlib": own})]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


def _of_house(folder: Path, name: str) -> str | None:
    """Return a template of a house: one of those that are looked at before, and no file from elsewhere."""
    path = folder / name
    if name not in TEMPLATE_FILES or not path.is_file():
        return None
    if not _lies_in(folder, path):
        raise InputError(f"'{name}' {_ELSEWHERE}")
    return path.read_text(encoding="utf-8")


def _lies_in(folder: Path, path: Path) -> bool:
    """Whether a path is a file of the folder; links are followed."""
    return path.is_file() and Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _words(error: Exception) -> str:
    """Return what is wrong with a template, without lines of the Python that it was made into."""
    if isinstance(error, RecursionError):
        return "is nested too deep, or takes in itself"
    return str(error.msg if isinstance(error, SyntaxError) else error)


def render(name: str, folder: Path | None, **words: object) -> str:
    """Return a template filled in.

    Raises
    ------
    InputError
        If the house's template asks for what there is not, or may not be had, or does not end.
    """
    if folder is None or not (folder / name).is_file():
        return environment(folder).get_template(name).render(**words)
    try:
        return filled_apart(name, folder, words)
    except InputError as error:
        place = printable((folder / name).as_posix())
        raise InputError(
            f"{place}: {printable(str(error))}; see docs/house-style.md for what a template is given"
        ) from error


def filled(name: str, folder: Path, words: Mapping[str, object]) -> str:
    """Return a template of a house filled in, by this process.

    Raises
    ------
    InputError
        In the words of jinja2 or Python.
    """
    from jinja2 import TemplateError, TemplateNotFound

    try:
        return environment(folder).get_template(name).render(**words)
    except TemplateNotFound as error:
        raise InputError(f"no template '{error.name}'") from error
    except (TemplateError, *_WRONG) as error:
        raise InputError(_words(error)) from error


def own_script(name: str) -> str:
    """Return one of benchlib's scripts; "" for no name."""
    return (OWN / name).read_text(encoding="utf-8") if name else ""


def own_style(name: str = "page.css") -> str:
    """Return benchlib's rules of style."""
    return (OWN / name).read_text(encoding="utf-8")


def house_css(folder: Path | None) -> str:
    """Return the rules of a house, which follow benchlib's own."""
    path = folder / HOUSE_CSS if folder else None
    return path.read_text(encoding="utf-8") if path and path.is_file() else ""


def check_templates(table: Section, key: str, folder: Path) -> None:
    """Make sure that a template folder holds only what is used, and that it can be read.

    Raises
    ------
    StudyError
        For a file that nothing would read, or a template that is not sound, with its line.
    """
    from jinja2 import TemplateSyntaxError

    for path in sorted(folder.iterdir()):
        name = path.name
        if name.startswith("."):
            continue
        if name not in TEMPLATE_FILES:
            raise table.error(
                key,
                f"'{key}' {table.label}: nothing reads '{printable(name, 60)}' in it"
                f"{suggestion(name, TEMPLATE_FILES)}; accepted: {choices(TEMPLATE_FILES)}",
            )
        place = printable(path.as_posix())
        if not _lies_in(folder, path):
            raise table.error(key, f"{place}: {_ELSEWHERE}")
        template = name.endswith(".j2")
        if template and path.stat().st_size > _LARGEST:
            raise table.error(key, f"{place}: larger than {_LARGEST >> 20} MiB; a template takes a few lines")
        try:
            text = path.read_text(encoding="utf-8")
            if template:
                environment(folder).parse(text)
        except TemplateSyntaxError as error:
            raise table.error(key, f"{place}:{error.lineno}: {printable(str(error.message))}") from error
        except (OSError, UnicodeDecodeError) as error:
            raise table.error(key, f"{place}: cannot be read as UTF-8 text; save it as UTF-8") from error
        except (RecursionError, ValueError) as error:  # of brackets in brackets; of a number of 5,000 digits
            raise table.error(key, f"{place}: {printable(_words(error))}") from error
