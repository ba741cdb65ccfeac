"""What was measured, where no question has an answer: from the least to the most, without a word on what is better."""

from __future__ import annotations

import re
from collections.abc import Sequence
from os.path import commonprefix

from benchlib.answers.alternatives import AlternativesAnswer
from benchlib.answers.evidence import pool
from benchlib.answers.samples import SampleRow, SampleTable
from benchlib.document.blocks import Column, Confidence, Number, Table, Text
from benchlib.document.numbers import number, write
from benchlib.document.words import count, metric_words, place_words, plain_name
from benchlib.metrics import better
from benchlib.study import Study
from benchlib.tell.lead import Lead
from benchlib.tell.sentences import say

#: Metrics that a page begins with, the most telling first.
_FIRST = ("time", "throughput", "latency_p50", "latency_mean", "transfer")
#: Statistics of a metric and counts of work done: no measurement by themselves.
_BESIDE = re.compile(r".*_(?:stdev|stddev|std|min|max|cv)|(?P<whole>.*)_(?:mean|median)")
_MOST_ROWS = 30
#: An alternative that is fastest so often, as a share of the one most often, is named too.
_NEAR = 0.5
#: Values differ by a factor worth saying from here on.
_TIMES = 1.05
#: Axes whose levels do the same work in other ways; inputs and operations do other work.
_ALTERNATIVES = re.compile(
    r"(?:lib|library|algo|algorithm|impl|implementation|engine|backend|compressor|codec|framework|lang|language|database|"
    r"db|alloc|mode|system|server|variant|allocator|compiler|tool|solution|approach|strategy|policy|scheduler|solver|serializer|parser|"
    r"runtime|structure|data_?structure|container|queue|lock|mutex|map|driver|executor|technique|optimi[sz]ation)s?"
)
_WHAT_NEXT = "what is to be decided: benchlib inspect --write begins a study.toml"


def lead(samples: SampleTable, alternatives: AlternativesAnswer | None, study: Study) -> Lead:
    """Return what a page says first of results that are only listed; who is fastest, where names hold alternatives."""
    rows = _first_metric(samples.rows)
    ordered = sorted(rows, key=lambda row: row.sample.median.value)
    return Lead(
        answer=_answer(ordered, study) if alternatives is None else _fastest(alternatives),
        decision=say("use", verb="Say", what=_WHAT_NEXT),
        confidence=_confidence(ordered),
        figure=None,
        facts=(),
        table=_table(ordered, study),
        values={},
    )


def best(samples: SampleTable, study: Study) -> bool:
    """Whether the rows that a page would list are alternatives, of which one is best."""
    rows = _first_metric(samples.rows)
    return bool(_best(sorted(rows, key=lambda row: row.sample.median.value), study))


def _fastest(answer: AlternativesAnswer) -> Text:
    """Say who is fastest in how many cases, who else nearly as often, and who is slowest."""
    best, *others = sorted(answer.fastest, key=lambda name: -answer.fastest[name])
    worst = max(answer.slowest, key=lambda name: answer.slowest[name])
    near: Text = ()
    if others and answer.fastest[others[0]] >= _NEAR * answer.fastest[best]:
        near = (f", {others[0]} in ", _cases(answer, answer.fastest[others[0]]))
    return say(
        "alternatives",
        best=best,
        some=_cases(answer, answer.fastest[best]),
        n=_cases(answer, answer.cases),
        near=near,
        worst=worst,
        most=_cases(answer, answer.slowest[worst]),
    )


def _cases(answer: AlternativesAnswer, cases: int) -> Number:
    return Number(value=float(cases), evidence=answer.evidence)


def _first_metric(rows: Sequence[SampleRow]) -> list[SampleRow]:
    """Return the rows of the metric that says most, in the unit that most of them have."""
    metrics = list(dict.fromkeys(row.metric for row in rows))
    main = [metric for metric in metrics if not _is_beside(metric, metrics)] or metrics
    # Where no name is known, what has a unit says more than a bare number.
    known = next((metric for metric in _FIRST if metric in metrics), "")
    chosen = known or max(main, key=lambda metric: sum((row.unit != "") + 0.1 for row in rows if row.metric == metric))
    of_it = [row for row in rows if row.metric == chosen]
    units = [row.unit for row in of_it]
    unit = max(dict.fromkeys(units), key=units.count)
    return [row for row in of_it if row.unit == unit]


def _is_beside(metric: str, metrics: Sequence[str]) -> bool:
    """Whether a metric is a spread or an end of another; a mean is one only beside what it is of."""
    match = _BESIDE.fullmatch(metric)
    return match is not None and (match["whole"] is None or match["whole"] in metrics)


