"""A small executed notebook with everything a page must cope with, built without a kernel."""

from __future__ import annotations

from typing import Any

import nbformat
from benchlib.report.page.page_exporter import ANSWERS
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from benchlib.report.page.charts import PLOTLY

#: Names as a raw file may hold them.
HOSTILE = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
LINK = "<a href=\"javascript:document.title='taken'\">Encode</a>"

LEVELS = [1, 2, 4, 8, 16]
REQUESTS = [24.1, 28.2, 53.3, 63.9, 64.8]

VERDICT = """<section class="verdict verdict-warn" aria-label="Verdict"><span class="verdict-word">WARN</span>
<p class="verdict-sentence">Plan with 4 cores: beyond them each further core adds less than half of its share,
and the two ways of measuring disagree on how much.</p></section>"""

CARDS = """<div class="cards">
<div class="card"><p class="card-label">Best return</p><p class="card-value">4 <small>cores</small></p>
<p class="card-interval">53,300 requests/s</p><p class="card-note">step efficiency 94 % from 2 to 4</p></div>
<div class="card"><p class="card-label">Throughput at 16</p><p class="card-value">64.8
<small>k requests/s</small></p>
<p class="card-interval">n = 1: no interval</p><p class="card-note">2.7 × the rate at 1</p></div>
<div class="card"><p class="card-label">Efficiency at 16</p><p class="card-value">17 <small>%</small></p>
<p class="card-interval">n = 1: no interval</p><p class="card-note">10 cores: oversubscribed</p></div>
<div class="card"><p class="card-label">Median latency</p><p class="card-value">130 <small>µs</small></p>
<p class="card-interval">95 %: 126 … 133 µs, n = 8</p><p class="card-note">p99 is 2.4 × the median</p></div>
<div class="card"><p class="card-label">Memory</p><p class="card-value">81.3 <small>KiB/op</small></p>
<p class="card-interval">95 %: 81.2 … 81.5</p><p class="card-note">662 allocations/op</p></div>
<div class="card"><p class="card-label">Failed results</p><p class="card-value">0 <small>of 412</small></p>
<p class="card-note">every line of 7 files read</p></div></div>"""

CAVEATS = """<ul class="caveats">
<li class="caveat caveat-alert"><span class="caveat-word">Alert</span> <span class="caveat-message">The
slowest 5 % average at least 544 µs, above the stated p99 of 317 µs.</span>
<span class="caveat-advice">Keep the
raw latencies or a histogram: the stated percentiles miss the slowest requests.</span></li>
<li class="caveat caveat-warning"><span class="caveat-word">Warning</span> <span class="caveat-message">1
measurement a level.</span> <span class="caveat-advice">Repeat every level at least 3 times, in random
order.</span></li>
<li class="caveat caveat-note"><span class="caveat-word">Note</span> <span class="caveat-message">The run at
10 was built differently and is kept out of both curves.</span></li></ul>"""

REFUSAL = '<p class="refusal">No effects: no factor has two levels.</p>'

PROVENANCE = """<div class="provenance"><dl><dt>parallel_cpu1.txt</dt>
<dd><code>sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08</code></dd>
<dt>Rebuild</dt><dd><code>benchlib report data/onix-adapter</code></dd><dt>Seed</dt><dd>0</dd></dl></div>"""


