"""One page from a notebook: what it shows and hides, what the check before publishing refuses, and how it may look."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from plotly.offline import get_plotlyjs_version

import benchlib
from benchlib.document.blocks import DOCUMENT, to_json
from benchlib.errors import BenchlibError, ExportError
from benchlib.render import bundle
from benchlib.render.cells import ANSWERS, PLOTLY, answers_in, deck_in
from benchlib.render.check import check_page
from benchlib.render.index import Entry, index_page
from benchlib.render.packing import pack, unpack, unpack_bytes
from benchlib.render.page import notebook_page
from benchlib.render.private import private_folders
from benchlib.render.style import read_style
from tests.browser.made_page import made_document, made_page

HOSTILE = "<script>document.title='taken'</script>"
PICTURE = '<img src="https://example.org/a.png">'


def showing(*outputs: dict[str, object]) -> NotebookNode:
    """A notebook whose one cell displays outputs."""
    return new_notebook(cells=[new_code_cell("x", outputs=[new_output("display_data", data=one) for one in outputs])])


def page_of(*outputs: dict[str, object]) -> str:
    """The page of such a notebook."""
    return notebook_page(showing(*outputs), title="T")


# ---- what is shown ----


def test_results_are_shown_and_code_is_not() -> None:
    """The document between what the author shows before and after it; no source, nothing printed, no cell taken out."""
    cells = [
        new_markdown_cell(f"## Before {HOSTILE}\n\n[x](javascript:1) [y](/etc) [z](https://example.org) ![w](a.png)"),
        new_code_cell("secret_code", outputs=[new_output("stream", text="printed"), new_output("execute_result")]),
        new_code_cell("", outputs=[new_output("display_data", data={DOCUMENT: to_json(made_document())})]),
        new_code_cell("", outputs=[new_output("display_data", data={"text/plain": "1 < 2"})]),
        new_code_cell("", outputs=[new_output("error", ename="ValueError", evalue="<b>")]),
    ]
    page = notebook_page(new_notebook(cells=cells), title="T", footer="benchlib 9")
    check_page(page)
    assert not [hidden for hidden in ("secret_code", "printed", "javascript:", '"/etc"', "a.png") if hidden in page]
    parts = ["<h2", html.escape(HOSTILE, quote=False), "https://example.org", 'id="answer"', "1 &lt; 2", "benchlib 9"]
    places = [page.index(part) for part in parts]
    assert places == sorted(places)
    assert "<strong>ValueError</strong>: &lt;b&gt;" in page
    assert len(re.findall("<h1", page)) == 1


@pytest.mark.parametrize(
    ("tag", "left"), [("remove-cell", []), ("papermill-error-cell-tag", []), ("remove-output", ["in words"])]
)
def test_tags_say_what_is_left_out(tag: str, left: list[str]) -> None:
    """Of a cell all of it, or its outputs alone."""
    shown = new_output("display_data", data={"text/html": "<p>in an output</p>"})
    tagged = [new_markdown_cell("in words"), new_code_cell("1", outputs=[shown])]
    for cell in tagged:
        cell.metadata["tags"] = [tag]
    page = notebook_page(new_notebook(cells=tagged), title="Tags")
    assert [words for words in ("in words", "in an output") if words in page] == left


def test_an_authors_chart_is_drawn_with_its_title_as_words() -> None:
    """Markup in it is text but for line breaks and ``<extra>``; NaN is null, colours of the page's own scheme."""
    trace = {"name": "a<br>b<b>c\u202e", "hovertemplate": "%{y}<extra></extra><i>", "y": [1.0, float("nan")]}
    layout = {"title": {"text": HOSTILE}, "xaxis": {"tickformat": "<8d"}, "template": {}, "paper_bgcolor": "red"}
    page = page_of({PLOTLY: {"data": [trace], "layout": layout}})
    check_page(page)
    assert f'<p class="finding">{html.escape(HOSTILE)}'.replace("&#x27;", "&#39;") in page
    packed = page.split('id="page-data">')[1].split("</script>")[0]
    assert "<" not in packed
    drawn = {"name": "a<br>b&lt;b>c\\u202e", "hovertemplate": "%{y}<extra></extra>&lt;i>", "y": [1.0, None]}
    assert unpack(packed)["charts"] == [{"data": [drawn], "layout": {"xaxis": {"tickformat": "<8d"}}}]


