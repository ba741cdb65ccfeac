"""Serial benchmarks held against their parallel twins."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import benchlib
from benchlib.answers.bottleneck import BottleneckAnswer, BottleneckRow, bottleneck_answer, find_twins
from benchlib.answers.refusal import Refusal
from tests.shipped_studies import study

RUN = "BenchmarkWork-{processors} 10 {time} ns/op\n"
ONE = "BenchmarkWork 10 {time} ns/op\n"


def token_sdk() -> BottleneckAnswer:
    """The answer of the shipped study."""
    answer = bottleneck_answer(study("token-sdk"))
    assert isinstance(answer, BottleneckAnswer)
    return answer


def row_of(answer: BottleneckAnswer, executor: str, proof: str, workers: int) -> BottleneckRow:
    """One row by its place."""
    (found,) = [
        one
        for one in answer.rows
        if (one.key["executor"], one.key["proof"], one.concurrency) == (executor, proof, workers)
    ]
    return found


def made(folder: Path, files: dict[str, str], definition: str = "") -> BottleneckAnswer | Refusal:
    """The answer of a study made for the purpose."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    if definition:
        (folder / "study.toml").write_text(definition, encoding="utf-8")
    return bottleneck_answer(benchlib.open_study(folder))


def test_token_sdk_pairs_every_executor_and_proof_with_its_serial_sender() -> None:
    """Six pairs at 1 and 2 workers; the serial side is one proof on one processor, of one configuration."""
    answer = token_sdk()
    assert (answer.axis, answer.cores, len(answer.rows)) == ("workers", 2, 12)
    assert {(one.serial, one.parallel) for one in answer.rows} == {("Sender", "TestParallelBenchmarkSender")}
    for twins in find_twins(study("token-sdk")).twins:
        serial = twins.serial_rows
        assert set(serial["source"].astype(str)) == {f"transfer/transfer_{twins.key['proof']}.txt"}
        assert [set(serial[axis]) for axis in ("bits", "inputs", "outputs", "curve")] == [{32}, {2}, {2}, {"BN254"}]
        assert len(serial) == 6
        assert serial["gomaxprocs"].isna().all()


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
    found = row_of(token_sdk(), executor, proof, 2)
    share = found.loss.share_lost
    assert (share.value, share.low, share.high) == pytest.approx((lost, low, high), abs=0.0006)
    assert found.verdict == verdict
    assert (found.loss.serial_time.n, found.loss.measured.n) == (6, 3)


def test_token_sdk_one_worker_is_more_than_one_core() -> None:
    """Held against its own single worker the same run seems to lose a third: that is a caveat, not a lock."""
    answer = token_sdk()
    for executor in ("serial", "pool", "unbounded"):
        assert row_of(answer, executor, "bulletproof", 1).verdict == "more than ideal"
        own = row_of(answer, executor, "bulletproof", 2).own_loss
        assert own is not None
        assert 0.3 < own.value < 0.37
    (inside,) = [one for one in answer.caveats if one.code == "parallel-inside"]
    assert "1.37 to 1.46 times what the serial benchmark does" in inside.message


def test_token_sdk_sentence() -> None:
    """What one pair says, with its numbers and how many they rest on."""
    assert row_of(token_sdk(), "pool", "bulletproof", 2).sentence == (
        "Sender, executor pool, proof bulletproof: at workers 2 it does 80.2 op/s; one serial call takes 22.8 ms/op, "
        "so ideal is 87.5 op/s: 8.4 % lost (2.1 % to 14.2 % at 95 %, n = 6 and 3)"
    )
    assert row_of(token_sdk(), "pool", "bulletproof", 1).sentence.endswith(
        "39.2 % more (32.5 % to 46.2 % at 95 %, n = 6 and 3)"
    )


def test_token_sdk_leaves_out_what_its_plan_excludes_and_what_failed() -> None:
    """The busy matrix takes no part, and 100 % errors are no throughput; both are told."""
    answer = token_sdk()
    assert not any("matrix" in place for one in answer.rows for place in one.parallel_evidence.rows)
    reasons = {one.name: one.reason for one in answer.unpaired}
    assert reasons["TestParallelBenchmarkAuditorServiceCheck"] == "every call failed"
    assert reasons["TestParallelBenchmarkValidatorTransfer"].startswith("measured while the machine was busy")
    told = {one.code: one.message for one in answer.caveats}
    assert "TestParallelBenchmarkAuditorServiceCheck: every call failed" in told["no-twin"]
    assert "TestParallelBenchmarkSender, in part: measured while" in told["excluded-from-curve"]


