"""Every notebook that is explored by hand runs, shows something in each cell, and keeps its charts in an export."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbclient
import nbconvert
import nbformat
import pytest
from jupyter_client.manager import start_new_kernel

from benchlib.render.cells import PLOTLY
from tests.lab.conftest import PATIENCE, ROOT
from tests.project.test_notebooks import EXPLORED, code_of

pytestmark = [
    pytest.mark.heavy,
    # What nbclient and the kernel's client say of themselves is not this project's.
    pytest.mark.filterwarnings("default::DeprecationWarning"),
    pytest.mark.filterwarnings("default::FutureWarning"),
]
#: An answer's own chart stands in its markup; a ``Chart`` is offered in several forms.
DRAWN = re.compile(r"<img\b[^>]*>")
WORDED = re.compile(r'\balt="[^"]{10,}"')


def executed(path: Path) -> Any:
    """Run a notebook from its own folder, by its own kernel, as JupyterLab does."""
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(
        notebook,
        kernel_name=notebook.metadata.kernelspec.name,
        timeout=PATIENCE,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    return notebook


@pytest.mark.parametrize("path", EXPLORED, ids=lambda path: path.stem)
def test_a_notebook_runs_and_keeps_its_charts(path: Path) -> None:
    """Each cell but the parameters shows something; the page has a picture, in words too, for each chart."""
    notebook = executed(path)
    silent = [cell.id for cell in code_of(notebook.cells) if not cell.outputs and cell.id != "parameters"]
    assert silent == []
    outputs = [output for cell in code_of(notebook.cells) for output in cell.outputs]
    assert {output.output_type for output in outputs} <= {"execute_result", "display_data", "stream"}
    assert not [output for output in outputs if output.get("name") == "stderr"]
    bundles = [output.data for output in outputs if "data" in output]
    charts = [bundle for bundle in bundles if PLOTLY in bundle]
    assert all("image/svg+xml" in chart and DRAWN.search(chart["text/html"]) for chart in charts)
    drawn = sum(len(DRAWN.findall(bundle.get("text/html", ""))) for bundle in bundles)
    assert drawn >= max(1, len(charts))
    page, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    pictures = DRAWN.findall(page)
    assert len(pictures) == drawn
    assert [picture[:80] for picture in pictures if not WORDED.search(picture)] == []


@pytest.fixture(scope="module")
def kernel() -> Iterator[Any]:
    """A kernel in which curves were fitted, as the start page does."""
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(ROOT), startup_timeout=PATIENCE)
    try:
        ready = 'import benchlib as bl\nfits = bl.fit_scaling("data/http-endpoints")\nfit = fits["json"]'
        assert client.execute_interactive(ready, timeout=PATIENCE)["content"]["status"] == "ok"
        yield client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ('fits["jsn"]', "json"),
        ('bl.read("data/http-endpionts")', "'http-endpoints'"),
        ('fit.with_law("amdal")', "amdahl"),
        ('bl.read("data/lplex").select(benchmrk="Decode")', "benchmark"),
    ],
)
def test_a_slip_is_explained_in_three_lines(kernel: Any, typed: str, said: str) -> None:
    """What was meant stands in the first of them."""
    answer = kernel.execute_interactive(typed, timeout=PATIENCE, output_hook=lambda _: None)["content"]
    assert answer["status"] == "error"
    lines = "\n".join(answer["traceback"]).splitlines()
    assert len(lines) <= 3, lines
    assert said in lines[0]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("bl.", {"read", "table", "fit_scaling", "compare", "fit_effects", "plan_capacity", "laws", "options"}),
        ('fits["', {"json", "cheap"}),
        ("fit.", {"table", "plot", "predict", "with_law", "without", "evidence"}),
    ],
)
def test_tab_offers_names(kernel: Any, typed: str, offered: set[str]) -> None:
    """Of the module, of the curves at hand, of what a fit can do; nothing private."""
    names = kernel.complete(typed, reply=True, timeout=PATIENCE)["content"]["matches"]
    words = {re.split(r"[.\[\"']+", name.rstrip("\"']"))[-1] for name in names}
    assert offered <= words, names
    assert not [word for word in words if word.startswith("_")]


def test_shift_tab_shows_the_signature_and_what_it_is_for(kernel: Any) -> None:
    """As Lab asks for it, at the name."""
    typed = "bl.fit_scaling("
    shown = kernel.inspect(typed, len(typed) - 1, reply=True, timeout=PATIENCE)["content"]["data"]["text/plain"]
    plain = re.sub(r"\x1b\[[\d;]*m", "", shown)
    assert [word for word in ("fit_scaling(", "-> ", "Parameters", "Examples") if word not in plain] == []
