"""``schedules/benchmark-comparison.yml``: least rights, nothing of a pull request in a shell, commands that parse."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchlib.cli import parser
from benchlib.cli.compare_text import MARKER

FOLDER = Path(__file__).parents[2] / "schedules"
TEXT = (FOLDER / "benchmark-comparison.yml").read_text(encoding="utf-8")


def workflow() -> dict[Any, Any]:
    found = yaml.safe_load(TEXT)
    assert isinstance(found, dict)
    return found


def steps() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, job in workflow()["jobs"].items():
        for step in job["steps"]:
            yield name, step


def test_code_of_a_pull_request_runs_without_rights() -> None:
    """No right by default; the job that runs it may read; only the one that posts may write, and checks out nothing."""
    found = workflow()
    assert found["permissions"] == {}
    assert found["jobs"]["compare"]["permissions"] == {"contents": "read"}
    assert found["jobs"]["comment"]["permissions"] == {"pull-requests": "write"}
    used = [step.get("uses", "") for name, step in steps() if name == "comment"]
    assert not any("checkout" in one for one in used)
    assert "interleave.sh" not in " ".join(step.get("run", "") for name, step in steps() if name == "comment")


def test_forks_are_safe() -> None:
    """Their code never runs with the rights of the base, and the job that writes is not for them."""
    triggers = workflow()[True]  # YAML 1.1 reads `on` as true
    assert set(triggers) == {"pull_request", "workflow_call"}
    assert "github.event.pull_request.head.repo.full_name == github.repository" in workflow()["jobs"]["comment"]["if"]
    for _, step in steps():
        if "checkout" in step.get("uses", ""):
            assert step["with"]["persist-credentials"] is False


def test_no_word_of_a_pull_request_reaches_a_shell() -> None:
    """Shell text holds no expression: values come through the environment, as data."""
    assert [step["run"] for _, step in steps() if "${{" in step.get("run", "")] == []


def test_no_secret_is_named_but_the_token_of_the_run() -> None:
    """And that only where the comment is posted."""
    assert "secrets." not in TEXT
    assert [name for name, step in steps() if "github.token" in str(step.get("env", ""))] == ["comment"]


def test_actions_are_pinned_by_their_major_version() -> None:
    """Each action is GitHub's own, at a major tag."""
    used = [step["uses"] for _, step in steps() if "uses" in step]
    assert used
    assert [one for one in used if not re.fullmatch(r"actions/[\w-]+@v\d+", one)] == []


def test_it_informs_unless_a_gate_is_asked_for() -> None:
    """Only the last step of the comparison can fail on a change, after the comment was kept."""
    gated = [step for _, step in steps() if "--fail-on" in step.get("run", "")]
    assert [one["name"] for one in gated] == ["Gate"]
    names = [step.get("name", step.get("uses", "")) for name, step in steps() if name == "compare"]
    assert names[-1] == "Gate"
    assert workflow()[True]["workflow_call"]["inputs"]["fail-on"]["default"] == ""


@pytest.mark.parametrize("path", ["benchmark-comparison.yml", "README.md"])
def test_every_benchlib_command_parses(path: str) -> None:
    """What is shown and run is what the command line accepts."""
    text = (FOLDER / path).read_text(encoding="utf-8").replace("\\\n", " ")
    found = re.findall(r"^\s*(benchlib .*?)(?:\s*(?:2?>|\|\|).*)?$", text, re.M)
    assert found
    for line in found:
        parser().parse_args(shlex.split(line)[1:])


def test_the_marker_that_is_looked_for_is_the_one_that_is_written() -> None:
    """A comment found by its first line."""
    start, _, end = MARKER.partition("{name}")
    assert f"'{start}'*'{end}'" in TEXT
