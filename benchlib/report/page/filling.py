"""A house's template filled in by a process of its own, whose time and memory the system bounds.

The sandbox keeps a template from code and files, not from loops without end or strings of gigabytes. Neither its text
nor its steps tell that beforehand: ``{{ 9 ** (9 ** 9) }}`` is one step.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from benchlib.errors import InputError, printable

__all__ = ["answer", "filled_apart"]

#: Seconds of computing that a template may take, a thousand times what a page needs, and bytes that it may hold.
_SECONDS, _BYTES = 10, 1 << 30

#: Seconds that are waited for it, computing or not, and bytes that it may come to.
_PATIENCE, _LARGEST = 60, 64 << 20

#: Exit codes: its output is what is wrong with the template; there was no memory to say anything.
_WRONG, _OUT_OF_MEMORY = 3, 4

#: Found where this process found it, and nothing in the working directory stands for a module.
_CHILD = """\
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from benchlib.report.page.filling import answer
answer()
"""


def filled_apart(name: str, folder: Path, words: Mapping[str, object]) -> str:
    """Return a template of a house filled in.

    Raises
    ------
    InputError
        If it asks for what there is not or may not be had, does not end, wants too much memory, or comes to too much.
    """
    try:
        ended = subprocess.run(
            [sys.executable, "-I", "-c", _CHILD],
            input=pickle.dumps(sys.path) + pickle.dumps((name, folder, words, _SECONDS, _BYTES, _LARGEST)),
            capture_output=True,
            check=False,
            timeout=_PATIENCE,
        )
    except subprocess.TimeoutExpired as error:
        raise InputError(f"was not filled in within {_PATIENCE} s") from error
    said = ended.stdout.decode(errors="surrogatepass")
    if ended.returncode == 0:
        return said
    if ended.returncode == _WRONG:
        raise InputError(said)
    if ended.returncode == _OUT_OF_MEMORY:
        raise InputError(f"wants more than {_BYTES >> 20} MiB of memory")
    if ended.returncode == -signal.SIGXCPU:
        raise InputError(f"has no end: it was ended after {_SECONDS} s")
    if ended.returncode < 0:
        raise InputError(f"the process that filled it in was ended by signal {-ended.returncode}")
    raise RuntimeError(f"filling in {name} ended with {ended.returncode}: {ended.stderr.decode(errors='replace')}")


def answer() -> None:
    """Fill in the template that standard input names, and write it, or what is wrong with it, to standard output."""
    from benchlib.report.page.template import filled

    name, folder, words, seconds, size, largest = pickle.load(sys.stdin.buffer)
    _set_bounds(seconds, size)
    code = 0
    try:
        try:
            said = filled(name, folder, words).encode(errors="surrogatepass")
            if len(said) > largest:
                raise InputError(f"comes to more than {largest >> 20} MiB")
        except InputError as error:
            code, said = _WRONG, printable(str(error)).encode()
        sys.stdout.buffer.write(said)
        sys.stdout.flush()
    except MemoryError:
        code = _OUT_OF_MEMORY
    os._exit(code)  # at once: what fills the memory need not be taken apart


def _set_bounds(seconds: int, size: int) -> None:
    if os.name != "posix":
        return
    import resource

    for what, most in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_DATA, size)):
        hard = resource.getrlimit(what)[1]
        resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
