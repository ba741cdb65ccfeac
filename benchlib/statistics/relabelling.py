"""How often would chance alone show so clear a difference in some row of a family?

The test of each row asks what its values would show if their labels, baseline or candidate, were dealt out anew. Six
values a side have 924 such deals, so that a row by itself never gets below p = 0.002, which among 30 rows says nothing.
Rows of one family are asked together: the deals of all of them are one reference, and the p value of a row is the share
of it that is as clear. The number of false discoveries expected is then right however the noise is shaped and however
it differs from row to row; ten times the time stands out among 1,000 rows as it does alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from benchlib.lazy_scipy import special
from benchlib.statistics.compare import Pairs, _size_groups

_Floats = NDArray[np.float64]
_Codes = NDArray[np.intp]
#: How many deals are looked at in all, and the fewest and the most of one row: a family of rows can get to one part in
#: so many of them after Benjamini and Hochberg.
_DEALS, _FEWEST, _MOST = 50_000, 100, 10_000
#: What only rounding parts is as clear.
_ROUNDING = 1e-9


def pooled_pvalues(pairs: Pairs, kinds: _Codes) -> _Floats:
    """Return the share of deals of labels, over all rows, that are as clear as each row.

    Clear is a large difference of mean logarithms over its error. The variance behind the error is the row's own,
    drawn towards that of rows of its kind as far as these agree (moderated t). Rows of different n are put on one scale
    by the logarithm of the likelihood ratio, with Bartlett's factor. Rows with a value that has no logarithm are
    taken as they are, and drawn nowhere.

    Source: V. G. Tusher, R. Tibshirani, G. Chu, Proc. Natl. Acad. Sci. 98 (2001) 5116-5121, for the pooled reference;
    G. K. Smyth, Statistical Applications in Genetics and Molecular Biology 3 (2004) article 3, for moderated t;
    B. Phipson, G. K. Smyth, the same, 9 (2010) article 39, for counting the deal that was made among the others.
    """
    samples = list(_samples(pairs))
    within, freedom = np.empty(pairs.rows), np.diff(pairs.baseline_starts) + np.diff(pairs.candidate_starts) - 2
    for here, values, n1 in samples:
        within[here] = _within(values, n1)
    prior, weight = _priors(np.where(_logs_there(pairs), within, np.nan), freedom, kinds)
    own, every = np.zeros(pairs.rows), []
    deals = min(max(_DEALS // max(pairs.rows, 1), _FEWEST), _MOST)
    for here, values, n1 in samples:
        total = np.einsum("ij,ij->i", values, values) + prior[here] * weight[here]
        all_freedom = freedom[here] + weight[here]
        dealt = _clearness(values @ _deals(n1, values.shape[1] - n1, deals), total, all_freedom, n1, values.shape[1])
        own[here] = dealt[:, 0]
        every.append((dealt.ravel(), here.size))
    reached = np.zeros(pairs.rows)
    for one, rows in every:
        one.sort()
        reached += rows * (1 - np.searchsorted(one, own * (1 - _ROUNDING)) / one.size)
    return reached / max(pairs.rows, 1)


def _samples(pairs: Pairs) -> Iterator[tuple[_Codes, _Floats, int]]:
    """Yield rows of equal sizes: their places, both sides side by side about their mean, and the size of the first."""
    for here, old, new in _size_groups(pairs):
        values = np.concatenate([old, new], axis=1)
        positive = values.min(axis=1) > 0
        values[positive] = np.log(values[positive])
        yield here, values - values.mean(axis=1, keepdims=True), old.shape[1]


def _logs_there(pairs: Pairs) -> NDArray[np.bool_]:
    least = (
        np.minimum.reduceat(pairs.baseline, pairs.baseline_starts[:-1]),
        np.minimum.reduceat(pairs.candidate, pairs.candidate_starts[:-1]),
    )
    there: NDArray[np.bool_] = np.minimum(*least) > 0
    return there


def _within(values: _Floats, n1: int) -> _Floats:
    """Return the variance within both sides of rows about their mean."""
    size = values.shape[1]
    explained = values[:, :n1].sum(axis=1) ** 2 * size / (n1 * (size - n1))
    left: _Floats = np.maximum(np.einsum("ij,ij->i", values, values) - explained, 0.0) / max(size - 2, 1)
    return left


def _priors(variances: _Floats, freedom: _Codes, kinds: _Codes) -> tuple[_Floats, _Floats]:
    """Return the variance that rows of each kind agree on, and for how many degrees of freedom it counts in a row."""
    prior, weight = np.zeros(variances.size), np.zeros(variances.size)
    for kind in np.unique(kinds).tolist():
        here = kinds == kind
        usable = here & (variances > 0) & (freedom > 0)
        if usable.sum() > 2:
            middle, agreed = _prior(variances[usable], freedom[usable].astype(np.float64))
            there = here & ~np.isnan(variances)
            prior[there] = middle
            # No row knows more of its variance than all of them together.
            weight[there] = np.clip(freedom[usable].sum() - freedom[there], 0.0, agreed)
    return prior, weight


def _prior(variances: _Floats, freedom: _Floats) -> tuple[float, float]:
    """Return centre and degrees of freedom of an inverse chi-square law of variances, by moments of logarithms (Smyth).

    How much logarithms differ beyond what their degrees of freedom make says how little rows agree.
    """
    logs = np.log(variances) - special.digamma(freedom / 2) + np.log(freedom / 2)
    beyond = float(logs.var(ddof=1) - special.polygamma(1, freedom / 2).mean())
    if beyond <= 0:
        return math.exp(float(logs.mean())), math.inf
    agreed = 2 * _trigamma_inverse(beyond)
    centre = float(logs.mean() + special.digamma(agreed / 2)) - math.log(agreed / 2)
    return math.exp(centre), agreed


def _trigamma_inverse(value: float) -> float:
    """Return where trigamma takes a value, by Newton's steps on its reciprocal (Smyth, appendix)."""
    place = 0.5 + 1 / value
    for _ in range(50):
        there = float(special.polygamma(1, place))
        step = there * (1 - there / value) / float(special.polygamma(2, place))
        place += step
        if -step < 1e-8 * place:
            break
    return place


@lru_cache(maxsize=64)
def _deals(n1: int, n2: int, most: int) -> _Floats:
    """Return deals of labels as columns, 1 where a value is of the baseline: all there are, or so many by chance.

    The first is the one that was made.
    """
    size = n1 + n2
    if math.comb(size, n1) <= most:
        chosen = np.array(list(combinations(range(size), n1)), dtype=np.intp)
    else:
        order = np.random.default_rng(0).random((most, size)).argsort(axis=1)
        chosen = order[:, :n1]
        chosen[0] = np.arange(n1)
    deals = np.zeros((size, len(chosen)))
    deals[chosen.T, np.arange(len(chosen))] = 1
    return deals


def _clearness(sums: _Floats, total: _Floats, freedom: _Floats, n1: int, size: int) -> _Floats:
    """Return the log likelihood ratio of a difference, from sums of the baseline and all squares about the mean."""
    with np.errstate(divide="ignore", invalid="ignore"):
        explained = sums**2 * (size / (n1 * (size - n1))) / total[:, None]
    return (freedom[:, None] - 0.5) * -np.log1p(-np.clip(np.nan_to_num(explained), 0.0, 1 - 1e-15))
