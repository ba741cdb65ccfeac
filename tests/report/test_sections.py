"""What stands on a page is what its study asks."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchlib
from benchlib.report import sections
from tests.shipped_studies import words
from tests.synthetic import make_table


@pytest.mark.parametrize("name", ["lplex", "heavy-read-api-published"])
def test_who_asks_for_no_level_is_not_told_that_none_can_be_recommended(name: str) -> None:
    """The recommendation begins with what to do; the section on scaling says what it lacks."""
    assert "Not answered" not in words(name, "recommendation")
    assert "Recommendation |Before the next decision:" in words(name, "recommendation")
    assert "Not answered: no axis of these results is named as concurrency" in words(name, "scaling")


def test_a_recommendation_is_never_an_empty_section(tmp_path: Path) -> None:
    """Nor a heading with nothing below."""
    rows = [("Encode", "time", value, "ns/op") for value in (10.0, 10.1, 10.2, 10.0, 10.1, 10.2, 10.1)]
    summary = benchlib.executive_summary(make_table(tmp_path, "benchmark metric value unit", rows, ""))
    [only] = sections.recommendation(summary).blocks
    assert "Nothing here asks for more before the next decision." in str(only)
