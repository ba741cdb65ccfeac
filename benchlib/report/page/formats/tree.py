"""The body of a page as a tree of elements: what Markdown is written from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = frozenset({"area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})


@dataclass(slots=True)
class Element:
    """One element: its children are elements and texts, in order."""

    name: str
    attributes: dict[str, str]
    children: list[Element | str] = field(default_factory=list)

    @property
    def classes(self) -> frozenset[str]:
        """The words of its ``class``."""
        return frozenset(self.attributes.get("class", "").split())

    @property
    def elements(self) -> list[Element]:
        """Its children that are elements."""
        return [one for one in self.children if isinstance(one, Element)]

    @property
    def text(self) -> str:
        """Every text within, white space made single."""
        return re.sub(r"\s+", " ", "".join(self._texts())).strip()

    def find(self, name: str) -> Iterator[Element]:
        """Give every element of a name within, in the order of the page."""
        for one in self.elements:
            if one.name == name:
                yield one
            yield from one.find(name)

    def _texts(self) -> Iterator[str]:
        for one in self.children:
            if isinstance(one, str):
                yield one
            else:
                yield from one._texts()


def read_tree(markup: str) -> Element:
    """Return the tree of some markup; what is never closed is closed at the end.

    Examples
    --------
    >>> tree = read_tree("<p>a <b>bold</b> word<br>and <i>more")
    >>> tree.elements[0].text
    'a bold wordand more'
    """
    reader = _Reader()
    reader.feed(markup)
    reader.close()
    return reader.root


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        for depth in range(len(self._open) - 1, 0, -1):
            if self._open[depth].name == tag:
                del self._open[depth:]
                return

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)
