"""Every number on a page leads back to its rows, and says what they say."""

from __future__ import annotations

import html
import json
import math
import re
import statistics
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import nbformat
import pytest
from benchlib.report.page.packing import pack, unpack
from benchlib.report.page.page_exporter import ANSWERS
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output

from benchlib.answers.asking import Refusal
from benchlib.answers.comparison import ComparisonAnswer
from benchlib.answers.evidence import MOST_VALUES, Evidence, count_rows, count_values, evidence_key
from benchlib.answers.pooled import summary_evidence
from benchlib.answers.scaling import fall_evidence, speedup_evidence, step_evidence
from benchlib.answers.serialise import to_dict
from benchlib.errors import ExportError
from benchlib.report.page.agreeing import Known, figures
from benchlib.report.page.export import check_page, to_html
from benchlib.report.wording.cards.card import Card
from benchlib.report.wording.cards.choice import cards
from benchlib.report.wording.cards.comparison import comparison_cards
from benchlib.report.wording.comparison.sentences import comparison_findings, comparison_verdict
from benchlib.report.wording.effects_tables import cells_table
from benchlib.report.wording.markup import Column, Table, bullets, paragraph, render_table, tag
from benchlib.report.wording.measured_tables import latency_table, sample_table
from benchlib.report.wording.told import Mark, Told, evident, joined, marks_of, told, written
from benchlib.report.wording.words import change, evident_figure, evident_interval
from benchlib.statistics.estimates import point
from benchlib.units import percent, show
from tests.report.shipped import shipped_report
from tests.shipped_studies import summary

# A page and its answers hold the same evidence, and the page shows no other number for a value than the answer


MEDIAN = Evidence(rows=tuple(f"run.txt:{line}" for line in range(10, 60, 2)), formula="the median")
RATIO = Evidence(rows=("run.txt:3-7",), formula="new over old")
ROWS = ((evident("8 ms", MEDIAN, 0.0081234), evident("1.40x", RATIO, 1.4)),)
TABLE = Table(caption="c", columns=(Column(head="a", align="number"), Column(head="b", align="number")), rows=ROWS)


def answers() -> dict[str, Any]:
    """As a notebook hands them out: two answers, each with its evidence."""
    return {
        "schema": "benchlib-answers/1",
        "answers": {
            "samples": {"median": {"value": 0.0081234}, "evidence": to_dict(MEDIAN)},
            "comparison": {"ratio": 1.4, "evidence": {"1": to_dict(RATIO)}},
        },
    }


def notebook(*shown: object, handed_out: dict[str, Any] | None = None) -> NotebookNode:
    """Displayed markup, then the answers."""
    data = [{"text/html": str(one)} for one in shown]
    if handed_out is not None:
        data.append({ANSWERS: handed_out})
    outputs = [new_output("display_data", data=one) for one in data]
    return new_notebook(cells=[new_code_cell("x", outputs=outputs)])


def made(*shown: object) -> tuple[str, NotebookNode]:
    """A page of some markup with the answers."""
    read = notebook(*shown, handed_out=answers())
    return to_html(read, title="T"), read


def data_of(page: str) -> Any:
    """What the page's data block holds."""
    return unpack(page.split('id="page-data">')[1].split("</script>")[0])


def test_the_page_holds_what_it_cites_and_no_more() -> None:
    """Rows up to twenty, how many values and how many places more, the formula; in the order of the page."""
    page, read = made(paragraph(told("took 8 ms, 8 ms again", MEDIAN)))
    check_page(page, read, answers=answers())
    (one,) = data_of(page)["evidence"]
    assert (one["formula"], one["n"], one["more"]) == ("the median", 25, 5)
    assert one["rows"] == [[row, ""] for row in MEDIAN.rows[:20]]
    assert page.count(' data-e="0"') == 2


def test_a_value_stands_behind_its_place() -> None:
    """In one unit, on the scale of the first, with no more digits than were measured; n counts values, not lines."""
    values = (("run.txt:1", 0.0225412), ("run.txt:1", 0.023), ("run.txt:4", 0.9))
    timed = Evidence(rows=("run.txt:1", "run.txt:4"), formula="the median", values=values, unit="sec/op")
    read = notebook(paragraph(told("took 23 ms", timed)), handed_out={"time": 0.023, "evidence": to_dict(timed)})
    (one,) = data_of(to_html(read, title="T"))["evidence"]
    assert one["rows"] == [["run.txt:1", "22.5412 ms/op"], ["run.txt:1", "23 ms/op"], ["run.txt:4", "900 ms/op"]]
    assert (one["n"], one["more"]) == (3, 0)


