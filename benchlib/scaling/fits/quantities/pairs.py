"""Knee, ceiling and saturation point of laws with two parameters: Amdahl (r, f) and the plateau (r, m)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from benchlib.scaling.fits.quantities.coherent import serial_share_at, usl_saturation
from benchlib.scaling.fits.quantities.quantity import (
    SATURATION_SHARE,
    Embedding,
    Quantity,
    box,
    columns,
    reciprocal,
    tangent,
)
from benchlib.scaling.laws import FloatArray

__all__ = ["AMDAHL", "PLATEAU"]


def _given(index: int, other: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]) -> Embedding:
    """Embed one free parameter; the other one, and its derivative, follow from the value held."""

    def embed(free: FloatArray, held: FloatArray) -> tuple[FloatArray, FloatArray]:
        here = free[:, 0]
        value, slope = other(here, held)
        pair, slopes = ((here, value), (1.0, slope)) if index == 0 else ((value, here), (slope, 1.0))
        return columns(len(free), *pair), tangent(len(free), slopes[:1], slopes[1:])

    return embed


AMDAHL: dict[str, Quantity] = {
    "knee": Quantity(
        value=reciprocal,
        free=lambda p, held: p[:, :1],
        embed=_given(0, lambda rate, held: (1 / held, np.zeros_like(held))),
        bounds=box([0.0], [math.inf]),
        of_rate=False,
        shared=False,
        endless={"serial_fraction": 0.0},
    ),
    "ceiling": Quantity(
        value=lambda p: float(p[0] / p[1]) if p[1] > 0 else math.inf,
        free=lambda p, held: np.maximum(p[:, 1:], np.minimum(p[:, :1] / held[:, np.newaxis], 0.5)),
        embed=_given(1, lambda serial, held: (held * serial, held)),
        bounds=box([0.0], [1.0]),
        of_rate=True,
        shared=False,
        endless={"serial_fraction": 0.0},
    ),
    "saturation_point": Quantity(
        value=lambda p: usl_saturation(np.array([p[0], p[1], 0.0])),
        free=lambda p, held: p[:, :1],
        embed=_given(0, lambda rate, held: (serial_share_at(held), np.zeros_like(held))),
        bounds=box([0.0], [math.inf]),
        of_rate=False,
        shared=False,
        endless={"serial_fraction": 0.0},
    ),
}

PLATEAU: dict[str, Quantity] = {
    "knee": Quantity(
        value=lambda p: float(p[1]),
        free=lambda p, held: p[:, :1],
        embed=_given(0, lambda rate, held: (held, np.zeros_like(held))),
        bounds=box([0.0], [math.inf]),
        of_rate=False,
        shared=False,
        endless={"servers": math.inf},
    ),
    "ceiling": Quantity(
        value=lambda p: float(p[0] * p[1]),
        free=lambda p, held: p[:, 1:],
        embed=_given(1, lambda servers, held: (held / servers, -held / servers**2)),
        bounds=box([1.0], [math.inf]),
        of_rate=True,
        shared=False,
        endless={"servers": math.inf},
    ),
    "saturation_point": Quantity(
        value=lambda p: float(SATURATION_SHARE * p[1]),
        free=lambda p, held: p[:, :1],
        embed=_given(0, lambda rate, held: (held / SATURATION_SHARE, np.zeros_like(held))),
        bounds=box([0.0], [math.inf]),
        of_rate=False,
        shared=False,
        endless={"servers": math.inf},
    ),
}
