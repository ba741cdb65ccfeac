"""A house style: what ``house.toml`` says, checked key by key.

A style changes how reports look and in which order they tell, never what they say: verdict, caveats and provenance
cannot be left out.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchlib.errors import printable
from benchlib.report.page.colours import Colours, read_colours
from benchlib.report.page.template import TEMPLATE_FILES, check_templates
from benchlib.study.section import Section
from benchlib.study.toml_files import decoded, parse_toml, read_bytes

__all__ = ["KEPT", "HouseStyle", "Logo", "PagePlan", "TitlePage", "read_style"]

#: Sections that no house leaves out: a page without them would say more than the data do.
KEPT = ("caveats", "provenance")

_PNG = b"\x89PNG\r\n\x1a\n"
_SVG = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*)*<svg[\s/>]", re.DOTALL
)
#: Bytes of a logo: every page carries it.
_LARGEST_LOGO = 64 << 10
#: Characters of one line of the title page.
_LONGEST_LINE = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Logo:
    """A picture that stands above the title.

    Attributes
    ----------
    data : str
        A ``data:`` address; SVG too stands in ``<img>``, where nothing in it can run.
    text : str
        Its words for those who cannot see it.
    """

    data: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TitlePage:
    """What stands on the title page, beside title and question."""

    organisation: str
    author: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePlan:
    """What becomes of the sections of one notebook's page.

    Attributes
    ----------
    first : tuple of str
        Sections that follow the verdict, in this order; the others follow them in their own.
    left_out : tuple of str
    append : Path or None
        A notebook of the house, run on the same study, whose cells end the page.
    section : Section
        Where it was written, for messages.
    """

    first: tuple[str, ...]
    left_out: tuple[str, ...]
    append: Path | None
    section: Section


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseStyle:
    """How the reports of a house look.

    Attributes
    ----------
    digest : str
        SHA-256 over the file and every file it names.
    logo : Logo or None
    title_page : TitlePage or None
    colours : Colours
    pages : mapping of str to PagePlan
        By the stem of the notebook.
    template : Path or None
        A folder whose files take the place of benchlib's own.
    """

    digest: str
    logo: Logo | None
    title_page: TitlePage | None
    colours: Colours
    pages: Mapping[str, PagePlan]
    template: Path | None


def read_style(path: Path) -> HouseStyle:
    """Read a ``house.toml`` and the files that it names.

    Parameters
    ----------
    path : Path

    Raises
    ------
    StudyError
        In one line, naming the file, the line, the key and what is accepted.
    """
    shown = printable(path.as_posix())
    raw = read_bytes(path, shown, advice="a style takes a few lines")
    top = parse_toml(decoded(raw, shown), shown)
    top.only("logo", "logo_text", "template", "title_page", "colours", "pages")
    beside = path.parent
    logo = _file(top, "logo", beside)
    template = _folder(top, "template", beside)
    pages = _pages(top.section("pages"), beside)
    named = [logo, *_files(template), *(one.append for one in pages.values())]
    return HouseStyle(
        digest=_digest(raw, [one for one in named if one is not None]),
        logo=_logo(top, logo) if logo else None,
        title_page=_title_page(top.section("title_page")),
        colours=read_colours(top.section("colours")),
        pages=pages,
        template=template,
    )


def _logo(top: Section, path: Path) -> Logo:
    raw = path.read_bytes()
    if len(raw) > _LARGEST_LOGO:
        raise top.error(
            "logo", f"'logo' {top.label}: {len(raw) >> 10} KiB; every page carries it, so keep it within 64 KiB"
        )
    if raw.startswith(_PNG):
        kind = "png"
    elif _SVG.match(raw):
        kind = "svg+xml"
    else:
        raise top.error(
            "logo", f"'logo' {top.label}: '{printable(path.name, 60)}' is neither PNG nor SVG; save it as one of them"
        )
    text = top.text("logo_text") or "Logo"
    return Logo(data=f"data:image/{kind};base64,{base64.b64encode(raw).decode('ascii')}", text=text)


def _title_page(table: Section) -> TitlePage | None:
    table.only("shown", "organisation", "author", "lines")
    if not table.flag("shown", bool(table.values)):
        return None
    for key in ("organisation", "author"):
        _short(table, key, table.text(key))
    for line in table.texts("lines"):
        _short(table, "lines", line)
    return TitlePage(organisation=table.text("organisation"), author=table.text("author"), lines=table.texts("lines"))


def _short(table: Section, key: str, text: str) -> None:
    if len(text) > _LONGEST_LINE:
        raise table.error(
            key, f"'{key}' {table.label}: a line of {len(text)} characters; keep it within {_LONGEST_LINE}"
        )


def _pages(table: Section, beside: Path) -> dict[str, PagePlan]:
    from benchlib.report.running.notebooks import shipped_notebooks

    shipped = {one.stem for one in shipped_notebooks().glob("*.ipynb")}
    own = [one for one in table.values if one.endswith(".ipynb")]
    table.only(*sorted(shipped), *own)
    plans: dict[str, PagePlan] = {}
    for name in table.values:
        page = table.section(name)
        page.only("first", "leave_out", "append")
        if name in own:
            _below(table, name, name, beside)
        for number, one in enumerate(page.texts("leave_out")):
            if one in KEPT:
                raise page.document.error(
                    (*page.path, "leave_out", number),
                    f"'leave_out' {page.label}: '{one}' stays on every page; "
                    "without it a page says more than the data do",
                )
            if one in page.texts("first"):
                raise page.document.error(
                    (*page.path, "leave_out", number),
                    f"'leave_out' {page.label}: '{printable(one, 60)}' is named by 'first' too; "
                    "a section stands first or is left out, name it once",
                )
        plans[PurePosixPath(name).stem if name in own else name] = PagePlan(
            first=page.texts("first"),
            left_out=page.texts("leave_out"),
            append=_file(page, "append", beside),
            section=page,
        )
    return plans


def _file(table: Section, key: str, beside: Path) -> Path | None:
    name = table.text(key)
    if not name:
        return None
    path = _below(table, key, name, beside)
    if not os.path.isfile(path):
        raise table.error(key, f"'{key}' {table.label}: no file '{printable(name, 60)}' beside the style")
    return path


def _folder(table: Section, key: str, beside: Path) -> Path | None:
    name = table.text(key)
    if not name:
        return None
    path = _below(table, key, name, beside)
    if not os.path.isdir(path):
        raise table.error(key, f"'{key}' {table.label}: no folder '{printable(name, 60)}' beside the style")
    check_templates(table, key, path)
    return path


def _below(table: Section, key: str, name: str, beside: Path) -> Path:
    """Return a path beside the style; nothing outside its folder is read."""
    if name.startswith(("/", "\\", "~")) or ".." in PurePosixPath(name.replace("\\", "/")).parts or "\0" in name:
        raise table.error(
            key, f"'{key}' {table.label}: '{printable(name, 60)}' leaves the folder of the style; keep it beside it"
        )
    return beside / name


def _files(template: Path | None) -> Iterator[Path]:
    if template is not None:
        yield from (template / name for name in TEMPLATE_FILES if (template / name).is_file())


def _digest(raw: bytes, named: list[Path]) -> str:
    whole = hashlib.sha256(raw)
    for one in named:
        whole.update(hashlib.sha256(os.fsencode(one.name) + b"\0" + one.read_bytes()).digest())
    return whole.hexdigest()
