"""A plan that cannot be meant is told before its notebook runs, whichever of its parameters the notebook has."""

from __future__ import annotations

import pytest

from benchlib.errors import DataError, SelectionError
from benchlib.run.parameters import check_plan
from tests.shipped_studies import study

CORE = {"target": "50000/s", "slo": "", "headroom": "", "survive": "", "nodes": ""}
REST = {
    "growth": "",
    "start": "",
    "currency": "",
    "mix": "",
    "probability": 0.95,
    "draws": 4000,
    "seed": 0,
}


@pytest.mark.parametrize("left", ["", *REST])
def test_a_plan_is_known_without_what_may_be_left_out(left: str) -> None:
    """A notebook written before there was a currency is checked like those that have one."""
    values = {name: value for name, value in (CORE | REST).items() if name != left}
    check_plan(values, study("http-endpoints"))
    with pytest.raises(DataError, match="headroom"):
        check_plan(values | {"headroom": "lots"}, study("http-endpoints"))


def test_what_a_notebook_has_besides_is_checked_too() -> None:
    """Prices in two currencies, and an operation that is not there."""
    with pytest.raises(DataError, match="nothing is converted"):
        check_plan(CORE | {"nodes": "cores=2,cost=1EUR/h", "currency": "CHF"}, study("http-endpoints"))
    with pytest.raises(SelectionError):
        check_plan(CORE | {"mix": "nowhere=1,elsewhere=2"}, study("http-endpoints"))


@pytest.mark.parametrize("left", CORE)
def test_what_is_no_plan_is_not_checked(left: str) -> None:
    """A notebook of another kind may call a parameter of its own headroom, or target."""
    values = {name: "no such thing" for name in CORE if name != left}
    check_plan(values, study("http-endpoints"))
