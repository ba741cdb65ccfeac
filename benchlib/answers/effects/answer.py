"""What a study says of its factors: cells, plain effects, cost models, parts of a whole, settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchlib.answers.evidence import Evidence
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling import LawComparison
from benchlib.caveats import Caveat
from benchlib.effects.anova import VarianceTable
from benchlib.effects.breakdown import Breakdown
from benchlib.effects.cells import Cell, CellTable, Level
from benchlib.effects.cost_models import CostModel
from benchlib.effects.interactions import Interactions
from benchlib.effects.plain_effects import EffectsFit
from benchlib.effects.predict import NextCell, Prediction
from benchlib.effects.settings import SettingChoice

__all__ = [
    "BreakdownAnswer",
    "ChoiceAnswer",
    "CostAnswer",
    "EffectModel",
    "EffectsAnswer",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostAnswer:
    """The cost model of one metric of one group, and what follows from it.

    Attributes
    ----------
    model : CostModel
    predictions : tuple of Prediction
        Of the cells that were asked for and that name all of its factors.
    next_cells : tuple of NextCell
        What to measure next to tell the chosen model from its closest rival; empty without a rival.
    """

    model: CostModel
    predictions: tuple[Prediction, ...]
    next_cells: tuple[NextCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectModel:
    """What all factors do to one metric of one group (a benchmark, mostly).

    Attributes
    ----------
    key : mapping
    metric, unit : str
    table : CellTable
    fit : EffectsFit
        Slopes, ratios of levels, special cells.
    variance : VarianceTable or None
        Which factor matters; None where only plain effects were asked for, as for the next two.
    interactions : Interactions or None
    cost : CostAnswer or None
        Also None where no cost model could be fitted; then a caveat of the answer says why.
    evidence : Evidence
        Of what follows from all cells.
    cell_evidence : tuple of Evidence
        Of each cell, in the order of ``cells``.
    """

    key: Mapping[str, Any]
    metric: str
    unit: str
    table: CellTable
    fit: EffectsFit
    variance: VarianceTable | None
    interactions: Interactions | None
    cost: CostAnswer | None
    evidence: Evidence
    cell_evidence: tuple[Evidence, ...]

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every combination of levels that was measured."""
        return self.table.cells

    def behind(self, levels: Mapping[str, Level]) -> Evidence:
        """Return the evidence of the cell with these levels."""
        return self.cell_evidence[next(place for place, one in enumerate(self.cells) if one.levels == levels)]


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakdownAnswer:
    """A whole and its parts, in each cell of a group in which they were measured.

    Attributes
    ----------
    name, whole : str
    key : mapping
    metric : str
    left_out : str
        Why the study keeps such rows out of its scaling curves; empty where it does not.
    cells : tuple of (mapping of factor to level, Breakdown)
    evidence : Evidence
        The rows of the whole and its parts, and the profile where one was given.
    caveats : tuple of Caveat
        Of all cells, and that of ``left_out``.
    """

    name: str
    whole: str
    key: Mapping[str, Any]
    metric: str
    left_out: str
    cells: tuple[tuple[Mapping[str, Level], Breakdown], ...]
    evidence: Evidence
    caveats: tuple[Caveat, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceAnswer:
    """Which setting of a factor is best, in each context."""

    name: str
    factor: str
    contexts: tuple[SettingChoice, ...]
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectsAnswer:
    """What the factors of a study do.

    Attributes
    ----------
    factors : tuple of str
    models : tuple of EffectModel
        One a metric and group.
    breakdowns : tuple of BreakdownAnswer
    choices : tuple of ChoiceAnswer
    scaling : tuple of LawComparison
        Whether contention or the serial fraction differs between curves that the factors tell apart.
    refusals : tuple of Refusal
        What was asked or planned and cannot be answered.
    confidence_level : float
    caveats : tuple of Caveat
    """

    factors: tuple[str, ...]
    models: tuple[EffectModel, ...]
    breakdowns: tuple[BreakdownAnswer, ...]
    choices: tuple[ChoiceAnswer, ...]
    scaling: tuple[LawComparison, ...]
    refusals: tuple[Refusal, ...]
    confidence_level: float
    caveats: tuple[Caveat, ...]
