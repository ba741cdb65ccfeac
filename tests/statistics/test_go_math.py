"""Functions that round as Go's do: values that a Go program wrote on amd64, where the C library writes others."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchlib.statistics.go_math import exponential, geometric_mean, logarithm, untied_pvalue
from benchlib.statistics.ranks import mann_whitney_rows

#: math.Log of Go 1.26.
LOGARITHMS = {
    2.8559735206275136: 1.0494127729453915,
    0.4344011917826145: -0.8337867668518688,
    1.6643832957430889: 0.5094546618729028,
    0.1913734703596648: -1.653528417931518,
}
#: math.Exp of Go 1.26.
POWERS = {
    -2.5272029090688632: 0.07988214571470714,
    3.176472419009065: 23.962076122395427,
    19.786020090080225: 391705206.293279,
    14.003818290604578: 1207204.9545627441,
    710.0: math.inf,
    -720.0: 2.0322308024e-313,
    -746.0: 0.0,
}


def test_logarithms_are_those_of_go() -> None:
    """To the last bit, and all at once."""
    assert logarithm(np.asarray(list(LOGARITHMS))).tolist() == list(LOGARITHMS.values())


@pytest.mark.parametrize("x", POWERS)
def test_powers_of_e_are_those_of_go(x: float) -> None:
    """To the last bit."""
    assert exponential(x) == POWERS[x]


def test_both_are_what_they_are_called() -> None:
    """Within a unit in the last place or two of the C library's."""
    x = np.exp(np.linspace(-300, 300, 401))
    np.testing.assert_allclose(logarithm(x), np.log(x), rtol=3e-16, atol=3e-16)
    powers = np.linspace(-700, 700, 401)
    np.testing.assert_allclose([exponential(one) for one in powers.tolist()], np.exp(powers), rtol=5e-16)


@pytest.mark.parametrize(
    ("n1", "n2", "u"), [(3, 3, 0), (1, 19, 0), (5, 8, 11), (10, 10, 37), (50, 50, 900), (2, 50, 7)]
)
def test_the_rounded_distribution_is_the_distribution(n1: int, n2: int, u: int) -> None:
    """Against the exact counts, and either way round."""
    # Each of the first sample's values is above as many of the second's as make up u.
    above = np.full(n1, u // n1)
    above[: u % n1] += 1
    first = np.sort(above) - 0.5 + np.arange(n1) * 1e-3
    expected = mann_whitney_rows(first[None], np.arange(n2)[None])[0][0]
    assert untied_pvalue(n1, n2, u) == pytest.approx(expected, rel=1e-12)
    assert untied_pvalue(n1, n2, u) == untied_pvalue(n2, n1, u)


def test_a_geometric_mean_is_benchstats_to_the_last_digit() -> None:
    """Case 37 of tests/data/benchstat_cases: benchstat writes 2.999999999999995e-09 for one value."""
    assert geometric_mean([3.0000000000000004e-09]) == 2.999999999999995e-09
    assert math.isnan(geometric_mean([]))
