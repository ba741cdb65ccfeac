"""A format is asked where a file has its sign, and its family is imported only then."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchlib.errors import InputError
from benchlib.formats import registry
from benchlib.formats.reader import TextFile
from benchlib.formats.text import decode, head_of

DATA = Path(__file__).parents[1] / "data"
ROOT = DATA.parents[1]


def heads() -> list[TextFile]:
    """Return the head of every sample, and of its second half."""
    files = []
    for path in sorted([*DATA.rglob("*"), *(ROOT / "data").rglob("*")]):
        if path.is_file():
            raw = path.read_bytes()
            for part in (raw, raw[len(raw) // 2 :]):
                try:
                    files.append(head_of(decode(part, path.name).file))
                except InputError:
                    continue
    return files


def test_a_sign_misses_no_file_that_its_reader_knows() -> None:
    """Whatever a reader recognises has the sign of its format: else the reader would never be asked."""
    missed = []
    recognised = set()
    for head in heads():
        # Of text that no other reader knows, some are asked without a sign.
        for entry in (entry for entry in registry.FORMATS if entry.name not in registry._LAST):
            if entry.reader.recognise(head) != "no":
                recognised.add(entry.name)
                missed += [] if entry.may_read(head) else [(entry.name, head.source)]
    assert missed == []
    written_in_tests = {"artillery", "vegeta", "bombardier", "bmf", "github-action-benchmark", "json-rows"}
    assert {entry.name for entry in registry.FORMATS} - recognised <= {"parquet", *registry._LAST, *written_in_tests}


def test_reading_go_text_imports_no_other_family() -> None:
    """The registry, the table and the family itself: a newcomer reads 15 files and not a hundred."""
    code = (
        "import sys; from benchlib.formats.load import load; load(sys.argv[1]);"
        "print(*sorted(name.removeprefix('benchlib.') for name in sys.modules if name.startswith('benchlib.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(ROOT / "data" / "lplex" / "old.txt")],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    modules = done.stdout.split()
    assert len(modules) <= 15
    assert {"formats.tables", "formats.suites", "formats.declared", "formats.duplicates"}.isdisjoint(modules)
