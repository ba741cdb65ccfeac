"""What files hold that is no result: told in every format, and in the gate only where the candidate lost something."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from benchlib.cli import main
from tests.synthetic import around, go_text

FORMATS = ("text", "markdown", "html", "json", "csv")
FAILED = "--- FAIL: BenchmarkDecode-8\n    x_test.go:3: boom\nFAIL\nFAIL\texample.org/codec\t1.2s\n"
JUNK = "BenchmarkMatch\t10\tabc ns/op\n"


def of(*names: str, package: str = "example.org/codec", centre: float = 100.0) -> str:
    return go_text({name: around(centre) for name in names}, package=package)


SIDES = {
    "sound": of("Encode", "Decode"),
    "also": of("Encode", "Decode", centre=100.01),
    # Decode failed: it has no value here.
    "failed": of("Encode", centre=100.02) + FAILED,
    "failed-too": of("Encode", centre=100.03) + FAILED,
    # The first rounds gave a value of each.
    "failed-once": of("Encode", "Decode") + FAILED,
    "panicked-once": of("Encode", "Decode", centre=100.05)
    + "BenchmarkDecode-8\tpanic: boom\nFAIL\texample.org/codec\t1s\n",
    "ended-once": of("Encode", "Decode", centre=100.06) + "FAIL\texample.org/codec\t1s\n",
    "junk": of("Encode", "Decode", centre=100.04) + JUNK,
    "two-packages": of("Encode") + of("Parse", package="example.org/parse"),
    "not-built": of("Parse", package="example.org/parse", centre=100.01) + "FAIL\texample.org/codec [build failed]\n",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a recording of each kind."""
    monkeypatch.chdir(tmp_path)
    for name, text in SIDES.items():
        (tmp_path / f"{name}.txt").write_text(text)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], old: str, new: str, *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(["compare", f"{old}.txt", f"{new}.txt", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def line_of(side: str, beginning: str) -> int:
    return 1 + [line.startswith(beginning) for line in SIDES[side].splitlines()].index(True)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("mode", [(), ("--same-code",)])
@pytest.mark.parametrize(
    ("old", "new", "side", "beginning"),
    [
        ("sound", "failed", "failed", "--- FAIL"),
        ("failed", "sound", "failed", "--- FAIL"),
        ("sound", "junk", "junk", "BenchmarkMatch"),
        ("junk", "sound", "junk", "BenchmarkMatch"),
        ("two-packages", "not-built", "not-built", "FAIL"),
        ("not-built", "two-packages", "not-built", "FAIL"),
    ],
)
def test_what_gave_no_result_is_told_with_its_place(
    capsys: pytest.CaptureFixture[str],
    form: str,
    mode: tuple[str, ...],
    old: str,
    new: str,
    side: str,
    beginning: str,
) -> None:
    """On either side, in every format; a table says it on stderr, where nobody takes it for a row."""
    code, out, err = run(capsys, old, new, *mode, "--format", form)
    assert code == 0
    number = line_of(side, beginning)
    if form == "json":
        document = json.loads(out)
        assert (f"{side}.txt", number) in [(one["source"], one["line"]) for one in document["problems"]]
        assert bool(document["failed"]) == (side != "junk")
        return
    told = err if form == "csv" else " ".join(out.replace("\\", "").split())
    assert f"{side}.txt:{number}" in told
    assert ("failed: " in told) == (side != "junk")
    if form == "csv":
        assert all(None not in row for row in csv.DictReader(io.StringIO(out)))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        # The candidate lost what the baseline has.
        ("sound", "failed", "Decode failed on the candidate; the baseline has it (failed.txt:"),
        ("two-packages", "not-built", "Encode failed on the candidate; the baseline has it (not-built.txt:"),
        ("sound", "failed-once", "Decode failed on the candidate; the baseline has it (failed-once.txt:"),
        ("sound", "panicked-once", "Decode failed on the candidate; the baseline has it (panicked-once.txt:"),
        (
            "sound",
            "ended-once",
            "package example.org/codec failed on the candidate; the baseline has it (ended-once.txt:",
        ),
        ("failed-once", "failed", "Decode failed on the candidate; the baseline has it (failed.txt:"),
        # The baseline lost it, both did, or nothing says that a benchmark failed.
        ("failed", "sound", ""),
        ("failed", "failed-too", ""),
        ("not-built", "two-packages", ""),
        ("failed-once", "panicked-once", ""),
        ("panicked-once", "sound", ""),
        ("ended-once", "sound", ""),
        ("sound", "junk", ""),
        ("junk", "sound", ""),
        ("sound", "also", ""),
    ],
)
@pytest.mark.parametrize("gate", ["regression", "any"])
def test_the_gate_trips_on_what_the_candidate_lost_and_on_nothing_else(
    capsys: pytest.CaptureFixture[str], gate: str, old: str, new: str, said: str
) -> None:
    """A line that cannot be read is told, and is no change."""
    code, _, err = run(capsys, old, new, "--fail-on", gate)
    # What one side alone has is said too: of it nothing was decided.
    told = [line for line in err.splitlines() if f"--fail-on {gate}: not decided: " not in line]
    assert (code, len(told)) == ((3, 1) if said else (0, 0))
    assert "".join(told).startswith(f"benchlib: --fail-on {gate}: {said}" if said else "")


def test_what_was_not_asked_for_trips_no_gate(capsys: pytest.CaptureFixture[str]) -> None:
    """Decode failed; only Encode is compared."""
    code, _, err = run(capsys, "sound", "failed", "--where", "benchmark=Encode", "--fail-on", "any")
    assert (code, err) == (0, "")


def test_a_page_whose_rows_are_the_same_is_not_green_where_one_is_lost(capsys: pytest.CaptureFixture[str]) -> None:
    """Of what failed nothing is known."""
    asked = ("--interleaved", "--format", "markdown")
    assert "🟢 **" in run(capsys, "sound", "also", *asked)[1]
    assert "🟡 **" in run(capsys, "sound", "failed", *asked)[1]


def test_a_candidate_of_which_every_benchmark_failed_trips_the_gate(
    capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    """There is nothing left to compare, which is the worst that a change can do."""
    heads = "benchmark,metric,value,unit,errors\n"
    for name, errors in (("whole", 0), ("none", 3)):
        (here / f"{name}.txt").write_text(heads + "".join(f"Encode,time,{one},ns/op,{errors}\n" for one in around(9)))
    code, out, err = run(capsys, "whole", "none", "--fail-on", "regression")
    assert (code, out) == (3, "")
    assert err.splitlines()[1] == (
        "benchlib: --fail-on regression: Encode failed on the candidate; the baseline has it (none.txt:2)"
    )
    assert run(capsys, "none", "whole", "--fail-on", "regression")[0] == 2
