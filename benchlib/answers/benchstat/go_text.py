"""Numbers as Go writes them."""

from __future__ import annotations

import math

__all__ = ["shortest"]


def shortest(value: float) -> str:
    """Write a number as Go's ``%v``: the fewest digits that read back, an exponent from 1e+06 on and below 1e-04.

    Examples
    --------
    >>> [shortest(one) for one in (999999.0, 1e6, 1234567.5, 0.0001, 0.00001, 0.0)]
    ['999999', '1e+06', '1.2345675e+06', '0.0001', '1e-05', '0']
    """
    text = repr(float(value))
    size = abs(value)
    if 1e-4 <= size < 1e6 or not size:
        return text.removesuffix(".0")
    if "e" in text or not math.isfinite(value):
        return text if "e" in text else {"inf": "+Inf", "-inf": "-Inf", "nan": "NaN"}[text]
    # Python writes the exponent from 1e+16 on.
    sign, digits = ("-", text[1:]) if text[0] == "-" else ("", text)
    whole, _, decimals = digits.removesuffix(".0").partition(".")
    kept = (whole + decimals).rstrip("0")
    tail = f".{kept[1:]}" if len(kept) > 1 else ""
    return f"{sign}{kept[0]}{tail}e+{len(whole) - 1:02d}"
