"""The parser of every command: help that prints, and a wrong call told in one line."""

from __future__ import annotations

import os

import pytest

from benchlib.cli import main

COMMANDS = ("report", "slides", "compare", "scaling", "capacity", "effects", "inspect", "convert", "formats")


def ended(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str, str]:
    """Return exit code, output and errors of a call that the parser ends."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    out, err = capsys.readouterr()
    return caught.value.code, out, err


@pytest.mark.parametrize("command", [*((one,) for one in COMMANDS), ()])
def test_help_is_printed(capsys: pytest.CaptureFixture[str], command: tuple[str, ...]) -> None:
    """Each command says how it is called; a percent sign in a default is one."""
    code, out, err = ended(capsys, *command, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(" ".join(("usage: benchlib", *command)))
    assert "%%" not in out


def test_a_wrong_call_writes_no_control_character(capsys: pytest.CaptureFixture[str]) -> None:
    """What is unknown and whose help says more, in one line; other wrong calls stand in the contract."""
    said = "unrecognized arguments: --bogus\\x1b[31m; benchlib compare --help says what there is"
    assert ended(capsys, "compare", "old.txt", "--bogus\x1b[31m") == (2, "", f"benchlib compare: {said}\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--fail-on=",), "argument --fail-on: names no gate, as where a variable is unset; name one, or leave it out"),
        (
            ("--fail-on", ""),
            "argument --fail-on: names no gate, as where a variable is unset; name one, or leave it out",
        ),
        (("--fail-on=--",), "argument --fail-on: '--' is no value; give one, or leave --fail-on out"),
        (("--format=--",), "argument --format: '--' is no value; give one, or leave --format out"),
        (("-o=--",), "argument -o: '--' is no value; give one, or leave -o out"),
    ],
)
def test_an_option_without_a_value_opens_no_gate(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    """argparse takes ``--option=--`` for no argument: a gate would be off, and other options end in a traceback."""
    said = f"benchlib compare: {said}; benchlib compare --help says what there is\n"
    assert ended(capsys, "compare", "old.txt", "new.txt", *arguments) == (2, "", said)


@pytest.mark.parametrize("text", ["yesterday", "9" * 20, " 5", "1e9", "-1", "1763640000.5", "\u0661"])
def test_a_moment_that_is_none_is_told_before_anything_reads_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """SciPy imports a module that takes SOURCE_DATE_EPOCH for a number: every command would end in a traceback."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", text)
    assert main(["formats"]) == 2
    assert capsys.readouterr().err.startswith(f"benchlib: SOURCE_DATE_EPOCH is '{text}'; write whole seconds")


def test_an_empty_moment_is_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell that exports a variable without a value means none."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "")
    assert main(["formats"]) == 0
    assert "SOURCE_DATE_EPOCH" not in os.environ
