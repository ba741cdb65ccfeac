"""The day that a report is from: ``SOURCE_DATE_EPOCH``, or what its study says.

References
----------
SOURCE_DATE_EPOCH specification 1.1, reproducible-builds.org.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from benchlib.errors import InputError, printable

if TYPE_CHECKING:
    from benchlib.study import Study

__all__ = ["NAME", "built_for", "data_stamp", "settle_epoch", "source_date"]

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


def built_for() -> str:
    """Return the day of ``SOURCE_DATE_EPOCH``, which a page bears, or "" where it is not set.

    Raises
    ------
    InputError
        If it is no number of seconds.
    """
    epoch = source_date()
    return "" if epoch is None else f"{epoch:%Y-%m-%d}"


def data_stamp(study: Study) -> datetime:
    """Return when a report is from: ``SOURCE_DATE_EPOCH``, else the ``date`` of its environment, else its newest file.

    No clock is asked, so that a report that is built again has the stamp of its data. A checkout dates files anew: the
    day that ``study.toml`` states goes with the data.
    """
    stated = source_date() or _stated(study)
    if stated is not None:
        return stated
    folder = study.path if os.path.isdir(study.path) else study.path.parent
    paths = [folder / one.source for one in study.results.files]
    changed = [one.stat().st_mtime for one in paths if os.path.isfile(one)]
    return datetime.fromtimestamp(int(max(changed, default=0)), UTC)


def _stated(study: Study) -> datetime | None:
    """Return the day or moment that a study states; None where it states none, or in words alone."""
    text = str(study.environment.get("date", ""))
    try:
        # ISO 8601 writes UTC as Z or +00:00; people and git write it out.
        moment = datetime.fromisoformat(text.removesuffix(" UTC"))
        return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
