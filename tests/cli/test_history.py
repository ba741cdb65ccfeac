"""``benchlib record`` and ``benchlib history``: what a shell sees of a history."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path

import numpy as np
import pytest

from benchlib.cli import main
from tests.cli.calling import printed, refused
from tests.history.test_order import Repository
from tests.synthetic import go_text

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
DATA = Path(__file__).parents[1] / "data"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with one recording of 2026-11-26."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bench.txt").write_text(go_text({"Encode": [100, 101, 99]}))
    os.utime("bench.txt", (1795608000, 1795608000))
    return tmp_path


def test_a_run_is_recorded_once_and_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With what is not known, and where the rest was taken from."""
    told = printed("record", capsys, "bench.txt", "--history", "kept", "--run", "nightly-1", "--tag", "cc=gcc-14")
    assert told == (
        f"recorded (run nightly-1): 9 rows; commit unknown, branch unknown, machine {platform.node()} of this machine, "
        "time 2026-11-25T12:00:00Z of the newest file, cc gcc-14\n"
    )
    again = printed("record", capsys, "bench.txt", "--history", "kept", "--run", "nightly-1", "--tag", "cc=gcc-14")
    assert again == "already " + told
    assert printed("history", capsys, "list", "kept").startswith("nightly-1  2026-11-25T12:00:00Z  -  -  ")
    shown = printed("history", capsys, "show", "kept", "nightly-1")
    assert "cc       gcc-14" in shown
    assert "commit   unknown" in shown


