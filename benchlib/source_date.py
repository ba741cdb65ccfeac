"""``SOURCE_DATE_EPOCH``: the day that a report is from, where somebody says it.

References
----------
SOURCE_DATE_EPOCH specification 1.1, reproducible-builds.org.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime

from benchlib.errors import InputError, printable

__all__ = ["NAME", "settle_epoch", "source_date"]

NAME = "SOURCE_DATE_EPOCH"

_SECONDS = re.compile(r"[0-9]{1,11}")


def source_date() -> datetime | None:
    """Return the moment that the environment names; None where it names none.

    Raises
    ------
    InputError
        If it is no number of seconds.
    """
    given = os.environ.get(NAME, "")
    if not given:
        return None
    if not _SECONDS.fullmatch(given):
        raise InputError(
            f"{NAME} is '{printable(given, 40)}'; write whole seconds since 1970, such as 1763640000, or unset it"
        )
    return datetime.fromtimestamp(int(given), UTC)


def settle_epoch() -> None:
    """Refuse what is no moment, and unset what is empty, before others read it.

    numpy.f2py, which SciPy imports, takes the variable for a number without a look, and so does IPython.

    Raises
    ------
    InputError
        If it is no number of seconds.
    """
    if source_date() is None:
        os.environ.pop(NAME, None)
