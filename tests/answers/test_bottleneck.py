"""Serial benchmarks held against their parallel twins."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.answers.asking import Refusal
from benchlib.answers.bottleneck import BottleneckAnswer, bottleneck_answer
from tests.shipped_studies import study
from tests.synthetic import make_study

RUN = "BenchmarkWork-{processors} 10 {time} ns/op\n"
ONE = "BenchmarkWork 10 {time} ns/op\n"


def made(folder: Path, text: str, definition: str = "") -> BottleneckAnswer | Refusal:
    """The answer of a study made for the purpose."""
    return bottleneck_answer(make_study(folder, definition, a=text))


@pytest.mark.parametrize(
    ("executor", "proof", "lost", "low", "high", "verdict"),
    [
        ("pool", "bulletproof", 0.084, 0.021, 0.142, "lost"),
        ("serial", "bulletproof", 0.066, 0.017, 0.112, "lost"),
        ("unbounded", "bulletproof", 0.083, -0.052, 0.200, "no loss shown"),
        ("pool", "csp", 0.050, 0.008, 0.090, "lost"),
        ("serial", "csp", 0.052, -0.097, 0.180, "no loss shown"),
        ("unbounded", "csp", 0.011, -0.084, 0.098, "no loss shown"),
    ],
)
def test_token_sdk_share_lost(executor: str, proof: str, lost: float, low: float, high: float, verdict: str) -> None:
    """Two workers lose 1 to 8 % of two cores, computed apart from this program from the 6 times and 3 rates."""
    answer = bottleneck_answer(study("token-sdk"))
    assert isinstance(answer, BottleneckAnswer)
    places = {(row.key["executor"], row.key["proof"], row.concurrency): row for row in answer.rows}
    found = places[executor, proof, 2]
    share = found.loss.share_lost
    assert (share.value, share.low, share.high) == pytest.approx((lost, low, high), abs=0.0006)
    assert found.verdict == verdict
    assert (found.loss.serial_time.n, found.loss.measured.n) == (6, 3)


def test_serial_results_on_one_processor_are_preferred(tmp_path: Path) -> None:
    """Beside results of -cpu 1 (no suffix) those of more processors take no part."""
    text = ONE.format(time=1000) * 3 + RUN.format(processors=4, time=300) * 3
    text += "".join(f"BenchmarkWork_Parallel-{n} 10 {time} ns/op\n" * 2 for n, time in ((2, 600), (4, 400)))
    answer = made(
        tmp_path,
        text,
        '[configuration]\nparallel = ["Work_Parallel"]\n[scaling]\nconcurrency = "gomaxprocs"\n',
    )
    assert isinstance(answer, BottleneckAnswer)
    assert [one.concurrency for one in answer.rows] == [2, 4]
    assert [one.loss.share_lost.value for one in answer.rows] == pytest.approx([1 - 1 / 1.2, 1 - 1 / 1.6])
    assert not [one for one in answer.caveats if one.code in ("serial-not-one-core", "twins-apart", "residue")]


SIZES = "BenchmarkWork/size=1 10 1000 ns/op\nBenchmarkWork/size=2 10 2000 ns/op\n"
PARALLEL = '[configuration]\nparallel = ["Work_Parallel"]\n'


@pytest.mark.parametrize(
    ("text", "definition", "reason"),
    [
        # Its name alone does not make one over time a throughput.
        (ONE.format(time=1000) + "BenchmarkWork_Parallel-2 10 600 ns/op\n", "", "not listed as parallel"),
        # With two sizes on the serial side the twin could be either.
        (
            SIZES + "BenchmarkWork_Parallel-2 10 600 ns/op\n",
            PARALLEL,
            "Work was measured at size 1, 2, and the twin's was not recorded",
        ),
    ],
)
def test_what_is_no_pair_is_refused(tmp_path: Path, text: str, definition: str, reason: str) -> None:
    answer = made(tmp_path, text, definition)
    assert isinstance(answer, Refusal)
    assert reason in answer.reason


def test_a_level_that_the_serial_side_lacks_is_told(tmp_path: Path) -> None:
    """The parallel run of another size has no twin; the one of the same size has."""
    twins = "".join(f"BenchmarkWork_Parallel/size={size}-2 10 {600 * size} ns/op\n" for size in (1, 3))
    answer = made(tmp_path, SIZES + twins, PARALLEL)
    assert isinstance(answer, BottleneckAnswer)
    assert [row.key for row in answer.rows] == [{"size": 1}]
    assert [benchmark.reason for benchmark in answer.unpaired] == ["Work was not measured at size 3"]
