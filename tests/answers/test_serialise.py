"""Answers as plain data."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path, PurePosixPath

import numpy as np
import pytest

from benchlib.answers.serialise import SCHEMA_VERSION, to_dict
from benchlib.statistics.estimates import point
from tests.shipped_studies import DATA, NAMES, document


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (math.nan, None),
        (math.inf, None),
        (-math.inf, None),
        (np.float64("nan"), None),
        (np.float64(2.5), 2.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (True, True),
        (None, None),
        ("x", "x"),
        (np.array([1.0, np.inf]), [1.0, None]),
        (("a", 1), ["a", 1]),
        ({2.0: "two", 2.5: "more"}, {"2": "two", "2.5": "more"}),
        (PurePosixPath("/somewhere/private/study"), "study"),
    ],
)
def test_plain_values(value: object, plain: object) -> None:
    """JSON knows no NaN, no infinity, no numpy, and no path of this machine."""
    found = to_dict(value)
    assert found == plain
    assert type(found) is type(plain)


def test_a_dataclass_keeps_its_type_and_names() -> None:
    """A reader of the JSON can tell what an entry is."""
    found = to_dict(point(2.5, "sec", 1, "one"))
    assert found["type"] == "Estimate"
    assert (found["value"], found["low"], found["high"], found["unit"]) == (2.5, None, None, "sec")


@pytest.mark.parametrize("name", NAMES)
def test_every_study_is_json_without_a_path_of_this_machine(name: str) -> None:
    """Strict JSON (no NaN), with every answer, and nothing that begins at a root."""
    answers = to_dict(document(name).answers)
    text = json.dumps(answers, allow_nan=False, ensure_ascii=False)
    back = json.loads(text)
    assert back["schema"] == SCHEMA_VERSION
    assert set(back["answers"]) >= {"scaling", "effects", "comparisons", "latency", "samples", "caveats", "targets"}
    assert str(DATA) not in text
    assert str(Path.home()) + "/" not in text
    # "/cheap" is an endpoint; a path of a machine has a root that exists and something below it.
    roots = "|".join(one.name for one in Path("/").iterdir() if one.is_dir())
    assert not re.search(rf'"/({roots})/', text)


def test_what_has_no_plain_form_is_an_error() -> None:
    """Rather than its repr."""
    with pytest.raises(TypeError, match="object has no plain form"):
        to_dict(object())
