"""``--fail-on`` and the comment: what may trip a gate, and what a reviewer sees first."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchlib.cli import main
from benchlib.cli.compare_blocks import tell
from benchlib.cli.compare_text import comment
from tests.comparison_answers import around as values
from tests.comparison_answers import make_answer, make_row
from tests.synthetic import around, go_text


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (3.0, 3, "benchlib: --fail-on any: 1 of 2 rows is worse: P: 3.00x slower"),
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


def test_a_comment_shows_the_worst_first() -> None:
    """By metric as they come; in each those that are worse, the furthest first, then those that are better."""
    changes = [("A", 0.8), ("B", 1.2), ("C", 0.5), ("D", 3.0), ("E", 1.0)]
    rows = [
        make_row(f"{metric[0]}{name}", values(1.0), values(factor), metric=metric, unit=unit)
        for metric, unit in (("time", "sec/op"), ("memory", "B/op"))
        for name, factor in changes
    ]
    told = comment(tell([make_answer(rows)], []), name="x", command=["benchlib", "compare", "old.txt", "new.txt"])
    seen, _, _ = told.partition("<details>")
    assert re.findall(r"^\| ([tm][A-E]) \|", seen, re.M) == ["tD", "tB", "tC", "tA", "mD", "mB", "mC", "mA"]


def test_a_comment_that_cannot_show_all_shows_the_first_metric_whole() -> None:
    """Of 25 changed times and 25 larger changes of memory 40 are shown: all times, and memory as far as it goes."""
    rows = [
        make_row(f"{metric[0]}{place}", values(1.0), values(factor), metric=metric, unit=unit)
        for metric, unit, factor in (("time", "sec/op", 1.2), ("memory", "B/op", 3.0))
        for place in range(25)
    ]
    told = comment(tell([make_answer(rows)], []), name="x", command=["benchlib", "compare", "old.txt", "new.txt"])
    seen, _, _ = told.partition("<details>")
    shown = [found[0] for found in re.findall(r"^\| ([tm]\d+) \|", seen, re.M)]
    assert (shown.count("t"), shown.count("m")) == (25, 15)
    assert "10 more changed rows are folded below." in seen


def test_benchmarks_that_are_gone_are_said_at_the_top_and_by_the_gate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All that is left is the same: nothing trips, the first line says what was not compared, no page is green."""
    names = [f"B{place}" for place in range(20)]
    (tmp_path / "a.txt").write_text(go_text({name: [100] * 6 for name in names}, allocations=3), encoding="utf-8")
    (tmp_path / "lost.txt").write_text(go_text({"B0": [100] * 6}, allocations=3) + "\n", encoding="utf-8")
    asked = ["compare", str(tmp_path / "a.txt"), str(tmp_path / "lost.txt"), "--metric", "allocations"]
    beginning = "lost against a: 1 row: same; not compared: 19 benchmarks only in a."
    for form, seen in (("text", beginning), ("markdown", f"### {beginning}"), ("html", beginning)):
        assert main([*asked, "--format", form, "--fail-on", "regression"]) == 0
        out, err = capsys.readouterr()
        assert seen in out
        assert err == (
            "benchlib: --fail-on regression: not decided: lost against a: not compared: 19 benchmarks only in a\n"
        )
    assert '<div class="verdict verdict-warn"><strong>SAME' in out
