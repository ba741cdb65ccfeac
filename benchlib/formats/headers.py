"""What the header of a column says: the metric that it names, and its unit.

People write both in many ways: ``time_ms``, ``Time(s)``, ``Execution Time (seconds)``, ``samples_per_sec``,
``M ops/s``, ``GFLOPS``, ``95thPercentile(us)``, ``tiempo_segundos``. What is not known here is no metric by its header.
"""

from __future__ import annotations

import re

from benchlib import metrics, units
from benchlib.concurrency import counted

#: A longer header names no metric: matching one takes the square of its spaces.
_LONGEST = 200

_TIMES = {
    "ns": "ns", "nsec": "ns", "nsecs": "ns", "nanos": "ns", "nanosec": "ns", "nanoseconds": "ns", "nanosecond": "ns",
    "us": "us", "µs": "µs", "μs": "μs", "usec": "us", "usecs": "us", "micros": "us", "microsec": "us",
    "microseconds": "us", "microsecond": "us",
    "ms": "ms", "msec": "ms", "msecs": "ms", "millis": "ms", "millisec": "ms", "milliseconds": "ms",
    "millisecond": "ms", "milisegundos": "ms", "millisekunden": "ms",
    "s": "s", "sec": "s", "secs": "s", "seconds": "s", "second": "s", "segundos": "s", "sekunden": "s", "secondes": "s",
    "mins": "minutes", "minutes": "minutes", "hours": "hours",
}  # fmt: skip
#: The end of a header -> the unit it means.
_UNITS = _TIMES | {
    "bytes": "B", "kb": "KB", "mb": "MB", "gb": "GB", "tb": "TB", "kib": "KiB", "mib": "MiB", "gib": "GiB",
    "pct": "%", "percent": "%", "percentage": "%", "%": "%",
}  # fmt: skip
#: Rates in one word, as `benchlib.units.parse_unit` reads them once the prefix has its case.
_ONE_WORD = re.compile(r"([kmgt]?)(rps|qps|tps|iops|fps|pps|bps|flops|flop/s|ops)", re.IGNORECASE)
_PLAIN_RATES = {"rps": "req/s", "qps": "req/s", "tps": "op/s"}
_SCALES = {"million": "M", "mln": "M", "thousand": "k", "billion": "G"}
_SCALED = re.compile(r"(million|mln|thousand|billion|[kKMGT])[ _]+(\S.*)")
_SCALE_AT_END = re.compile(r"(.*?)(?:^|[ _])(million|mln|thousand|billion|[kKMGT])")
#: Bits, where the case is kept: ``Mb/s`` is no ``MB/s``.
_BITS = {"Kb": "Kbit", "Mb": "Mbit", "Gb": "Gbit", "Tb": "Tbit"}
#: What one operation of takes no other unit: ``time per op``.
_QUANTITIES = frozenset({"time", "latency", "duration", "memory", "transfer", "throughput", "bandwidth"})
_PER_OPERATION = re.compile(r"(.*)_per_(?:op|operation|req|request|iter|iteration|call)")
_BOTTOMS = {
    "s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s", "ms": "ms", "us": "us", "µs": "µs", "ns": "ns",
    "msec": "ms", "usec": "us", "nsec": "ns", "millisecond": "ms", "microsecond": "us", "nanosecond": "ns",
    "min": "min", "minute": "min", "hour": "hour",
    "op": "op", "operation": "op", "req": "req", "request": "req", "iter": "op", "iteration": "op", "call": "op",
}  # fmt: skip
#: Something by something: ``samples_per_sec``, ``bytes per op``, ``M ops/s``, ``opsPerSec``. Any noun may stand above.
_PER = re.compile(
    r"(?P<above>.*?[^ _/])(?:[ _]?/[ _]?|_per_| per )(?P<below>"
    + "|".join(sorted(_BOTTOMS, key=len, reverse=True))
    + ")",
    re.IGNORECASE,
)
#: Where a bar joins them, few nouns are meant: ``keys_ms`` is a time.
_JOINED = re.compile(
    r"(?:(?P<metric>.*?)[_ ])?(?P<top>ns|us|µs|μs|ms|b|kb|mb|bytes|allocs|req|requests|reqs|ops|op|queries)"
    r"_(?P<bottom>op|s|sec|second|req|request)",
    re.IGNORECASE,
)
#: What may be counted, or takes the place of a unit, above the line.
_ABOVE = {
    "ns": "ns", "us": "us", "µs": "µs", "μs": "μs", "ms": "ms", "s": "s", "sec": "s", "seconds": "s",
    "b": "B", "byte": "B", "bytes": "B", "kb": "KB", "mb": "MB", "gb": "GB", "tb": "TB", "kib": "KiB", "mib": "MiB",
    "gib": "GiB", "tib": "TiB", "ops": "op", "op": "op", "operations": "op", "transactions": "op", "queries": "req",
    "requests": "req", "request": "req", "reqs": "req", "req": "req", "allocs": "allocs", "allocations": "allocs",
}  # fmt: skip
_KEPT = re.compile(r"[kKMGT](?:ops?|reqs?|bits?|[Ff]lops?|FLOP)|[KMGT]?i?B")
_BRACKETS = re.compile(r"(?P<metric>[^()\[\]]*?)\s*[(\[](?P<unit>[^()\[\]]+)[)\]]")
_IN_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
#: Brackets may hold what is no unit: ``Time (avg)``, ``Latency [p99]``, ``Score Error (99.9%)``.
_REMARK = re.compile(
    r"avg|average|mean|median|min|max|total|std|stdev|stddev|p\d+(?:\.\d+)?|\d.*|real|user|sys|wall|lower.*|higher.*|"
    r"less.*|more.*|n|log.*",
    re.IGNORECASE,
)
_LAST_WORD = re.compile(r"(.*?)(?:[ _.,:-]+)([^ _.,:-]+)")
_IN = re.compile(r"(.*?)[ _]in", re.IGNORECASE)
_PERCENTILE = re.compile(
    r"(?:latency[_ ]?)?p(\d{1,2}(?:\.\d+|9+)?)(?:[_ ]?latency)?|"
    r"(?:latency_)?(\d{1,2}(?:\.\d+)?)(?:(?:st|nd|rd|th)(?:_?percentile|_?perc|_?pctl)?|_?percentile|%(?:ile)?)(?:_latency)?"
)
#: Half the width of an interval, with its level.
_INTERVAL = re.compile(
    r"(?:[\w ]{0,40}[ _])?(?:error|err|ci|margin)[ _]?\((\d\d(?:\.\d{1,3})?) ?%\)|"
    r"(?:\w{1,40}_)?ci_?(\d\d(?:\.\d{1,3})?)|(\d\d(?:\.\d{1,3})?) ?% ?ci",
    re.IGNORECASE,
)
#: Between the words of a name: ``AverageLatency``, ``timeMs``, ``HTTPStatus``.
_BETWEEN = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

