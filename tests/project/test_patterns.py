"""Regular expressions that every supported Python reads alike."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import benchlib

MODULES = sorted(Path(next(iter(benchlib.__path__))).rglob("*.py"))


@pytest.mark.parametrize("module", [path for path in MODULES if "re.compile" in path.read_text(encoding="utf-8")])
def test_no_group_is_possessive(module: Path) -> None:
    """Up to Python 3.11.4 a possessive group with a choice in it misses matches (CPython issue 106052)."""
    assert not re.findall(r"\)(?:[*+?]|\{[\d,]+\})\+", module.read_text(encoding="utf-8"))
