"""Results to try things on, by name: ``bl.examples.token_sdk()``. They come with the package."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchlib.workbench.data import Data

__all__ = ["heavy_read", "http_endpoints", "lplex", "noise", "onix", "token_sdk", "usl_book"]

#: Beside the package in a checkout, inside it in a wheel.
_FOLDERS = (Path(__file__).resolve().parents[2] / "data", Path(__file__).resolve().parents[1] / "data")


def _example(name: str) -> Data:
    from benchlib.errors import InputError
    from benchlib.workbench.data import read

    for folder in _FOLDERS:
        if (folder / name).is_dir():
            return read(folder / name)
    raise InputError(f"the example '{name}' did not come with this installation; install benchlib again")


def onix() -> Data:
    """Return the published benchmarks of a Go adapter: actions, GOMAXPROCS, cache, latency."""
    return _example("onix-adapter-published")


def token_sdk() -> Data:
    """Return the matrix of a token SDK: bits, curves, inputs, outputs, proof, executor."""
    return _example("token-sdk")


def heavy_read() -> Data:
    """Return an HTTP API measured with wrk, direct and through a gateway."""
    return _example("heavy-read-api-published")


def http_endpoints() -> Data:
    """Return three endpoints under rising numbers of connections."""
    return _example("http-endpoints")


def lplex() -> Data:
    """Return a Go library before and after a change, recorded in CI."""
    return _example("lplex")


def noise() -> Data:
    """Return three programs measured in rounds of fresh processes, to learn what noise is."""
    return _example("noise")


def usl_book() -> Data:
    """Return published scaling curves with known parameters."""
    return _example("reference")
