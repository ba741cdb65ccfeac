"""Lint, form and types of the whole project, as BENCHLIB_HEAVY=1 runs them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.heavy
@pytest.mark.parametrize(
    "arguments",
    [["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"]],
    ids=["ruff check", "ruff format", "mypy"],
)
def test_the_tool_finds_nothing(arguments: list[str]) -> None:
    """ruff finds no fault and nothing to format; mypy --strict finds no error."""
    shown = subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stdout + shown.stderr
