"""Run a notebook through papermill, strictly.

Strict means that a cell that fails, stops early (``sys.exit(0)``) or was never reached is an error,
where plain papermill may end well. Cells run in this interpreter, whatever a user has registered
under "python3": in a worker forked from this process where that is safe, else in a kernel.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, cast

from benchlib.errors import BenchlibError, InputError, KernelDied, NotebookError, NotebookTimeout, StudyError, printable
from benchlib.files import scratch, write_text
from benchlib.gc_pause import gc_pause
from benchlib.imports import single_threaded, without_iri_grammars
from benchlib.run.worker import _LOG, KERNEL, WORKER, NeedsKernel, Worker, can_fork

if TYPE_CHECKING:
    from nbformat import NotebookNode

#: ``nbclient`` runs cells in a kernel; ``auto`` in a worker where that is safe.
_Engine = Literal["auto", "nbclient"]

#: What cells that use benchlib import sooner or later.
_SOON = ("benchlib.answers.executive", "benchlib.tell.executive")

#: What papermill and nbclient note of a run: clocks, and paths of this machine.
_CELL_TRACES = ("papermill", "execution", "ExecuteTime")

#: The file that a cell's code pretends to come from, named for the kernel's number; warnings quote it. It is looked for
#: from the start of a word only: from each letter of megabytes on one line it would never end.
_CELL_FILE = re.compile(r"(?<![^\s'\"])[^\s'\"]*/ipykernel_[0-9]+/[0-9]+\.py")

#: How Python says that it has no more memory: its own error, and numpy's.
_OUT_OF_MEMORY = ("MemoryError", "_ArrayMemoryError")


def execute_notebook(
    notebook: str | Path,
    output: str | Path,
    parameters: Mapping[str, object],
    *,
    engine: _Engine = "auto",
    timeout: float | None = None,
    memory: int | None = None,
    worker: Worker | None = None,
) -> NotebookNode:
    """Execute a notebook with parameters and save the result.

    The working directory of the cells is the caller's. `output` appears at once and whole: it is
    written to a temporary name and renamed, also when a cell failed, so that the failure can be read.

    A kernel runs the cells, whatever `engine` says, if the notebook is not in Python or shows widgets,
    or if this process cannot be forked: not on Linux, or of several threads.
    """
    notebook, output = Path(notebook), Path(output)
    run = _Run(notebook, output, parameters, timeout)
    with nullcontext(worker) if worker else worker_ahead(notebook, engine=engine, memory=memory) as own:
        if own:
            if worker:
                from benchlib.study.open import last_cached

                worker.hand_over(last_cached())
            try:
                return run.by({"engine_name": WORKER, "worker": own})
            except NeedsKernel:
                pass  # its cells have run in vain: widgets are seldom, and a report shows none
            finally:
                own.end()
    with scratch() as folder:
        kernel = {"kernel_folder": str(folder), "memory": memory, "shutdown_kernel": "immediate"}
        return run.by({"engine_name": KERNEL, **kernel})


@contextmanager
def worker_ahead(
    notebook: str | Path, *, engine: _Engine = "auto", memory: int | None = None
) -> Iterator[Worker | None]:
    """Start what will run the cells of a notebook before it is known what they are to be given.

    It imports what they use, while the caller checks parameters and reads the study.
    """
    language, soon = _glimpsed(Path(notebook))
    if engine == "nbclient" or language != "python" or not can_fork():
        yield None
        return
    with single_threaded():
        import pandas  # noqa: F401  # before the fork: what one side keeps in Arrow, the other could not read
    with scratch() as folder:
        worker = Worker(str(folder), memory, soon)
        try:
            yield worker
        finally:
            worker.end()


def _glimpsed(notebook: Path) -> tuple[str, tuple[str, ...]]:
    """Return the language of a notebook, and what its cells are going to import if they use benchlib at all.

    Not by nbformat, nor does this say what is wrong with a file: nbformat is imported while the child imports.
    """
    try:
        text = notebook.read_text(encoding="utf-8")
        metadata = json.loads(text)["metadata"]
        language = _language(metadata)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return "", ()
    return language, _SOON if "import benchlib" in text else ()


@dataclass(frozen=True, slots=True)
class _Run:
    """A notebook that is to run, and how each of its failures is told."""

    notebook: Path
    output: Path
    parameters: Mapping[str, object]
    timeout: float | None

    def by(self, options: dict[str, Any]) -> NotebookNode:
        """Have papermill run it with one of our engines."""
        source = read_notebook(self.notebook)
        # papermill imports pyarrow, which starts threads
        with gc_pause(), single_threaded(), without_iri_grammars():
            from papermill.parameterize import parameterize_notebook

            import benchlib.run.engines  # noqa: F401  # registers them
        # Without a handler, logging would print papermill's own report of a failure over ours.
        logging.getLogger("papermill").addHandler(logging.NullHandler())
        language = _language(source.metadata)
        kernel = "python3" if language == "python" else source.metadata.get("kernelspec", {}).get("name")
        # Not papermill's own `execute_notebook`: it writes the notebook out and reads it again, twice.
        prepared = _prepared(source)
        if self.parameters:
            prepared = parameterize_notebook(prepared, dict(self.parameters), kernel_name=kernel, language=language)
        executed = self._executed(prepared, kernel, options)
        if failure := _failure(executed):
            said = ": ".join(part for part in (failure.ename, _first_line(failure.evalue)) if part)
            if failure.ename == "SystemExit":
                said = f"ended the run by sys.exit ({said})"
            if failure.ename in _OUT_OF_MEMORY:
                self._fail(KernelDied, f"ran out of memory: {said}", executed)
            # What study.toml says is bad input, wherever it is found out.
            self._fail(StudyError if failure.ename == "StudyError" else NotebookError, said, executed)
        refused = _without_refused(executed)
        _save_executed(executed, self.output)
        if refused:
            raise NotebookError(f"`{self.notebook.name}`: {refused}; the executed notebook is {self.output}")
        unreached = [cell for cell in executed.cells if _expected(cell) and cell.execution_count is None]
        if unreached:
            raise NotebookError(
                f"`{self.notebook.name}`: stopped before its end; cell '{unreached[0].get('id', '?')}' never ran; "
                f"the executed notebook is {self.output}"
            )
        return executed

    def _executed(self, prepared: NotebookNode, kernel: str, options: dict[str, Any]) -> NotebookNode:
        """Return the notebook as far as it came without a crash."""
        from jupyter_client.kernelspec import NoSuchKernel
        from nbclient.exceptions import CellTimeoutError, DeadKernelError
        from nbformat import ValidationError
        from papermill.engines import papermill_engines

        options = {"progress_bar": False, "execution_timeout": self.timeout, **options}
        running: list[NotebookNode] = []
        try:
            return cast(
                "NotebookNode",
                papermill_engines.execute_notebook_with_engine(
                    nb=prepared, kernel_name=kernel, autosave_cell_every=0, running=running, **options
                ),
            )
        except ValidationError as error:
            what = _first_line(str(error))
            self._fail(NotebookError, f"published what a notebook cannot hold: {what}", running[-1])
        except CellTimeoutError:
            self._fail(NotebookTimeout, f"ran longer than {self.timeout:g} s", running[-1])
        except DeadKernelError as error:
            what = str(error) if "worker" in options else "the kernel died"
            self._fail(KernelDied, f"{what} (crash or memory)", running[-1])
        except NoSuchKernel as error:
            raise InputError(
                f"{self.notebook}: wants the kernel '{printable(error.name)}', which is not installed; "
                "install it, or name another in the notebook"
            ) from None
        except RuntimeError as error:
            if "Kernel didn't respond" not in str(error) and "Kernel died" not in str(error):
                raise
            why = _last_line(Path(options["kernel_folder"], _LOG)) or str(error)
            raise KernelDied(f"`{self.notebook.name}`: {sys.executable} started no kernel: {why}") from None

    def _fail(self, kind: type[BenchlibError], what: str, executed: NotebookNode) -> NoReturn:
        """Save what was executed and raise an error that names the cell."""
        cell_id = _stopped_at(executed).get("id", "?")
        _without_refused(executed)
        try:
            _save_executed(executed, self.output)
            saved = f"the executed notebook is {self.output}"
        except InputError as error:  # a full disk may be what the cell failed for, too
            saved = f"the executed notebook could not be kept: {error}"
        raise kind(f"`{self.notebook.name}`: cell '{cell_id}': {what}; {saved}") from None


def _prepared(source: NotebookNode) -> NotebookNode:
    """Return a copy of a notebook as papermill wants it."""
    prepared = deepcopy(source)
    prepared.metadata["papermill"] = {"parameters": {}}
    for cell in prepared.cells:
        cell.metadata.setdefault("tags", [])
        cell.metadata["papermill"] = {}
    return prepared


def _language(metadata: Mapping[str, Any]) -> str:
    said = metadata.get("kernelspec", {}).get("language") or metadata.get("language_info", {}).get("name")
    return str(said or "python")


def _without_refused(executed: NotebookNode) -> str:
    """Take the outputs out of a notebook that none can hold, and say which cell published the first; "" without any.

    Outputs alone are looked at: what else a notebook has of its own is its author's, and does no harm.
    """
    if not _refusal([output for cell in executed.cells for output in cell.get("outputs", [])]):
        return ""
    first = ""
    for cell in executed.cells:
        refusals = [_refusal([output]) for output in cell.get("outputs", [])]
        if any(refusals):
            why = next(refusal for refusal in refusals if refusal)
            first = first or f"cell '{cell.get('id', '?')}': published what a notebook cannot hold: {why}"
            cell.outputs = [output for output, refused in zip(cell.outputs, refusals, strict=True) if not refused]
    return first


def _refusal(outputs: list[NotebookNode]) -> str:
    """Return what Jupyter's format says against some outputs."""
    from nbformat import NotebookNode, ValidationError, validate

    cell = NotebookNode(cell_type="code", id="one", metadata={}, source="", execution_count=None)
    dict.__setitem__(cell, "outputs", outputs)  # as they are: a NotebookNode would copy them
    try:
        validate(NotebookNode(nbformat=4, nbformat_minor=5, metadata={}, cells=[cell]))
    except ValidationError as error:
        return _first_line(str(error))
    return ""


