"""Parquet: tables in binary, among them what ``benchlib convert`` writes."""

from __future__ import annotations

import importlib.util
import io
from typing import Any

from benchlib.errors import InputError, printable
from benchlib.formats.readers.csv_table import Record, read_records
from benchlib.formats.reading import Certainty, Reading, TextFile
from benchlib.formats.words import one_line

__all__ = ["MARK", "Parquet", "read_parquet"]

#: First and last bytes of every file.
MARK = b"PAR1"
#: A run of equal values takes no room in the file: what it unfolds to is bounded by cells.
_MOST_CELLS = 50_000_000


class Parquet:
    """Tables as Apache Parquet, tidy or wide; columns mean what those of a CSV mean."""

    name = "parquet"
    rule = "the bytes PAR1 at both ends"
    contains = frozenset[str]()
    files = "*.parquet"
    yields = "what a CSV of the same columns does; a table that benchlib convert wrote reads back as it was"
    limits = "needs the extra arrow; nested and binary columns are passed over"

    def recognise(self, head: TextFile) -> Certainty:
        """Judge text: Parquet is none, and is told by its first bytes before any decoding."""
        return "no"

    def read(self, file: TextFile) -> Reading:
        """Refuse text.

        Raises
        ------
        InputError
            Always: Parquet is no text.
        """
        raise InputError(f"{file.source}: is text, and Parquet is not; leave --format away")


def read_parquet(raw: bytes, source: str) -> Reading:
    """Read the bytes of a Parquet file.

    Raises
    ------
    InputError
        If it is damaged, too large, or pyarrow is not installed.
    """
    if importlib.util.find_spec("pyarrow") is None:
        raise InputError(f"{source}: Parquet needs pyarrow; pip install 'benchlib[arrow]', or write .csv")
    import pyarrow as arrow
    from pyarrow import parquet

    passed: list[str] = []
    try:
        file = parquet.ParquetFile(io.BytesIO(raw))
        cells = file.metadata.num_rows * max(1, file.metadata.num_columns)
        if cells > _MOST_CELLS:
            raise InputError(f"{source}: {cells:,} cells; up to {_MOST_CELLS:,} are read; split the table")
        table = file.read()
        names, columns = [], []
        for name, column in zip(table.column_names, table.columns, strict=True):
            if _is_flat(arrow, column.type):
                names.append(one_line(str(name)))
                columns.append([_cell(one) for one in column.to_pylist()])
            else:
                passed.append(str(name))
    except (arrow.ArrowException, OSError, ValueError, OverflowError) as error:
        first = str(error).partition("\n")[0]
        raise InputError(f"{source}: damaged Parquet ({printable(first, 100)}); write it again") from error
    rows = [list(one) for one in zip(*columns, strict=True)]
    records = [Record(0, names), *(Record(number, one) for number, one in enumerate(rows, 1))]
    reading = read_records(source, records, total=len(rows), header_is_line=False)
    for name in passed:
        reading.problems.append((0, f"column '{printable(name, 60)}' is nested or binary; passed over"))
    return reading


def _is_flat(arrow: Any, kind: Any) -> bool:
    inner = kind.value_type if arrow.types.is_dictionary(kind) else kind
    return not (arrow.types.is_nested(inner) or arrow.types.is_binary(inner) or arrow.types.is_large_binary(inner))


def _cell(value: Any) -> str:
    """Write a cell as a CSV would hold it, to the last digit."""
    if value is None or value != value:
        return ""
    return repr(value) if isinstance(value, float) else one_line(str(value))
