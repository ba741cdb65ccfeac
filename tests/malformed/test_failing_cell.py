"""A cell that fails: exit 1, the cell named, the executed notebook kept, and a page that says so."""

from __future__ import annotations

import nbformat

from tests.malformed.places import Place


def test_a_failing_cell_is_named_and_the_executed_notebook_kept(place: Place) -> None:
    """What ran before it can be read in the notebook and on the page of the failure; no answers, no half file."""
    place.notebook("own.ipynb", "print('before')", "1 / 0", "print('never')")
    found = place.run("report", "sound", "-o", "out", "--notebook", "own.ipynb", "--quiet")
    assert (found.code, found.out) == (1, "")
    assert found.err == (
        "benchlib: `own.ipynb`: cell 'step-2': ZeroDivisionError: division by zero; "
        "the executed notebook is out/sound/own.failed.ipynb\n"
    )
    below = [one.relative_to(place.folder / "out").as_posix() for one in (place.folder / "out").rglob("[!.]*")]
    assert sorted(below) == [
        "index.html", "sound", "sound/manifest.json", "sound/own.failed.html", "sound/own.failed.ipynb",
    ]  # fmt: skip
    kept = nbformat.read(place.folder / "out/sound/own.failed.ipynb", as_version=4)
    assert [one.get("text") for cell in kept.cells for one in cell.get("outputs", []) if "text" in one] == ["before\n"]


def test_a_failing_cell_cannot_write_to_the_terminal(place: Place) -> None:
    """The message of an exception is a text from elsewhere: one line, no control codes."""
    place.notebook("own.ipynb", r"raise ValueError('\x1b]0;taken\x07\x1b[2J\r\n' + 'x' * 100_000)")
    found = place.run("report", "sound", "-o", "out", "--notebook", "own.ipynb", "--quiet")
    assert found.code == 1
    assert found.err.removesuffix("\n").isprintable()
    assert len(found.err) < 1000
