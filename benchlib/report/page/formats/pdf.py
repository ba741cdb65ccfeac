"""A page on A4: vector, selectable, tagged for screen readers, and the same bytes for the same page."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING

from benchlib.errors import ExportError
from benchlib.source_date import source_date

if TYPE_CHECKING:
    from pathlib import Path

    from benchlib.report.page.formats.tab import Tab

_DATE = re.compile(rb"/(?:CreationDate|ModDate) \(D:(\d{14})\+00'00'\)")

#: How Chromium names the elements that a tagged PDF is made of.
_ELEMENT = re.compile(rb"\(node\d{8}\)")


def print_page(tab: Tab, page: Path) -> bytes:
    """Open a page as paper, so that it is drawn but once, and return it as a PDF.

    Raises
    ------
    ExportError
        If a chart is not drawn.
    NotebookTimeout
        If that takes too long.
    """
    tab.open(page, "print")
    tab.wait_drawn()
    answer = tab.ask(
        "Page.printToPDF",
        printBackground=True,
        preferCSSPageSize=True,
        generateTaggedPDF=True,
        generateDocumentOutline=True,
    )
    tab.let_go()
    return settled(base64.b64decode(answer["data"]))


def settled(pdf: bytes) -> bytes:
    """Return a PDF that tells nothing of when and after which other page it was printed.

    It bears the moment of ``SOURCE_DATE_EPOCH``, or none; its elements are numbered from 1.

    Raises
    ------
    ExportError
        If it is no PDF.
    InputError
        If ``SOURCE_DATE_EPOCH`` is not a number of seconds.

    Examples
    --------
    >>> settled(b"%PDF-1.4 /ModDate (D:20261122005209+00'00')>>").rstrip()
    b'%PDF-1.4                                     >>'
    >>> settled(b"%PDF-1.4 /ID (node00000633) /ID (node00000640)")
    b'%PDF-1.4 /ID (node00000001) /ID (node00000002)'
    """
    if not pdf.startswith(b"%PDF-"):
        raise ExportError("Chromium printed something that is no PDF; build again, or choose --to html,md")
    moment = source_date()
    stamp = f"{moment:%Y%m%d%H%M%S}".encode("ascii") if moment else b""

    def moved(found: re.Match[bytes]) -> bytes:
        # The table at the end of a PDF says at which byte each object begins: lengths stay as they are.
        return found[0].replace(found[1], stamp) if stamp else b" " * len(found[0])

    # Chromium goes on counting from page to page. The order stays: names in a PDF are sorted.
    counted = {one: number for number, one in enumerate(sorted(set(_ELEMENT.findall(pdf))), 1)}
    return _ELEMENT.sub(lambda found: b"(node%08d)" % counted[found[0]], _DATE.sub(moved, pdf))
