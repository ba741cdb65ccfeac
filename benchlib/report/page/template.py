"""The frames of pages: templates, rules of style and scripts that come with benchlib."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

FRAME, REPORTS = "frame.html.j2", "reports.html.j2"

#: Where they lie.
OWN = Path(__file__).with_name("templates")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(OWN), autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )


def render(name: str, **words: object) -> str:
    """Return a template filled in."""
    return _environment().get_template(name).render(**words)


def own_script(name: str) -> str:
    """Return one of benchlib's scripts; "" for no name."""
    return (OWN / name).read_text(encoding="utf-8") if name else ""


def own_style(name: str = "page.css") -> str:
    """Return benchlib's rules of style."""
    return (OWN / name).read_text(encoding="utf-8")
