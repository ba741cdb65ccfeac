"""What `benchlib compare` tells, once for terminal, comment and page."""

from __future__ import annotations

import html
import math
import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser

import mistune
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.answers.asking import Refusal
from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow, comparison_document, comparison_records
from benchlib.answers.evidence import Evidence
from benchlib.answers.targets import TargetAnswer
from benchlib.cli.blocks import WIDTH
from benchlib.cli.compare_blocks import matrices, tell, told_comparison
from benchlib.cli.compare_page import comparison_page
from benchlib.cli.compare_text import comment, comment_name, comparison_text
from benchlib.report.wording.comparison.cells import change_cell, factor_words, ratio_words
from tests import comparison_answers
from tests.comparison_answers import ALSO, ATTACK, around, make_answer, make_row

KINDS = ("decided", "few", "drifted", "controlled", "hostile", "large")
positive = st.floats(1e-3, 1e3)
NASTY = [
    ATTACK, "a|b", "`code`", "@octocat", "@org/team", "#123", "GH-123", "owner/repo#12", "https://evil.example",
    "www.evil.example", "mail@evil.example", "mailto:x@evil.example", "[text](https://evil.example)", "![x](y)",
    "&lt;b&gt;", "**bold**", "_x_", "~~x~~", "</details>", "--> x", "$x$", "\\|", "\\", "a\nb", "\x1b[31m",
    "‮abc", "- x", "1. x", "<!-- benchlib compare: x -->",
]  # fmt: skip
#: Old and new centre, and the cell it makes beside a verdict of its own.
CENTRES = {
    "worse": (1.0, 1.5, "1.50x slower: worse"),
    "better": (1.0, 0.5, "2.00x faster: better"),
    "same": (1.0, 1.0, "same"),
}


def made(kind: str) -> ComparisonAnswer:
    answer = getattr(comparison_answers, kind)()
    assert isinstance(answer, ComparisonAnswer)
    return answer


def text(answer: ComparisonAnswer) -> list[str]:
    return list(comparison_text(tell([answer], [])))


def commented(answer: ComparisonAnswer, command: Sequence[str] = ("benchlib", "compare", "old.txt", "new.txt")) -> str:
    return comment(tell([answer], []), name="x", command=command)


def many(count: int, *, name: str = "Case", verdict: str = "worse") -> ComparisonAnswer:
    """So many rows that differ in nothing but their names."""
    row = make_row(name, around(1e-6), around(1.3e-6), verdict=verdict)  # type: ignore[arg-type]
    return make_answer([row._replace(key={"benchmark": f"{name}{place}"}) for place in range(count)])


@pytest.mark.parametrize("kind", [one for one in KINDS if one != "hostile"])
def test_text_fits_a_terminal(kind: str) -> None:
    """No line is longer than 100 columns, and none ends in blanks."""
    lines = text(made(kind))
    assert [line for line in lines if len(line) > WIDTH or line != line.rstrip()] == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_row_stands_in_every_format(kind: str) -> None:
    """Text, comment and page hold a line for each row; JSON an object."""
    answer = made(kind)
    count = len(answer.rows)
    tables = tell([answer], []).comparisons[0].tables
    assert sum(len(one.rows) for one in tables) == count
    page = comparison_page(tell([answer], []), title="x", footer="")
    assert page.count("<tr>") >= count
    assert len(comparison_document([answer])["comparisons"][0]["rows"]) == count


@pytest.mark.parametrize("kind", KINDS)
def test_no_factor_is_below_one(kind: str) -> None:
    """1.22x slower, never 0.82x faster."""
    for line in (*text(made(kind)), commented(made(kind))):
        assert not re.search(r"(?<![\d.])0\.\d+x", line)


def test_a_refused_comparison_of_a_study_does_not_hide_the_others() -> None:
    """It is named below them, with its reason and what to do."""
    told = tell([made("decided"), Refusal(question="old names", reason="no row", advice="measure them")], [])
    lines = list(comparison_text(told))
    assert lines[0].startswith("new against old: ")
    assert lines[-2:] == ["Not compared", "  old names no row; measure them"]


