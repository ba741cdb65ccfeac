"""Commits in the order of a repository, those too that were rebased or squashed on their way into it."""

from __future__ import annotations

import os
import subprocess
import tracemalloc
from pathlib import Path

import pytest

from benchlib.answers.trend import TrendAnswer, trend
from benchlib.errors import InputError
from benchlib.history import Facts, History
from benchlib.history.order import checkout, first_parent_line
from benchlib.study import open_study
from tests.history.test_store import results

pytest.importorskip("pyarrow", reason="pyarrow is not installed")


class Repository:
    """A git repository whose commits are a minute apart."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._minutes = folder, 0
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch", "main")

    def git(self, *arguments: str) -> str:
        self._minutes += 1
        when = f"2026-01-01T00:{self._minutes:02}:00Z"
        who = {f"GIT_{role}_{what}": "a@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        environment = {**os.environ, **who, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self, file: str, text: str = "") -> str:
        """Write a file, commit it, and return the commit."""
        (self.folder / file).write_text(text or file)
        self.git("add", file)
        self.git("commit", "--quiet", "-m", file)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def test_commits_lie_where_they_landed(repository: Repository) -> None:
    """A merge is one step; a squashed commit has a tree on the line, a rebased one a patch; one is nowhere."""
    first = repository.commit("a")
    repository.git("switch", "--quiet", "-c", "squashed")
    repository.commit("b")
    squashed = repository.commit("c")
    repository.git("switch", "--quiet", "main")
    repository.git("merge", "--quiet", "--squash", "squashed")
    repository.git("commit", "--quiet", "-m", "b and c")
    landed = repository.git("rev-parse", "HEAD")
    repository.git("switch", "--quiet", "-c", "rebased", first)
    rebased = repository.commit("d")
    repository.git("switch", "--quiet", "main")
    repository.git("cherry-pick", rebased)
    picked = repository.git("rev-parse", "HEAD")
    repository.git("switch", "--quiet", "-c", "lost", first)
    lost = repository.commit("e")
    repository.git("switch", "--quiet", "main")

    line = first_parent_line(str(repository.folder), [rebased, first[:10], squashed, lost, "feedbeef01", "no hash"])
    assert line.places == {first[:10]: 0, squashed: 1, rebased: 2}
    assert line.matched == {squashed: landed, rebased: picked}
    assert line.missing == (lost, "feedbeef01", "no hash")


def test_a_history_goes_by_the_line_and_not_by_the_clock(repository: Repository, tmp_path: Path) -> None:
    """The clock of one machine was wrong; a commit that is not on the line goes by its time."""
    commits = [repository.commit(str(number)) for number in range(12)]
    kept = History(str(tmp_path / "kept"), make=True)
    for number, commit in enumerate(commits):
        kept.record(results(number), Facts(commit=commit, time=f"2026-02-{28 - number:02}"))
    kept.record(results(50), Facts(commit="feedbeef01", time="2026-02-20T12:00:00Z"))
    study = open_study(str(tmp_path / "kept"))
    by_time, by_line = trend(study), trend(study, repo=str(repository.folder))
    assert isinstance(by_time, TrendAnswer)
    assert isinstance(by_line, TrendAnswer)
    assert by_time.runs == (*reversed(commits[8:]), "feedbeef01", *reversed(commits[:8]))
    assert by_line.runs == (*commits[:9], "feedbeef01", *commits[9:])
    assert [caveat.message for caveat in by_line.caveats] == ["feedbeef01: not on the line of commits, placed by time"]


@pytest.mark.parametrize("commits", [["feedbeef01"], ["--output=x"]])
def test_a_repository_of_other_commits_is_refused(repository: Repository, commits: list[str]) -> None:
    """Nor does a commit become an option of git."""
    repository.commit("a")
    with pytest.raises(InputError, match="has none of the commits, such as"):
        first_parent_line(str(repository.folder), commits)
    assert sorted(path.name for path in repository.folder.iterdir()) == [".git", "a"]


def test_a_repository_runs_nothing_of_its_own(repository: Repository) -> None:
    """Not its hooks, its monitor, its pager, nor its programs of difference."""
    commit = repository.commit("a.txt")
    trap = repository.folder / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {repository.folder}/sprung\ncat\n")
    trap.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "diff.external",
        "core.pager",
        "diff.a.textconv",
        "diff.a.command",
        "core.sshCommand",
    ):
        repository.git("config", key, str(trap))
    (repository.folder / ".gitattributes").write_text("*.txt diff=a\n")
    repository.git("switch", "--quiet", "-c", "side")
    (repository.folder / ".git" / "hooks").mkdir(exist_ok=True)
    (repository.folder / ".git" / "hooks" / "post-checkout").symlink_to(trap)
    (repository.folder / "sprung").unlink(missing_ok=True)
    assert first_parent_line(str(repository.folder), [commit]).places == {commit: 0}
    side = repository.git("commit-tree", f"{commit}^{{tree}}", "-m", "other")
    first_parent_line(str(repository.folder), [commit, side])
    said = checkout(str(repository.folder))
    assert said is not None
    assert (said.commit, said.branch) == (commit, "side")
    assert not (repository.folder / "sprung").exists()


def test_a_submodule_runs_nothing_of_its_own(repository: Repository, tmp_path: Path) -> None:
    """Where a repository asks for the patches of its submodules, those have programs too; nor has it a format."""
    inner = Repository(repository.folder / "inner")
    old = inner.commit("a.txt")
    inner.commit("a.txt", "other")
    repository.git("add", "inner")
    first = repository.commit("b")
    inner.git("checkout", "--quiet", old)
    repository.git("add", "inner")
    repository.commit("c")
    repository.git("switch", "--quiet", "-c", "side", first)
    repository.git("add", "inner")
    side = repository.commit("d")
    repository.git("switch", "--quiet", "main")
    repository.git("config", "diff.submodule", "diff")
    repository.git("config", "format.pretty", f"format:commit {'1' * 40}%n")
    inner.git("config", "diff.a.command", f"touch {tmp_path}/sprung")
    (inner.folder / ".git" / "info" / "attributes").write_text("* diff=a\n")
    assert first_parent_line(str(repository.folder), [first, side]).missing == (side,)
    assert not (tmp_path / "sprung").exists()


def test_patches_of_any_size_are_not_held(repository: Repository) -> None:
    """A line of a hundred million letters takes a few kilobytes of a repository."""
    first = repository.commit("a")
    repository.commit("b", "x" * 100_000_000)
    repository.git("switch", "--quiet", "-c", "side", first)
    side = repository.commit("c")
    repository.git("switch", "--quiet", "main")
    tracemalloc.start()
    assert first_parent_line(str(repository.folder), [first, side]).missing == (side,)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_a_branch_that_points_at_a_tag_is_its_commit(repository: Repository) -> None:
    """What a stranger's folder holds is not told by a traceback."""
    commit = repository.commit("a")
    repository.git("tag", "-a", "-m", "more than two words", "t")
    (repository.folder / ".git" / "refs" / "heads" / "main").write_text(repository.git("rev-parse", "t") + "\n")
    said = checkout(str(repository.folder))
    assert said is not None
    assert said.commit == commit


def test_no_repository_is_no_checkout(tmp_path: Path) -> None:
    """And an error where its order is asked for."""
    assert checkout(str(tmp_path)) is None
    with pytest.raises(InputError, match="no repository that git reads"):
        first_parent_line(str(tmp_path), ["4f2a1b3c5d"])
