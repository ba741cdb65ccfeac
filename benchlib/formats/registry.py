"""Which reader reads a file: every format asked, by content, and no guess made."""

from __future__ import annotations

from functools import lru_cache

from benchlib.errors import FormatError, choices, printable, suggestion
from benchlib.formats.declaration import shipped_specs
from benchlib.formats.plugins import PluginReader, find_plugins
from benchlib.formats.readers.declared import DeclaredFormat
from benchlib.formats.reading import Reader, TextFile

__all__ = [
    "UNRECOGNISED", "Unrecognised", "choose", "declared_readers", "named", "own_readers", "plugin_problems", "readers",
    "tried",
]  # fmt: skip

UNRECOGNISED = "no benchmark results recognised"


class Unrecognised(FormatError):
    """No reader knows a file by its content; why is not known."""


@lru_cache(maxsize=1)
def readers() -> tuple[Reader, ...]:
    """Return every known reader, in the order they are asked: own, declared, plug-ins.

    Raises
    ------
    FormatError
        If a plug-in takes the name of another format.
    """
    own = own_readers()
    declared = declared_readers()
    taken = frozenset(one.name for one in (*own, *declared))
    return (*own, *declared, *find_plugins(taken).readers)


def plugin_problems() -> tuple[tuple[str, str], ...]:
    """Return what is wrong with plug-ins: their distribution, and a message."""
    known = readers()
    taken = frozenset(one.name for one in known if not isinstance(one, PluginReader))
    faults = [told for one in known if isinstance(one, PluginReader) for told in one.take_faults()]
    return (*find_plugins(taken).problems, *faults)


def declared_readers() -> tuple[DeclaredFormat, ...]:
    """Return the readers of formats that are declared and shipped."""
    return tuple(DeclaredFormat(one) for one in shipped_specs())


def own_readers() -> tuple[Reader, ...]:
    """Return the readers with code of their own, in the order they are asked."""
    from benchlib.formats.readers.ab import ApacheBench
    from benchlib.formats.readers.autocannon import Autocannon
    from benchlib.formats.readers.bencher import BencherMetrics
    from benchlib.formats.readers.bombardier import Bombardier
    from benchlib.formats.readers.criterion import Criterion
    from benchlib.formats.readers.criterion_rows import CriterionCsv, CriterionMessages
    from benchlib.formats.readers.criterion_text import CriterionText
    from benchlib.formats.readers.csv_table import CsvTable
    from benchlib.formats.readers.fio import Fio
    from benchlib.formats.readers.fortio import Fortio
    from benchlib.formats.readers.ghz import Ghz
    from benchlib.formats.readers.github_action import GithubAction
    from benchlib.formats.readers.go_bench import GoBench
    from benchlib.formats.readers.go_test_json import GoTestJson
    from benchlib.formats.readers.google_benchmark import GoogleBenchmark
    from benchlib.formats.readers.google_benchmark_csv import GoogleBenchmarkCsv
    from benchlib.formats.readers.hdr_histogram import HdrHistogram
    from benchlib.formats.readers.hey import Hey
    from benchlib.formats.readers.hyperfine import Hyperfine, HyperfineCsv
    from benchlib.formats.readers.jmeter import JMeter
    from benchlib.formats.readers.jmh import Jmh
    from benchlib.formats.readers.jmh_csv import JmhCsv
    from benchlib.formats.readers.json_rows import JsonRows
    from benchlib.formats.readers.k6_points import K6Points
    from benchlib.formats.readers.k6_summary import K6Summary
    from benchlib.formats.readers.k6_text import K6Text
    from benchlib.formats.readers.locust import Locust
    from benchlib.formats.readers.oha import Oha
    from benchlib.formats.readers.parallel_runner import ParallelRunner
    from benchlib.formats.readers.parquet import Parquet
    from benchlib.formats.readers.pprof_top import PprofTop
    from benchlib.formats.readers.pyperf import Pyperf
    from benchlib.formats.readers.pytest_benchmark import PytestBenchmark
    from benchlib.formats.readers.pytest_benchmark_csv import PytestBenchmarkCsv
    from benchlib.formats.readers.request_csv import RequestCsv
    from benchlib.formats.readers.token_sdk_csv import TokenSdkCsv
    from benchlib.formats.readers.vegeta import Vegeta
    from benchlib.formats.readers.wrk import Wrk

    generators = (
        K6Summary(),
        K6Points(),
        K6Text(),
        Vegeta(),
        Hey(),
        Oha(),
        Ghz(),
        RequestCsv(),
        ApacheBench(),
        Locust(),
        Fortio(),
        Autocannon(),
        Bombardier(),
        Fio(),
    )
    suites = (
        Hyperfine(),
        HyperfineCsv(),
        GoogleBenchmark(),
        GoogleBenchmarkCsv(),
        PytestBenchmark(),
        PytestBenchmarkCsv(),
        Pyperf(),
        Jmh(),
        JmhCsv(),
        Criterion(),
        CriterionCsv(),
        CriterionMessages(),
        CriterionText(),
    )
    notations = (JMeter(), HdrHistogram(), PprofTop(), BencherMetrics(), GithubAction())
    tables = (CsvTable(), Parquet(), JsonRows())
    return (GoBench(), GoTestJson(), ParallelRunner(), Wrk(), TokenSdkCsv(), *generators, *suites, *notations, *tables)


def named(name: str) -> Reader:
    """Return the reader of a name.

    Raises
    ------
    FormatError
        If there is none.
    """
    known = {one.name: one for one in readers()}
    if name not in known:
        shown = f"no format '{printable(name, 40)}'{suggestion(name, known)}"
        raise FormatError(f"{shown}; there are {choices(known)}")
    return known[name]


def choose(head: TextFile) -> Reader:
    """Return the one reader for a file, judged by its first 64 KiB.

    Raises
    ------
    FormatError
        If several readers are equally sure; `Unrecognised` if none recognises the content.
    """
    claims = [(one, verdict) for one in readers() if (verdict := one.recognise(head)) != "no"]
    for certainty in ("certain", "possible"):
        sure = [one for one, verdict in claims if verdict == certainty]
        owners = [one for one in sure if all(one is other or other.name in one.contains for other in sure)]
        if owners:
            return owners[0]
        if sure:
            names = " and ".join(one.name for one in sure)
            raise FormatError(f"{head.source}: looks like {names}; name one with --reader (in Python: format=)")
    raise Unrecognised(f"{head.source}: {UNRECOGNISED}; {tried()}")


def tried() -> str:
    """Say what was tried, for the error that nothing was recognised."""
    names = ", ".join(printable(one.name, 40) for one in readers())
    return f"tried {names} (`benchlib formats` says how each is recognised)"
