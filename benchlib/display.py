"""Rich display of answers in Jupyter, registered by the names of their types.

So importing benchlib in a notebook imports no answer, no table and no page before it is used.
"""

from __future__ import annotations

from typing import Any

__all__ = ["register"]


def register() -> None:
    """Teach the running IPython, if there is one, to show documents and decks."""
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    if shell is None or shell.display_formatter is None:
        return
    whole = shell.display_formatter.ipython_display_formatter
    whole.for_type_by_name("benchlib.document.blocks", "Document", _document)
    whole.for_type_by_name("benchlib.document.blocks", "Deck", _deck)


def load_ipython_extension(_: object) -> None:
    """Do what importing benchlib in a notebook does, for a shell that started after benchlib was imported."""
    register()


def _document(document: Any) -> None:
    from benchlib.render.notebook import show_document

    show_document(document)


def _deck(deck: Any) -> None:
    from benchlib.render.notebook import show_deck

    show_deck(deck)
