"""JupyterLab's settings, as `make lab` starts it: jupyter reads this file, and ``c`` is its own.

The checkout is Lab's root, the start page opens first, notebooks in git stay without outputs, and a scheduled job
takes parameters as `benchlib report` does.
"""

from __future__ import annotations

import ast
import warnings
from pathlib import Path
from typing import Any

from jupyter_scheduler.exceptions import SchedulerError
from jupyter_scheduler.models import CreateJob, CreateJobDefinition
from jupyter_scheduler.scheduler import Scheduler

from benchlib.errors import BenchlibError
from benchlib.run.parameters import check_parameters, declared_parameters

NOTEBOOKS = Path(__file__).resolve().parents[1]
#: What Lab and a kernel write into a notebook that no author wrote.
LANGUAGE = {"name": "python"}
CELL_METADATA = ("collapsed", "execution", "scrolled", "trusted")


def without_outputs(model: dict[str, Any], path: str, contents_manager: Any, **_: Any) -> None:
    """Leave outputs, counters and the kernel's version out of a notebook under notebooks/, before it is saved.

    Lab saves by itself every two minutes; what was run would else stand in git.
    """
    file = Path(contents_manager.root_dir, path.strip("/")).resolve()
    if model["type"] != "notebook" or NOTEBOOKS not in file.parents:
        return
    notebook = model["content"]
    if "language_info" in notebook["metadata"]:
        notebook["metadata"]["language_info"] = LANGUAGE
    for cell in notebook["cells"]:
        for name in CELL_METADATA:
            cell["metadata"].pop(name, None)
        if cell["cell_type"] == "code":
            cell["outputs"] = []
            cell["execution_count"] = None


class CheckedScheduler(Scheduler):
    """Writes the parameters of a job as Python, checked against those that its notebook declares.

    Lab's form hands out text, and the scheduler would paste it into a cell: `data/mine` without quotes is no Python.
    """

    def create_job(self, model: CreateJob) -> str:
        """Start a job; a definition's was checked when it was made."""
        self._write_parameters(model)
        return super().create_job(model)

    def create_job_definition(self, model: CreateJobDefinition) -> str:
        """Note a job that is to run by a schedule."""
        self._write_parameters(model)
        return super().create_job_definition(model)

    def _write_parameters(self, model: CreateJob | CreateJobDefinition) -> None:
        if model.parameters:
            try:
                model.parameters = as_python(model.parameters, Path(self.root_dir, model.input_uri))
            except BenchlibError as error:
                raise SchedulerError(str(error)) from error


def as_python(given: dict[str, str], notebook: Path) -> dict[str, str]:
    """Return what was typed as Python literals of the declared types; what is one already stays."""
    declared = declared_parameters(notebook)
    kinds = {parameter.name: parameter.type for parameter in declared}
    typed = {name: _unquoted(text, kinds.get(name, "")) for name, text in given.items()}
    return {name: repr(value) for name, value in check_parameters(declared, typed, notebook=notebook.name).items()}


def _unquoted(text: str, kind: str) -> object:
    try:
        literal = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    written = "str" if kind == "date" else kind.split("[")[0]
    return literal if type(literal).__name__ == written else text


# Jupyter loads this file twice, and warns that the second hook replaces the first.
warnings.filterwarnings("ignore", message="Overriding existing pre_save_hook")

c = get_config()  # type: ignore[name-defined]  # noqa: F821
c.ServerApp.root_dir = str(NOTEBOOKS.parent)
c.LabApp.default_url = "/lab/tree/notebooks/00_start_here.ipynb"
c.ContentsManager.pre_save_hook = without_outputs
c.SchedulerApp.scheduler_class = CheckedScheduler
# A kernel takes 200 MB. One whose notebook is still open keeps its variables.
c.MappingKernelManager.cull_idle_timeout = 3600
