"""Text held against a golden file beside this module.

Regenerate every golden file with one command, then read the diff::

    BENCHLIB_UPDATE_GOLDEN=1 python -m pytest tests/golden
"""

from __future__ import annotations

import os
import re
from pathlib import Path

#: Set to 1, golden files are written anew instead of compared.
UPDATE = os.environ.get("BENCHLIB_UPDATE_GOLDEN", "0") not in {"", "0"}

_FLOAT = re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?|-?\d+e[+-]?\d+")


def shortened(text: str) -> str:
    """Cut every float of a text to five digits."""
    return _FLOAT.sub(lambda found: f"{float(found[0]):.5g}", text)


def golden(name: str, text: str) -> None:
    """Compare a text with a golden file, or write the file where an update is asked for."""
    path = Path(__file__).with_name(name)
    text = text.rstrip("\n") + "\n"
    if UPDATE:
        path.write_text(text, encoding="utf-8")
    assert path.is_file(), f"no {name}: make it with BENCHLIB_UPDATE_GOLDEN=1"
    assert text.splitlines() == path.read_text(encoding="utf-8").splitlines(), (
        f"{name} differs: where that is meant, run BENCHLIB_UPDATE_GOLDEN=1 python -m pytest "
        "tests/golden and read the diff"
    )
