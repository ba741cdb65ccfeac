"""How answers look in Jupyter: formatters are registered by name, and a name that moved is silently never asked."""

from __future__ import annotations

import importlib

import pytest

from benchlib.display import _TABLES


@pytest.mark.parametrize(("module", "name"), _TABLES, ids=[name for _, name in _TABLES])
def test_each_answer_is_registered_where_it_is_defined(module: str, name: str) -> None:
    """IPython looks a class up by the module that it says it is of."""
    assert getattr(importlib.import_module(module), name).__module__ == module


@pytest.mark.parametrize("function", sorted(set(_TABLES.values())))
def test_each_is_told_by_a_function_that_is_there(function: str) -> None:
    """The function is looked up when an answer is shown."""
    module, _, name = function.partition(".")
    assert callable(getattr(importlib.import_module(f"benchlib.report.wording.{module}"), name))
