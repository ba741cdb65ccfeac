"""SciPy's special functions, imported when one is first asked for.

Their import takes a tenth of a command that compares two files as benchstat does, and small samples need none.
"""

from __future__ import annotations

from typing import Any

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    """Return a function of ``scipy.special``, and keep it."""
    from scipy import special

    found = globals()[name] = getattr(special, name)
    return found
