"""What a law implies besides its parameters: peak, knee, ceiling, saturation point."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from benchlib.scaling.fits.quantities.coherent import USL, USL_LOG
from benchlib.scaling.fits.quantities.pairs import AMDAHL, PLATEAU
from benchlib.scaling.fits.quantities.quantity import SATURATION_SHARE, Quantity, parameter_of
from benchlib.scaling.laws import FloatArray, Law

__all__ = ["QUANTITIES", "SATURATION_SHARE", "Quantity", "quantity_named", "quantity_value"]

#: Derived quantities of each law; a line and Gustafson's law have none.
QUANTITIES: Mapping[str, Mapping[str, Quantity]] = MappingProxyType(
    {
        "usl": MappingProxyType(USL),
        "usl-log": MappingProxyType(USL_LOG),
        "amdahl": MappingProxyType(AMDAHL),
        "plateau": MappingProxyType(PLATEAU),
    }
)


def quantity_named(law: Law, name: str) -> Quantity:
    """Return a derived quantity, or one of the parameters as a quantity."""
    if name in law.parameters:
        return parameter_of(law, law.parameters.index(name))
    return QUANTITIES[law.name][name]


def quantity_value(law: Law, name: str, parameters: FloatArray) -> float:
    """Return what a law with these parameters implies.

    Examples
    --------
    >>> import numpy as np
    >>> from benchlib.scaling.laws import usl
    >>> round(quantity_value(usl, "peak", np.array([90.0, 0.0277, 0.000104])), 2)
    96.69
    """
    return quantity_named(law, name).value(parameters)
