"""Runs kept for years: a folder of plain Parquet, on this machine or on S3."""

from benchlib.history.runs import Facts, Run, runs_of
from benchlib.history.store import History, open_history

__all__ = ["Facts", "History", "Run", "open_history", "runs_of"]
