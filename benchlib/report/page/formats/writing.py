"""A report written in the formats asked for, beside its page."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from benchlib.errors import InputError, choices, printable, suggestion
from benchlib.files import replacing, write_text
from benchlib.report.page.formats.figures import Drawn, Kind, figure_slug

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from benchlib.report.page.formats.browser import Browser

__all__ = ["check_formats", "write_formats"]

#: What ``--to`` accepts, and in which order it is written.
FORMATS = ("html", "png", "svg", "pdf", "md")
_KINDS: tuple[Kind, ...] = get_args(Kind)
_DRAWN = {"pdf", *_KINDS}

#: The window that pages are opened in: as wide as the text of an A4 page, in CSS pixels.
_PAPER = (680, 962)


def check_formats(wanted: str) -> tuple[str, ...]:
    """Return the formats that a list such as ``html,pdf`` names, before anything is built.

    Raises
    ------
    InputError
        For a format that is none, or if one needs Chromium and there is none.

    Examples
    --------
    >>> check_formats("md, html")
    ('html', 'md')
    >>> check_formats("html,markdwn")
    Traceback (most recent call last):
    benchlib.errors.InputError: --to: no format 'markdwn'; accepted: html, png, svg, pdf, md
    """
    words = [one.strip().lower() for one in wanted.split(",")]
    for one in words:
        if one not in FORMATS:
            raise InputError(
                f"--to: no format '{printable(one, 40)}'{suggestion(one, FORMATS)}; accepted: {choices(FORMATS)}"
            )
    if _DRAWN & set(words):
        from benchlib.report.page.formats.browser import find_chromium

        find_chromium()
    return tuple(one for one in FORMATS if one in words)


def write_formats(
    executed: NotebookNode,
    page: Path,
    formats: Collection[str],
    *,
    browser: Browser | None = None,
) -> tuple[Path, ...]:
    """Write a report in further formats beside its page, each whole or not at all.

    PDF, PNG and SVG are drawn from the page itself, which has passed its check; Markdown is written from the same
    notebook. Markdown shows figures as files where PNG or SVG is among the formats, else in words.

    Parameters
    ----------
    executed : NotebookNode
        What the page was made from.
    page : Path
        The page on disk.
    formats : collection of str
        Of `FORMATS`; "html" is the page, which is there already.
    browser : Browser, optional
        A browser that serves several reports; without one, one is started where it is needed.

    Returns
    -------
    tuple of Path
        Every file written.

    Raises
    ------
    InputError
        If a place cannot be written, or there is no Chromium to draw with.
    ExportError
        If a figure or the page cannot be drawn.
    NotebookTimeout
        If Chromium takes too long.
    """
    from benchlib.report.page.formats.markdown import to_markdown

    figures, pdf = _draw(page, formats, browser) if _DRAWN & set(formats) else ({}, b"")
    written = list(_write_figures(page, figures))
    if pdf:
        written.append(_write_bytes(page.with_suffix(".pdf"), pdf))
    if "md" in formats:
        kind: Kind = "png" if "png" in figures else "svg"
        folder = _figures_folder(page).name
        pictures = {one.number: f"{folder}/{_name(one, kind)}" for one in figures.get(kind, ())}
        write_text(page.with_suffix(".md"), to_markdown(executed, title=_title(page), pictures=pictures))
        written.append(page.with_suffix(".md"))
    return tuple(written)


def _draw(page: Path, formats: Collection[str], browser: Browser | None) -> tuple[dict[Kind, tuple[Drawn, ...]], bytes]:
    """Draw from a page all that is asked for: figures as on a screen, and paper, which it is opened as anew."""
    from benchlib.report.page.formats.browser import Browser
    from benchlib.report.page.formats.figures import STEADY_IDS, draw_figures
    from benchlib.report.page.formats.pdf import print_page

    with ExitStack() as stack:
        running = browser or stack.enter_context(Browser())
        tab = running.tab(width=_PAPER[0], height=_PAPER[1])
        tab.before_scripts(STEADY_IDS)
        kinds = [kind for kind in _KINDS if kind in formats]
        if kinds:
            tab.open(page)
            tab.wait_drawn()
        figures = {kind: draw_figures(tab, kind) for kind in kinds}
        return figures, print_page(tab, page) if "pdf" in formats else b""


def _title(page: Path) -> str:
    """Return the title that a page bears."""
    found = re.search(r"<title>(.*?)</title>", page.read_text(encoding="utf-8"), re.DOTALL)
    return html.unescape(found[1]).strip() if found else page.stem


def _write_figures(page: Path, figures: dict[Kind, tuple[Drawn, ...]]) -> Iterable[Path]:
    folder = _figures_folder(page)
    if not figures:
        return
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made a folder ({error.strerror}); choose another with -o") from error
    for kind, drawn in figures.items():
        names = {_name(one, kind): one.content for one in drawn}
        for name, content in names.items():
            yield _write_bytes(folder / name, content)
        for old in folder.glob(f"[0-9][0-9]*.{kind}"):
            if old.name not in names:
                old.unlink()


def _write_bytes(path: Path, content: bytes) -> Path:
    with replacing(path) as temporary:
        temporary.write_bytes(content)
    return path


def _figures_folder(page: Path) -> Path:
    return page.with_suffix(".figures")


def _name(drawn: Drawn, kind: Kind) -> str:
    return f"{figure_slug(drawn.number, drawn.title)}.{kind}"
