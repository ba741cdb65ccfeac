"""What a ``study.toml`` may say, and the one line that each mistake gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.errors import StudyError
from benchlib.formats.names import NameTemplate
from benchlib.study.definition import parse_definition, read_definition
from benchlib.study.plans import CurvePlan, Exclusion
from benchlib.study.toml_files import LARGEST

TOP = (
    "title, question, tested, origin, lead, notes, commands, files, environment, configuration, formats, scaling, "
    "effects, breakdown, choice, compare, targets, claims, latency, capacity, describe"
)

MISTAKES = [
    pytest.param(
        'titel = "x"',
        f"study.toml:1: unknown key 'titel' at the top level; did you mean 'title'? Accepted: {TOP}",
        id="misspelt key at the top",
    ),
    pytest.param(
        'title = "x"\n\n[zzzzz]\na = 1',
        f"study.toml:3: unknown key 'zzzzz' at the top level; accepted: {TOP}",
        id="unknown table",
    ),
    pytest.param(
        '# a comment\n[scaling]\nconcurency = "workers"',
        "study.toml:3: unknown key 'concurency' in [scaling]; did you mean 'concurrency'? "
        "Accepted: concurrency, by, weights, weak, same_work, today, curves, exclude",
        id="misspelt key in a table",
    ),
    pytest.param(
        '[[compare]]\ncolumn = "run"\nbaseline = "a"\n[[compare]]\ncolumn = "run"\nbaselines = ["a"]',
        "study.toml:6: unknown key 'baselines' in [[compare]]; did you mean 'baseline'? Accepted: name, "
        "question, column, baseline, candidates, where, metrics, by, ignore, controls, sequential",
        id="misspelt key in the second of a list of tables",
    ),
    pytest.param(
        '[configuration]\nnames = [\n  { template = "a{b}" },\n  { template = "a{c}", benchmark = [] },\n]',
        "study.toml:4: unknown key 'benchmark' in [[configuration.names]]; did you mean 'benchmarks'? "
        "Accepted: template, benchmarks",
        id="misspelt key in an inline table",
    ),
    pytest.param(
        '[describe.level.bits]\n32 = "x"',
        "study.toml:1: unknown key 'level' in [describe]; did you mean 'levels'? Accepted: benchmarks, levels",
        id="misspelt table within a table",
    ),
    pytest.param(
        "title = 3",
        "study.toml:1: 'title' at the top level must be text, found the whole number 3",
        id="number for text",
    ),
    pytest.param(
        '[scaling]\nweak = "yes"',
        "study.toml:2: 'weak' in [scaling] must be true or false, found the text 'yes'",
        id="text for a flag",
    ),
    pytest.param(
        'notes = "one"',
        "study.toml:1: 'notes' at the top level must be a list of texts, e.g. [\"a\", \"b\"], found the text 'one'",
        id="text for a list",
    ),
    pytest.param(
        'notes = [\n  "one",\n  2.5,\n]',
        "study.toml:3: 'notes' at the top level must hold texts only, found the number 2.5",
        id="number within a list",
    ),
    pytest.param(
        '[effects]\nfactors = ["bits", "bits"]',
        "study.toml:2: 'factors' in [effects] names 'bits' twice; remove one",
        id="name given twice",
    ),
    pytest.param(
        'scaling = "gomaxprocs"',
        "study.toml:1: 'scaling' at the top level must be a table; start it with [scaling], "
        "found the text 'gomaxprocs'",
        id="text for a table",
    ),
    pytest.param(
        '[compare]\ncolumn = "run"',
        "study.toml:1: 'compare' at the top level must be a list of tables; start each with [[compare]], found a table",
        id="single brackets for a list of tables",
    ),
    pytest.param(
        'lead = "scalin"',
        "study.toml:1: 'lead' at the top level cannot be 'scalin'; did you mean 'scaling'? "
        "Accepted: scaling, comparison, effects, latency",
        id="unknown word",
    ),
    pytest.param(
        'lead = ["effects", "latncy"]',
        "study.toml:1: 'lead' at the top level cannot be 'latncy'; did you mean 'latency'? "
        "Accepted: scaling, comparison, effects, latency",
        id="unknown word in a list",
    ),
    pytest.param(
        'lead = ["effects", "effects"]',
        "study.toml:1: 'lead' at the top level names 'effects' twice; remove one",
        id="a word twice",
    ),
    pytest.param(
        'lead = "\\u001b[31m\\n"',
        "study.toml:1: 'lead' at the top level cannot be '\\x1b[31m\\n'; "
        "accepted: scaling, comparison, effects, latency",
        id="control codes are shown, not obeyed",
    ),
    pytest.param(
        '[environment]\ncpu = "x"\ncores = "two"',
        "study.toml:3: 'cores' in [environment] must be a whole number of at least 1, found the text 'two'",
        id="cores in words",
    ),
    pytest.param(
        "[environment]\ncores = 0",
        "study.toml:2: 'cores' in [environment] must be a whole number of at least 1, found the whole number 0",
        id="no cores",
    ),
    pytest.param(
        "[environment]\nclock = nan",
        "study.toml:2: 'clock' in [environment] must be one fact: text, a finite number, true or false, "
        "or a date, found the number nan",
        id="not a number",
    ),
    pytest.param(
        '[files]\nexclude = ["a", "../secret"]',
        "study.toml:2: 'exclude' in [files]: '../secret' leaves the study folder; "
        "write it relative to study.toml, without '..'",
        id="pattern above the folder",
    ),
    pytest.param(
        '[configuration]\npaths = ["/etc/{x}"]',
        "study.toml:2: 'paths' in [configuration]: '/etc/{x}' leaves the study folder; "
        "write it relative to study.toml, without '..'",
        id="absolute path template",
    ),
    pytest.param(
        '[configuration]\npaths = [\n  "cpu{gomaxprocs:int}.txt",\n  "cpu{gomaxprocs.txt",\n]',
        "study.toml:4: template 'cpu{gomaxprocs.txt': a brace is left open; write fields as {name} or {name:int}",
        id="open brace",
    ),
    pytest.param(
        '[configuration]\nnames = [{ template = "{value}" }]',
        "study.toml:2: template '{value}': 'value' is a column of measurements; name the axis otherwise",
        id="template for a column of measurements",
    ),
    pytest.param(
        '[configuration]\nnames = [{ benchmarks = ["x"] }]',
        "study.toml:2: 'template' in [[configuration.names]] is missing; write template = \"bits_{bits:int}\"",
        id="name template without a template",
    ),
    pytest.param(
        '[scaling]\n[[scaling.curves]]\nwhere = "run=a"',
        "study.toml:2: 'metric' in [[scaling.curves]] is missing; write metric = \"throughput\"",
        id="curve without a metric",
    ),
    pytest.param(
        '[[scaling.exclude]]\nwhere = "run=a"\nwhy = " "',
        "study.toml:3: 'why' in [[scaling.exclude]] is empty; write why = \"measured another way\"",
        id="exclusion without a reason",
    ),
    pytest.param(
        '[effects]\nwhere = "bits"',
        "study.toml:2: 'where' in [effects]: 'bits' is not a condition; write column=pattern, e.g. benchmark=Sender*",
        id="malformed condition",
    ),
    pytest.param(
        '[[compare]]\ncolumn = "run"',
        "study.toml:1: 'baseline' in [[compare]] is missing; name a level of 'run'",
        id="comparison without a baseline",
    ),
    pytest.param(
        '[[compare]]\ncolumn = "run"\nbaseline = "a"\ncandidates = ["b", "a"]',
        "study.toml:4: 'a' in [[compare]] is both baseline and candidate; choose one",
        id="baseline as its own candidate",
    ),
    pytest.param(
        '[[compare]]\ncolumn = "run"\nbaseline = true',
        "study.toml:3: 'baseline' in [[compare]] must be a level or a list of levels, "
        'e.g. "old" or ["a", "b"], found true',
        id="flag for a level",
    ),
    pytest.param(
        '[[compare]]\ncolumn = "run"\nbaseline = "a"\ncontrols = ["pkg"]',
        "study.toml:4: 'controls' in [[compare]]: 'pkg' is not a condition; write column=pattern, "
        "e.g. benchmark=Sender*",
        id="malformed control",
    ),
    pytest.param(
        '[[targets]]\nmetric = "time"',
        "study.toml:1: a target in [[targets]] needs at_most, at_least or between",
        id="target without a bound",
    ),
    pytest.param(
        '[[targets]]\nmetric = "time"\nat_most = 8',
        "study.toml:3: 'at_most' in [[targets]] must be text, found the whole number 8",
        id="bound without a unit, as a number",
    ),
    pytest.param(
        '[[targets]]\nmetric = "time"\nat_most = "8"',
        "study.toml:3: 'at_most' in [[targets]]: '8' is not a quantity with a unit; "
        "write it like '8 ns' or '50000 req/s'",
        id="bound without a unit",
    ),
    pytest.param(
        '[[targets]]\nmetric = "time"\nat_least = "9 ns"\nat_most = "8 ns"',
        "study.toml:4: nothing can be at least 9 ns and at most 8 ns: "
        "the bounds in [[targets]] are swapped; exchange them",
        id="at_least above at_most",
    ),
    pytest.param(
        '[[targets]]\nmetric = "time"\nbetween = ["2 ms", "1 ms"]',
        "study.toml:3: nothing can be between 2 ms and 1 ms: the bounds in [[targets]] are swapped; exchange them",
        id="range upside down",
    ),
    pytest.param(
        '[[targets]]\nmetric = "time"\nbetween = ["2 ms"]',
        'study.toml:3: \'between\' in [[targets]] needs two bounds, e.g. ["1 ms", "2 ms"]; found 1',
        id="range with one end",
    ),
    pytest.param(
        '[[targets]]\nmetric = "time"\nbetween = ["1 ms", "2 ms"]\nat_most = "3 ms"',
        "study.toml:3: 'between' in [[targets]] stands beside another bound; keep one",
        id="range and bound",
    ),
    pytest.param(
        '[[targets]]\nmetric = "time"\nat_least = "1 ms"\nat_most = "1 B"',
        "study.toml:4: the bounds in [[targets]] have two units, 'B' and 'sec'; use one",
        id="bounds of two units",
    ),
    pytest.param(
        "a = " + "[" * 20_000,
        "study.toml: brackets nest too deep; four levels are enough",
        id="deep nesting",
    ),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES)
def test_a_mistake_is_told_in_one_line_with_its_place(text: str, message: str) -> None:
    """Each mistake names the line, quotes what was found, and says what is accepted."""
    with pytest.raises(StudyError) as caught:
        parse_definition(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "line"),
    [("title", 1), ('title = "a"\ntitle = "b"', 2), ("\n\nnotes = [\n", 3), ("a = 99-99", 1)],
)
def test_a_syntax_error_names_its_line(text: str, line: int) -> None:
    """What is not TOML is refused with the line; the parser's own words differ between versions."""
    with pytest.raises(StudyError, match=rf"\Astudy\.toml:{line}: not valid TOML.*\Z"):
        parse_definition(text)


