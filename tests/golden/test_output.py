"""What the commands print of shipped studies, word for word: the text of each, and every format of one.

Numbers of CSV are full floats, whose last digits are the machine's: five are compared. JSON is held by tests/contract.

Regenerate after an edit of wording, then read the diff::

    BENCHLIB_UPDATE_GOLDEN=1 python -m pytest tests/golden tests/malformed
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from benchlib.cli import main
from tests.golden.compare import golden, shortened

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ENDINGS = {"text": "txt", "markdown": "md", "csv": "csv"}
#: Name of the golden files -> formats, and the command after `benchlib`. The comparison of a pull request is Markdown.
ASKED: dict[str, tuple[tuple[str, ...], str]] = {
    "inspect-onix-adapter-published": (("text",), "inspect data/onix-adapter-published"),
    "scaling-reference": (("text",), "scaling data/reference"),
    "scaling-onix-adapter-published": (("text", "markdown"), "scaling data/onix-adapter-published"),
    "scaling-http-endpoints": (("text",), "scaling data/http-endpoints"),
    "scaling-token-sdk": (("text",), "scaling data/token-sdk"),
    "effects-lplex": (("text", "markdown"), "effects data/lplex"),
    "effects-token-sdk": (
        ("text",),
        "effects data/token-sdk --metric time --by benchmark,proof --predict 'bits=64 curve=BN254 inputs=4 outputs=6' "
        "--predict 'bits=32 curve=BN254 inputs=2 outputs=9'",
    ),
    "effects-heavy-read-api-published": (
        ("text",),
        "effects data/heavy-read-api-published --factors gateway,endpoint --metric latency_p50,latency_p99",
    ),
    "capacity-onix-adapter-published": (
        ("text", "markdown"),
        "capacity data/onix-adapter-published --target 50000/s --slo latency_p99=5ms --headroom 30% --survive 1 "
        "--node cores=8,cost=0.34/h --node cores=4,cost=0.17/h --growth 4%/month --from 2026-11",
    ),
    "capacity-http-endpoints": (
        ("text",),
        "capacity data/http-endpoints --target 250000/s --slo latency_p99=5ms --headroom 20% "
        "--node cores=2,cost=73EUR/month",
    ),
    "compare-lplex": (("text", "markdown"), "compare data/lplex"),
    "compare-lplex-controls": (
        ("text", "markdown"),
        "compare data/lplex --metric time --where pkg=*/filter,*/pgn --control 'pkg=*/filter for pkg=*/pgn'",
    ),
    "compare-heavy-read-api-published": (tuple(ENDINGS), "compare data/heavy-read-api-published"),
    "compare-same-code": (
        ("text", "markdown"),
        "compare data/onix-adapter-published --same-code --where run=run1,run2,run3",
    ),
}
CASES = [(name, form) for name, (forms, _) in ASKED.items() for form in forms]


@pytest.mark.parametrize(("name", "form"), CASES)
def test_a_command_prints_what_was_agreed(
    name: str, form: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables, verdicts, refusals, remarks and caveats, in the words of each format."""
    monkeypatch.chdir(ROOT)  # the command that a comment shows names the study as it was given
    arguments = shlex.split(ASKED[name][1])
    assert main([*arguments, *(["--format", form] if arguments[0] != "inspect" else [])]) == 0
    printed = capsys.readouterr().out
    if form == "csv":
        printed = shortened(printed)
    golden(f"{name}.{ENDINGS[form]}", printed)


def test_every_golden_output_has_its_command() -> None:
    """A golden file of a study that is gone would be compared with nothing."""
    commands = {name.partition("-")[0] for name in ASKED}
    files = {path.name for path in HERE.iterdir() if path.name.partition("-")[0] in commands}
    assert files == {f"{name}.{ENDINGS[form]}" for name, form in CASES}


@pytest.mark.parametrize("metric", ["time", "memory", "allocations"])
def test_untouched_packages_have_no_better_and_no_worse(metric: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The change touches neither filter nor pgn: with each as the other's control, neither is called changed."""
    for control, judged in (("filter", "pgn"), ("pgn", "filter")):
        asked = ("--where", f"pkg=*/filter,*/pgn metric={metric}", "--control", f"pkg=*/{control} for pkg=*/{judged}")
        assert main(["compare", str(ROOT / "data/lplex"), *asked, "--format", "json"]) == 0
        [comparison] = json.loads(capsys.readouterr().out)["comparisons"]
        verdicts = [row["verdict"] for row in comparison["rows"] if not row["control"]]
        # Controls are no rows of time; their counts are judged like any other.
        assert len(verdicts) == (13 if metric == "time" else 26)
        assert set(verdicts) <= {"same", "cannot tell"}
