"""The public face: what `benchlib` offers by name is there, and says how to use it."""

from __future__ import annotations

import inspect
import tomllib
from pathlib import Path

import benchlib

ROOT = Path(__file__).parents[2]


def test_a_public_name_exists_and_explains_itself() -> None:
    """Each name in `benchlib.__all__` resolves; functions show Examples, classes say what they are."""
    assert benchlib.__all__
    public = {name: getattr(benchlib, name) for name in benchlib.__all__}
    texts = {name: inspect.getdoc(offered) or "" for name, offered in public.items()}
    assert [name for name, offered in public.items() if inspect.isclass(offered) and not texts[name]] == []
    routines = [name for name, offered in public.items() if inspect.isroutine(offered)]
    assert [name for name in routines if "Examples\n" not in texts[name]] == []


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