@pytest.mark.parametrize(
    ("output", "said"),
    [
        *(
            ({PLOTLY: {"data": [{"type": kind}], "layout": {}}}, f"a chart of type '{kind}' fetches maps when drawn")
            for kind in ("scattergeo", "choropleth", "scattermap", "densitymap")
        ),
        ({PLOTLY: {"data": [], "layout": {"images": [{"source": "x"}]}}}, "a chart places images by address"),
        ({"application/x-unknown": "x"}, "an output has only types that a page cannot show: application/x-unknown"),
        ({DOCUMENT: {"title": "T"}}, "the notebook hands out a document that cannot be read: "),
    ],
)
def test_an_output_that_cannot_be_shown_is_refused(output: dict[str, object], said: str) -> None:
    """It is never dropped in silence."""
    with pytest.raises(ExportError, match=said):
        page_of(output)


def test_the_last_answers_count_and_none_are_no_verdict() -> None:
    """answers.json is part of a report; slides need a deck."""
    assert answers_in(showing({ANSWERS: {"answer": "1"}}, {ANSWERS: {"answer": "2"}})) == {"answer": "2"}
    for outputs in ([], [{ANSWERS: [1]}]):
        assert answers_in(showing(*outputs)) == {"status": "No verdict", "answer": "", "gate": ""}
    with pytest.raises(ExportError, match=r"the notebook handed out no deck; end a cell with tell.deck.deck"):
        deck_in(showing({ANSWERS: {}}))


# ---- what the check refuses ----

#: What stands around markup that a browser shows, and Python's reader of HTML, of one version or another, does not see.
UNSEEN = [
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
POLICY = "<meta> declares 'Content-Security-Policy' beside the policy of its head"
#: Markup that would load, run or hide something -> what is said of it.
REFUSED = {
    PICTURE: "<img> refers to 'https://example.org/a.png'",
    '<img src="https://example.org/a.png" src="data:image/png;base64,AA==">': "<img> refers to",
    '<meta http-equiv="refresh" content="1" http-equiv="x">': "<meta> declares 'refresh' beside the policy",
    '<script>alert("mine")</script>': "a script that is not the page's own stands in it",
    '<script id="mine">alert("mine")</script>': "a script that is not the page's own stands in it",
    '<script type="module" type="text/plain" id="mine">1</script>': "a script that is not the page's own",
    '<link rel="stylesheet" href="a.css">': "<link> stands in it",
    '<style>@import "a.css";</style>': "its style loads something",
    '<p style="background: url(https://example.org/)">x</p>': "<p> has a style that loads",
    '<p onclick="x()">x</p>': "<p> has a handler onclick",
    **{
        f'<a href="{href}">x</a>': "<a> refers to"
        for href in (
            "javascript:x()", "/srv/reports", "java&#10;script:x()", "jav&Tab;a&#13;script:x()",
            " \x0c\x1fjavascript:x()", "&#9;//example.org/a", "/\n/example.org/a", "\\\\example.org\\a",
        )
    },
    '<meta http-equiv="Set-Cookie" content="a=b">': "<meta> declares 'Set-Cookie'",
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; ">': POLICY,
    '<meta http-equiv="Content-Security-Policy" content="default-src *">': POLICY,
    '<meta http-equiv="">': "<meta> declares ''",
    '<iframe srcdoc="x"></iframe>': "<iframe> stands in it",
    '<svg><image><set attributeName="href" to="https://example.org/a.png"/></image></svg>': "<set> stands in it",
    "<p style=\"background: image-set('https://example.org/a.png' 1x)\">x</p>": "<p> has a style that loads",
    '<p style="background: u\\72l(https://example.org/a.png)">x</p>': "<p> has a style that loads",
    "<style>p { background: u\\000072 l('https://example.org/a.png') }</style>": "its style loads something",
    **{f"{before}{PICTURE}{after}": "" for before, after in UNSEEN},
}  # fmt: skip


@pytest.mark.parametrize("markup", REFUSED)
def test_the_check_refuses_what_loads_or_runs(markup: str) -> None:
    """Markup that display code let through is not published: said in one line."""
    with pytest.raises(ExportError) as raised:
        check_page(page_of({"text/html": markup}))
    assert str(raised.value).startswith("the page is not offline: ")
    assert REFUSED[markup] in str(raised.value)


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
        f"<p>&lt;script&gt;{'x' * 10_000_000}</p>",
    ],
    ids=lambda markup: markup[:40],
)
def test_the_check_refuses_nothing_that_loads_nothing(markup: str) -> None:
    """Comments, styles and attributes as a notebook of a user's own has them; ten megabytes do not stall it."""
    check_page(page_of({"text/html": markup}))


