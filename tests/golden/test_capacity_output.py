"""``benchlib capacity`` on shipped studies, in every format, word for word.

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
ENDINGS = {"text": "txt", "markdown": "md", "csv": "csv", "json": "json"}
ASKED = {
    "onix-adapter-published": (
        "--target 50000/s --slo latency_p99=5ms --headroom 30% --survive 1 --node cores=8,cost=0.34/h "
        "--node cores=4,cost=0.17/h --growth 4%/month --from 2026-11"
    ),
    "http-endpoints": "--target 250000/s --slo latency_p99=5ms --headroom 20% --node cores=2,cost=73EUR/month",
}


@pytest.mark.parametrize("form", ENDINGS)
@pytest.mark.parametrize("study", ASKED)
def test_capacity_prints_what_was_agreed(study: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Kinds of node, demand, plan, regret, claims, refusals and caveats of each load."""
    assert main(["capacity", str(ROOT / "data" / study), *ASKED[study].split(), "--format", form]) == 0
    printed = capsys.readouterr().out
    if form == "json":
        printed = compact(json.loads(printed))
    elif form == "csv":
        printed = shortened(printed)
    golden(f"capacity-{study}.{ENDINGS[form]}", printed)


def test_every_golden_capacity_output_has_its_study() -> None:
    """A golden file of a study that is gone would be compared with nothing."""
    kept = {one.name for one in Path(__file__).parent.glob("capacity-*.*")}
    assert kept == {f"capacity-{study}.{ending}" for study in ASKED for ending in ENDINGS.values()}
