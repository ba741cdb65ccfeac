"""SciPy's modules, each imported when something of it is first used.

Together their imports are a quarter of what a cold report imports, and many commands use none of them.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

__all__ = ["optimize", "sparse", "special"]

if TYPE_CHECKING:
    from scipy import optimize, sparse, special
else:

    class _Module:
        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, name: str) -> Any:
            with _numpy_as_it_is():
                attribute = getattr(importlib.import_module(self._name), name)
            setattr(self, name, attribute)  # asked once
            return attribute

    optimize, sparse, special = (_Module(f"scipy.{name}") for name in ("optimize", "sparse", "special"))

#: What numpy imports when it is first asked for: to build Fortran modules, to test, to call C.
_NOT_ASKED_FOR = ("ctypeslib", "f2py", "testing")


@contextmanager
def _numpy_as_it_is() -> Iterator[None]:
    """Have SciPy copy the names of numpy, as it does when it is imported, without having numpy import more.

    It uses none of these modules, and a third of its own import would be theirs. Empty ones stand in their place
    meanwhile; SciPy's copy of numpy's names keeps them.
    """
    import numpy

    absent = [module for module in _NOT_ASKED_FOR if f"numpy.{module}" not in sys.modules]
    for missing in absent:
        empty = ModuleType(f"numpy.{missing}")
        sys.modules[empty.__name__] = empty
        setattr(numpy, missing, empty)
    try:
        yield
    finally:
        for missing in absent:
            del sys.modules[f"numpy.{missing}"]
            delattr(numpy, missing)
