"""What do intervals of the median of few values hold, whatever the shape of the noise?

    python benchmarks/few_values.py            # 4,000 samples a number, half a minute

From six values on they are order statistics, which hold at least 95 % by construction; below, Student's t on
logarithms. Goal: 0.93 from three values on. Exit 3 where one is missed by more than two standard errors.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchlib.statistics.samples import estimate_median

GOAL, FEWEST = 0.93, 3
Floats = NDArray[np.float64]
#: Shapes of noise: values drawn, and their median.
SHAPES: dict[str, tuple[Callable[[np.random.Generator, tuple[int, int]], Floats], float]] = {
    "normal, 3 %": (lambda random, shape: np.exp(0.03 * random.standard_normal(shape)), 1.0),
    "log-normal, 15 %": (lambda random, shape: np.exp(0.15 * random.standard_normal(shape)), 1.0),
    "exponential tail": (lambda random, shape: 1 + 0.05 * random.exponential(size=shape), 1 + 0.05 * math.log(2)),
    "t with 2 degrees": (lambda random, shape: np.exp(0.03 * random.standard_t(2, shape)), 1.0),
    "coarse clock": (lambda random, shape: np.round(20 * np.exp(0.03 * random.standard_normal(shape))) / 20, 1.0),
    # 7 of 10 values around 1, the others 10 % above: half of all lie below the upper 5 of 7 of the lower ones.
    "two modes": (
        lambda random, shape: np.exp(0.005 * random.standard_normal(shape) + 0.1 * (random.random(shape) < 0.3)),
        math.exp(0.005 * 0.5659),
    ),
}


def main() -> int:
    """Print the table; say whether the goal is met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=4000)
    samples: int = parser.parse_args().samples
    random, least = np.random.default_rng(20261125), GOAL - 2 * math.sqrt(GOAL * (1 - GOAL) / samples)
    counts, missed = (2, 3, 4, 5, 6, 8), 0
    print(f"| noise | {' | '.join(f'{n} values' for n in counts)} |\n|---|{'---:|' * len(counts)}")
    for name, (shape, median) in SHAPES.items():
        cells = []
        for n in counts:
            told = (estimate_median(values, "sec") for values in shape(random, (samples, n)))
            held = sum(one.low <= median <= one.high for one in told) / samples
            missed += n >= FEWEST and held < least
            cells.append(f"{held:.3f}")
        print(f"| {name} | {' | '.join(cells)} |")
    print(f"\n{missed} goals missed")
    return 3 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