#: Words for a time that a tool measured, and the names benchlib gives them.
_LATENCIES = {
    "latency": "latency", "lat": "latency", "response_time": "latency", "mean_latency": "latency_mean",
    "avg_latency": "latency_mean", "latency_avg": "latency_mean", "latency_mean": "latency_mean",
    "average_latency": "latency_mean", "average_response_time": "latency_mean", "avg_response_time": "latency_mean",
    "median_latency": "latency_p50", "latency_median": "latency_p50", "median_response_time": "latency_p50",
    "max_latency": "latency_max", "latency_max": "latency_max", "max_response_time": "latency_max",
    "min_latency": "latency_min", "latency_min": "latency_min", "min_response_time": "latency_min",
    "latency_stdev": "latency_stdev", "stdev_latency": "latency_stdev", "latency_std": "latency_stdev",
}  # fmt: skip
_STATISTICS = {
    "mean": "latency_mean", "avg": "latency_mean", "average": "latency_mean", "median": "latency_p50",
    "max": "latency_max", "min": "latency_min", "stdev": "latency_stdev", "stddev": "latency_stdev",
    "std": "latency_stdev",
}  # fmt: skip
#: Words for the time that the whole of it took.
_WHOLE = (
    "time", "runtime", "run_time", "elapsed", "elapsed_time", "time_elapsed", "wall", "walltime", "wall_time",
    "wall_clock", "wall_clock_time", "wallclock", "execution_time", "exec_time", "time_taken", "total_time",
    "time_total", "totaltime", "total_runtime", "running_time", "completion_time", "tiempo", "zeit",
    "laufzeit", "temps", "tempo",
)  # fmt: skip
#: Mean times of one run, which are its time where no other is.
MEAN_TIMES = ("mean_time", "avg_time", "average_time", "time_mean", "time_avg")
_WORDS = {
    "duration": "duration", "memory": "memory", "allocs": "allocations", "allocations": "allocations",
    "transfer": "transfer", "rate": "rate", "throughput": "throughput", "bandwidth": "transfer",
    "goodput": "throughput", "speed_up": "speedup",
    **dict.fromkeys(_WHOLE, "time"), **dict.fromkeys(MEAN_TIMES, "time_mean"), "median_time": "time_median",
    "min_time": "time_min", "max_time": "time_max",
    **_LATENCIES,
}  # fmt: skip
#: Where the unit is a time, these words mean one as well: ``T(ms)``, ``total_s``, ``real (s)``.
_OF_TIMES = {"t": "time", "total": "time", "real": "time", "run": "time", "exec": "time", "execution": "time",
             "user": "user_time", "sys": "system_time", "system": "system_time", "cpu": "cpu_time"}  # fmt: skip
