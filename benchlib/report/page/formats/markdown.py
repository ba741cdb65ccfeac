"""A report as Markdown, for wikis: pipe tables, figures by file or in words, nothing that runs.

Every name is escaped, so that a wiki shows it as it stands: a benchmark called ``<script>`` or ``a|b`` is a word in
a cell. Long folds stay folded, as they do on paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from benchlib.report.page.folding import LONG_FOLD
from benchlib.report.page.formats.tree import Element, read_tree

if TYPE_CHECKING:
    from nbformat import NotebookNode

_INLINE = frozenset(
    {"a", "abbr", "b", "button", "cite", "code", "data", "em", "i", "kbd", "q", "s", "samp", "small", "span", "strong"}
    | {"sub", "sup", "time", "u", "var", "br", "img", "label"}
)
_HIDDEN = frozenset({"script", "style", "noscript", "template", "input", "svg"})
#: Part of a figure of merit -> what heads it.
_CARD = {
    "card-label": "Figure",
    "card-value": "Value",
    "card-interval": "How sure",
    "card-change": "Change",
    "card-target": "Target",
    "card-note": "Remark",
}
#: Parts that not every card has.
_SOME_CARDS = ("card-change", "card-target")
_LEVELS = {f"h{level}": "#" * level for level in range(1, 7)}
#: What Markdown, or one of its dialects, gives a meaning within a line.
_SPECIAL = re.compile(r"[\\`*\[\]|~$#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
#: What begins a list or an underline at the start of a line.
_START = re.compile(r"(?=[-+=])|\d+(?=[.)](?:\s|$))")
_REFERENCE = re.compile(r"@(?=\w)|(?<=\w)://|\bwww\.(?=\w)")


def to_markdown(notebook: NotebookNode, *, title: str, pictures: Mapping[int, str]) -> str:
    """Return an executed notebook as Markdown: what its page shows, in the page's order.

    Parameters
    ----------
    notebook : NotebookNode
    title : str
        One line, as text.
    pictures : mapping of int to str
        Figure number -> relative path of its picture; a figure without one is told in words.

    Raises
    ------
    ExportError
        If an output cannot be shown offline.
    """
    from benchlib.report.page.page_exporter import page_exporter

    body, _ = page_exporter().from_notebook_node(notebook)
    return write_markdown(body, title=title, pictures=pictures)


def write_markdown(body: str, *, title: str, pictures: Mapping[int, str]) -> str:
    r"""Return the body of a page as Markdown.

    Examples
    --------
    >>> print(write_markdown("<h2>Cost</h2><p>of <b>a|b</b></p>", title="T", pictures={}), end="")
    # T
    <BLANKLINE>
    ## Cost
    <BLANKLINE>
    of **a\|b**
    """
    tree = read_tree(body)
    writer = _Writer(title, pictures)
    blocks = [f"# {_escaped(title)}", *writer.blocks(tree.children)]
    return "\n\n".join(one for one in blocks if one) + "\n"


class _Writer:
    """Turns elements into blocks; counts the figures it meets."""

    def __init__(self, title: str, pictures: Mapping[int, str]) -> None:
        self._title, self._pictures = title, pictures
        self._figures = 0

    def blocks(self, children: Sequence[Element | str]) -> Iterator[str]:
        """Give each block of some children; texts side by side are one paragraph."""
        line: list[Element | str] = []
        for one in children:
            if isinstance(one, str) or one.name in _INLINE:
                line.append(one)
                continue
            yield from _paragraph(line)
            line = []
            yield from self._block(one)
        yield from _paragraph(line)

    def _block(self, one: Element) -> Iterator[str]:
        if one.name in _HIDDEN:
            return
        if one.name in _LEVELS:
            yield from self._heading(one)
        elif one.name == "table":
            yield from _table(one)
        elif one.name in ("ul", "ol"):
            yield "\n".join(self._items(one))
        elif one.name == "dl":
            yield "\n".join(_facts(one))
        elif one.name == "pre":
            yield _fenced("".join(one._texts()))
        elif one.name == "details":
            yield from self._fold(one)
        elif one.name == "figure" and "chart" in one.classes:
            yield from self._figure(one)
        elif one.name == "hr":
            yield "---"
        elif "verdict" in one.classes or one.name == "blockquote":
            yield "\n>\n".join(_quoted(block) for block in self._inner(one))
        elif "cards" in one.classes:
            yield from _cards(one)
        elif one.name == "p":
            yield from _paragraph(one.children)
        else:
            yield from self.blocks(one.children)

    def _inner(self, one: Element) -> Iterator[str]:
        """Give the blocks within an element whose inline children stand each on a line of their own."""
        for child in one.children:
            yield from self.blocks([child])

    def _heading(self, one: Element) -> Iterator[str]:
        if one.name == "h1":  # the question of the notebook; the page has its title
            if one.text != self._title:
                yield f"*{_inline(one.children)}*"
            return
        yield f"{_LEVELS[one.name]} {_inline(one.children)}"

    def _items(self, listed: Element) -> Iterator[str]:
        for number, item in enumerate(listed.elements, 1):
            mark = f"{number}. " if listed.name == "ol" else "- "
            inner = "\n".join(self.blocks(item.children))
            yield mark + inner.replace("\n", "\n" + " " * len(mark))

    def _fold(self, fold: Element) -> Iterator[str]:
        summary = next(fold.find("summary"), None)
        said = _inline(summary.children) if summary else ""
        rows = sum(1 for body in fold.find("tbody") for _ in body.find("tr"))
        if rows > LONG_FOLD:
            yield f"*{said}: on the HTML page.*"
            return
        if said:
            yield f"**{said}**"
        first, *rest = [*self.blocks([one for one in fold.children if one is not summary]), ""]
        # What heads a table within is told by its fold, or by the table that it goes on from.
        heading = next((_inline(one.children) for one in fold.find("caption")), "")
        told = first == f"**{heading}**" and ("more-rows" in fold.classes or said.startswith(heading))
        yield from rest if told else (first, *rest)

    def _figure(self, figure: Element) -> Iterator[str]:
        self._figures += 1
        title = next((one.text for one in figure.find("p") if "chart-title" in one.classes), "")
        alt = next((one.attributes.get("aria-label", "") for one in figure.find("div") if "plot" in one.classes), "")
        caption = next((_inline(one.children) for one in figure.find("figcaption")), "")
        picture = self._pictures.get(self._figures)
        if title:
            yield f"**{_escaped(title)}**"
        if picture:
            yield f"![{_escaped(alt)}]({picture})"
        else:
            yield f"*Figure: {_escaped(alt)}*"
        if caption:
            yield caption


def _paragraph(children: Sequence[Element | str]) -> Iterator[str]:
    line = _inline(children)
    begun = _START.match(line)
    if begun:
        line = f"{line[: begun.end()]}\\{line[begun.end() :]}"
    if line:
        yield line


def _inline(children: Sequence[Element | str]) -> str:
    return re.sub(r"[ \t\n\r\f]+", " ", "".join(_words(one) for one in children)).strip()


def _words(one: Element | str) -> str:
    if isinstance(one, str):
        return _escaped(one)
    if one.name in _HIDDEN:
        return ""
    if one.name == "br":
        return " "
    if one.name == "img":
        return _escaped(one.attributes.get("alt", ""))
    if one.name in ("code", "kbd", "samp"):
        return _code(one.text)
    inner = "".join(_words(child) for child in one.children)
    stripped = inner.strip()
    if not stripped:
        return inner
    if one.name in ("strong", "b"):
        return inner.replace(stripped, f"**{stripped}**", 1)
    if one.name in ("em", "i"):
        return inner.replace(stripped, f"*{stripped}*", 1)
    address = one.attributes.get("href", "")
    if one.name == "a" and re.match(r"https?://", address):
        return f"[{stripped}]({_address(address)})"
    # Blocks within a cell or a sentence keep a space between them.
    return inner if one.name in _INLINE else f" {inner} "


def _address(text: str) -> str:
    return re.sub(r"[\s<>()\\|]", lambda found: f"%{ord(found[0]):02X}", text)


def _code(text: str) -> str:
    """Return code between as many backticks as it needs; with a bar, which ends a cell even there, plain text."""
    if "|" in text:
        return _escaped(text)
    fence = "`" * (max((len(one) for one in re.findall("`+", text)), default=0) + 1)
    room = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{room}{text}{room}{fence}" if text else ""


def _escaped(text: str) -> str:
    r"""Return text that Markdown shows as it stands."""
    shown = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    shown = _SPECIAL.sub(r"\\\g<0>", shown)
    return _REFERENCE.sub(lambda found: "".join(f"&#{ord(one)};" if one in "@:." else one for one in found[0]), shown)


def _quoted(block: str) -> str:
    return "\n".join(f"> {line}" for line in block.splitlines())


def _fenced(text: str) -> str:
    fence = "`" * max(3, max((len(one) for one in re.findall("`+", text)), default=0) + 1)
    return f"{fence}text\n{text.strip(chr(10))}\n{fence}"


def _facts(listed: Element) -> Iterator[str]:
    name = ""
    for one in _flattened(listed):
        if one.name == "dt":
            name = _inline(one.children)
        elif one.name == "dd":
            yield f"- **{name}:** {_inline(one.children)}"


def _flattened(listed: Element) -> Iterator[Element]:
    """Give the terms and descriptions of a list; a ``<div>`` may hold each pair."""
    for one in listed.elements:
        if one.name == "div":
            yield from _flattened(one)
        else:
            yield one


def _cards(row: Element) -> Iterator[str]:
    """Figures of merit as a table: a row a card, a column for each part that some card has."""
    cards = [
        {kind: _inline(one.children) for one in card.elements for kind in _CARD if kind in one.classes}
        for card in row.elements
    ]
    kinds = [kind for kind in _CARD if kind not in _SOME_CARDS or any(kind in card for card in cards)]
    heads = [_CARD[kind] for kind in kinds]
    yield _pipes(heads, [False] * len(heads), [[card.get(kind, "") for kind in kinds] for card in cards])


def _table(table: Element) -> Iterator[str]:
    caption = next((_inline(one.children) for one in table.find("caption")), "")
    if caption:
        yield f"**{caption}**"
    lines = list(table.find("tr"))
    if not lines:
        return
    head, *rest = lines
    numeric = ["num" in one.classes for one in head.elements]
    yield _pipes(
        [_inline(one.children) for one in head.elements],
        numeric,
        [[_inline(one.children) for one in line.elements] for line in rest],
    )


def _pipes(heads: Sequence[str], numeric: Sequence[bool], rows: Sequence[Sequence[str]]) -> str:
    rules = ["---:" if one else "---" for one in numeric]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, rules, *rows))