def test_an_absurd_number_is_an_error_and_no_crash() -> None:
    """A whole number longer than Python converts is refused like any other mistake."""
    with pytest.raises(StudyError, match=r"\Astudy\.toml: not valid TOML: Exceeds the limit"):
        parse_definition("a = " + "9" * 5_000)


def test_an_empty_definition_states_nothing() -> None:
    """Without a word in it, every plan is empty and every default holds."""
    found = parse_definition("")
    assert (found.title, found.lead, found.environment, found.comparisons) == ("", (), {}, ())
    assert (found.scaling.concurrency, found.scaling.weights, found.scaling.by) == (
        "",
        "auto",
        (),
    )


def test_a_full_definition_becomes_plans() -> None:
    """Every table is read, with bounds in base units and environment facts in their fixed order."""
    found = parse_definition(
        """
        title = "T"
        lead = "comparison"
        commands = ["go test"]
        [files]
        exclude = ["made/*"]
        [environment]
        room = "cold"
        date = 2026-11-20
        cores = 4
        cpu = "C"
        [configuration]
        paths = ["{run}.txt"]
        names = [{ template = "bits_{bits:int}", benchmarks = ["Sender"] }]
        parallel = ["*_Parallel"]
        [scaling]
        concurrency = "workers"
        weights = "none"
        same_work = true
        [[scaling.curves]]
        where = "run=sweep"
        metric = "time"
        [[scaling.exclude]]
        where = "run=warm"
        why = "warming up"
        [effects]
        factors = ["bits"]
        [[compare]]
        column = "bits"
        baseline = 32
        candidates = [64, 128.0]
        sequential = true
        [[targets]]
        metric = "time"
        where = "benchmark=Decode"
        at_most = "8 ns"
        [[targets]]
        metric = "throughput"
        between = ["1000 req/s", "2000 req/s"]
        [latency]
        where = "run=p"
        [describe.benchmarks]
        Sender = "sends"
        [describe.levels.bits]
        32 = "short"
        """
    )
    assert list(found.environment.items()) == [
        ("cpu", "C"),
        ("cores", 4),
        ("date", "2026-11-20"),
        ("room", "cold"),
    ]
    assert found.name_templates == (NameTemplate(template="bits_{bits:int}", benchmarks=("Sender",)),)
    assert found.scaling.curves == (CurvePlan(name="time", where="run=sweep", metric="time"),)
    assert found.scaling.exclusions == (Exclusion(where="run=warm", why="warming up"),)
    assert found.effects.metrics == ("time",)
    compared = found.comparisons[0]
    assert (compared.baselines, compared.candidates, compared.sequential) == (("32",), ("64", "128"), True)
    assert compared.name == "bits: 32"
    decode, rate = found.targets
    assert (decode.low, decode.high, decode.unit, decode.text) == (None, 8e-9, "sec", "at most 8 ns")
    assert (rate.low, rate.high, rate.unit) == (1000.0, 2000.0, "req/sec")
    assert found.descriptions.levels == {"bits": {"32": "short"}}
    assert (found.exclude, found.path_templates, found.parallel) == (
        ("made/*",),
        ("{run}.txt",),
        ("*_Parallel",),
    )


