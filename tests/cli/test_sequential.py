"""``benchlib compare --sequential``: the words, the exit codes and the files that a loop meets."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from benchlib.cli import main


def recorded(path: Path, rounds: int, slower: float, *, noise: float = 0.003, cut: bool = False) -> str:
    """Rounds of base and head in turn, each moved by 10 %; the last one may lack its second half."""
    random = np.random.default_rng(1)
    lines = []
    for place in range(rounds):
        machine = random.normal(0, 0.1)
        for side in ("base", "head") if place % 2 == 0 else ("head", "base"):
            for name, factor in (("Encode", slower), ("Decode", 1.0)):
                value = 1000 * np.exp(machine + random.normal(0, noise)) * (factor if side == "head" else 1)
                lines.append(f"commit: {side}\nBenchmark{name} 100 {value:.3f} ns/op\n")
    path.write_text("".join(lines[:-2] if cut else lines), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("rounds", "slower", "gate", "code", "said"),
    [
        (4, 1.1, "regression", 8, "Go on for about"),
        (9, 1.1, "regression", 3, "at worst Encode, time per operation: 10% more time"),
        (9, 1.1, "", 0, "Look into Encode, time per operation before you take head."),
        (9, 0.9, "regression", 0, "Stop recording."),
        (9, 0.9, "any", 3, "better, stop"),
        (9, 1.0, "any", 0, "no change beyond 2%, stop"),
    ],
)
def test_a_loop_reads_the_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rounds: int, slower: float, gate: str, code: int, said: str
) -> None:
    """0 decided, 3 the gate, 8 go on; the sides are those of interleave.sh, and need no option."""
    path = recorded(tmp_path / "results.txt", rounds, slower)
    assert main(["compare", path, "--sequential", *(["--fail-on", gate] if gate else [])]) == code
    assert said in " ".join(capsys.readouterr().out.split())


def test_a_round_that_is_not_complete_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file is read while it is written."""
    path = recorded(tmp_path / "results.txt", 7, 1.1, cut=True)
    main(["compare", path, "--sequential", "--format", "json"])
    rows = json.loads(capsys.readouterr().out)["sequential"]["rows"]
    assert {row["rounds"] for row in rows} == {6}


@pytest.mark.parametrize(("rounds", "code", "said"), [(19, 8, "Go on until 20 rounds"), (20, 0, "no rounds will do")])
def test_noise_that_asks_for_too_many_rounds_ends_the_loop(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rounds: int, code: int, said: str
) -> None:
    """A thousand rounds would not do: more of the same is no advice, once there are enough to know."""
    path = recorded(tmp_path / "results.txt", rounds, 1.0, noise=0.5)
    assert main(["compare", path, "--sequential"]) == code
    assert said in " ".join(capsys.readouterr().out.split())


def test_two_files_are_paired_in_order_and_a_table_has_every_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the word of whoever asks, files of their own were recorded in turn."""
    for side, value in (("old", 100), ("new", 120)):
        lines = [f"BenchmarkA 10 {value + place} ns/op\n" for place in range(6)]
        (tmp_path / f"{side}.txt").write_text("".join(lines))
    files = [str(tmp_path / f"{side}.txt") for side in ("old", "new")]
    assert main(["compare", *files, "--sequential"]) == 2
    assert "nothing shows that the sides were recorded in turn" in capsys.readouterr().err
    assert main(["compare", *files, "--sequential", "--interleaved", "--format", "csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["benchmark"], row["rounds"], row["verdict"], row["more"]) == ("A", "6", "worse", "0")


def test_sides_one_after_the_other_hold_no_rounds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All of base, then all of head."""
    path = tmp_path / "results.txt"
    path.write_text("".join(f"commit: {side}\n" + 6 * "BenchmarkA 10 100 ns/op\n" for side in ("base", "head")))
    assert main(["compare", str(path), "--sequential"]) == 2
    assert "nothing shows that the sides were recorded in turn" in capsys.readouterr().err