#: Words of a time that mean nothing else: the others (``user``, ``rate``) need their unit.
_ALONE = frozenset({*_WHOLE, *MEAN_TIMES, *_LATENCIES, "median_time", "min_time", "max_time", "duration", "memory",
                    "allocs", "allocations", "transfer", "throughput", "bandwidth", "goodput", "rate"})  # fmt: skip
#: A header of these words is a setting even where it has a unit: ``payload_bytes``.
_SETTINGS = re.compile(
    r"(?:.*_)?(?:size|payload|block|buffer|chunk|message|value|key|window|interval|timeout|delay|bits|load|inputs?|"
    r"outputs?|batch|depth|n|level|seed|timestamp|repeat|round|iteration|workers?|threads?|connections?|clients?|users?|"
    r"cores?|cpus?|gpus?|procs?|nodes?)"
)

#: Words for one repeat of a measurement, also as people write them in other languages.
REPEATS = frozenset({
    "run", "rep", "repeat", "repetition", "iter", "iteration", "round", "trial", "attempt", "try", "seed", "versuch",
    "durchlauf", "wiederholung", "lauf", "essai", "ensayo", "corrida",
})  # fmt: skip
#: Words that do so as the header of a column, where they also name files and measurements.
_NUMBERS_REPEATS = re.compile(
    rf"(?:(?:{'|'.join(sorted(REPEATS))}|sample|experiment)(?:_?(?:id|idx|index|no|nr|num|number|#))?|"
    r"test_?(?:idx|index|no|nr|num|number|#))"
)


def metric_of(written: str, *, per_operation: bool = False) -> tuple[str, str] | None:
    """Return metric and unit that a header names, or None; the unit is empty where none is written.

    Parameters
    ----------
    written : str
    per_operation : bool
        Whether other columns are costs of one operation, so that a mean time is one too.

    Examples
    --------
    >>> metric_of("Execution Time (seconds)"), metric_of("samples_per_sec"), metric_of("M ops/s")
    (('time', 's'), ('samples/sec', 'samples/s'), ('throughput', 'Mop/s'))
    >>> metric_of("wall_s"), metric_of("GFLOPS"), metric_of("95thPercentile(us)"), metric_of("threads")
    (('time', 's'), ('flop/sec', 'GFLOPS'), ('latency_p95', 'us'), None)
    """
    if len(written) > _LONGEST:
        return None
    bracketed = _BRACKETS.fullmatch(written)
    if bracketed and _REMARK.fullmatch(bracketed["unit"].strip()):
        # ``Time (avg)``: the remark is part of the name.
        return metric_of(f"{bracketed['unit'].strip()}_{bracketed['metric']}", per_operation=per_operation)
    if bracketed and (scale := _SCALE_AT_END.fullmatch(bracketed["unit"].strip())) and not scale[1]:
        # ``QPS (k)``: a multiple of a rate.
        rate = unit_of(bracketed["metric"])
        unit = f"{_SCALES.get(scale[2], scale[2])}{rate}"
        return (metrics.metric(unit)[0].name, unit) if rate in _PLAIN_RATES.values() else None
    if bracketed:
        unit = bracketed["unit"].strip()
        return _named(bracketed["metric"], unit_of(unit) or unit, per_operation)
    if unit := unit_of(written):
        return ("time" if unit in _TIMES.values() else metrics.metric(unit)[0].name), unit
    if found := _by_parts(written, per_operation):
        return found
    word = snake(written)
    return (_word(word), "") if word in _ALONE or _PERCENTILE.fullmatch(word) else None


