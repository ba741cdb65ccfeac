"""What a caption tells of the lines and crosses of a figure of effects, the same wherever one is drawn."""

from __future__ import annotations

from benchlib.answers.effects import EffectModel
from benchlib.plots.effects_marks import choose_places, find_special
from benchlib.report.wording.words import listed

#: More levels than this are not written out.
MOST_LEVELS = 5


def marks_words(model: EffectModel) -> str:
    """Say what the lines of one colour and the crosses of an effects figure are, where it has any.

    Examples
    --------
    >>> import benchlib
    >>> marks_words(benchlib.analyse_effects("data/token-sdk").models[0])
    ' Lines of one colour: inputs 1, 2 and 3. A cross marks a cell set apart: the others miss it by more than a \
factor of three.'
    """
    return _lines_words(model) + apart_words(model)


def _lines_words(model: EffectModel) -> str:
    places = choose_places(model)
    if places is None or not places.rest:
        return ""
    first, *others = places.rest
    levels = model.table.factors[first]
    if others or len(levels) > MOST_LEVELS:
        return f" Lines of one colour: one for each level of {listed(list(places.rest))}."
    return f" Lines of one colour: {first} {listed([str(level) for level in levels])}."


def apart_words(model: EffectModel) -> str:
    """Say what a cross in an effects figure is, where there is one."""
    told = " A cross marks a cell set apart: the others miss it by more than a factor of three."
    return told if find_special(model) else ""
