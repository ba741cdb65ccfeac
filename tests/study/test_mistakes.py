"""Every mistake in a ``study.toml`` is one line: file, line, key, what was found, what is accepted."""

from __future__ import annotations

import re
import time
from pathlib import Path
from random import Random

import pytest

from benchlib.errors import StudyError
from benchlib.study.open import parse_study_file
from benchlib.toml_lines import LARGEST, read_text
from tests.shipped_studies import DATA

TOP = (
    "title, question, answer, decision, answer_if, tested, origin, lead, notes, commands, files, failures, "
    "environment, configuration, formats, scaling, effects, breakdown, compare, targets, claims, latency, capacity, "
    "describe"
)
SAID = '[[claims]]\ntext = "It is fast."\nsource = "the README"\n'
WHOLE = '[[breakdown]]\nwhole = "Full"\n'
FORMAT = '[[formats]]\nname = "x"\nfiles = ["*.log"]\nkind = '
LINES, TABLE, RECORDS = (f'{FORMAT}"{kind}"\n' for kind in ("lines", "table", "records"))
VALUE = "pattern = '^(?P<value>[0-9]+)$'\n"

# fmt: off
#: What was written, and the message after ``study.toml:``: each kind of mistake once, where it is made most.
MISTAKES = [
    # any table
    ('titel = "x"', f"1: unknown key 'titel' at the top level; did you mean 'title'? Accepted: {TOP}"),
    ('title = "x"\n\n[zzzzz]\na = 1', f"3: unknown key 'zzzzz' at the top level; accepted: {TOP}"),
    ('# a comment\n[scaling]\nconcurency = "workers"',
     "3: unknown key 'concurency' in [scaling]; did you mean 'concurrency'? Accepted: concurrency, by, "
     "weights, weak, work, same_work, curves, exclude"),
    ('[configuration]\nnames = [\n  { template = "a{b}" },\n  { template = "a{c}", benchmark = [] },\n]',
     "4: unknown key 'benchmark' in [[configuration.names]]; did you mean 'benchmarks'? Accepted: "
     "template, benchmarks"),
    ('[describe.level.bits]\n32 = "x"',
     "1: unknown key 'level' in [describe]; did you mean 'levels'? Accepted: benchmarks, levels"),
    ("title = 3", "1: 'title' at the top level must be text, found the whole number 3"),
    ('[scaling]\nweak = "yes"', "2: 'weak' in [scaling] must be true or false, found the text 'yes'"),
    ('notes = "one"',
     "1: 'notes' at the top level must be a list of texts, e.g. [\"a\", \"b\"], found the text 'one'"),
    ('notes = [\n  "one",\n  2.5,\n]', "3: 'notes' at the top level must hold texts only, found the number 2.5"),
    ('[effects]\nfactors = ["bits", "bits"]', "2: 'factors' in [effects] names 'bits' twice; remove one"),
    ('scaling = "gomaxprocs"',
     "1: 'scaling' at the top level must be a table; start it with [scaling], found the text 'gomaxprocs'"),
    ('[compare]\ncolumn = "run"',
     "1: 'compare' at the top level must be a list of tables; start each with [[compare]], found a table"),
    ('lead = "scalin"',
     "1: 'lead' at the top level cannot be 'scalin'; did you mean 'scaling'? Accepted: scaling, "
     "comparison, effects, latency, noise"),
    ('lead = "\\u001b[31m\\n"',
     "1: 'lead' at the top level cannot be '\\x1b[31m\\n'; accepted: scaling, comparison, effects, latency, noise"),
    ('[environment]\ncpu = "x"\ncores = "two"',
     "3: 'cores' in [environment] must be a whole number of at least 1, found the text 'two'"),
    ("[environment]\nclock = nan",
     "2: 'clock' in [environment] must be one fact: text, a finite number, true or false, or a date, found "
     "the number nan"),
    ('[files]\nexclude = ["a", "../secret"]',
     "2: 'exclude' in [files]: '../secret' leaves the study folder; write it relative to study.toml, without '..'"),
    ('[failures]\ntolerated = "2"',
     "2: 'tolerated' in [failures]: tolerated '2' is no share from 0 to 1; write 0.1% or 0.001"),
    ('[configuration]\npaths = [\n  "cpu{gomaxprocs:int}.txt",\n  "cpu{gomaxprocs.txt",\n]',
     "4: 'paths' in [configuration]: template 'cpu{gomaxprocs.txt': a brace is left open; write fields as "
     "{name} or {name:int}"),
    ('[configuration]\nnames = [{ template = "{value}" }]',
     "2: 'template' in [[configuration.names]]: template '{value}': 'value' is a column of measurements; "
     "name the axis otherwise"),
    ('[configuration]\nnames = [{ benchmarks = ["x"] }]',
     "2: 'template' in [[configuration.names]] is missing; write template = \"bits_{bits:int}\""),
    ('[scaling]\n[[scaling.curves]]\nwhere = "run=a"',
     "2: 'metric' in [[scaling.curves]] is missing; write metric = \"throughput\""),
    ('[[scaling.exclude]]\nwhere = "run=a"\nwhy = " "',
     "3: 'why' in [[scaling.exclude]] is empty; write why = \"measured another way\""),
    ('[effects]\nwhere = "bits"',
     "2: 'where' in [effects]: 'bits' is not a condition; write column=pattern, e.g. benchmark=Sender*"),
    ('[[compare]]\ncolumn = "run"', "1: 'baseline' in [[compare]] is missing; name a level of 'run'"),
    ('[[compare]]\ncolumn = "run"\nbaseline = "a"\ncandidates = ["b", "a"]',
     "4: 'candidates' in [[compare]] names 'a', which is the baseline; choose one"),
    ('[[compare]]\ncolumn = "run"\nbaseline = true',
     "3: 'baseline' in [[compare]] must be a level or a list of levels, e.g. \"old\" or [\"a\", \"b\"], found true"),
    ('[[compare]]\ncolumn = "run"\nbaseline = "a"\ncontrols = ["pkg"]',
     "4: 'controls' in [[compare]]: 'pkg' is not a condition; write column=pattern, e.g. benchmark=Sender*"),
    ('[[compare]]\ncolumn = "run"\nbaseline = "a"\nchanged = ["a/...", "pkg=b"]',
     "4: 'changed' in [[compare]]: 'pkg=b' is no package; write its import path, e.g. '.../store/...'"),
    ('[[targets]]\nmetric = "time"', "1: [[targets]] needs at_most, at_least or between"),
    ('[[targets]]\nmetric = "time"\nat_most = 8',
     "3: 'at_most' in [[targets]] must be text, found the whole number 8"),
    ('[[targets]]\nmetric = "time"\nat_most = "8"',
     "3: 'at_most' in [[targets]]: '8' is not a quantity with a unit; write it like '8 ns' or '50000 req/s'"),
    ('[[targets]]\nmetric = "time"\nat_least = "9 ns"\nat_most = "8 ns"',
     "4: 'at_most' in [[targets]]: nothing can be at least 9 ns and at most 8 ns; exchange the bounds"),
    ('[[targets]]\nmetric = "time"\nbetween = ["2 ms", "1 ms"]',
     "3: 'between' in [[targets]]: nothing can be between 2 ms and 1 ms; exchange the bounds"),
    ('[[targets]]\nmetric = "time"\nbetween = ["2 ms"]',
     "3: 'between' in [[targets]] needs two bounds, e.g. [\"1 ms\", \"2 ms\"]; found 1"),
    ('[[targets]]\nmetric = "time"\nbetween = ["1 ms", "2 ms"]\nat_most = "3 ms"',
     "3: 'between' in [[targets]] stands beside another bound; keep one"),
    ('[[targets]]\nmetric = "time"\nat_least = "1 ms"\nat_most = "1 B"',
     "4: 'at_most' in [[targets]]: the bounds have two units, 'B' and 'sec'; use one"),
    ("[[claims]]\nabout = 3",
     "2: 'about' in [[claims]] must be one of median, ratio, gain, speedup, efficiency, recommended, "
     "slowest, found the whole number 3"),
    ("claims = [1]",
     "1: 'claims' at the top level must be a table; start it with [[claims]], found the whole number 1"),
    ("notes = ['']", "1: 'notes' at the top level holds an empty text; remove it"),
    ("[effects]\nfactors = ['a']\nbaselines = { b = 1 }",
     "3: 'b' in [effects.baselines] is no factor; add it to factors"),
    ("[effects]\nfactors = ['a']\nbaselines = { a = true }",
     "3: 'a' in [effects.baselines] must be one level of the factor, found true"),
    ("[describe.levels.bits]\n32 = 1", "2: '32' in [describe.levels.bits] must be text, found the whole number 1"),
    ('[capacity]\nmix = { discover = "x" }',
     "2: 'mix' in [capacity]: mix: the share of 'discover' is 'x', no number above 0; write it like "
     "discover=70,select=30"),
    ('"x - at `$.scaling" = 1', f"1: unknown key 'x - at `$.scaling' at the top level; accepted: {TOP}"),
    ('[environment]\nrooms = ["a"]',
     "2: 'rooms' in [environment] must be one fact: text, a finite number, true or false, or a date, found a list"),
    ("a.b.c.d.e.f.g.h.i = 1", "1: a key of more than 8 parts; four are enough"),
    # [[breakdown]]
    ("[[breakdown]]\nparts = ['a']", "1: 'whole' in [[breakdown]] is missing; write whole = \"Sender\""),
    (WHOLE, "1: 'parts' in [[breakdown]] names no part; list the benchmarks that 'Full' contains"),
    (WHOLE + 'parts = ["Full"]', "3: 'parts' in [[breakdown]] names 'Full', which is the whole; remove it"),
    (WHOLE + 'parts = ["a"]\nestimated = { a = 0.1 }',
     "4: 'estimated' in [[breakdown]]: 'a' is measured as a part too; keep one"),
    (WHOLE + "estimated = { a = 30 }",
     "3: 'a' in [breakdown.estimated] must be a share from 0 to 1, e.g. 0.3 for 30 %, found the whole number 30"),
    (WHOLE + 'parts = ["a"]\nprofile = "cpu.txt"',
     "4: 'profile' in [[breakdown]] stands beside other parts, which it holds too; give the profile a "
     "[[breakdown]] of its own"),
    # [[claims]]
    (SAID,
     "1: 'about' in [[claims]] is missing; write one of median, ratio, gain, speedup, efficiency, "
     "recommended, slowest"),
    ('[[claims]]\nabot = "gain"\ntext = "It is fast."',
     "2: unknown key 'abot' in [[claims]]; did you mean 'about'? Accepted: about, text, source, paraphrased, "
     "at_least, at_most, between, metric, statistic, where, of, at, rule"),
    ('[[formats]]\nkinds = "lines"\nname = "x"',
     "2: unknown key 'kinds' in [[formats]]; did you mean 'kind'? Accepted: kind, name, files, metric, unit, "
     "benchmark, axes, only, closed_loop, pattern, groups, start, must_read, complete, of_run, timeline, "
     "columns, delimiter, header, needs, fields, records"),
    (SAID + 'about = "speedip"',
     "4: 'about' in [[claims]] cannot be 'speedip'; did you mean 'speedup'? Accepted: median, ratio, gain, "
     "speedup, efficiency, recommended, slowest"),
    (SAID + 'about = "speedup"\nat = 8\nmetric = "time"\nat_least = 4',
     "6: unknown key 'metric' in [[claims]] with about = \"speedup\"; accepted: about, text, source, "
     "paraphrased, at_least, at_most, between, at, of"),
    (SAID + 'about = "speedup"\nat_least = 4', "1: 'at' in [[claims]] is missing; write at = 8"),
    (SAID + 'about = "speedup"\nat = "8"\nat_least = 4',
     "5: 'at' in [[claims]] must be a level of concurrency, e.g. 8, found the text '8'"),
    (SAID + 'about = "gain"', "1: [[claims]] needs at_most, at_least or between"),
    (SAID + 'about = "median"\nat_most = "8 ns"', "1: 'metric' in [[claims]] is missing; write metric = \"time\""),
    (SAID + 'about = "slowest"\nat_most = "8 B"',
     "1: [[claims]]: the bound 'at most 8 B' is no time; write it like '2 ms'"),
    # [[formats]]
    ('[[formats]]\nname = "x"', "1: 'kind' in [[formats]] is missing; write one of lines, table, records"),
    (LINES + 'columns = ["a"]',
     "5: unknown key 'columns' in [[formats]] with kind = \"lines\"; accepted: kind, name, files, metric, "
     "unit, benchmark, axes, only, closed_loop, pattern, groups, start, must_read, complete, of_run, timeline"),
    ('[[formats]]\nkind = "lines"\nfiles = ["*"]',
     "1: 'name' in [[formats]] is missing; write name = \"my-runner\""),
    ('[[formats]]\nkind = "lines"\nname = "x"', "1: 'files' in [[formats]] is missing; write files = [\"*.log\"]"),
    (LINES.replace('"*.log"', "") + VALUE, "3: 'files' in [[formats]] is empty; write files = [\"*.log\"]"),
    (LINES, "1: 'pattern' in [[formats]] is missing; write pattern = \"^(?P<value>…)\""),
    (LINES + "pattern = '(a+)+'",
     "5: 'pattern' in [[formats]]: '(a+)+': a repeat within a repeat; repeat one character class instead, e.g. [^ ]+"),
    (LINES + "pattern = [\n  'a',\n  '[',\n]",
     "7: 'pattern' in [[formats]]: '[': no regular expression (unterminated character set at position 0)"),
    (LINES + "pattern = 'a'",
     "1: [[formats]] measures nothing; name a group of the pattern value: (?P<value>[0-9.]+)"),
    (LINES + VALUE,
     '1: [[formats]] does not say what its value is; write metric = "time" and unit = "ms", or capture them'),
    (LINES + VALUE + 'unit = "ms"\ngroups = { x = "run" }',
     "7: 'x' in [formats.groups]: no pattern has the group 'x'; there are value"),
    (LINES + "pattern = '(?P<source>a)(?P<value>b)'",
     "5: 'pattern' in [[formats]]: the group 'source' has the name of a column of measurements; rename it"),
    (LINES + VALUE + 'metric = "time"\naxes = { line = 1 }',
     "7: 'line' in [formats.axes]: 'line' is a column of measurements; name the axis otherwise"),
    (TABLE,
     '1: [[formats]] measures nothing; map a column: columns = { time_ms = { metric = "time", unit = "ms" } }'),
    (TABLE + 'columns = { a = "benchmrk" }',
     "5: 'a' in [formats.columns]: 'benchmrk' is no meaning of a part; write { metric = \"time\", unit = "
     "\"ms\" }, { axis = \"workers\" }, or one of benchmark, name, run, value, metric, unit, iterations, "
     "errors, success, failure, requested"),
    (TABLE + "columns = { a = 3 }",
     "5: 'a' in [formats.columns]: must be a word or a table of texts, e.g. { metric = \"time\", unit = \"ms\" }"),
    (TABLE + 'columns = { a = { metrc = "time" } }',
     "5: 'a' in [formats.columns]: must hold metric and unit, or axis: { metric = \"time\", unit = \"ms\" "
     "} or { axis = \"workers\" }; found metrc"),
    (TABLE + 'columns = { a = { axis = "value" } }',
     "5: 'a' in [formats.columns]: 'value' is a column of measurements; name the axis otherwise"),
    (TABLE + 'delimiter = ";;"\ncolumns = { a = { metric = "t" } }',
     "5: 'delimiter' in [[formats]] must be one character, or \"blanks\" for any run of blanks, found ';;'"),
    (RECORDS + 'records = "a["\nfields = { a = { metric = "t" } }',
     "5: 'records' in [[formats]]: 'a[' is no path; write it like results[].runs[] or benchmarks{benchmark}.stats"),
    (LINES + VALUE + 'unit = "s"\n' + LINES + VALUE + 'unit = "s"',
     "8: 'name' in [[formats]]: 'x' is declared twice; rename one"),
    (LINES + VALUE + "start = '(?P<x>a)'",
     "6: 'start' in [[formats]]: nothing is captured here, 'x' among it; capture it in 'pattern'"),
    (LINES + VALUE + 'groups = { value = { metric = "p{x}" } }',
     "6: 'value' in [formats.groups]: no pattern has the group 'x'; there are value"),
    (LINES + VALUE + 'metric = "throughput"\nunit = "ms"',
     "7: 'unit' in [[formats]]: 'ms' is no unit of throughput; write one of its units"),
    (LINES + VALUE + 'metric = "latency_p99"',
     "6: 'metric' in [[formats]]: latency_p99 has no unit; write the one that the tool means, e.g. unit = \"ms\""),
    (TABLE + 'columns = { a = { metric = "time", unit = "MB" } }',
     "5: 'a' in [formats.columns]: 'MB' is no unit of time; write one of its units"),
    (TABLE + 'header = ["a", "b"]\nneeds = ["a", "nope"]\ncolumns = { a = { metric = "t" } }',
     "6: 'needs' in [[formats]]: 'header' has no column 'nope'; there are a, b"),
    (LINES.replace('"x"', '"go-bench"') + VALUE + 'unit = "s"',
     "2: 'name' in [[formats]]: 'go-bench' is the name of another format (benchlib formats lists them); rename it"),
    (LINES + VALUE + 'unit = "s"\nclosed_loop = 1',
     "7: 'closed_loop' in [[formats]] must be true or false, found the whole number 1"),
]
# fmt: on


