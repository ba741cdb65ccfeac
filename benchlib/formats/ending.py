r"""Whether the last line of a file was cut: one rule for every reader of lines.

Tools end each line they write. A last line without a line end is *open*: a full disk, a killed writer or
``head -c`` may have cut it in the middle of a number, and ``4`` of ``43526`` is a number too. But an editor
or a copy from a terminal may have left out nothing but the line end. So an open last line is read where its
own shape shows that it is whole, and is a problem elsewhere:

- a line that ends in what its tool always writes last (a bracket, a unit, a fixed number of decimals) is whole;
- a line that ends in a number is whole if the number is shaped like those that stood at this place in lines
  before (`may_be_cut`); without such lines nobody can tell, and it is a problem;
- a line of fewer columns, of another unit or another set of metrics than the lines before is a problem.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchlib.errors import printable
from benchlib.formats.reading import TextFile

__all__ = ["at_open_end", "cut_row", "may_be_cut", "open_line"]


def at_open_end(file: TextFile, number: int) -> bool:
    """Say whether a line (from 1) is the last one and has no line end."""
    return file.open_end and number == len(file.lines)


def open_line(line: str) -> str:
    """Return the message about an open last line that is not read.

    Examples
    --------
    >>> open_line("reads/s:  1")
    "the last line has no end: was the file cut? if 'reads/s:  1' is whole, end it with a line end"
    """
    shown = printable(line.strip(), 60)
    return f"the last line has no end: was the file cut? if '{shown}' is whole, end it with a line end"


def may_be_cut(written: str, before: Sequence[str]) -> bool:
    """Say whether a number at the open end of a file may have lost digits.

    Where every number before has the same decimals, it must have them too: a cut takes decimals first. Else
    it must be as long as the one next to it.

    Parameters
    ----------
    written : str
    before : sequence of str
        What stood at this place in lines before, the nearest last.

    Examples
    --------
    >>> may_be_cut("9.95", ["10.31", "8.02"]), may_be_cut("9.9", ["10.31", "8.02"])
    (False, True)
    >>> may_be_cut("4", ["43526"]), may_be_cut("43527", ["43526"]), may_be_cut("43527", [])
    (True, False, True)
    """
    if not before:
        return True
    decimals = {_decimals(one) for one in before}
    if len(decimals) == 1 and 0 not in decimals and all("e" not in one.lower() for one in [written, *before]):
        return _decimals(written) not in decimals
    return len(written) < len(before[-1])


def cut_row(row: Sequence[str], before: Sequence[Sequence[str] | None]) -> bool:
    """Say whether a row at the open end of a table, with as many cells as its header, may have been cut.

    It ends in its last cell: empty where those above are, a word they hold, or a number like theirs.

    Examples
    --------
    >>> cut_row(["b", "ns", ""], [["a", "ns", ""]]), cut_row(["b", "1.5", ""], [["a", "1.5", "7"]])
    (False, True)
    """
    last, above = row[-1].strip(), [one[-1].strip() for one in before if one and len(one) == len(row)]
    if not last:
        return any(_is_number(one) for one in above[-1:])
    if not _is_number(last):
        return last not in above
    return may_be_cut(last, [one for one in above if _is_number(one)])


def _is_number(written: str) -> bool:
    return written[-1:].isdigit() and written[:1] in "+-.0123456789"


def _decimals(written: str) -> int:
    return len(written.strip().partition(".")[2])
