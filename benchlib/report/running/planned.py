"""What a notebook is to plan for, checked before it runs: what cannot be meant is one line, no failed cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchlib.study import Study

__all__ = ["check_plan"]

#: Parameters by which a notebook is known to plan capacity; the rest may be left out.
_CORE = {"target", "slo", "headroom", "survive", "nodes"}
#: Parameters of a plan, and what `benchlib.plan_capacity` calls them.
_WORDS = {
    "target": "target",
    "slo": "slo",
    "headroom": "headroom",
    "survive": "survive",
    "nodes": "node",
    "growth": "growth",
    "start": "start",
    "currency": "currency",
    "mix": "mix",
    "probability": "probability",
    "draws": "draws",
    "seed": "seed",
}


def check_plan(values: Mapping[str, Any], study: Study) -> None:
    """Check the words of a plan as `benchlib capacity` does, where a notebook has the parameters of one.

    Parameters
    ----------
    values : mapping of str to value
        The parameters of a notebook, those that were not given by their defaults.
    study : Study

    Raises
    ------
    DataError
        For words that cannot be meant, and where nobody names a target.
    SelectionError
        For an operation of a mix that the results do not have.
    """
    if not values.keys() >= _CORE:
        return
    # Imported where a plan is asked for: other reports need none of it.
    from benchlib.answers.capacity_loads import mix_axis
    from benchlib.answers.requirements import plan_wanted

    wanted = plan_wanted(study, **{word: values[name] for name, word in _WORDS.items() if name in values})
    if wanted.mix:
        mix_axis(study.results, wanted.mix)
