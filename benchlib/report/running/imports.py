"""Import nbformat without the grammars that it never uses."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["without_iri_grammars"]

_GRAMMARS = "rfc3987_syntax"


@contextmanager
def without_iri_grammars() -> Iterator[None]:
    """Keep ``rfc3987_syntax`` out of an import of nbformat, papermill, nbconvert or plotly's ``show``.

    jsonschema imports that package if it can, to check the format "iri" that no notebook has. It
    compiles two large grammars at import and costs about 0.8 s in every new interpreter, the kernel
    too. JupyterLab brings it along; jsonschema runs well without it.

    References
    ----------
    jupyter_server issue 1559; jsonschema issue 1428.

    Examples
    --------
    >>> with without_iri_grammars():
    ...     import nbformat
    >>> nbformat.v4.new_notebook().cells
    []
    """
    if _GRAMMARS in sys.modules:
        yield
        return
    sys.modules[_GRAMMARS] = None  # type: ignore[assignment]  # None makes the import fail at once
    try:
        yield
    finally:
        del sys.modules[_GRAMMARS]
