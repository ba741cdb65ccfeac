"""``--fail-on`` and the comment: what may trip a gate, and what a reviewer sees first."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchlib.cli import main
from tests.synthetic import around, go_text


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (3.0, 3, "benchlib: --fail-on any: 1 of 2 rows is worse: P: 3.0 times the time"),
        (1.0, 0, ""),
    ],
)
def test_a_control_that_changed_trips_no_gate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: float, code: int, said: str
) -> None:
    """Three controls half as slow again are no rows: neither what trips the gate nor what is counted."""
    for side, drift, more in (("old", 1.0, 1.0), ("new", 1.5, change)):
        held = {f"C{place}": around(50 * drift * (1 + 0.001 * place)) for place in range(3)}
        text = go_text(held, package="x/filter")
        text += go_text({"P": around(100 * more), "Q": around(100)}, package="x/core")
        (tmp_path / f"{side}.txt").write_text(text, encoding="utf-8")
    asked = [str(tmp_path / "old.txt"), str(tmp_path / "new.txt"), "--interleaved", "--metric", "time"]
    assert main(["compare", *asked, "--control", "pkg=*/filter", "--fail-on", "any"]) == code
    assert capsys.readouterr().err.startswith(said)
    assert main(["compare", *asked, "--where", "pkg=*/filter", "--fail-on", "any"]) == 3


def test_a_comment_shows_the_five_largest_changes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Of seven changed rows the five furthest are seen, the furthest first; the others are folded, and all again."""
    factors = {"A": 0.8, "B": 1.2, "C": 0.5, "D": 3.0, "E": 1.0, "F": 1.5, "G": 4.0, "H": 0.9}
    for side in ("old", "new"):
        times = {name: around(100 * (factor if side == "new" else 1)) for name, factor in factors.items()}
        (tmp_path / f"{side}.txt").write_text(go_text(times), encoding="utf-8")
    asked = ["compare", str(tmp_path / "old.txt"), str(tmp_path / "new.txt"), "--interleaved", "--metric", "time"]
    assert main([*asked, "--format", "markdown", "--name", "a --> b"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("<!-- benchlib compare: a-b -->\n")
    seen, _, folded = told.partition("<details>")
    assert re.findall(r"^\| ([A-H]), time \|", seen, re.M) == ["G", "D", "C", "F", "A"]
    assert re.findall(r"^\| ([A-H]), time \|", folded.partition("</details>")[0], re.M) == ["B", "H", "E"]
    assert len(told) < 65_536


def test_benchmarks_that_are_gone_are_said_at_the_top_and_by_the_gate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All that is left is the same: nothing trips, the first screen says what was not compared, no page is green."""
    names = [f"B{place}" for place in range(20)]
    (tmp_path / "a.txt").write_text(go_text({name: [100] * 6 for name in names}, allocations=3), encoding="utf-8")
    (tmp_path / "lost.txt").write_text(go_text({"B0": [100] * 6}, allocations=3) + "\n", encoding="utf-8")
    asked = ["compare", str(tmp_path / "a.txt"), str(tmp_path / "lost.txt"), "--metric", "allocations"]
    for form in ("text", "markdown", "html"):
        assert main([*asked, "--format", form, "--fail-on", "regression"]) == 0
        out, err = capsys.readouterr()
        assert "6 values each, but not compared: 19 benchmarks only in a." in out
        assert ("🟡" in out) is (form == "markdown")
        assert ("Answered, with doubts" in out) is (form != "markdown")
        assert err == (
            "benchlib: --fail-on regression: not decided: lost against a: not compared: 19 benchmarks only in a\n"
        )
