"""What one node delivers at each level, as a small table, and how many nodes a load takes by it.

The sliders of a deck ask this table, in ``render/templates/what_if.js`` as here: tests hold one against the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

__all__ = ["FULL", "Level", "count_nodes"]

#: A node is full at the fewest in flight that deliver this share of the most there is.
FULL = 0.99
#: A load that fits to this share takes no further node by rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """What a node does at one level.

    Attributes
    ----------
    level : float
    latency : float or None
        Of the kind that can have a limit, in seconds; None where it was not measured.
    rates : tuple of float
        What the node delivers at least, in each share of the draws: the most likely first.
    """

    level: float
    latency: float | None
    rates: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCount:
    """At which level a node is full, and how many nodes a load takes, in each share of the draws."""

    level: float
    nodes: tuple[float, ...]


def count_nodes(
    levels: Sequence[Level], target: float, *, headroom: float = 0.0, survive: int = 0, limit: float | None = None
) -> NodeCount | None:
    """Return how many nodes a load takes; None where no level meets the limit.

    A node is full at the fewest in flight that deliver, but for 1 %, the most of all levels up to the highest that
    meets the limit. Then ``nodes = lost + load / (rate (1 - headroom))``, rounded up.

    Examples
    --------
    >>> levels = [
    ...     Level(level=1.0, latency=0.0003, rates=(4700.0,)),
    ...     Level(level=2.0, latency=0.0005, rates=(10300.0,)),
    ...     Level(level=4.0, latency=0.0305, rates=(10500.0,)),
    ... ]
    >>> count_nodes(levels, 250_000, headroom=0.2, limit=0.005)
    NodeCount(level=2.0, nodes=(31.0,))
    """
    allowed = list(takewhile(lambda level: limit is None or level.latency is None or level.latency <= limit, levels))
    if not allowed:
        return None
    most = max(level.rates[0] for level in allowed)
    full = next(level for level in allowed if level.rates[0] >= FULL * most)
    needed = [math.ceil(target / (rate * (1 - headroom)) * (1 - _ROUNDING)) for rate in full.rates]
    return NodeCount(level=full.level, nodes=tuple(float(survive + max(count, 1)) for count in needed))
