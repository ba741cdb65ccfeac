"""Columns of a reading: they read like lists and lie in memory like arrays.

A reader appends values one at a time, or arrays of them at once. A text is kept as the code of its
level, so that a million rows of one benchmark hold its name once; a number takes its eight bytes. A
column that no row fills takes no memory.
"""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from math import isnan, nan
from typing import Any, Self, TypeVar, overload

import numpy as np
import numpy.typing as npt

__all__ = ["Column", "Counts", "Integers", "Numbers", "Words"]

T = TypeVar("T")

#: Fewer entries than these are appended one by one: an array has its price.
_FEW = 64


class Column(Sequence[T]):
    """What the kinds of column share: a list to read, and to append to."""

    __slots__ = ()

    @abstractmethod
    def append(self, one: T) -> None:
        """Append one entry."""

    def extend(self, entries: Iterable[T]) -> None:
        """Append several entries."""
        for one in entries:
            self.append(one)

    @abstractmethod
    def _entries(self, start: int, stop: int) -> list[T]:
        """Return the entries of a stretch."""

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return self._entries(0, len(self))[index]
        place = range(len(self))[index]
        return self._entries(place, place + 1)[0]

    def __iter__(self) -> Iterator[T]:
        return iter(self._entries(0, len(self)))

    def __iadd__(self, entries: Iterable[T]) -> Self:
        self.extend(entries)
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))


