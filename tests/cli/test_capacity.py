"""``benchlib capacity``: one plan in four formats, and bad input in one line."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.cli import calling

printed = partial(calling.printed, "capacity")
refused = partial(calling.refused, "capacity")

ROOT = Path(__file__).parents[2]
PUBLISHED = str(ROOT / "data" / "onix-adapter-published")


def test_rows_that_all_failed_are_told_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    """The endpoint was measured: every answer of it is an error."""
    told = refused(capsys, str(ROOT / "data" / "http-endpoints"), "--where", "endpoint=nope")
    assert told.startswith("http-endpoints: all 10 values asked for rest on failed operations; mend the benchmark")


def test_a_headroom_is_told_as_it_was_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """12.5 % is neither 12 % nor 13 %, above the table and in the record."""
    asked = (PUBLISHED, "--target", "50000/s", "--headroom", "12.5%", "--draws", "300")
    assert "Nodes for an example load of 50,000 op/s; 12.5% of every node free" in printed(capsys, *asked)
    assert json.loads(printed(capsys, *asked, "--format", "json"))["asked"]["headroom"] == 0.125


def test_a_sweep_of_whole_nodes_says_no_latency(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Where none was measured there is no column of it, and no dash with a unit."""
    rows = [f"Serve,{n},{9000 * n / (1 + 0.03 * (n - 1)) * (1 + 0.01 * r):.1f}" for n in (1, 2, 4, 6) for r in (0, 1)]
    (tmp_path / "runs.csv").write_text("\n".join(["name,nodes,throughput op/s", *rows]) + "\n")
    (tmp_path / "study.toml").write_text('[scaling]\nconcurrency = "nodes"\n')
    text = printed(capsys, str(tmp_path), "--target", "20000/s", "--draws", "300")
    assert "– s" not in text
    assert "latency" not in text
