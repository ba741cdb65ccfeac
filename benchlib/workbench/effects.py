"""What each factor costs, in hand: the formula, the cells, what is special, and what a cell would cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchlib.answers.asking import Refusal as _Refusal
from benchlib.errors import DataError, SelectionError, choices, printable
from benchlib.workbench.answer import Answer, Refusal
from benchlib.workbench.data import Data, Source, read
from benchlib.workbench.show import Shown, in_fitting_units

if TYPE_CHECKING:
    import pandas as pd

    from benchlib.answers.effects import EffectModel, EffectsAnswer
    from benchlib.document.blocks import Document
    from benchlib.effects.additive import Slope
    from benchlib.study import Study
    from benchlib.workbench.chart import Chart

__all__ = ["Effects", "fit_effects"]


def fit_effects(
    source: Source,
    metric: str = "",
    *,
    factors: str | Sequence[str] = (),
    by: str | Sequence[str] = (),
    where: str = "",
    terms: str = "standard",
    level: float = 0.95,
) -> Effects | Refusal:
    """Break out what each factor does to a metric.

    Parameters
    ----------
    source : anything `benchlib.read` takes
    metric : str
        What to explain; by default what the study asks, else the time.
    factors, by : str or sequence of str
        Axes that were varied, and axes that make models of their own.
    where : str
        Keep only the rows that meet this condition.
    terms : {"standard", "wide"}
        Which terms a cost model may have.
    level : float
        Confidence level of every interval.

    Returns
    -------
    Effects or Refusal

    Raises
    ------
    SelectionError
        For an axis, metric or level that is not there.

    Examples
    --------
    >>> import benchlib as bl
    >>> bl.fit_effects("data/token-sdk", metric="time", where="benchmark=Sender").formula
    '(447 µs + 11.2 ms * outputs) * 1.76 at bits = 64 * 1.51 at curve = BLS12_381_BBS_GURVY'
    """
    data = read(source, where=where)
    factors = factors or data.study.effects.factors or data.axes
    return _effects(
        data.study, {"metric": metric, "factors": factors, "by": by, "term_set": terms, "confidence_level": level}
    )


def _effects(study: Study, asked: Mapping[str, Any]) -> Effects | Refusal:
    from benchlib.answers.effects import analyse_effects

    answer = analyse_effects(study, **asked)
    return Refusal(answer) if isinstance(answer, _Refusal) else Effects(study, answer, asked)


class Effects(Answer):
    """What the factors of a study do to a metric."""

    answer: EffectsAnswer

    def __init__(self, study: Study, answer: EffectsAnswer, asked: Mapping[str, Any], place: int = 0) -> None:
        super().__init__(study, answer)
        self._asked = asked
        self._place = place

    @property
    def models(self) -> pd.DataFrame:
        """One row a group and metric: its cells, and its formula."""
        import pandas as pd

        rows = [
            {"model": _name(model), "metric": model.metric, "cells": len(model.cells), "formula": _formula(model)}
            for model in self.answer.models
        ]
        return pd.DataFrame(rows)

    def __getitem__(self, name: str | int) -> Effects:
        """Return the same answer with another of its models in front."""
        names = [_name(model) for model in self.answer.models]
        places = [name] if isinstance(name, int) else [at for at, known in enumerate(names) if name in known]
        if not places or not -len(names) <= places[0] < len(names):
            raise SelectionError(f"no model '{printable(str(name))}'; there are {choices(names, 12)}")
        return Effects(self._study, self.answer, self._asked, places[0])

    @property
    def _model(self) -> EffectModel:
        if not self.answer.models:
            reasons = [refusal.reason for refusal in self.answer.refusals]
            raise DataError(f"there is no model here: {reasons[0] if reasons else 'no factor varies'}")
        return self.answer.models[self._place]

    @property
    def formula(self) -> str:
        """The cost model in one line; empty where none could be fitted."""
        return _formula(self._model)

    @property
    def importance(self) -> pd.DataFrame:
        """How much of the variance each factor alone explains."""
        import pandas as pd

        variance = self._model.variance
        if variance is None:
            raise DataError("the shares of the factors were not worked out here; vary two factors or more")
        return pd.DataFrame(list(variance.shares.items()), columns=["factor", "share"])

    @property
    def table(self) -> pd.DataFrame:
        """What each level of each factor does: slopes of numeric factors, ratios of the others."""
        import pandas as pd

        fit = self._model.fit
        slopes = [
            {
                "factor": slope.factor,
                "level": "each",
                "does": "adds",
                **_interval(slope.estimate),
                "where": _at(slope),
            }
            for slope in fit.slopes
        ]
        ratios = [
            {"factor": ratio.factor, "level": str(ratio.level), "does": "times", **_interval(ratio.estimate)}
            for ratio in fit.ratios
        ]
        return pd.DataFrame(
            [*slopes, *ratios], columns=["factor", "level", "does", "value", "low", "high", "unit", "where"]
        )

    @property
    def cells(self) -> pd.DataFrame:
        """Every combination of levels that was measured, with its median."""
        import pandas as pd

        model = self._model
        return pd.DataFrame(
            [{**cell.levels, model.metric: cell.median.value, "unit": model.unit, "n": cell.n} for cell in model.cells]
        )

    @property
    def special(self) -> pd.DataFrame:
        """The cells that follow another rule than all others."""
        import pandas as pd

        return pd.DataFrame(
            [
                {**cell.levels, "measured": cell.observed, "expected": cell.expected, "n": cell.n}
                for cell in self._model.fit.special_cells
            ]
        )

    def predict(self, *cells: str | Mapping[str, Any], **levels: Any) -> pd.DataFrame:
        """Predict cells that were not measured: ``predict("bits=64 outputs=4")`` or ``predict(bits=64, outputs=4)``.

        A factor that is not named is at its first level; the table that comes back says which.

        Raises
        ------
        DataError
            Where no cost model can predict them.
        """
        import pandas as pd

        asked = [*cells, *([levels] if levels else [])]
        if not asked:
            raise DataError('name a cell to predict, e.g. "bits=64 outputs=4"')
        first = {factor: known[0] for factor, known in self._model.table.factors.items()}
        wanted = [{**first, **(_levels(cell) if isinstance(cell, str) else cell)} for cell in asked]
        answered = _effects(self._study, {**self._asked, "predict": wanted, "extrapolate": True})
        if isinstance(answered, Refusal):
            raise DataError(f"{answered.reason}; {answered.remedy}")
        cost = answered.answer.models[self._place].cost
        if cost is None or not cost.predictions:
            raise DataError("this model predicts no such cell; name a level of each of its factors")
        return pd.DataFrame(
            [
                {
                    **prediction.at,
                    **(_interval(prediction.estimate) if prediction.estimate else {}),
                    "refused": prediction.refusal,
                }
                for prediction in cost.predictions
            ]
        )

    def left_out(self) -> pd.Series:
        """Return how well the cost model predicts cells that it has not seen: its error, and in how many it holds."""
        import pandas as pd

        cost = self._model.cost
        if cost is None:
            raise DataError("there is no cost model here to leave cells out of")
        left_out = cost.model.left_out
        return pd.Series({"error": left_out.error, "held": left_out.held, "cells": left_out.cells})

    def plot(self, factor: str = "", *, color: str = "") -> Chart:
        """Draw the figure of the answer, or the metric against one factor."""
        if not factor:
            return super().plot()
        return self._of_model().plot(factor, color=color, kind="line")

    def heat(self, rows: str, columns: str) -> Chart:
        """Draw the medians of the cells of two factors."""
        return self._of_model().plot(columns, rows, kind="heat")

    def _of_model(self) -> Data:
        model = self._model
        key = {column: level for column, level in model.key.items() if level == level and level is not None}
        return Data(self._study).select(metric=model.metric, **key)

    def _told(self) -> Document:
        from dataclasses import replace

        from benchlib.tell import effects

        first = self.answer.models[self._place : self._place + 1]
        answer = replace(self.answer, models=first) if self._place else self.answer
        return effects.document(answer, self._study)

    def _shown(self) -> Shown:
        from dataclasses import replace

        if not self.answer.models:
            return Shown(sentence=self.sentence, caveats=self.caveats)
        models = [(f"{len(self.answer.models)} models", self.models)] if len(self.answer.models) > 1 else []
        table = in_fitting_units(self.table, "value", "low", "high")
        return replace(super()._shown(), table=table, folded=(("Cells", self.cells), *models))


def _levels(cell: str) -> dict[str, str]:
    from benchlib.results import condition

    return {column: level for column, _, level in condition(cell)}


def _name(model: EffectModel) -> str:
    return ", ".join([*(str(level) for level in model.key.values()), model.metric])


def _at(slope: Slope) -> str:
    return ", ".join(f"{factor} {level}" for factor, level in slope.slice.items())


def _formula(model: EffectModel) -> str:
    return model.cost.model.chosen.formula if model.cost is not None else ""


def _interval(estimate: Any) -> dict[str, Any]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "unit": estimate.unit}
