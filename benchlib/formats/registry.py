"""Which reader reads a file: every format that may be meant judges the content, and no guess is made.

A format is a row of `FORMATS`: its name, the module of its family, and the signs of its files. A family is imported
only where a file has a sign of one of its formats, so that reading Go text imports one family and not all of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from benchlib.errors import FormatError, InputError, choices, printable, suggestion
from benchlib.formats.reader import Certainty, Reader, Reading, TextFile

_UNRECOGNISED = "no benchmark results recognised"


class Unrecognised(FormatError):
    """No reader knows a file by its content; why is not known."""


@dataclass(frozen=True, slots=True)
class _Format:
    """One format: the module of its reader, and the signs of its files, which cost less than asking the reader."""

    name: str
    family: str
    #: The head of every such file holds one of these texts.
    words: tuple[str, ...] = ()
    #: A pattern that is found in one of the first three filled lines of every such file.
    top: str = ""
    #: What the names of such files end in.
    ending: tuple[str, ...] = ()

    def may_read(self, head: TextFile) -> bool:
        """Whether a file has the signs of the format; its reader then decides."""
        if self.ending:
            return head.source.lower().endswith(self.ending)
        # One character is found or missed at once, a text of several is not: few texts but JSON have quotes.
        words = self.words if '"' in head.text else [word for word in self.words if '"' not in word]
        return head.mentions(*words) or bool(self.top and re.search(self.top, head.top, re.MULTILINE))

    @property
    def reader(self) -> Reader:
        """The reader, from the module of its family; one that is declared is read by itself."""
        family = import_module(f"benchlib.formats.{self.family}")
        if self.family == "shipped":
            declared: Reader = family.shipped(self.name)
            return declared
        readers: tuple[Reader, ...] = family.READERS
        return next(reader for reader in readers if reader.name == self.name)


_JSON = r"^\s*[{\[]"
#: The formats in the order in which they are asked.
FORMATS = (
    _Format("go-bench", "go", ("Benchmark",)),
    _Format("benchstat", "benchstat", ("± ", ",CI")),
    _Format("go-test-json", "go", ('"Action"',)),
    _Format("parallel-runner", "custom", ("Real Throughput", "TestParallelBenchmark")),
    _Format("wrk", "load_text", ("Running ", "unable to ", "invalid URL", "Usage: wrk")),
    _Format("token-sdk-csv", "tables", top="bench|timestamp"),
    _Format("k6", "k6", ('"metrics"',)),
    _Format("k6-points", "k6", top='^metric_name,timestamp|"metric":'),
    _Format("k6-text", "k6", ("http_reqs", "iterations")),
    _Format("vegeta", "load_generators", ("[total, rate", '"latencies"', '"latency"'), r"^\d{19},"),
    _Format("hey", "load_text", ("Summary:",)),
    _Format("oha", "load_text", ("Summary:", '"summary"')),
    _Format("ghz", "load_text", ("Summary:", '"statusCodeDistribution"')),
    _Format("request-csv", "load_generators", top="^(response-time,DNS|request-start,DNS|duration .ms.,status)"),
    _Format("ab", "load_text", ("This is ApacheBench", "Requests per second")),
    _Format("locust", "load_generators", top="Request Count|User Count|Occurrences|Traceback"),
    _Format("fortio", "load_generators", ('"ActualQPS"',)),
    _Format("autocannon-text", "load_text", (" test @ ",)),
    _Format("autocannon", "load_generators", ('"non2xx"',)),
    _Format("bombardier", "load_generators", ('"req2xx"',)),
    _Format("fio-text", "load_text", ("(groupid=",)),
    _Format("fio", "load_generators", ('"fio version"',)),
    _Format("hyperfine", "suites", ('"command"',)),
    _Format("hyperfine-csv", "suites", top="stddev"),
    _Format("google-benchmark", "suites", ('"real_time"', '"run_name"', '"cpu_time"')),
    _Format("google-benchmark-csv", "suites", ("name,iterations,",)),
    _Format("pytest-benchmark", "suites", ('"stats"', '"fullname"')),
    _Format("pytest-benchmark-csv", "suites", top='^"?name'),
    _Format("pyperf", "suites", ('"runs"',)),
    _Format("asv", "asv", ('"commit_hash"', '"param_names"', '"ram"')),
    _Format("jmh", "suites", ('"primaryMetric"', '"jmhVersion"')),
    _Format("jmh-csv", "suites", top="Benchmark.*Mode"),
    _Format("jmh-text", "suites_text", ("Score", "# Benchmark mode: ")),
    _Format("google-benchmark-text", "suites_text", ("Iterations",)),
    _Format("benchmarkdotnet", "benchmarkdotnet", ('"HostEnvironmentInfo"',)),
    _Format("benchmarkdotnet-measurements", "benchmarkdotnet", ("Measurement_IterationIndex",)),
    _Format("benchmarkdotnet-report", "benchmarkdotnet", ("Mean",)),
    _Format("criterion", "criterion", top=r"^\s*[<{\[]"),
    _Format("criterion-csv", "criterion", top="iteration_count"),
    _Format("criterion-messages", "criterion", ("benchmark-complete",)),
    _Format("criterion-text", "criterion", ("time:", "bench:")),
    _Format("vitest-text", "printed_suites", ("p995",)),
    _Format("divan", "printed_suites", ("fastest",)),
    _Format("catch2-text", "printed_suites", ("benchmark name",)),
    _Format("hyperfine-text", "shipped", ("Time (",)),
    _Format("pytest-benchmark-text", "printed_suites", ("Name (time in ",)),
    _Format("artillery", "load_generators", ('"aggregate"', "Summary report @ ")),
    _Format("jmeter", "load_generators", top="timeStamp|<testResults"),
    _Format("gatling", "gatling", top=r"(?:^|\t)(?:RUN|USER|REQUEST)\t"),
    _Format("gatling-stats", "gatling", ('"numberOfRequests"',)),
    _Format("ycsb", "stores", ("], ",)),
    _Format(
        "redis-benchmark",
        "stores",
        (" requests ", '"test","rps",'),
        r'^"[^"]+","[\d.]+"',
    ),
    _Format("memtier", "stores", ("Ops/sec",)),
    _Format("hdrhistogram", "profiles", ("1/(1-Percentile)", "#[Histogram log format version")),
    _Format(
        "perf-stat",
        "counters",
        ("Performance counter stats for",),
        r'"counter-value"|^(?:<not |[0-9])[^,;|\t]*([,;|\t])\w*\1[A-Za-z_]',
    ),
    _Format("perf-report", "shipped", ("# Event count (approx.)",)),
    _Format("pprof-top", "profiles", ("flat%",)),
    _Format("bmf", "suites", ('"value"', '"lower_value"', '"upper_value"')),
    _Format("benchmarktools-json", "suites", ('"BenchmarkTools.Trial"',)),
    _Format("github-action-benchmark", "suites", ("BENCHMARK_DATA", '"unit"')),
    _Format("devhub", "suites", ('"git_commit"',)),
    _Format("csv", "tables", top=r'[,\t;]|^\s*#|^\s*"?sep=| [\d.]+ *$'),
    # Parquet is no text: it is known by its first bytes, before anything is decoded.
    _Format("parquet", "tables"),
    _Format("json-rows", "tables", top=_JSON),
    # Without a sign: see _LAST.
    _Format("json-records", "json_records"),
    _Format("numbers", "labelled"),
    _Format("labelled", "labelled"),
    # Markdown is known by its name.
    _Format("notes", "notes", ending=(".md", ".markdown")),
    _Format("iperf3", "iperf", ('"iperf 3',)),
    _Format("iperf3-text", "iperf", ("s/sec",)),
    # "shipped": declared in specs/NAME.toml.
    _Format("pgbench", "shipped", ("number of transactions actually processed",)),
    _Format("sysbench", "shipped", ("Running the test with following options:",)),
    _Format("babelstream", "shipped", ("BabelStream",)),
    _Format("benchmark-js", "shipped", (" ops/sec ±",)),
    _Format("catch2-xml", "shipped", ("<BenchmarkResults ",)),
    _Format("drill", "shipped", ("Time taken for tests",)),
    _Format("hpcg", "shipped", ("HPCG",)),
    _Format("hpl", "shipped", ("HPLinpack ",)),
    _Format("iai-callgrind", "shipped", ("Estimated Cycles:",)),
    _Format("mitata", "shipped", ("/iter",)),
    _Format("mitata-json", "shipped", ('"runs"',)),
    _Format("mlperf", "shipped", ("MLPerf Results Summary",)),
    _Format("nanobench", "shipped", ('"median(elapsed)"',)),
    _Format("nccl-tests", "shipped", ("busbw",)),
    _Format("npb", "shipped", ("NAS Parallel Benchmarks",)),
    _Format("osu", "shipped", ("# OSU ",)),
    _Format("stream", "shipped", ("STREAM version",)),
    _Format("vitest-json", "shipped", ('"sampleCount"',)),
    _Format("7zip", "shipped", ("Decompressing",)),
    _Format("benchee", "shipped", ("average  deviation",)),
    _Format("benchmark-ips", "shipped", ("Calculating ----",)),
    _Format("benchmarktools", "shipped", ("BenchmarkTools.Trial: ",)),
    _Format("benchy", "shipped", ("std dv",)),
    _Format("bombardier-text", "shipped", ("Reqs/sec",)),
    _Format("cassandra-stress", "shipped", ("Partition rate ",)),
    _Format("cryptsetup", "shipped", ("# Tests are approximate",)),
    _Format("dd", "shipped", (" records out",)),
    _Format("deno-bench-text", "shipped", ("| time/iter (avg)",)),
    _Format("deno-bench", "shipped", ('"benches"',)),
    _Format("goose", "shipped", ("=== PER REQUEST METRICS ===",)),
    _Format("h2load", "shipped", ("time for request:",)),
    _Format("haskell-criterion", "shipped", ("R²",)),
    _Format("ioping", "shipped", (" ioping statistics ---",)),
    _Format("kafka-consumer", "shipped", ("data.consumed.in.MB",)),
    _Format("kafka-producer", "shipped", (" records sent, ",)),
    _Format("openssl-speed", "shipped", ("built on: ",)),
    _Format("phpbench", "shipped", ("rstdev",)),
    _Format("ruby-benchmark", "shipped", (" real",)),
    _Format("stress-ng", "shipped", ("bogo ops",)),
    _Format("tasty-bench", "shipped", (" ± ",)),
    _Format("tsung", "shipped", ("# stats: dump at",)),
    _Format("unixbench", "shipped", ("BYTE UNIX Benchmarks",)),
    _Format("vllm-serving", "shipped", ("Serving Benchmark Result",)),
    _Format("vllm-serving-json", "shipped", ('"mean_ttft_ms"',)),
    _Format("zbench", "shipped", ("time/run (avg",)),
    _Format("time", "shipped", ("user", "sys", "Maximum resident set")),
)
#: The formats that are asked where no other reader knows a text.
_LAST = ("json-records", "notes", "numbers", "labelled")
_BY_NAME = {entry.name: entry for entry in FORMATS}


def readers() -> tuple[Reader, ...]:
    """Return the reader of every format, in the order they are asked: benchlib's, then plug-ins."""
    return (*(entry.reader for entry in FORMATS), *_plugins().readers)


