"""What a report was made from, and what a manifest says of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchlib.run.fingerprint import tree_digest
from benchlib.run.manifest import Entry, read_entry

SOUND = {"fingerprint": {"data": "1"}, "answers": "a.json", "files": {"a.html": "2"}, "failure": None}


@pytest.mark.parametrize(
    "name", ["code.py", "bundle.js.gz", "page.css", "a/deep/page.html.j2", "NOTICE", "x.toml", ".dot"]
)
def test_every_file_of_the_package_counts(tmp_path: Path, name: str) -> None:
    """Whatever its ending: there or not, its content, its name; what Python compiled does not."""
    (tmp_path / "other.py").write_text("1")
    digests = [tree_digest(tmp_path)]
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    for content in (b"", b"a", b"b"):
        path.write_bytes(content)
        digests.append(tree_digest(tmp_path))
    path.rename(path.with_name("renamed"))
    digests.append(tree_digest(tmp_path))
    assert len(set(digests)) == 5
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__/other.pyc").write_bytes(b"x")
    assert tree_digest(tmp_path) == digests[-1]


@pytest.mark.parametrize(
    "stated",
    [
        3, [], None, {}, SOUND | {"files": 3}, SOUND | {"fingerprint": []}, SOUND | {"answers": "../../etc/passwd"},
        SOUND | {"files": {"/etc/passwd": "2"}}, SOUND | {"failure": {"exit_code": "x"}}, SOUND | {"answers": 3},
        SOUND | {"failure": {"exit_code": 1, "error": "e", "page": "../x.html"}},
    ],
)  # fmt: skip
def test_an_entry_that_somebody_edited_says_nothing(tmp_path: Path, stated: object) -> None:
    """It leads to no other file, and the report is built again."""
    manifest = tmp_path / "manifest.json"
    manifest.write_text(json.dumps({"pages": {"a.html": SOUND, "b.html": stated}}))
    assert read_entry(manifest, "a.html").answers == "a.json"
    assert read_entry(manifest, "b.html") == Entry(fingerprint={}, answers="", files={}, failure=None)