def mistake(text: str) -> str:
    """What is said of a text, without the name of the file."""
    with pytest.raises(StudyError) as caught:
        parse_study_file(text)
    return str(caught.value).removeprefix("study.toml:")


@pytest.mark.parametrize(("text", "message"), MISTAKES, ids=[f"{text[-40:]!r}" for text, _ in MISTAKES])
def test_a_mistake_is_one_line_with_its_place(text: str, message: str) -> None:
    """The whole message."""
    assert mistake(text) == message


def test_a_number_beyond_any_float_is_refused() -> None:
    """As a bound, and as a whole number longer than Python converts."""
    huge = "5: 'at_least' in [[claims]] must be a number, e.g. 0.9, found a huge whole number"
    assert mistake(SAID + f'about = "gain"\nat_least = {"9" * 400}') == huge
    assert mistake(f'[[compare]]\ncolumn = "run"\nbaseline = ["a", {"9" * 400}]').endswith("found a huge whole number")
    assert mistake("a = " + "9" * 5_000).startswith(" not valid TOML: Exceeds the limit")


@pytest.mark.parametrize(
    ("text", "line"),
    [("title", 1), ('title = "a"\ntitle = "b"', 2), ("\n\nnotes = [\n", 3), ("a = 99-99", 1)],
)
def test_a_syntax_error_names_its_line(text: str, line: int) -> None:
    """What is not TOML is refused with the line; the parser's own words differ between versions."""
    assert mistake(text).startswith(f"{line}: not valid TOML")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a." * 100_000 + "a = 1", "1: a key of more than 8 parts; four are enough"),
        ("[" + "'a' . " * 100_000 + "a]", "1: a key of more than 8 parts; four are enough"),
        ("a = " + "[" * 20_000, "1: brackets nest too deep; four levels are enough"),
        ("a = " + "{a=" * 20_000, "1: brackets nest too deep; four levels are enough"),
        (
            "\n".join(f"a{number} = 1" for number in range(90_000)),
            "12501: more than 50,000 keys and values; keep results in other files",
        ),
        ('a = "' + '\\"' * 400_000, "1: not valid TOML: Unterminated string"),
        ("a = '''" + "''" * 400_000, "1: not valid TOML"),
    ],
    ids=["dotted key", "dotted header", "lists", "inline tables", "many keys", "open string", "open text"],
)
def test_a_hostile_text_is_refused_at_once(text: str, message: str) -> None:
    """Parsed, the first of these would take gigabytes and half a minute."""
    start = time.process_time()
    assert mistake(text).startswith(message)
    assert time.process_time() - start < 5


