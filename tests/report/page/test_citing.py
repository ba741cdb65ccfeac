"""A page and its answers hold the same evidence, and the page shows no other number for a value than the answer."""

from __future__ import annotations

import re
from typing import Any

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output

from benchlib.answers.evidence import Evidence
from benchlib.answers.serialise import to_dict
from benchlib.errors import ExportError
from benchlib.report.page.export import check_page, to_html
from benchlib.report.page.packing import pack, unpack
from benchlib.report.page.page_exporter import ANSWERS
from benchlib.report.wording.markup import Column, Table, paragraph, render_table
from benchlib.report.wording.told import evident, joined, told

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
