"""How throughput grows, in hand: curves, the laws fitted to them, and what they predict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from benchlib.answers.asking import Refusal as _Refusal
from benchlib.errors import DataError, SelectionError, choices, printable, suggestion
from benchlib.workbench.answer import Answer, Estimate, Refusal, evidence_table, messages
from benchlib.workbench.data import Data, Source, read, table
from benchlib.workbench.show import Shown, in_fitting_units

if TYPE_CHECKING:
    import pandas as pd

    from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
    from benchlib.document.blocks import Document
    from benchlib.scaling.fit import ScalingFit
    from benchlib.study import Study
    from benchlib.workbench.chart import Chart

__all__ = ["Fit", "Fits", "fit_scaling"]

#: Charts hold so many places of a fitted curve.
_PLACES = 80


def fit_scaling(
    source: Source | Sequence[float],
    throughput: Sequence[float] | None = None,
    *,
    unit: str = "op/s",
    where: str = "",
    n: str = "",
    metric: str = "",
    by: str | Sequence[str] = (),
    law: str | Sequence[str] = "auto",
    weights: str = "auto",
    level: float = 0.95,
) -> Fits | Fit | Refusal:
    """Fit scaling laws to throughput against concurrency.

    Parameters
    ----------
    source : anything `benchlib.read` takes, or a sequence of concurrencies
    throughput : sequence of float, optional
        Throughput at each concurrency, in `unit`; repeats are repeated concurrencies.
    unit : str
        Of `throughput`.
    where : str
        Keep only the rows that meet this condition.
    n, metric : str
        The axis that is concurrency, and the rate or the time; by default what the results say.
    by : str or sequence of str
        Axes that make curves of their own.
    law : str or sequence of str
        ``"auto"``, or names of `benchlib.laws`.
    weights : {"auto", "relative", "replicates", "none"}
    level : float
        Confidence level of every interval.

    Returns
    -------
    Fit
        Of one curve.
    Fits
        Of several.
    Refusal
        Where the results hold no curve.

    Raises
    ------
    SelectionError
        For an axis, metric or level that is not there.
    DataError
        For a law or weights that are not known, or numbers that make no curve.

    Examples
    --------
    >>> import benchlib as bl
    >>> fit = bl.fit_scaling([1, 2, 4, 8, 16], [100, 190, 340, 540, 700], unit="req/s")
    >>> fit.law
    'usl'
    """
    data = _typed(source, throughput, unit) if throughput is not None else read(_whole(source), where=where)
    asked = {"concurrency": n, "metric": metric, "by": by, "law": "all" if law == "auto" else law}
    return _fitted(data.study, {**asked, "weights": weights, "confidence_level": level})


def _typed(n: Any, throughput: Sequence[float], unit: str) -> Data:
    levels, values = list(n), list(throughput)
    if len(levels) != len(values):
        raise DataError(
            f"{len(levels)} concurrencies and {len(values)} throughputs; give one throughput for each concurrency"
        )
    return table(n=levels, throughput=values, unit=unit)


def _whole(source: Any) -> Source:
    if isinstance(source, list | tuple | range):
        raise DataError("these are concurrencies alone; give their throughput too: bl.fit_scaling([1, 2], [100, 190])")
    known: Source = source
    return known


def _fitted(study: Study, asked: Mapping[str, Any]) -> Fits | Fit | Refusal:
    from benchlib.answers.scaling import fit_scaling as answer_of

    answer = answer_of(study, **asked, budget=0)  # advice takes longer than the fits, and waits until it is asked for
    if isinstance(answer, _Refusal):
        return Refusal(answer)
    fits = Fits(study, answer, asked)
    return fits[0] if len(answer.curves) == 1 else fits


class Fits(Answer, Mapping[str, "Fit"]):
    """The curves of one study, each with its laws; a mapping by name that also takes a place or a level."""

    answer: ScalingAnswer

    def __init__(self, study: Study, answer: ScalingAnswer, asked: Mapping[str, Any]) -> None:
        super().__init__(study, answer)
        self._asked = asked

    def __getitem__(self, name: str | int) -> Fit:
        curves = self.answer.curves
        if isinstance(name, int):
            if not -len(curves) <= name < len(curves):
                raise SelectionError(f"no curve {name}; there are {len(curves)}, from 0 on")
            return Fit(self._study, self.answer, self._asked, curves[name])
        meant = [curve for curve in curves if curve.name == name]
        meant = meant or [curve for curve in curves if name in map(str, curve.key.values())]
        meant = meant or [curve for curve in curves if name in curve.name]
        if len(meant) != 1:
            names = [curve.name for curve in meant or curves]
            what = "several curves are" if meant else "no curve is"
            near = "" if meant else suggestion(name, names)
            raise SelectionError(f"{what} named '{printable(name)}'{near}; there are {choices(names, 12)}")
        return Fit(self._study, self.answer, self._asked, meant[0])

    def __iter__(self) -> Iterator[str]:
        return iter([curve.name for curve in self.answer.curves])

    def __len__(self) -> int:
        return len(self.answer.curves)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def _told(self) -> Document:
        from benchlib.answers.latency import operating_answer
        from benchlib.tell import scaling

        operating = operating_answer(self._study, confidence_level=self.answer.confidence_level)
        return scaling.document(self.answer, operating, self._study)

    @property
    def table(self) -> pd.DataFrame:
        """One row a curve: law, parameters, peak, ceiling, levels and measurements."""
        import pandas as pd

        return pd.DataFrame([self[place]._row() for place in range(len(self))])

    @property
    def points(self) -> pd.DataFrame:
        """One row a level of each curve: throughput, speedup, efficiency."""
        import pandas as pd

        return pd.concat([self[place].points.assign(curve=name) for place, name in enumerate(self)], ignore_index=True)

    def differ(self, parameter: str) -> pd.DataFrame:
        """Return by how much a parameter of the laws differs between the curves, with its interval.

        Raises
        ------
        SelectionError
            If that parameter was not compared.
        """
        import pandas as pd

        compared = {law.comparison.name: law.comparison for law in self.answer.comparisons}
        if parameter not in compared:
            raise SelectionError(
                f"'{printable(parameter)}' is not compared between these curves{suggestion(parameter, compared)}; "
                f"{choices(list(compared)) if compared else 'their laws share no parameter'}"
            )
        comparison = compared[parameter]
        first = next(iter(comparison.values))
        return pd.DataFrame(
            [{"curve": name, "against": first, **_ends(estimate)} for name, estimate in comparison.differences.items()]
        )

    def _shown(self) -> Shown:
        return replace(super()._shown(), folded=(("Levels", self.points),))


class Fit(Answer):
    """One curve with the law that was chosen for it.

    Examples
    --------
    >>> import benchlib as bl
    >>> fit = bl.fit_scaling([1, 2, 4, 8, 16], [100, 190, 340, 540, 700], unit="req/s")
    >>> fit.peak
    21.0 (95%: 19.7 to 22.5; n = 5)
    >>> fit.predict(32)["value"].round().tolist()
    [676.0]
    """

    answer: CurveAnswer

    def __init__(
        self, study: Study, whole: ScalingAnswer, asked: Mapping[str, Any], curve: CurveAnswer, law: str = ""
    ) -> None:
        super().__init__(study, curve)
        self._whole = whole
        self._asked = asked
        self._law = law

    # ---- the law ----

    @cached_property
    def _fit(self) -> ScalingFit:
        from benchlib.scaling.fit import fit_law

        fits = {fit.law: fit for fit in self.answer.fits}
        wanted = self._law or (self.answer.choice.law if self.answer.choice is not None else "")
        if not wanted:
            raise DataError(f"no law was chosen ({self.answer.why})")
        if wanted in fits:
            return fits[wanted]
        like = self.answer.fits[0]
        return fit_law(self.answer.curve, wanted, weights=like.weights, confidence_level=like.confidence_level)

    @property
    def name(self) -> str:
        """The name of the curve."""
        return self.answer.name

    @property
    def law(self) -> str:
        """The law, a name of `benchlib.laws`."""
        return self._fit.law

    @property
    def why(self) -> str:
        """Why this law."""
        return f"{self._law} was asked for" if self._law else self.answer.why

    @property
    def params(self) -> pd.DataFrame:
        """The parameters with their intervals, standard errors and units."""
        import pandas as pd

        rows = {name: _ends(estimate) for name, estimate in self._fit.parameters.items()}
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("quantity")

    @property
    def peak(self) -> Estimate | None:
        """Where throughput is largest; None for a law without a peak."""
        return _known(self._fit.peak)

    @property
    def knee(self) -> Estimate | None:
        """Where contention bends the curve; None without contention."""
        return _known(self._fit.knee)

    @property
    def ceiling(self) -> Estimate | None:
        """The largest throughput of the law."""
        return _known(self._fit.ceiling)

    @property
    def laws(self) -> pd.DataFrame:
        """Every law that was fitted, the likeliest first: how far it misses, AICc, and its weight."""
        import pandas as pd

        from benchlib.scaling.predict import likelihood_weights

        fits = self.answer.fits
        weights = likelihood_weights(fits)
        rows = [
            {
                "law": fit.law,
                "error": fit.residual_standard_error,
                "AICc": fit.criteria.aicc,
                "weight": weights[fit.law],
                "chosen": fit.law == self.law,
            }
            for fit in fits
        ]
        return pd.DataFrame(rows).sort_values("AICc", ignore_index=True)

    def with_law(self, law: str) -> Fit:
        """Return the same curve seen by another law.

        Raises
        ------
        DataError
            For a law that is not known, or that these levels cannot carry.
        """
        from benchlib.scaling.laws import LAWS

        if law not in LAWS:
            raise DataError(f"no law '{printable(law)}'{suggestion(law, LAWS)}; there are {choices(list(LAWS))}")
        other = Fit(self._study, self._whole, self._asked, self.answer, law)
        _ = other._fit  # what cannot be fitted is said here, not when it is first looked at
        return other

    def without(self, where: str = "", **levels: Any) -> Fit:
        """Return the curve fitted again without some of its rows: ``fit.without(n=16)``.

        ``n`` stands for the axis of concurrency, whatever it is called.
        """
        if "n" in levels and self.answer.axis != "n":
            levels[self.answer.axis] = levels.pop("n")
        # The rows of this curve alone: the others would be fitted again for nothing.
        own = Data(self._study).select(**self.answer.key) if self.answer.key else Data(self._study)
        again = self._again(own.drop(where, **levels).study, self._asked)
        whole = replace(again._whole, curves=self._whole.curves)  # what it is told to be one of
        return Fit(again._study, whole, again._asked, replace(again.answer, name=self.name))

    def _again(self, study: Study, asked: Mapping[str, Any]) -> Fit:
        again = _fitted(study, asked)
        if isinstance(again, Fits):
            again = again[self.name]
        if isinstance(again, Refusal):
            raise DataError(f"{again.reason}; {again.remedy}")
        return again

    # ---- levels, and what the laws say of others ----

    @property
    def points(self) -> pd.DataFrame:
        """One row a level: n, throughput with its interval, speedup, efficiency, measurements."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    self.answer.axis: point.concurrency,
                    "throughput": point.throughput.value,
                    "low": point.throughput.low,
                    "high": point.throughput.high,
                    "unit": point.throughput.unit,
                    "speedup": point.speedup,
                    "efficiency": point.efficiency,
                    "measurements": point.n,
                }
                for point in self.answer.points
            ]
        )

    @property
    def table(self) -> pd.DataFrame:
        """The parameters, and peak, knee and ceiling where the law has them."""
        import pandas as pd

        derived = {name: getattr(self._fit, name) for name in ("peak", "knee", "ceiling")}
        rows = {name: _ends(estimate) for name, estimate in derived.items() if estimate is not None}
        if not rows:
            return self.params
        return pd.concat([self.params, pd.DataFrame.from_dict(rows, orient="index")]).rename_axis("quantity")

    @property
    def residuals(self) -> pd.DataFrame:
        """What each measurement is above the law at its level, in its unit and as a share."""
        import numpy as np
        import pandas as pd

        curve = self.answer.curve
        rows = [
            (level, value)
            for level, values in zip(curve.concurrency, curve.replicates, strict=True)
            for value in values
        ]
        frame = pd.DataFrame(rows, columns=[self.answer.axis, "measured"])
        fitted = self._law_at(np.asarray(frame[self.answer.axis], dtype=float))
        return frame.assign(fitted=fitted, residual=frame["measured"] - fitted, share=frame["measured"] / fitted - 1)

    def predict(self, n: float | Sequence[float], kind: str = "mean") -> pd.DataFrame:
        """Predict throughput at concurrencies, averaged over the laws by how likely each is.

        A law that was asked for (`with_law`) predicts by itself.

        Parameters
        ----------
        n : float or sequence of float
            Up to 1,000 times the largest level; intervals say what that is worth.
        kind : {"mean", "new"}
            The interval of the mean, or of one new measurement.

        Returns
        -------
        pandas.DataFrame
            Columns ``n``, ``value``, ``low``, ``high``, ``unit``.
        """
        import pandas as pd

        from benchlib.scaling.predict import average_bands

        kinds = {"mean": "confidence", "new": "prediction"}
        if kind not in kinds:
            raise DataError(f"kind '{printable(kind)}' is none of {choices(list(kinds))}")
        band = average_bands(self._voting, n, kind=kinds[kind], extrapolate=True)
        return pd.DataFrame(
            {
                "n": band.concurrency,
                "value": band.throughput,
                "low": band.low,
                "high": band.high,
                "unit": self._fit.unit,
            }
        )

    def reach(self, throughput: float | str) -> pd.DataFrame:
        """Return the concurrencies at which the laws reach a throughput: ``fit.reach("9000/s")``."""
        return self._read({"reach": throughput}, "reach")

    def at_latency(self, latency: float | str) -> pd.DataFrame:
        """Return the largest throughput within a mean latency, by Little's law: ``fit.at_latency("5ms")``."""
        return self._read({"latency": latency}, "within")

    def _read(self, question: Mapping[str, Any], field: str) -> pd.DataFrame:
        import pandas as pd

        law = {"law": self._law} if self._law else {}
        readings = self._again(self._study, {**self._asked, **law, **question}).answer.readings
        told = getattr(readings, field, None)
        if told is None:
            refused = readings.refused if readings is not None else ()
            raise DataError("; ".join(refused) or "the laws of this curve cannot be read there")
        places = told.concurrency if field == "reach" else (told.concurrency,)
        rows = [{"quantity": "n", **_ends(place)} for place in places if place is not None]
        if field == "within" and told.throughput is not None:
            rows.append({"quantity": "throughput", **_ends(told.throughput)})
        if not rows:
            raise DataError(told.reason)
        return pd.DataFrame(rows)

    def next(self, budget: str | float = "1min") -> pd.DataFrame:
        """Return what to measure next to know the curve better, best first; it takes a second or more."""
        import pandas as pd

        from benchlib.units import parse_duration

        seconds = parse_duration(budget.replace("min", "m")) if isinstance(budget, str) else float(budget)
        from benchlib.answers.scaling import fit_scaling as answer_of

        answer = answer_of(self._study, **self._asked, budget=seconds)
        if isinstance(answer, _Refusal):
            raise DataError(f"{answer.reason}; {answer.advice}")
        curve = next(curve for curve in answer.curves if curve.name == self.name)
        rows = [
            {
                "quantity": advice.quantity,
                "measure": command,
                "width now": advice.present_width,
                "width then": advice.expected_width,
            }
            for advice, command in zip(curve.advice, curve.commands, strict=True)
        ]
        return pd.DataFrame(rows, columns=["quantity", "measure", "width now", "width then"])

    def evidence(self, n: float) -> pd.DataFrame:
        """Return the measurements behind one level, each with its file and line."""
        if float(n) not in self.answer.evidence:
            raise SelectionError(
                f"no level {n:g}; there are {choices([f'{level:g}' for level in self.answer.evidence])}"
            )
        evidence = self.answer.evidence[float(n)]
        return evidence_table(evidence.rows, evidence.values, evidence.unit)

    # ---- how it shows itself ----

    def plot(self, *others: Fit, residuals: bool = False, band: bool = True) -> Chart:
        """Draw the measured levels with the law and its band, and the laws of other fits over them."""
        from benchlib.figures.exploring import draw_fit, draw_residuals
        from benchlib.workbench.chart import Chart

        if residuals:
            return Chart(draw_residuals(self.residuals, axis=self.answer.axis, name=self.name))
        lines = [
            (f"{fit.law}" if fit.name == self.name else f"{fit.name}: {fit.law}", fit._line(band))
            for fit in (self, *others)
        ]
        curves = [self.answer, *(fit.answer for fit in others if fit.name != self.name)]
        return Chart(draw_fit(curves, lines, finding=f"{self.name}: {' and '.join(name for name, _ in lines)}"))

    @property
    def sentence(self) -> str:
        """What the curve says first: law, parameters, peak."""
        if self.answer.choice is None and not self._law:
            return f"{self.name}: no law was chosen ({self.answer.why})."
        parts = [
            f"{name.replace('_', ' ')} {Estimate(estimate).ends}"
            for name, estimate in self._fit.parameters.items()
            if name != "rate_at_one"
        ]
        if self._fit.peak is not None:
            parts.append(f"peak at {Estimate(self._fit.peak).ends}")
        name = f"{self.name}: " if len(self._whole.curves) > 1 else ""
        return f"{name}{', '.join((self.law, *parts))}; n = {self._fit.n}."

    @property
    def caveats(self) -> tuple[str, ...]:
        """What could be wrong, the gravest first."""
        law = self._fit.caveats if self._law else ()
        return messages(dict.fromkeys((*law, *self.answer.caveats)))

    def report(self) -> str:
        """Return everything about the fit as plain text."""
        parts = [self.sentence, self.why, self.table.to_string(), self.points.to_string(index=False)]
        return "\n\n".join([*parts, *self.caveats])

    def sliders(self) -> Any:
        """Show the chart with a choice of law and of the largest level that counts."""
        from benchlib.workbench.sliders import of_fit

        return of_fit(self)

    def _told(self) -> Document:
        from benchlib.answers.latency import operating_answer
        from benchlib.tell import scaling

        choice = self.answer.choice
        curve = replace(self.answer, choice=replace(choice, law=self._law)) if choice and self._law else self.answer
        whole = replace(self._whole, curves=(curve,))
        return scaling.document(whole, operating_answer(self._study), self._study)

    def _shown(self) -> Shown:
        levels = in_fitting_units(self.points, "throughput", "low", "high")
        if self.answer.choice is None and not self._law:
            return Shown(sentence=self.sentence, table=levels, caveats=self.caveats)
        return Shown(
            sentence=self.sentence,
            chart=self.plot(),
            table=in_fitting_units(self.table, "value", "low", "high", "error"),
            caveats=self.caveats,
            folded=(("Levels", levels), ("Every law", self.laws), ("Why this law", self.why)),
        )

    @property
    def _voting(self) -> tuple[ScalingFit, ...]:
        return (self._fit,) if self._law else self.answer.fits

    def _law_at(self, n: Any) -> Any:
        from benchlib.scaling.laws import LAWS

        return LAWS[self._fit.law].throughput(n, *self._fit.coefficients)

    def _line(self, band: bool) -> pd.DataFrame:
        import numpy as np

        first, last = self._fit.measured_range
        line = self.predict(np.geomspace(first, 1.5 * last, _PLACES).tolist())
        return line if band else line[["n", "value"]]

    def _row(self) -> dict[str, Any]:
        if self.answer.choice is None and not self._law:
            return {
                "curve": self.name,
                "law": "",
                "levels": len(self.answer.points),
                "measurements": sum(self.answer.curve.counts),
            }
        numbers = {name: estimate.value for name, estimate in self._fit.parameters.items()}
        for name in ("peak", "ceiling"):
            estimate = getattr(self._fit, name)
            numbers[name] = float("nan") if estimate is None else estimate.value
        return {
            "curve": self.name,
            "law": self.law,
            **numbers,
            "levels": len(self.answer.points),
            "measurements": self._fit.n,
        }


def _ends(estimate: Any) -> dict[str, Any]:
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "error": estimate.standard_error,
        "unit": estimate.unit,
    }


def _known(estimate: Any) -> Estimate | None:
    return None if estimate is None else Estimate(estimate)