def test_the_matrix_pairs_with_itself_and_is_told_as_it_is(tmp_path: Path) -> None:
    """Without the exclusion: its serial side ran on 32 processors, once a level, and is no other proof type's."""
    source = study("token-sdk").path
    for place in sorted(source.rglob("*.*")):
        kept = tmp_path / place.relative_to(source)
        kept.parent.mkdir(parents=True, exist_ok=True)
        if place.name != "study.toml":
            kept.write_bytes(place.read_bytes())
    text = (source / "study.toml").read_text(encoding="utf-8")
    before, _, rest = text.partition("[[scaling.exclude]]")
    (tmp_path / "study.toml").write_text(f"{before}[effects]{rest.partition('[effects]')[2]}", encoding="utf-8")
    answer = bottleneck_answer(benchlib.open_study(tmp_path))
    assert isinstance(answer, BottleneckAnswer)
    sender = [one for one in answer.rows if one.serial == "Sender" and one.key.get("curve") == "BLS12_381_BBS_GURVY"]
    assert len(sender) == 6
    assert {one.verdict for one in sender} == {"cannot tell"}
    assert {place.split(":")[0] for one in sender for place in one.serial_evidence.rows} == {
        "matrix/BenchmarkSender.log"
    }
    assert {one.serial for one in answer.rows} == {
        "Sender", "IssueServiceIssue", "TransferProofGeneration", "TransferServiceTransfer", "ValidatorTransfer",
        "VerificationSenderProof",
    }  # fmt: skip
    (processors,) = [one.message for one in answer.caveats if one.code == "serial-not-one-core"]
    assert "ran with GOMAXPROCS 32" in processors


def test_published_onix_adapter_has_no_interval_and_no_single_core() -> None:
    """Its serial benchmark ran on 10 processors and each level of the sweep once; the run apart from it is left out."""
    answer = bottleneck_answer(study("onix-adapter-published"))
    assert isinstance(answer, BottleneckAnswer)
    assert [one.concurrency for one in answer.rows] == [1, 2, 4, 8, 16]
    assert answer.rows[3].loss.share_lost.value == pytest.approx(0.667, abs=0.001)
    assert {one.verdict for one in answer.rows} == {"cannot tell"}
    codes = {one.code for one in answer.caveats}
    assert codes >= {"serial-not-one-core", "one-replicate", "oversubscribed", "excluded-from-curve"}


@pytest.mark.parametrize("name", ["lplex", "reference", "http-endpoints", "heavy-read-api-published"])
def test_studies_without_twins_are_refused(name: str) -> None:
    """Nothing is guessed from names that do not belong together."""
    answer = bottleneck_answer(study(name))
    assert isinstance(answer, Refusal)
    assert "no benchmark is the parallel twin of a serial one" in answer.reason


def test_serial_results_on_one_processor_are_preferred(tmp_path: Path) -> None:
    """Beside results of -cpu 1 (no suffix) those of more processors take no part."""
    text = ONE.format(time=1000) * 3 + RUN.format(processors=4, time=300) * 3
    text += "".join(f"BenchmarkWork_Parallel-{n} 10 {time} ns/op\n" * 2 for n, time in ((2, 600), (4, 400)))
    answer = made(
        tmp_path,
        {"a.txt": text},
        '[configuration]\nparallel = ["Work_Parallel"]\n[scaling]\nconcurrency = "gomaxprocs"\n',
    )
    assert isinstance(answer, BottleneckAnswer)
    assert [one.concurrency for one in answer.rows] == [2, 4]
    assert [one.loss.share_lost.value for one in answer.rows] == pytest.approx([1 - 1 / 1.2, 1 - 1 / 1.6])
    assert not [one for one in answer.caveats if one.code in ("serial-not-one-core", "twins-apart", "residue")]


def test_a_time_that_nobody_calls_parallel_is_no_throughput(tmp_path: Path) -> None:
    """Its name alone does not make one over time a throughput."""
    text = ONE.format(time=1000) + "BenchmarkWork_Parallel-2 10 600 ns/op\n"
    answer = made(tmp_path, {"a.txt": text})
    assert isinstance(answer, Refusal)
    assert "not listed as parallel" in answer.reason


def test_a_level_that_the_serial_side_lacks_is_told(tmp_path: Path) -> None:
    """The parallel run of another size has no twin; the one of the same size has."""
    text = "BenchmarkWork/size=1 10 1000 ns/op\nBenchmarkWork/size=2 10 2000 ns/op\n"
    text += "".join(f"BenchmarkWork_Parallel/size={size}-2 10 {600 * size} ns/op\n" for size in (1, 3))
    answer = made(tmp_path, {"a.txt": text}, '[configuration]\nparallel = ["Work_Parallel"]\n')
    assert isinstance(answer, BottleneckAnswer)
    assert [one.key for one in answer.rows] == [{"size": 1}]
    assert [one.reason for one in answer.unpaired] == ["Work was not measured at size 3"]


def test_a_level_that_was_not_recorded_is_not_guessed(tmp_path: Path) -> None:
    """With two sizes on the serial side the twin could be either."""
    text = "BenchmarkWork/size=1 10 1000 ns/op\nBenchmarkWork/size=2 10 2000 ns/op\n"
    text += "BenchmarkWork_Parallel-2 10 600 ns/op\n"
    answer = made(tmp_path, {"a.txt": text}, '[configuration]\nparallel = ["Work_Parallel"]\n')
    assert isinstance(answer, Refusal)
    assert "Work was measured at size 1, 2, and the twin's was not recorded" in answer.reason


def test_the_answer_is_plain_data() -> None:
    """It goes into JSON, and its rows into a table."""
    text = json.dumps(benchlib.to_dict(token_sdk()), allow_nan=False)
    assert json.loads(text)["rows"][0]["loss"]["share_lost"]["unit"] == "ratio"
    frame = benchlib.to_frame(token_sdk())
    assert len(frame) == 12
    assert not math.isnan(frame["loss.share_lost.value"].iloc[0])
