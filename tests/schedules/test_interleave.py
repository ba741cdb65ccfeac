"""``schedules/interleave.sh`` with a made-up ``go``: both sides in turn, in one file that benchlib reads."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchlib.answers.comparison import ComparisonAnswer, compare
from benchlib.cli import main
from benchlib.study import open_study
from tests.go_programs import built

SCRIPT = Path(__file__).parents[2] / "schedules" / "interleave.sh"

#: Lists two packages of each tree, and builds binaries that print one value of one benchmark. The slow one becomes
#: its sleep: dash drops a Ctrl-C that finds its child between vfork and exec, and then waits for all of a sleep.
GO = r"""#!/bin/sh
side=$(basename "$PWD")
case "$1" in
list)
    [ -e unlisted ] && { echo "no go.mod" >&2; exit 1; }
    [ -e empty ] || printf 'example.org/codec %s\n' "$PWD"
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
      [ -e failing-once ] && echo '[ $number -ne 2 ] || { echo "--- FAIL: BenchmarkEncode-2"; exit 1; }'
      [ -e slow ] && echo "printf 'BenchmarkSlow-2 \\t'; echo running > running; exec sleep 20"
      [ -e panicking-once ] && echo '[ $number -ne 2 ] || { printf "BenchmarkEncode-2 \\t"; exit 2; }'
      [ -e panicking ] && { echo "printf 'BenchmarkPanics-2 \\t'"; echo 'exit 2'; }
      echo true
    } > "$4"
    chmod +x "$4" ;;
esac
"""


@pytest.fixture(scope="module")
def benchstat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program itself, built before our own ``go`` stands before any other."""
    return built("golang.org/x/perf/cmd/benchstat", tmp_path_factory.mktemp("benchstat"))


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
    answer = compare(here / "results.txt", col="commit", baseline="base")
    assert isinstance(answer, ComparisonAnswer)
    assert [one.name for one in answer.sides] == ["base", "head"]
    assert answer.order == "interleaved"
    assert "sequential-runs" not in {one.code for one in answer.caveats}
    [row] = answer.rows
    assert [round(1e9 * one, 3) for one in row.baseline_values] == [11.1, 12.1, 13.1, 14.1, 15.1, 16.1, 17.1, 18.1]
    assert [round(1e9 * one, 3) for one in row.candidate_values] == [11.5, 12.5, 13.5, 14.5, 15.5, 16.5, 17.5, 18.5]


def benchlib_of_our_own(here: Path, code: str) -> None:
    """A ``benchlib`` before any other, which writes down what it was asked."""
    (here / "bin/benchlib").write_text(f'#!/bin/sh\necho "$@" >> "{here}/asked"\n{code}\n')
    (here / "bin/benchlib").chmod(0o755)


def test_it_stops_when_the_rounds_have_decided(here: Path) -> None:
    """Asked with the real command, after each round: counts that never differ and a change of 4 % in no noise."""
    benchlib_of_our_own(here, f'exec "{sys.executable}" -m benchlib "$@"')
    found = run(here, "-n", "9", "-s", "1%", "base", "head")
    assert found.returncode == 0
    assert "interleave: stopped after round" in found.stderr
    rounds = len(sides(found.stdout)) // 2
    assert 5 <= rounds < 9
    assert (here / "asked").read_text().count("--sequential --min-effect 1%") == rounds
    assert "interleave: Head changes 1 of 1 comparison" in found.stderr


@pytest.mark.parametrize(("code", "said"), [("exit 8", ""), ("exit 2", "benchlib cannot say whether to stop")])
def test_without_a_decision_all_rounds_are_recorded(here: Path, code: str, said: str) -> None:
    """More rounds are asked for, or benchlib is missing or broken: nothing is lost."""
    benchlib_of_our_own(here, code)
    found = run(here, "-n", "3", "-s", "5%", "base", "head")
    assert found.returncode == 0
    assert sides(found.stdout) == ["base", "head", "head", "base", "base", "head"]
    assert said in found.stderr
    assert "stopped" not in found.stderr


#: What is wrong with the sides -> exit code, what is said of it, and how often lines of the results come in two rounds.
SIDES: dict[str, tuple[int, str, dict[str, int]]] = {
    # A new package has nothing to be compared with: it is measured, and told as missing on the other side.
    "head/only": (0, "", {"pkg: example.org/head\n": 2, "pkg: example.org/codec\n": 4}),
    # What it printed stays in the file, where benchlib finds the failure too.
    "head/failing": (0, "head: example.org/codec failed in round 2", {"BenchmarkEncode-2": 4}),
    # Nothing to compare with is no fault of the head: its benchmarks are measured. It is the head that is asked about.
    **{
        f"base/{missing}": (0, "base: no package with tests was built", {"BenchmarkEncode-2": 2, "commit: base": base})
        for missing, base in (("empty", 0), ("unlisted", 0), ("broken", 1))
    },
    "head/unlisted": (1, "", {}),
    # Half a comparison is none; the compiler's words are on standard error.
    "head/broken": (1, "head: example.org/codec cannot be built; left out", {"[build failed]": 1, "Encode": 0}),
    # A project that has no tests has nothing to compare.
    "base/empty head/empty": (0, "", {"commit": 0, "pkg": 0}),
}


@pytest.mark.parametrize("wrong", SIDES)
def test_what_is_wrong_with_a_side_is_told_and_what_can_be_measured_is(here: Path, wrong: str) -> None:
    """Nothing is left behind."""
    code, said, counts = SIDES[wrong]
    for name in wrong.split():
        (here / name).touch()
    found = run(here, "-n", "2", "base", "head")
    assert found.returncode == code
    assert said in found.stderr
    assert "broken" not in wrong or "x.go:1:1: no" in found.stderr
    assert {line: found.stdout.count(line) for line in counts} == counts
    assert list((here / "tmp").iterdir()) == []


