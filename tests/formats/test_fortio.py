"""JSON that fortio wrote."""

from pathlib import Path

import pytest

from benchlib.formats import load

DATA = Path(__file__).parents[1] / "data" / "fortio"


def test_a_sound_run() -> None:
    """Read off the file: 2,000 calls, all 200; the caveat tells what an interpolated median is worth."""
    results = load(DATA / "echo_c4.json")
    found = results.frame.set_index("metric")["value"]
    assert found["throughput"] == 53458.5860877558
    assert found["requests"] == 2000
    assert found["latency_mean"] == pytest.approx(6.980491e-05)
    assert found["latency_p50"] == pytest.approx(4.339724632316158e-04)
    assert set(results.frame["connections"]) == {4}
    told = {one.code: one.message for one in results.caveats}
    assert "the one that holds the median spans 0.0133 to 0.855 ms" in told["rounded-values"]
    assert "closed-loop" in told


def test_a_run_with_failures_is_set_apart() -> None:
    """Answers of 503 count as failed operations behind every value; a set rate is no closed loop."""
    results = load(DATA / "failing_c2.json")
    assert results.frame.empty
    assert set(results.failed["errors"]) == {40}
    assert [one.code for one in results.caveats if one.code == "closed-loop"] == []
