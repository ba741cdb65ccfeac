"""JMeter results as CSV."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from benchlib.formats import load
from benchlib.formats.readers.jmeter import JMeter
from benchlib.formats.reading import Reading, TextFile

DATA = Path(__file__).parents[2] / "data" / "jmeter"
HEADER = "timeStamp,elapsed,label,responseCode,success,failureMessage"


def read(*lines: str) -> Reading:
    return JMeter().read(TextFile("x.jtl", "\n".join([HEADER, *lines]).split("\n")))


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
    """The other form that JMeter writes is told apart, and not read."""
    file = TextFile("x.jtl", ['<?xml version="1.0"?>', '<testResults version="1.2">', "</testResults>"])
    assert JMeter().recognise(file) == "certain"
    [(_, message)] = JMeter().read(file).problems
    assert "output_format=csv" in message
