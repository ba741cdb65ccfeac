"""One run of wrk: what was found of it, and whether it can be believed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from benchlib.errors import printable

__all__ = ["Run", "endpoint_axes", "objection", "quantity", "written"]

_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_TIME = re.compile(r"(-?nan|\d{1,15}(?:\.\d{1,9})?)(us|ms|s|m|h)", re.ASCII)


@dataclass(slots=True)
class Run:
    """What has been read of one run so far: key to value and line."""

    first: int
    length: str
    url: str
    found: dict[str, tuple[Any, int]] = field(default_factory=dict)
    uncorrected: bool = False
    open_loop: bool = False
    failures_unreadable: bool = False
    last: int = 0

    def value(self, key: str) -> Any:
        """Return a value that was found, else None."""
        return self.found.get(key, (None, 0))[0]

    def seconds(self, key: str) -> float:
        """Return a time that was found, in seconds; 0 where there is none."""
        return quantity(self.value(key) or "") or 0.0

    @property
    def timeouts(self) -> int:
        """Requests that timed out: they are missing from every percentile."""
        return int((self.value("socket") or [0])[-1])

    @property
    def errors(self) -> int:
        """Failed operations: socket errors of each kind and answers other than 2xx and 3xx."""
        return int(sum(self.value("socket") or [0])) + int(self.value("status") or 0)

    @property
    def no_latency(self) -> bool:
        """Whether the histogram was empty: every latency printed is zero or not a number."""
        printed = [*(self.value("latency") or [])]
        printed += [one for key, (one, _) in self.found.items() if key.startswith("latency_")]
        return not any(quantity(one) for one in printed)

    @property
    def longest(self) -> float:
        """The largest latency that a percentile can have, with room for rounding."""
        _, elapsed = self.value("requests")
        latency = self.value("latency")
        return 1.01 * ((quantity(latency[2]) if latency else 0.0) or float(elapsed))


def quantity(text: str) -> float | None:
    """Return the seconds of a time as wrk prints it, None for anything else.

    ``m`` is minutes. Not-a-number stands for an empty histogram and gives 0.

    Examples
    --------
    >>> quantity("1.02m"), quantity("-nanus"), quantity("7.4")
    (61.2, 0.0, None)
    """
    found = _TIME.fullmatch(text)
    if not found:
        return None
    return 0.0 if "nan" in found[1] else float(found[1]) * _SECONDS[found[2]]


def written(text: str) -> tuple[float, str]:
    """Return a time in the unit it was written in; not-a-number as `quantity` reads it.

    Examples
    --------
    >>> written("31.00us"), written("1.02m")
    ((31.0, 'us'), (1.02, 'm'))
    """
    found = _TIME.fullmatch(text)
    return (float(found[1]), found[2]) if found and "nan" not in found[1] else (quantity(text) or 0.0, "s")


def endpoint_axes(url: str) -> tuple[dict[str, Any], str]:
    """Return the axes that a URL gives, and why there are none where it cannot be read.

    A user name and password in the URL are dropped: tables and reports are passed around.

    Examples
    --------
    >>> axes, _ = endpoint_axes("http://me:secret@localhost:8080/hash?n=1")
    >>> axes["benchmark"], axes["endpoint"], axes["host"], axes["url"]
    ('/hash?n=1', 'hash', 'localhost:8080', 'http://localhost:8080/hash?n=1')
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return {}, f"has an unreadable URL, '{printable(url)}'"
    host = parts.netloc.rpartition("@")[2]
    path = parts.path or "/"
    name = f"{path}?{parts.query}" if parts.query else path
    return {
        "benchmark": name,
        "endpoint": path.lstrip("/") or "/",
        "host": host,
        "url": f"{parts.scheme}://{host}{name}",
    }, ""


def objection(run: Run) -> str:
    """Say why the values of a run cannot be kept; empty where they can.

    wrk prints its failures before Requests/sec, so a run that has the latter states all of the
    former. A cut number shows where requests, time and rate disagree.
    """
    if run.failures_unreadable:
        return "has a cut line of errors, so its failures are unknown"
    if "threads" not in run.found:
        return "has no line of threads and connections, so its concurrency is unknown"
    if "requests" not in run.found or "throughput" not in run.found:
        missing = "Requests/sec" if "requests" in run.found else "requests in"
        return f"is cut off: it has no line {missing!r}"
    requests, elapsed = run.value("requests")
    rate = run.value("throughput")
    if not requests and not run.errors:
        return "answered no request"
    # The time is rounded to two decimals of its unit: up to 0.5 % for 1.00m.
    if elapsed and abs(requests / elapsed - rate) > 0.02 * rate + 0.01:
        return f"has {requests} requests in {elapsed:g} s but {rate:g} requests a second"
    return ""
