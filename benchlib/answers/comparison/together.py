"""What the comparisons of a study say together: whether its controls moved, and which levels are held against which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchlib.answers.comparison.answer import ComparisonAnswer
from benchlib.answers.comparison.plain import plain_rows
from benchlib.answers.comparison.question import compare_study
from benchlib.answers.refusal import Refusal
from benchlib.study import Study

__all__ = ["compared_levels", "controls_moved"]


def controls_moved(study: Study, answers: Sequence[ComparisonAnswer | Refusal]) -> bool:
    """Tell whether controls say that the machine moved while a study was recorded: then no time of it says much.

    A condition may leave out the controls, or a side of the comparison, but not what they showed: the whole study is
    asked.

    Parameters
    ----------
    study : Study
    answers : sequence of ComparisonAnswer or Refusal
        Its comparisons, of the rows that its condition keeps.

    Examples
    --------
    >>> import benchlib
    >>> study = benchlib.open_study("data/lplex", where="run=new")
    >>> controls_moved(study, compare_study(study))
    True
    """
    if _told_moved(answers):
        return True
    narrowed = study.results is not study.whole and any(one.controls for one in study.comparisons)
    return narrowed and _told_moved(compare_study(replace(study, results=study.whole, where="")))


def compared_levels(answers: Sequence[ComparisonAnswer | Refusal]) -> set[tuple[str, str, str]]:
    """Return which levels are compared: column, candidate and baseline, and the same the other way round.

    Examples
    --------
    >>> import benchlib
    >>> sorted(compared_levels(compare_study(benchlib.open_study("data/lplex"))))
    [('run', 'new', 'old'), ('run', 'old', 'new')]
    """
    compared = [one for one in answers if isinstance(one, ComparisonAnswer)]
    pairs = {(one.column, row.candidate, row.baseline) for one in compared for row in plain_rows(one.rows)}
    return pairs | {(column, baseline, candidate) for column, candidate, baseline in pairs}


def _told_moved(answers: Sequence[ComparisonAnswer | Refusal]) -> bool:
    told = [caveat for one in answers if isinstance(one, ComparisonAnswer) for caveat in one.caveats]
    return any(one.code == "controls-moved" for one in told)
