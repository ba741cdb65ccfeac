"""``benchlib scaling`` on shipped studies, in every format, word for word.

Numbers of JSON and CSV are full floats, whose last digits are the machine's: five are compared.

Regenerate after an edit of wording, then read the diff::

    BENCHLIB_UPDATE_GOLDEN=1 python -m pytest tests/golden tests/malformed
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchlib.cli import main
from tests.golden.compare import golden

ROOT = Path(__file__).parents[2]
STUDIES = ("reference", "onix-adapter-published", "http-endpoints", "token-sdk")
ENDINGS = {"text": "txt", "markdown": "md", "csv": "csv", "json": "json"}
_FLOAT = re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?|-?\d+e[+-]?\d+")
#: A mapping or list that holds no other: it goes on one line.
_LEAF = re.compile(r"([\[{])\s*([^\[\]{}]*?)\s*([\]}])")


def shortened(text: str) -> str:
    """Cut every float of a text to five digits."""
    return _FLOAT.sub(lambda found: f"{float(found[0]):.5g}", text)


def compact(found: Any) -> str:
    """Write JSON with innermost mappings and lists on one line each, so that a diff can be read."""
    text = json.dumps(json.loads(json.dumps(found), parse_float=lambda one: float(f"{float(one):.5g}")), indent=1)
    return _LEAF.sub(lambda one: one[1] + re.sub(r"\s*\n\s*", " ", one[2]) + one[3], text)


@pytest.mark.parametrize("form", ENDINGS)
@pytest.mark.parametrize("study", STUDIES)
def test_scaling_prints_what_was_agreed(study: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Points, laws, choice, back-test, advice, refusals and caveats of each study."""
    assert main(["scaling", str(ROOT / "data" / study), "--format", form]) == 0
    printed = capsys.readouterr().out
    if form == "json":
        printed = compact(json.loads(printed))
    elif form == "csv":
        printed = shortened(printed)
    golden(f"scaling-{study}.{ENDINGS[form]}", printed)


def test_every_golden_scaling_output_has_its_study() -> None:
    """A golden file of a study that is gone would be compared with nothing."""
    kept = {one.name for one in Path(__file__).parent.glob("scaling-*.*")}
    assert kept == {f"scaling-{study}.{ending}" for study in STUDIES for ending in ENDINGS.values()}
