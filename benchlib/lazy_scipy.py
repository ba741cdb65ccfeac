"""SciPy's modules, each imported when something of it is first used.

Together their imports are a quarter of what a cold report imports, and many commands use none of them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__all__ = ["optimize", "sparse", "special"]

if TYPE_CHECKING:
    from scipy import optimize, sparse, special
else:

    class _Module:
        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, name: str) -> Any:
            found = getattr(importlib.import_module(self._name), name)
            setattr(self, name, found)  # asked once
            return found

    optimize, sparse, special = (_Module(f"scipy.{name}") for name in ("optimize", "sparse", "special"))
