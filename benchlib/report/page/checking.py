"""The check that a page is whole, offline, private and true to its answers, before it is published."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

from benchlib.errors import ExportError, printable
from benchlib.report.page.charts import PLOTLY
from benchlib.report.page.citing import check_cited
from benchlib.report.page.folders import named_folder, private_folders
from benchlib.report.page.packing import unpack
from benchlib.report.page.scripts import deck_script, opening_script, page_script, what_if_script
from benchlib.report.page.size import check_size
from benchlib.report.page.template import own_script

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["check_page"]


def check_page(
    page: str,
    notebook: NotebookNode,
    *,
    answers: Mapping[str, Any] | None = None,
    max_bytes: int | None = None,
    counts: bool = False,
    folders: Mapping[str, str] | None = None,
) -> None:
    """Make sure that a page is whole, offline, private and true before it is published.

    Parameters
    ----------
    page : str
        What `to_html` returned.
    notebook : NotebookNode
        The executed notebook that it was made from.
    answers : mapping, optional
        What is published beside it as answers.json: the evidence of the page must be there, and each value it
        shows with evidence, in words too, must be a number of the answer that has it.
    max_bytes : int, optional
        The largest size that may be published.
    counts : bool
        Compare bare whole numbers in sentences as well. They count, often what is left out of the page, and what
        counts nothing that an answer counts too is no reason to publish no page; the shipped pages are held to it.

    folders : mapping, optional
        What `private_folders` returned for the study and its reports.

    Raises
    ------
    ExportError
        If a figure of the notebook is missing, if the markup would load anything or run a script that
        is not the page's own, if a path of this machine stands in it, if it differs from the answers, or
        if it is too large.
    """
    reading = _PageReader(counts)
    reading.feed(page)
    reading.close()
    reading.refuse()
    data = unpack(reading.data["page-data"]) if "page-data" in reading.data else {}
    # Rows that are folded away are markup of the page like any other.
    for rows in data.get("rows", []):
        reading.feed(rows)
        reading.close()
    reading.refuse()
    charts = data.get("charts", [])
    if strange := [one for one in reading.charts if not 0 < one <= len(charts)]:
        raise ExportError(f"the page shows a chart {strange[0]} that it has no data of; leave data-chart to benchlib")
    _check_figures([charts[one - 1] for one in reading.charts], notebook)
    _check_private([*reading.words, *_texts(data)], private_folders() if folders is None else folders)
    if answers is not None:
        check_cited(data.get("evidence", []), reading.values, reading.traced, reading.worded, answers)
    check_size(len(page.encode()), max_bytes)


def _check_figures(charts: list[dict[str, Any]], notebook: NotebookNode) -> None:
    removed = {"remove-cell", "remove-output"}
    wanted = [
        output.data[PLOTLY]
        for cell in notebook.cells
        if not removed & set(cell.metadata.get("tags", []))
        for output in cell.get("outputs", [])
        if PLOTLY in output.get("data", {})
    ]
    if [len(one["data"]) for one in charts] != [len(one.get("data", [])) for one in wanted]:
        raise ExportError(f"the notebook shows {len(wanted)} figures, the page has {len(charts)} of them whole")


def _check_private(texts: list[str], folders: Mapping[str, str]) -> None:
    if private := named_folder("".join(texts), folders):
        raise ExportError(f"the page names a folder of this machine: '{printable(private)}'")


def _texts(data: dict[str, Any] | list[Any]) -> list[str]:
    """Return every text in some data, each with what keeps it apart from the next."""
    found: list[str] = []
    for one in data.values() if isinstance(data, dict) else data:
        if isinstance(one, str):
            found += (one, "\n")
        elif isinstance(one, dict | list):
            found += _texts(one)
    return found


#: Where a tag or a comment may begin.
_MARKUP = re.compile(r"<[A-Za-z/!?]")

#: How a style may write a character: its number, or a backslash before it.
_ESCAPED = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))")

#: A number in a sentence that has no unit and no decimals.
_COUNT = re.compile(r"[\d,]+")


class _PageReader(HTMLParser):
    """Collect what a page would load or run, its data blocks, its words, and the values it traces."""

    _REFERENCES = frozenset(
        {
            "src",
            "href",
            "srcset",
            "poster",
            "data",
            "action",
            "formaction",
            "background",
            "xlink:href",
            "ping",
        }
    )
    #: The last two give an attribute of another element its value.
    _REFUSED = frozenset(
        {"iframe", "object", "embed", "form", "base", "link", "applet", "frame", "portal", "set", "animate"}
    )
    #: What may stand before the policy: a browser closes the head at anything else, and reads none behind it.
    _OF_A_HEAD = frozenset({"html", "head", "meta", "title", "style", "script"})
    _LOADING_STYLE = re.compile(r"@import|image-set\(|\bsrc\(|url\((?!\s*['\"]?\s*(?:data:|#))", re.IGNORECASE)

    def __init__(self, counts: bool) -> None:
        super().__init__(convert_charrefs=True)
        self._counts = counts
        self.faults: list[str] = []
        self.has_policy = False
        self._in_head = True
        self.data: dict[str, str] = {}
        self.words: list[str] = []
        self.charts: list[int] = []
        self.values: dict[int, list[str]] = {}
        self.traced: dict[int, list[str]] = {}
        self.worded: list[tuple[str, str]] = []
        self._block = ""
        self._drawing = ""
        self._row = ""
        self._figure: tuple[str, int] | None = None
        self._value = ""
        self._own = (opening_script(), page_script(), deck_script(), what_if_script(), own_script("index.js"))

    def refuse(self) -> None:
        """Raise an error if anything was found so far that loads, runs or hides something."""
        self.look_for_markup("a block of data", *self.data.values())
        if not self.has_policy:
            self.faults.append("it has no content security policy")
        if self.faults:
            raise ExportError(f"the page is not offline: {'; '.join(self.faults[:5])}")

    def look_for_markup(self, place: str, *texts: str) -> None:
        """Refuse markup where this reader sees none: a browser may end a comment or a block earlier and show it."""
        for text in texts:
            if found := _MARKUP.search(text):
                self.faults.append(f"{place} hides '{printable(text[found.start() :], 60)}' from this check: remove it")

    def updatepos(self, _: int, j: int) -> int:
        """Count no lines: nobody asks where a tag stands."""
        return j

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self._REFUSED:
            self.faults.append(f"<{tag}> stands in it")
        self.look_for_markup("a tag", (self.get_starttag_text() or "")[1:])
        # Of several of one name a browser takes the first.
        given = {name: value or "" for name, value in reversed(attrs)}
        for name, value in given.items():
            if name.startswith("on"):
                self.faults.append(f"<{tag}> has a handler {printable(name, 40)}")
            if name in self._REFERENCES and not _harmless(tag, name, value):
                self.faults.append(f"<{tag}> refers to '{printable(value, 60)}'")
            if name == "style" and self._loads(value):
                self.faults.append(f"<{tag}> has a style that loads '{printable(value, 60)}'")
        self._in_head &= tag in self._OF_A_HEAD
        if tag == "meta" and "http-equiv" in given:
            self._declare(given)
        if tag in ("svg", "math"):
            self._drawing = tag
        self._block = tag if tag == "style" else ""
        if tag == "script":
            is_data = given.get("type") == "text/plain" and given.get("id")
            self._block = given["id"] if is_data else "script"
            if self._block in self.data:
                self.faults.append(f"two blocks of data are called '{printable(self._block, 40)}'")
            self.data[self._block] = ""
        self._trace(tag, given)

    def _declare(self, given: Mapping[str, str]) -> None:
        """Take the policy of the head, once: what else a page declares in the place of a server is not its own."""
        name = given["http-equiv"]
        ours = name.lower() == "content-security-policy" and given.get("content", "").startswith("default-src 'none'; ")
        if not ours or self.has_policy or not self._in_head:
            self.faults.append(f"<meta> declares '{printable(name, 40)}' beside the policy of its head")
        self.has_policy |= ours and self._in_head

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # Browsers take the slash for nothing: what follows is in the element.
        if tag in ("script", "style"):
            self.faults.append(f"<{tag}/> stands in it")
        self.handle_starttag(tag, attrs)

    def _loads(self, style: str) -> bool:
        """Whether a style loads anything, however its characters are written."""
        plain = _ESCAPED.sub(lambda found: chr(min(int(found[1], 16), 0x10FFFF)) if found[1] else found[2], style)
        return self._LOADING_STYLE.search(plain) is not None

    def _trace(self, tag: str, given: Mapping[str, str]) -> None:
        if given.get("data-chart", "").isdecimal():
            self.charts.append(int(given["data-chart"]))
        if tag == "tr":
            self._row = given.get("data-e", "")
        elif "data-e" in given or "data-v" in given:
            number = given.get("data-e") or self._row
            if number.isdecimal():
                self._figure = (tag, int(number))
                self.traced.setdefault(int(number), []).append("")
                self._value = given.get("data-v", "")
                if "data-v" in given:
                    self.values.setdefault(int(number), []).append(self._value)

    def handle_endtag(self, tag: str) -> None:
        if tag == "script" and self._block == "script" and self.data.pop("script") not in self._own:
            self.faults.append("a script that is not the page's own stands in it")
        if tag in ("script", "style"):
            self._block = ""
        if tag == self._drawing:
            self._drawing = ""
        if self._figure and self._figure[0] == tag:
            told = self.traced[self._figure[1]]
            if self._value:
                self.worded.append((self._value, told[-1]))
            if tag == "span" and not self._counts and _COUNT.fullmatch(told[-1]):
                told.pop()
            self._figure = None

    def handle_comment(self, data: str) -> None:
        self.look_for_markup("a comment", data)

    def unknown_decl(self, data: str) -> None:
        self.look_for_markup("a declaration", data)

    def handle_data(self, data: str) -> None:
        if self._block == "style":
            if "</" in data or self._drawing:  # in a drawing a style holds elements like any other
                self.look_for_markup("its style", data)
            if self._loads(data):
                self.faults.append("its style loads something")
        elif self._block:
            self.data[self._block] += data
        else:
            self.words.append(data)
            if self._figure:
                self.traced[self._figure[1]][-1] += data


#: What a browser takes out of a reference, wherever it stands, and at either end.
_DROPPED = re.compile(r"[\t\n\r]")
_AROUND = "".join(map(chr, range(0x21)))


def _harmless(tag: str, name: str, value: str) -> bool:
    """Tell a reference that loads nothing, as it stands and as a browser reads it."""
    read = _DROPPED.sub("", value).strip(_AROUND).replace("\\", "/")
    return _loads_nothing(tag, name, value) and _loads_nothing(tag, name, read)


def _loads_nothing(tag: str, name: str, value: str) -> bool:
    """Tell data in the page, or a link that one may click."""
    if tag == "a" and name == "href":
        return value.startswith(("#", "https://", "http://")) or not re.match(r"\s*[\w+.-]*:|\s*//|\s*/", value)
    return value.startswith(("data:image/", "#"))