def test_evidence_that_no_answer_has_is_refused() -> None:
    """A number cannot be traced to what answers.json does not hold."""
    stray = Evidence(rows=("run.txt:1",), formula="made up")
    read = notebook(paragraph(told("took 9 ms", stray)), handed_out=answers())
    with pytest.raises(ExportError) as caught:
        to_html(read, title="T")
    assert str(caught.value) == (
        "the page traces a number to evidence that the answers do not hold, before '9\u00a0ms'"
    )


def test_a_notebook_without_answers_traces_nothing() -> None:
    """A failed run hands out none: what it showed is shown, and nothing can be opened."""
    read = notebook(paragraph(told("took 9 ms", MEDIAN)), render_table(TABLE))
    page = to_html(read, title="T")
    assert "data-e" not in page.partition("<main")[2].partition("</main>")[0]
    check_page(page, read, answers={})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda one: one.update(n=24), "the evidence 'the median' of the page is not that of answers.json"),
        (lambda one: one["rows"].pop(), "the evidence 'the median' of the page is not that of answers.json"),
        (lambda one: one.update(formula="mean"), "the evidence 'mean' of the page is not that of answers.json"),
    ],
)
def test_a_page_that_differs_from_its_answers_is_not_published(change: Any, message: str) -> None:
    """Rows, formula and n are compared one by one."""
    page, read = made(render_table(TABLE))
    data = data_of(page)
    change(data["evidence"][0])
    altered = re.sub(r'(?<=id="page-data">)[^<]*', pack(data), page)
    with pytest.raises(ExportError) as caught:
        check_page(altered, read, answers=answers())
    assert str(caught.value) == message


@pytest.mark.parametrize("shown", [render_table(TABLE), paragraph(joined(["took ", ROWS[0][0]]))])
def test_a_value_must_be_a_number_of_its_answer(shown: object) -> None:
    """In tables and in sentences; nine digits are compared."""
    page, read = made(shown)
    check_page(page, read, answers=answers())
    with pytest.raises(ExportError) as caught:
        check_page(page.replace('data-v="0.0081234"', 'data-v="0.0081235"'), read, answers=answers())
    assert str(caught.value) == "the page shows 0.0081235, which its answer in answers.json does not hold"


def test_a_number_of_another_answer_does_not_count() -> None:
    """The ratio stands in answers.json, but not in the answer that the median comes from."""
    page, read = made(paragraph(evident("1.40 ms", MEDIAN, 1.4)))
    with pytest.raises(ExportError, match=r"the page shows 1\.4, which its answer"):
        check_page(page, read, answers=answers())


@pytest.mark.parametrize("shown", [render_table(TABLE), paragraph(joined(["took ", ROWS[0][0]]))])
@pytest.mark.parametrize("told", ["1.40 ms", "25 ms"])
def test_words_tell_the_value_that_stands_with_them(shown: object, told: str) -> None:
    """Another number of the same answer is not enough where the page says which one is meant."""
    page, read = made(shown)
    held = answers()
    held["answers"]["samples"].update(others=[0.0014, 0.025])
    check_page(page, read, answers=held)
    here = "8 ms" if "8 ms" in page else "8\u00a0ms"
    with pytest.raises(ExportError) as caught:
        check_page(page.replace(here, told), read, answers=held)
    assert str(caught.value) == f"the page says '{told}' of 0.0081234"


@pytest.mark.parametrize("told", ["95 %: at most 2.00 ms", "95 %: no bound"])
@pytest.mark.parametrize("space", [" ", "\u00a0"])
def test_an_interval_without_a_lower_end_is_sorted_by_what_it_does_not_tell(told: str, space: str) -> None:
    """Counts that hold a 0 have it for a lower end, which no factor reaches."""
    page, read = made(paragraph(evident(told.replace(" ", space), MEDIAN, 0.0)))
    held = answers()
    held["answers"]["samples"].update(low=0.0, high=0.002, confidence_level=0.95)
    check_page(page, read, answers=held)


