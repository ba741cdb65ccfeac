"""Whether a parameter of a law changed between curves, and by how much."""

import math

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.scaling.curve import ScalingCurve, build_curve
from benchlib.scaling.fit import fit_law
from benchlib.scaling.intervals import compare_parameter
from benchlib.scaling.laws import LAWS

LEVELS = np.repeat([1.0, 2.0, 4.0, 8.0, 16.0, 32.0], 3)


def curve(law: str, *parameters: float, seed: int, noise: float = 0.05, levels: np.ndarray = LEVELS) -> ScalingCurve:
    """A curve of a law with multiplicative noise."""
    scatter = np.exp(noise * np.random.default_rng(seed).standard_normal(len(levels)))
    return build_curve(levels, LAWS[law].throughput(levels, *parameters) * scatter, unit="op/sec")


def test_values_are_those_of_each_curve_alone() -> None:
    """Each with its own noise: a quiet curve does not pay for a noisy one."""
    quiet, noisy = (curve("usl", 100, 0.05, 0.001, seed=1, noise=noise) for noise in (0.01, 0.1))
    curves = {"quiet": quiet, "noisy": noisy}
    compared = compare_parameter(curves, "usl", "contention")
    assert compared.values == {name: fit_law(one, "usl").parameters["contention"] for name, one in curves.items()}
    errors = [compared.values[name].standard_error for name in curves]
    assert compared.differences["noisy"].standard_error == pytest.approx(math.hypot(*errors), rel=1e-9)


def test_rates_of_lines_differ_as_welch_says() -> None:
    """Of unweighted lines through 0 the rate is a weighted mean; Welch 1947 by hand."""
    curves = {name: curve("linear", rate, seed=seed) for seed, (name, rate) in enumerate({"a": 100, "b": 103}.items())}
    difference = compare_parameter(curves, "linear", "rate_at_one", weights="none").differences["b"]
    rates, squares = [], []
    for one in curves.values():
        n, x = one.rows
        rates.append(float(n @ x / (n @ n)))
        squares.append(float(np.sum((x - rates[-1] * n) ** 2) / (len(n) - 1) / (n @ n)))
    assert difference.value == pytest.approx(rates[1] - rates[0], rel=1e-9)
    assert difference.standard_error == pytest.approx(math.sqrt(sum(squares)), rel=1e-9)
    freedom = sum(squares) ** 2 / sum(one**2 / 17 for one in squares)
    assert difference.method == f"difference of fits without bounds, Welch t({freedom:.3g})"


def test_curves_of_two_levels_are_compared_by_the_serial_fraction() -> None:
    """Amdahl's law needs 3 levels to be judged; to compare what it says, replicates at 1 and 2 workers are enough."""
    levels = np.repeat([1.0, 2.0], 3)
    curves = {
        str(serial): curve("amdahl", 60.0, serial, seed=1, levels=levels, noise=0.01) for serial in (0.1, 0.12, 0.5)
    }
    compared = compare_parameter(curves, "amdahl", "serial_fraction")
    assert compared.verdict == "changed"
    assert compared.differences["0.12"].low < 0.02 < compared.differences["0.12"].high
    assert compared.differences["0.5"].low > 0.2


def test_a_change_is_seen_with_its_size() -> None:
    """Contention that doubles is told apart, with an interval around the truth."""
    curves = {"old": curve("usl", 100, 0.05, 0.001, seed=8), "new": curve("usl", 200, 0.10, 0.001, seed=9)}
    compared = compare_parameter(curves, "usl", "contention")
    assert compared.verdict == "changed"
    assert compared.differences["new"].low < 0.05 < compared.differences["new"].high
    assert list(compared.differences) == ["new"]
    assert list(compared.values) == ["old", "new"]


def test_order_and_unit_are_irrelevant() -> None:
    """The p value is the same; differences change sign with the first curve, and losses have no unit."""
    curves = {"a": curve("usl", 100, 0.05, 0.001, seed=10), "b": curve("usl", 200, 0.06, 0.001, seed=11)}
    turned = {
        name: build_curve(curves[name].rows[0][::-1], 1000 * curves[name].rows[1][::-1], unit="op/sec") for name in "ba"
    }
    one, other = (compare_parameter(some, "usl", "contention") for some in (curves, turned))
    assert other.pvalue == pytest.approx(one.pvalue, rel=1e-6)
    assert other.differences["a"].value == pytest.approx(-one.differences["b"].value, rel=1e-6)


