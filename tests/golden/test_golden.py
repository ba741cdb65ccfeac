"""What a reader sees first of every shipped study, word for word: a change of it is a decision, not an accident.

Regenerate after an edit of wording, then read the diff::

    BENCHLIB_UPDATE_GOLDEN=1 python -m pytest tests/golden tests/malformed
"""

from __future__ import annotations

from msgspec import structs

from benchlib.document.numbers import words_of
from benchlib.render.terminal import terminal
from tests.golden.compare import golden
from tests.shipped_studies import NAMES, document


def test_first_screens_read_as_agreed() -> None:
    """Answer, decision, confidence, numbers, doubts, and the finding above the chart."""
    screens = []
    for name in NAMES:
        said = document(name)
        finding = f"\nFigure      {words_of(said.figure.finding)}" if said.figure is not None else ""
        screens.append(terminal(structs.replace(said, sections=()), width=100) + finding)
    golden("first-screens.txt", "\n\n".join(screens))
