"""The tidy table written out: CSV for spreadsheets, Parquet for programs."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pandas as pd

from benchlib.errors import InputError, printable
from benchlib.files import replacing
from benchlib.results import Results

__all__ = ["write_table"]


def write_table(results: Results, output: Path, *, with_failed: bool = False) -> int:
    """Write the tidy table to a file named ``.csv`` or ``.parquet`` and return its rows.

    Raises
    ------
    InputError
        For another ending, a folder that is not there, or Parquet without the ``arrow`` extra.
    """
    ending = output.suffix.lower()
    if ending not in (".csv", ".parquet"):
        raise InputError(f"{output}: '{printable(ending)}' is not a table format; name it .csv or .parquet")
    if ending == ".parquet" and importlib.util.find_spec("pyarrow") is None:
        raise InputError(f"{output}: Parquet needs pyarrow; pip install 'benchlib[arrow]', or write .csv")
    if not os.path.isdir(output.parent):
        raise InputError(f"{output}: no folder {str(output.parent)!r}; make it first")
    frame = pd.concat([results.frame, results.failed]) if with_failed and len(results.failed) else results.frame
    with replacing(output) as temporary:
        if ending == ".csv":
            _inert(frame).to_csv(temporary, index=False)
        else:
            frame.to_parquet(temporary, index=False)
    return len(frame)


def _inert(frame: pd.DataFrame) -> pd.DataFrame:
    """Quote text that a spreadsheet would run as a formula (OWASP, "CSV Injection")."""
    inert = frame.copy()
    for column in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[column].dtype):
            inert[column] = frame[column].astype(object).map(_quoted)
    # An axis has the name that a header of the results gave it.
    return inert.rename(columns=_quoted)


def _quoted(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r", "'") else value
