"""The workflows in ``schedules/``: least rights, nothing of a pull request in a shell, commands that parse."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchlib.cli import parser
from benchlib.render.markdown import MARKER

FOLDER = Path(__file__).parents[2] / "schedules"
COMPARISON, REPORTS = "benchmark-comparison.yml", "benchmark-reports.yml"


def text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def workflow(name: str) -> dict[Any, Any]:
    read = yaml.safe_load(text(name))
    assert isinstance(read, dict)
    return read


def steps(name: str, *jobs: str) -> list[dict[str, Any]]:
    """The steps of some jobs of a workflow, or of all."""
    return [step for key, job in workflow(name)["jobs"].items() if not jobs or key in jobs for step in job["steps"]]


@pytest.mark.parametrize(
    ("name", "triggers", "rights"),
    [
        # The job that runs code of a pull request may read; the one that posts may write, and runs none of it.
        (
            COMPARISON, {"pull_request", "workflow_call"},
            {"compare": {"contents": "read"}, "comment": {"pull-requests": "write"}},
        ),
        (REPORTS, {"schedule", "push", "workflow_dispatch"}, {"report": {"contents": "read"}}),
    ],
)  # fmt: skip
def test_a_workflow_has_no_more_rights_than_it_needs(
    name: str, triggers: set[str], rights: dict[str, dict[str, str]]
) -> None:
    """None by default; no secret; shell text is sound and holds no expression: values come as environment."""
    read = workflow(name)
    assert set(read[True]) == triggers  # YAML 1.1 reads `on` as true
    assert read["permissions"] == {}
    assert {key: job["permissions"] for key, job in read["jobs"].items()} == rights
    assert "secrets." not in text(name)
    for step in steps(name):
        assert "${{" not in step.get("run", "")
        # Each action is GitHub's own, at a major tag.
        assert re.fullmatch(r"actions/[\w-]+@v\d+", step.get("uses", "actions/x@v1"))
        if "checkout" in step.get("uses", ""):
            assert step["with"]["persist-credentials"] is False
        checked = subprocess.run(["sh", "-n"], input=step.get("run", ""), text=True, capture_output=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, "")


def test_the_job_that_writes_runs_nothing_of_a_pull_request() -> None:
    """It is not for forks, checks out nothing, and alone has the token."""
    assert (
        "github.event.pull_request.head.repo.full_name == github.repository"
        in workflow(COMPARISON)["jobs"]["comment"]["if"]
    )
    posting = steps(COMPARISON, "comment")
    assert not any("checkout" in step.get("uses", "") for step in posting)
    assert not any("interleave.sh" in step.get("run", "") for step in posting)
    assert any("github.token" in str(step.get("env", "")) for step in posting)
    assert not any("github.token" in str(step.get("env", "")) for step in steps(COMPARISON, "compare"))


def test_a_comparison_informs_unless_a_gate_is_asked_for() -> None:
    """Only its last step can fail on a change, after the comment was kept."""
    assert [step["name"] for step in steps(COMPARISON) if "--fail-on" in step.get("run", "")] == ["Gate"]
    assert steps(COMPARISON, "compare")[-1]["name"] == "Gate"
    assert workflow(COMPARISON)[True]["workflow_call"]["inputs"]["fail-on"]["default"] == ""


def test_the_reports_of_a_failed_run_are_kept() -> None:
    """The artifact is uploaded right after the build, whatever its exit code."""
    *_, build, upload = steps(REPORTS)
    assert "benchlib report" in build["run"]
    assert upload["uses"].startswith("actions/upload-artifact")
    assert upload["if"] == "${{ !cancelled() }}"


@pytest.mark.parametrize("path", [COMPARISON, REPORTS, "README.md"])
def test_every_benchlib_command_parses(path: str) -> None:
    """What is shown and run is what the command line accepts."""
    lines = re.findall(r"^\s*(benchlib .*?)(?:\s*(?:2?>|\|\|).*)?$", text(path).replace("\\\n", " "), re.M)
    assert lines
    for line in lines:
        parser().parse_args(shlex.split(line)[1:])


def test_the_marker_that_is_looked_for_is_the_one_that_is_written() -> None:
    """A comment found by its first line."""
    start, _, end = MARKER.partition("{name}")
    assert f"'{start}'*'{end}'" in text(COMPARISON)
