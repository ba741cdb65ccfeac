"""Words that know where their numbers come from."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from benchlib.answers.evidence import Evidence, count_rows, evidence_key
from benchlib.answers.serialise import to_dict
from benchlib.report.wording.markup import Column, Table, bullets, paragraph, render_table, tag
from benchlib.report.wording.told import Told, evident, joined, told
from benchlib.report.wording.words import evident_figure, evident_interval
from benchlib.statistics.estimates import point

ONE = Evidence(rows=("a.txt:5-9",), formula="the median")
TWO = Evidence(rows=("a.txt:5-9", "b.txt:1"), formula="the ratio")
KEY_ONE, KEY_TWO = (evidence_key(one) for one in (ONE, TWO))


def figures(line: Told) -> list[str]:
    """The texts that are marked."""
    return [line[one.start : one.stop] for one in line.marks]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("speedup 3.90x at 16, efficiency 24 %.", ["3.90x", "16", "24 %"]),
        ("costs 1.25 µs/op (95 %: 1.1 to 1.3 µs/op)", ["1.25 µs/op", "95 %: 1.1 to 1.3 µs/op"]),
        ("−5.0 % to +3.2 %, n = 5", ["−5.0 %", "+3.2 %", "5"]),
        ("95 %: at least 5 ms/op", ["95 %: at least 5 ms/op"]),
        ("1,234,567 op/s", ["1,234,567 op/s"]),
        ("window.pwn=7, x['3'], a=1/b=2, `9`, 5@host, 8=x took 4 ms", ["4 ms"]),
        ("p99 of BN254 in run1.txt:5 by sha256, v1.2.3, 2026-11-20", []),
        ("", []),
    ],
)
def test_numbers_of_a_sentence_are_marked_and_names_are_not(line: str, found: list[str]) -> None:
    """A number with its unit, an interval as one; digits within a name, a date or a place are none."""
    assert figures(told(line, ONE)) == found


def test_told_words_are_plain_text_elsewhere() -> None:
    """A terminal, JSON and an f-string take the text alone."""
    line = told("speedup 3.90x", ONE)
    assert line == "speedup 3.90x"
    assert f"{line}!" == "speedup 3.90x!"
    assert json.dumps({"verdict": line}) == '{"verdict": "speedup 3.90x"}'
    assert type(to_dict(line)) is str


def test_a_page_sees_the_marks() -> None:
    """Key and value stand on the figure; what surrounds it is escaped, and its unit stays on its line."""
    assert str(paragraph(joined(["<b> ", evident("8 ms", ONE, 0.008)]))) == (
        f'<p>&lt;b&gt; <span data-e="{KEY_ONE}" data-v="0.008">8\u00a0ms</span></p>'
    )
    assert str(bullets([told("of 5 rows", ONE)])) == (
        f'<ul class="findings"><li>of <span data-e="{KEY_ONE}">5</span> rows</li></ul>'
    )


@given(st.lists(st.tuples(st.text(max_size=12), st.booleans()), max_size=6), st.text(max_size=3))
def test_joining_keeps_text_and_marks(parts: list[tuple[str, bool]], separator: str) -> None:
    """The text is what `str.join` makes; every mark stands on the text that it stood on."""
    given_parts = [evident(text, ONE) if marked else text for text, marked in parts]
    line = joined(given_parts, separator)
    assert line == separator.join(text for text, _ in parts)
    assert figures(line) == [text for text, marked in parts if marked and text]


@given(st.text(max_size=60))
def test_no_text_becomes_markup(text: str) -> None:
    """Whatever stands in a name, only the marks of the page are elements."""
    shown = str(escape(told(text, ONE)))
    assert shown.replace(f'<span data-e="{KEY_ONE}">', "").replace("</span>", "").count("<") == 0


def test_a_row_says_once_what_its_figures_share() -> None:
    """Cells that differ say it themselves; a number that reads as its text is not written twice."""
    columns = tuple(Column(head=head, align="number") for head in "abc")
    shared = ("name", evident("7", ONE, 7), evident("8 ms", ONE, 0.008))
    apart = ("name", evident("7", ONE, 7), evident("8 ms", TWO, 0.008))
    markup = str(render_table(Table(caption="", columns=columns, rows=(shared, apart))))
    assert f'<tr data-e="{KEY_ONE}"><td class="num">name</td><td data-e="" class="num">7</td>' in markup
    assert '<td data-e="" data-v="0.008" class="num">8 ms</td></tr>' in markup
    assert f'<td data-e="{KEY_ONE}" class="num">7</td><td data-e="{KEY_TWO}" data-v="0.008" class="num">' in markup


@pytest.mark.parametrize(
    ("rows", "n"), [((), 0), (("a:1",), 1), (("a:1-3", "a:9"), 4), (("cpu.pb.gz",), 1), (("dir:with/colon",), 1)]
)
def test_rows_are_counted_by_their_lines(rows: tuple[str, ...], n: int) -> None:
    """A range is as many values as it has lines; what has none is one."""
    assert count_rows(rows) == n


def test_a_key_tells_rows_from_formula() -> None:
    """Neither order nor grouping is lost in it; two metrics of one line are two."""
    told_of = ((("a", "b"), "c"), (("b", "a"), "c"), (("ab",), "c"), (("b",), "a"))
    found = [Evidence(rows=rows, formula=formula) for rows, formula in told_of]
    found += [Evidence(rows=("b",), formula="a", values=(("b", 7.0),), unit=unit) for unit in ("sec", "B")]
    keys = [evidence_key(one) for one in found]
    assert len(set(keys)) == 6
    assert all(len(one) == 12 for one in keys)


def test_markup_in_attributes_is_escaped() -> None:
    """A key comes from a hash; an attribute is escaped all the same."""
    assert str(tag("td", "x", **{"data-e": '"><i>'})) == '<td data-e="&#34;&gt;&lt;i&gt;">x</td>'


def test_a_rounded_number_keeps_its_digits_for_sorting() -> None:
    """A table sorts by what was measured: 39,933 and 40,012 both read 40,000."""
    evidence = Evidence(rows=("a.txt:5",), formula="median")
    wide = replace(point(39_933.4, "req/sec", 9, "median"), low=35_527.3, high=44_468.1)
    assert (evident_figure(wide, evidence), evident_figure(wide, evidence).marks[0].value) == ("40,000 req/s", 39_933.4)
    assert evident_interval(wide, evidence).marks[0].value == 35_527.3
    assert 'data-v="39933.4"' in evident_figure(wide, evidence).__html__()
