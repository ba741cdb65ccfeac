"""``schedules/interleave.sh`` with a made-up ``go``: both sides in turn, in one file that benchlib reads."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import benchlib
from benchlib.answers.comparison import ComparisonAnswer

SCRIPT = Path(__file__).parents[2] / "schedules" / "interleave.sh"

#: Lists two packages of each tree, and builds binaries that print one value of one benchmark.
GO = r"""#!/bin/sh
side=$(basename "$PWD")
case "$1" in
list)
    printf 'example.org/codec %s\n' "$PWD"
    [ -e only ] && printf 'example.org/%s %s\n' "$side" "$PWD"
    exit 0 ;;
test)
    [ "$2 $3" = "-c -o" ] || exit 9
    [ -e broken ] && { echo "x.go:1:1: no" >&2; exit 1; }
    { echo '#!/bin/sh'
      echo 'case " $* " in *" -test.count=1 "*) ;; *) exit 9 ;; esac'
      echo 'number=$(cat "'"$4"'.count" 2>/dev/null || echo 0)'
      echo 'number=$((number + 1)); echo $number > "'"$4"'.count"'
      echo "printf 'goos: linux\npkg: $5\n'"
      echo "printf 'BenchmarkEncode-2 \t 100\t 1%s.$([ "$side" = head ] && echo 5 || echo 1) ns/op\n' \$number"
      echo 'echo PASS'
      [ -e failing ] && echo 'exit 1'
    } > "$4"
    chmod +x "$4" ;;
esac
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two worktrees and a ``go`` of our own before any other."""
    for name in ("base", "head", "bin", "tmp"):
        (tmp_path / name).mkdir()
    (tmp_path / "bin/go").write_text(GO)
    (tmp_path / "bin/go").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    return tmp_path


def run(here: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["sh", str(SCRIPT), *arguments]
    return subprocess.run(command, cwd=here, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


def sides(out: str) -> list[str]:
    return re.findall(r"^commit: (\w+)$", out, re.M)


def test_the_sides_take_turns_and_so_does_who_goes_first(here: Path) -> None:
    """base head, head base, base head: drift within a round favours neither."""
    found = run(here, "-n", "3", "base", "head")
    assert found.returncode == 0
    assert sides(found.stdout) == ["base", "head", "head", "base", "base", "head"]
    assert list((here / "tmp").iterdir()) == []


def test_benchlib_reads_the_output_as_recorded_in_turn(here: Path) -> None:
    """One file, two sides, all values in order, and no word of a sequential recording."""
    (here / "results.txt").write_text(run(here, "-n", "8", "base", "head").stdout)
    answer = benchlib.compare(here / "results.txt", col="commit", baseline="base")
    assert isinstance(answer, ComparisonAnswer)
    assert [one.name for one in answer.sides] == ["base", "head"]
    assert answer.order == "interleaved"
    assert "sequential-runs" not in {one.code for one in answer.caveats}
    [row] = answer.rows
    assert [round(1e9 * one, 3) for one in row.baseline_values] == [11.1, 12.1, 13.1, 14.1, 15.1, 16.1, 17.1, 18.1]
    assert [round(1e9 * one, 3) for one in row.candidate_values] == [11.5, 12.5, 13.5, 14.5, 15.5, 16.5, 17.5, 18.5]


def test_a_package_of_one_side_runs_on_that_side(here: Path) -> None:
    """A new package has nothing to be compared with; it is measured and told as missing on the other side."""
    (here / "head/only").touch()
    found = run(here, "-n", "2", "base", "head")
    assert found.returncode == 0
    assert found.stdout.count("pkg: example.org/head\n") == 2
    assert found.stdout.count("pkg: example.org/codec\n") == 4


def test_a_side_that_cannot_be_built_ends_the_run(here: Path) -> None:
    """Half a comparison is none; the compiler's words are on standard error."""
    (here / "head/broken").touch()
    found = run(here, "base", "head")
    assert (found.returncode, found.stdout) == (1, "")
    assert "x.go:1:1: no" in found.stderr
    assert "interleave: head: example.org/codec cannot be built; left out" in found.stderr
    assert list((here / "tmp").iterdir()) == []


def test_a_benchmark_that_fails_is_told_and_the_rounds_go_on(here: Path) -> None:
    """What it printed stays in the file, where benchlib finds the failure too."""
    (here / "head/failing").touch()
    found = run(here, "-n", "2", "base", "head")
    assert found.returncode == 0
    assert "interleave: head: example.org/codec failed in round 2" in found.stderr
    assert sides(found.stdout) == ["base", "head", "head", "base"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["base"], "usage: sh interleave.sh"),
        (["-n", "many", "base", "head"], "usage: sh interleave.sh"),
        (["-z", "base", "head"], "usage: sh interleave.sh"),
        (["base", "nowhere"], "interleave: nowhere is no folder; name two worktrees"),
    ],
)
def test_a_wrong_call_is_refused(here: Path, arguments: list[str], said: str) -> None:
    """Exit 2 before anything is built."""
    found = run(here, *arguments)
    assert (found.returncode, found.stdout) == (2, "")
    assert said in found.stderr


@pytest.mark.heavy
def test_real_worktrees_are_measured_in_turn(tmp_path: Path) -> None:
    """With the real go: a package in a folder of its own, its binary run in that folder."""
    if shutil.which("go") is None:
        if os.environ.get("BENCHLIB_REQUIRE_GO"):
            pytest.fail("no go, which BENCHLIB_REQUIRE_GO asks for")
        pytest.skip("no go")
    for side in ("base", "head"):
        folder = tmp_path / side / "codec"
        folder.mkdir(parents=True)
        (tmp_path / side / "go.mod").write_text("module example.org/x\n\ngo 1.21\n")
        (folder / "data.txt").write_text("x")
        (folder / "codec_test.go").write_text(
            'package codec\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc BenchmarkRead(b *testing.B) {\n'
            '\tfor i := 0; i < b.N; i++ {\n\t\tif _, err := os.ReadFile("data.txt"); err != nil {\n'
            "\t\t\tb.Fatal(err)\n\t\t}\n\t}\n}\n"
        )
    found = run(tmp_path, "-n", "2", "-t", "2x", "base", "head")
    assert found.returncode == 0, found.stderr
    assert sides(found.stdout) == ["base", "head", "head", "base"]
    assert len(re.findall(r"^BenchmarkRead.*\sns/op\s.*\sallocs/op$", found.stdout, re.M)) == 4