def _failure(executed: NotebookNode) -> NotebookNode | None:
    """Return the error that stopped a notebook.

    papermill's own check takes every error for one, also of a cell that is tagged ``raises-exception``, and
    lets a plain ``sys.exit()`` pass.
    """
    errors: list[NotebookNode] = [
        output
        for cell in executed.cells
        if cell.metadata.papermill.get("exception")
        for output in cell.get("outputs", [])
        if output.output_type == "error"
    ]
    return errors[-1] if errors else None


def _stopped_at(executed: NotebookNode) -> NotebookNode:
    """Return the last cell that was started."""
    from nbformat import NotebookNode

    started = [cell for cell in executed.cells if cell.metadata.get("papermill", {}).get("end_time")]
    return cast("NotebookNode", [*reversed(started), NotebookNode()][0])


def _expected(cell: NotebookNode) -> bool:
    """Tell whether a finished notebook must have run this cell."""
    skipped = "skip-execution" in cell.metadata.get("tags", [])
    return cell.cell_type == "code" and bool(cell.source.strip()) and not skipped


def _first_line(text: str) -> str:
    return printable(text.strip().split("\n", 1)[0], 400)


def _last_line(log: Path) -> str:
    """Return the last line that a kernel wrote before it ended, or ""."""
    try:
        return printable(log.read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2], 400)
    except OSError:
        return ""