def test_the_level_of_an_interval_tells_no_end_of_it() -> None:
    """95 % is no 0.95 ms."""
    page, read = made(paragraph(evident("95 %: 8 to 9 ms", MEDIAN, 0.0081234)))
    held = answers()
    held["answers"]["samples"].update(low=0.0081234, other=0.95, high=0.009, confidence_level=0.95)
    check_page(page, read, answers=held)
    with pytest.raises(ExportError, match=r"says '95.*: 8 to 9.*ms' of 0\.95"):
        check_page(page.replace('data-v="0.0081234"', 'data-v="0.95"'), read, answers=held)


def test_evidence_of_packed_rows_is_checked_as_well() -> None:
    """What is folded away is part of the page."""
    many = Table(caption="c", columns=TABLE.columns, rows=ROWS * 400)
    page, read = made(render_table(many, 5))
    assert data_of(page)["rows"]
    check_page(page, read, answers=answers())
    wrong = answers()
    wrong["answers"]["samples"]["median"]["value"] = 1.0
    with pytest.raises(ExportError, match=r"the page shows 0\.0081234"):
        check_page(page, read, answers=wrong)


@pytest.mark.parametrize("shown", ["took 8.1 ms", "took 8.12 ms, 8 ms more or less"])
def test_the_words_of_a_page_read_as_numbers_of_the_answer(shown: str) -> None:
    """Whatever stands beside it, a reader reads the words."""
    page, read = made(paragraph(told(shown, MEDIAN)))
    check_page(page, read, answers=answers())


@pytest.mark.parametrize("text", ["8.2\u00a0ms", "9\u00a0ms", "8.1\u00a0s"])
def test_words_that_say_another_number_are_not_published(text: str) -> None:
    """Wrong digits, a wrong number, a wrong unit: in a sentence, and in a cell whose value is right."""
    for shown, right in ((paragraph(told("took 8.1 ms", MEDIAN)), "8.1\u00a0ms"), (render_table(TABLE), "8 ms")):
        page, read = made(shown)
        assert right in page
        with pytest.raises(ExportError) as caught:
            check_page(page.replace(right, text), read, answers=answers())
        assert str(caught.value) == f"the page says '{text!r}'".replace("''", "'") + (
            ", and no number of its answer in answers.json reads so"
        )


def test_a_caveat_may_stand_on_the_page_with_the_evidence_of_another_answer() -> None:
    """Several answers give it: its words are those of answers.json all the same."""
    read = answers()
    read["answers"]["scaling"] = {"caveats": [{"type": "Caveat", "message": "from 27 to 31 % between runs"}]}
    page, shown = made(paragraph(told("from 27 to 31 % between runs", MEDIAN)))
    check_page(page, shown, answers=read)
    with pytest.raises(ExportError, match="no number of its answer"):
        check_page(page, shown, answers=answers())


def test_a_bare_count_in_a_sentence_is_no_reason_to_publish_nothing() -> None:
    """It may count what the page leaves out; shipped pages are held to it, and a number in a table always is."""
    page, read = made(paragraph(told("and 17 more", MEDIAN)))
    check_page(page, read, answers=answers())
    with pytest.raises(ExportError, match="the page says '17'"):
        check_page(page, read, answers=answers(), counts=True)


# A number in words is read back, and must be one that its answer holds


UNITS = ["sec", "sec/op", "B/op", "req/sec", "allocs/op", "ratio", "x", ""]


@given(st.floats(1e-12, 1e12), st.sampled_from(UNITS), st.integers(2, 6))
def test_what_is_shown_of_a_value_reads_as_it(value: float, unit: str, digits: int) -> None:
    """In every unit and to any number of digits; a value of twice the size does not read so."""
    shown = figures(show(value, unit, digits=digits))
    if len(shown) == 1 and value >= 1e-8:
        assert Known([{"value": value}]).holds(shown[0])
        assert shown[0].tells(value)
        assert unit in ("ratio", "x") or not Known([{"value": 2 * value}]).holds(shown[0])


@given(st.floats(0.01, 100), st.sampled_from(["time", "throughput", "memory"]))
def test_a_change_reads_as_its_ratio(ratio: float, metric: str) -> None:
    """Told as a factor of at least one, whichever way it goes; an answer may hold its logarithm."""
    (shown,) = figures(change(ratio, metric))
    assert Known([{"ratio": ratio}]).holds(shown)
    assert Known([{"center": math.log(ratio)}]).holds(shown)


