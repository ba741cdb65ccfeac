"""How answers look in Jupyter: a name that moved is silently never asked, and an answer would be shown as Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

from benchlib.answers.asking import Refusal
from benchlib.display import register
from tests.shipped_studies import summary


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    """An IPython that knows how to show answers."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    running = InteractiveShell.instance()
    register()
    yield running
    InteractiveShell.clear_instance()


def test_every_answer_is_shown_as_a_table_and_a_refusal_in_words(shell: InteractiveShell) -> None:
    """Samples, curves, plans, comparisons, latency, effects and files, each by the last line of a cell."""
    published, sdk = summary("onix-adapter-published"), summary("token-sdk")
    assert not isinstance(published.scaling, Refusal)
    answers = (
        published.samples, published.scaling, published.scaling.curves[0], published.plan, published.comparisons[0],
        published.quality, sdk.latency, sdk.effects,
    )  # fmt: skip
    for answer in answers:
        assert "<table" in shell.display_formatter.format(answer)[0].get("text/html", ""), type(answer)
    refusal = Refusal(question="scaling", reason="no <sweep>", advice="measure")
    assert "Not answered: no &lt;sweep&gt;" in shell.display_formatter.format(refusal)[0]["text/html"]
