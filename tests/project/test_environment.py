"""environment.yml asks for what pyproject.toml asks for."""

from __future__ import annotations

import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def test_environment_and_pyproject_name_the_same_ranges() -> None:
    """The same names and ranges as the core, `lab`, `arrow`, `zstd` and `test`, in conda's list or its pip part."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    listed = [one for one in environment["dependencies"] if isinstance(one, str)]
    [by_pip] = [one["pip"] for one in environment["dependencies"] if isinstance(one, dict)]
    extras = [one for extra in project["optional-dependencies"].values() for one in extra]
    wanted = [*project["dependencies"], *(one for one in extras if not one.startswith("benchlib["))]

    assert sorted([*listed, *by_pip]) == sorted([*wanted, "python" + project["requires-python"], "pip", "--editable ."])


def test_the_environment_comes_from_conda_forge_alone() -> None:
    """One channel: two would mix builds."""
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert environment["channels"] == ["conda-forge"]
