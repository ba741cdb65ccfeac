"""What is known of the shared samples, found again; skipped where they are not there."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import benchlib
from benchlib.effects.breakdown import break_down, break_down_cells
from benchlib.effects.cells import CellTable, build_cells
from benchlib.effects.interactions import find_interactions
from benchlib.effects.plain_effects import analyse_cells, compare_levels

ROW = re.compile(
    r"BenchmarkSender/Setup\(bits_(\d+),_curve_(\w+),_#i_(\d+),_#o_(\d+)\)\S*\s+\d+\s+([\d.]+) ns/op"
    r"\s+(\d+) B/op\s+(\d+) allocs/op"
)


def sender(path: Path, column: int = 5, unit: str = "sec/op", curves: str = "") -> CellTable:
    """Cells of BenchmarkSender; ``curves`` keeps one curve only."""
    found = [row for line in path.read_text(encoding="utf-8").splitlines() if (row := ROW.match(line))]
    rows = [row for row in found if not curves or row[2] == curves]
    factors = {
        "bits": [int(row[1]) for row in rows],
        "curve": [row[2] for row in rows],
        "inputs": [int(row[3]) for row in rows],
        "outputs": [int(row[4]) for row in rows],
    }
    return build_cells(factors, [float(row[column]) * (1e-9 if column == 5 else 1) for row in rows], unit=unit)


@pytest.fixture
def published(shared_samples: Path) -> Path:
    """BenchmarkSender on an Apple M1 Max, ten runs of each cell, published by the authors of the token SDK."""
    return shared_samples / "token-sdk" / "transfer_results_m1max.txt"


def test_plain_effects_of_the_published_results(published: Path) -> None:
    """+28.1 ms an output and about +0.2 an input at 32 bits on BN254; 64 bits 1.94x, BLS12-381 1.60x.

    The centres are those that issue 5 reads off the published file.
    """
    fit = analyse_cells(sender(published), baselines={"curve": "BN254"})
    here = {one.factor: one.estimate for one in fit.slopes if dict(one.slice) == {"bits": 32, "curve": "BN254"}}
    assert here["outputs"].value == pytest.approx(28.1e-3, abs=0.05e-3)
    assert here["outputs"].low == pytest.approx(27.9e-3, abs=0.1e-3)
    assert here["outputs"].high == pytest.approx(28.3e-3, abs=0.1e-3)
    assert here["inputs"].value == pytest.approx(0.2e-3, abs=0.05e-3)
    assert here["inputs"].low < 0 < here["inputs"].high
    curves = {one.level: one.estimate for one in fit.ratios if one.factor == "curve"}
    assert curves["BLS12_381_BBS_GURVY"].value == pytest.approx(1.60, abs=0.01)
    (bits,) = (one.estimate for one in analyse_cells(sender(published, curves="BN254")).ratios if one.factor == "bits")
    assert (bits.value, bits.low, bits.high) == pytest.approx((1.94, 1.93, 1.95), abs=0.01)


def test_the_special_cell_of_the_published_results(published: Path) -> None:
    """One in, one out needs no range proof: 0.55 ms against 28 ms expected at 32 bits on BN254."""
    fit = analyse_cells(sender(published))
    assert {(one.levels["inputs"], one.levels["outputs"]) for one in fit.special_cells} == {(1, 1)}
    assert len(fit.special_cells) == 6
    (one,) = (one for one in fit.special_cells if (one.levels["bits"], one.levels["curve"]) == (32, "BN254"))
    assert one.observed == pytest.approx(0.55e-3, abs=0.01e-3)
    assert one.expected == pytest.approx(28e-3, abs=0.5e-3)


def test_the_cost_of_an_output_doubles_with_bits(published: Path) -> None:
    """1.96x (within 1.92 and 2.01), and 1.6 times on the other curve; bits and curve do not interact."""
    found = find_interactions(sender(published), baselines={"curve": "BN254"})
    ratios = {(one.factor, one.by, one.level): one for one in found.slope_ratios}
    bits = ratios["outputs", "bits", 64].ratio
    assert bits.value == pytest.approx(1.96, abs=0.01)
    assert 1.92 < bits.low < bits.high < 2.01
    assert ratios["outputs", "curve", "BLS12_381_BBS_GURVY"].ratio.value == pytest.approx(1.59, abs=0.01)
    cross = {one.levels[1]: one.estimate for one in found.ratios_of_ratios}["BLS12_381_BBS_GURVY"]
    assert cross.low < 1.0 < cross.high
    assert cross.high - cross.low < 0.02


def test_importance_in_the_published_results(published: Path) -> None:
    """Outputs, bits and curve share 95 %; no interaction of two reaches a thousandth."""
    rows = analyse_cells(sender(published)).variance.rows
    assert [row.factors for row in rows[:3]] == [("outputs",), ("bits",), ("curve",)]
    assert sum(row.share for row in rows[:3]) == pytest.approx(0.953, abs=0.005)
    assert all(row.share < 1e-3 for row in rows if len(row.factors) == 2)


FAN_OUT = """
[configuration]
paths = ["{run}.txt"]
names = [
  { template = "subscribers_{subscribers:int}_with_{filter}_filter", benchmarks = ["FanOut"] },
  { template = "subscribers_{subscribers:int}", benchmarks = ["FanOut"] },
]
"""


def fan_out(shared_samples: Path, folder: Path, run: str) -> CellTable:
    for name in ("old.txt", "new.txt"):
        shutil.copy(shared_samples / "lplex" / name, folder)
    (folder / "study.toml").write_text(FAN_OUT, encoding="utf-8")
    study = benchlib.open_study(folder, where=f"run={run} benchmark=FanOut metric=time")
    frame = study.results.frame
    factors = {
        "subscribers": frame["subscribers"].astype(int).tolist(),
        "filter": frame["filter"].astype(object).fillna("none"),
    }
    return build_cells(factors, frame["value"].to_numpy(), unit="sec/op")


def test_fan_out_costs_so_much_a_subscriber(shared_samples: Path, tmp_path: Path) -> None:
    """0, 1, 10 and 100 subscribers: 19 ns each (3 to 36), beside a fixed cost, in a fit that admits it is poor."""
    table = fan_out(shared_samples, tmp_path, "new")
    assert table.factors == {"subscribers": (0, 1, 10, 100), "filter": ("exclude", "none", "pgn")}
    fit = analyse_cells(table, baselines={"filter": "none"})
    (slope,) = fit.slopes
    assert (slope.factor, dict(slope.slice), slope.n_cells) == ("subscribers", {"filter": "none"}, 4)
    assert slope.estimate.value == pytest.approx(19.4e-9, abs=0.1e-9)
    assert (slope.estimate.low, slope.estimate.high) == pytest.approx((2.6e-9, 36.3e-9), abs=0.2e-9)
    assert slope.fixed.value == pytest.approx(30e-9, abs=0.5e-9)
    assert {one.code for one in fit.caveats} >= {"poor-fit", "missing-cells"}


def test_a_filter_costs_ten_subscribers_so_much(shared_samples: Path, tmp_path: Path) -> None:
    """With filters there is one cell each, at 10 subscribers: a ratio with an interval from six replicates."""
    table = fan_out(shared_samples, tmp_path, "new")
    ratios, _ = compare_levels(table.cells, {"filter": "none"}, 0.95)
    ends = {one.level: (one.estimate.value, one.estimate.low, one.estimate.high) for one in ratios}
    assert ends["pgn"] == pytest.approx((1.11, 1.05, 1.16), abs=0.01)
    assert ends["exclude"] == pytest.approx((1.16, 1.12, 1.21), abs=0.01)
    assert [one.n_matched for one in ratios] == [1, 1]


def test_a_serialisation_is_time_hex_and_json(shared_samples: Path, tmp_path: Path) -> None:
    """Parts of a full frame: each a benchmark of its own, noisy enough that the rest has a wide interval."""
    shutil.copy(shared_samples / "lplex" / "old.txt", tmp_path)
    (tmp_path / "study.toml").write_text(
        '[[breakdown]]\nwhole = "FrameJSONSerializationFull"\n'
        'parts = ["FrameJSONSerialization", "TimeFormat", "HexEncodeData"]\n',
        encoding="utf-8",
    )
    study = benchlib.open_study(tmp_path, where="metric=time")
    (plan,) = study.breakdowns
    frame = study.results.frame
    of = {name: frame.loc[frame["benchmark"] == name, "value"].to_numpy() for name in (plan.whole, *plan.parts)}
    found = break_down(of[plan.whole], {name: of[name] for name in plan.parts}, unit="sec/op")
    shares = {part.name: (part.share.value, part.share.low, part.share.high) for part in found.parts}
    assert list(shares) == list(plan.parts)
    assert shares["FrameJSONSerialization"] == pytest.approx((0.65, 0.47, 0.91), abs=0.01)
    assert shares["TimeFormat"] == pytest.approx((0.14, 0.08, 0.24), abs=0.01)
    assert shares["HexEncodeData"] == pytest.approx((0.03, 0.02, 0.04), abs=0.01)
    assert (found.rest.value, found.rest.low, found.rest.high) == pytest.approx((0.18, -0.07, 0.43), abs=0.01)


def test_a_sender_contains_its_proof(shared_samples: Path, tmp_path: Path) -> None:
    """Counts of a busy machine still count: nearly all that a sender allocates, its proof does; a share a cell."""
    for name in ("Sender", "TransferProofGeneration"):
        shutil.copy(shared_samples / "token-sdk" / "matrix" / f"Benchmark{name}.log", tmp_path)
    (tmp_path / "study.toml").write_text(
        "[[configuration.names]]\n"
        'template = "Setup(bits_{bits:int},_curve_{curve},_#i_{inputs:int},_#o_{outputs:int})_with_{_}_workers"\n'
        '[[breakdown]]\nwhole = "Sender"\nparts = ["TransferProofGeneration"]\nmetrics = ["allocations"]\n',
        encoding="utf-8",
    )
    study = benchlib.open_study(tmp_path)
    (plan,) = study.breakdowns
    factors = ("bits", "curve", "inputs", "outputs")
    frame = study.results.frame
    frame = frame[frame["metric"].isin(plan.metrics)]
    tables = {
        name: build_cells({one: rows[one].tolist() for one in factors}, rows["value"].to_numpy(), unit="allocs/op")
        for name, rows in frame.groupby("benchmark")
    }
    found = break_down_cells(tables[plan.whole], {name: tables[name] for name in plan.parts})
    assert len(found) == 9
    shares = {tuple(levels.values()): one.parts[0].share.value for levels, one in found}
    # One in, one out makes no range proof: a fifth of its allocations is the rest of the sender.
    assert shares.pop((32, "BLS12_381_BBS_GURVY", 1, 1)) == pytest.approx(0.79, abs=0.01)
    assert all(0.98 < share < 1.0 for share in shares.values())
