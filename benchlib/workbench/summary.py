"""A whole study on one page, other questions of it, and the verdict that ends a notebook of one's own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from benchlib.answers.asking import Refusal as _Refusal
from benchlib.errors import DataError, choices, printable
from benchlib.units import scaled
from benchlib.workbench.answer import Answer, Refusal
from benchlib.workbench.data import Data, Source, read
from benchlib.workbench.show import Shown, Shows

if TYPE_CHECKING:
    import pandas as pd

    from benchlib.document.blocks import Cell, Document

__all__ = ["latency", "noise", "summary", "verdict"]

#: What a verdict may say, and what a gate takes it for.
_GATES = {"pass": "", "warn": "warn", "fail": "fail"}


def summary(source: Source, *, where: str = "", level: float = 0.95, audited: bool = False) -> Summary:
    """Answer every question that results allow, the most telling first.

    Parameters
    ----------
    source : anything `benchlib.read` takes
    where : str
        Keep only the rows that meet this condition.
    level : float
        Confidence level of every interval.
    audited : bool
        Simulate what the intervals and verdicts hold; takes a minute.

    Returns
    -------
    Summary

    Examples
    --------
    >>> import benchlib as bl
    >>> bl.summary("data/onix-adapter-published").confidence.split(":")[0] in ("high", "medium", "low", "none")
    True
    """
    from benchlib.answers.executive import executive_summary

    study = read(source, where=where).study
    return Summary(study, executive_summary(study, confidence_level=level), audited)


class Summary(Answer):
    """Every answer of a study, as one page."""

    def __init__(self, study: Any, answer: Any, audited: bool = False) -> None:
        super().__init__(study, answer)
        self._audited = audited

    def _told(self) -> Document:
        from benchlib.tell.executive import executive

        return executive(self.answer, audited=self._audited)

    @property
    def table(self) -> pd.DataFrame:
        """The three facts of the first screen."""
        import pandas as pd

        from benchlib.document.numbers import words_of

        facts = [(words_of(fact.value), words_of(fact.line)) for fact in self._document.facts]
        return pd.DataFrame(facts, columns=["fact", "what it is"])

    @property
    def claims(self) -> pd.DataFrame:
        """Sentences of earlier reports, and what the results say of each."""
        import pandas as pd

        rows = [(claim.text, claim.verdict, claim.reason, claim.source) for claim in self.answer.claims]
        return pd.DataFrame(rows, columns=["sentence", "verdict", "why", "where"])


class _Page(Answer):
    """An answer that is a page and a table."""

    def __init__(self, study: Any, answer: Any, document: Document) -> None:
        super().__init__(study, answer)
        self._page = document

    def _told(self) -> Document:
        return self._page

    @property
    def table(self) -> pd.DataFrame:
        """The rows of the answer, in base units."""
        return self._rows(fitting=False)

    def _rows(self, *, fitting: bool) -> pd.DataFrame:
        """Return the first table of the page, each column in its base unit or in the one that suits its numbers."""
        import pandas as pd

        from benchlib.document.blocks import Table
        from benchlib.document.numbers import column_scales

        blocks = [block for section in self._page.sections for block in section.blocks]
        shown = next((block for block in blocks if isinstance(block, Table)), None)
        if shown is None:
            return pd.DataFrame()
        heads, columns = [], []
        for at, (column, (like, _)) in enumerate(zip(shown.columns, column_scales(shown), strict=True)):
            scale, unit = scaled(like, column.unit) if fitting else (1.0, column.unit)
            heads.append(f"{column.head} ({unit})" if unit else column.head)
            columns.append([_plain(row[at], scale) for row in shown.rows])
        return pd.DataFrame(list(zip(*columns, strict=True)), columns=heads)

    def _shown(self) -> Shown:
        return replace(super()._shown(), table=self._rows(fitting=True))


def _plain(cell: Cell, scale: float) -> float | str:
    """Return the number of a cell in units of this size, or its words."""
    from benchlib.document.blocks import Number
    from benchlib.document.numbers import words_of

    if isinstance(cell, Number):
        return cell.value / scale
    return cell if isinstance(cell, str) else words_of(cell or ())


def latency(data: Data) -> Answer | Refusal:
    """Return what percentiles and throughput say of each other."""
    from benchlib.answers.latency import latency_answer, operating_answer
    from benchlib.tell import latency as told

    answer = latency_answer(data.study)
    if isinstance(answer, _Refusal):
        return Refusal(answer)
    return _Page(data.study, answer, told.document(answer, operating_answer(data.study), data.study))


def noise(data: Data) -> Answer | Refusal:
    """Return where the noise lives."""
    from benchlib.answers.noise import noise as noise_answer
    from benchlib.tell import noise as told

    answer = noise_answer(data.study)
    if isinstance(answer, _Refusal):
        return Refusal(answer)
    return _Page(data.study, answer, told.document(answer, data.study))


class Verdict(Shows):
    """What a notebook concludes; a report takes it for its answer."""

    def __init__(self, status: str, sentence: str, numbers: dict[str, Any]) -> None:
        self.status = status
        self.sentence = sentence
        self.numbers = numbers

    def _shown(self) -> Shown:
        import pandas as pd

        rows = pd.DataFrame(self.numbers.items(), columns=["number", "value"]) if self.numbers else None
        return Shown(sentence=f"{self.status.upper()}: {self.sentence}", table=rows)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        from benchlib.render.cells import ANSWERS

        data = super()._repr_mimebundle_(include, exclude)
        said = {"status": self.status, "answer": self.sentence, "gate": _GATES[self.status], "numbers": self.numbers}
        return {**data, ANSWERS: said}


def verdict(status: str, sentence: str, **numbers: float | str) -> Verdict:
    """Return what a notebook of one's own concludes, as its last cell.

    Parameters
    ----------
    status : {"pass", "warn", "fail"}
        ``fail`` trips the gate of a scheduled report.
    sentence : str
        The answer in one sentence.
    **numbers
        What stands behind it.

    Examples
    --------
    >>> import benchlib as bl
    >>> bl.verdict("pass", "Throughput holds its target.")
    PASS: Throughput holds its target.
    """
    if status not in _GATES:
        raise DataError(f"status '{printable(status)}' is none of {choices(list(_GATES))}")
    if not sentence.strip():
        raise DataError("a verdict needs a sentence; say what was found")
    return Verdict(status, sentence, dict(numbers))
