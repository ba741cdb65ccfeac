"""One word for one thing: names that the project does not use."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "benchlib"

#: Sources disagree about the Greek ones; the others say nothing.
BANNED = {
    "alpha", "beta", "sigma", "kappa", "speed", "score", "perf", "util", "utils", "helper", "helpers",
    "process", "handle", "df2",
}  # fmt: skip

#: Methods whose names the standard library chose.
IMPOSED = {name for name in dir(HTMLParser) if name.startswith("handle_")}

MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "notebooks" not in path.parts)


def bound_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield every name that code gives to something of its own, with its line."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name, node.lineno
            case ast.arg(arg=name) | ast.ExceptHandler(name=str(name)) | ast.alias(asname=str(name)):
                yield name, node.lineno
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node.lineno
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name, node.lineno


def words(name: str) -> set[str]:
    """Split a name into its words: ``best_speed`` and ``BestSpeed`` both hold ``speed``."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_")
    return {one for one in parts if one}


def banned(code: str) -> list[str]:
    """Return the names that code binds and that hold a banned word, with their lines."""
    names = bound_names(ast.parse(code))
    return [f"{line}: {name}" for name, line in names if words(name) & BANNED and name not in IMPOSED]


def test_no_name_uses_a_banned_word() -> None:
    """Neither a module nor anything defined in it is named with a banned word."""
    faults = [f"{path}:{fault}" for path in MODULES for fault in banned(path.read_text(encoding="utf-8"))]
    assert faults + [str(path) for path in MODULES if words(path.stem) & BANNED] == []
