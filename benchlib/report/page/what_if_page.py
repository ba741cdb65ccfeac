"""What a page needs that holds plans whose settings can be moved: told by its body alone."""

from __future__ import annotations

from benchlib.report.page.template import own_style

#: The class of such a block, see `benchlib.report.page.what_if`.
WHAT_IF = "what-if"


def has_what_if(body: str) -> bool:
    """Tell whether a body holds such a block.

    Examples
    --------
    >>> has_what_if('<div class="what-if">')
    True
    """
    return f'<div class="{WHAT_IF}">' in body


def what_if_style() -> str:
    """Return the rules of style that a page with such blocks needs beside those of every page."""
    return own_style("what_if.css")
