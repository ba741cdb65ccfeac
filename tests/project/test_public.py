"""The public face: what `benchlib` offers by name is there, and says how to use it."""

from __future__ import annotations

import importlib
import inspect
import tomllib
from pathlib import Path

import pytest

import benchlib

ROOT = Path(__file__).parents[2]
PUBLIC = sorted(getattr(benchlib, "__all__", []))
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "benchlib").rglob("*.py")
    if "notebooks" not in path.parts and path.stem != "__main__"
)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_exists_and_explains_itself(name: str) -> None:
    """Each name in `benchlib.__all__` resolves; functions show Examples, classes say what they are."""
    thing = getattr(benchlib, name)
    if inspect.isroutine(thing):
        assert "Examples\n" in (inspect.getdoc(thing) or ""), f"benchlib.{name} has no Examples"
    elif inspect.isclass(thing):
        assert inspect.getdoc(thing), f"benchlib.{name} has no docstring"


@pytest.mark.parametrize("name", MODULES)
def test_all_lists_what_a_module_offers(name: str) -> None:
    """`__all__`, where a module has one, holds no repeats and names what is there."""
    module = importlib.import_module(name)
    listed = list(getattr(module, "__all__", []))
    assert len(set(listed)) == len(listed)
    assert [one for one in listed if not hasattr(module, one)] == []


@pytest.mark.parametrize("name", MODULES)
def test_a_module_says_what_it_is_for(name: str) -> None:
    """Every module and package opens with a docstring."""
    module = importlib.import_module(name)
    source = Path(module.__file__ or "").read_text(encoding="utf-8")
    assert module.__doc__ or not source.strip(), f"{name} has no docstring"


def test_every_error_is_in_the_tree() -> None:
    """Each exception that benchlib.errors offers stands in the tree that its docstring draws."""
    from benchlib import errors

    raised = [one for one in errors.__all__ if inspect.isclass(getattr(errors, one))]
    assert raised
    assert [one for one in raised if one not in (errors.__doc__ or "")] == []
    assert all(issubclass(getattr(errors, one), errors.BenchlibError) for one in raised)


def test_the_changelog_knows_the_version() -> None:
    """The version of pyproject.toml has its heading in CHANGELOG.md."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"## [{project['version']}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
