"""``benchlib scaling`` on shipped studies, in every format, word for word.

Numbers of JSON and CSV are full floats, whose last digits are the machine's: five are compared.

Regenerate after an edit of wording, then read the diff::

    BENCHLIB_UPDATE_GOLDEN=1 python -m pytest tests/golden tests/malformed
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchlib.cli import main
from tests.golden.compare import compact, golden, shortened

ROOT = Path(__file__).parents[2]
STUDIES = ("reference", "onix-adapter-published", "http-endpoints", "token-sdk")
ENDINGS = {"text": "txt", "markdown": "md", "csv": "csv", "json": "json"}


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
