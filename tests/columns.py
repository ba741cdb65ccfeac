"""Columns of a reading as tests compare them."""

from __future__ import annotations

import math
from collections.abc import Iterable


def counts(column: Iterable[float]) -> list[float | None]:
    """Return a column of operations, None where the file does not say."""
    return [None if math.isnan(one) else one for one in column]