def test_a_benchmark_that_fails_in_one_round_is_told_and_not_lost(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its other rounds are compared, every format names where it failed, and the gate trips on it."""
    (here / "head/failing-once").touch()
    found = run(here, "-n", "6", "base", "head")
    assert found.returncode == 0
    assert found.stderr.count("failed in round") == 1
    assert "interleave: head: example.org/codec failed in round 2" in found.stderr
    results = here / "results.txt"
    results.write_text(found.stdout)
    where = f"results.txt:{1 + found.stdout.splitlines().index('--- FAIL: BenchmarkEncode-2')}"
    asked = ["compare", str(results), "--col", "commit", "--baseline", "base"]
    for form in ("text", "markdown", "html", "json"):
        assert main([*asked, "--format", form]) == 0
        out = " ".join(capsys.readouterr().out.replace("\\", "").split())
        assert where in out, form
    assert main([*asked, "--fail-on", "regression"]) == 3
    assert f"Encode failed on the candidate; the baseline has it ({where})" in capsys.readouterr().err


def test_a_benchmark_that_panics_in_one_round_trips_the_gate(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its name and the end of its package are in the file; where base panics too, the head did nothing to it."""
    (here / "head/panicking-once").touch()
    (here / "results.txt").write_text(run(here, "-n", "6", "base", "head").stdout)
    asked = ["compare", str(here / "results.txt"), "--col", "commit", "--baseline", "base", "--fail-on", "regression"]
    assert main(asked) == 3
    assert "Encode failed on the candidate; the baseline has it (results.txt:" in capsys.readouterr().err
    (here / "base/panicking-once").touch()
    (here / "results.txt").write_text(run(here, "-n", "6", "base", "head").stdout)
    main(asked)
    assert "failed on the candidate" not in capsys.readouterr().err


def test_an_interrupted_run_leaves_whole_values(here: Path) -> None:
    """Ctrl-C in the middle of a benchmark: what was measured can be read, and nothing else is left behind."""
    (here / "head/slow").touch()
    with (here / "results.txt").open("w") as out:
        started = subprocess.Popen(
            ["sh", str(SCRIPT), "-n", "3", "base", "head"],
            cwd=here, stdout=out, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, start_new_session=True,
        )  # fmt: skip
        while not (here / "head/running").exists() and started.poll() is None:
            time.sleep(0.02)
        os.killpg(started.pid, signal.SIGINT)
        _, said = started.communicate(timeout=60)
    assert started.returncode == 130
    # It was stopped, which is no failure of a benchmark.
    assert "failed" not in said
    assert list((here / "tmp").iterdir()) == []
    study = open_study(here / "results.txt")
    rows = study.results.frame
    assert rows.groupby("commit", observed=True)["value"].apply(list).to_dict() == {
        "base": [11.1e-9],
        "head": [11.5e-9],
    }
    assert [one.message for one in study.results.problems if "BenchmarkSlow" not in str(one)] == [
        "missing iteration count; line skipped"
    ]
    assert study.results.series == ()


def test_a_benchmark_that_panics_does_not_swallow_the_side_of_what_follows(here: Path) -> None:
    """Go has printed its name and no line end; the next values are still those of their side, and the file says so."""
    (here / "base/panicking").touch()
    (here / "results.txt").write_text(run(here, "-n", "2", "base", "head").stdout)
    study = open_study(here / "results.txt")
    counts = study.results.frame.groupby("commit", observed=True).size().to_dict()
    assert counts == {"base": 2, "head": 2}
    told = [str(one) for one in study.results.problems]
    assert any("missing iteration count" in one for one in told)
    lost = [(one.kind, one.name, dict(one.data)["commit"]) for one in study.results.series]
    assert lost == [("failed-benchmark", "Panics-2", "base"), ("failed-package", "example.org/codec", "base")] * 2


def test_benchstat_reads_the_output_too(benchstat: Path, here: Path) -> None:
    """Empty lines and what failed are nothing to it: each side has its values."""
    (here / "base/panicking").touch()
    (here / "results.txt").write_text(run(here, "-n", "6", "base", "head").stdout)
    command = [str(benchstat), "-format", "csv", "-col", "commit", str(here / "results.txt")]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "n=6" in found.stdout


def test_a_folder_may_be_named_like_an_option(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And one that CDPATH knows elsewhere is the one that is here."""
    (here / "base").rename(here / "-base")
    (here / "elsewhere/head").mkdir(parents=True)
    (here / "elsewhere/head/unlisted").touch()
    monkeypatch.setenv("CDPATH", str(here / "elsewhere"))
    found = run(here, "-n", "2", "--", "-base", "head")
    assert (found.returncode, sides(found.stdout)) == (0, ["base", "head", "head", "base"]), found.stderr


def test_a_folder_with_a_line_end_in_its_name_is_refused(here: Path) -> None:
    """Go builds nothing there: that is said once, before anything is built."""
    (here / "base").rename(here / "ba\nse")
    found = run(here, "-n", "2", "ba\nse", "head")
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == ("interleave: a folder has a line end in its name, where go builds nothing; name another\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["base"], "usage: sh interleave.sh"),
        (["-n", "many", "base", "head"], "usage: sh interleave.sh"),
        (["-z", "base", "head"], "usage: sh interleave.sh"),
        (["base", "nowhere"], "interleave: ./nowhere is no folder; name two worktrees"),
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
