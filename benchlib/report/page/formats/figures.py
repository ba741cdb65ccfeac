"""Each figure of a page as a file of its own, drawn by the page's own plotly.js: PNG or SVG."""

from __future__ import annotations

import base64
import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote

from benchlib.errors import ExportError

if TYPE_CHECKING:
    from benchlib.report.page.formats.tab import Tab

Kind = Literal["png", "svg"]

#: CSS pixels: the text column of an A4 page, twice over for slides; PNG has two dots for each.
_WIDTH = 960
_DOTS = 2
#: Characters of a title on one line at that width.
_TITLE_LINE = 100

#: plotly.js names its clip paths by chance: the same chance each time makes the same file each time.
STEADY_IDS = """
(() => {
  let last;
  globalThis.resetChance = () => { last = 20260101; };
  Math.random = () => { last = (last * 16807) % 2147483647; return last / 2147483647; };
  globalThis.resetChance();
})()
"""

_DRAW = """
(async () => {
  const plot = document.querySelectorAll(".plot[data-chart]")[NUMBER - 1];
  const own = plot.closest("figure")?.querySelector(".chart-title");
  const before = [...document.querySelectorAll("main :is(h1, h2, h3)")].filter(
    (one) => one.compareDocumentPosition(plot) & Node.DOCUMENT_POSITION_FOLLOWING).at(-1);
  const study = document.title.trim();
  const title = (own ?? before)?.textContent.trim() ?? study;
  const alt = plot.getAttribute("aria-label") ?? title;
  const lines = title.split(/\\s+/).reduce((all, word) => {
    const longer = all.at(-1) ? all.at(-1) + " " + word : word;
    return longer.length > LINE && all.at(-1) ? [...all, word] : [...all.slice(0, -1), longer];
  }, [""]);
  const shown = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const room = 22 * lines.length + (title === study ? 22 : 44);
  const { height, _size } = plot._fullLayout; // as drawn, with the room that the legend took
  const layout = {
    ...plot.layout, autosize: false, width: WIDTH, height: height + room,
    paper_bgcolor: getComputedStyle(document.querySelector("main")).backgroundColor,
    margin: { ...plot.layout.margin, t: _size.t + room },
    title: {
      text: lines.map(shown).join("<br>"), subtitle: { text: title === study ? "" : shown(study), font: { size: 12 } },
      x: 0, xref: "container", xanchor: "left", y: 1, yref: "container", yanchor: "top",
      pad: { l: 16, t: 14 }, font: { size: 16 },
    },
  };
  globalThis.resetChance?.();
  const config = { showSendToCloud: false, plotlyServerURL: "", displaylogo: false };
  const size = { format: "KIND", width: WIDTH, height: height + room, scale: "KIND" === "png" ? DOTS : 1 };
  return { title, alt, url: await Plotly.toImage({ data: plot.data, layout, config }, size) };
})()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One figure as a file.

    Attributes
    ----------
    number : int
        Its place on the page, from 1.
    title : str
    content : bytes
    """

    number: int
    title: str
    content: bytes


def draw_figures(tab: Tab, kind: Kind) -> tuple[Drawn, ...]:
    """Return every figure of a page that is open and drawn, with its title, on the page's own ground.

    Raises
    ------
    ExportError
        If a figure cannot be drawn.
    """
    count = int(tab.evaluate("document.querySelectorAll('.plot[data-chart]').length"))
    return tuple(_draw(tab, kind, number) for number in range(1, count + 1))


def _draw(tab: Tab, kind: Kind, number: int) -> Drawn:
    script = _DRAW
    for word, value in {"NUMBER": number, "LINE": _TITLE_LINE, "WIDTH": _WIDTH, "DOTS": _DOTS, "KIND": kind}.items():
        script = script.replace(word, str(value))
    answer = tab.evaluate(script)
    head, _, body = str(answer["url"]).partition(",")
    if kind == "png":
        content = base64.b64decode(body)
    else:
        content = _described(unquote(body), answer["title"], answer["alt"]).encode()
    if not head.startswith(f"data:image/{kind}") or not content:
        raise ExportError(f"figure {number} of the page cannot be drawn as {kind}; look at it in a browser")
    return Drawn(number=number, title=str(answer["title"]), content=content)


def _described(svg: str, title: str, alt: str) -> str:
    """Give a drawing the words of the page: a name, and what it shows for those who cannot see it."""
    words = f"<title>{html.escape(title or alt)}</title><desc>{html.escape(alt)}</desc>"
    return re.sub(r"<svg\b([^>]*)>", lambda found: f'<svg{found[1]} role="img">{words}', svg, count=1)


def figure_slug(number: int, title: str) -> str:
    """Return the name of a figure's file, without its ending.

    Examples
    --------
    >>> figure_slug(2, "Throughput <b>against</b> ../workers")
    '02-throughput-b-against-b-workers'
    """
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60].strip("-")
    return f"{number:02d}-{words}" if words else f"{number:02d}"