@given(st.tuples(positive, positive, positive))
def test_changes_are_told_the_right_way_round(found: tuple[float, float, float]) -> None:
    """A sign or a word that agrees with the ratio, and no factor below one, whatever the interval."""
    low, ratio, high = sorted(found)
    told = change_cell(1.0, ratio, ratio, unit="sec/op", metric="time")
    if told.endswith("slower") or told.startswith("+"):
        assert ratio > 1
    elif told.endswith("faster") or told.startswith("−"):
        assert ratio < 1
    else:
        assert told == "equal" or told == "0.0%"
    for words in (ratio_words(ratio, low, high), factor_words(ratio, low, high)):
        assert all(float(one.replace(",", "")) >= 1 for one in re.findall(r"([\d.,]+)x", words))
        if low < 1 < high and words:
            assert re.fullmatch(r"(−\d+(\.\d)?|0(\.0)?)% to (\+[\d,]+(\.\d)?|0(\.0)?)%", words)


@given(st.text(max_size=40))
def test_a_marker_closes_no_comment_before_its_end(name: str) -> None:
    """Letters, digits and single hyphens: nothing that HTML reads."""
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", comment_name(name))


@pytest.mark.parametrize("name", ["Case", "@" * 60, "é" * 150, "😀" * 150])
def test_a_comment_stays_below_the_limit(name: str) -> None:
    """5,000 changed rows: cut, and a line says so; every tag is closed."""
    told = commented(many(5000, name=name))
    assert len(told.encode("utf-16-le")) // 2 < 65_536
    assert "more rows are left out here: a comment has at most 65,536 characters." in told
    assert "4,960 more changed rows are folded below." in told or "more is folded below." in told
    assert told.count("<details>") == told.count("</details>") == 2
    assert told.rstrip().endswith("</details>")


def test_the_command_is_quoted_for_a_shell() -> None:
    """What is pasted asks the same; a name that would close the block of code does not."""
    words = ["benchlib", "compare", "it's here.txt", "a`b```c.txt", "--where", "pkg=*/a b", "two\nlines"]
    found = re.search(r"^(`{3,})sh\n(.*?)\n\1$", commented(made("decided"), words), re.M | re.S)
    assert found is not None
    assert len(found[1]) == 4
    assert shlex.split(found[2]) == words


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)


def hostile(name: str) -> ComparisonAnswer:
    """An answer in which everything a file can name has this name."""
    answer = made("controlled")
    rows = [
        row._replace(key={"benchmark": f"{name}{place}", name: name}, baseline=name, candidate=f"new {name}")
        for place, row in enumerate(answer.rows)
    ]
    made_up = make_answer(rows, name=name, question=name, column=name, missing=[name])
    sides = tuple(replace(one, files=(name,), machine={name: name}) for one in made_up.sides)
    return replace(made_up, sides=sides, controls=answer.controls)


@pytest.mark.parametrize("name", NASTY)
def test_names_in_a_comment_do_nothing(name: str) -> None:
    """No tag but ours, no link, no mention, no reference, and as many cells as the table has columns."""
    answer = hostile(name)
    refusal = Refusal(question=name, reason=name, advice=name)
    target = TargetAnswer(
        name=name, metric=name, bound=name, status="NOT TESTED", benchmark=name, sample=None, reason=name,
        evidence=Evidence(rows=(name,), formula=name), cells_evidence=Evidence(rows=(name,), formula=name),
    )  # fmt: skip
    found = tell([answer, refusal], [target], [("failed", name)])
    told = comment(found, name=comment_name(name), command=["benchlib", "compare", name])
    rendered = mistune.create_markdown(escape=False, plugins=["table", "strikethrough", "url"])(told)
    assert isinstance(rendered, str)
    tags = _Tags()
    tags.feed(rendered)
    ours = {
        "h3", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "details", "summary", "pre",
        "code",
    }  # fmt: skip
    assert set(tags.seen) <= ours
    prose = re.sub(r"<pre>.*?</pre>", "", rendered, flags=re.S)
    shown = html.unescape(re.sub(r"<[^>]*>", "", prose))
    assert not re.search(r"@[\w-]|#\d|\bGH-\d|://|\bwww\.|mailto:", shown, re.I)
    assert prose.count("<!--") == 1
    cells = [len(re.findall(r"<t[dh]", row)) for row in re.findall(r"<tr>(.*?)</tr>", rendered, re.S)]
    assert set(cells) <= {6, 7}


@pytest.mark.parametrize("name", NASTY)
def test_names_on_a_page_do_nothing(name: str) -> None:
    """Everything is escaped, no script may run, and nothing would load."""
    page = comparison_page(tell([hostile(name)], []), title=name, footer=name)
    tags = _Tags()
    tags.feed(page)
    assert not {"img", "script", "iframe", "link", "object", "b", "i"} & set(tags.seen)
    assert "default-src 'none'; script-src 'none'" in html.unescape(page)
    assert not re.search(r"(?:src|href)=\"(?!#)", page)


