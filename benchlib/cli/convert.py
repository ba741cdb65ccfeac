"""``benchlib convert``: the tidy table as CSV or Parquet."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchlib.cli.options import add_reader, add_where


def add_options(command: argparse.ArgumentParser) -> None:
    """Describe the command and add its options."""
    command.description = "Write the tidy table of some results, in base units, as CSV or Parquet."
    command.add_argument("paths", nargs="+", metavar="PATH", help="a file, a folder, or a study")
    command.add_argument("-o", "--output", required=True, type=Path, metavar="FILE.csv|.parquet")
    command.add_argument("--strict", action="store_true", help="any problem is an error (exit 2)")
    command.add_argument("--with-failed", action="store_true", help="append the rows whose calls failed (errors > 0)")
    add_reader(command)
    add_where(command)
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Write the table and say what was written."""
    from benchlib.cli.sources import open_results, refuse_input
    from benchlib.formats.tables import write_table

    results = open_results(given.paths, where=given.where, strict=given.strict, reader=given.reader)
    refuse_input(given.output, given.paths, results)
    rows = write_table(results, given.output, with_failed=given.with_failed)
    left = 0 if given.with_failed else len(results.failed)
    apart = f"; {left:,} rows of failed calls left out (--with-failed keeps them)" if left else ""
    print(f"{given.output}: {rows:,} rows{apart}")
    for problem in results.problems:
        print(f"problem: {problem}")
    return 0