def _answer(ordered: Sequence[SampleRow], study: Study) -> Text:
    least, most = ordered[0], ordered[-1]
    metric = _metric(least)
    if len(ordered) == 1:
        return say("listed.only", system=_place(least, ordered, study), metric=metric, value=_value(least))
    low, high = least.sample.median.value, most.sample.median.value
    times: Text = ()
    if shown := _best(ordered, study):
        return shown
    if write(_value(least)) == write(_value(most)):
        return say("listed.only", system=f"All {len(ordered)} are about the same", metric=metric, value=_value(least))
    if low > 0 and high / low >= _TIMES:
        evidence = pool([least.evidence, most.evidence], "the largest median over the smallest")
        times = (", ", Number(value=high / low, unit="x", digits=2, evidence=evidence), " that")
    return say(
        "listed",
        metric=metric,
        low=_value(least),
        least=_place(least, ordered, study),
        high=_value(most),
        most=_place(most, ordered, study),
        times=times,
    )


def _best(ordered: Sequence[SampleRow], study: Study) -> Text:
    """Say which level of the only axis that differs is best, where it is known which way that is; else nothing."""
    least, most = ordered[0], ordered[-1]
    if not least.sample.median.value > 0 or most.sample.median.value < _TIMES * least.sample.median.value:
        return ()
    way = better(least.metric, least.unit)
    apart = [axis for axis in least.key if any(row.key.get(axis) != least.key[axis] for row in ordered)]
    if not way or len(apart) != 1 or len({row.key.get(apart[0]) for row in ordered}) < len(ordered):
        return ()
    commands = all(file.format.startswith("hyperfine") for file in study.results.files)
    alternatives = _ALTERNATIVES.fullmatch(apart[0].lower()) or (commands and apart[0] == "benchmark")
    if not alternatives:
        return ()
    first, worst = (most, least) if way == "higher" else (least, most)
    pair = first.sample.median.value, worst.sample.median.value
    evidence = pool([first.evidence, worst.evidence], "the largest median over the smallest")
    times = Number(value=max(pair) / min(pair), unit="x", digits=2, evidence=evidence)
    last = _place(worst, ordered, study)
    long = "as long" if least.unit in ("sec", "sec/op") or least.metric == "time" else "as much"
    others: Text = (
        (", ", times, f" what {last} delivers")
        if way == "higher"
        else (f"; {last} takes ", _value(worst), ", ", times, f" {long}")
    )
    return say("listed.best", best=_place(first, ordered, study), value=_value(first), others=others)


def _metric(row: SampleRow) -> str:
    """Return what was measured in words; a time that is of no operation is that of a run."""
    return "run time" if row.metric == "time" and row.unit in ("sec", "") else metric_words(row.metric)


def _value(row: SampleRow) -> Number:
    return Number(value=row.sample.median.value, unit=row.unit.removesuffix("/op"), evidence=row.evidence)


def _place(row: SampleRow, rows: Sequence[SampleRow], study: Study) -> str:
    """Return where a row was measured: what tells it from the others, or its benchmark where it is alone."""
    apart = {axis: level for axis, level in row.key.items() if any(other.key.get(axis) != level for other in rows)}
    key = apart or {axis: level for axis, level in row.key.items() if axis == "benchmark"}
    if "benchmark" in apart:
        # What every name begins with, such as a package and a class, tells none from another.
        shared = len(_prefix([str(other.key.get("benchmark", "")) for other in rows]))
        key = {**key, "benchmark": str(key["benchmark"])[shared:]}
    return place_words({axis: level for axis, level in key.items() if str(level).strip()}) or plain_name(study.name)


def _prefix(names: Sequence[str]) -> str:
    """Return the path that all names begin with, up to its last dot, colon or slash."""
    shared = commonprefix(names)  # noqa: RUF071  # cut at a mark below
    return shared[: max(shared.rfind(mark) for mark in "./:") + 1]


def _confidence(rows: Sequence[SampleRow]) -> Confidence:
    fewest = min(row.sample.n for row in rows)
    if fewest == 1:
        return Confidence(level="low", reason=say("confidence.single"))
    return Confidence(level="medium", reason=(f"medians of {count(fewest, 'value')}; nothing was compared.",))


def _table(ordered: Sequence[SampleRow], study: Study) -> Table:
    unit = ordered[0].unit
    columns = (
        Column(head="what"),
        Column(head=_metric(ordered[0]), unit=unit, kind="number"),
        Column(head="95% interval", kind="interval"),
        Column(head="n", kind="number"),
    )
    shown = ordered[:_MOST_ROWS]
    rows = []
    for row in shown:
        value = number(row.sample.median, row.evidence)
        rows.append((_place(row, ordered, study), value, value, f"{row.sample.n}"))
    more = f"; {len(ordered) - len(shown):,} more below" if len(ordered) > len(shown) else ""
    return Table(caption=f"From least to most{more}", columns=columns, rows=tuple(rows))
