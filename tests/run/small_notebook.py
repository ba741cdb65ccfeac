"""A notebook that answers in a second: what surrounds a run can be tried without a whole report."""

from __future__ import annotations

import json
from pathlib import Path

_DISPLAY = """\
from pathlib import Path
from IPython.display import display
rows = sum(len(one.read_text().splitlines()) for one in Path(study).glob("*.txt"))
answers = {"schema": "benchlib-answers/1", "title": Path(study).name, "status": "Answered",
           "answer": f"{rows} lines"}
display({"application/vnd.benchlib.answers+json": answers, "text/plain": "answers"}, raw=True)"""

_DECK = """
from benchlib.document.blocks import Deck, Slide
from benchlib.render.notebook import show_deck
show_deck(Deck(title="A deck", about=(), slides=(Slide(title=("A slide",), blocks=()),), appendix=()))"""

_CELLS = (
    (
        "parameters",
        'study: str = ""  # Folder.\nwhere: str = ""  # Narrow.\nreader: str = ""  # Format.',
        ["parameters"],
    ),
    ("record", _DISPLAY, []),
)


def write_small_notebook(path: Path, last: str = "", *, slide: bool = False) -> Path:
    """Write the notebook, with one more line of code at its end; it may hand out a deck of one slide."""
    last += _DECK if slide else ""
    cells = [
        {
            "cell_type": "code",
            "id": cell_id,
            "metadata": {"tags": tags},
            "source": f"{source}\n{last}" if cell_id == "record" else source,
            "outputs": [],
            "execution_count": None,
        }
        for cell_id, source, tags in _CELLS
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path