@pytest.mark.parametrize("share", [0.003, 0.125, 0.5, 0.985])
def test_a_share_reads_as_what_is_left_or_added(share: float) -> None:
    """15 % lower is a ratio of 0.85."""
    (shown,) = figures(percent(share, 1))
    for held in (share, -share, 1 - share, 1 + share):
        assert Known([{"value": held}]).holds(shown)
    assert not Known([{"value": share + 0.01}]).holds(shown)


@given(st.floats(1e-8, 1e12), st.sampled_from(["sec", "sec/op", "B/op", "req/sec", "allocs/op"]), st.integers(2, 6))
def test_what_is_rounded_to_its_interval_reads_as_its_value(value: float, unit: str, carried: int) -> None:
    """Zeros at the end of a whole number may tell nothing; the value is no tenth off."""
    (shown,) = figures(show(value, unit, carried=carried))
    assert shown.tells(value)
    assert shown.tells(float(written(value)))
    assert not shown.tells(1.2 * value)


def test_a_whole_number_is_rounded_where_it_is_measured() -> None:
    """Of a unit, and between ends whose unit stands in the cell beside; no count, factor, percent or decimal is."""
    rounded = ["40,000 req/s", "−40,000 op/s", "95 %: 40,000 to 44,000 req/s", "36,000 to 40,000"]
    exact = ["40,000 rows", "40,000", "40,000x", "40,000 %", "40,000.0 req/s", "from 40,000 to 44,000 rows"]
    for text in [*rounded, *exact]:
        (told,) = (one for one in figures(text) if "40,000" in one.text)
        by = 0.01 if told.unit == "%" else 1.0
        assert (told.tells(39_933 * by) and not told.tells(39_400 * by)) == (text in rounded), text


def test_an_end_of_an_interval_has_the_unit_of_the_other() -> None:
    """It stands there once."""
    level, low, high = figures("95 %: 1.10 to 1.30 µs/op")
    assert level.unit == "%"
    assert low.low < 1.1e-6 < low.high
    assert not Known([{"low": 1.1}]).holds(low)
    assert high.unit == "µs/op"


def test_a_bound_reads_as_all_below_it() -> None:
    """A p value is told as < 0.001 where it is smaller."""
    (bound,) = figures("p < 0.001")
    assert Known([{"pvalue": 3e-9}]).holds(bound)
    assert not Known([{"pvalue": 0.002}]).holds(bound)


def test_rows_and_formula_are_no_numbers_of_an_answer() -> None:
    """A line number is no measurement."""
    answer = {"value": 7.5, "evidence": {"type": "Evidence", "rows": ["a.txt:9"], "formula": "the 95 % interval"}}
    assert not any(Known([answer]).holds(one) for one in figures("9 at 95 %"))


@pytest.mark.parametrize("text", ["run1.txt:5", "p99", "BN254", "2026-11-20", "v1.2.3", "#i-1", ""])
def test_digits_of_names_are_no_numbers(text: str) -> None:
    """As where they are marked."""
    assert figures(text) == ()


@pytest.mark.parametrize("commit", ["555e140057", "1e999", f"1e{'9' * 5000}"])
def test_a_commit_id_that_looks_like_a_number_is_a_name(commit: str) -> None:
    """No float holds it: what stands beside it is read as ever."""
    assert [figure.text for figure in figures(f"{commit} of 8 ms against 0.001e309")] == ["8 ms", "0.001e309"]
    assert Known([{"commit": commit, "value": 0.008}]).holds(figures("8 ms")[0])


# Words that know where their numbers come from


ONE = Evidence(rows=("a.txt:5-9",), formula="the median")
TWO = Evidence(rows=("a.txt:5-9", "b.txt:1"), formula="the ratio")
KEY_ONE, KEY_TWO = (evidence_key(one) for one in (ONE, TWO))


def told_figures(line: Told) -> list[str]:
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
    assert told_figures(told(line, ONE)) == found


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
    assert told_figures(line) == [text for text, marked in parts if marked and text]


