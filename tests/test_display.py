"""How a document looks in Jupyter: a type that moved is silently never asked, and would be shown as Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from benchlib.display import register
from benchlib.document.blocks import DECK, DOCUMENT, Deck, Slide, from_json
from tests.shipped_studies import document


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    """An IPython that knows how to show documents."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    running = InteractiveShell.instance()
    register()
    yield running
    InteractiveShell.clear_instance()


def shown(shell: InteractiveShell, value: object) -> list[dict[str, object]]:
    """Return what the last line of a cell puts below it."""
    with capture_output() as captured:
        shell.display_formatter.format(value)
    return [output.data for output in captured.outputs]


def test_a_document_is_shown_with_its_data_and_its_chart(shell: InteractiveShell) -> None:
    """The first screen, the document for the page, and its chart: exports keep it as an image with words."""
    said = document("heavy-read-api-published")
    first, drawn = shown(shell, said)
    assert "29%" in str(first["text/html"])
    assert str(first["text/plain"]).startswith("Heavy-read API, published")
    assert from_json(first[DOCUMENT]).answer == said.answer  # type: ignore[arg-type]
    assert said.figure is not None
    panels = {trace.get("xaxis", "x") for trace in drawn["application/vnd.plotly.v1+json"]["data"]}  # type: ignore[index]
    assert len(panels) == len(said.figure.panels)
    assert f'alt="{said.figure.alt}"' in str(drawn["text/html"])


def test_a_deck_is_shown_by_the_titles_of_its_slides(shell: InteractiveShell) -> None:
    """Its data are what the files are made of."""
    deck = Deck(title="x", about=(), slides=(Slide(title=("Two nodes <are> enough",), blocks=()),), appendix=())
    [first] = shown(shell, deck)
    assert "Two nodes &lt;are&gt; enough" in str(first["text/html"])
    assert first["text/plain"] == "1. Two nodes <are> enough"
    assert DECK in first
