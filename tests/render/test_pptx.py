"""A deck as .pptx: native tables and charts, nothing under 14 points, nothing off the slide."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest
from pptx import Presentation

from benchlib.document.blocks import Column, Deck, List, Paragraph, Slide, Table
from benchlib.render.pptx import to_pptx
from tests.tell.test_deck import PLANNED, made

POINT = 12700


def opened(deck: Deck) -> Any:
    """The file as python-pptx reads it."""
    return Presentation(io.BytesIO(to_pptx(deck)))


def runs(shape: Any) -> Iterator[Any]:
    """Every run of text of a shape."""
    frames = [shape.text_frame] if shape.has_text_frame else []
    if shape.has_table:
        frames += [cell.text_frame for row in shape.table.rows for cell in row.cells]
    for frame in frames:
        for paragraph in frame.paragraphs:
            yield from paragraph.runs


@pytest.mark.parametrize("name", PLANNED)
def test_tables_and_charts_are_native(name: str) -> None:
    """No pictures: a chart for each panel, a table for each table, all titles and notes as text."""
    file = opened(made(name))
    slides = list(file.slides)
    assert len(slides) == len(made(name).slides) + len(made(name).appendix)
    shapes = [shape for slide in slides for shape in slide.shapes]
    assert not [shape for shape in shapes if shape.shape_type == 13]  # a picture
    assert sum(shape.has_chart for shape in slides[1].shapes) == len(made(name).slides[1].blocks[0].panels)  # type: ignore[union-attr]
    assert any(shape.has_table for shape in slides[2].shapes)
    assert all(slide.shapes.title.text_frame.text for slide in slides)
    assert slides[0].notes_slide.notes_text_frame.text


@pytest.mark.parametrize("name", PLANNED)
def test_nothing_is_small_and_nothing_leaves_the_slide(name: str) -> None:
    """Text has 14 points and more, in charts too."""
    file = opened(made(name))
    for slide in file.slides:
        for shape in slide.shapes:
            assert shape.left >= 0
            assert shape.left + shape.width <= file.slide_width
            assert shape.top + shape.height <= file.slide_height
            assert all(run.font.size >= 14 * POINT for run in runs(shape))
            if shape.has_chart:
                assert shape.chart.font.size >= 14 * POINT


def test_the_numbers_of_a_chart_are_in_it() -> None:
    """Whoever edits a chart finds what was measured."""
    chart = next(shape.chart for shape in opened(made("http-endpoints")).slides[1].shapes if shape.has_chart)
    points = list(chart.plots[0].series)[-1]
    assert [round(value) for value in points.values][:2] == [15942, 39933]


def test_the_same_deck_is_the_same_bytes() -> None:
    """A built file can be compared."""
    assert to_pptx(made("http-endpoints")) == to_pptx(made("http-endpoints"))


def test_hostile_words_stay_words() -> None:
    """Control characters and markup of a name do not break the file."""
    name = "a\x00b\x1b[31m<script>&\u202e"
    table = Table(caption=name, columns=(Column(head=name),), rows=((name,),))
    blocks = (Paragraph(text=(name,)), List(items=((name,),)), table)
    slide = Slide(title=(name,), blocks=blocks, notes=((name,),))
    file = opened(Deck(title=name, about=(), slides=(slide,), appendix=(), answers={}))
    assert "<script>" in file.slides[0].shapes.title.text_frame.text
