"""``benchlib doctor``: what is missing, for what, and the command that mends it; it never fails."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import socket
import tomllib
from functools import partial
from pathlib import Path

import pytest

from benchlib.cli import doctor
from tests.cli.calling import printed

ROOT = Path(__file__).parents[2]
doctored = partial(printed, "doctor")


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("doctor asked the network"))


def without(names: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Have some packages look as if they were not installed, and all others as if they were, in any version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    of_extras = [f'{line}; extra == "{name}"' for name, extra in extras.items() for line in extra]
    lines = [*project["dependencies"], *of_extras]

    def version(name: str) -> str:
        if name in names:
            raise importlib.metadata.PackageNotFoundError(name)
        return "1.0" if name == "benchlib" else fitting(name, lines)

    monkeypatch.setattr(importlib.metadata, "requires", lambda _: lines)
    monkeypatch.setattr(importlib.metadata, "version", version)
    monkeypatch.setattr(doctor, "_provided", lambda: list(extras))


def fitting(name: str, lines: list[str]) -> str:
    """Return a version that a requirement accepts: its lower bound."""
    [bound] = {match[1] for line in lines if (match := re.match(rf"{re.escape(name)}(?:\[\w+\])?>=([0-9.]+)", line))}
    return bound


def test_nothing_is_missing_where_everything_is_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every extra of pyproject.toml has its row, and there is nothing to mend."""
    without(set(), monkeypatch)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    shown = doctored(capsys)
    rows = [line.split()[0] for line in shown.split("\n\n")[1].splitlines()]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert sorted(rows) == sorted(["part", "core", *extras, "Chromium", "Go"])
    assert "missing:" not in shown
    assert shown.endswith("Nothing is missing.\n")


def test_what_is_missing_is_named_with_its_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The row says what it is for, and the command names the packages that lack and no other."""
    without({"pyarrow", "matplotlib"}, monkeypatch)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.delenv("BENCHLIB_CHROMIUM", raising=False)
    shown = doctored(capsys)
    table, remedies = shown.split("To mend:\n")
    states = {line.split()[0]: line for line in table.splitlines() if "missing" in line}
    assert set(states) == {"lab", "arrow", "Chromium", "Go"}
    assert "missing: pyarrow" in states["arrow"]
    assert "Parquet" in states["arrow"]
    commands = dict(line.split(maxsplit=1) for line in remedies.splitlines())
    assert set(commands) == {"lab", "arrow", "Chromium"}, "Go is no part of benchlib: nothing is to mend"
    assert commands["lab"].endswith("install 'matplotlib<4,>=3.10'")
    assert commands["arrow"].endswith("install 'pyarrow>=19'")
    assert commands["Chromium"].startswith("apt install chromium")


def test_a_version_too_old_is_missing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What is installed but too old does not do."""
    without(set(), monkeypatch)
    fits = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "2.2" if name == "pandas" else fits(name))
    assert re.search(r"^core +missing: pandas ", doctored(capsys), re.M)


def test_no_secret_is_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing of the environment is printed but where Chromium is."""
    monkeypatch.setenv("BENCHLIB_TOKEN", "a-secret")
    monkeypatch.setenv("PIP_INDEX_URL", "https://user:a-secret@example.org/simple")
    assert "a-secret" not in doctored(capsys)