def test_the_check_knows_the_policy_the_data_and_the_charts_of_a_page() -> None:
    """The policy stands in the head, once; a block before the page's own, and a chart without data, are refused."""
    page = made_page()
    [policy] = re.findall(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>\n", page)
    assert "default-src 'none'; script-src 'sha256-" in policy
    assert policy.count("'sha256-") == 2
    assert "unsafe-eval" not in policy
    mine = '<script type="text/plain" id="{}">mine</script>'
    for changed, said in (
        (page.replace(policy, ""), "it has no content security policy"),
        (page.replace(policy, "").replace("<main", f"{policy}<main", 1), POLICY),
        (page.replace(policy, policy * 2), POLICY),
        (page.replace("<main", f"{mine.format('page-data')}<main", 1), "two blocks of data are called 'page-data'"),
        (page.replace("<main", f"{mine.format('plotly-bundle')}<main"), "blocks of data are called 'plotly-bundle'"),
        (page.replace("<main", '<div data-chart="7"></div><main', 1), "shows a chart 7 that it has no data of"),
    ):
        assert changed != page
        with pytest.raises(ExportError, match=re.escape(said)):
            check_page(changed)


def test_the_check_reads_rows_that_are_folded_away() -> None:
    """They are markup of the page once a reader opens them."""
    page = made_page()
    packed = page.split('id="page-data">')[1].split("</script>")[0]
    data = unpack(packed)
    assert [rows.count("<tr>") for rows in data["rows"]] == [392]
    for markup, said in ((PICTURE, "<img> refers to"), (f"<p>{Path.cwd()}/run.txt</p>", "names a folder of this")):
        changed = {**data, "rows": [data["rows"][0].replace("<td>", f"<td>{markup}", 1)]}
        with pytest.raises(ExportError, match=said):
            check_page(page.replace(packed, pack(changed)))


def test_the_check_finds_folders_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where benchlib, Python, study and reports lie; what may be an endpoint, such as /usr or /data, is none."""
    monkeypatch.setenv("HOME", "/people/someone")
    folders = private_folders("/srv/bench/lplex", "/data")
    package = Path(benchlib.__file__).parent
    private = [f"{package}/errors.py", str(package.parent), "/srv/bench/lplex/run.txt", "/people/someone/results"]
    for named in [*private, *([f"{sys.prefix}/lib"] if len(Path(sys.prefix).parts) > 2 else [])]:
        with pytest.raises(ExportError, match="the page names a folder of this machine"):
            check_page(page_of({"text/html": f"<p>looked in {named}.</p>"}), folders=folders)
    trace = {"y": [1], "name": "/srv/bench/lplex/run.txt"}
    with pytest.raises(ExportError, match="the page names a folder of this machine: '/srv/bench/lplex'"):
        check_page(page_of({PLOTLY: {"data": [trace], "layout": {}}}), folders=folders)
    for said in ("GET /data and /srv/bench/lplex-2, by /usr/bin/wrk", "GET /people/feed, /v1/people/someone"):
        check_page(page_of({"text/html": f"<p>{said}</p>"}), folders=folders)


# ---- the bundles of plotly.js are those of plotly.py's version, unchanged, and the smallest that will do is taken ----

BUNDLES = Path(bundle.__file__).with_name("bundles")
STATED: dict[str, Any] = json.loads((BUNDLES / "bundles.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["basic", "cartesian"])
def test_a_bundle_is_what_it_is_said_to_be(name: str) -> None:
    """Of plotly.py's version; the hash of the policy is that of the script, whose head names version and licence."""
    assert STATED["version"] == get_plotlyjs_version()
    source = gzip.decompress((BUNDLES / f"plotly-{name}.min.js.gz").read_bytes())
    chosen = bundle.choose_bundle(STATED["bundles"][name]["traces"])
    assert chosen.name == name
    assert chosen.sha256 == base64.b64encode(hashlib.sha256(source).digest()).decode()
    assert unpack_bytes(chosen.packed) == source
    assert f"plotly.js ({name} - minified) v{STATED['version']}".encode() in source[:200]
    assert b"Licensed under the MIT license" in source[:300]
    assert b"\r" not in source, "a browser would hash other line ends"
    assert STATED["bundles"][name]["integrity"].startswith("sha512-")


@pytest.mark.parametrize(
    ("traces", "name"),
    [
        (["scatter"], "basic"), (["bar", "scatter", "pie"], "basic"), ([], "basic"), (["heatmap"], "cartesian"),
        (["box", "scatter"], "cartesian"), (["scatter", "sankey"], "full"), (["table"], "full"),
    ],
)  # fmt: skip
def test_the_smallest_bundle_that_draws_all_traces_is_taken(traces: list[str], name: str) -> None:
    """And plotly.py's own where neither does."""
    assert bundle.choose_bundle(traces).name == name


# ---- the look: what --logo, --accent and --css may be, and what a page makes of them ----

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
def test_a_mistake_of_style_is_one_line(here: Path, logo: str | None, accent: str, css: str | None, said: str) -> None:
    """The option, what was found and what is accepted."""
    with pytest.raises(BenchlibError) as caught:
        read_style(logo and here / logo, accent, css and here / css)  # type: ignore[arg-type]
    assert str(caught.value).startswith(said.replace("{here}", str(here)))


@pytest.mark.parametrize("logo", ["logo.png", "logo.svg"])
def test_pages_and_list_in_a_style_pass_their_check(here: Path, logo: str) -> None:
    """The logo as data in an <img>, the accent in light and lighter in dark, rules of one's own last."""
    style = read_style(here / logo, "#1C5D99", here / "own.css")
    for page in (notebook_page(new_notebook(), title="Study", style=style), index_page([], style=style)):
        check_page(page)
        assert base64.b64encode((here / logo).read_bytes()).decode() in page
        light, dark = re.findall(r"--link: (#[0-9a-f]{6}); }", page)
        assert light == "#1c5d99"
        assert all(int(dark[at : at + 2], 16) > int(light[at : at + 2], 16) for at in (1, 3, 5))
        assert page.index("--link: #1c5d99") < page.index("h1 { letter-spacing: 0 }") < page.index("</style>")
    loading = read_style(None, "", here / "loading.css")
    with pytest.raises(ExportError, match="its style loads something"):
        check_page(notebook_page(new_notebook(), title="Study", style=loading))


# ---- the list of reports ----


@pytest.mark.parametrize("href", ["/etc/passwd", "../x.html", "javascript:x", "https://example.org", "//x"])
def test_no_entry_of_the_list_leads_out_of_the_folder(href: str) -> None:
    """The list is opened from disk and passed on."""
    entry = Entry(title="T", href=href, status="Answered", answer="", decision="", spark=(), measured="", built="")
    with pytest.raises(ExportError, match="may not lead to"):
        index_page([entry])


def test_an_empty_list_says_so() -> None:
    """Rather than an empty page."""
    assert "No report has been built yet." in index_page([])
