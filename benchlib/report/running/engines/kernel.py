"""The kernel engine: papermill's own, with a kernel that starts and ends quickly and meets nobody."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from typing import Any

from benchlib.report.running.children import limit_memory
from benchlib.report.running.engines.environment import cell_environment

__all__ = ["KERNEL", "LOG", "register_kernel_engine"]

KERNEL = "benchlib-kernel"

#: What a kernel says of itself, in its folder: nobody asks for it unless it does not start.
LOG = "kernel.log"

#: Starts ipykernel without grammars that plotly's `show` would have it import, see `running.imports`.
_LAUNCH = """\
import sys
sys.modules["rfc3987_syntax"] = None
from ipykernel.kernelapp import launch_new_instance
launch_new_instance()
"""

#: A socket's path holds 107 bytes at most; jupyter_client adds a name and a number to the folder.
_LONGEST_SOCKET_FOLDER = 80


@cache
def register_kernel_engine() -> None:
    """Give papermill, once, an engine that lets go of the notebook when it fails."""
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager
    from papermill.engines import NBClientEngine, papermill_engines
    from traitlets import Integer, Unicode
    from traitlets.config import Config

    class BoundedKernel(AsyncKernelManager):
        """A kernel that may not hold more data than it is allowed, and writes to no terminal."""

        folder = Unicode(help="A private folder for sockets and IPython's own files.").tag(config=True)
        memory = Integer(0, help="Bytes of data that the kernel may hold; 0 for no bound.").tag(config=True)

        async def _async_launch_kernel(self, kernel_cmd: list[str], **options: Any) -> None:
            # ipykernel repeats on its own streams what a cell writes past Python; the outputs hold that already.
            with open(os.path.join(self.folder, LOG), "wb") as log:
                await super()._async_launch_kernel(kernel_cmd, **options, stdout=subprocess.DEVNULL, stderr=log)
            pid = getattr(self.provisioner, "pid", None)
            if self.memory and pid:
                limit_memory(self.memory, pid)

    class ThisInterpreter(BoundedKernel):
        """Start ``sys.executable``; look up no kernelspec."""

        @property
        def kernel_spec(self) -> KernelSpec:
            return KernelSpec(
                argv=[sys.executable, "-c", _LAUNCH, "-f", "{connection_file}"],
                display_name="Python 3",
                language="python",
                env=cell_environment(self.folder),
            )

    class KernelEngine(NBClientEngine):  # type: ignore[misc]  # papermill has no types
        """papermill's own engine; `running` gets the notebook, which an exception would lose."""

        @classmethod
        def execute_managed_notebook(cls, nb_man: Any, kernel_name: str, **options: Any) -> Any:
            options.pop("running").append(nb_man.nb)
            folder = options.pop("kernel_folder")
            settings = {
                "folder": folder,
                "memory": options.pop("memory") or 0,
                "connection_file": os.path.join(folder, "kernel.json"),
            }
            # Sockets in a private folder: no port to race for, and nobody else may connect.
            if os.name == "posix" and len(os.fsencode(folder)) <= _LONGEST_SOCKET_FOLDER:
                settings["transport"] = "ipc"
            manager = ThisInterpreter if kernel_name == "python3" else BoundedKernel
            return super().execute_managed_notebook(
                nb_man,
                kernel_name,
                kernel_manager_class=manager,
                config=Config({manager.__name__: settings}),
                record_timing=False,
                **options,
            )

    papermill_engines.register(KERNEL, KernelEngine)