def names() -> tuple[str, ...]:
    """Return the name of every format."""
    return (*_BY_NAME, *(reader.name for reader in _plugins().readers))


def named(name: str) -> Reader:
    """Return the reader of a name."""
    if name in _BY_NAME:
        return _BY_NAME[name].reader
    for reader in _plugins().readers:
        if reader.name == name:
            return reader
    shown = f"no format '{printable(name, 40)}'{suggestion(name, names())}"
    raise FormatError(f"{shown}; there are {choices(names())}")


def choose(head: TextFile, *, in_note: bool = False) -> Reader:
    """Return the reader for a file, or for a block of a note, judged by its first 64 KiB."""
    asked = [entry.reader for entry in FORMATS if entry.may_read(head) and not (in_note and entry.name == "notes")]
    claims = [
        (reader, answer) for reader in (*asked, *_plugins().readers) if (answer := reader.recognise(head)) != "no"
    ]
    if not claims and not in_note:
        last = (_BY_NAME[name].reader for name in _LAST)
        claims = [(reader, answer) for reader in last if (answer := reader.recognise(head)) != "no"][:1]
    for certainty in ("certain", "possible"):
        sure = [reader for reader, answer in claims if answer == certainty]
        owners = [reader for reader in sure if all(reader is other or other.name in reader.contains for other in sure)]
        if owners:
            return owners[0]
        if sure:
            shown = " and ".join(reader.name for reader in sure)
            raise FormatError(f"{head.source}: looks like {shown}; name one with --reader (in Python: format=)")
    raise Unrecognised(f"{head.source}: {_UNRECOGNISED}")