def test_curves_without_noise() -> None:
    """What is exactly the same did not change; what differs without any noise did."""
    exact = [build_curve(LEVELS, LAWS["amdahl"].throughput(LEVELS, 50, serial), unit="op/sec") for serial in (0.1, 0.2)]
    same = compare_parameter({"a": exact[0], "b": exact[0]}, "amdahl", "serial_fraction")
    assert (same.pvalue, same.verdict) == (1.0, "not shown to change")
    changed = compare_parameter({"a": exact[0], "b": exact[1]}, "amdahl", "serial_fraction")
    assert changed.verdict == "changed"
    assert changed.pvalue < 1e-12


def test_refusals() -> None:
    """One line each: what was found, what is needed."""
    one = curve("amdahl", 100, 0.1, seed=1)
    short = build_curve([1, 1, 2, 2], [10, 11, 19, 18], unit="op/sec")
    with pytest.raises(DataError, match="at least 2 curves, got 1; fit one curve with fit_law"):
        compare_parameter({"a": one}, "amdahl", "serial_fraction")
    with pytest.raises(DataError, match="mix units op/sec, req/sec"):
        compare_parameter({"a": one, "b": build_curve(*one.rows, unit="req/sec")}, "amdahl", "serial_fraction")
    with pytest.raises(DataError, match=r"Amdahl has no parameter 'contention'.*rate_at_one, serial_fraction"):
        compare_parameter({"a": one, "b": one}, "amdahl", "contention")
    with pytest.raises(DataError, match=r"curve 'b' has 4 measurements at 2 distinct concurrencies \(1, 2\), USL"):
        compare_parameter({"a": one, "b": short}, "usl", "contention")


def under_the_null(runs: int, law: str, parameters: tuple[float, ...], name: str, curves: int, seed: int) -> np.ndarray:
    """How often the test rejects and the intervals of the differences cover, where nothing changed but the rate."""
    random = np.random.default_rng(seed)
    covered: list[bool] = []
    rejected = 0
    for _ in range(runs):
        simulated = {}
        for place in range(curves):
            model = LAWS[law].throughput(LEVELS, (1 + place) * parameters[0], *parameters[1:])
            noisy = model * np.exp(0.05 * random.standard_normal(len(LEVELS)))
            simulated[str(place)] = build_curve(LEVELS, noisy, unit="op/sec")
        compared = compare_parameter(simulated, law, name)
        rejected += compared.verdict == "changed"
        covered += [one.low <= 0 <= one.high for one in compared.differences.values()]
    return np.array([rejected / runs, np.mean(covered)])


CASES = [
    ("amdahl", (100.0, 0.1), "serial_fraction", 2),
    ("amdahl", (100.0, 0.0), "serial_fraction", 3),
    ("usl", (100.0, 0.05, 0.001), "contention", 3),
    ("usl", (100.0, 0.05, 0.0), "coherency", 2),
]


@pytest.mark.parametrize(("law", "parameters", "name", "curves"), [CASES[0], CASES[3]])
def test_size_and_coverage(law: str, parameters: tuple[float, ...], name: str, curves: int) -> None:
    """Five in a hundred rejections where nothing changed, on the bound too; 200 runs, within 3 standard errors."""
    rejected, covered = under_the_null(200, law, parameters, name, curves, seed=20)
    assert rejected == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / 200))
    assert covered == pytest.approx(0.95, abs=3 * math.sqrt(0.05 * 0.95 / 200))


@pytest.mark.heavy
@pytest.mark.parametrize(("law", "parameters", "name", "curves"), CASES)
def test_size_and_coverage_in_many_runs(law: str, parameters: tuple[float, ...], name: str, curves: int) -> None:
    """The same in 3,000 runs; two differences that share a curve reject a little less often than claimed."""
    rejected, covered = under_the_null(3000, law, parameters, name, curves, seed=21)
    assert 0.03 < rejected < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 3000)
    assert 0.93 < covered < 0.97
