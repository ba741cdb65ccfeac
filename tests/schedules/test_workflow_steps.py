"""The steps of the workflows that compare a pull request, as a runner runs them: git, benchlib, a ``gh`` that notes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.synthetic import around, go_text

ROOT = Path(__file__).parents[2]
WORKFLOWS = [
    yaml.safe_load((ROOT / "schedules" / f"benchmark-{name}.yml").read_text(encoding="utf-8"))
    for name in ("comparison", "comment")
]
MARKER = "<!-- benchlib compare: benchmark-comparison -->"

#: Lists the comments that are there through the filter asked for, and notes what else it is asked to do.
GH = r"""#!/bin/sh
case " $* " in
*" --jq "*)
    from=comments.json
    case " $* " in *"/pulls "*"head=$HEAD "*) from=pulls.json ;; esac
    while [ "$1" != --jq ]; do shift; done
    exec jq -r "$2" "$from" ;;
*) printf '%s\n' "$*" >> asked ;;
esac
"""


def script(name: str) -> str:
    """Return what the step of this name runs."""
    jobs = [job for workflow in WORKFLOWS for job in workflow["jobs"].values()]
    [found] = [step["run"] for job in jobs for step in job["steps"] if step.get("name") == name]
    assert isinstance(found, str)
    return found


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A runner's folder, with ``benchlib`` and ``gh`` before any other."""
    (tmp_path / "bin").mkdir()
    for name, text in (("benchlib", f'#!/bin/sh\nexec "{sys.executable}" -m benchlib "$@"\n'), ("gh", GH)):
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def run(here: Path, name: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a step in its shell: bash, which ends at the first command that fails."""
    environment = {
        **os.environ,
        "PATH": f"{here / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "NAME": WORKFLOWS[1]["env"]["NAME"],
        "GITHUB_OUTPUT": str(here / "output"),
        "GITHUB_STEP_SUMMARY": str(here / "summary.md"),
        **variables,
    }
    return subprocess.run(
        ["bash", "-e", "-c", script(name)], cwd=here, env=environment, capture_output=True, text=True, check=False
    )


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main"]
    found = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return found.stdout.strip()


def recorded(here: Path, base: Sequence[float], head: Sequence[float]) -> None:
    """Write what both sides measured, in turn."""
    rounds = [f"commit: {side}\n{go_text({'Encode': [one]})}" for pair in zip(base, head, strict=True)
              for side, one in zip(("base", "head"), pair, strict=True)]  # fmt: skip
    results(here, "\n".join(rounds))


def results(here: Path, text: str) -> None:
    """Hand over what was recorded."""
    (here / "results").mkdir()
    (here / "results/results.txt").write_text(text)


def test_the_base_is_what_the_pull_request_was_merged_into(here: Path) -> None:
    """Neither the commit that it was branched from, nor the branch as it is by now."""
    origin = here / "origin"
    origin.mkdir()
    git(origin, "init", "-q")
    for branch, file in (("main", "first"), ("change", "changed"), ("main", "second")):
        if file != "first":
            git(origin, "checkout", "-q", *(["-b"] if branch == "change" else []), branch)
        (origin / file).touch()
        git(origin, "add", ".")
        git(origin, "commit", "-q", "-m", file)
    git(origin, "checkout", "-q", "-b", "merged")
    git(origin, "merge", "-q", "--no-ff", "-m", "merge", "change")
    merged = git(origin, "rev-parse", "HEAD")
    git(origin, "checkout", "-q", "main")
    (origin / "later").touch()
    git(origin, "add", ".")
    git(origin, "commit", "-q", "-m", "later")
    # As actions/checkout does with fetch-depth: 2.
    (here / "head").mkdir()
    git(here / "head", "init", "-q")
    git(here / "head", "fetch", "-q", "--depth", "2", origin.as_uri(), "merged")
    git(here / "head", "checkout", "-q", "--detach", merged)
    found = run(here, "Put the base beside it")
    assert found.returncode == 0, found.stderr
    assert sorted(one.name for one in (here / "base").iterdir() if one.name != ".git") == ["first", "second"]
    assert sorted(one.name for one in (here / "head").iterdir() if one.name != ".git") == ["changed", "first", "second"]


def test_a_comparison_becomes_a_comment_and_a_summary(here: Path) -> None:
    """Under the marker that later runs look for; a regression ends nothing where no gate is asked for."""
    recorded(here, around(100), around(150))
    found = run(here, "Compare")
    assert found.returncode == 0, found.stderr
    told = (here / "comment.md").read_text()
    marker, answer = told.splitlines()[:2]
    assert marker == MARKER
    assert "Head instead of base: 50% more time; 6 rounds each." in answer
    assert (here / "summary.md").read_text() == told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "    benchlib: results.txt: is empty; run the benchmark again, or leave the file out\n"),
        (
            f"commit: head\n{go_text({'Encode': [1.0]})}",
            "    benchlib: no commit 'base' to be a baseline; there are head\n",
        ),
        (
            f"commit: base\n{go_text({'A`<pre>@x': [1.0]})}\ncommit: head\n{go_text({'B': [1.0]})}",
            "    benchlib: results.txt: the sides share no benchmark, metric and unit: base has A`<pre>@x (time, ",
        ),
    ],
)
def test_where_nothing_can_be_compared_the_comment_says_why(here: Path, text: str, said: str) -> None:
    """Neither red nor silent: the line of benchlib, indented, where nothing in it is markup."""
    results(here, text)
    found = run(here, "Compare")
    assert found.returncode == 0, found.stderr
    told = (here / "comment.md").read_text()
    head = f"{MARKER}\n### Benchmarks: nothing to compare\n\n"
    assert told.startswith(head)
    assert told.removeprefix(head).startswith(said)
    assert told.removeprefix(head).count("\n") == 1
    assert (here / "output").read_text() == "nothing=true\n"


@pytest.mark.parametrize(
    ("gate", "new", "code", "state"),
    [
        ("", 150, 0, ""),
        ("regression", 150, 0, "state=failure\n"),
        ("regression", 50, 0, "state=success\n"),
        ("any", 50, 0, "state=failure\n"),
        ("regression", 100, 0, "state=success\n"),
        ("regresion", 150, 2, ""),
    ],
)
def test_only_a_gate_that_is_asked_for_fails_a_pull_request(
    here: Path, gate: str, new: float, code: int, state: str
) -> None:
    """Its state is handed on; without a gate there is none, and one that is misspelt is not open."""
    recorded(here, around(100), around(new))
    found = run(here, "Gate", FAIL_ON=gate, NOTHING="")
    # What is printed may hold a name such as ::set-output::, and is a command to the runner where a line begins so.
    assert (found.returncode, found.stdout) == (code, "")
    assert ((here / "output").read_text() if (here / "output").exists() else "") == state


def test_a_gate_with_nothing_to_compare_is_open(here: Path) -> None:
    """A base without benchmarks is no fault of the head."""
    results(here, f"commit: head\n{go_text({'Encode': [1.0]})}")
    assert run(here, "Gate", FAIL_ON="regression", NOTHING="true").returncode == 0
    assert (here / "output").read_text() == "state=success\n"


def test_results_that_are_a_link_are_not_read(here: Path) -> None:
    """What the first workflow hands over may be anything."""
    (here / "results").mkdir()
    (here / "secret").write_text(go_text({"Secret": [1.0]}))
    (here / "results/results.txt").symlink_to(here / "secret")
    found = run(here, "Compare")
    assert (found.returncode, found.stderr) == (1, "results.txt is no file\n")


def posted(
    here: Path, comments: list[dict[str, Any]], marker: str = MARKER, commit: str = "c1"
) -> tuple[int, list[str]]:
    """Post a comment beside others; return exit code, and what GitHub was asked to do."""
    pulls = [{"number": 6, "head": {"sha": "c0"}}, {"number": 7, "head": {"sha": "c1"}}]
    (here / "pulls.json").write_text(json.dumps(pulls))
    (here / "comments.json").write_text(json.dumps(comments))
    (here / "comment.md").write_text(f"{marker}\n### told\n")
    found = run(
        here, "Post the comment, or put it in the place of the one before",
        GH_TOKEN="x", REPOSITORY="owner/name", HEAD="fork:$(touch ran) branch", SHA=commit,
    )  # fmt: skip
    asked = here / "asked"
    return found.returncode, asked.read_text().splitlines() if asked.exists() else []


def by(login: str, body: str, number: int) -> dict[str, Any]:
    return {"id": number, "user": {"login": login}, "body": body}


@pytest.mark.skipif(shutil.which("jq") is None, reason="no jq, whose language gh filters in")
@pytest.mark.parametrize(
    ("comments", "asked"),
    [
        ([], "--method POST repos/owner/name/issues/7/comments"),
        ([by("github-actions[bot]", f"{MARKER}\nold", 41)], "--method PATCH repos/owner/name/issues/comments/41"),
        # Others may quote the marker, or write one of their own.
        ([by("mallory", f"{MARKER}\nmine", 42)], "--method POST repos/owner/name/issues/7/comments"),
        ([by("github-actions[bot]", f"> {MARKER}", 43)], "--method POST repos/owner/name/issues/7/comments"),
        (
            [by("github-actions[bot]", "<!-- benchlib compare: other -->", 44)],
            "--method POST repos/owner/name/issues/7/comments",
        ),
        (
            [by("github-actions[bot]", f"{MARKER}\none", 45), by("github-actions[bot]", f"{MARKER}\ntwo", 46)],
            "--method PATCH repos/owner/name/issues/comments/45",
        ),
    ],
)
def test_a_comment_takes_the_place_of_the_one_before(here: Path, comments: list[dict[str, Any]], asked: str) -> None:
    """Its own, found by the marker; any other is left alone, and a new one is written."""
    assert posted(here, comments) == (0, [f"api --silent {asked} -F body=@comment.md"])


@pytest.mark.skipif(shutil.which("jq") is None, reason="no jq, whose language gh filters in")
def test_a_pull_request_that_has_moved_on_gets_no_comment(here: Path) -> None:
    """Which one it is says GitHub, by the commit that was recorded."""
    assert posted(here, [], commit="c2") == (0, [])


@pytest.mark.parametrize("marker", ["### no marker", '<!-- benchlib compare: " or true or " -->x', ""])
def test_a_file_without_a_marker_is_not_posted(here: Path, marker: str) -> None:
    """What the first job hands over is not trusted to be a comment."""
    assert posted(here, [], marker) == (1, [])