# Plug-ins: readers of other distributions, found by the entry point group `benchlib.formats`.
#
# Each entry point names a reader, or a class or function that returns one when called without arguments. Such code may
# raise anything: a plug-in that fails is a problem that names its distribution, and the other readers go on without it.

GROUP = "benchlib.formats"

#: What code that was written elsewhere raises when it is wrong.
_FAULTS = (
    ArithmeticError, AssertionError, AttributeError, ImportError, LookupError, NameError, OSError,
    RuntimeError, SyntaxError, TypeError, ValueError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Plugins:
    """The readers that were found, and what is wrong with the others: distribution and message."""

    readers: tuple[_PluginReader, ...]
    problems: tuple[tuple[str, str], ...]


class _PluginReader:
    """A reader of another distribution: what it raises becomes an error that names it."""

    def __init__(self, reader: Reader, distribution: str) -> None:
        self.reader = reader
        self.distribution = distribution
        self.name = reader.name
        self.rule = reader.rule
        self.contains = frozenset(getattr(reader, "contains", ()))
        self.yields = str(getattr(reader, "yields", ""))
        self.limits = str(getattr(reader, "limits", ""))
        #: What went wrong in `recognise`, and at which file first.
        self.faults: dict[str, str] = {}

    def recognise(self, head: TextFile) -> Certainty:
        """Ask the reader; if it fails, the answer is "no" and the fault is remembered."""
        try:
            answer = self.reader.recognise(head)
        except _FAULTS as error:
            self.faults.setdefault(_fault(error), head.source)
            return "no"
        if answer not in ("certain", "possible", "no"):
            self.faults.setdefault(f"answered '{printable(str(answer), 40)}', not certain, possible or no", head.source)
            return "no"
        return answer

    def read(self, file: TextFile) -> Reading:
        """Ask the reader."""
        shown = f"{file.source}: the format plug-in '{printable(self.name, 40)}' of {self.distribution}"
        try:
            reading: Any = self.reader.read(file)
        except _FAULTS as error:
            raise InputError(f"{shown} failed ({_fault(error)}); remove or mend it") from error
        if not isinstance(reading, Reading):
            type_name = type(reading).__name__
            raise InputError(f"{shown} gave back {printable(type_name, 40)}, not a Reading; remove or mend it")
        return reading

    def take_faults(self) -> list[tuple[str, str]]:
        """Return what went wrong while files were judged, and forget it."""
        shown = f"the format plug-in '{printable(self.name, 40)}' failed at"
        faults = [(self.distribution, f"{shown} {source} ({fault}); mend it") for fault, source in self.faults.items()]
        self.faults.clear()
        return faults


def _fault(error: BaseException) -> str:
    return f"{type(error).__name__}: {printable(str(error), 100)}"


def plugin_problems() -> tuple[tuple[str, str], ...]:
    """Return what is wrong with plug-ins: their distribution, and a message."""
    faults = [fault for plugin in _plugins().readers for fault in plugin.take_faults()]
    return (*_plugins().problems, *faults)


@lru_cache(maxsize=1)
def _plugins() -> _Plugins:
    """Find the readers of other distributions; one that takes the name of another format is an error."""
    readers: list[_PluginReader] = []
    problems: list[tuple[str, str]] = []
    taken = dict.fromkeys(_BY_NAME, "benchlib")
    for entry in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        whence = entry.dist.name if entry.dist is not None else "an unnamed distribution"
        try:
            reader = _PluginReader(_loaded(entry), whence)
        except _FAULTS as error:
            shown = f"the format plug-in '{printable(entry.name, 40)}' cannot be used ({_fault(error)})"
            problems.append((whence, f"{shown}; remove or mend it"))
            continue
        if reader.name in taken:
            raise FormatError(
                f"{whence}: its format plug-in is named '{printable(reader.name, 40)}', as is a format of "
                f"{taken[reader.name]}; rename it, or remove the distribution"
            )
        taken[reader.name] = whence
        readers.append(reader)
    return _Plugins(readers=tuple(readers), problems=tuple(problems))


def _loaded(entry: EntryPoint) -> Reader:
    """Load what an entry point names; a class or function of it is called."""
    named = entry.load()
    reader = named() if isinstance(named, type) or not hasattr(named, "recognise") else named
    for name in ("name", "rule"):
        if not isinstance(getattr(reader, name, None), str) or not getattr(reader, name):
            raise TypeError(f"{name} is no text")
    for name in ("recognise", "read"):
        if not callable(getattr(reader, name, None)):
            raise TypeError(f"{name} is no method")
    return reader  # type: ignore[no-any-return]
