"""What is in git: nothing of one machine, nothing large, and data as they were measured."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).relative_to(ROOT).as_posix()

MAX_BYTES = 3_000_000
#: Files that may be larger, each with its reason.
LARGE: dict[str, str] = {}

#: Written in pieces, so that this file does not contain them.
ELSEWHERE = {
    "a path of one machine": re.compile(r"(?<![\w.~$})*-])/(?:work|root|home|Users|mnt|opt/wheels)/[\w.]"),
    "an index of packages": re.compile("|".join(["py" + r"pi\.org", "python" + "hosted", "anaconda" + r"\.(org|com)"])),
    "a tool of one session": re.compile(
        "|".join(["clau" + "de", "anthro" + "pic", "chat" + "gpt", "co" + "pilot"]), re.I
    ),
}
TEXT = {"", ".py", ".md", ".toml", ".yml", ".yaml", ".txt", ".ipynb", ".css", ".js", ".html", ".j2", ".json", ".csv"}


def tracked() -> list[str]:
    """Return the files that git keeps or would keep; skip outside a checkout."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [one for one in listed.stdout.split("\0") if one and (ROOT / one).is_file()]


def test_no_file_refers_to_something_outside() -> None:
    """No machine's path, no package index and no tool of a session stands in any file."""
    faults = []
    for name in tracked():
        if Path(name).suffix in TEXT and name != HERE:
            text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
            faults += [f"{name}: {what} ({match[0]})" for what in ELSEWHERE for match in ELSEWHERE[what].finditer(text)]
    assert faults == []


def test_a_reference_would_be_found() -> None:
    """The check itself sees what it looks for."""
    for line in ("/work/x", 'open("/root/a")', "/home/me/y", "see https://pypi" + ".org/p"):
        assert any(pattern.search(line) for pattern in ELSEWHERE.values()), line


def test_no_file_is_large() -> None:
    """A clone stays quick: no file over 3 MB but those listed with a reason."""
    assert [one for one in tracked() if (ROOT / one).stat().st_size > MAX_BYTES and one not in LARGE] == []


def test_nothing_made_is_kept() -> None:
    """Reports, environments and caches are made, never committed."""
    made = re.compile(r"^reports/|(^|/)(dist|\.venv|__pycache__|\.ipynb_checkpoints|\.[a-z]+_cache)/")
    assert [one for one in tracked() if made.search(one)] == []
