"""How long scaling fits take beside lmfit and SciPy: ``python benchmarks/scaling_speed.py``.

Fits seeded curves by turns and prints a table of medians and ratios. README.md in this folder says what each
row means.

Fits are timed by the processor time of their thread. Wall time flatters whoever is quicker: on a
machine shared with others a fit of 2 ms is interrupted more often than one of 1 ms, and a true ratio of 2
was once measured as 11.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

# Before numpy is imported: its matrix products would spread over threads, on top of ours.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np
from goals import Row, print_table
from scipy.optimize import curve_fit

from benchlib.scaling.curve import ScalingCurve, build_curve
from benchlib.scaling.fit import fit_law
from benchlib.scaling.intervals import parameter_estimates
from benchlib.scaling.laws import usl
from benchlib.scaling.solver import objective_of, solve_twice

LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
TRUTH = (100.0, 0.03, 5e-4)
NOISE = 0.05


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, and return 0 if every goal is kept, else 3."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--curves", type=int, default=300, help="curves fitted one by one (default 300)")
    chosen = parser.parse_args(arguments)
    rows = list(single_fits(chosen.curves))
    print(f"load of the machine while this ran: {os.getloadavg()[1]:.1f} on {os.cpu_count()} cores\n")
    print_table(rows)
    return 0 if all(one.kept for one in rows) else 3


def single_fits(count: int) -> Iterable[Row]:
    """Time one USL fit at a time, each curve by all sides in turn."""
    # Peers are given the arrays they fit, benchlib the curve that it fits.
    peers: dict[str, Callable[[np.ndarray], object]] = {"curve_fit": scipy_fit, "grouping": built}
    theirs = lmfit_fit()
    if theirs is None:
        print("no lmfit: its rows are left out; see README.md for how to install it beside benchlib", file=sys.stderr)
    else:
        peers["lmfit"] = theirs
    own: dict[str, Callable[[ScalingCurve], object]] = {"Wald": wald, "profiles": profiles}
    names = [*peers, *own]
    times: dict[str, list[float]] = {name: [] for name in names}
    warm = 20
    for index, one in enumerate(simulated(warm + count, seed=2)):
        curve = built(one)
        for name in names if index % 2 else reversed(names):
            work = partial(own[name], curve) if name in own else partial(peers[name], one)
            took = busy(work)
            if index >= warm:
                times[name].append(took)
    median = {name: 1e3 * statistics.median(values) for name, values in times.items()}
    if theirs is not None:
        yield Row("one fit: lmfit, fit alone", f"{median['lmfit']:.2f} ms", "", True)
    yield Row("one fit: curve_fit, fit alone", f"{median['curve_fit']:.2f} ms", "", True)
    yield Row("grouping 7 measurements into a curve", f"{median['grouping']:.2f} ms", "", True)
    told = f"{median['Wald']:.2f} ms"
    if theirs is None:
        yield Row("one fit: benchlib, with Wald intervals", told, "", True)
    else:
        # Of each curve's own pair; the ratio of medians beside it, so that a disagreement shows.
        ratio = statistics.median(peer / ours for peer, ours in zip(times["lmfit"], times["Wald"], strict=True))
        measured = f"{told}; lmfit takes {ratio:.1f} times as long ({median['lmfit'] / median['Wald']:.1f} by medians)"
        yield Row("one fit: benchlib, with Wald intervals", measured, "at least 5 times", ratio >= 5)
    within = median["profiles"]
    yield Row("one fit: fit_law, with profile intervals", f"{within:.2f} ms", "below 6 ms", within < 6)
    best = 1e3 * float(np.quantile(times["profiles"], 0.1))
    yield Row("the same, its fastest tenth", f"{best:.2f} ms", "", True)


def simulated(count: int, seed: int) -> np.ndarray:
    """Return throughput with 5 % noise, a row a curve."""
    generator = np.random.default_rng(seed)
    return usl.throughput(LEVELS, *TRUTH) * np.exp(NOISE * generator.standard_normal((count, len(LEVELS))))


def seconds(work: Callable[[], object]) -> float:
    """Return the wall time of some work."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def busy(work: Callable[[], object]) -> float:
    """Return the processor time that some work takes in this thread, which does all of it."""
    start = time.thread_time()
    work()
    return time.thread_time() - start


def built(throughput: np.ndarray) -> ScalingCurve:
    """Group the measurements of a curve, as every fit of it shares."""
    return build_curve(LEVELS, throughput, unit="op/sec")


def wald(curve: ScalingCurve) -> object:
    """Fit a curve and give its parameters with Wald intervals: what `fit_law` does before its profiles."""
    objective = objective_of(curve, "relative")
    return parameter_estimates(solve_twice(objective, usl, 0.95), "op/sec")


def profiles(curve: ScalingCurve) -> object:
    """Fit a curve with everything `fit_law` gives."""
    return fit_law(curve, "usl")


def formula(n: np.ndarray, rate: float, contention: float, coherency: float) -> np.ndarray:
    """Return the USL as a user of lmfit or SciPy writes it."""
    return rate * n / (1 + contention * (n - 1) + coherency * n * (n - 1))


def scipy_fit(throughput: np.ndarray) -> object:
    """Fit with relative weights by `scipy.optimize.curve_fit`, which gives a covariance."""
    start = (throughput[0], 0.05, 0.001)
    return curve_fit(formula, LEVELS, throughput, p0=start, sigma=throughput, maxfev=5000)


def lmfit_fit() -> Callable[[np.ndarray], object] | None:
    """Return a fit by lmfit with bounds and relative weights; None where it is not installed."""
    try:
        import lmfit
    except ImportError:
        return None
    model = lmfit.Model(formula, independent_vars=["n"])

    def fit(throughput: np.ndarray) -> object:
        parameters = model.make_params(
            rate={"value": throughput[0], "min": 0},
            contention={"value": 0.05, "min": 0, "max": 1},
            coherency={"value": 0.001, "min": 0},
        )
        return model.fit(throughput, parameters, n=LEVELS, weights=1 / throughput)

    return fit


if __name__ == "__main__":
    sys.exit(main())
