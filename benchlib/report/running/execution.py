"""Run a notebook through papermill, strictly: the only module that knows papermill.

Strict means that a cell that fails, stops early (``sys.exit(0)``) or was never reached is an error,
where plain papermill may end well. The kernel is always this interpreter, whatever a user has
registered under "python3", with an IPython folder of its own, so that nobody's start-up files
change a report and an empty or unwritable home does not matter.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

from benchlib.errors import InputError, KernelDied, NotebookError, NotebookTimeout, printable
from benchlib.report.running.imports import without_iri_grammars

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["execute_notebook"]

_ENGINE = "benchlib"

#: A socket's path holds 107 bytes at most; jupyter_client adds a name and a number to the folder.
_LONGEST_SOCKET_FOLDER = 80


def execute_notebook(
    notebook: str | Path,
    output: str | Path,
    parameters: Mapping[str, object],
    *,
    timeout: float | None = None,
    quiet: bool = False,
) -> NotebookNode:
    """Execute a notebook with parameters and save the result.

    The working directory of the cells is the caller's. `output` appears at once and whole: it is
    written to a temporary name and renamed, also when a cell failed, so that the failure can be read.

    Parameters
    ----------
    notebook : str or Path
        An ``.ipynb`` for a Python kernel.
    output : str or Path
        Where the executed notebook is saved; its folder is made.
    parameters : mapping of str to value
        Checked values, see `benchlib.report.running.parameters.check_parameters`.
    timeout : float, optional
        Seconds that one cell may take.
    quiet : bool
        Show no progress bar; there is none either when stderr is no terminal.

    Returns
    -------
    NotebookNode
        The executed notebook.

    Raises
    ------
    NotebookError
        If a cell failed, or the notebook stopped before its end.
    NotebookTimeout
        If a cell ran past `timeout`.
    KernelDied
        If the kernel crashed, was killed, or did not start.
    """
    notebook, output = Path(notebook), Path(output)
    source = _read(notebook)
    with without_iri_grammars():
        from nbclient.exceptions import CellTimeoutError, DeadKernelError
        from papermill.exceptions import PapermillExecutionError
        from papermill.execute import execute_notebook as run

        _register_engine()
    # Without a handler, logging would print papermill's own report of a failure over ours.
    logging.getLogger("papermill").addHandler(logging.NullHandler())
    running: list[NotebookNode] = []
    with tempfile.TemporaryDirectory(prefix="benchlib-kernel-", ignore_cleanup_errors=True) as folder:
        try:
            executed = run(
                source,
                None,
                parameters=dict(parameters),
                engine_name=_ENGINE,
                kernel_name="python3",
                language="python",
                progress_bar=sys.stderr.isatty() and not quiet,
                request_save_on_cell_execute=False,
                autosave_cell_every=0,
                execution_timeout=timeout,
                shutdown_kernel="immediate",
                kernel_folder=folder,
                running=running,
            )
        except PapermillExecutionError as error:
            _fail(NotebookError, f"{error.ename}: {_first_line(error.evalue)}", running[-1], notebook, output)
        except CellTimeoutError:
            _fail(NotebookTimeout, f"ran longer than {timeout:g} s", running[-1], notebook, output)
        except DeadKernelError:
            _fail(KernelDied, "the kernel died (crash or memory)", running[-1], notebook, output)
        except RuntimeError as error:
            if "Kernel didn't respond" not in str(error) and "Kernel died" not in str(error):
                raise
            raise KernelDied(f"`{notebook.name}`: {sys.executable} started no kernel: {error}") from None
    _save(executed, output)
    unreached = [cell for cell in executed.cells if _expected(cell) and cell.execution_count is None]
    if unreached:
        raise NotebookError(
            f"`{notebook.name}`: stopped before its end; cell '{unreached[0].get('id', '?')}' never ran; "
            f"the executed notebook is {output}"
        )
    return cast("NotebookNode", executed)


def _fail(kind: type[NotebookError], what: str, executed: NotebookNode, notebook: Path, output: Path) -> NoReturn:
    """Keep what was executed and raise an error that names the cell."""
    cell_id = _stopped_at(executed).get("id", "?")
    _save(executed, output)
    raise kind(f"`{notebook.name}`: cell '{cell_id}': {what}; the executed notebook is {output}") from None


def _stopped_at(executed: NotebookNode) -> NotebookNode:
    """Return the cell that raised, or else the last one that was started."""
    from nbformat import NotebookNode

    started = [one for one in executed.cells if one.metadata.get("papermill", {}).get("start_time")]
    raised = [one for one in started if any(out.output_type == "error" for out in one.get("outputs", []))]
    return cast("NotebookNode", [*raised, *reversed(started), NotebookNode()][0])


def _expected(cell: NotebookNode) -> bool:
    """Tell whether a finished notebook must have run this cell."""
    skipped = "skip-execution" in cell.metadata.get("tags", [])
    return cell.cell_type == "code" and bool(cell.source.strip()) and not skipped


def _first_line(text: str) -> str:
    return printable(text.strip().split("\n", 1)[0], 400)


def _read(notebook: Path) -> NotebookNode:
    """Read a notebook by ourselves: papermill would take braces in a path for parameters."""
    with without_iri_grammars():
        import nbformat
    try:
        return cast("NotebookNode", nbformat.read(notebook, as_version=4))
    except FileNotFoundError:
        raise InputError(f"{notebook}: no such notebook") from None
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise InputError(f"{notebook}: not a readable notebook ({_first_line(str(error))})") from None


def _save(executed: NotebookNode, output: Path) -> None:
    """Write the notebook under a temporary name, then rename; no path of this machine stays in it."""
    import nbformat

    for private in ("input_path", "output_path", "environment_variables"):
        executed.metadata.get("papermill", {}).pop(private, None)
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=output.parent, prefix=f".{output.name}.", delete=False
    ) as partial:
        nbformat.write(executed, partial)
    # mkstemp makes files for the owner alone; a report is read by others.
    umask = os.umask(0)
    os.umask(umask)
    os.chmod(partial.name, 0o666 & ~umask)
    os.replace(partial.name, output)


def _register_engine() -> None:
    """Give papermill an engine that runs this interpreter and lets go of the notebook when it fails."""
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager
    from papermill.engines import NBClientEngine, papermill_engines
    from traitlets import Unicode
    from traitlets.config import Config

    class ThisInterpreter(AsyncKernelManager):
        """Start ``sys.executable``; look up no kernelspec."""

        folder = Unicode(help="A private folder for sockets and IPython's own files.").tag(config=True)

        @property
        def kernel_spec(self) -> KernelSpec:
            return KernelSpec(
                argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
                display_name="Python 3",
                language="python",
                env={
                    "IPYTHONDIR": self.folder,
                    # plotly 7 inside a kernel must not write its JavaScript into every output
                    "PLOTLY_RENDERER": "plotly_mimetype",
                    # else the debugger warns on stderr, once a run, that Python is frozen
                    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
                },
            )

    class KeepingEngine(NBClientEngine):  # type: ignore[misc]  # papermill has no types
        """papermill's own engine; `running` gets the notebook, which an exception would lose."""

        @classmethod
        def execute_managed_notebook(cls, nb_man: Any, kernel_name: str, **options: Any) -> Any:
            options.pop("running").append(nb_man.nb)
            folder = options.pop("kernel_folder")
            settings = {"folder": folder, "connection_file": os.path.join(folder, "kernel.json")}
            # Sockets in a private folder: no port to race for, and nobody else may connect.
            if os.name == "posix" and len(os.fsencode(folder)) <= _LONGEST_SOCKET_FOLDER:
                settings["transport"] = "ipc"
            return super().execute_managed_notebook(
                nb_man,
                kernel_name,
                kernel_manager_class=ThisInterpreter,
                config=Config({"ThisInterpreter": settings}),
                **options,
            )

    papermill_engines.register(_ENGINE, KeepingEngine)