def test_git_says_what_was_measured(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The commit that is checked out, its branch and its time; what is given goes first."""
    repository = Repository(here / "repository")
    commit = repository.commit("bench.txt", go_text({"Encode": [100]}))
    path = "repository/bench.txt"
    told = printed("record", capsys, path, "--history", "kept", "--machine", "ci-7")
    assert f"commit {commit[:10]} from git, branch main from git, machine ci-7 as given" in told
    assert "time 2026-01-01T00:" in told
    assert told.endswith(":00Z of the commit\n")
    given = printed("record", capsys, path, "--history", "kept", "--commit", "4f2a1b3", "--time", "2026-02-01")
    assert "commit 4f2a1b3 as given, branch unknown" in given
    assert "time 2026-02-01T00:00:00Z as given" in given


def test_what_others_kept_is_taken_in(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line a commit of a devhub; a table with commit and time; what is there already is no second run."""
    lines = str(DATA / "devhub" / "lines.json")
    assert printed("history", capsys, "import", "kept", lines).endswith("kept: 3 of 3 runs are new\n")
    assert printed("history", capsys, "import", "kept", lines).endswith("kept: 0 of 3 runs are new\n")
    (here / "table.csv").write_text("time,commit,branch,build_ms\n" + "".join(
        f"2026.01.0{day} 3:00:00 +0100,aaa{day},main,{100 + day}\n" for day in range(1, 4)))  # fmt: skip
    assert "kept: 3 of 3 runs are new" in printed("history", capsys, "import", "kept", "table.csv")
    runs = json.loads(printed("history", capsys, "list", "kept", "--format", "json"))["runs"]
    assert [(run["facts"]["commit"][:10], run["facts"]["time"]) for run in runs] == [
        ("4f2a1b3c5d", "2025-01-02T09:19:30Z"),
        ("9b8c7d6e5f", "2025-01-03T09:19:30Z"),
        ("0a1b2c3d4e", "2025-01-04T09:19:30Z"),
        *((f"aaa{day}", f"2026-01-0{day}T02:00:00Z") for day in range(1, 4)),
    ]


@pytest.mark.parametrize(
    ("path", "where", "runs", "commits"),
    [
        ("asv-raw", "", 60, 60),
        ("otava/sample.csv", "", 10, 10),
        ("github-action-benchmark/data.js", "suite='Go Benchmark'", 279, 276),
    ],
)
def test_real_histories(
    shared_samples: Path, here: Path, capsys: pytest.CaptureFixture[str], path: str, where: str, runs: int, commits: int
) -> None:
    """The counts of their origin; all of it is read again."""
    code = main(["history", "import", "kept", str(shared_samples / "history" / path), "--where", where])
    assert (code, capsys.readouterr().err) == (0, "")
    kept = json.loads(printed("history", capsys, "list", "kept", "--format", "json"))["runs"]
    assert (len(kept), len({run["facts"]["commit"] for run in kept})) == (runs, commits)
    assert all(run["facts"]["time"] for run in kept)
    assert printed("history", capsys, "check", "kept") == f"kept: {runs} runs, 0 faults\n"


def test_a_history_is_a_study(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By its folder or by history:, in every command; by commit where each run has one."""
    for number in range(24):
        (here / "bench.txt").write_text(go_text({"Encode": [(100 + number % 3) * (1.3 if number > 11 else 1)] * 3}))
        facts = ("--commit", f"4f2a1b3c{number:02}", "--time", f"2026-01-{number + 1:02}", "--machine", "atom")
        printed("record", capsys, "bench.txt", "--history", "kept", *facts)
    for name in ("kept", "history:kept"):
        told = " ".join(printed("trend", capsys, name).split())
        assert "1 change over 24 runs" in told
        assert "since 4f2a1b3c12" in told
    assert "216 rows from 24 files" in printed("inspect", capsys, "kept")
    sides = ("--col", "commit", "--baseline", "4f2a1b3c00", "--candidate", "4f2a1b3c13")
    assert "31% more time" in " ".join(printed("compare", capsys, "history:kept", *sides).split())
    printed("history", capsys, "export", "kept", "-o", "all.csv", "--where", "commit=4f2a1b3c0[01]")
    assert (here / "all.csv").read_text().count("\n") == 19
    assert printed("history", capsys, "pack", "kept").startswith("kept: 24 runs packed, 0 files removed")


def test_a_history_among_results_switches_no_study_off(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A stranger's results must not pass over the targets that lie beside them."""
    printed("record", capsys, "bench.txt", "--history", "study")
    (here / "study" / "study.toml").write_text('[[targets]]\nmetric = "time"\nat_most = "1 ns"\n')
    for name in ("study", "history:study"):
        assert "holds a study.toml and a history, which has none; move one of them" in refused("inspect", capsys, name)


def test_lines_of_a_devhub_are_a_history(capsys: pytest.CaptureFixture[str]) -> None:
    """Of three commits nothing can be told, and that is said."""
    said = refused("trend", capsys, str(DATA / "devhub" / "lines.json"))
    assert said == "lines.json: no benchmark was recorded in 10 versions with values above 0; record more versions"


def test_branches_are_followed_one_by_one(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Main, unless another is asked for; the others are named, and are no part of the line."""
    for number in range(24):
        branch = "main" if number % 2 else "feature"
        slow = 2 if branch == "feature" else 1
        (here / "bench.txt").write_text(go_text({"Encode": [slow * (100 + number % 3)] * 3}))
        facts = ("--commit", f"4f2a1b3c{number:02}", "--time", f"2026-01-{number + 1:02}", "--branch", branch)
        printed("record", capsys, "bench.txt", "--history", "kept", *facts)
    told = " ".join(printed("trend", capsys, "kept", "--full").split())
    assert "No change over 12 runs" in told
    assert "runs of main are followed; those of feature are left out" in told
    assert "No change over 12 runs" in " ".join(printed("trend", capsys, "kept", "--branch", "feature").split())
    assert "no run is of the branch 'release'; there are feature, main" in refused(
        "trend", capsys, "kept", "--branch", "release"
    )


def test_a_history_without_branches_or_sound_rows_is_no_trend(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each in one line: what is asked for is not there."""
    facts = ("--commit", "4f2a1b3c00")
    printed("record", capsys, "bench.txt", "--history", "kept", *facts)
    assert "no run is of the branch 'x'; there are none" in refused("trend", capsys, "kept", "--branch", "x")
    (here / "failed.csv").write_text("benchmark,time_ms,errors\nEncode,5,1\nDecode,6,1\n")
    printed("record", capsys, "failed.csv", "--history", "failed", *facts)
    assert "no benchmark was recorded in 10 versions" in refused("trend", capsys, "failed")


def test_a_damaged_file_is_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With exit 2; a retracted run with its reason."""
    printed("record", capsys, "bench.txt", "--history", "kept", "--run", "a")
    printed("record", capsys, "bench.txt", "--history", "kept", "--run", "b")
    assert printed("history", capsys, "retract", "kept", "a", "--why", "the fan stood still") == "withdrawn: run a\n"
    assert printed("history", capsys, "list", "kept").endswith("  the fan stood still\n")
    (here / "kept" / "retracted" / f"{'0' * 64}.json").write_text('{"who": "a stranger"}')
    assert "withdrawn  000000000000    not said\n" in printed("history", capsys, "list", "kept")
    for file in (here / "kept" / "runs").rglob("*.parquet"):
        file.write_bytes(file.read_bytes()[:100])
    assert main(["history", "check", "kept"]) == 2
    assert capsys.readouterr().out.endswith("kept: 0 runs, 4 faults\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("history list kept", "kept: no history; make one with: benchlib record RESULTS --history kept"),
        ("history show kept", "history show: names nothing; name runs"),
        ("history check kept x", "history check: takes no 'x'; leave it out"),
        ("history export kept", "history export: no file named; add -o FILE.csv or FILE.parquet"),
        ("history pack kept --why x", "history pack: has no --why; leave it out"),
        ("record bench.txt --history .", ".: holds something that is no history; name an empty or a new folder"),
        (
            "record bench.txt --history gs://x/y",
            "'gs://' is no place of a history; name a folder, or s3://BUCKET/FOLDER",
        ),
        (
            "record bench.txt --history s3://x/y?acl=all",
            "s3 has no option 'acl'; there are endpoint_override, region, scheme",
        ),
        ("record bench.txt --history k --tag cc", "--tag 'cc' is none; write NAME=VALUE, as in compiler=gcc-14"),
        ("record bench.txt --history k --time noon", "time 'noon' is none; write it as in 2026-11-26T12:00:00Z"),
    ],
)
def test_a_slip_is_one_line_and_leaves_nothing(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: str, said: str
) -> None:
    """What was found, what is accepted; no folder is made."""
    command, *rest = arguments.split()
    assert refused(command, capsys, *rest) == said
    assert [path.name for path in here.iterdir()] == ["bench.txt"]


def test_runs_of_many_commits_have_no_one_name(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A commit or a name given for a file of three runs is a slip."""
    lines = str(DATA / "devhub" / "lines.json")
    said = refused("record", capsys, lines, "--history", "kept", "--commit", "4f2a1b3")
    assert said == "--commit: these results are 3 runs; leave it out, or narrow with --where"
    assert not (here / "kept").exists()


def test_a_history_judges_a_change(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Runs of Encode differ by 3 %, those of Decode by 0.2 %: 8 % is a change of Decode only; New has no history."""
    random = np.random.default_rng(7)

    def times(encode: float, decode: float) -> dict[str, list[float]]:
        of_run = {"Encode": encode * random.normal(1, 0.03), "Decode": decode * random.normal(1, 0.002)}
        return {name: list(middle * random.normal(1, 0.001, 6)) for name, middle in of_run.items()}

    for number in range(30):
        (here / "bench.txt").write_text(go_text(times(100, 100)))
        facts = ("--commit", f"4f2a1b3c{number:02}", "--time", f"2026-01-{number + 1:02}")
        printed("record", capsys, "bench.txt", "--history", "kept", *facts)
    steady = list(50 * random.normal(1, 0.001, 6))
    for name, slower in (("old", 1.0), ("new", 1.08)):
        own = {of: list(100 * slower * random.normal(1, 0.001, 6)) for of in ("Encode", "Decode")}
        (here / f"{name}.txt").write_text(go_text({**own, "New": steady}))

    def verdicts(*options: str) -> dict[str, tuple[str, str]]:
        told = json.loads(printed("compare", capsys, "old.txt", "new.txt", "--format", "json", *options))
        rows = [row for row in told["comparisons"][0]["rows"] if row["metric"] == "time"]
        return {row["key"]["benchmark"]: (row["verdict"], row["reason"]) for row in rows}

    assert verdicts() == {"Decode": ("worse", ""), "Encode": ("worse", ""), "New": ("same", "")}
    assert verdicts("--history", "kept") == {
        "Decode": ("worse", ""), "Encode": ("cannot tell", "within its history"), "New": ("same", ""),
    }  # fmt: skip
    page = printed("compare", capsys, "old.txt", "new.txt", "--history", "kept", "--format", "markdown")
    assert "1 row changed by no more than runs of the same code differ in the history" in page
    assert "1 row no run of the history measured: their own values decide" in page
    assert "--history kept" in page
    (here / "other.txt").write_text(go_text({"New": steady}))
    assert refused("compare", capsys, "NEW=new.txt", "OTHER=other.txt", "--history", "kept") == (
        "the history holds none of these rows, such as time of New; record them: benchlib record"
    )
    assert refused("compare", capsys, "old.txt", "new.txt", "--history", "old.txt").endswith(
        "these results are no history of versions; record every version under a column commit, or name its column: "
        "versions in [configuration]"
    )
