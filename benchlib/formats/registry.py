"""Which reader reads a file: every format asked, by content, and no guess made."""

from __future__ import annotations

from benchlib.errors import FormatError, choices, printable, suggestion
from benchlib.formats.reading import Reader, TextFile

__all__ = ["choose", "named", "readers"]


def readers() -> tuple[Reader, ...]:
    """Return every known reader, in the order they are asked."""
    from benchlib.formats.readers.csv_table import CsvTable
    from benchlib.formats.readers.go_bench import GoBench
    from benchlib.formats.readers.parallel_runner import ParallelRunner
    from benchlib.formats.readers.token_sdk_csv import TokenSdkCsv
    from benchlib.formats.readers.wrk import Wrk

    return (GoBench(), ParallelRunner(), Wrk(), TokenSdkCsv(), CsvTable())


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
        If no reader recognises the content, or several are equally sure.
    """
    asked = readers()
    verdicts = {one.name: one.recognise(head) for one in asked}
    for certainty in ("certain", "possible"):
        sure = [one for one in asked if verdicts[one.name] == certainty]
        owners = [one for one in sure if all(one is other or other.name in one.contains for other in sure)]
        if owners:
            return owners[0]
        if sure:
            names = " and ".join(one.name for one in sure)
            raise FormatError(f"{head.source}: looks like {names}; name one with --format")
    tried = "; ".join(f"{one.name} ({one.rule})" for one in asked)
    raise FormatError(f"{head.source}: no benchmark results recognised; tried {tried}")
