"""Every command that README and docs show can be typed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from benchlib.cli import parser

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(?P<language>\w*)[^\n]*\n(?P<body>.*?)^```", re.MULTILINE | re.DOTALL)
TARGET = re.compile(r"^(\w+):.*##", re.MULTILINE)


def fenced(text: str, language: str) -> list[str]:
    """Return the bodies of the fenced blocks of one language."""
    return [one["body"] for one in FENCE.finditer(text) if one["language"] == language]


def commands(text: str, program: str) -> list[list[str]]:
    """Return the command lines of a program in the shell blocks of a page, split into words."""
    joined = [body.replace("\\\n", " ") for language in ("sh", "bash", "console") for body in fenced(text, language)]
    lines = [line.removeprefix("$ ") for body in joined for line in body.splitlines()]
    split = [shlex.split(line, comments=True) for line in lines]
    return [words for words in split if words and words[0].rsplit("/", 1)[-1] == program]


def parses(words: list[str]) -> bool:
    """Say whether the command line accepts the words."""
    try:
        parser().parse_args(words)
    except SystemExit:
        return False
    return True


def test_a_benchlib_command_parses() -> None:
    """Each `benchlib ...` in a fenced block is one that the command line accepts."""
    shown = [(page, words) for page in PAGES for words in commands(page.read_text(encoding="utf-8"), "benchlib")]
    assert shown
    assert [f"{page.name}: {shlex.join(words)}" for page, words in shown if not parses(words[1:])] == []


def test_every_make_target_shown_exists() -> None:
    """`make report` and its like are in the Makefile, and the README shows the two commands."""
    targets = set(TARGET.findall((ROOT / "Makefile").read_text(encoding="utf-8")))
    shown = {words[1] for page in PAGES for words in commands(page.read_text(encoding="utf-8"), "make")}
    assert {"report", "test"} <= shown <= targets


def test_every_python_block_compiles() -> None:
    """The five lines of Python are Python."""
    blocks = [(page.name, body) for page in PAGES for body in fenced(page.read_text(encoding="utf-8"), "python")]
    assert blocks
    for name, body in blocks:
        compile(body, name, "exec")


def test_every_path_in_the_tree_exists() -> None:
    """The tree of the README names folders that are there, and the rooms of the package."""
    [tree] = fenced((ROOT / "README.md").read_text(encoding="utf-8"), "text")
    folders = re.findall(r"^(?:\w+/ ?)+", tree, re.MULTILINE)
    rooms = re.findall(r"\w+", tree.splitlines()[0].removeprefix("benchlib/"))
    named = [name for line in folders for name in line.split()] + [f"benchlib/{room}" for room in rooms]
    assert rooms
    assert [name for name in named if not (ROOT / name).is_dir()] == []


def test_links_within_the_project_lead_somewhere() -> None:
    """A relative link or picture in README and docs names a file that is there."""
    broken = [
        f"{page.name}: {target}"
        for page in PAGES
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []
