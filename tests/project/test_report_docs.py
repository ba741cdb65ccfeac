"""docs/reports.md says what ``benchlib report`` does: every option, exit code and variable."""

from __future__ import annotations

import argparse
import ast
import re
from pathlib import Path

from benchlib import errors
from benchlib.cli.report import add_options
from benchlib.run.parameters import TYPES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reports.md").read_text(encoding="utf-8")
REPORTING = ROOT / "benchlib/cli"


def test_every_option_is_documented() -> None:
    """Those of the command line, and no other."""
    command = argparse.ArgumentParser()
    add_options(command)
    known = {name for action in command._actions for name in action.option_strings if name.startswith("--")}
    shown = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", PAGE))
    assert shown <= known
    general = {"--help", "--output", "--parameter", "--parameters-file", "--reader", "--strict"}
    assert known - shown <= general


def test_every_exit_code_is_documented() -> None:
    """Those of the exception tree, and that of the gate."""
    kinds = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, errors.BenchlibError)]
    table = re.findall(r"^\| (\d+) \|", PAGE, re.M)
    assert {int(one) for one in table} == {0, 3} | {one.exit_code for one in kinds}


def test_every_fact_of_a_notice_is_documented() -> None:
    """The names that the command gives to `notify`, as variables."""
    source = (REPORTING / "report.py").read_text(encoding="utf-8")
    given = {
        key.value
        for function in ast.parse(source).body
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Dict)
        for key in node.keys
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.islower()
    }
    assert {f"BENCHLIB_{one.upper()}" for one in given} == set(re.findall(r"BENCHLIB_[A-Z_]+", PAGE))


def test_every_type_of_a_parameter_is_documented() -> None:
    """As it is written in a notebook."""
    assert [one for one in TYPES if one not in PAGE] == []
