"""``benchlib compare`` on shipped studies, word for word: terminal, pull-request comment, CSV and JSON.

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
CONTROL = ("--where", "pkg=*/filter,*/pgn", "--control", "pkg=*/filter for pkg=*/pgn")
#: Name of the golden file -> study, options.
ASKED = {
    "lplex": ("lplex", ()),
    "lplex-controls": ("lplex", ("--metric", "time", *CONTROL)),
    "heavy-read-api-published": ("heavy-read-api-published", ()),
    "same-code": ("onix-adapter-published", ("--same-code", "--where", "run=run1,run2,run3")),
}
ENDINGS = {"text": "txt", "markdown": "md", "csv": "csv", "json": "json"}
#: What people read of every study; numbers of one.
KEPT = [(name, form) for name in ASKED for form in ("text", "markdown")] + [
    ("heavy-read-api-published", "csv"),
    ("heavy-read-api-published", "json"),
]


@pytest.mark.parametrize(("name", "form"), KEPT)
def test_comparisons_print_what_was_agreed(
    name: str, form: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Verdict, tables, both readings, controls, remarks, targets and caveats of each study."""
    monkeypatch.chdir(ROOT)  # the command that a comment shows names the study as it was given
    study, options = ASKED[name]
    assert main(["compare", f"data/{study}", *options, "--format", form]) == 0
    printed = capsys.readouterr().out
    if form == "json":
        printed = compact(json.loads(printed))
    elif form == "csv":
        printed = shortened(printed)
    golden(f"compare-{name}.{ENDINGS[form]}", printed)


def test_every_golden_comparison_has_its_study() -> None:
    """A golden file of a study that is gone would be compared with nothing."""
    kept = {one.name for one in Path(__file__).parent.glob("compare-*.*")}
    assert kept == {f"compare-{name}.{ENDINGS[form]}" for name, form in KEPT}


@pytest.mark.parametrize("metric", ["time", "memory", "allocations"])
def test_untouched_packages_have_no_better_and_no_worse(metric: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The change touches neither filter nor pgn: with each as the other's control, neither is called changed."""
    for control, judged in (("filter", "pgn"), ("pgn", "filter")):
        asked = ("--where", f"pkg=*/filter,*/pgn metric={metric}", "--control", f"pkg=*/{control} for pkg=*/{judged}")
        assert main(["compare", str(ROOT / "data/lplex"), *asked, "--format", "json"]) == 0
        [found] = json.loads(capsys.readouterr().out)["comparisons"]
        verdicts = [row["verdict"] for row in found["rows"] if not row["control"]]
        # Controls are no rows of time; their counts are judged like any other.
        assert len(verdicts) == (13 if metric == "time" else 26)
        assert set(verdicts) <= {"same", "cannot tell"}
