"""JMeter results as CSV."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchlib.formats import load
from benchlib.formats.load_generators import JMETER
from benchlib.formats.reader import Reading, TextFile

DATA = Path(__file__).parents[1] / "data" / "jmeter"
HEADER = "timeStamp,elapsed,label,responseCode,success,failureMessage"


def read(*lines: str) -> Reading:
    return JMETER.read(TextFile("x.jtl", "\n".join([HEADER, *lines]).split("\n")))


def test_each_request_is_a_sample_and_failures_are_apart() -> None:
    """awk over plan.jtl: 40 sound Home, 40 failed Missing, 40 failed Refused, 765 ms in all."""
    results = load(DATA / "plan.jtl")
    assert Counter(results.frame["benchmark"]) == {"Home": 40}
    assert Counter(results.failed["benchmark"]) == {"Missing": 40, "Refused": 40}
    total = results.frame["value"].sum() + results.failed["value"].sum()
    assert round(total * 1000) == 765
    assert [one.code for one in results.caveats] == ["failed-results", "failed-results", "closed-loop"]


def test_a_message_with_a_line_end_is_one_request() -> None:
    """JMeter quotes it; its further lines are context."""
    reading = read('1,12,Home,500,false,"expected 200', 'found 500"', "2,13,Home,200,true,")
    assert (list(reading.rows.value), list(reading.rows.errors)) == ([12.0, 13.0], [1.0, 0.0])
    assert (reading.lines.data, reading.lines.context, reading.lines.problem) == (2, 2, 0)


def test_a_line_that_is_cut_is_a_problem() -> None:
    """Too few fields, an elapsed that is no time, a quote that is never closed."""
    reading = read("1,12,Ho", "1,x,Home,200,true,", "1,-4,Home,200,true,", '1,1,Home,200,true,"', "1,5,Home,200,true,")
    assert (reading.lines.data, reading.lines.problem) == (1, 4)


def test_xml_says_how_to_become_csv() -> None:
    """The other form that JMETER writes is told apart, and not read."""
    file = TextFile("x.jtl", ['<?xml version="1.0"?>', '<testResults version="1.2">', "</testResults>"])
    assert JMETER.recognise(file) == "certain"
    [(_, message)] = JMETER.read(file).problems
    assert "output_format=csv" in message


GOOD = [f"{number},{10 + number},Home,200,true," for number in range(2, 6)]


@pytest.mark.parametrize(
    ("last", "skipped"),
    [
        ('9,19,Home,200,true,"', '9,19,Home,200,true,"'),
        ('9,19,Home,500,false,"late"', ""),
        ('9,19,Home,200,true,x"', ""),
        ("9,19,Home,200,true,", ""),
    ],
)
def test_a_stray_quote_takes_its_own_line_alone(last: str, skipped: str) -> None:
    """The requests below it are read, wherever the next quote stands, even if what lies between would be one cell."""
    reading = read('1,12,Home,500,false,"oops', *GOOD, last)
    open_ = "a quote is left open; line skipped"
    inside = "a quote inside a field is never closed; read as a part of its text"
    expected = [(2, open_), *([(7, open_)] if skipped else []), *([(7, inside)] if last.endswith('x"') else [])]
    assert reading.problems == expected
    assert list(reading.rows.value) == [12.0, 13.0, 14.0, 15.0, *([] if skipped else [19.0])]
    assert reading.lines.context == 1


def test_two_stray_quotes_one_after_the_other_are_two_problems() -> None:
    """Joined they would be one record of the right width; the second line begins like a request."""
    reading = read('1,12,Home,500,false,"oops', '2,13,Home,200,true,"', "3,14,Home,200,true,")
    assert [line for line, _ in reading.problems] == [2, 3]
    assert list(reading.rows.value) == [14.0]


def test_a_stray_quote_within_a_field_is_told_and_read() -> None:
    """The line has all of its fields: the quote is a part of the text."""
    reading = read('1,12,Ho"me,200,true,', *GOOD, '9,19,Ho"me,200,true,')
    assert [line for line, _ in reading.problems] == [2, 7]
    assert (reading.lines.data, reading.lines.context, reading.lines.problem) == (6, 1, 0)


def test_joined_lines_of_another_width_are_read_one_by_one() -> None:
    """The lines that a quote would join are no record: each is judged alone."""
    reading = read('1,12,Home,500,false,"oops', "stack", 'end",one,two', *GOOD)
    assert reading.problems == [
        (2, "a quote is left open; line skipped"),
        (3, "1 fields where the header has 6; line skipped"),
        (4, "3 fields where the header has 6; line skipped"),
    ]
    assert len(reading.rows) == 4


def test_a_long_trace_in_a_message_is_one_request() -> None:
    """A stack of 300 lines, with quotes and commas of its own, and a blank line."""
    trace = [f'at a.b.C{number}("")' if number % 2 else f"caused by: x, y, {number}" for number in range(300)]
    reading = read('1,12,Home,500,false,"expected ""200""', "", *trace, 'found 500"', *GOOD)
    assert reading.problems == []
    assert list(reading.rows.value) == [12.0, 12.0, 13.0, 14.0, 15.0]
    assert (reading.lines.data, reading.lines.context) == (5, 303)
