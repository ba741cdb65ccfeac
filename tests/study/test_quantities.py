"""Quantities of a capacity plan: read as they are meant, and each mistake in one line that shows how to write it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchlib.errors import DataError
from benchlib.study.quantities import (
    Limit,
    Target,
    parse_currency,
    parse_growth,
    parse_headroom,
    parse_limit,
    parse_mix,
    parse_month,
    parse_nodes,
    parse_probability,
    parse_survive,
    parse_target,
)


def test_words_are_read_as_they_are_meant() -> None:
    """With the unit that was written, as a share or in percent, by month or by year."""
    assert parse_target("50000/s") == Target(value=50000.0, unit="/sec", written="50000/s")
    assert parse_limit("p99=5ms") == Limit(metric="latency_p99", seconds=0.005, written="latency_p99=5ms")
    assert [parse_headroom(given) for given in ("30%", 0.3, "")] == [0.3, 0.3, 0.0]
    assert [parse_probability(given) for given in ("95%", 0.9)] == [0.95, 0.9]
    assert [parse_survive(given) for given in ("1", 2)] == [1, 2]
    growths = [parse_growth(text) for text in ("4%/month", "60%/year")]
    assert [round(growth.monthly, 4) for growth in growths if growth] == [0.04, 0.0399]
    assert parse_month("2026-11") == "2026-11"
    assert parse_mix("discover=70, select=30%") == {"discover": 70.0, "select": 30.0}
    assert [parse_currency(text) for text in ("eur", "$", "")] == ["EUR", "USD", ""]
    assert (parse_target(""), parse_limit(""), parse_growth(""), parse_nodes([])) == (None, None, None, ())


@pytest.mark.parametrize(
    ("cost", "by_hour", "currency"),
    [
        ("0.34/h", 0.34, ""),
        ("$0.34/h", 0.34, "USD"),
        ("0.34USD/h", 0.34, "USD"),
        ("0.34 eur/hour", 0.34, "EUR"),
        ("€24/day", 1.0, "EUR"),
        ("730/month", 1.0, ""),
        ("8760GBP/year", 1.0, "GBP"),
    ],
)
def test_prices_are_brought_to_an_hour(cost: str, by_hour: float, currency: str) -> None:
    """By any period, with the currency before, behind, or not named."""
    (found,) = parse_nodes([f"cores=8,cost={cost}"])
    assert found.cost == pytest.approx(by_hour)
    assert found.currency == currency


def test_a_currency_named_once_is_that_of_prices_without_one() -> None:
    """But a price that names its own keeps it."""
    (found,) = parse_nodes("cores=8,cost=0.34/h", "EUR")
    assert found.currency == "EUR"
    (found,) = parse_nodes("cores=8,cost=$0.34/h", "EUR")
    assert found.currency == "USD"


MISTAKES: list[tuple[Callable[[], object], str]] = [
    (lambda: parse_target("0/s"), "target '0/s' is no throughput above 0 and below 10^15; write it like 50000/s"),
    (lambda: parse_target("50000"), "target '50000' has no unit; write it like 50000/s"),
    (lambda: parse_target("5 ms"), "target '5 ms' is in 'sec', no work by time; write it like 50000/s"),
    (lambda: parse_target("many/s"), "target 'many/s' is no number with a unit; write it like 50000/s"),
    (lambda: parse_target("\x1b[2J/s"), "target '\\x1b[2J/s' is no number with a unit; write it like 50000/s"),
    (lambda: parse_limit("5ms"), "slo '5ms' names no latency and time; write it like latency_p99=5ms"),
    (lambda: parse_limit("latency_p99=5"), "slo 'latency_p99=5' has no unit of time; write it like latency_p99=5ms"),
    (
        lambda: parse_limit("latncy_p99=5ms"),
        "slo 'latncy_p99=5ms' is of 'latncy_p99', no mean or percentile of latency; did you mean 'latency_p99'?; "
        "write it like latency_p99=5ms",
    ),
    (lambda: parse_limit("p99=-1ms"), "slo 'p99=-1ms' is no time above 0; write it like latency_p99=5ms"),
    (lambda: parse_headroom("130%"), "headroom '130%' is no share from 0 to below 1; write 30% or 0.3"),
    (lambda: parse_headroom(30), "headroom '30' is no share from 0 to below 1; write 30% or 0.3"),
    (lambda: parse_survive("1.5"), "survive '1.5' is no whole number of nodes from 0 to 1,000; write 1"),
    (
        lambda: parse_nodes(["cores=8,cost=0.34"]),
        "node 'cores=8,cost=0.34': cost '0.34' names no period; write it like 0.34/h, $0.34/h or 0.34USD/h",
    ),
    (
        lambda: parse_nodes(["cores=8,cost=cheap"]),
        "node 'cores=8,cost=cheap': cost 'cheap' is no price by time; write it like 0.34/h, $0.34/h or 0.34USD/h",
    ),
    (
        lambda: parse_nodes(["cores=8,cost=0.34/week"]),
        "node 'cores=8,cost=0.34/week': cost '0.34/week' is by 'week'; periods: h, hour, day, month, year; "
        "write it like 0.34/h, $0.34/h or 0.34USD/h",
    ),
    (
        lambda: parse_nodes(["cores=0"]),
        "node 'cores=0' names no whole number of cores from 1 to 100,000; write it like cores=8,cost=0.34/h",
    ),
    (
        lambda: parse_nodes(["core=8"]),
        "node 'core=8' has the part 'core=8'; did you mean 'cores'?; write it like cores=8,cost=0.34/h",
    ),
    (
        lambda: parse_nodes(["cores=8,cost=0.34/h", "cores=8,cost=0.40/h"]),
        "nodes 'cores=8,cost=0.34/h' and 'cores=8,cost=0.40/h' are 8 cores at two prices; keep one of them",
    ),
    (
        lambda: parse_nodes(["cores=8,cost=0.34/h", "cores=4"]),
        "node 'cores=4' has no cost and 'cores=8,cost=0.34/h' has; give all a cost, or none",
    ),
    (
        lambda: parse_nodes(["cores=8,cost=$0.34/h", "cores=4,cost=€0.2/h"]),
        "nodes 'cores=8,cost=$0.34/h' and 'cores=4,cost=€0.2/h' cost USD and EUR; name one currency for all",
    ),
    (
        lambda: parse_nodes(["cores=8,cost=$0.34/h", "cores=4,cost=0.2/h"]),
        "nodes 'cores=8,cost=$0.34/h' and 'cores=4,cost=0.2/h' cost USD and an unnamed currency; "
        "name one currency for all",
    ),
    (lambda: parse_currency("euros"), "currency 'euros' is no three letters; write it like EUR"),
    (lambda: parse_growth("4%"), "growth '4%' names no period; write it like 4%/month or 60%/year"),
    (
        lambda: parse_growth("4%/day"),
        "growth '4%/day' is by 'day'; periods: month, year; write it like 4%/month or 60%/year",
    ),
    (lambda: parse_growth("4/month"), "growth '4/month' is no share in percent; write it like 4%/month"),
    (lambda: parse_month("2026-13"), "from '2026-13' is no month; write it like 2026-11"),
    (
        lambda: parse_month("9999-12"),
        "from '9999-12' is not in a year from 1900 to 9899; write it like 2026-11",
    ),
    (lambda: parse_probability("95"), "probability '95' is not from 0.5 to below 1; write 0.95 or 95%"),
    (
        lambda: parse_mix({1: 2}),  # type: ignore[dict-item]
        "mix names the operation 1, no text; write it like discover=70,select=30",
    ),
    (
        lambda: parse_mix("discover=70,select=0"),
        "mix: the share of 'select' is '0.0', no number above 0; write it like discover=70,select=30",
    ),
    (
        lambda: parse_mix("discover=70,discover=30"),
        "mix names 'discover' twice; write it like discover=70,select=30",
    ),
]


@pytest.mark.parametrize(("asked", "message"), MISTAKES)
def test_a_mistake_is_one_line_that_shows_how(asked: Callable[[], object], message: str) -> None:
    """What was found, quoted, and how to write it."""
    with pytest.raises(DataError) as caught:
        asked()
    assert str(caught.value) == message
