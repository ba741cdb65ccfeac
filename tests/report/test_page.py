"""One page from a notebook: what it shows, what it hides, and what it cannot do."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import os
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import benchlib.report.page.plotly_bundle as bundles
import numpy as np
import pytest
from benchlib.report.page.folders import private_folders
from benchlib.report.page.packing import unpack, unpack_bytes
from benchlib.report.page.plotly_bundle import choose_bundle
from benchlib.report.page.style import read_style
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from plotly.offline import get_plotlyjs_version

import benchlib
from benchlib.errors import BenchlibError, ExportError
from benchlib.report.page.charts import PLOTLY, tidy_figure
from benchlib.report.page.draw_packing import pack_draws, unpack_draws
from benchlib.report.page.export import check_page, extract_answers, to_html
from benchlib.report.page.folding import MOST_INLINE, fold_tables
from benchlib.report.wording.markup import Column, Table, render_table
from tests.report.sample_notebook import HOSTILE, LINK, sample_notebook


class Reading(HTMLParser):
    """The elements of a page with their attributes, and its words outside scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.scripts: list[str] = []
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts[-1] += data
        elif self._inside != "style":
            self.words += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def notebook() -> NotebookNode:
    return sample_notebook()


@pytest.fixture(scope="module")
def page(notebook: NotebookNode) -> str:
    return to_html(notebook, title="ONIX adapter", subtitle="10 cores", footer="benchlib")


def showing(data: dict[str, object]) -> NotebookNode:
    """Return a notebook with one displayed output."""
    return new_notebook(cells=[new_code_cell("x", outputs=[new_output("display_data", data=data)])])


def test_results_are_shown_and_code_is_not(page: str) -> None:
    """Words, tables and refusals; no source, nothing printed, no removed cell."""
    words = Reading(page).words
    assert "Plan with 4 cores" in words
    assert "No effects: no factor has two levels." in words
    for hidden in (
        "secret_code",
        "import pandas",
        "printed by set-up",
        "a warning on stderr",
        "not for readers",
        "Answers()",
    ):
        assert hidden not in page


def test_the_title_is_the_only_first_level_heading(page: str) -> None:
    """The notebook's own question stands under it."""
    assert len(re.findall("<h1", page)) == 1
    assert '<p class="question">How far does the adapter scale, and what does a core buy?</p>' in page


