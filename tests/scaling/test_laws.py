"""The laws: formulas, derivatives and inverses."""

import math

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.scaling.laws import LAWS, amdahl, gustafson, law_named, linear, offered_laws, usl

# Generic on purpose: a case with contention = coherency once hid a sign error in a known library.
GENERIC = {
    "linear": (37.3,),
    "plateau": (37.3, 9.4),
    "amdahl": (37.3, 0.0831),
    "gustafson": (37.3, 0.0831),
    "usl": (37.3, 0.0831, 0.00173),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("n", [1.0, 1.7, 3.0, 12.9, 22.4])
def test_inverse_round_trips(name: str, n: float) -> None:
    """N -> X -> N returns to N; the USL's other root gives the same throughput."""
    law, parameters = LAWS[name], GENERIC[name]
    if name == "plateau":
        n = min(n, 9.0)  # beyond the wall every concurrency has one throughput
    throughput = float(law.throughput(n, *parameters))
    roots = law.concurrency_at(throughput, *parameters)
    assert min(abs(root - n) for root in roots) < 1e-9 * n
    for root in roots:
        assert float(law.throughput(root, *parameters)) == pytest.approx(throughput, rel=1e-9)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("n", [1.7, 3.0, 12.9, 22.4, 80.0])
def test_latency_inverse_round_trips(name: str, n: float) -> None:
    """N -> T = N/X -> N returns to N, where no latency tells N, none is made up."""
    law, parameters = LAWS[name], GENERIC[name]
    latency = float(law.latency(n, *parameters))
    found = law.concurrency_at_latency(latency, *parameters)
    if name == "linear" or (name == "plateau" and n < 9.4):
        assert found == ()
        return
    assert min(abs(one - n) for one in found) < 1e-9 * n


def test_throughput_at_latency_where_a_known_library_errs() -> None:
    """sca_tools prints 312.413 for its USL at its test latency; N/T of the exact inverse stands by Little's law."""
    rate, contention, coherency = 995.648799442, 0.02671591, 7.690945e-4
    (n,) = usl.concurrency_at_latency(0.1, rate, contention, coherency)
    throughput = n / 0.1
    assert float(usl.throughput(n, rate, contention, coherency)) == pytest.approx(throughput, rel=1e-12)


@pytest.mark.parametrize("name", LAWS)
def test_slope_matches_finite_differences(name: str) -> None:
    """What one more worker adds, at points away from the plateau's corner."""
    law, parameters = LAWS[name], GENERIC[name]
    for n in (1.0, 2.0, 5.5, 17.0, 80.0):
        slope = (law.throughput(n + 1e-5, *parameters) - law.throughput(n - 1e-5, *parameters)) / 2e-5
        assert float(law.slope(n, *parameters)) == pytest.approx(float(slope), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("name", LAWS)
def test_parts_of_time_sum_to_one(name: str) -> None:
    """Work and every loss share the time of a request: T(N) times each share adds up to T(N)."""
    n = np.array([1.0, 2.0, 9.4, 36.0, 216.0])
    parts = LAWS[name].parts(n, *GENERIC[name])
    np.testing.assert_allclose(sum(parts.values()), 1.0, rtol=1e-12)
    assert all(np.all(one >= 0) for one in parts.values())
    assert parts["work"][0] == 1.0


def test_usl_inverse_has_both_branches() -> None:
    """Below the peak throughput is reached twice, at it once, above it never."""
    rate, contention, coherency = GENERIC["usl"]
    peak = math.sqrt((1 - contention) / coherency)
    largest = float(usl.throughput(peak, rate, contention, coherency))
    low, high = usl.concurrency_at(0.8 * largest, rate, contention, coherency)
    assert low < peak < high
    # The product of the roots of k X N² - … + X (1 - c) is (1 - c)/k, the peak squared.
    assert low * high == pytest.approx(peak**2, rel=1e-12)
    assert usl.concurrency_at(1.01 * largest, rate, contention, coherency) == ()


def test_amdahl_and_gustafson_inverse_beyond_reach() -> None:
    """No N reaches Amdahl's ceiling r/f, nor more than r when all work is serial."""
    assert amdahl.concurrency_at(101.0, 10.0, 0.1) == ()
    assert gustafson.concurrency_at(11.0, 10.0, 1.0) == ()
    assert linear.concurrency_at(55.0, 10.0) == (5.5,)


@pytest.mark.parametrize("name", LAWS)
def test_gradient_matches_finite_differences(name: str) -> None:
    """Analytic derivatives agree with central differences."""
    law, parameters = LAWS[name], np.array(GENERIC[name])
    n = np.array([1.0, 2.0, 5.5, 17.0, 80.0])
    gradient = law.gradient(n, *parameters)
    for index in range(len(parameters)):
        width = 1e-6 * parameters[index]
        ends = [parameters.copy(), parameters.copy()]
        ends[0][index] -= width
        ends[1][index] += width
        slope = (law.throughput(n, *ends[1]) - law.throughput(n, *ends[0])) / (2 * width)
        np.testing.assert_allclose(gradient[:, index], slope, rtol=1e-6, atol=1e-9)


def test_laws_nest() -> None:
    """The USL without coherency is Amdahl's law, and that without serial work the line."""
    n = np.array([1.0, 3.0, 10.0])
    np.testing.assert_array_equal(usl.throughput(n, 7.0, 0.2, 0.0), amdahl.throughput(n, 7.0, 0.2))
    np.testing.assert_allclose(amdahl.throughput(n, 7.0, 0.0), linear.throughput(n, 7.0), rtol=1e-15)


def test_gustafson_identity() -> None:
    """S = N - s (N - 1): 1,019.908 and 1,015.816 at N = 1,024 for s = 0.004 and 0.008."""
    assert float(gustafson.throughput(1024, 1.0, 0.004)) == pytest.approx(1019.908, abs=1e-9)
    assert float(gustafson.throughput(1024, 1.0, 0.008)) == pytest.approx(1015.816, abs=1e-9)


def test_every_law_cites_and_counts() -> None:
    """A law names its source and asks for one level more than it has parameters."""
    for law in LAWS.values():
        assert law.citation
        assert law.minimum_levels == len(law.parameters) + 1
        assert len(law.lower) == len(law.upper) == len(law.parameters)


def test_gustafson_is_offered_only_for_weak_scaling() -> None:
    """Strong-scaling data are never offered Gustafson's law."""
    assert "gustafson" not in offered_laws(8)
    assert "gustafson" in offered_laws(8, weak=True)


def test_unknown_law_is_named_with_the_choices() -> None:
    """A misspelt law gets a suggestion."""
    with pytest.raises(DataError, match=r"unknown law 'amdal'; did you mean 'amdahl'\?"):
        law_named("amdal")
