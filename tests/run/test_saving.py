"""What is published beside a page can be read by any program that reads JSON."""

from __future__ import annotations

import json
import math

import pytest

from benchlib.run.build import answers_text


def test_answers_come_back_as_they_were_each_on_its_line() -> None:
    """Names and texts of any script, and what would end a line."""
    answers = {"status": "PASS", "µ\n": ["–", 1.5, None, True], "scaling": {"curves": [{"n": 3}]}}
    assert json.loads(answers_text(answers)) == answers
    assert answers_text(answers).count("\n") == len(answers)
    assert json.loads(answers_text({})) == {}


def test_what_is_no_number_of_json_is_refused() -> None:
    """Python would write NaN, which no other program reads."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        answers_text({"value": math.nan})