@given(st.text(max_size=60))
def test_no_text_becomes_markup(text: str) -> None:
    """Whatever stands in a name, only the marks of the page are elements."""
    shown = str(escape(told(text, ONE)))
    assert shown.replace(f'<span data-e="{KEY_ONE}">', "").replace("</span>", "").count("<") == 0


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


# What stands behind a number is what it was made of: medians, speedups and ratios follow from the values listed


#: Benchmarks of lplex that its control pkg=*/filter holds; all other controls are of pkg=*/pgn.
FILTER = ("Compile", "Match")
STUDIES = ("http-endpoints", "lplex", "onix-adapter", "token-sdk")


def medians(evidence: Evidence) -> list[float]:
    """The median of the values listed, and of one over them: throughput may be told from times."""
    values = [value for _, value in evidence.values]
    turned = [statistics.median(1 / one for one in values)] if all(values) else []
    return [statistics.median(values), *turned]


def holds(mark: Mark) -> bool:
    """Whether the number of a figure is the median of the values behind it, or one of them, as an end is."""
    assert mark.value is not None
    values = [value for _, value in mark.evidence.values]
    return any(math.isclose(mark.value, one, rel_tol=1e-9) for one in (*medians(mark.evidence), *values))


def listed(evidence: Evidence) -> bool:
    """Whether a page shows every value."""
    return bool(evidence.values) and count_values(evidence) == len(evidence.values)


def behind_figures(table: Table) -> Iterator[tuple[str, Mark]]:
    """The figures of a table with a number of their own, by the head of their column."""
    for row in table.rows:
        for column, cell in zip(table.columns, row, strict=True):
            yield from ((column.head, mark) for mark in marks_of(cell) if mark.value is not None)


@pytest.mark.parametrize("name", STUDIES)
def test_medians_follow_from_the_values_listed(name: str) -> None:
    """Every cell of All measurements, of latency and of effects: the value, its ends and its n."""
    answers = summary(name)
    made = [sample_table(answers.samples)] if not isinstance(answers.samples, Refusal) else []
    if not isinstance(answers.latency, Refusal):
        made.append(latency_table(answers.latency))
    if not isinstance(answers.effects, Refusal):
        made += [table for _, table in cells_table(answers.effects)]
    checked = 0
    for head, mark in (one for table in made for one in behind_figures(table)):
        if not listed(mark.evidence) or head == "p99 / p50":
            continue
        if head == "n":
            assert mark.value == len(mark.evidence.values), (name, head, mark)
        else:
            assert holds(mark), (name, head, mark)
        checked += 1
    assert checked > 30


@pytest.mark.parametrize("name", ["http-endpoints", "onix-adapter", "onix-adapter-published", "reference"])
def test_speedups_and_steps_follow_from_the_values_of_two_levels(name: str) -> None:
    """Of no other level is a row behind them."""
    scaling = summary(name).scaling
    assert not isinstance(scaling, Refusal)
    for curve in scaling.curves:
        first = curve.points[0]
        for before, level in zip((first, *curve.points), curve.points, strict=False):
            evidence = curve.evidence[level.concurrency]
            assert any(math.isclose(level.throughput.value, one, rel_tol=1e-9) for one in medians(evidence))
            ends = curve.evidence[first.concurrency].values + evidence.values
            assert set(speedup_evidence(curve, level.concurrency).values) == set(ends[:MOST_VALUES])
            if level is not first:
                step = curve.evidence[before.concurrency].values + evidence.values
                assert set(step_evidence(curve, level.concurrency).values) == set(step[:MOST_VALUES])
        best, last = curve.shape.best_level, curve.points[-1].concurrency
        assert set(fall_evidence(curve).rows) == {*curve.evidence[best].rows, *curve.evidence[last].rows}


#: What a card says of a level: a throughput with its unit.
_MEASURED = re.compile(r"[\d,.]+ [nµm]?\w+(?:/\w+)?")


@pytest.mark.parametrize("name", STUDIES)
def test_cards_lead_to_the_values_that_they_are_made_of(name: str) -> None:
    """A median in a card, and a change as the ratio of two medians, can be worked out from the rows shown."""
    for card in cards(summary(name)):
        for mark in _valued(card):
            if not listed(mark.evidence):
                continue
            values = [value for _, value in mark.evidence.values]
            pairs = [b / a for a in _by_half(values) for b in _by_half(values) if a]
            assert holds(mark) or any(math.isclose(mark.value or 0, one, rel_tol=1e-9) for one in pairs), (card, mark)