def table() -> str:
    """A wide table with a hostile name, escaped as benchlib's own display code does."""
    import html

    speedup = [1.0, 1.17, 2.21, 2.65, 2.69]
    rows = "".join(
        f'<tr><th scope="row">{html.escape(name)}</th><td class="num">{level}</td>'
        f'<td class="num">{rate:.1f} k</td><td class="num">{gain:.2f}</td>'
        f'<td class="num">{100 * gain / level:.0f} %</td><td class="evidence">'
        f"<code>cpu{level}.txt:17</code></td></tr>"
        for name, level, rate, gain in zip(
            ["Discover", HOSTILE, LINK, "Discover", "Discover"], LEVELS, REQUESTS, speedup, strict=True
        )
    )
    return (
        '<table class="numbers"><caption>Speedup by cores</caption><thead><tr><th>Benchmark</th>'
        '<th class="num">GOMAXPROCS</th><th class="num">Requests/s</th><th class="num">Speedup</th>'
        f'<th class="num">Efficiency</th><th>Evidence</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def scaling_figure() -> dict[str, Any]:
    """Points, a fitted curve with its band, and labels on the chart."""
    import plotly.graph_objects as go

    xs = [1 + 0.5 * step for step in range(31)]
    fitted = [24.1 * x / (1 + 0.30 * (x - 1) + 0.0018 * x * (x - 1)) for x in xs]
    figure = go.Figure()
    figure.add_scatter(
        x=xs, y=[1.1 * y for y in fitted], mode="lines", line_width=0, showlegend=False, hoverinfo="skip"
    )
    figure.add_scatter(
        x=xs, y=[0.9 * y for y in fitted], mode="lines", line_width=0, fill="tonexty",
        fillcolor="rgba(38,115,184,0.16)", name="95 % band", hoverinfo="skip",
    )  # fmt: skip
    figure.add_scatter(x=xs, y=fitted, mode="lines", name="Universal Scalability Law", line_color="#2673b8")
    figure.add_scatter(
        x=LEVELS, y=REQUESTS, mode="markers", name="measured", marker_color="#d0602a",
        hovertemplate="%{x} cores<br>%{y} k requests/s<extra></extra>",
    )  # fmt: skip
    figure.add_scatter(
        x=LEVELS,
        y=[24.1 * n for n in LEVELS[:3]],
        mode="lines",
        name="linear",
        line_dash="dot",
        line_color="#566172",
    )
    figure.add_vline(x=10, line_dash="dash", line_color="#8a94a3", line_width=1, annotation_text="10 cores")
    figure.update_layout(
        title="Throughput hardly grows beyond 8 cores",
        xaxis_title="GOMAXPROCS",
        yaxis_title="Thousand requests a second",
        yaxis_rangemode="tozero",
        meta={
            "alt": "Throughput against GOMAXPROCS: 24 thousand requests a second at 1, 65 at 16.",
            "caption": "Dots are measurements; the line is the fitted law, the band where its mean may lie.",
        },
    )
    return dict(figure.to_plotly_json())


def names_figure() -> dict[str, Any]:
    """Bars whose names are hostile."""
    import plotly.graph_objects as go

    figure = go.Figure(go.Bar(y=["Discover", HOSTILE, LINK], x=[41.5, 165.3, 88.0], orientation="h", name=LINK))
    figure.update_layout(title=HOSTILE, xaxis_title=LINK, showlegend=True, height=300)
    return dict(figure.to_plotly_json())


def _display(cell_id: str, data: dict[str, Any], source: str = "secret_code()") -> NotebookNode:
    return new_code_cell(source, id=cell_id, outputs=[new_output("display_data", data=data)])


def sample_notebook() -> NotebookNode:
    """A report with verdict, cards, two charts, tables, caveats, provenance and hostile names."""
    import json

    import plotly.io as pio

    def plain(figure: dict[str, Any]) -> Any:
        return json.loads(pio.to_json(figure, validate=False))

    notebook = new_notebook(
        cells=[
            new_markdown_cell("# How far does the adapter scale, and what does a core buy?", id="question"),
            new_code_cell(
                "import pandas",
                id="set-up",
                outputs=[new_output("stream", name="stdout", text="printed by set-up\n"),
                         new_output("stream", name="stderr", text="a warning on stderr\n")],
            ),
            _display("verdict", {"text/html": VERDICT}),
            _display("cards", {"text/html": CARDS}),
            _display("hero", {PLOTLY: plain(scaling_figure())}),
            new_markdown_cell("## Caveats", id="caveats-heading"),
            _display("caveats", {"text/html": CAVEATS}),
            new_markdown_cell("## Key results\n\nEvery number leads back to its line.", id="key-results"),
            _display("table", {"text/html": table()}),
            new_markdown_cell(
                f"## {HOSTILE}\n\n{LINK} [a link](javascript:alert(1)) "
                "![pixel](https://example.org/pixel.png) "
                "[Gunther 2007](https://doi.org/10.1007/978-3-540-31010-5)",
                id="hostile",
            ),
            _display("names", {PLOTLY: plain(names_figure())}),
            new_markdown_cell("## Effects", id="effects"),
            _display("refusal", {"text/html": REFUSAL}),
            new_markdown_cell("## Technical detail", id="detail"),
            _display(
                "method",
                {"text/html": '<details class="method"><summary>Method: fitting the law</summary><p>Weighted '
                 "least squares on relative errors, n − p degrees of freedom.</p></details>"},
            ),
            _display("provenance", {"text/html": PROVENANCE}),
            _display("early-answers", {ANSWERS: {"schema": 0}, "text/plain": "Answers()"}),
            _display("answers", {ANSWERS: {"schema": 1, "peak": 10.9}, "text/plain": "Answers()"}),
            new_code_cell(
                "hidden",
                id="hidden",
                metadata={"tags": ["remove-cell"]},
                outputs=[new_output("display_data", data={"text/html": "<p>not for readers</p>"})],
            ),
        ]
    )  # fmt: skip
    nbformat.validate(notebook)
    return notebook
