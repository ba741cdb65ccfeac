"""The comment on a pull request, word for word and as a browser is given it: what changed, what failed, targets."""

from __future__ import annotations

import re

import mistune

from benchlib.answers.evidence import Evidence
from benchlib.answers.targets import Status, TargetAnswer
from benchlib.cli.compare_blocks import tell
from benchlib.cli.compare_text import comment
from benchlib.statistics.samples import summarise
from tests.comparison_answers import around, decided, hostile
from tests.golden.compare import golden

COMMAND = ("benchlib", "compare", "results.txt", "--col", "commit", "--baseline", "base")
UNSOUND = (
    ("problems", "1 line of results.txt gave no result: results.txt:7: missing iteration count; line skipped"),
    ("failed", "Parse on new (results.txt:9)"),
)


def target(name: str, status: Status, centre: float) -> TargetAnswer:
    return TargetAnswer(
        name=name,
        metric="time",
        bound="at most 1.4 µs",
        status=status,
        benchmark="Encode",
        sample=summarise(around(centre), unit="sec/op"),
        reason="",
        evidence=Evidence(rows=("results.txt:5-14",), formula="median"),
        cells_evidence=Evidence(rows=("results.txt:5-14",), formula="cell by cell"),
    )


def commented() -> str:
    """A comment with everything that one may hold: rows that changed both ways, and others."""
    targets = [target("encoding is quick", "FAIL", 1.46e-6), target("decoding is quick", "PASS", 1.2e-6)]
    return comment(tell([decided()], targets, UNSOUND), name="results-txt", command=COMMAND)


def rendered(text: str) -> str:
    told = mistune.create_markdown(escape=False, plugins=["table", "strikethrough", "url"])(text)
    assert isinstance(told, str)
    return told


def test_a_comment_is_written_as_agreed() -> None:
    """Verdict, what gave no result, changed rows, targets; all rows and the facts folded."""
    golden("comment-decided.md", commented())


def test_a_hostile_comment_is_written_as_agreed() -> None:
    """Names that are markup stand as they were written, escaped."""
    golden("comment-hostile.md", comment(tell([hostile()], []), name="results-txt", command=COMMAND))


def test_a_comment_shows_as_tables_and_folds() -> None:
    """Read as Markdown every table is one, all rows of a table have its cells, and both folds open and close."""
    page = rendered(commented())
    tables = re.findall(r"<table>.*?</table>", page, re.S)
    # Changed rows of three metrics and the targets; all rows of three metrics below.
    assert len(tables) == 7
    for table in tables:
        assert len({len(re.findall(r"<t[hd]", row)) for row in re.findall(r"<tr>.*?</tr>", table, re.S)}) == 1
    assert "|" not in re.sub(r"<[^>]*>", "", page)
    assert page.count("<details>") == page.count("</details>") == 2
    seen = page.partition("<details>")[0]
    assert seen.count("<table>") == 4
    assert '<pre><code class="language-sh">benchlib compare results.txt --col commit --baseline base\n' in page
