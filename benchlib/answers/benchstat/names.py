"""What benchstat takes out of a benchmark name: its base, its ``/key=value`` parts, and what is left without them.

References
----------
golang.org/x/perf/benchfmt, ``result.go``; golang.org/x/perf/benchproc, ``extract.go``.
"""

from __future__ import annotations

import re
from collections.abc import Collection

__all__ = ["base_name", "name_axes", "name_value", "without"]

_SUFFIX = re.compile(r"-[0-9]+\Z")


def _parts(name: str) -> tuple[str, list[str], str]:
    """Cut a name into its base, its parts with their slash, and a ``-N`` suffix with its dash."""
    suffix = found[0] if (found := _SUFFIX.search(name)) else ""
    base, *parts = name[: len(name) - len(suffix)].split("/")
    return base, [f"/{one}" for one in parts], suffix


def base_name(name: str) -> str:
    """Return a name without its parts and without ``-N``.

    Examples
    --------
    >>> base_name("Copy/size=4k-16"), base_name("Copy-16"), base_name("Copy-a")
    ('Copy', 'Copy', 'Copy-a')
    """
    return _parts(name)[0]


def name_value(name: str, key: str) -> str:
    """Return the value of a ``/key`` of a name, or nothing; ``/gomaxprocs`` is also what ``-N`` says.

    Examples
    --------
    >>> name_value("Copy/size=4k-16", "/size"), name_value("Copy/size=4k-16", "/gomaxprocs")
    ('4k', '16')
    """
    _, parts, suffix = _parts(name)
    if key == "/gomaxprocs" and suffix:
        return suffix[1:]
    return next((one[len(key) + 1 :] for one in parts if one.startswith(f"{key}=")), "")


def name_axes(name: str) -> dict[str, str]:
    """Return the axes that a name states: its keys without the slash, the last of a key that stands twice.

    Examples
    --------
    >>> name_axes("Copy/fast/size=4k-16")
    {'size': '4k', 'gomaxprocs': '16'}
    """
    head, dash, tail = name.rpartition("-")
    suffixed = bool(dash) and tail.isascii() and tail.isdigit()
    axes = {}
    for part in (head if suffixed else name).split("/")[1:]:
        key, equals, value = part.partition("=")
        if equals and key and value:
            axes[key] = value
    if suffixed:
        axes.setdefault("gomaxprocs", tail)
    return axes


def without(name: str, keys: Collection[str]) -> str:
    """Return a name without some of its keys; without ``.name`` it begins with ``*``.

    ``case`` takes out the parts that state no key, which benchlib has as an axis of that name.

    Examples
    --------
    >>> without("Copy/size=4k/io=1-16", {"/size", "/gomaxprocs"}), without("Copy-16", {".name"})
    ('Copy/io=1', '*-16')
    """
    base, parts, suffix = _parts(name)
    kept = [one for one in parts if ("case" if "=" not in one else one.partition("=")[0]) not in keys]
    ending = "" if "/gomaxprocs" in keys else suffix
    return ("*" if ".name" in keys else base) + "".join(kept) + ending
