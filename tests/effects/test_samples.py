"""What is known of the shared samples, found again; skipped where they are not there."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest

from benchlib.effects.breakdown import break_down, break_down_cells
from benchlib.effects.cells import CellTable, build_cells
from benchlib.effects.cost_models import fit_cost_model
from benchlib.effects.interactions import find_interactions
from benchlib.effects.plain_effects import analyse_cells, compare_levels
from benchlib.study import open_study
from tests.effects.tables import transfer_cells


@pytest.fixture
def published(shared_samples: Path) -> CellTable:
    """BenchmarkSender on an Apple M1 Max, ten runs of each cell, published by the authors of the token SDK."""
    return transfer_cells(shared_samples / "token-sdk" / "transfer_results_m1max.txt")


def test_plain_effects_of_the_published_results(published: CellTable, shared_samples: Path) -> None:
    """+28.1 ms an output and about +0.2 an input at 32 bits on BN254; 64 bits 1.94x, BLS12-381 1.60x.

    The centres are those that issue 5 reads off the published file. One in, one out needs no range proof: 0.55 ms
    against 28 ms expected. Outputs, bits and curve share 95 %.
    """
    fit = analyse_cells(published, baselines={"curve": "BN254"})
    here = {slope.factor: slope.estimate for slope in fit.slopes if dict(slope.slice) == {"bits": 32, "curve": "BN254"}}
    assert here["outputs"].value == pytest.approx(28.1e-3, abs=0.05e-3)
    assert (here["outputs"].low, here["outputs"].high) == pytest.approx((27.9e-3, 28.3e-3), abs=0.1e-3)
    assert here["inputs"].value == pytest.approx(0.2e-3, abs=0.05e-3)
    assert here["inputs"].low < 0 < here["inputs"].high
    curves = {ratio.level: ratio.estimate for ratio in fit.ratios if ratio.factor == "curve"}
    assert curves["BLS12_381_BBS_GURVY"].value == pytest.approx(1.60, abs=0.01)
    assert [(cell.levels["inputs"], cell.levels["outputs"]) for cell in fit.special_cells] == [(1, 1)] * 6
    (cell,) = (cell for cell in fit.special_cells if (cell.levels["bits"], cell.levels["curve"]) == (32, "BN254"))
    assert cell.observed == pytest.approx(0.55e-3, abs=0.01e-3)
    assert cell.expected == pytest.approx(28e-3, abs=0.5e-3)
    shares = fit.variance.shares
    assert list(shares)[:3] == ["outputs", "bits", "curve"]
    assert sum(list(shares.values())[:3]) == pytest.approx(0.953, abs=0.005)
    alone = transfer_cells(shared_samples / "token-sdk" / "transfer_results_m1max.txt", curve="BN254")
    (bits,) = (ratio.estimate for ratio in analyse_cells(alone).ratios if ratio.factor == "bits")
    assert (bits.value, bits.low, bits.high) == pytest.approx((1.94, 1.93, 1.95), abs=0.01)


def test_the_cost_model_of_the_published_results(published: CellTable) -> None:
    """On BN254 an output costs 28.1 ms at 32 bits; 64 bits scale it; six cells without a range proof stand apart."""
    model = fit_cost_model(published)
    scales = {(scale.factor, scale.level): scale.estimate.value for scale in model.chosen.scales}
    terms = {term.factors: term.estimate.value for term in model.chosen.terms}
    assert terms["outputs",] * scales["curve", "BN254"] == pytest.approx(0.0281, rel=0.01)
    assert 1 / scales["curve", "BN254"] == pytest.approx(1.60, rel=0.01)
    assert scales["bits", 64] == pytest.approx(1.95, rel=0.01)
    assert len(model.special_cells) == 6
    (cell,) = (cell for cell in model.special_cells if (cell.levels["bits"], cell.levels["curve"]) == (32, "BN254"))
    assert (cell.observed, cell.expected) == pytest.approx((0.00055, 0.0285), rel=0.01)
    assert "lack-of-fit" in {caveat.code for caveat in model.caveats}


def test_the_cost_of_an_output_doubles_with_bits(published: CellTable) -> None:
    """1.96x (within 1.92 and 2.01), and 1.6 times on the other curve; bits and curve do not interact."""
    interactions = find_interactions(published, baselines={"curve": "BN254"})
    ratios = {(row.factor, row.by, row.level): row.ratio for row in interactions.slope_ratios}
    bits = ratios["outputs", "bits", 64]
    assert bits.value == pytest.approx(1.96, abs=0.01)
    assert 1.92 < bits.low < bits.high < 2.01
    assert ratios["outputs", "curve", "BLS12_381_BBS_GURVY"].value == pytest.approx(1.59, abs=0.01)
    cross = {row.levels[1]: row.estimate for row in interactions.ratios_of_ratios}["BLS12_381_BBS_GURVY"]
    assert cross.low < 1.0 < cross.high
    assert cross.high - cross.low < 0.02


FAN_OUT = """
[configuration]
paths = ["{run}.txt"]
names = [
  { template = "subscribers_{subscribers:int}_with_{filter}_filter", benchmarks = ["FanOut"] },
  { template = "subscribers_{subscribers:int}", benchmarks = ["FanOut"] },
]
"""


def test_fan_out_costs_so_much_a_subscriber(shared_samples: Path, tmp_path: Path) -> None:
    """0, 1, 10 and 100 subscribers: 19 ns each beside a fixed cost, without an interval: replicates refute the line.

    With filters there is one cell each, at 10 subscribers: a ratio with an interval from six replicates.
    """
    for name in ("old.txt", "new.txt"):
        shutil.copy(shared_samples / "lplex" / name, tmp_path)
    (tmp_path / "study.toml").write_text(FAN_OUT, encoding="utf-8")
    frame = open_study(tmp_path, where="run=new benchmark=FanOut metric=time").results.frame
    factors = {
        "subscribers": frame["subscribers"].astype(int).tolist(),
        "filter": frame["filter"].astype(object).fillna("none"),
    }
    table = build_cells(factors, frame["value"].to_numpy(), unit="sec/op")
    assert table.factors == {"subscribers": (0, 1, 10, 100), "filter": ("exclude", "none", "pgn")}
    fit = analyse_cells(table, baselines={"filter": "none"})
    (slope,) = fit.slopes
    assert (slope.factor, dict(slope.slice)) == ("subscribers", {"filter": "none"})
    assert slope.estimate.value == pytest.approx(19.4e-9, abs=0.1e-9)
    assert (slope.estimate.low, slope.estimate.high) == (-math.inf, math.inf)
    assert slope.fixed.value == pytest.approx(30e-9, abs=0.5e-9)
    assert {caveat.code for caveat in fit.caveats} >= {"poor-fit", "missing-cells"}
    ratios, _ = compare_levels(table.cells, {"filter": "none"}, 0.95)
    ends = {ratio.level: (ratio.estimate.value, ratio.estimate.low, ratio.estimate.high) for ratio in ratios}
    assert ends["pgn"] == pytest.approx((1.11, 1.05, 1.16), abs=0.01)
    assert ends["exclude"] == pytest.approx((1.16, 1.12, 1.21), abs=0.01)


def test_a_serialisation_is_time_hex_and_json(shared_samples: Path, tmp_path: Path) -> None:
    """Parts of a full frame: each a benchmark of its own, noisy enough that the rest has a wide interval."""
    shutil.copy(shared_samples / "lplex" / "old.txt", tmp_path)
    frame = open_study(tmp_path, where="metric=time").results.frame
    parts = ("FrameJSONSerialization", "TimeFormat", "HexEncodeData")
    of = {
        name: frame.loc[frame["benchmark"] == name, "value"].to_numpy()
        for name in ("FrameJSONSerializationFull", *parts)
    }
    broken = break_down(of["FrameJSONSerializationFull"], {name: of[name] for name in parts}, unit="sec/op")
    shares = {part.name: (part.share.value, part.share.low, part.share.high) for part in broken.parts}
    assert list(shares) == list(parts)
    assert shares["FrameJSONSerialization"] == pytest.approx((0.65, 0.47, 0.91), abs=0.01)
    assert shares["TimeFormat"] == pytest.approx((0.14, 0.08, 0.24), abs=0.01)
    assert shares["HexEncodeData"] == pytest.approx((0.03, 0.02, 0.04), abs=0.01)
    assert (broken.rest.value, broken.rest.low, broken.rest.high) == pytest.approx((0.18, -0.07, 0.43), abs=0.01)


def test_a_sender_contains_its_proof(shared_samples: Path, tmp_path: Path) -> None:
    """Counts of a busy machine still count: nearly all that a sender allocates, its proof does; a share a cell."""
    for name in ("Sender", "TransferProofGeneration"):
        shutil.copy(shared_samples / "token-sdk" / "matrix" / f"Benchmark{name}.log", tmp_path)
    (tmp_path / "study.toml").write_text(
        "[[configuration.names]]\n"
        'template = "Setup(bits_{bits:int},_curve_{curve},_#i_{inputs:int},_#o_{outputs:int})_with_{_}_workers"\n',
        encoding="utf-8",
    )
    factors = ("bits", "curve", "inputs", "outputs")
    frame = open_study(tmp_path, where="metric=allocations").results.frame
    tables = {
        name: build_cells({own: rows[own].tolist() for own in factors}, rows["value"].to_numpy(), unit="allocs/op")
        for name, rows in frame.groupby("benchmark")
    }
    broken = break_down_cells(tables["Sender"], {"proof": tables["TransferProofGeneration"]})
    assert len(broken) == 9
    shares = {tuple(levels.values()): own.parts[0].share.value for levels, own in broken}
    # One in, one out makes no range proof: a fifth of its allocations is the rest of the sender.
    assert shares.pop((32, "BLS12_381_BBS_GURVY", 1, 1)) == pytest.approx(0.79, abs=0.01)
    assert all(0.98 < share < 1.0 for share in shares.values())
