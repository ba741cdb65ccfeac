"""Import libraries without what they would drag along: grammars that nobody uses, threads that a fork would lose."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["single_threaded", "without_iri_grammars"]

_GRAMMARS = "rfc3987_syntax"
#: Checks the format "duration", which no notebook has either, and brings a library of dates.
_DURATIONS = "isoduration"

#: Numeric libraries start a thread for each core when they are imported, unless these say one.
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

_ARROW = "pyarrow"


@contextmanager
def without_iri_grammars() -> Iterator[None]:
    """Keep ``rfc3987_syntax`` out of an import of nbformat, papermill, nbconvert or plotly's ``show``.

    jsonschema imports that package if it can, to check the format "iri" that no notebook has. It
    compiles two large grammars at import and costs about 0.8 s in every new interpreter, the kernel
    too. JupyterLab brings it along, like what checks durations; jsonschema runs well without them.

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
    with _missing(_GRAMMARS), _missing(_DURATIONS):
        yield


@contextmanager
def single_threaded() -> Iterator[None]:
    """Import numpy, pandas and papermill in this block so that they start no thread.

    pandas and papermill import pyarrow if they can, which starts threads; benchlib needs it for Parquet
    files only, and imports it then. Has no effect on what was imported before.

    Examples
    --------
    >>> with single_threaded():
    ...     import pandas
    """
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        with _missing(_ARROW):
            yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


@contextmanager
def _missing(module: str) -> Iterator[None]:
    """Make the import of a module fail, unless it was imported before."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]  # None makes the import fail at once
    try:
        yield
    finally:
        del sys.modules[module]
