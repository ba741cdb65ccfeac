"""What the docs show as output of a command is what the command prints."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from benchlib.cli import main
from benchlib.tell.sentences import SENTENCES, listing

ROOT = Path(__file__).parents[2]
#: A command by itself, and the block of output after it.
SHOWN = re.compile(
    r"^```sh\n(?P<command>benchlib (?:compare|capacity) [^\n]*)\n```\n\n```text\n(?P<output>.*?)^```", re.M | re.S
)
PAGES = {"comparison": 4, "capacity": 3}
TEXTS = {name: (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in PAGES}
FOUND = [(one["command"], one["output"].splitlines()) for text in TEXTS.values() for one in SHOWN.finditer(text)]


def test_there_are_such_blocks() -> None:
    """A page without any would pass."""
    assert {name: len(SHOWN.findall(text)) for name, text in TEXTS.items()} == PAGES


@pytest.mark.parametrize(("command", "shown"), FOUND, ids=[command for command, _ in FOUND])
def test_every_line_shown_is_printed(command: str, shown: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Line for line, so that no number outlives the code that made it."""
    monkeypatch.chdir(ROOT)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(shlex.split(command)[1:]) == 0
    printed = out.getvalue().splitlines()
    assert [line for line in shown if line not in printed] == []


def test_every_sentence_is_listed() -> None:
    """`python -m benchlib.tell.sentences > docs/sentences.md` writes the page; an example fills every field."""
    assert (ROOT / "docs" / "sentences.md").read_text(encoding="utf-8") == listing()
    assert [name for name, one in SENTENCES.items() if "{" in (one.example or one.template) or not one.when] == []
