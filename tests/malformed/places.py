"""A folder of bad input, and commands run in it as a user would run them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchlib.cli import main

ROOT = Path(__file__).parents[2]

GO = (
    "goos: linux\n"
    "pkg: example.org/adapter\n"
    "BenchmarkEncode-8   \t    1000\t       10.0 ns/op\t       8 B/op\t       1 allocs/op\n"
    "BenchmarkDecode-8   \t    1000\t       20.0 ns/op\t       8 B/op\t       1 allocs/op\n"
)


@dataclass(frozen=True, slots=True)
class Said:
    """What a command printed, with the folders of this machine replaced by names, and its exit code."""

    code: int
    out: str
    err: str


class Place:
    """A working directory with files in it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def file(self, name: str, content: str | bytes) -> Path:
        """Write a file below the folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def run(self, *arguments: str) -> Said:
        """Run a command in this process; a traceback is a failure of the test."""
        self._capsys.readouterr()
        code = main(list(arguments))
        out, err = self._capsys.readouterr()
        return Said(code, self._named(out), self._named(err))

    def _named(self, text: str) -> str:
        return text.replace(str(self.folder), "<here>").replace(str(ROOT), "<project>")

    def state(self) -> dict[str, str]:
        """Return every file and folder below with what it holds."""
        found = {}
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            if path.is_symlink():
                found[name] = f"-> {path.readlink()}"
            else:
                found[name] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        return found
