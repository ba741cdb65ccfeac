"""What every answer of the workbench has in common: it shows itself, and is a table and a chart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from benchlib.answers.asking import Refusal as _Refusal
from benchlib.caveats import Caveat
from benchlib.errors import DataError, printable
from benchlib.statistics import estimates
from benchlib.units import parse_unit
from benchlib.workbench.show import Shown, Shows

if TYPE_CHECKING:
    import pandas as pd

    from benchlib.document.blocks import Document, Number
    from benchlib.study import Study
    from benchlib.workbench.chart import Chart

__all__ = ["Answer", "Estimate", "Refusal", "evidence_table", "messages"]


class Answer(Shows):
    """An answer of benchlib, with what it says, its table and its chart."""

    def __init__(self, study: Study, answer: Any) -> None:
        #: The frozen answer behind it, with everything that is known.
        self.answer = answer
        self._study = study

    def _told(self) -> Document:
        raise NotImplementedError

    @cached_property
    def _document(self) -> Document:
        return self._told()

    @property
    def sentence(self) -> str:
        """What the answer says first."""
        from benchlib.document.numbers import words_of

        return words_of(self._document.answer)

    @property
    def decision(self) -> str:
        """What to do."""
        from benchlib.document.numbers import words_of

        return words_of(self._document.decision)

    @property
    def confidence(self) -> str:
        """How sure the answer is, and the one reason."""
        from benchlib.document.numbers import words_of

        sure = self._document.confidence
        return f"{sure.level}: {words_of(sure.reason)}"

    @property
    def caveats(self) -> tuple[str, ...]:
        """What could be wrong, the gravest first."""
        return messages(getattr(self.answer, "caveats", ()))

    @property
    def table(self) -> pd.DataFrame:
        """The answer as a table of numbers in base units."""
        raise NotImplementedError

    def plot(self) -> Chart:
        """Draw the figure of the answer.

        Raises
        ------
        DataError
            Where the answer has no figure.
        """
        from benchlib.workbench.chart import Chart

        if self._document.figure is None:
            raise DataError("there is nothing to draw here; look at .table")
        return Chart(self._document.figure)

    @property
    def document(self) -> Document:
        """The answer as it stands on a page; on the last line of a cell it becomes a part of the report."""
        return self._document

    def _shown(self) -> Shown:
        figure = self._document.figure
        return Shown(
            sentence=self.sentence,
            chart=None if figure is None else self.plot(),
            table=self.table,
            caveats=self.caveats,
        )


class Refusal(Shows):
    """Why a question has no answer here, and what would let it be asked. It is false in a condition."""

    def __init__(self, refusal: _Refusal) -> None:
        self.answer = refusal

    def __bool__(self) -> bool:
        return False

    @property
    def reason(self) -> str:
        """What the data lack."""
        return self.answer.reason

    @property
    def remedy(self) -> str:
        """What would let the question be asked."""
        return self.answer.advice

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_") or name == "answer":  # what a notebook asks of every object
            raise AttributeError(name)
        raise DataError(f"there is no .{printable(name, 40)}: {self.reason}; {self.remedy}")

    def _shown(self) -> Shown:
        return Shown(sentence=f"No answer: {self.reason}.", caveats=(f"To have one: {self.remedy}.",))


class Estimate(Shows):
    """A number with its unit, interval and count of measurements."""

    def __init__(self, estimate: estimates.Estimate, unit: str = "") -> None:
        self.answer = estimate
        #: The unit in which it is shown; empty for the base unit, written with a fitting prefix.
        self._shown_unit = unit

    @property
    def _factor(self) -> float:
        return parse_unit(self._shown_unit).factor if self._shown_unit else 1.0

    @property
    def value(self) -> float:
        """The value, in `unit`."""
        return self.answer.value / self._factor

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.answer.low / self._factor

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.answer.high / self._factor

    @property
    def n(self) -> int:
        """How many measurements it rests on."""
        return self.answer.n

    @property
    def unit(self) -> str:
        """The unit of the value and of both ends."""
        return self._shown_unit or self.answer.unit

    def to(self, unit: str) -> Estimate:
        """Return the estimate in another unit of the same kind.

        Raises
        ------
        DataError
            For a unit of another kind.

        Examples
        --------
        >>> import benchlib as bl
        >>> fit = bl.fit_scaling([1, 2, 4, 8, 16], [1000, 1900, 3400, 5400, 7000], unit="req/s")
        >>> fit.ceiling.to("kreq/s")
        7.16 kreq/s (95%: 7.04 to 7.30; n = 5)
        """
        asked = parse_unit(unit)
        if asked.base != self.answer.unit:
            raise DataError(
                f"{printable(unit)} is no unit of {self.answer.unit or 'a plain number'}; write one with another prefix"
            )
        return Estimate(self.answer, unit)

    def __float__(self) -> float:
        return float(self.value)

    def __format__(self, specification: str) -> str:
        return format(self.value, specification) if specification else str(self)

    def __str__(self) -> str:
        between = f"{self.answer.confidence_level:.0%}: {self._interval}; " if self._interval else ""
        return f"{self._written} ({between}n = {self.n})"

    @property
    def ends(self) -> str:
        """The value with both ends of its interval, and nothing else: ``"0.0515 (0.0468 to 0.0562)"``."""
        return f"{self._written}{f' ({self._interval})' if self._interval else ''}"

    @property
    def _written(self) -> str:
        from benchlib.document.numbers import write

        return f"{write(self._number)}{f' {self._shown_unit}' if self._shown_unit else ''}"

    @property
    def _interval(self) -> str:
        from benchlib.document.numbers import interval

        return interval(self._number)

    @property
    def _number(self) -> Number:
        from benchlib.document.blocks import Number

        low, high = (self.low, self.high) if self.answer.has_interval else (None, None)
        return Number(value=self.value, unit="" if self._shown_unit else self.answer.unit, low=low, high=high)

    def _shown(self) -> Shown:
        return Shown(sentence=str(self))


def messages(caveats: Iterable[Caveat]) -> tuple[str, ...]:
    """Return caveats as sentences, each with what would settle it."""
    return tuple(
        f"{caveat.message}{f' ({caveat.advice})' if getattr(caveat, 'advice', '') else ''}" for caveat in caveats
    )


def evidence_table(rows: Sequence[str], values: Sequence[tuple[str, float]], unit: str) -> pd.DataFrame:
    """Return the rows behind a number: where each stands, and its value where it was kept."""
    import pandas as pd

    known = pd.DataFrame(values, columns=["where", f"value ({unit})" if unit else "value"])
    others = [row for row in rows if row not in set(known["where"])]
    return pd.concat([known, pd.DataFrame({"where": others})], ignore_index=True) if known.empty else known
