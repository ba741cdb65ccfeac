"""The shape of curves, on real sweeps and made ones."""

import re
from pathlib import Path

import numpy as np
import pytest

from benchlib.scaling.curve import ScalingCurve, build_curve
from benchlib.scaling.points import describe_shape


def sweep(folder: Path, endpoint: str) -> tuple[ScalingCurve, dict[float, str]]:
    """Read Requests/sec and the thread count of the wrk files of one endpoint."""
    connections, throughput, generators = [], [], {}
    for path in sorted((folder / "wrk-sweep").glob(f"{endpoint}_c*_r*.txt")):
        text = path.read_text(encoding="utf-8")
        threads, level = re.search(r"(\d+) threads and (\d+) connections", text).groups()
        connections.append(int(level))
        throughput.append(float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]))
        generators[float(level)] = f"{threads} threads"
    return build_curve(connections, throughput, unit="req/sec"), generators


def test_hash_is_a_plateau_of_two_cores(shared_samples: Path) -> None:
    """`hash` stops at 2 connections, as many as cores: a resource ran out."""
    curve, generators = sweep(shared_samples, "hash")
    shape = describe_shape(curve, cores=2, generators=generators)
    assert shape.kind == "plateau"
    assert shape.best_level == shape.plateau_from == 2
    assert shape.falls_from is None
    message = next(one.message for one in shape.caveats if one.code == "plateau")
    assert "as many as the machine has cores (2)" in message


def test_cheap_saturates(shared_samples: Path) -> None:
    """`cheap` grows with ever smaller gains, far below proportional: no wall, no fall."""
    shape = describe_shape(sweep(shared_samples, "cheap")[0], cores=2)
    assert shape.kind == "saturating"
    assert shape.best_level == 16
    assert shape.falls_from is None


def test_json_is_best_at_two_and_falls_at_the_end(shared_samples: Path) -> None:
    """`json` peaks at 2 connections, stays within noise of it, and loses about 14 % at 128."""
    shape = describe_shape(sweep(shared_samples, "json")[0], cores=2)
    assert shape.kind == "retrograde"
    assert shape.best_level == 2
    assert shape.falls_from == 128
    assert shape.falls_by == pytest.approx(0.147, abs=0.001)


@pytest.mark.parametrize("endpoint", ["hash", "cheap", "json"])
def test_the_first_step_is_superlinear_where_the_generator_changed(shared_samples: Path, endpoint: str) -> None:
    """From 1 to 2 connections wrk went from one thread to two, and the step says more than 105 %."""
    curve, generators = sweep(shared_samples, endpoint)
    shape = describe_shape(curve, cores=2, generators=generators)
    assert shape.steps[0].superlinear
    assert shape.steps[0].efficiency > 1.05
    assert not any(step.superlinear for step in shape.steps[1:])
    messages = {one.code: one.message for one in shape.caveats}
    assert "from concurrency 1 to 2" in messages["superlinear"]
    assert "between concurrency 1 and 2" in messages["generator-changed"]
    assert "4, 8, 16, 32, 64, 128" in messages["oversubscribed"]


@pytest.mark.parametrize(
    ("throughput", "kind"),
    [
        ([10, 20, 39.5, 78, 153], "linear"),
        ([10, 18, 30, 44, 56], "saturating"),
        ([10, 19.8, 20, 20.1, 20], "plateau"),
        ([10, 18, 30, 28, 20], "retrograde"),
        ([10, 10.1, 9.9, 10, 10.2], "plateau"),
    ],
)
def test_kinds_of_single_measurements(throughput: list[float], kind: str) -> None:
    """With n = 1 the kind is told from differences of 5 % on, beside the caveat that noise is unknown."""
    shape = describe_shape(build_curve([1, 2, 4, 8, 16], throughput, unit="op/sec"))
    assert shape.kind == kind
    assert not shape.replicated
    assert "one-replicate" in [one.code for one in shape.caveats]


def test_two_levels_have_no_shape() -> None:
    """Two levels make a step, not a curve."""
    assert describe_shape(build_curve([1, 2], [10, 20], unit="op/sec")).kind == "unclear"


def test_a_fall_within_the_noise_is_no_fall() -> None:
    """The median drops by 9 %, but replicates scatter wider: not retrograde; tighter ones make it so."""
    n = np.repeat([1.0, 2.0, 4.0, 8.0], 4)
    level = np.repeat([10.0, 19.0, 33.0, 30.0], 4)
    scatter = np.tile([0.85, 0.95, 1.05, 1.15], 4)
    wide = describe_shape(build_curve(n, level * scatter, unit="op/sec"))
    tight = describe_shape(build_curve(n, level * (1 + (scatter - 1) / 20), unit="op/sec"))
    assert wide.kind != "retrograde"
    assert tight.kind == "retrograde"
    assert tight.falls_from == 8


def test_noise_alone_is_unclear() -> None:
    """Medians differ by more than 5 %, and nothing can be told from the noise."""
    n = np.repeat([1.0, 2.0, 4.0], 3)
    values = [10.0, 14.0, 7.0, 12.0, 8.0, 15.0, 9.0, 13.0, 11.2]
    assert describe_shape(build_curve(n, values, unit="op/sec")).kind == "unclear"


def test_unit_does_not_matter() -> None:
    """Throughput in another unit has the same shape."""
    values = np.array([10, 18, 30, 28, 20.0])
    one = describe_shape(build_curve([1, 2, 4, 8, 16], values, unit="op/sec"))
    two = describe_shape(build_curve([1, 2, 4, 8, 16], values * 1e-6, unit="op/sec"))
    assert (one.kind, one.best_level, one.falls_from) == (two.kind, two.best_level, two.falls_from)
    assert one.falls_by == pytest.approx(two.falls_by)