def read_notebook(notebook: Path) -> NotebookNode:
    """Read a notebook by ourselves: papermill would take braces in a path for parameters."""
    with gc_pause(), without_iri_grammars():
        import nbformat
    try:
        return cast("NotebookNode", nbformat.read(notebook, as_version=4))
    except FileNotFoundError:
        raise InputError(f"{notebook}: no such notebook") from None
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise InputError(f"{notebook}: not a readable notebook ({_first_line(str(error))})") from None


def _save_executed(executed: NotebookNode, path: Path) -> None:
    """Write an executed notebook, without the traces of its run: the same run gives the same bytes.

    They are removed from `executed` too, so that what is made from it does not hold them either.
    """
    _remove_traces(executed)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, _notebook_text(executed))


def _notebook_text(notebook: NotebookNode) -> str:
    r"""Return a notebook as JSON, each cell on a line of its own.

    nbformat's own layout gives a line to each number of a figure; writing that takes ten times as long.
    """
    cells = ",\n".join(_json(cell) for cell in notebook.cells)
    rest = _json({name: value for name, value in notebook.items() if name != "cells"})
    return f'{{"cells":[\n{cells}\n],{rest[1:]}\n'


def _remove_traces(executed: NotebookNode) -> None:
    """Remove clocks, random ids and paths.

    What a reader needs is not lost: the parameters stand in the cell that papermill injected, and the
    failure of a cell in its outputs.
    """
    executed.metadata.pop("papermill", None)
    for cell in executed.cells:
        for trace in _CELL_TRACES:
            cell.metadata.pop(trace, None)
        if "injected-parameters" in cell.metadata.get("tags", []):
            cell["id"] = "injected-parameters"
        if "outputs" in cell:
            cell["outputs"] = _joined(cell["outputs"])
        for output in cell.get("outputs", []):
            output.get("metadata", {}).pop("transient", None)
            if "text" in output:
                output["text"] = _CELL_FILE.sub("<cell>", output["text"])
            if "traceback" in output:
                output["traceback"] = [_CELL_FILE.sub("<cell>", line) for line in output["traceback"]]


def _joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Join what was printed in one go: where a kernel cuts it depends on the clock."""
    joined: list[NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if last is not None and output.get("name") and output["name"] == last.get("name"):
            last["text"] += output["text"]
        else:
            joined.append(output)
    return joined


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