def _by_half(values: list[float]) -> list[float]:
    """The medians of the values before and after each place: two levels or sides stand one after the other."""
    places = range(1, len(values))
    return [statistics.median(half) for place in places for half in (values[:place], values[place:])]


def _valued(card: Card) -> Iterator[Mark]:
    for text in (card.value, card.note):
        if isinstance(text, Told):
            for mark in text.marks:
                shown = text[mark.start : mark.stop]
                if mark.value is not None and (_MEASURED.fullmatch(shown) or shown.endswith("x")):
                    yield mark


def test_what_is_counted_over_cells_stands_on_all_of_them() -> None:
    """The worst cell has its own rows, '5 of 5 cells' has those of all five."""
    missed = next(one for one in summary("lplex").targets if one.status == "FAIL")
    assert missed.reason == "5 of 5 cells"
    assert count_values(missed.evidence) == 6
    assert count_values(missed.cells_evidence) == 30
    card = next(one for one in cards(summary("lplex")) if one.note == missed.name)
    behind = {card.target[mark.start : mark.stop]: mark.evidence for mark in marks_of(card.target)}
    assert behind["5"] == missed.cells_evidence


def test_counts_of_a_metric_have_the_rows_of_that_metric() -> None:
    """ "36 cannot be told" of times is no statement on allocations."""
    (compared,) = (one for one in summary("lplex").comparisons if isinstance(one, ComparisonAnswer))
    own = {
        metric: {row for one in compared.rows if one.metric == metric and not one.control for row in one.evidence.rows}
        for metric in ("time", "allocations")
    }
    for card in comparison_cards(compared, ()):
        behind = {row for text in (card.value, card.note) for mark in marks_of(text) for row in mark.evidence.rows}
        metric = "allocations" if "allocations" in card.label else "time" if ": time" in card.label else ""
        assert not metric or behind == own[metric]
    assert own["time"] != own["allocations"]


def test_the_ratio_of_a_run_has_the_rows_of_that_run() -> None:
    """By run 4.13x, 3.99x and 3.13x: each follows from the two values that its button shows."""
    answers = summary("onix-adapter-published")
    (line, *_) = (
        line
        for one in answers.comparisons
        if isinstance(one, ComparisonAnswer)
        for line in comparison_findings(one, answers.study.parallel)
        if "; by run " in line
    )
    start = line.index("; by run ")
    runs = [mark for mark in marks_of(line) if mark.start > start]
    assert len(runs) == 3
    for mark in runs:
        (_, before), (_, after) = mark.evidence.values
        assert f"{before / after:.2f}x" == line[mark.start : mark.stop]
        assert mark.evidence.formula.startswith("within run")


def test_what_controls_did_has_the_rows_of_these_controls() -> None:
    """How many differ, the middle and the limits: from the controls of one condition and metric, and no other row."""
    answers = summary("lplex")
    (compared,) = (one for one in answers.comparisons if isinstance(one, ComparisonAnswer))
    behind = summary_evidence(answers)
    moved = [one for one in answers.caveats if one.code == "controls-moved"]
    assert len(moved) == len(compared.controls) == 2
    for said, control in zip(moved, compared.controls, strict=True):
        of_filter = control.condition == "pkg=*/filter"
        rows = [row for row in compared.rows if row.control and (row.key["benchmark"] in FILTER) is of_filter]
        ratios = [statistics.median(one.candidate_values) / statistics.median(one.baseline_values) for one in rows]
        assert f"by {statistics.geometric_mean(ratios):.2f}x in the middle" in said.message
        assert behind[said] == control.evidence
        assert count_rows(control.evidence.rows) == sum(count_rows(one.evidence.rows) for one in rows)
    verdict = comparison_verdict(compared)
    assert {mark.evidence for mark in marks_of(verdict)} == {compared.controls[0].evidence}
    assert "13 of 13" in verdict


# Nearly every number on a page leads back to its rows, and those that do not are no results


