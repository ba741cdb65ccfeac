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

    raised = [
        name for name, kind in vars(errors).items() if inspect.isclass(kind) and kind.__module__ == errors.__name__
    ]
    exceptions = [name for name in raised if issubclass(getattr(errors, name), Exception)]
    assert exceptions
    assert [name for name in exceptions if name not in (errors.__doc__ or "")] == []
    assert all(issubclass(getattr(errors, name), errors.BenchlibError) for name in exceptions)


def test_the_changelog_knows_the_version() -> None:
    """The version of pyproject.toml has its heading in CHANGELOG.md."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"## [{project['version']}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