@pytest.mark.parametrize("name", NASTY)
def test_names_in_a_terminal_do_nothing(name: str) -> None:
    """No control character reaches it."""
    assert all(line.isprintable() for line in text(hostile(name)))


def test_numbers_that_are_not_there_are_not_shown() -> None:
    """A row of one value a side: no interval, no p, no reach, in any format."""
    answer = make_answer([make_row("Encode", [1e-6], [2.5e-6], detectable=math.inf)])
    page = comparison_page(tell([answer], []), title="", footer="").partition("<body>")[2]
    for told in ("\n".join(text(answer)), commented(answer), page):
        assert "2.50x slower" in told
        assert "nan" not in told.lower().replace("nano", "")
        assert " inf" not in told
        assert "±" not in told.partition("What to know")[0]


def test_a_ratio_in_a_spreadsheet_is_never_negative() -> None:
    """Nothing against nothing, and single values: nothing bounds their ratio, and 0 does from below."""
    answer = make_answer([make_row("A", (0.0,) * 10, (0.0,) * 10, metric="allocations", unit="allocs/op"),
                          make_row("B", [1.0], [2.0])])  # fmt: skip
    for one in comparison_records([answer]):
        assert one["ratio_low"] == 0
        assert not one["against_low"] < 0


def test_numbers_beyond_all_measure_fit_their_column() -> None:
    """A number of 151 digits takes as many characters as any other, and so does a factor of 147."""
    lines = text(make_answer([make_row("A", around(1e150), around(1.5e150))]))
    assert max(map(len, lines)) <= WIDTH
    assert any(re.search(r"1\.\d{3}e\+150s.* 1\.\d{3}e\+150s", line) for line in lines)
    assert any("1.00e+146x slower" in line for line in text(make_answer([make_row("B", around(1.0), around(1e146))])))


def three_runs(rows: list[ComparisonRow]) -> ComparisonAnswer:
    """The same rows, of a second and of a third run against the first."""
    return make_answer([*rows, *(make_row("Encode", around(1.0), around(1.5), pair=("old", "third")) for _ in "1")])


def cells(answer: ComparisonAnswer) -> list[str]:
    return [cell for _, grid in matrices(answer, answer.rows) for row in grid.rows for cell in row]


@pytest.mark.parametrize("verdict", CENTRES)
def test_a_cell_has_the_verdict_of_its_row(verdict: str) -> None:
    """A change that is shown says better or worse; what is shown to have stayed is the same."""
    old, new, told = CENTRES[verdict]
    row = make_row("Encode", around(old), around(new, ALSO))
    assert row.verdict == verdict
    assert told in cells(three_runs([row]))


def test_cells_and_rows_say_the_same() -> None:
    """Every verdict of the tables below stands as often in the matrix above, in its own word."""
    rows = [
        make_row(f"Case{place}", around(1.0), around(new, ALSO), pair=("old", side))
        for side in ("new", "third")
        for place, new in enumerate((1.5, 0.5, 1.0))
    ]
    text = "\n".join(comparison_text(tell([make_answer(rows)], [])))
    above, _, below = text.partition("\nnew against old: time per operation")
    for verdict in ("worse", "better", "same"):
        assert len(re.findall(rf"\b{verdict}\b", above.partition("changes side by side")[2])) == 2
        assert len(re.findall(rf"  {verdict}$", below, re.M)) == 2


def answer_at(*levels: float) -> ComparisonAnswer:
    """Rows with intervals at these levels."""
    row = make_row("A", around(1e-6), around(1.3e-6, ALSO))
    rows = [row._replace(key={"benchmark": f"B{place}"}, ratio_level=level) for place, level in enumerate(levels)]
    return make_answer(rows)


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ((0.95, 0.99), "at 99 %, so that over all of them the 95 % hold; of the others at 95 %"),
        ((0.975, 0.99995), "at 97.5 % to 99.995 %, so that over all of them the 95 % hold; of the others at 95 %"),
    ],
)
def test_levels_never_round_to_certainty(levels: tuple[float, ...], words: str) -> None:
    """99.995 % is not 100 %."""
    [line] = [told for label, told in told_comparison(answer_at(*levels)).remarks.lines if label == "intervals"]
    assert line == f"of rows picked out by their p values are {words}"
