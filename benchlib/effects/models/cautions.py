"""What a cost model warns of."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from benchlib.caveats import Caveat, caveat
from benchlib.effects.cells import CellTable, Level, name_cell
from benchlib.effects.hypotheses import Observed
from benchlib.effects.models.answers import FittedModel
from benchlib.effects.models.criteria import ENOUGH_FREEDOM, SIGNIFICANT
from benchlib.effects.slopes import SpecialCell
from benchlib.errors import choices, printable

__all__ = ["caution", "caution_of_levels"]

#: A model that misses its cells by more than this share of their cost is said to be poor.
POOR_FIT = 0.15
#: A factor with fewer levels is said to leave too few to judge the shape of its term by.
ENOUGH_LEVELS = 4
#: Where models of another form hold more than this share of the weight, the form is said to be uncertain.
OTHER_FORMS = 0.1


def caution(
    table: CellTable,
    observed: Observed,
    rivals: Sequence[FittedModel],
    special_cells: Sequence[SpecialCell],
    lack: float,
) -> list[Caveat]:
    """Return what the data and the choice of a model warn of."""
    found = [
        caveat("one-level", f"{printable(factor)} has one level only ({printable(str(levels[0]))})")
        for factor, levels in table.factors.items()
        if len(levels) == 1
    ]
    if special_cells:
        named = _name_special(special_cells, observed)
        found.append(caveat("special-cell", f"no cost model of the other cells explains {named}: set apart"))
    if not observed.pure_freedom:
        found.append(caveat("one-replicate", "every cell was measured once: nothing tells noise from lack of fit"))
    best = rivals[0]
    if best.relative_error > POOR_FIT:
        found.append(
            caveat("poor-fit", f"the model misses the cells by {100 * best.relative_error:.0f} % of their cost")
        )
    elif lack < SIGNIFICANT:
        found.append(
            caveat(
                "lack-of-fit",
                f"cells stray from the model by {100 * best.relative_error:.2g} %, more than their replicates explain "
                f"(p = {lack:.2g}); intervals allow for it",
            )
        )
    if len(rivals) > 1:
        others = "1 other model fits" if len(rivals) == 2 else f"{len(rivals) - 1} other models fit"
        found.append(caveat("rival-model", f"{others} nearly as well (BIC {rivals[1].bic - best.bic:+.1f})"))
        sharper = min(rivals, key=lambda one: one.loo_error)
        if sharper.loo_error < best.loo_error / 1.5:
            found.append(
                caveat(
                    "rival-model",
                    f"rival {rivals.index(sharper)} predicts left-out cells to {100 * sharper.loo_error:.2g} %, the "
                    f"model chosen to {100 * best.loo_error:.2g} %",
                )
            )
    found += _caution_of_few(observed, best) + _caution_of_form(rivals)
    if best.degrees_of_freedom < 1:
        found.append(caveat("no-freedom", f"{len(best.terms)} coefficients meet {observed.cells} cells: no interval"))
    return found


def _caution_of_few(observed: Observed, best: FittedModel) -> list[Caveat]:
    """Warn where cells or levels leave too little to judge the form of a model by."""
    between = observed.cells - len(best.terms) - len(best.scales)
    # Replicates tell the noise, not the shape; without numbers there is no shape to tell.
    freedom = min(between, best.degrees_of_freedom) if observed.space.scales else best.degrees_of_freedom
    if best.degrees_of_freedom > 0 and freedom < ENOUGH_FREEDOM:
        left = f"{freedom} degree{'' if freedom == 1 else 's'} of freedom"
        return [
            caveat(
                "few-cells",
                f"{observed.cells} cells leave {left} between them to judge a search over many shapes by: intervals "
                "may be too narrow",
            )
        ]
    used = {factor for term in best.terms for factor in term.factors}
    levels = {
        scale.factor: np.unique(observed.space.numbers[:, place]).size
        for place, scale in enumerate(observed.space.scales)
        if scale.factor in used
    }
    return [
        caveat(
            "few-cells",
            f"{printable(factor)} has {number} levels, which leave {number - 2} to judge its shape by: intervals hold "
            "if the shape is true",
        )
        for factor, number in levels.items()
        if 2 < number < ENOUGH_LEVELS
    ]


def _caution_of_form(rivals: Sequence[FittedModel]) -> list[Caveat]:
    """Warn where models of another form, not only of other treatments of a category, are likely too."""
    others = math.fsum(one.weight for one in rivals if _form_of(one) != _form_of(rivals[0]))
    if others <= OTHER_FORMS:
        return []
    return [
        caveat(
            "form-uncertain",
            f"coefficients hold if this form is true; other forms hold {100 * others:.0f} % of the weight: read "
            "predictions, which are averaged",
        )
    ]


def _form_of(model: FittedModel) -> frozenset[tuple[tuple[str, ...], tuple[float, ...], tuple[int, ...]]]:
    """Return the terms of a model, whatever its levels change."""
    return frozenset((one.factors, one.powers, one.logs) for one in model.terms if one.factors)


def _name_special(special_cells: Sequence[SpecialCell], observed: Observed) -> str:
    """Name special cells, those alike in every combination of categories once."""
    space = observed.space
    slices = len(np.unique(space.codes, axis=0))
    places: dict[tuple[Level, ...], list[SpecialCell]] = {}
    for one in special_cells:
        places.setdefault(tuple(one.levels[factor] for factor in space.numeric), []).append(one)
    named = []
    for levels, alike in places.items():
        if 1 < len(alike) == slices:
            where = name_cell(dict(zip(space.numeric, levels, strict=True)))
            named.append(f"({where}) at every {' and '.join(printable(one) for one in space.categories)}")
        else:
            named += [f"({name_cell(one.levels)})" for one in alike]
    return choices(named, 6)


def caution_of_levels(observed: Observed, best: FittedModel) -> list[Caveat]:
    """Warn of numeric factors with two levels, and of a fixed cost below 0."""
    found = []
    for factor, scale in enumerate(observed.space.scales):
        if np.unique(observed.space.numbers[:, factor]).size == 2:
            found.append(
                caveat(
                    "two-levels",
                    f"{printable(scale.factor)} has two levels ({scale.lowest:g}, {scale.highest:g}): every curve "
                    "meets both, a straight line was taken",
                )
            )
    fixed = [one for one in best.terms if not one.factors and one.estimate.high < 0]
    if fixed:
        names = dict.fromkeys(factor for one in best.terms for factor in one.factors)
        found.append(
            caveat(
                "negative-fixed-cost",
                f"the fixed cost is below 0: the model holds for {choices(names)} as measured, not down to nothing",
            )
        )
    return found