def test_whether_recordings_were_sequential_may_be_unknown() -> None:
    """Absent is not false: nobody wrote down the order."""
    found = parse_definition('[[compare]]\ncolumn = "run"\nbaseline = "a"')
    assert found.comparisons[0].sequential is None


def test_a_large_file_is_refused_unread(tmp_path: Path) -> None:
    """More than 1 MiB is no definition."""
    path = tmp_path / "study.toml"
    path.write_bytes(b"#" * (LARGEST + 1))
    with pytest.raises(StudyError) as caught:
        read_definition(path, "s/study.toml")
    assert str(caught.value) == "s/study.toml: larger than 1 MiB; keep results in files of their own"


def test_text_that_is_not_utf8_is_refused_with_its_line(tmp_path: Path) -> None:
    """The byte that cannot be read is placed by its line."""
    path = tmp_path / "study.toml"
    path.write_bytes(b'title = "a"\nquestion = "\xff"\n')
    with pytest.raises(StudyError) as caught:
        read_definition(path, "s/study.toml")
    assert str(caught.value) == "s/study.toml:2: not UTF-8 text; save the file as UTF-8"


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    """Editors on Windows write one."""
    path = tmp_path / "study.toml"
    path.write_bytes(b'\xef\xbb\xbftitle = "a"\r\n')
    assert read_definition(path, "s").title == "a"


def test_a_folder_named_like_the_file_is_told(tmp_path: Path) -> None:
    """What cannot be opened is an error of the study, not a traceback."""
    (tmp_path / "study.toml").mkdir()
    with pytest.raises(StudyError, match=r"\As: cannot be read \(Is a directory\)"):
        read_definition(tmp_path / "study.toml", "s")
