"""``benchlib effects`` on shipped studies, in every format, word for word.

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
PREDICT = ("--predict", "bits=64 curve=BN254 inputs=4 outputs=6", "--predict", "bits=32 curve=BN254 inputs=2 outputs=9")
ASKED = {
    "lplex": (),
    "token-sdk": ("--metric", "time", "--by", "benchmark,proof", *PREDICT),
    "heavy-read-api-published": ("--factors", "gateway,endpoint", "--metric", "latency_p50,latency_p99"),
}
ENDINGS = {"text": "txt", "markdown": "md", "csv": "csv", "json": "json"}
#: All formats of one study; of the others what people read.
KEPT = [("lplex", form) for form in ENDINGS] + [(study, "text") for study in ASKED if study != "lplex"]


@pytest.mark.parametrize(("study", "form"), KEPT)
def test_effects_print_what_was_agreed(study: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Cells, plain effects, models, rivals, predictions, parts, refusals and caveats of each study."""
    assert main(["effects", str(ROOT / "data" / study), *ASKED[study], "--format", form]) == 0
    printed = capsys.readouterr().out
    if form == "json":
        printed = compact(json.loads(printed))
    elif form == "csv":
        printed = shortened(printed)
    golden(f"effects-{study}.{ENDINGS[form]}", printed)


def test_every_golden_effects_output_has_its_study() -> None:
    """A golden file of a study that is gone would be compared with nothing."""
    kept = {one.name for one in Path(__file__).parent.glob("effects-*.*")}
    assert kept == {f"effects-{study}.{ENDINGS[form]}" for study, form in KEPT}