class _Packed(Column[T]):
    """Numbers in an array with room to grow, and those appended one by one since."""

    __slots__ = ("_data", "_sealed", "_tail")
    _typecode: str
    #: The array of a column without entries: one for all, since most columns of most files stay short.
    _nothing: npt.NDArray[Any]

    def __init__(self) -> None:
        self._data = self._nothing
        #: Entries of the array that are in use.
        self._sealed = 0
        self._tail = array(self._typecode)

    def __len__(self) -> int:
        return self._sealed + len(self._tail)

    def append(self, one: T) -> None:
        """Append one number."""
        self._tail.append(one)  # type: ignore[arg-type]

    def extend(self, entries: Iterable[T]) -> None:
        """Append several numbers."""
        self._tail.extend(entries)  # type: ignore[arg-type]

    def repeat(self, one: T, count: int) -> None:
        """Append one number several times."""
        if count < _FEW:
            self._tail.extend([one] * count)  # type: ignore[list-item]
        else:
            self.extend_array(np.full(count, one))

    def extend_each(self, entries: Iterable[T], each: Iterable[int]) -> None:
        """Append several numbers, each so many times."""
        self._tail.extend(chain.from_iterable(map(repeat, entries, each)))  # type: ignore[arg-type]

    def extend_array(self, numbers: npt.NDArray[Any], each: npt.NDArray[Any] | int = 1) -> None:
        """Append an array of numbers, each so many times."""
        self._seal()
        self._store(np.repeat(numbers.astype(self._smallest(numbers), copy=False), each))

    @property
    def array(self) -> npt.NDArray[Any]:
        """The numbers."""
        self._seal()
        return self._data[: self._sealed]

    def _seal(self) -> None:
        if self._tail:
            self._store(np.frombuffer(self._tail, dtype=self._typecode))
            self._tail = array(self._typecode)

    def _store(self, numbers: npt.NDArray[Any]) -> None:
        if not self._sealed:
            self._data = numbers.astype(self._smallest(numbers), copy=False)
            self._sealed = len(numbers)
            return
        stop = self._sealed + len(numbers)
        dtype = np.promote_types(self._data.dtype, self._smallest(numbers))
        if stop > len(self._data) or dtype != self._data.dtype:
            grown = np.empty(max(stop, self._sealed * 3 // 2), dtype=dtype)
            grown[: self._sealed] = self._data[: self._sealed]
            self._data = grown
        self._data[self._sealed : stop] = numbers
        self._sealed = stop

    @staticmethod
    @abstractmethod
    def _smallest(numbers: npt.NDArray[Any]) -> np.dtype[Any]:
        """Return the type in which the numbers take the least memory."""

    def _entries(self, start: int, stop: int) -> list[T]:
        found: list[T] = self.array[start:stop].tolist()
        return found


class Integers(_Packed[int]):
    """Whole numbers from 0 on, in as few bytes each as the largest needs.

    Examples
    --------
    >>> lines = Integers()
    >>> lines.append(3)
    >>> lines.extend_array(np.array([4, 500]))
    >>> lines, lines.array.dtype.name
    ([3, 4, 500], 'uint16')
    """

    __slots__ = ()
    _typecode = "q"
    _nothing = np.zeros(0, dtype=np.uint8)

    @staticmethod
    def _smallest(numbers: npt.NDArray[Any]) -> np.dtype[Any]:
        return np.min_scalar_type(int(numbers.max(initial=0)))


class Numbers(_Packed[float]):
    """Floats of 64 bits.

    Examples
    --------
    >>> values = Numbers()
    >>> values.append(0.5)
    >>> values.extend_array(np.array([1.5]))
    >>> values, values.array.sum().item()
    ([0.5, 1.5], 2.0)
    """

    __slots__ = ()
    _typecode = "d"
    _nothing = np.zeros(0, dtype=np.float64)

    @staticmethod
    def _smallest(numbers: npt.NDArray[Any]) -> np.dtype[Any]:
        return np.dtype(np.float64)


class Counts(Column[float | None]):
    """Floats that not every row has; until the first one comes, nothing is stored.

    Examples
    --------
    >>> errors = Counts()
    >>> errors.repeat(None, 2)
    >>> errors.append(7)
    >>> errors
    [None, None, 7.0]
    """

    __slots__ = ("_numbers", "_skipped", "empty")

    def __init__(self) -> None:
        self._numbers = Numbers()
        self._skipped = 0
        #: Whether no row has a number.
        self.empty = True

    def __len__(self) -> int:
        return self._skipped + len(self._numbers)

    @property
    def complete(self) -> bool:
        """Whether every row has a number."""
        return not self._skipped and not bool(np.isnan(self._numbers.array).any())

    def append(self, one: float | None) -> None:
        """Append one number, or None."""
        self.repeat(one, 1)

    def repeat(self, one: float | None, count: int) -> None:
        """Append one number, or None, several times."""
        if one is None and self.empty:
            self._skipped += count
        else:
            self._stored().repeat(nan if one is None else one, count)

    def extend_each(self, entries: Iterable[float], each: Iterable[int]) -> None:
        """Append several numbers, each so many times."""
        self._stored().extend_each(entries, each)

    def extend_array(self, numbers: npt.NDArray[Any], each: npt.NDArray[Any] | int = 1) -> None:
        """Append an array of numbers, NaN for None, each so many times."""
        self._stored().extend_array(numbers, each)

    @property
    def array(self) -> npt.NDArray[np.float64]:
        """The numbers, NaN for None."""
        return np.broadcast_to(np.nan, len(self)) if self.empty else self._numbers.array

    def _stored(self) -> Numbers:
        if self._skipped:
            self._numbers.repeat(nan, self._skipped)
            self._skipped = 0
        self.empty = False
        return self._numbers

    def _entries(self, start: int, stop: int) -> list[float | None]:
        if self.empty:
            return [None] * (stop - start)
        return [None if isnan(one) else one for one in self._numbers[start:stop]]


class Words(Column[T]):
    """Texts by the codes of their levels.

    Attributes
    ----------
    levels : dict
        Each text and its code, in the order they came.

    Examples
    --------
    >>> names = Words()
    >>> for one in ("a", "b", "a"):
    ...     names.append(one)
    >>> names, list(names.levels), names.array.tolist()
    (['a', 'b', 'a'], ['a', 'b'], [0, 1, 0])
    """

    __slots__ = ("_codes", "levels")

    def __init__(self) -> None:
        self.levels: dict[T, int] = {}
        self._codes = Integers()

    def __len__(self) -> int:
        return len(self._codes)

    def append(self, one: T) -> None:
        """Append one text."""
        self._codes.append(self.levels.setdefault(one, len(self.levels)))

    def extend(self, entries: Iterable[T]) -> None:
        """Append several texts."""
        levels = self.levels
        self._codes.extend([levels.setdefault(one, len(levels)) for one in entries])

    def repeat(self, one: T, count: int) -> None:
        """Append one text several times."""
        self._codes.repeat(self.levels.setdefault(one, len(self.levels)), count)

    def extend_each(self, entries: Iterable[T], each: Iterable[int]) -> None:
        """Append several texts, each so many times."""
        levels = self.levels
        self._codes.extend_each([levels.setdefault(one, len(levels)) for one in entries], each)

    def extend_array(self, levels: Sequence[T], codes: npt.NDArray[Any], each: npt.NDArray[Any] | int = 1) -> None:
        """Append texts, each so many times: their codes into these levels, of which not all need occur."""
        known = self.levels
        found = list(map(known.get, levels))
        if None in found:
            used = np.zeros(len(levels), dtype=bool)
            used[codes] = True
            pairs = zip(levels, used.tolist(), strict=True)
            found = [known.setdefault(one, len(known)) if here else 0 for one, here in pairs]
        self._codes.extend_array(np.asarray(found, dtype=np.int32)[codes], each)

    @property
    def array(self) -> npt.NDArray[np.integer[Any]]:
        """The codes."""
        return self._codes.array

    def _entries(self, start: int, stop: int) -> list[T]:
        levels = list(self.levels)
        return [levels[one] for one in self.array[start:stop].tolist()]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return super().__getitem__(index)
        code = int(self.array[index])
        return next(one for one, known in self.levels.items() if known == code)
