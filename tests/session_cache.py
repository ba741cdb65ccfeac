"""What is slow to make is made once in a test run: by the first worker of pytest-xdist that needs it."""

from __future__ import annotations

import copyreg
import fcntl
import hashlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

Made = TypeVar("Made")
#: Names the folder that all workers share; tests/conftest.py makes and removes it.
VARIABLE = "BENCHLIB_TESTS_FOLDER"


def _read_only(mapping: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    """Make the read-only view again, which pickle cannot write by itself."""
    return MappingProxyType(mapping)


copyreg.pickle(MappingProxyType, lambda view: (_read_only, (dict(view),)))


def session_folder() -> Path:
    """Return the folder that goes when the test run ends."""
    return Path(os.environ[VARIABLE])


def made_once(name: str, make: Callable[[], Made]) -> Made:
    """Return what was made under a name, or make it while other workers that need it wait."""
    path = session_folder() / f"{hashlib.sha256(name.encode()).hexdigest()}.pickle"
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)  # no child that is started meanwhile inherits it, unlike one of flock
        if not path.exists():
            path.write_bytes(pickle.dumps(make()))
    made: Made = pickle.loads(path.read_bytes())
    return made
