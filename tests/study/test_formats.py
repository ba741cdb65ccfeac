"""``[[formats]]``: each mistake in one line, with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchlib
from benchlib.errors import StudyError
from benchlib.study.definition import parse_definition

LINES = '[[formats]]\nname = "x"\nfiles = ["*.log"]\nkind = "lines"\n'
TABLE = '[[formats]]\nname = "x"\nfiles = ["*.log"]\nkind = "table"\n'
RECORDS = '[[formats]]\nname = "x"\nfiles = ["*.log"]\nkind = "records"\n'
VALUE = "pattern = '^(?P<value>[0-9]+)$'\n"

MISTAKES = [
    ('[[formats]]\nname = "x"', "1: 'kind' in [[formats]] is missing; write one of lines, table, records"),
    ('[[formats]]\nkind = "line"', "2: 'kind' in [[formats]] cannot be 'line'; did you mean 'lines'?"),
    (LINES + 'columns = ["a"]', "5: unknown key 'columns' in [[formats]]"),
    ('[[formats]]\nkind = "lines"\nfiles = ["*"]', "1: 'name' in [[formats]] is missing"),
    ('[[formats]]\nkind = "lines"\nname = "x"', "1: 'files' in [[formats]] is missing"),
    (LINES.replace("*.log", "../x"), "3: 'files' in [[formats]]: '../x' leaves the study folder"),
    (LINES, "1: 'pattern' in [[formats]] is missing"),
    (LINES + "pattern = '(a+)+'", "5: 'pattern' in [[formats]]: '(a+)+': a repeat within a repeat"),
    (LINES + "pattern = [\n  'a',\n  '[',\n]", "7: 'pattern' in [[formats]]: '[': no regular expression"),
    (LINES + "pattern = 'a'", "1: [[formats]] measures nothing; name a group of the pattern value"),
    (LINES + VALUE, "1: [[formats]] does not say what its value is; write metric"),
    (LINES + VALUE + 'unit = "ms"\ngroups = { x = "run" }', "7: no pattern has the group 'x'; there are value"),
    (LINES + "pattern = '(?P<source>a)(?P<value>b)'", "5: 'pattern' in [[formats]]: the group 'source' has"),
    (LINES + VALUE + 'metric = "time"\naxes = { line = 1 }', "7: 'line' is a column of measurements"),
    (LINES + VALUE + "metric = 3", "6: 'metric' in [[formats]] must be text, found the whole number 3"),
    (TABLE, "1: [[formats]] measures nothing; map a column"),
    (TABLE + 'columns = { a = "benchmrk" }', "5: 'a' in [formats.columns]: 'benchmrk' is no meaning of a part"),
    (TABLE + "columns = { a = 3 }", "5: 'a' in [formats.columns]: must be a word or a table of texts"),
    (TABLE + 'columns = { a = { metrc = "time" } }', "5: 'a' in [formats.columns]: must hold metric and unit"),
    (TABLE + 'columns = { a = { axis = "value" } }', "5: 'value' is a column of measurements"),
    (TABLE + 'delimiter = ";;"\ncolumns = { a = { metric = "t" } }', "5: 'delimiter' in [[formats]] must be"),
    (RECORDS + 'records = "a["\nfields = { a = { metric = "t" } }', "5: 'records' in [[formats]]: 'a[' is no path"),
    (RECORDS + 'fields = { "a..b" = { metric = "t" } }', "5: 'a..b' in [formats.fields]: 'a..b' is no path"),
    (LINES + VALUE + 'unit = "s"\n' + LINES + VALUE + 'unit = "s"', "8: 'name' in [[formats]]: 'x' is declared twice"),
    (LINES + VALUE + "start = '(a+)+'", "6: 'start' in [[formats]]: '(a+)+': a repeat within a repeat"),
    (LINES + VALUE + "start = 3", "6: 'start' in [[formats]] must be text, found the whole number 3"),
    (LINES + VALUE + "start = '(?P<x>a)'", "6: 'start' in [[formats]]: nothing is captured here, 'x' among it"),
    (LINES + VALUE + "complete = { '^a' = '[' }", "6: 'complete' in [[formats]]: '[': no regular expression"),
    (LINES + VALUE + "complete = { '[' = '^a' }", "6: 'complete' in [[formats]]: '[': no regular expression"),
    (LINES + VALUE + "must_read = ['a', '[']", "6: 'must_read' in [[formats]]: '[': no regular expression"),
    (LINES + VALUE + 'groups = { value = { metric = "p{x}" } }', "6: no pattern has the group 'x'; there are value"),
    (LINES + VALUE + 'needs = ["a"]', "6: unknown key 'needs' in [[formats]]"),
    (TABLE + "start = '^a'", "5: unknown key 'start' in [[formats]]"),
    (RECORDS + 'needs = ["a", "b["]\nfields = { a = { metric = "t" } }', "5: 'needs' in [[formats]]: 'b[' is no path"),
    (LINES + VALUE + 'metric = "time"\nunit = "parsecs"',
     "7: 'unit' in [[formats]]: 'parsecs' is no unit of time; write"),
    (LINES + VALUE + 'metric = "throughput"\nunit = "ms"', "7: 'unit' in [[formats]]: 'ms' is no unit of throughput"),
    (LINES + VALUE + 'metric = "latency_p99"', "6: 'metric' in [[formats]]: latency_p99 has no unit; write the one"),
    (TABLE + 'columns = { a = { metric = "time" } }',
     "5: 'a' in [formats.columns]: time has no unit; write the one that "
     'the tool means, e.g. unit = "ms"'),
    (TABLE + 'columns = { a = { metric = "memory" } }',
     "5: 'a' in [formats.columns]: memory has no unit; write the one"),
    (TABLE + 'columns = { a = { metric = "time", unit = "MB" } }',
     "5: 'a' in [formats.columns]: 'MB' is no unit of time"),
    (RECORDS + 'fields = { a = { metric = "latency", unit = "MB" }, b = { metric = "latency_p50", unit = "MB" } }',
     "5: 'b' in [formats.fields]: 'MB' is no unit of latency_p50"),
    (TABLE + 'header = ["a", "b"]\nneeds = ["a", "nope"]\ncolumns = { a = { metric = "t" } }',
     "6: 'needs' in [[formats]]: 'header' has no column 'nope'; there are a, b"),
    (TABLE + 'header = ["a"]\ncolumns = { b = { metric = "t" } }',
     "6: 'columns' in [[formats]]: 'header' has no column 'b'; there are a"),
    (TABLE + 'header = ["a"]\nonly = { c = "x" }\ncolumns = { a = { metric = "t" } }',
     "6: 'only' in [[formats]]: 'header' has no column 'c'; there are a"),
    (LINES.replace('"x"', '"go-bench"') + VALUE + 'unit = "s"', "2: 'name' in [[formats]]: 'go-bench' is the name of "
     "another format (benchlib formats lists them); rename it"),
    (LINES.replace('"x"', '"sysbench"') + VALUE + 'unit = "s"', "2: 'name' in [[formats]]: 'sysbench' is the name of"),
    (LINES + VALUE + 'unit = "s"\nclosed_loop = 1', "7: 'closed_loop' in [[formats]] must be true or false"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"), MISTAKES, ids=[message.partition(": ")[2][:40] for _, message in MISTAKES]
)
def test_a_mistake_is_one_line_with_its_place(text: str, message: str) -> None:
    """File, line, key, and what to write instead."""
    with pytest.raises(StudyError) as told:
        parse_definition(text)
    assert str(told.value).startswith(f"study.toml:{message}")
    assert "\n" not in str(told.value)


def test_units_that_only_the_file_knows_are_left_to_it() -> None:
    """A captured unit or metric, a unit of one's own, a duration, a metric that needs no unit."""
    for text in (
        LINES + "pattern = '^(?P<value>[0-9]+) (?P<unit>[a-z]+)$'\nmetric = \"time\"",
        LINES + "pattern = '^(?P<metric>[a-z]+) (?P<value>[0-9]+)$'\nunit = \"ms\"",
        TABLE + 'columns = { a = { metric = "widgets", unit = "parsecs" } }',
        TABLE + 'columns = { a = { metric = "time", unit = "duration" }, b = { metric = "throughput" } }',
    ):
        [spec] = parse_definition(text).formats
        assert spec.name == "x"


def test_a_glob_that_matches_no_file_is_a_mistake(tmp_path: Path) -> None:
    """A format nobody is read with is misspelt."""
    (tmp_path / "study.toml").write_text(LINES + VALUE + 'unit = "ms"\n')
    (tmp_path / "a.txt").write_text("BenchmarkA-4 10 5.25 ns/op\n")
    with pytest.raises(StudyError, match=r"study.toml:3: no file is named \*.log; there are a.txt"):
        benchlib.open_study(tmp_path)
