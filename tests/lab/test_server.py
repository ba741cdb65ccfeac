"""What `make lab` starts: the start page first, notebooks that stay clean in git, jobs with checked parameters."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.lab.conftest import PATIENCE, ROOT, Server, git

#: The notebook of the jobs: its parameters are a text, a number and more.
SCALING = Path("notebooks/reports/scaling.ipynb")
OUTPUT = {"output_type": "stream", "name": "stdout", "text": "as it was run"}


def test_the_start_page_opens_first_and_the_token_is_asked_for(server: Server) -> None:
    """The checkout is the root, so that data and docs can be seen beside the notebooks."""
    opened = urllib.request.Request(server.address, headers={"Authorization": "token only-for-this-test"})
    with urllib.request.urlopen(opened, timeout=PATIENCE) as page:
        assert page.url.endswith("/lab/tree/notebooks/00_start_here.ipynb")
        assert b"<title>JupyterLab" in page.read()
    assert {entry["name"] for entry in server.ask("api/contents")["content"]} >= {"notebooks"}
    kernel = server.ask(f"api/contents/{SCALING}")["content"]["metadata"]["kernelspec"]["name"]
    assert kernel in server.ask("api/kernelspecs")["kernelspecs"]
    with pytest.raises(urllib.error.HTTPError, match="403"):
        server.ask(f"api/contents/{SCALING}", token="")


def test_no_question_stands_over_the_first_chart(server: Server) -> None:
    """Lab would ask whether to fetch news, and could only do so from the network."""
    settings = server.ask("lab/api/settings/@jupyterlab/apputils-extension:notification")["schema"]["properties"]
    assert (settings["fetchNews"]["default"], settings["checkForUpdates"]["default"]) == ("false", False)


def as_run(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook as Lab saves it after its cells ran."""
    for cell in notebook["cells"]:
        cell["metadata"] |= {"trusted": True}
        if cell["cell_type"] == "code":
            cell |= {"outputs": [OUTPUT], "execution_count": 7}
            cell["metadata"] |= {"execution": {"iopub.status.busy": "2026-11-25T22:00:00Z"}}
    notebook["metadata"]["language_info"] = {"name": "python", "version": "3.13.1", "file_extension": ".py"}
    return notebook


def save(server: Server, path: Path | str, notebook: dict[str, Any]) -> str:
    """Save a notebook as Lab does, and return what stands in its file."""
    body = {"type": "notebook", "format": "json", "content": notebook}
    server.ask(f"api/contents/{path}", method="PUT", body=body)
    return (server.root / path).read_text(encoding="utf-8")


def test_every_notebook_in_git_is_the_same_file_after_it_ran_and_was_saved(server: Server) -> None:
    """Byte for byte, so that git has nothing to say; an edit is saved."""
    names = git(server.root, "ls-files", "notebooks/*.ipynb").splitlines()
    assert len(names) > 15
    for name in names:
        before = (ROOT / name).read_text(encoding="utf-8")
        notebook = as_run(server.ask(f"api/contents/{name}")["content"])
        assert save(server, name, notebook) == before, name
        title, notebook["cells"][0]["source"] = notebook["cells"][0]["source"], "# Another title"
        assert "# Another title" in save(server, name, notebook), "an edit is saved"
        notebook["cells"][0]["source"] = title
        assert save(server, name, notebook) == before, name


def test_a_notebook_of_ones_own_keeps_its_outputs(server: Server) -> None:
    """Only what is in git is kept without them."""
    (server.root / "work").mkdir(exist_ok=True)
    notebook = as_run(server.ask(f"api/contents/{SCALING}")["content"])
    assert OUTPUT["text"] in save(server, "work/mine.ipynb", notebook)


def submit(server: Server, **parameters: str) -> str:
    """Submit a notebook as Lab's form does, with parameters as they were typed, and return the job's id."""
    environment = server.ask("scheduler/runtime_environments")[0]["name"]
    body = {
        "input_uri": str(SCALING), "name": "nightly", "runtime_environment_name": environment,
        "output_formats": ["ipynb", "html"], "parameters": parameters,
    }  # fmt: skip
    return str(server.ask("scheduler/jobs", method="POST", body=body)["job_id"])


@pytest.mark.parametrize(
    ("parameters", "said"),
    [({"lawz": "usl"}, "did you mean 'law'?"), ({"confidence_level": "high"}, "a finite number such as 0.95")],
)
def test_a_job_with_a_mistake_is_refused_in_the_form(server: Server, parameters: dict[str, str], said: str) -> None:
    """Before it runs, with the words of `benchlib report`."""
    with pytest.raises(urllib.error.HTTPError) as refused:
        submit(server, **parameters)
    assert said in json.loads(refused.value.read())["message"]


@pytest.mark.heavy
def test_a_job_runs_with_what_was_typed(server: Server) -> None:
    """Text needs no quotes, and may have them; the HTML has a picture for each chart."""
    job = submit(server, study="data/http-endpoints", confidence_level="0.9", law="'usl'")
    until = time.monotonic() + PATIENCE
    while (ended := server.ask(f"scheduler/jobs/{job}"))["status"] not in ("COMPLETED", "FAILED"):
        assert time.monotonic() < until
        time.sleep(1)
    assert ended["status"] == "COMPLETED", ended.get("status_message")
    server.ask(f"scheduler/jobs/{job}/download_files")
    folder = server.root / f"jobs/scaling-{job}"
    while not list(folder.glob("*.html")):
        assert time.monotonic() < until
        time.sleep(0.2)
    executed = nbformat.read(next(folder.glob("scaling-*.ipynb")), as_version=4)
    [injected] = [cell for cell in executed.cells if "injected-parameters" in cell.metadata.get("tags", [])]
    assert injected.source.splitlines() == ["study = 'data/http-endpoints'", "confidence_level = 0.9", "law = 'usl'"]
    outputs = [output for cell in executed.cells for output in cell.get("outputs", [])]
    drawn = [output for output in outputs if "image/svg+xml" in output.get("data", {})]
    page = next(folder.glob("scaling-*.html")).read_text(encoding="utf-8")
    assert drawn
    assert len(re.findall(r'<img alt="[^"]+"\s+src="data:image/svg', page)) == len(drawn)


@pytest.mark.parametrize(("user", "expected"), [("0", ["--allow-root", "127.0.0.1"]), ("1000", [])])
def test_lab_starts_for_root_and_for_others(user: str, expected: list[str], tmp_path: Path) -> None:
    """Root is let in, on this machine alone, and told so; further options are Lab's."""
    stub = tmp_path / "id"
    stub.write_text(f"#!/bin/sh\necho {user}\n")
    stub.chmod(0o755)
    shown = subprocess.run(
        ["make", "--dry-run", "--old-file=.venv/installed-lab", "lab", "LAB=--port 9000"],
        cwd=ROOT, capture_output=True, text=True, check=True,
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
    ).stdout  # fmt: skip
    [command] = [line for line in shown.splitlines() if "jupyter lab" in line and "echo" not in line]
    assert [word for word in command.split() if word in ("--allow-root", "127.0.0.1")] == expected
    assert command.endswith("--port 9000")
    assert ("as root" in shown) is bool(expected)
