"""Commands of benchlib called in this process, as a shell would; tests name the command once, with ``partial``."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchlib.cli import main


def run(command: str, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run a command; return exit code, output and errors."""
    capsys.readouterr()
    code = main([command, *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def printed(command: str, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return what a command prints where it succeeds: everything on stdout, nothing on stderr."""
    code, out, err = run(command, capsys, *arguments)
    assert (code, err) == (0, "")
    return out


def refused(command: str, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the one line that a command which fails says, with exit code 2 and no data."""
    code, out, err = run(command, capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    return err.removesuffix("\n").removeprefix("benchlib: ")


def document(command: str, capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """Return the JSON of a command; NaN and Infinity are no JSON."""

    def wrong(constant: str) -> float:
        raise AssertionError(f"{constant} is no JSON")

    told = json.loads(printed(command, capsys, *arguments, "--format", "json"), parse_constant=wrong)
    assert isinstance(told, dict)
    return told
