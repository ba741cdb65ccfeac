"""Every notebook runs: by plain papermill, by ``benchlib report``, and by a kernel as JupyterLab starts it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import papermill
import pytest

from benchlib.errors import BenchlibError
from benchlib.render.cells import answers_in as extract_answers
from tests.run.shipped import shipped_report

ROOT = Path(__file__).parents[2]
#: The study that stands in the parameters cell of each notebook.
STUDIES = {"comparison": "lplex", "effects": "token-sdk", "trend": "history"}
STUDY = "onix-adapter-published"
NOTEBOOKS = sorted((ROOT / "notebooks" / "reports").glob("*.ipynb"))

#: Seconds that a kernel on a busy machine may take to answer.
PATIENCE = 120

#: What papermill, nbclient and the kernel's client say of themselves is not this project's.
pytestmark = [
    pytest.mark.filterwarnings("default::DeprecationWarning"),
    pytest.mark.filterwarnings("default::FutureWarning"),
]


@pytest.fixture(autouse=True)
def _fresh_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No start-up file or kernel of this machine's user takes part."""
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))


def told(answers: Any) -> str:
    """Return answers as text, without the name under which the study was given."""
    plain = json.loads(json.dumps(answers))
    if isinstance(plain["answers"], dict):
        plain["answers"].pop("parameters", None)
    return json.dumps(plain, sort_keys=True, indent=1)


def reported(notebook: Path, study: str) -> str:
    """What ``benchlib report --notebook`` answers on a study."""
    return told(json.loads(shipped_report(study, notebook.stem).answers.read_text(encoding="utf-8")))


def test_the_notebooks_are_among_them() -> None:
    """An empty folder would pass every test below."""
    shipped = {"executive_summary", "comparison", "scaling", "effects", "capacity", "capacity_deck", "trend"}
    assert shipped <= {one.stem for one in NOTEBOOKS}


@pytest.mark.parametrize("name", ["executive_summary", "capacity_deck"])
def test_plain_papermill_gives_the_same_answers(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``papermill notebooks/X.ipynb out.ipynb -p study data/...`` from the project's folder.

    What papermill finds in the other notebooks is tried in tests/project; they run by hand below.
    """
    monkeypatch.chdir(ROOT)
    notebook = ROOT / "notebooks" / "reports" / f"{name}.ipynb"
    papermill.execute_notebook(
        str(notebook), str(tmp_path / "out.ipynb"), parameters={"study": f"data/{STUDY}"}, progress_bar=False
    )
    executed = nbformat.read(tmp_path / "out.ipynb", as_version=4)
    assert not [one for cell in executed.cells for one in cell.get("outputs", []) if one.output_type == "error"]
    assert told(extract_answers(executed)) == reported(notebook, STUDY)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_by_hand_it_runs_from_its_own_folder(notebook: Path) -> None:
    """As JupyterLab does: its own kernel, working directory notebooks/, parameters as they stand in the cell."""
    opened = nbformat.read(notebook, as_version=4)
    client = nbclient.NotebookClient(
        opened,
        kernel_name=opened.metadata.kernelspec.name,
        timeout=PATIENCE,
        resources={"metadata": {"path": str(notebook.parent)}},
    )
    client.execute()
    assert told(extract_answers(opened)) == reported(notebook, STUDIES.get(notebook.stem, STUDY))
    shown = [one for cell in opened.cells for one in cell.get("outputs", [])]
    assert [one for one in shown if "text/html" in one.get("data", {})]
    charts = [one for one in shown if "application/vnd.plotly.v1+json" in one.get("data", {})]
    assert bool(charts) is (notebook.stem != "capacity_deck")  # whose slides are listed, and drawn in its files
    assert not [one for one in shown if one.output_type == "stream"], "a notebook that prints has said too much"


#: A page where there is something to answer, and where there is nothing: notebook, studies.
ANSWERED = [
    ("trend", ("history",), "lplex"),
    ("scaling", ("reference", "http-endpoints", "token-sdk"), "lplex"),
    ("effects", ("token-sdk", "lplex"), "reference"),
    ("comparison", ("lplex", "heavy-read-api-published"), "reference"),
    ("capacity", ("http-endpoints", "onix-adapter-published"), None),
]
PAGES = [
    (notebook, study, refused)
    for notebook, answered, unanswered in ANSWERED
    for study, refused in [*((one, False) for one in answered), *([(unanswered, True)] if unanswered else [])]
]


@pytest.mark.parametrize(("notebook", "study", "refused"), PAGES)
def test_a_notebook_answers_or_says_why_not(notebook: str, study: str, refused: bool) -> None:
    """A page, an answer in words, and figures exactly where there is something to draw; a refusal is a page too."""
    built = shipped_report(study, notebook)
    answer = json.loads(built.answers.read_text(encoding="utf-8"))["answers"]
    assert (not answer or (isinstance(answer, dict) and answer["type"] == "Refusal")) is refused
    assert built.verdict.startswith("No answer: ") is refused
    assert not refused or built.status == "Cannot tell"
    assert (' class="plot"' in built.page.read_text(encoding="utf-8")) is not refused


def test_a_capacity_plan_without_a_target_is_refused() -> None:
    """There is nothing to plan for."""
    with pytest.raises(BenchlibError, match="no target"):
        shipped_report("reference", "capacity")
