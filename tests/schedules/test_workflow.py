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
COMPARISON, COMMENT, REPORTS = "benchmark-comparison.yml", "benchmark-comment.yml", "benchmark-reports.yml"
#: An action of GitHub's own, pinned by a commit, with its release behind it.
PINNED = re.compile(r"uses: actions/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


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
        # What runs code of a pull request may read the repository; what reads its results may read the run besides;
        # what writes runs neither the code of a pull request nor anything on its results.
        (COMPARISON, {"pull_request"}, {"record": {"contents": "read"}}),
        (
            COMMENT, {"workflow_run"},
            {
                "compare": {"actions": "read", "contents": "read"},
                "comment": {"pull-requests": "write", "statuses": "write"},
            },
        ),
        (REPORTS, {"schedule", "push", "workflow_dispatch"}, {"report": {"contents": "read"}}),
    ],
)  # fmt: skip
def test_a_workflow_has_no_more_rights_than_it_needs(
    name: str, triggers: set[str], rights: dict[str, dict[str, str]]
) -> None:
    """None by default; no secret; shell text is sound and holds no expression: values come as environment."""
    read = workflow(name)
    on = read[True]  # as YAML 1.1 reads `on`
    assert ({on} if isinstance(on, str) else set(on)) == triggers
    assert read["permissions"] == {}
    assert {key: job["permissions"] for key, job in read["jobs"].items()} == rights
    assert "secrets." not in text(name)
    for step in steps(name):
        assert "${{" not in step.get("run", "")
        if "checkout" in step.get("uses", ""):
            assert step["with"]["persist-credentials"] is False
        checked = subprocess.run(["sh", "-n"], input=step.get("run", ""), text=True, capture_output=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("name", [COMPARISON, COMMENT, REPORTS])
def test_what_runs_is_pinned(name: str) -> None:
    """Actions by a commit, benchlib and what it needs by hashes; a tag or a name on an index may become another's."""
    used = re.findall(r"\buses: .*", text(name))
    assert used
    assert [line for line in used if not PINNED.fullmatch(line)] == []
    installs = re.findall(r"pip install .*", text(name))
    assert all("--no-deps --require-hashes -r .github/benchlib/requirements.txt" in line for line in installs)
    assert bool(installs) == (name != COMPARISON)


def test_nothing_of_a_pull_request_runs_beside_the_right_to_write() -> None:
    """The second workflow checks out the default branch alone; the job that writes has neither that nor benchlib."""
    read = workflow(COMMENT)
    assert read[True]["workflow_run"]["workflows"] == [workflow(COMPARISON)["name"]]
    [checkout] = [step for step in steps(COMMENT) if "checkout" in step.get("uses", "")]
    assert set(checkout["with"]) == {"sparse-checkout", "persist-credentials"}
    assert checkout in steps(COMMENT, "compare")
    assert not any(word in step.get("run", "") for step in steps(COMMENT, "comment") for word in ("results.txt", "pip"))
    assert not any("github.token" in str(step.get("env", "")) for step in steps(COMMENT, "compare"))
    assert "github.token" not in text(COMPARISON)


def test_a_comparison_informs_unless_a_gate_is_asked_for() -> None:
    """Its last step tells a change, after the comment was posted."""
    assert [step["name"] for step in steps(COMMENT) if "--fail-on" in step.get("run", "")] == ["Gate"]
    assert steps(COMMENT, "comment")[-1]["name"] == "Tell the gate"
    assert steps(COMMENT, "comment")[-1]["if"] == "needs.compare.outputs.state != ''"


def test_the_reports_of_a_failed_run_are_kept() -> None:
    """The artifact is uploaded right after the build, whatever its exit code."""
    *_, build, upload = steps(REPORTS)
    assert "benchlib report" in build["run"]
    assert upload["uses"].startswith("actions/upload-artifact")
    assert upload["if"] == "${{ !cancelled() }}"


@pytest.mark.parametrize("path", [COMMENT, REPORTS, "README.md"])
def test_every_benchlib_command_parses(path: str) -> None:
    """What is shown and run is what the command line accepts."""
    lines = re.findall(r"^\s*(benchlib .*?)(?:\s*(?:2?>|\|\|).*)?$", text(path).replace("\\\n", " "), re.M)
    assert lines
    for line in lines:
        parser().parse_args(shlex.split(line)[1:])


def test_the_marker_that_is_looked_for_is_the_one_that_is_written() -> None:
    """A comment found by its first line."""
    start, _, end = MARKER.partition("{name}")
    assert f"'{start}'*'{end}'" in text(COMMENT)