def test_nothing_in_the_page_refers_outside(page: str) -> None:
    """No source, style or import; links may be clicked, but load nothing by themselves."""
    for tag, attributes in Reading(page).elements:
        assert "src" not in attributes or str(attributes["src"]).startswith("data:"), tag
        assert tag not in ("link", "iframe", "object", "embed", "base", "form")
        assert not [name for name in attributes if name.startswith("on")]
    style = page[page.index("<style>") : page.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style


def test_only_the_pages_own_scripts_may_run(page: str) -> None:
    """The policy names hashes, so an injected script is refused by the browser as well."""
    policy = next(one["content"] for one in Reading(page).all("meta") if one.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert policy.count("'sha256-") == 3
    assert "unsafe-eval" not in policy
    assert "script-src 'unsafe-inline'" not in policy


def test_one_bundle_serves_all_charts(page: str) -> None:
    """plotly.js stands in the page once, packed: the small one that draws lines and bars."""
    assert page.count('id="plotly-bundle"') == 1
    packed = page.split('id="plotly-bundle">')[1].split("</script>")[0]
    assert b"plotly.js (basic - minified)" in unpack_bytes(packed)[:200]
    assert len(page) < 650_000


def test_hostile_names_are_words(page: str) -> None:
    """In Markdown, tables, chart titles and the contents, a script is its own text."""
    reading = Reading(page)
    assert reading.words.count(HOSTILE) >= 4
    assert LINK in reading.words
    assert not [one for one in reading.all("a") if "script:" in (one.get("href") or "")]
    assert "example.org" not in page


def test_hostile_names_in_charts_cannot_leave_their_data(page: str) -> None:
    """plotly would read a little HTML in any text, and the parser would end a script element."""
    packed = page.split('id="page-data">')[1].split("</script>")[0]
    assert "<" not in packed
    charts = unpack(packed)["charts"]
    assert len(charts) == 2
    bars = charts[1]["data"][0]
    assert bars["y"][1] == HOSTILE.replace("<", "&lt;")
    assert bars["name"] == LINK.replace("<", "&lt;")


def test_the_only_markup_left_in_a_chart_is_the_line_break() -> None:
    """And the ``<extra>`` of hover templates; formats keep their signs, NaN becomes null."""
    figure = {
        "data": [
            {
                "name": "a<br>b<b>c",
                "hovertemplate": "%{y}<extra></extra><i>",
                "y": [1.0, float("nan")],
                "text": ["<extra>"],
            }
        ],
        "layout": {"xaxis": {"tickformat": "<8d"}, "template": {"data": {}}, "title": {"text": "T"}},
    }
    assert tidy_figure(figure) == {
        "data": [
            {
                "name": "a<br>b&lt;b>c",
                "hovertemplate": "%{y}<extra></extra>&lt;i>",
                "y": [1.0, None],
                "text": ["&lt;extra>"],
            }
        ],
        "layout": {"xaxis": {"tickformat": "<8d"}},
    }


@pytest.mark.parametrize("kind", ["scattergeo", "choropleth", "scattermap", "densitymap"])
def test_charts_that_fetch_maps_are_refused(kind: str) -> None:
    """They would stay blank: the page asks the network for nothing."""
    with pytest.raises(ExportError, match="fetches maps"):
        to_html(showing({PLOTLY: {"data": [{"type": kind}], "layout": {}}}), title="Maps")


def test_each_chart_says_what_it_shows(page: str) -> None:
    """From the figure's own words, for those who cannot see it."""
    plots = [one for one in Reading(page).all("div") if "data-chart" in one]
    assert {one.get("role") for one in plots} == {"group"}
    labels = [one.get("aria-label") for one in plots]
    assert labels == [
        "Throughput against GOMAXPROCS: 24 thousand requests a second at 1, 65 at 16.",
        HOSTILE,
    ]
    assert "<figcaption>Dots are measurements" in page


def test_absent_answers_are_an_error_where_they_are_required() -> None:
    """answers.json is part of a report; other notebooks have none."""
    empty = new_notebook()
    assert extract_answers(empty, required=False) == {}
    with pytest.raises(ExportError, match="handed out no answers"):
        extract_answers(empty)


def test_an_output_that_cannot_be_shown_is_not_dropped() -> None:
    """The stock export drops what it does not know, and ends well."""
    with pytest.raises(ExportError, match="types that a page cannot show"):
        to_html(showing({"application/x-unknown": "x"}), title="Unknown")


@pytest.mark.parametrize(
    ("tag", "left"), [("remove-cell", []), ("papermill-error-cell-tag", []), ("remove-output", ["in words"])]
)
def test_tags_say_what_is_left_out(tag: str, left: list[str]) -> None:
    """Of a cell all of it, or its outputs alone; the notebook itself keeps both."""
    shown = new_output("display_data", data={"text/html": "<p>in an output</p>"})
    tagged = [new_markdown_cell("in words"), new_code_cell("1", outputs=[shown])]
    for cell in tagged:
        cell.metadata["tags"] = [tag]
    page = to_html(new_notebook(cells=tagged), title="Tags")
    assert [words for words in ("in words", "in an output") if words in page] == left
    assert tagged[1].outputs == [shown]


#: What stands around markup that a browser shows, and Python's reader of HTML, of one version or another, does not see.
_UNSEEN = [
    ("<!-->", "-->"),
    ("<!--->", "-->"),
    ("<!-- --!>", "-->"),
    ('<!-- -- ><script type="text/plain" id="mine"> -->', "</script>"),
    ("<![CDATA[>", "]]>"),
    ('<textarea><p title="</textarea>', '"></p>'),
    ('<xmp><p title="</xmp>', '"></p>'),
    ('<title><p title="</title>', '"></p>'),
    ('<noscript><p title="</noscript>', '"></p>'),
    ('<script type="text/plain" id="mine"></script other>', "</script>"),
    ("<svg><style>", "</style></svg>"),
    ('<style/><p title="</style>', '"></p>'),
    ('<script type="text/plain" id="mine"/><p title="</script>', '"></p>'),
    ('<!-- -- ><p title="-->', '"></p>'),
    ('<svg><![CDATA[x]] ><p title="]]>', '"></p></svg>'),
    ('</p x="><p title=">', '">'),
    ('<p x==">', '">'),
]


@pytest.mark.parametrize(
    "markup",
    [
        '<img src="https://example.org/a.png">',
        '<img src="https://example.org/a.png" src="data:image/png;base64,AA==">',
        '<meta http-equiv="refresh" content="1" http-equiv="x">',
        '<script>alert("mine")</script>',
        '<script id="mine">alert("mine")</script>',
        '<script type="module" type="text/plain" id="mine">alert("mine")</script>',
        '<link rel="stylesheet" href="a.css">',
        '<style>@import "a.css";</style>',
        '<p style="background: url(https://example.org/)">x</p>',
        '<p onclick="x()">x</p>',
        '<a href="javascript:x()">x</a>',
        '<a href="/srv/reports">x</a>',
        '<a href="java&#10;script:x()">x</a>',
        '<a href="jav&Tab;a&#13;script:x()">x</a>',
        '<a href=" \x0c\x1fjavascript:x()">x</a>',
        '<a href="&#9;//example.org/a">x</a>',
        '<a href="/\n/example.org/a">x</a>',
        '<a href="\\\\example.org\\a">x</a>',
        '<meta http-equiv="Set-Cookie" content="a=b">',
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; ">',
        '<meta http-equiv="Content-Security-Policy" content="default-src *">',
        '<meta http-equiv="">',
        '<iframe srcdoc="x"></iframe>',
        '<svg><image><set attributeName="href" to="https://example.org/a.png"/></image></svg>',
        "<p style=\"background: image-set('https://example.org/a.png' 1x)\">x</p>",
        '<p style="background: u\\72l(https://example.org/a.png)">x</p>',
        "<style>p { background: u\\000072 l('https://example.org/a.png') }</style>",
        *(f'{before}<img src="https://example.org/a.png">{after}' for before, after in _UNSEEN),
    ],
)
def test_the_check_refuses_what_loads_or_runs(markup: str) -> None:
    """Markup that display code let through does not get published."""
    notebook = showing({"text/html": markup})
    with pytest.raises(ExportError, match="not offline"):
        check_page(to_html(notebook, title="Hostile"), notebook)


def test_the_check_knows_the_blocks_of_data_and_the_charts_of_a_page(page: str, notebook: NotebookNode) -> None:
    """A block before the page's own, and a chart that asks for one where there is none."""
    for name in ("page-data", "plotly-bundle"):
        bundle = f'<script type="text/plain" id="{name}">mine</script>'
        with pytest.raises(ExportError, match=f"two blocks of data are called '{name}'"):
            check_page(page.replace("<main", f"{bundle}<main", 1), notebook)
    strange = showing({"text/html": f'{bundle}<div class="plot" data-chart="7"></div>'})
    with pytest.raises(ExportError, match="shows a chart 7 that it has no data of"):
        check_page(to_html(strange, title="Hostile"), strange)


def test_the_check_reads_rows_that_are_folded_away() -> None:
    """They are markup of the page once a reader opens them."""
    hidden = '<svg><script type="text/plain" id="q"><img src="https://example.org/a.png"></script></svg>'
    rows = "".join(f"<tr><td>{number} {hidden}</td></tr>" for number in range(200))
    table = f"<table><thead><tr><th>a</th></tr></thead><tbody>{rows}</tbody></table>"
    notebook = showing({"text/html": f"<details><summary>All</summary>{table}</details>"})
    page = to_html(notebook, title="Rows")
    assert hidden not in page
    with pytest.raises(ExportError, match="not offline"):
        check_page(page, notebook)


def test_a_page_without_a_policy_is_not_published(page: str, notebook: NotebookNode) -> None:
    """Without one a page could load whatever a name smuggles in."""
    lost = re.sub(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "", page)
    assert lost != page
    with pytest.raises(ExportError, match="no content security policy"):
        check_page(lost, notebook)


def test_a_policy_that_a_browser_would_not_read_is_none(page: str, notebook: NotebookNode) -> None:
    """It stands in the head, once: a browser reads none behind the first element of the body."""
    [policy] = re.findall(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>\n", page)
    for moved in (page.replace(policy, "").replace("<main", f"{policy}<main", 1), page.replace(policy, policy * 2)):
        with pytest.raises(ExportError, match="declares 'Content-Security-Policy' beside the policy of its head"):
            check_page(moved, notebook)


@pytest.mark.parametrize(
    "markup",
    [
        '<a href="other.html#part">x</a> <a href="https://example.org/a?b=c:d">x</a> <a href="#x">x</a>',
        '<meta name="author" content="Performance team">',
        "<!-- nothing but words, 1 < 2 -->",
        '<style>@property --x { syntax: "<length>"; inherits: false; initial-value: 0px }</style>',
        "<style>p { background: url( 'data:image/png;base64,AA==' ); fill: url(#shade) }</style>",
        '<p title="a &lt;b&gt; c">a &lt;b&gt; c</p>',
        "<textarea>words</textarea>",
    ],
)
def test_the_check_refuses_nothing_that_loads_nothing(markup: str) -> None:
    """Comments, styles and attributes as a notebook of a user's own has them."""
    notebook = showing({"text/html": markup})
    check_page(to_html(notebook, title="Mine"), notebook)


def test_the_check_counts_the_figures(page: str, notebook: NotebookNode) -> None:
    """A page that lost a figure is not published."""
    lost = re.sub(r'<figure class="chart" id="chart-2">.*?</figure>', "", page, flags=re.DOTALL)
    assert lost != page
    with pytest.raises(ExportError, match="shows 2 figures, the page has 1"):
        check_page(lost, notebook)


def test_the_check_finds_folders_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report travels; an endpoint that happens to look like a path does not trip it."""
    monkeypatch.setenv("HOME", "/people/someone")
    for text, private in (
        ("saved in /people/someone/results", True),
        ("GET /people/feed, /v1/people/someone", False),
    ):
        notebook = showing({"text/html": f"<p>{text}</p>"})
        written = to_html(notebook, title="Paths")
        if private:
            with pytest.raises(ExportError, match="names a folder of this machine"):
                check_page(written, notebook)
        else:
            check_page(written, notebook)


def test_the_check_knows_where_benchlib_python_study_and_reports_lie() -> None:
    """All but folders at the root, which may be an endpoint: /usr, or the /data that results are in."""
    folders = private_folders("/srv/bench/lplex", "/data")
    package = Path(benchlib.__file__).parent
    for named in (f"{sys.prefix}/lib", f"{package}/errors.py", str(package.parent), "/srv/bench/lplex/run.txt"):
        if len(Path(sys.prefix).parts) == 2 and named.startswith(sys.prefix):
            continue
        notebook = showing({"text/html": f"<p>looked in {named}.</p>"})
        with pytest.raises(ExportError, match="names a folder of this machine"):
            check_page(to_html(notebook, title="Paths"), notebook, folders=folders)
    notebook = showing({"text/html": "<p>GET /data and /srv/bench/lplex-2, by /usr/bin/wrk</p>"})
    check_page(to_html(notebook, title="Paths"), notebook, folders=folders)


def test_a_page_holds_nothing_of_the_one_before_it(page: str, notebook: NotebookNode) -> None:
    """One exporter serves all pages of a run."""
    to_html(showing({PLOTLY: {"data": [{"type": "heatmap", "z": [[1]]}], "layout": {}}}), title="Before")
    assert to_html(notebook, title="ONIX adapter", subtitle="10 cores", footer="benchlib") == page


def test_a_page_larger_than_allowed_is_not_published(page: str, notebook: NotebookNode) -> None:
    """In bytes, as it will lie on disk."""
    size = len(page.encode())
    check_page(page, notebook, max_bytes=size)
    with pytest.raises(ExportError) as caught:
        check_page(page, notebook, max_bytes=size - 1)
    assert str(caught.value) == (
        f"the page has {size:,} bytes, more than the {size - 1:,} that --max-size allows; "
        "narrow it with --where, or allow more"
    )


def test_characters_that_act_are_written_out() -> None:
    """A name that turns the text around, or hides in it, is seen for what it is: in words, tables and charts."""
    name = "a\u202eb\u200bc\u2066"
    figure = {"data": [{"type": "bar", "name": name, "y": [1]}], "layout": {"meta": {"alt": name, "caption": name}}}
    read = new_notebook(
        cells=[
            new_markdown_cell(f"## {name}"),
            new_code_cell("x", outputs=[new_output("display_data", data={PLOTLY: figure})]),
        ]
    )
    page = to_html(read, title=name)
    check_page(page, read)
    data = unpack(page.split('id="page-data">')[1].split("</script>")[0])
    assert data["charts"][0]["data"][0]["name"] == "a\\u202eb\\u200bc\\u2066"
    assert "\u202e" not in page
    assert page.count("a\\u202eb\\u200bc\\u2066") >= 5


def test_a_name_of_ten_megabytes_is_text_like_any_other() -> None:
    """It does not stall what reads the page."""
    name = "<script>" + "x" * 10_000_000
    read = showing({"text/html": f"<p>{html.escape(name)}</p>"})
    page = to_html(read, title="Long")
    check_page(page, read)
    assert page.count("&lt;script&gt;xxx") == 1


# Folded rows are rows of their table, and long folds are packed away


SCRIPT = "<script>alert(1)</script></td></tr></tbody></table></details>"


def table(rows: int, text: str = "x") -> str:
    """A table folded after two rows."""
    columns = (Column(head="name", align="text"),)
    return str(render_table(Table(caption=f"{SCRIPT} c", columns=columns, rows=((text,),) * rows), 2))


def test_a_long_fold_is_packed_away() -> None:
    """Its rows stand in the data of the page, the table says where."""
    body, packed = fold_tables(table(1000) + table(4) + table(1200, "y"))
    assert [one.count("<tr>") for one in packed] == [998, 1198]
    assert 'data-label="998 more rows" data-rows="0"></tbody>' in body
    assert 'data-label="1,198 more rows" data-rows="1"></tbody>' in body
    assert min(map(len, packed)) > MOST_INLINE


@pytest.mark.parametrize("rows", [3, 12, 1000])
def test_every_table_has_a_box_that_scrolls_and_can_be_reached(rows: int) -> None:
    """Whether it is folded or not; a name that looks like the end of a table ends nothing."""
    body, packed = fold_tables(f"<p>before</p>{table(rows, SCRIPT)}<p>after</p>")
    assert body.count('<div class="table-box" tabindex="0"') == 1
    assert body.count("</table></div>") == 1
    assert "".join([body, *packed]).count("&lt;script&gt;alert(1)") == rows + 1
    assert body.endswith("<p>after</p>")


# Draws in few bytes: nothing of them is lost, whatever they are


@pytest.mark.parametrize("places", [1, 2, 3, 7, 16])
@pytest.mark.parametrize("laws", [[200], [150, 1, 49], [2] * 100])
@pytest.mark.parametrize("most", [0, 3, 500, 32767])
def test_every_code_comes_back(places: int, laws: list[int], most: int) -> None:
    """Few and many places, laws of a single draw, and codes as far apart as 16 bits go."""
    chosen = np.random.default_rng(places + most)
    codes = chosen.integers(-most, most, size=(200, places), endpoint=True).astype(np.int16)
    for first in ((), (places - 1, places // 2)):
        steps, left = pack_draws(codes, laws, first)
        # As a page carries them.
        again = unpack_draws(json.loads(json.dumps(steps)), left, laws)
        assert np.array_equal(again, codes)
        assert len(left) == 2 * codes.size


# The bundles of plotly.js are those of plotly.py's version, unchanged, and the smallest that will do is taken


FOLDER = Path(bundles.__file__).with_name("bundles")


def stated() -> dict[str, Any]:
    """What bundles.json says."""
    return dict(json.loads((FOLDER / "bundles.json").read_text(encoding="utf-8")))


def test_the_version_is_that_of_plotly_py() -> None:
    """Where it is not, `make bundles` fetches it; until then pages carry the full one."""
    assert stated()["version"] == get_plotlyjs_version()


@pytest.mark.parametrize("name", ["basic", "cartesian"])
def test_a_bundle_is_what_it_is_said_to_be(name: str) -> None:
    """The hash of the content security policy is that of the script, whose head names version and licence."""
    source = gzip.decompress((FOLDER / f"plotly-{name}.min.js.gz").read_bytes())
    found = choose_bundle(stated()["bundles"][name]["traces"])
    assert found.name == name
    assert found.sha256 == base64.b64encode(hashlib.sha256(source).digest()).decode()
    assert unpack_bytes(found.packed) == source
    assert f"plotly.js ({name} - minified) v{stated()['version']}".encode() in source[:200]
    assert b"Licensed under the MIT license" in source[:300]
    assert b"\r" not in source, "a browser would hash other line ends"
    assert stated()["bundles"][name]["integrity"].startswith("sha512-")


@pytest.mark.parametrize(
    ("traces", "name"),
    [
        (["scatter"], "basic"), (["bar", "scatter", "pie"], "basic"), ([], "basic"), (["heatmap"], "cartesian"),
        (["box", "scatter"], "cartesian"), (["scatter", "sankey"], "full"), (["table"], "full"),
    ],
)  # fmt: skip
def test_the_smallest_that_draws_all_traces_is_taken(traces: list[str], name: str) -> None:
    """And plotly.py's own where neither does."""
    assert choose_bundle(traces).name == name


# The look of reports: what ``--logo``, ``--accent`` and ``--css`` may be, and what a page makes of them


PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 40
SVG = b"<?xml version='1.0'?>\n<!-- ours -->\n<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder of pictures and style sheets."""
    (tmp_path / "logo.png").write_bytes(PNG)
    (tmp_path / "logo.svg").write_bytes(SVG)
    (tmp_path / "logo.gif").write_bytes(b"GIF89a")
    (tmp_path / "huge.png").write_bytes(PNG + b"0" * (64 << 10))
    (tmp_path / "own.css").write_text("h1 { letter-spacing: 0 }")
    (tmp_path / "latin.css").write_bytes("/* é */".encode("latin-1"))
    (tmp_path / "loading.css").write_text("@import url(https://example.org/a.css);")
    os.mkfifo(tmp_path / "pipe.css")
    (tmp_path / "ending.css").write_text("</style><script>owned()</script>")
    return tmp_path


@pytest.mark.parametrize(
    ("logo", "accent", "css", "said"),
    [
        ("none.png", "", None, "--logo {here}/none.png: cannot be read (No such file or directory); check the path"),
        ("logo.gif", "", None, "--logo {here}/logo.gif: is neither PNG nor SVG; save it as one of them"),
        ("huge.png", "", None, "--logo {here}/huge.png: is larger than 64 KiB; every page carries it, so keep"),
        (None, "red; } body {", None, "--accent 'red; } body {' is no colour; write six digits, such as #1c5d99"),
        (None, "#a0c0ff", None, "--accent #a0c0ff on #ffffff has a contrast of 1.82 : 1; WCAG AA asks for 4.5 : 1"),
        (None, "", "latin.css", "--css {here}/latin.css: is not UTF-8 text; save it as UTF-8"),
        (None, "", "none.css", "--css {here}/none.css: cannot be read"),
        (None, "", "pipe.css", "--css {here}/pipe.css: cannot be read (not a regular file); check the path"),
        (None, "", "ending.css", "--css {here}/ending.css:1: holds '</', which would end the style sheet of the page"),
    ],
)
def test_a_mistake_is_one_line(here: Path, logo: str | None, accent: str, css: str | None, said: str) -> None:
    """The option, what was found and what is accepted."""
    with pytest.raises(BenchlibError) as caught:
        read_style(logo and here / logo, accent, css and here / css)  # type: ignore[arg-type]
    assert str(caught.value).startswith(said.replace("{here}", str(here)))


@pytest.mark.parametrize("logo", ["logo.png", "logo.svg"])
def test_a_page_in_a_style_passes_its_check(here: Path, logo: str) -> None:
    """The logo as data in an <img>, the accent in light and lighter in dark, rules of one's own last."""
    page = to_html(new_notebook(), title="Study", style=read_style(here / logo, "#1C5D99", here / "own.css"))
    check_page(page, new_notebook())
    assert base64.b64encode((here / logo).read_bytes()).decode() in page
    light, dark = re.findall(r"--link: (#[0-9a-f]{6}); }", page)
    assert light == "#1c5d99"
    assert all(int(dark[at : at + 2], 16) > int(light[at : at + 2], 16) for at in (1, 3, 5))
    assert page.index("--link: #1c5d99") < page.index("h1 { letter-spacing: 0 }") < page.index("</style>")
    assert "<img" not in to_html(new_notebook(), title="Study")


def test_a_style_sheet_that_loads_is_not_published(here: Path) -> None:
    """The check before publishing reads it as it reads all else."""
    page = to_html(new_notebook(), title="Study", style=read_style(None, "", here / "loading.css"))
    with pytest.raises(ExportError, match="page"):
        check_page(page, new_notebook())
