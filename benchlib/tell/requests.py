"""Requests one by one: the share that failed first where it matters, else median and tail; throughput over time."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib.answers.requests import RequestRow, RequestsAnswer
from benchlib.document.blocks import Cell, Column, Confidence, Fact, Figure, Fold, Number, Panel, Table, Text
from benchlib.document.numbers import number, write
from benchlib.document.words import level_words, metric_words, place_words
from benchlib.figures.requests import by_second
from benchlib.tell.lead import Lead
from benchlib.tell.sentences import say

#: From this share of failed requests on the times of the others say nothing of the service.
_MATTERS = 0.01
_MOST_ROWS = 30
#: Fewer seconds than these are no course of time.
_FEWEST_SECONDS = 5


def lead(answer: RequestsAnswer) -> Lead:
    """Return what a page that leads with single requests says first."""
    overall = answer.overall
    return Lead(
        answer=_by_level(answer.rows) or _answer(overall),
        decision=_decision(answer),
        confidence=_confidence(overall),
        figure=_figure(answer),
        facts=_facts(overall),
        table=_table(answer.rows),
        note=(
            "Intervals hold for this run: requests of one run wait for each other, and the next run may differ more.",
        ),
        values={f"requests.{name}": _shown(overall, name) for name in overall.percentiles},
    )


def finding(answer: RequestsAnswer) -> Fold:
    """Return the requests as one line that opens, for a page that leads with something else."""
    figure = _figure(answer)
    return Fold(
        line=_answer(answer.overall), blocks=(*([figure] if figure else []), _table(answer.rows)), anchor="requests"
    )


def _by_level(rows: Sequence[RequestRow]) -> Text:
    """Say from where to where the tail grows along the only axis of numbers that tells rows apart; else nothing."""
    apart = {axis for row in rows for axis in row.key if row.key[axis] != rows[0].key.get(axis)}
    axis = next(iter(apart)) if len(apart) == 1 else ""
    numbers = all(isinstance(row.key.get(axis), int | float) and row.percentiles for row in rows)
    if not axis or not numbers or sum(row.failed for row in rows) >= _MATTERS * sum(row.requests for row in rows):
        return ()
    ordered = sorted(rows, key=lambda row: float(row.key[axis]))
    first, last = ordered[0], ordered[-1]
    return say(
        "latency.grows",
        verb="grows" if last.percentiles["p99"].value > first.percentiles["p99"].value else "falls",
        statistic=metric_words("latency_p99"),
        system=f"{sum(row.requests for row in rows):,} requests",
        low=_shown(first, "p99"),
        first=level_words(axis, float(first.key[axis])),
        high=_shown(last, "p99"),
        last=level_words(axis, float(last.key[axis])),
    )


def _answer(row: RequestRow) -> Text:
    n = Number(value=float(row.requests), evidence=row.evidence)
    if not row.percentiles:
        return say("requests.failed", share="All", n=n, rest="")
    tail = {name: _shown(row, name) for name in row.percentiles}
    if row.failed_share >= _MATTERS:
        rest: Text = ("; the others: median ", tail["p50"], ", one in 100 longer than ", tail["p99"])
        return say("requests.failed", share=(_failed(row), " of"), n=n, rest=rest)
    failed: Text = ("; ", _failed(row), " failed") if row.failed else ("; none failed",)
    return say("requests", n=n, **tail, failed=failed)


def _shown(row: RequestRow, name: str) -> Number:
    return Number(value=row.percentiles[name].value, unit=row.percentiles[name].unit, evidence=row.evidence)


def _failed(row: RequestRow) -> Number:
    return Number(value=row.failed_share, unit="ratio", digits=2, evidence=row.evidence)


def _decision(answer: RequestsAnswer) -> Text:
    overall = answer.overall
    if overall.failed_share >= _MATTERS:
        most = max(answer.rows, key=lambda row: row.failed)
        where = f" of {place_words(most.key)}" if len(answer.rows) > 1 else ""
        return say("not_yet", verb="trust these times", advice=f"find out why requests{where} failed")
    if len(answer.rows) > 1:
        return say("use", verb="Look first into", what=f"{place_words(answer.rows[0].key)}, whose slowest take longest")
    return say("not_yet", verb="decide", advice="say how slow one request in 100 may be")


def _confidence(row: RequestRow) -> Confidence:
    if not row.percentiles:
        return Confidence(level="none", reason=("no request succeeded.",))
    if row.failed_share >= _MATTERS:
        return Confidence(level="low", reason=("so many failures change the load and the times of the others.",))
    return Confidence(level="medium", reason=("one recording; how far another one differs is not known.",))


def _facts(row: RequestRow) -> tuple[Fact, ...]:
    facts = [Fact(value=(_failed(row),), line=("of all requests failed",))] if row.failed else []
    facts += [Fact(value=(_shown(row, name),), line=(metric_words(f"latency_{name}"),)) for name in row.percentiles]
    return tuple(facts[:3])


def _figure(answer: RequestsAnswer) -> Figure | None:
    """Draw the requests of each second, failed ones apart."""
    seconds = answer.by_second
    if len(seconds) < _FEWEST_SECONDS:
        return None
    evidence = answer.overall.evidence
    lasted = seconds[-1][0] - seconds[0][0] + 1
    rate = Number(value=sum(second[1] for second in seconds) / lasted, unit="req/sec", evidence=evidence)
    most = Number(value=float(max(second[1] for second in seconds)), unit="req/sec", evidence=evidence)
    return Figure(
        finding=(rate, " succeeded over ", write(Number(value=float(lasted), unit="sec")), ", at most ", most),
        panels=(Panel(chart=by_second(seconds)),),
        alt="Requests of each second against time.",
        note="requests that began in each second, against seconds since the first; red: failed",
    )


def _table(rows: Sequence[RequestRow]) -> Table:
    unit = next((estimate.unit for row in rows for estimate in row.percentiles.values()), "sec")
    columns = (
        Column(head="request"),
        Column(head="requests", kind="number"),
        Column(head="failed", unit="ratio", kind="number"),
        *(
            column
            for name in ("p50", "p95", "p99")
            for column in (
                Column(head=name, unit=unit, kind="number"),
                Column(head=f"95% interval of {name}", kind="interval"),
            )
        ),
    )
    body = []
    for row in rows[:_MOST_ROWS]:
        cells: list[Cell] = [place_words(row.key), f"{row.requests:,}", _failed(row)]
        for name in ("p50", "p95", "p99"):
            shown = number(row.percentiles[name], row.evidence) if name in row.percentiles else None
            cells += [shown, shown]
        body.append(tuple(cells))
    more = f"; {len(rows) - len(body):,} more in answers.json" if len(rows) > len(body) else ""
    return Table(caption=f"Requests, the slowest first{more}", columns=columns, rows=tuple(body))
