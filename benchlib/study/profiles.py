"""The shares of a profile that a ``[[breakdown]]`` names: what each package of a whole took itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from benchlib.errors import InputError
from benchlib.formats import load

__all__ = ["package_of", "read_shares"]

_METRIC = "flat_share"


def read_shares(path: Path, shown: str) -> Mapping[str, float]:
    """Return the share that each package took itself in a profile, largest first, those without any left out.

    Flat shares part the whole: no function is counted in another. What a profile drops for being small, and
    what it rounds away, is in none of them.
    """
    frame = load(path, format="pprof-top", strict=True).frame
    rows = frame[frame["metric"] == _METRIC]
    if rows.empty:
        raise InputError(f"{shown}: no function of a profile; write it with: go tool pprof -top cpu.out")
    if "profile" in rows and rows["profile"].nunique(dropna=False) > 1:
        raise InputError(f"{shown}: holds several profiles; write each to a file of its own")
    packages = [package_of(str(function)) for function in rows["function"]]
    shares = rows["value"].groupby(packages).sum().sort_values(ascending=False, kind="stable")
    return {str(name): float(share) for name, share in shares.items() if share > 0}


def package_of(function: str) -> str:
    """Return the Go package of a function; its name where it has none."""
    if function.startswith("["):
        return function
    plain = function.partition("[")[0]
    folder, slash, last = plain.rpartition("/")
    return f"{folder}{slash}{last.partition('.')[0]}"