def unit_of(written: str) -> str:
    """Return the unit that a text is, as `benchlib.units.parse_unit` reads it; empty where it is none.

    A size is none by itself: ``MB`` heads settings as often as measurements.

    Examples
    --------
    >>> unit_of("seconds"), unit_of("ops per sec"), unit_of("million msgs/sec"), unit_of("kiops"), unit_of("colour")
    ('s', 'op/s', '', 'kiops', '')
    """
    text = written.strip()
    known = _TIMES.get(text) or (_TIMES.get(text.lower(), "") if len(text) > 1 else "")
    if known or text == "%":
        return known or text
    if word := _ONE_WORD.fullmatch(text):
        return _one_word(word)
    scaled = _SCALED.fullmatch(text)
    prefix = _SCALES.get(scaled[1].lower(), scaled[1]) if scaled else ""
    rate = _PER.fullmatch(scaled[2] if scaled else text)
    if not rate or " " in rate["above"] or (above := _counted(rate["above"])) is None:
        return ""
    unit = f"{prefix}{above}/{_BOTTOMS[rate['below'].lower()]}"
    # A multiple of what has none, as million messages, would stay a word: no unit.
    return "" if prefix and units.parse_unit(unit).factor == units.parse_unit(unit[1:]).factor else unit


def _one_word(match: re.Match[str]) -> str:
    """Return a rate in one word with the case that `parse_unit` knows: ``kiops``, ``GFLOPS``, ``Mops/s``."""
    prefix = "k" if match[1] in ("k", "K") else match[1].upper()
    word = match[2].lower()
    if match[2].startswith("Bp"):  # MBps counts bytes, Mbps bits
        return f"{'K' if prefix == 'k' else prefix}B/s"
    if word == "ops":
        return f"{prefix}op/s"
    if not prefix and word in _PLAIN_RATES:
        return _PLAIN_RATES[word]
    return prefix + (word.upper().replace("/S", "S") if word.startswith("flop") else word)


def _counted(noun: str) -> str | None:
    """Return what stands above the line of a rate; None for what is more than one word."""
    if _KEPT.fullmatch(noun):
        return noun
    if noun in _BITS:
        return _BITS[noun]
    if noun.lower() in _QUANTITIES:
        return None
    return _ABOVE.get(noun.lower()) or (noun.lower() if noun.isalpha() else None)


def named_with(written: str, unit: str, *, per_operation: bool = False) -> tuple[str, str] | None:
    """Return metric and unit of a header whose cells hold the unit; None for a setting.

    Examples
    --------
    >>> named_with("Mean", "ns"), named_with("Block size", "KB"), named_with("Heap", "MB")
    (('latency_mean', 'ns'), None, ('heap', 'MB'))
    """
    return None if len(written) > _LONGEST else _named(_IN_BRACKETS.sub("", written), unit, per_operation)


def names_metric(written: str) -> bool:
    """Whether a header names a metric, were its unit known.

    Examples
    --------
    >>> names_metric("Mean"), names_metric("Wall time"), names_metric("rtt")
    (True, True, False)
    """
    return metric_of(written) is not None or snake(written) in {**_STATISTICS, **_OF_TIMES}


def interval_level(written: str) -> float | None:
    """Return the confidence level of half an interval that a header names, or None.

    Examples
    --------
    >>> interval_level("Score Error (99.9%)"), interval_level("ci95"), interval_level("95% CI"), interval_level("Error")
    (0.999, 0.95, 0.95, None)
    """
    match = _INTERVAL.fullmatch(written.strip()) if len(written) <= _LONGEST else None
    level = float(match[1] or match[2] or match[3]) / 100 if match else 0.0
    return round(level, 9) if 0.5 <= level < 1 else None


