"""The comment on a pull request as GitHub is given it: what a name of a file can do to it, and how it shows."""

from __future__ import annotations

import re

import mistune

from benchlib.render.markdown import markdown
from benchlib.study import open_study
from benchlib.tell import comparison
from tests.comparison_answers import decided, hostile
from tests.golden.compare import golden
from tests.shipped_studies import DATA


def rendered(text: str) -> str:
    shown = mistune.create_markdown(escape=False, plugins=["table", "strikethrough", "url"])(text)
    assert isinstance(shown, str)
    return shown


def test_a_hostile_comment_is_written_as_agreed() -> None:
    """Names that are markup stand as they were written, escaped."""
    study = open_study(DATA / "lplex")
    golden("comment-hostile.md", markdown(comparison.document([hostile()], study), name="results-txt"))


def test_a_comment_shows_as_tables_and_folds() -> None:
    """Read as Markdown every table is one, all rows of a table have its cells, and every fold opens and closes."""
    page = rendered(markdown(comparison.document([decided()], open_study(DATA / "lplex")), name="results-txt"))
    tables = re.findall(r"<table>.*?</table>", page, re.S)
    assert tables
    for table in tables:
        assert len({len(re.findall(r"<t[hd]", row)) for row in re.findall(r"<tr>.*?</tr>", table, re.S)}) == 1
    assert "|" not in re.sub(r"<[^>]*>", "", page)
    assert page.count("<details>") == page.count("</details>") > 0
    assert page.partition("<details>")[0].count("<table>") == 1
