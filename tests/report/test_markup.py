"""Names from files are text on a page, never markup."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import plotly.graph_objects as go
import pytest

import benchlib
from benchlib.answers.executive import ExecutiveSummary
from benchlib.report import sections
from benchlib.report.page.charts import chart_markup
from benchlib.report.wording.markup import (
    Column,
    Section,
    Table,
    bullets,
    join,
    paragraph,
    render_table,
    section_heading,
    tag,
)
from tests.shipped_studies import NAMES, summary
from tests.synthetic import SIX, make_table

SCRIPT = "<script>alert(1)</script>"
IMAGE = '<img src=x onerror="alert(1)">'
QUOTE = "\"'><svg onload=alert(1)>"
#: All that a page may be made of.
ALLOWED = {
    "a", "caption", "code", "dd", "details", "div", "dl", "dt", "figcaption", "figure", "h2", "h3", "li",
    "noscript", "p", "pre", "span", "strong", "summary", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
VOID = {"br", "img", "hr", "input", "link", "meta"}


class Elements(HTMLParser):
    """Collects the elements and attributes of markup, and checks that they are closed."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.names: Counter[str] = Counter()
        self.attributes: Counter[str] = Counter()
        self.text = ""
        self.open: list[str] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names[tag] += 1
        self.attributes.update(name for name, _ in attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def hostile(folder: Path) -> ExecutiveSummary:
    """A study in which every name is an attack, and every section has something to tell."""
    heads = "run benchmark case workers bits metric value unit"
    rows: list[tuple[object, ...]] = []
    for run, factor in (("old", 1.0), (SCRIPT, 1.4)):
        for benchmark in (SCRIPT, IMAGE):
            for level in (1, 2, 4, 8):
                for repeat in SIX:
                    rate = 1000 * level / (1 + 0.1 * (level - 1)) * repeat * factor
                    rows.append((run, benchmark, IMAGE, level, 32, "throughput", rate, "req/s"))
                    for bits in (32, 64):
                        rows.append((run, benchmark, QUOTE, level, bits, "time", 1e6 / rate * bits, "us/op"))
            for name, value in (("p50", 5), ("p90", 6), ("p99", 9), ("mean", 20)):
                rows.append((run, benchmark, IMAGE, 1, 32, f"latency_{name}", value, "ms"))
    attack = SCRIPT.replace('"', '\\"')
    image = IMAGE.replace('"', '\\"')
    definition = f"""
title = "{image}"
question = "{attack}"
tested = "{image}"
origin = "{attack}"
notes = ["{attack}", "{image}"]
commands = ["{attack}"]
[environment]
cpu = "{image}"
cores = 4
[scaling]
concurrency = "workers"
[[scaling.exclude]]
where = "bits=64"
why = "{attack}"
[effects]
factors = ["bits", "workers"]
metrics = ["time"]
by = ["benchmark"]
[[compare]]
name = "{image}"
question = "{attack}"
column = "run"
baseline = "old"
[[targets]]
name = "{image}"
where = "metric=time"
metric = "time"
at_most = "1 ns"
[describe.benchmarks]
"{attack}" = "{image}"
[describe.levels.case]
"{image}" = "{attack}"
"""
    return benchlib.executive_summary(make_table(folder, heads, rows, definition))


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> ExecutiveSummary:
    """The hostile study, summarised."""
    return hostile(tmp_path_factory.mktemp("hostile"))


def markup_of(section: Section) -> str:
    """A section as HTML, its figures as the page embeds them."""
    parts = [str(section_heading(section))]
    for number, block in enumerate(section.blocks):
        if isinstance(block, go.Figure):
            # The chart's JSON stands in a script element of the page's own; leave its markup to the page.
            parts.append(
                chart_markup(block.to_plotly_json(), number).replace("<script", "<div").replace("</script", "</div")
            )
        else:
            parts.append(str(render_table(block)) if isinstance(block, Table) else str(block))
    return "\n".join(parts)


@pytest.mark.parametrize("name", sections.__all__)
def test_no_name_becomes_an_element(attacked: ExecutiveSummary, name: str) -> None:
    """No script, picture or drawing grows out of a name, and no attribute that runs anything."""
    found = Elements(markup_of(getattr(sections, name)(attacked)))
    assert found.open == []
    assert set(found.names) <= ALLOWED, set(found.names) - ALLOWED
    assert not [one for one in found.attributes if one.startswith("on")]


def test_hostile_names_can_be_read(attacked: ExecutiveSummary) -> None:
    """Escaped is not dropped: the attack stands on the page as text, in every part that names it."""
    for name in ("tested", "headline", "comparison", "tables", "scaling", "effects", "latency", "caveats"):
        text = Elements(markup_of(getattr(sections, name)(attacked))).text
        assert SCRIPT in text or IMAGE in text, name


@pytest.mark.parametrize("study", NAMES)
@pytest.mark.parametrize("name", sections.__all__)
def test_every_section_of_every_study_is_well_formed(study: str, name: str) -> None:
    """All that is opened is closed, in order, and made of known elements."""
    found = Elements(markup_of(getattr(sections, name)(summary(study))))
    assert found.open == []
    assert set(found.names) <= ALLOWED


@pytest.mark.parametrize("study", NAMES)
def test_no_page_shows_what_is_no_word(study: str) -> None:
    """No nan, inf, None, repr of a number, or doubled sign on any page."""
    for name in sections.__all__:
        text = Elements(markup_of(getattr(sections, name)(summary(study)))).text
        for block in getattr(sections, name)(summary(study)).blocks:
            if isinstance(block, go.Figure):  # its numbers are JSON, not words
                text = ""
        for wrong in (" nan", "(nan", " inf ", " None", "np.float", "Estimate(", "%%", "xx "):
            assert wrong not in text, (name, wrong)


def test_tags_escape_children_and_attributes() -> None:
    """Text is text, markup stays, and a quote does not end an attribute."""
    assert str(tag("p", "a<b", tag("b", "c"))) == "<p>a&lt;b<b>c</b></p>"
    assert str(tag("p", "x", title='"><i>')) == '<p title="&#34;&gt;&lt;i&gt;">x</p>'
    assert str(join(["<", paragraph("x")])) == "&lt;<p>x</p>"
    assert str(bullets([])) == ""


def test_a_long_table_is_folded_and_whole() -> None:
    """Nothing is dropped: the first rows show, all of them stand in the fold."""
    table = Table(
        caption="c",
        columns=(Column(head="h", align="number"),),
        rows=tuple((str(one),) for one in range(20)),
    )
    found = Elements(str(render_table(table, 5)))
    assert found.names["details"] == 1
    assert "15 more rows" in found.text
    assert found.names["td"] == 20
    assert Elements(str(render_table(table, 20))).names["details"] == 0
