"""What is in git: nothing of one machine, nothing large, and data as they were measured."""

from __future__ import annotations

import hashlib
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
    made = re.compile(r"(^|/)(reports|dist|\.venv|__pycache__|\.ipynb_checkpoints|\.[a-z]+_cache)/")
    assert [one for one in tracked() if made.search(one)] == []


def raw_data() -> list[Path]:
    """Return the measured files: what a study holds besides what was written about it."""
    about = {"study.toml", "README.md", ".gitattributes"}
    return [ROOT / one for one in tracked() if one.startswith("data/") and Path(one).name not in about]


def test_data_are_as_they_were_measured() -> None:
    """Each raw file has its SHA-256 in data/README.md: nobody tidied it since."""
    readme = ROOT / "data" / "README.md"
    if not readme.exists():
        pytest.skip("no data yet")
    known = set(re.findall(r"\b[0-9a-f]{64}\b", readme.read_text(encoding="utf-8")))
    hashes = {path.relative_to(ROOT).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in raw_data()}
    assert [name for name, one in hashes.items() if one not in known] == []
    assert known - set(hashes.values()) == set()


def test_every_study_says_what_it_is() -> None:
    """Each folder in data/ has a study.toml."""
    folders = {Path(one).parts[1] for one in tracked() if one.startswith("data/") and len(Path(one).parts) > 2}
    assert [one for one in sorted(folders) if not (ROOT / "data" / one / "study.toml").exists()] == []