def is_setting(written: str) -> bool:
    """Whether a header names what was set rather than measured.

    Examples
    --------
    >>> is_setting("n_threads"), is_setting("Concurrent Users"), is_setting("latency")
    (True, True, False)
    """
    return len(written) <= _LONGEST and bool(_SETTINGS.fullmatch(snake(written)) or counted(written))


def numbers_repeats(written: str) -> bool:
    """Whether a header may number repeats of a measurement; its plural, as `trials`, counts them.

    Examples
    --------
    >>> numbers_repeats("Trial #"), numbers_repeats("test_num"), numbers_repeats("Versuch"), numbers_repeats("trials")
    (True, True, True, False)
    """
    return len(written) <= _LONGEST and bool(_NUMBERS_REPEATS.fullmatch(snake(written)))


def _by_parts(written: str, per_operation: bool) -> tuple[str, str] | None:
    """Return the metric and unit of a header whose end is the unit."""
    for text in dict.fromkeys((written, _BETWEEN.sub("_", written))):
        if joined := _JOINED.fullmatch(text):
            top = {"b": "B", "kb": "KB", "mb": "MB"}.get(joined["top"].lower(), joined["top"].lower())
            unit = f"{top}/{joined['bottom'].lower()}"
            return (joined["metric"] and _word(joined["metric"])) or metrics.metric(unit)[0].name, unit
        if rate := _PER.fullmatch(text):
            split = _LAST_WORD.fullmatch(rate["above"])
            head, noun = (split[1], split[2]) if split else ("", rate["above"])
            if noun.lower() in _QUANTITIES:
                return _word(rate["above"]), ""
            scale = _SCALE_AT_END.fullmatch(head)
            head, scaled = (scale[1], f"{scale[2]} {noun}") if scale else (head, noun)
            unit = unit_of(f"{scaled} per {rate['below']}")
            return (_of_rate(head, unit), unit) if unit else None
        split = _LAST_WORD.fullmatch(text)
        if not split or not split[1]:
            continue
        head, tail = split[1], split[2]
        # As written first: µ has no useful upper case. Few people distinguish KB from kb.
        unit = _UNITS.get(tail) or (_UNITS.get(tail.lower(), "") if len(tail) > 1 else "")
        if not unit and (word := _ONE_WORD.fullmatch(tail)) and tail.lower() != "ops":
            unit = _one_word(word)
        if unit and (cost := _PER_OPERATION.fullmatch(snake(head))):
            return _word(cost[1]), f"{unit}/op"
        if unit and "per" not in snake(head).split("_"):
            within = _IN.fullmatch(head)
            return _named(within[1] if within else head, unit, per_operation)
    return None


def _of_rate(head: str, unit: str) -> str:
    """Return the metric of a rate: what stands before it says which, unless it is a multiple."""
    word = snake(head)
    return _word(word) if word else metrics.metric(unit)[0].name


def _named(written: str, unit: str, per_operation: bool) -> tuple[str, str] | None:
    word, base = snake(written), units.parse_unit(unit).base
    if base == "sec" and word in _STATISTICS:
        # Beside bytes and allocations per operation, the mean time is Go's ns/op.
        return ("time", f"{unit}/op") if per_operation and word == "mean" else (_STATISTICS[word], unit)
    if base == "sec" and word in _OF_TIMES:
        return _OF_TIMES[word], unit
    if is_setting(word) and not (unit == "%" and word in ("cpu", "gpu")):
        return None
    return _word(word) or metrics.metric(unit)[0].name, unit


def snake(text: str) -> str:
    """Return the words of a header in lower case, with bars between them."""
    return re.sub(r"[ \-_]+", "_", _BETWEEN.sub("_", text.strip())).lower().strip("_")


def _word(text: str) -> str:
    """Return benchlib's name of a metric that a header names."""
    word = snake(text)
    percentile = _PERCENTILE.fullmatch(word)
    return f"latency_p{percentile[1] or percentile[2]}" if percentile else _WORDS.get(word, word)
