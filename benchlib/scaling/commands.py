"""The command that makes an advised measurement, from the command that made those before."""

from __future__ import annotations

import math
import re
import shlex
import string
from collections.abc import Mapping
from types import MappingProxyType

from benchlib.errors import DataError, choices, printable

__all__ = ["measuring_command", "seconds_of", "sets_axis"]

#: Options that set the concurrency, by the axis they set; a short one may have its value joined on.
_OPTIONS = {
    "gomaxprocs": ("-cpu", "-test.cpu", "--test.cpu", "--cpu"),
    "workers": ("-workers", "--workers", "-w"),
    "connections": ("-c", "--connections"),
    "concurrency": ("-c", "--concurrency"),
    "clients": ("-c", "--clients", "--client"),
    "users": ("-u", "--users", "--vus"),
    "threads": ("-t", "--threads"),
    "jobs": ("-j", "--jobs"),
}
_COUNTS = ("-count", "-test.count", "--test.count", "--count")
#: Options that say how long one measurement takes; a bare number is seconds.
_DURATIONS = ("-d", "--duration", "-duration", "-benchtime", "-test.benchtime", "--test.benchtime", "-z")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_DURATION = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?(?:h|ms|m|s|us|µs|ns))+")
_PART = re.compile(r"([0-9.]+)(h|ms|m|s|us|µs|ns)")
#: A level that may stand in a command as it is.
_LEVEL = re.compile(r"[\w.:%/+-]+")
#: Load generators that divide their connections among threads.
_WRK = ("wrk", "wrk2")
_FIELDS = ("concurrency", "repetitions", "axis")
#: What a shell would act on outside of quotes; a command with these is not taken apart.
_SHELL = re.compile(r"[|;&<>()$`\n]")
_QUOTED = re.compile(r"'[^']*'")


def measuring_command(
    concurrency: int, repetitions: int, axis: str, template: str, levels: Mapping[str, object] = MappingProxyType({})
) -> str:
    """Write the command that measures at a concurrency, so many times.

    Parameters
    ----------
    concurrency, repetitions : int
    axis : str
        The axis that is concurrency.
    template : str
        The command that made the measurements before, whose option for the axis is set anew, or one
        with the fields ``{concurrency}``, ``{repetitions}`` and ``{axis}``. A command that cannot
        repeat by itself is put into a loop. Empty, or without such an option: the measurement is
        said in words.
    levels : mapping of str to object, optional
        The levels of other axes: each takes the place of the name of its axis in capital letters.

    Raises
    ------
    DataError
        For a field that is not known.

    Examples
    --------
    >>> measuring_command(24, 6, "gomaxprocs", "go test -run='^$' -bench='^BenchmarkX$' -cpu=1,2,4")
    "go test '-run=^$' '-bench=^BenchmarkX$' -cpu=24 -count=6"
    >>> measuring_command(48, 6, "connections", "wrk -t2 -c8 -d5s http://localhost/hash")
    'for i in $(seq 6); do wrk -t2 -c48 -d5s http://localhost/hash; done'
    >>> measuring_command(1, 1, "connections", "wrk -t2 -c8 -d5s http://localhost/hash")
    'wrk -t1 -c1 -d5s http://localhost/hash'
    >>> measuring_command(48, 6, "connections", "")
    'measure at connections 48, 6 times'
    >>> measuring_command(48, 1, "connections", "wrk -cCONNECTIONS http://localhost/ENDPOINT", {"endpoint": "hash"})
    'wrk -c48 http://localhost/hash'
    """
    template = _at_levels(template, levels)
    if fields := _fields(template):
        filled = _accepted(template.format(concurrency=concurrency, repetitions=repetitions, axis=shlex.quote(axis)))
        return filled if "repetitions" in fields else _repeated(filled, repetitions)
    words = _words(template)
    at = _option(words, axis)
    if at is None:
        return f"measure at {axis} {concurrency}, {'once' if repetitions == 1 else f'{repetitions} times'}"
    words = _set(words, at, _OPTIONS[axis], concurrency)
    if words[:2] == ["go", "test"]:
        counted = _place(words, _COUNTS)
        if counted is None:
            return shlex.join([*words, f"-count={repetitions}"])
        return shlex.join(_set(words, counted, _COUNTS, repetitions))
    return _repeated(_accepted(shlex.join(words)), repetitions)


