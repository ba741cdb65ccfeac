"""``benchlib effects``: one answer in five formats, and bad input in one line."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli import calling

printed = partial(calling.printed, "effects")
refused = partial(calling.refused, "effects")
document = partial(calling.document, "effects")

ROOT = Path(__file__).parents[2]
TOKEN = str(ROOT / "data" / "token-sdk")
HEADS = "benchmark,bits,outputs,curve,metric,value,unit"
FACTORS = ("--factors", "bits,outputs,curve")
SENDER = ("--metric", "time", "--where", "source=transfer/* benchmark=Sender proof=bulletproof")


def cost(bits: int, outputs: int, curve: str) -> float:
    """2 ms and 5 ms an output, doubled at 64 bits, half as much again on curve b."""
    return (2.0 + 5.0 * outputs) * (2 if bits == 64 else 1) * (1.5 if curve == "b" else 1.0)


def factorial(benchmark: str = "Prove", noise: float = 0.01, seed: int = 5) -> list[str]:
    """Three measurements of every combination, a line each."""
    generator = np.random.default_rng(seed)
    return [
        f"{benchmark},{bits},{outputs},{curve},time,{cost(bits, outputs, curve) * math.exp(noise * draw):.6f},ms/op"
        for bits in (32, 64)
        for outputs in (1, 2, 4, 8)
        for curve in ("a", "b")
        for draw in generator.standard_normal(3)
    ]


def table(folder: Path, rows: Sequence[str], heads: str = HEADS, name: str = "table.csv") -> str:
    """Write results as a table, and say where."""
    path = folder / name
    path.write_text("\n".join([heads, *rows]) + "\n", encoding="utf-8")
    return str(path)


def holds(estimate: Mapping[str, Any], truth: float) -> bool:
    return bool(estimate["low"] <= truth <= estimate["high"])


def test_a_factorial_gives_back_what_it_was_made_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Slope and fixed cost in seconds, both ratios, the power of the outputs, and a cell that was not measured."""
    asked = (table(tmp_path, factorial()), *FACTORS, "--predict", "bits=32 outputs=40 curve=a")
    found = document(capsys, *asked, "--predict", "bits=64 outputs=6 curve=b")
    (model,) = found["models"]
    chosen = model["rivals"][0]
    assert chosen["structure"] == "one factor"
    assert chosen["treatments"] == {"bits": "scale", "curve": "scale"}
    slope = next(one for one in model["terms"] if one.get("factors") == ["outputs"])
    assert slope["powers"] == [1.0]
    scales = {one["factor"]: one for one in model["terms"] if "level" in one}
    # Of curves the first seen is the baseline of the plain ratio; the model takes the first of its levels.
    assert holds(scales["bits"]["estimate"], 2.0)
    assert holds(scales["curve"]["estimate"], 1.5)
    assert holds(slope["estimate"], 5e-3)
    beyond, inside = model["predictions"]
    assert holds(inside["estimate"], 1e-3 * cost(64, 6, "b"))
    assert inside["another_day"]["high"] > inside["estimate"]["high"]
    assert beyond["estimate"] is None
    assert beyond["refusal"].startswith("outputs = 40 (measured from 1 to 8) lies beyond twice the measured range")
    (far,) = document(capsys, *asked, "--extrapolate")["models"][0]["predictions"]
    assert holds(far["estimate"], 1e-3 * cost(32, 40, "a"))
    assert [caveat["code"] for caveat in far["caveats"]] == ["far-beyond-range"]


def test_zero_times_are_read_and_not_modelled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A clock too coarse for a cell: its plain effects stand, the cost model is refused with the cell's name."""
    rows = [",".join([*row.split(",")[:5], "0", "ms/op"]) if ",32,1,a," in row else row for row in factorial()]
    found = document(capsys, table(tmp_path, rows), *FACTORS)
    (model,) = found["models"]
    assert model["rivals"] == []
    assert model["effects"]["slopes"]
    (said,) = [one["message"] for one in found["caveats"] if one["code"] == "no-cost-model"]
    assert "bits = 32, outputs = 1, curve = a" in said


def test_a_category_that_is_not_named_is_predicted_at_every_level(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`bits=64 outputs=6` says nothing of the curve: both are answered, within 2 % of the truth."""
    found = document(capsys, table(tmp_path, factorial()), *FACTORS, "--predict", "bits=64 outputs=6")
    told = {one["at"]["curve"]: one["estimate"]["value"] for one in found["models"][0]["predictions"]}
    assert told == {curve: pytest.approx(1e-3 * cost(64, 6, curve), rel=0.02) for curve in ("a", "b")}


def test_a_level_with_a_blank_is_named_in_quotes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Curves are called 'BN 254' and 'BLS, 381' too."""
    rows = [row.replace(",a,", ",BN 254,").replace(",b,", ',"BLS, 381",') for row in factorial()]
    path = table(tmp_path, rows)
    for name in ("BN 254", "BLS, 381"):
        cell = f"bits=64 outputs=6 curve='{name}'"
        found = document(capsys, path, *FACTORS, "--predict", cell)
        (one,) = found["models"][0]["predictions"]
        assert one["at"]["curve"] == name


def test_only_plain_numbers_are_levels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`1_0` and Arabic digits are no number that anybody measured."""
    for odd in ("1_0", "\u0663"):
        said = refused(
            capsys, table(tmp_path, factorial()), *FACTORS,
            "--predict", f"bits=64 curve=a outputs={odd}",
        )  # fmt: skip
        assert "is no level of outputs; give a finite number of 0 or more" in said


def test_a_baseline_can_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Plain ratios and scales of the model are held against the same level, whatever stands first in the file."""
    path = table(tmp_path, factorial())
    for base, other in (("a", "b"), ("b", "a")):
        found = document(capsys, path, *FACTORS, "--baseline", f"curve={base}")
        (model,) = found["models"]
        (ratio,) = [one for one in model["effects"]["ratios"] if one["factor"] == "curve"]
        (scale,) = [one for one in model["terms"] if one.get("factor") == "curve"]
        assert (ratio["baseline"], ratio["level"]) == (scale["baseline"], scale["level"]) == (base, other)
        assert holds(scale["estimate"], 1.5 if base == "a" else 1 / 1.5)


def test_rows_that_are_left_out_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row without a number of a factor, and one whose value is none: each told."""
    rows = [row.replace(",32,2,", ",32,,") for row in factorial()]
    rows[-1] = rows[-1].rsplit(",", 2)[0] + ",nan,ms/op"
    told = {one["code"]: one["message"] for one in document(
        capsys, table(tmp_path, rows), *FACTORS
    )["caveats"]}  # fmt: skip
    assert told["missing-levels"] == "Prove, metric time, unit sec/op: 6 of 47 rows have no number of outputs"
    assert "problems-in-files" in told


def test_a_metric_that_half_the_cells_lack_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Allocations of 32 bits only: 8 of 16 cells."""
    rows = factorial()
    counts = [row.replace(",time,", ",allocations,").replace(",ms/op", ",allocs/op") for row in rows if ",32," in row]
    found = document(capsys, table(tmp_path, rows + counts), *FACTORS,
                     "--metric", "time,allocations")  # fmt: skip
    told = [one["message"] for one in found["caveats"] if one["code"] == "metric-missing"]
    assert told == ["Prove: allocations is missing in 8 of 16 cells"]
