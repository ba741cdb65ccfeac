"""How large a page may be: what is read and mailed by nobody is not published."""

from __future__ import annotations

from benchlib.errors import ExportError

__all__ = ["check_size"]


def check_size(size: int, most: int | None) -> None:
    """Make sure that a page is no larger than is allowed; None allows any.

    Examples
    --------
    >>> check_size(2_000_000, 1_000_000)
    Traceback (most recent call last):
    benchlib.errors.ExportError: the page has 2,000,000 bytes, more than the 1,000,000 that --max-size allows; \
narrow it with --where, or allow more
    """
    if most is not None and size > most:
        raise ExportError(
            f"the page has {size:,} bytes, more than the {most:,} that --max-size allows; "
            "narrow it with --where, or allow more"
        )
