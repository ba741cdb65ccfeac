"""From a study to a deck on disk: slides in the formats asked for, notebook and answers, whole or not at all."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchlib.files import replacing, scratch, write_text
from benchlib.run.build import Built, Order, Request, Tell, _answers_text, _outcome, _stage, checked_order
from benchlib.run.manifest import _write_origin, locked, made_folder

if TYPE_CHECKING:
    from benchlib.document.blocks import Deck

__all__ = ["DECK_FORMATS", "build_slides"]

#: What ``--to`` accepts, and in which order it is written.
DECK_FORMATS = ("html", "pdf", "pptx")


def build_slides(request: Request, formats: Collection[str], *, max_bytes: int | None, tell: Tell) -> Built:
    """Run a notebook of slides on a study and write the deck, whose first format is its page.

    It lies in ``output/<study>/`` beside its executed notebook and its answers. Slides of an earlier run in a format
    that is not asked for again are removed: they would say something else.
    """
    shown = str(request.study)
    with _stage("open", shown, tell):
        order = checked_order(request)
    made_folder(order.place.folder)
    with locked(order.place.lock, wait=False) as ours:
        if not ours:
            return _outcome(order.place, "busy", (), {})
        contents, answers = _made(order, formats, max_bytes, shown, tell)
        with _stage("publish", shown, tell):
            page, *others = _publish(order, contents, answers)
    return replace(_outcome(order.place, "built", (), answers), page=page, formats=tuple(others))


def _made(
    order: Order, formats: Collection[str], max_bytes: int | None, shown: str, tell: Tell
) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Execute, export, check and draw; nothing is published before everything is made."""
    from benchlib.render.cells import answers_in, deck_in
    from benchlib.render.check import check_page
    from benchlib.render.private import private_folders
    from benchlib.render.slides import slides
    from benchlib.run.execute import execute_notebook

    with _stage("execute", shown, tell):
        executed = execute_notebook(order.notebook, order.place.failed_notebook, order.values)
    with _stage("export", shown, tell):
        answers, deck = answers_in(executed), deck_in(executed)
        page = slides(deck)
    with _stage("check", shown, tell):
        check_page(page, max_bytes=max_bytes, folders=private_folders(shown, order.place.folder.parent))
    contents = {"html": page.encode()}
    if {"pdf", "pptx"} & set(formats):
        with _stage("formats", shown, tell):
            contents |= _drawn(page, deck, formats)
    return {name: contents[name] for name in DECK_FORMATS if name in formats}, answers


def _drawn(page: str, deck: Deck, formats: Collection[str]) -> dict[str, bytes]:
    contents = {}
    if "pdf" in formats:
        from benchlib.render.chromium import print_pdf

        with scratch() as folder:
            path = folder / "deck.html"
            path.write_text(page, encoding="utf-8")
            contents["pdf"] = print_pdf(path).read_bytes()
    if "pptx" in formats:
        from benchlib.render.pptx import to_pptx

        contents["pptx"] = to_pptx(deck)
    return contents


def _publish(order: Order, contents: Mapping[str, bytes], answers: Mapping[str, Any]) -> tuple[Path, ...]:
    place = order.place
    _write_origin(place.manifest, order.origin)  # by which the next deck knows whether this is its place
    place.failed_notebook.replace(place.notebook)
    write_text(place.answers, _answers_text(answers))
    files = []
    for name in DECK_FORMATS:
        path = place.page.with_name(f"{place.stem}.{name}")
        if name not in contents:
            path.unlink(missing_ok=True)
            continue
        with replacing(path) as temporary:
            temporary.write_bytes(contents[name])
        files.append(path)
    return tuple(files)