VALUES = ("1", "-1.5", "nan", "9" * 400, "true", "''", "'x'", "[]", "['a', 'a']", "[{}]", "{ a = 1 }", "2020-01-01")
HEADERS = ("[scaling]", "[[compare]]", "[[claims]]", "[[formats]]", "[capacity]", "[describe.levels]", "about = 'gain'")


def spoilt(text: str, random: Random) -> str:
    """A text with one to four lines of it changed, put in or taken out."""
    lines = text.split("\n")
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(lines))
        if (change := random.randrange(4)) == 0:
            lines[at] = f"{lines[at].partition('=')[0]}= {random.choice(VALUES)}"
        elif change == 1:
            lines.insert(at, random.choice((*HEADERS, *lines)))
        elif change == 2:
            lines[at] += random.choice("]}[{'#=.,")
        elif len(lines) > 1:
            del lines[at]
    return "\n".join(lines)


@pytest.mark.parametrize("study", sorted(path.parent.name for path in DATA.glob("*/study.toml")))
def test_a_spoilt_file_is_read_or_refused_in_one_line(study: str) -> None:
    """60 of each shipped study: never a traceback, and every message names its line."""
    text, random = (DATA / study / "study.toml").read_text(encoding="utf-8"), Random(study)
    messages = [refusal(spoilt(text, random)) for _ in range(60)]
    assert all(re.fullmatch(r"(study\.toml:(\d+| not valid TOML): .+)?", message) for message in messages)
    assert max(map(len, messages)) < 700


def refusal(text: str) -> str:
    """What is said of a text; nothing where it can be read."""
    try:
        parse_study_file(text)
    except StudyError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"#" * (LARGEST + 1), "s/study.toml: larger than 1 MiB; keep results in files of their own"),
        (b'title = "a"\nquestion = "\xff"\n', "s/study.toml:2: not UTF-8 text; save the file as UTF-8"),
    ],
    ids=["large", "not UTF-8"],
)
def test_a_file_that_cannot_be_text_is_refused(tmp_path: Path, raw: bytes, message: str) -> None:
    """Before anything of it is parsed."""
    path = tmp_path / "study.toml"
    path.write_bytes(raw)
    with pytest.raises(StudyError) as caught:
        read_text(path, "s/study.toml")
    assert str(caught.value) == message