def seconds_of(template: str) -> float | None:
    """Return how long one measurement takes by the command that makes it; None where it does not say.

    Examples
    --------
    >>> seconds_of("wrk -t2 -c8 -d3s http://localhost/hash"), seconds_of("go test -bench=. -benchtime=1m30s -cpu=1,2")
    (3.0, 90.0)
    >>> seconds_of("go test -bench=. -benchtime=100x") is None
    True
    """
    words = _words(template)
    at = _place(words, _DURATIONS, _DURATION)
    if at is None:
        return None
    option = next(one for one in _DURATIONS if _value(words[at], one, _DURATION) is not None)
    told = _value(words[at], option, _DURATION) or "".join(words[at + 1 : at + 2])
    told = told.removeprefix("=")
    bare = told.isascii() and told.isdigit()
    if not bare and not _DURATION.fullmatch(told):
        return None
    seconds = float(told) if bare else sum(float(count) * _SECONDS[unit] for count, unit in _PART.findall(told))
    return seconds if 0 < seconds < math.inf else None


def _at_levels(template: str, levels: Mapping[str, object]) -> str:
    for name, level in levels.items():
        if name.isidentifier() and _LEVEL.fullmatch(str(level)):
            # No level holds a backslash, which a replacement would read.
            template = re.sub(rf"(?<![A-Za-z0-9_]){name.upper()}(?![A-Za-z0-9_])", str(level), template)
    return template


def sets_axis(axis: str, template: str) -> bool:
    """Whether a command says what its concurrency is, so that another can be set.

    Examples
    --------
    >>> sets_axis("gomaxprocs", "go test -bench=. -cpu=1,2"), sets_axis("gomaxprocs", "python run.py")
    (True, False)
    """
    return bool(_fields(template)) or _option(_words(template), axis) is not None


def _fields(template: str) -> set[str]:
    """Return the fields of a template; none where its braces are a shell's own."""
    try:
        named = {name for _, name, _, _ in string.Formatter().parse(template) if name}
    except ValueError:
        return set()
    if not named & set(_FIELDS):
        return set()
    unknown = sorted(named - set(_FIELDS))
    if unknown:
        raise DataError(
            f"the command template has an unknown field '{printable(unknown[0])}'; fields: {choices(_FIELDS)}"
        )
    return named


def _words(template: str) -> list[str]:
    if _SHELL.search(_QUOTED.sub("", template)):
        return []
    try:
        return shlex.split(template)
    except ValueError:  # a quote that does not end
        return []


def _option(words: list[str], axis: str) -> int | None:
    return _place(words, _OPTIONS.get(axis, ()))


def _place(words: list[str], options: tuple[str, ...], joint: re.Pattern[str] | None = None) -> int | None:
    found = [at for at, word in enumerate(words) if any(_value(word, one, joint) is not None for one in options)]
    return found[-1] if found else None


def _value(word: str, option: str, joint: re.Pattern[str] | None = None) -> str | None:
    """Return what follows an option within a word: ``=8``, ``8`` after a single letter, or nothing yet.

    ``joint`` is what else may follow a single letter.
    """
    if word == option:
        return ""
    if word.startswith(f"{option}="):
        return word.removeprefix(option)
    joined = word.removeprefix(option)
    may = joined.isdigit() or joined.isupper() or (joint is not None and joint.fullmatch(joined) is not None)
    return joined if len(option) == 2 and joined != word and may else None


def _set(words: list[str], at: int, options: tuple[str, ...], value: int) -> list[str]:
    option = next(one for one in options if _value(words[at], one) is not None)
    rest = _value(words[at], option)
    if rest == "":
        return [*words[: at + 1], str(value), *words[at + 2 :]]
    joint = "=" if str(rest).startswith("=") else ""
    return [*words[:at], f"{option}{joint}{value}", *words[at + 1 :]]


def _accepted(text: str) -> str:
    """Return a command as its program accepts it: wrk refuses more threads than connections."""
    words = _words(text)
    if not words or words[0].rpartition("/")[2] not in _WRK:
        return text
    connections, threads = (_number_of(words, one) for one in (_OPTIONS["connections"], _OPTIONS["threads"]))
    if connections is None or threads is None or threads <= connections:
        return text
    at = _place(words, _OPTIONS["threads"])
    return text if at is None else shlex.join(_set(words, at, _OPTIONS["threads"], connections))


def _number_of(words: list[str], options: tuple[str, ...]) -> int | None:
    """Return the number that an option is given; None without the option or a number."""
    at = _place(words, options)
    if at is None:
        return None
    option = next(one for one in options if _value(words[at], one) is not None)
    told = (_value(words[at], option) or "".join(words[at + 1 : at + 2])).removeprefix("=")
    return int(told) if told.isascii() and told.isdigit() else None


def _repeated(text: str, repetitions: int) -> str:
    return text if repetitions == 1 else f"for i in $(seq {repetitions}); do {text}; done"
