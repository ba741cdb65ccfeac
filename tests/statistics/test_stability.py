"""Runs that drift apart, and what the machine does to untouched benchmarks."""

from __future__ import annotations

import csv
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from benchlib.errors import DataError
from benchlib.statistics.stability import RunSpread, control_null, run_spread, unstable_runs

# beckn-onix adapter report, run 2026-03-31, microseconds per operation of three runs of the same code.
PUBLISHED = {
    "Discover": (164.2, 165.4, 165.3),
    "Discover_Parallel": (39.73, 41.48, 52.84),
    "AllActions/select": (194.5, 194.5, 186.7),
    "AllActions/init": (217.1, 216.6, 218.0),
    "CacheWarm": (162.7, 162.8, 169.4),
    "CacheCold": (164.2, 205.1, 171.9),
}


def spread_of(values: tuple[float, ...]) -> RunSpread:
    return run_spread([np.array([one]) for one in values])


def test_two_benchmarks_stand_out() -> None:
    """Of the published runs, the parallel and the cold-cache benchmark are unstable, no other."""
    flags = unstable_runs([spread_of(values) for values in PUBLISHED.values()])
    assert [name for name, flag in zip(PUBLISHED, flags, strict=True) if flag] == [
        "Discover_Parallel",
        "CacheCold",
    ]


def test_published_report_names_the_same_two(shared_samples: Path) -> None:
    """The same from the whole published file; the serial ones differ by less than 5 %."""
    text = (shared_samples / "published" / "onix_adapter_v150.csv").read_text(encoding="utf-8")
    by_run: dict[str, list[float]] = {}
    for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")):
        if row["metric"] == "time" and re.fullmatch(r"run\d", row["run"]):
            by_run.setdefault(f"{row['benchmark']}/{row['action']}", []).append(float(row["value"]))
    spreads = {name: spread_of(tuple(values)) for name, values in by_run.items()}
    flags = dict(zip(spreads, unstable_runs(list(spreads.values())), strict=True))
    assert {name for name, flag in flags.items() if flag} == {
        "BAPCaller_Discover_Parallel/discover",
        "BAPCaller_CacheCold/discover",
    }
    assert max(spreads[name].ratio for name, flag in flags.items() if not flag) < 1.05


def test_spread_and_trend() -> None:
    """Centre, extremes and direction of each run."""
    rising = spread_of(PUBLISHED["Discover_Parallel"])
    assert rising.centres == (39.73, 41.48, 52.84)
    assert rising.ratio == pytest.approx(52.84 / 39.73)
    assert (rising.lowest, rising.highest, rising.trend) == (0, 2, "rising")
    assert spread_of(PUBLISHED["CacheCold"]).trend == ""
    assert spread_of((3.0, 2.0, 1.0)).trend == "falling"
    assert spread_of((1.0, 2.0)).trend == ""


def test_runs_are_taken_by_their_median() -> None:
    """One outlier in a run does not move its centre."""
    spread = run_spread([[1.0, 1.0, 99.0], [1.0, 1.0]])
    assert (spread.ratio, spread.counts) == (1.0, (3, 2))


def test_machine_wide_drift_is_not_one_benchmarks_fault() -> None:
    """Where all benchmarks drift by a third, none stands out."""
    assert not any(unstable_runs([spread_of((1.0, 1.3 + 0.01 * place)) for place in range(5)]))


def test_without_peers_the_limit_decides() -> None:
    """A benchmark alone is judged by the limit of 1.10."""
    assert unstable_runs([spread_of((1.0, 1.11))]) == (True,)
    assert unstable_runs([spread_of((1.0, 1.09))]) == (False,)


def test_zeros_in_runs() -> None:
    """No allocation in every run is perfect stability; in some runs only, it is none."""
    assert spread_of((0.0, 0.0)).ratio == 1.0
    assert unstable_runs([spread_of((0.0, 1.0))] * 3) == (True, True, True)


def test_one_run_has_no_spread() -> None:
    """One run is refused."""
    with pytest.raises(DataError, match="needs 2 runs, got 1"):
        run_spread([[1.0]])


def test_control_null_known_answer() -> None:
    """Mean ± t * s * sqrt(1 + 1/n), by hand for three controls."""
    logs = np.log([2.0, 2.5, 3.2])
    null = control_null(logs, 0.9)
    reach = stats.t.ppf(0.95, 2) * logs.std(ddof=1) * math.sqrt(4 / 3)
    assert (null.low, null.high) == pytest.approx((logs.mean() - reach, logs.mean() + reach), rel=1e-12)
    assert (null.n, null.confidence_level) == (3, 0.9)


def test_one_control_bounds_nothing() -> None:
    """One control has a centre but no spread."""
    null = control_null([0.5])
    assert (null.center, null.low, null.high) == (0.5, -math.inf, math.inf)
    assert math.isnan(null.spread)


def test_no_control_is_refused() -> None:
    """No control, no null."""
    with pytest.raises(DataError, match="log ratios of the controls holds no values"):
        control_null([])


LPLEX_ROW = re.compile(r"Benchmark(\S+)\s+\d+\s+([\d.]+) ns/op")


def lplex_medians(path: Path, package: str) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    here = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("pkg: "):
            here = line.rpartition("/")[2]
        found = LPLEX_ROW.match(line)
        if found and here == package:
            values.setdefault(found[1], []).append(float(found[2]))
    return {name: float(np.median(one)) for name, one in values.items()}


@pytest.mark.parametrize(("package", "control", "moved"), [("pgn", "filter", 2.0), ("filter", "pgn", 2.5)])
def test_untouched_packages_moved(shared_samples: Path, package: str, control: str, moved: float) -> None:
    """The lplex change touches neither package, yet rows moved 2.0x and 2.5x: each other's null says so."""
    folder = shared_samples / "lplex"

    def logs(name: str) -> np.ndarray:
        old, new = (lplex_medians(folder / f"{run}.txt", name) for run in ("old", "new"))
        return np.log([new[row] / old[row] for row in old if row in new])

    own, null = logs(package), control_null(logs(control))
    assert math.exp(float(np.median(own))) == pytest.approx(moved, abs=0.15)
    assert null.low < float(np.median(own)) < null.high


def null_coverage(n: int, rounds: int, seed: int, level: float) -> float:
    random = np.random.default_rng(seed)
    hits = 0
    for draw in random.normal(0.7, 0.3, size=(rounds, n + 1)):
        null = control_null(draw[:-1], level)
        hits += null.low <= draw[-1] <= null.high
    return hits / rounds


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_prediction_interval_covers_its_level(level: float) -> None:
    """One more untouched row falls into the interval as often as the level says (3 standard errors)."""
    error = math.sqrt(level * (1 - level) / 2000)
    assert abs(null_coverage(6, 2000, 21, level) - level) <= 3 * error


@pytest.mark.heavy
@pytest.mark.parametrize("n", [2, 5, 20])
def test_prediction_interval_covers_its_level_at_length(n: int) -> None:
    """The same over 40,000 rounds and several numbers of controls."""
    assert abs(null_coverage(n, 40_000, 22, 0.95) - 0.95) <= 3 * math.sqrt(0.95 * 0.05 / 40_000)