PAGES = [
    ("onix-adapter-published", "executive_summary"),
    ("onix-adapter-published", "40_scaling"),
    ("onix-adapter-published", "70_capacity"),
    ("http-endpoints", "70_capacity"),
    ("token-sdk", "executive_summary"),
    ("token-sdk", "50_effects"),
    ("lplex", "30_comparison"),
]
_NUMBER = re.compile(r"(?<![\w.,:/#+−-])[+−-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?!\w|-\w|[.:]\d)")
#: Where numbers are no results: headings and names, code, packed data, what charts say beside their data, and how to
#: read a table.
NAMES = {"h1", "h2", "h3", "summary", "caption", "th", "code", "pre", "script", "dl", "figcaption", "noscript", "title"}
#: Words of the study's author, and advice.
WORDS = {"question", "subtitle", "asked", "notes", "caveat-advice", "refusal", "card-label"}
VOID = {"br", "img", "meta", "hr", "input", "link"}


class Numbers(HTMLParser):
    """Numbers in the words of a page: how many are traced, and those that are not, with what surrounds them."""

    names = NAMES

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.traced = 0
        self.bare: list[str] = []
        self._open: list[tuple[str, dict[str, str | None]]] = []
        self._caption = ""
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._caption = ""
        if tag not in VOID:
            self._open.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1][0] == "caption":
            self._caption = data
        if any("data-e" in given for tag, given in self._open if tag != "tr"):
            self.traced += len(_NUMBER.findall(data))
        elif not self._no_result():
            self.bare += [data[max(0, one.start() - 30) : one.end() + 20] for one in _NUMBER.finditer(data)]

    def _no_result(self) -> bool:
        classes = {word for _, given in self._open for word in (given.get("class") or "").split()}
        tags = [tag for tag, _ in self._open]
        # Cells of words name what a row is of; the files name themselves.
        label = "td" in tags and "num" not in classes
        return label or self._caption == "Files" or bool(self.names & set(tags)) or bool(WORDS & classes)


def markup_of(study: str, notebook: str) -> Iterator[str]:
    """What a reader sees of a page: its body, and the rows that are packed away."""
    page = shipped_report(study, notebook).page.read_text(encoding="utf-8")
    yield page.partition('<main id="content">')[2].partition("</main>")[0]
    for rows in unpack(page.split('id="page-data">')[1].split("</script>")[0])["rows"]:
        yield f"<table><tbody>{rows}</tbody></table>"


@pytest.mark.parametrize(("study", "notebook"), PAGES)
def test_numbers_lead_back_to_their_rows(study: str, notebook: str) -> None:
    """Ninety-eight of a hundred in sentences, cards and tables; the rest are quoted claims and how to read a figure."""
    body, *_ = markup_of(study, notebook)
    found = Numbers(body)
    assert found.traced > 100
    assert len(found.bare) <= 0.02 * found.traced, found.bare


@pytest.mark.parametrize(("study", "notebook"), PAGES)
def test_verdict_and_cards_are_traced_without_exception(study: str, notebook: str) -> None:
    """A leader reads them first."""
    body = next(markup_of(study, notebook))
    for part in re.findall(r'<p class="verdict-sentence">.*?</p>|<div class="card-value">.*?</div>', body, re.DOTALL):
        assert Numbers(part).bare == [], part


@pytest.mark.parametrize(("study", "notebook"), PAGES)
def test_what_charts_say_in_words_reads_as_numbers_of_the_answers(study: str, notebook: str) -> None:
    """Those who cannot see a chart are told nothing else than those who can."""
    report = shipped_report(study, notebook)
    known = Known([json.loads(report.answers.read_text(encoding="utf-8"))["answers"]])
    labels = re.findall(r'<div class="plot" role="group" aria-label="([^"]*)"', report.page.read_text(encoding="utf-8"))
    # Where every value is drawn the words name the span of what is drawn, which no answer holds.
    told = [one for label in labels if not label.startswith("Every value") for one in figures(html.unescape(label))]
    assert len(told) >= 5
    assert [one.text for one in told if not known.holds(one)] == []


@pytest.mark.parametrize(("study", "notebook"), PAGES)
def test_counts_in_sentences_are_those_of_the_answers(study: str, notebook: str) -> None:
    """The gate compares what has a unit or decimals; here every number is."""
    report = shipped_report(study, notebook)
    answers = json.loads(report.answers.read_text(encoding="utf-8"))
    page = report.page.read_text(encoding="utf-8")
    check_page(page, nbformat.read(report.notebook, as_version=4), answers=answers, counts=True)
