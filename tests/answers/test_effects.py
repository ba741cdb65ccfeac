"""Effects: factors that vary, models by group, and refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchlib.answers.asking import Refusal
from benchlib.answers.effects import EffectsAnswer, analyse_effects
from benchlib.study import Study
from tests.synthetic import make_table

HEADS = "benchmark bits outputs curve metric value unit"
PLAN = '[effects]\nfactors = ["bits", "outputs", "curve"]\nmetrics = ["time"]\nby = ["benchmark"]\n'


def cost(bits: int, outputs: int, curve: str) -> float:
    """10 ms an output at 32 bits, 20 at 64, half as much again on the other curve."""
    return (2 + 10 * outputs) * (bits / 32) * (1.5 if curve == "b" else 1.0)


def factorial(*benchmarks: str) -> list[tuple[object, ...]]:
    """Every combination, six repeats."""
    return [
        (benchmark, bits, outputs, curve, "time", cost(bits, outputs, curve) * repeat, "ms/op")
        for benchmark in benchmarks
        for bits in (32, 64)
        for outputs in (1, 2, 3)
        for curve in ("a", "b")
        for repeat in (0.998, 0.999, 1.0, 1.0, 1.001, 1.002)
    ]


def answered(of: Study) -> EffectsAnswer:
    """The effects answer of a study that has one."""
    answer = analyse_effects(of)
    assert isinstance(answer, EffectsAnswer)
    return answer


def test_slopes_and_ratios_are_those_that_made_the_data(tmp_path: Path) -> None:
    """An extra output costs 10 or 20 ms, curve b half as much again."""
    answer = answered(make_table(tmp_path, HEADS, factorial("Prove"), PLAN))
    (model,) = answer.models
    found = {
        (one.slice["bits"], one.slice["curve"]): one.estimate.value
        for one in model.fit.slopes
        if one.factor == "outputs"
    }
    assert found == pytest.approx({(32, "a"): 10e-3, (32, "b"): 15e-3, (64, "a"): 20e-3, (64, "b"): 30e-3}, rel=0.01)
    (ratio,) = (one for one in model.fit.ratios if one.factor == "curve")
    assert (ratio.baseline, ratio.level) == ("a", "b")
    assert ratio.estimate.value == pytest.approx(1.5, rel=0.01)
    assert len(model.cells) == 12
    assert model.table.missing_count == 0
    assert model.evidence.rows == ("table.csv:2-73",)


def test_a_missing_combination_and_a_mixed_axis_are_named(tmp_path: Path) -> None:
    """An incomplete factorial says which cell is not there; pooling over curves that differ by half is told."""
    rows = [one for one in factorial("Prove") if one[1:4] != (64, 3, "b")]
    (model,) = answered(make_table(tmp_path, HEADS, rows, PLAN)).models
    assert model.table.missing_count == 1
    assert dict(model.table.missing[0]) == {"bits": 64, "outputs": 3, "curve": "b"}
    answer = answered(make_table(tmp_path, HEADS, factorial("Prove"), PLAN.replace(', "curve"', "")))
    assert ["curve" in caveat.message for caveat in answer.caveats if caveat.code == "residue"] == [True]


@pytest.mark.parametrize(
    ("definition", "where", "reason"),
    [
        ("", "", "the study names no factor"),
        (PLAN, "bits=32 outputs=1 curve=a", "none of bits, outputs, curve varies in the rows asked about"),
        (PLAN.replace("[effects]\n", '[effects]\nwhere = "bits=32"\n'), "bits=64", "selects no row"),
    ],
)
def test_nothing_to_explain_is_refused_in_one_line(tmp_path: Path, definition: str, where: str, reason: str) -> None:
    """No factor, none that varies, or no row."""
    answer = analyse_effects(make_table(tmp_path, HEADS, factorial("Prove"), definition, where))
    assert isinstance(answer, Refusal)
    assert reason in answer.reason
    assert answer.advice
    assert "\n" not in answer.reason + answer.advice


def test_whether_scaling_depends_on_a_factor_is_answered(tmp_path: Path) -> None:
    """Serial fractions of 5, 10 and 20 % at 32, 64 and 128 bits: told as changed, and by how much."""
    generator = np.random.default_rng(1)
    rows = [
        f"Serve,{n},{bits},throughput,{1000 * n / (1 + serial * (n - 1)) * np.exp(0.02 * draw):.3f},op/s"
        for bits, serial in ((32, 0.05), (64, 0.1), (128, 0.2))
        for n in (1, 2, 4, 8, 16, 32)
        for draw in generator.standard_normal(3)
    ]
    (tmp_path / "r.csv").write_text("\n".join(["benchmark,workers,bits,metric,value,unit", *rows]), encoding="utf-8")
    (tmp_path / "study.toml").write_text(
        '[scaling]\nconcurrency = "workers"\n[effects]\nfactors = ["bits"]\nmetrics = ["throughput"]\n'
        'by = ["benchmark", "workers"]\n',
        encoding="utf-8",
    )
    found = analyse_effects(tmp_path)
    assert isinstance(found, EffectsAnswer)
    (one,) = found.scaling
    assert (one.law, one.comparison.name, one.comparison.verdict) == ("amdahl", "serial_fraction", "changed")
    for difference, true in zip(one.comparison.differences.values(), (0.05, 0.15), strict=True):
        assert difference.value == pytest.approx(true, abs=0.006)
        assert difference.low > 0
