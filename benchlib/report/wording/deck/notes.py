"""The speaker's notes: how to read the slide, and where its numbers come from."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from benchlib.answers.evidence import Evidence, count_values
from benchlib.report.wording.markup import join, paragraph, tag
from benchlib.report.wording.words import count

#: Places that notes name; answers.json names all.
MOST = 12


def speaker_notes(lines: Iterable[str], *sources: Evidence) -> Markup:
    """Return the notes of a slide: plain words, since sources stand at their end.

    Parameters
    ----------
    lines : iterable of str
        What to say beyond the slide.
    *sources : Evidence
        What its numbers come from.

    Examples
    --------
    >>> speaker_notes(["Mind n."], Evidence(rows=("a.txt:5",), formula="the median"))
    Markup('<aside class="notes"><p>Mind n.</p><p>Source: the median. 1 line: a.txt:5.</p></aside>')
    """
    return tag("aside", join([*(paragraph(str(one)) for one in lines if one), *map(_source, sources)]), css="notes")


def _source(evidence: Evidence) -> Markup:
    left = len(evidence.rows) - MOST
    more = f" and {count(left, 'more place')}, in answers.json" if left > 0 else ""
    places = ", ".join(evidence.rows[:MOST])
    n = count_values(evidence)
    size = f"n = {count(n, 'value')}" if evidence.values else count(n, "line")
    return paragraph(f"Source: {evidence.formula}. {size}: {places}{more}.")
