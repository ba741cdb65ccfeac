"""What a mean, percentiles and throughput must satisfy together."""

from __future__ import annotations

__all__ = ["in_flight", "percentile_share", "tail_mean_bound"]


def percentile_share(name: str) -> float:
    """Return the share of requests at or below a percentile named ``p95`` or ``p99.9``; ``p999`` is the same.

    Examples
    --------
    >>> percentile_share("p95"), percentile_share("p999"), percentile_share("p99.9")
    (0.95, 0.999, 0.999)
    >>> percentile_share("p5"), percentile_share("p100")
    (0.05, 1.0)
    """
    whole, _, decimals = name.removeprefix("p").partition(".")
    return 1.0 if whole == "100" else float(f"0.{whole:0>2}{decimals}")


def tail_mean_bound(mean: float, percentile: float, share: float) -> float:
    """Return the least that the mean of the requests beyond a percentile can be.

    At most ``share`` of the requests contribute at most ``percentile`` each, so the rest must
    carry what is missing to the mean: ``(mean - share * percentile) / (1 - share)``.

    Parameters
    ----------
    mean : float
        Mean over all requests, any unit.
    percentile : float
        The percentile, same unit.
    share : float
        Share of requests at or below it, between 0 and 1.

    References
    ----------
    The argument of Markov's inequality, applied to the requests beyond the percentile.

    Examples
    --------
    >>> round(tail_mean_bound(164.0, 144.0, 0.95))
    544
    """
    return (mean - share * percentile) / (1 - share)


def in_flight(throughput: float, mean_latency: float) -> float:
    """Return the mean number of requests in flight, by Little's law.

    References
    ----------
    Little (1961), Oper. Res. 9, 383-387: L = lambda W.

    Examples
    --------
    >>> round(in_flight(36777.56, 11.79e-3), 1)
    433.6
    """
    return throughput * mean_latency
