"""From file names and benchmark names to configuration axes.

A template is literal text with fields: ``parallel_cpu{gomaxprocs:int}.txt``. ``{x}`` takes any text
without a slash, ``{x:int}`` digits, and ``{_}`` matches and discards. Templates are not matched by a
regular expression made from them: both sides come from files, and the time of a match has to stay
bounded by the product of their lengths.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import PurePosixPath

from benchlib.errors import StudyError, printable
from benchlib.formats.text import _unpacked_name
from benchlib.results import SCHEMA

#: Names and paths beyond this length are left unmatched: no tool writes them.
_LONGEST = 2048
_LARGEST_FIELDS = 24
_FIELD = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(:int)?")
#: The columns of the table that a template may fill beside axes.
_FILLABLE = frozenset({"run", "benchmark"})


@dataclass(frozen=True, slots=True, kw_only=True)
class NameTemplate:
    """A template for the part of a name after the benchmark, for the benchmarks that some globs match (none: all)."""

    template: str
    benchmarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    digits: bool


@dataclass(frozen=True, slots=True)
class BoundTemplate:
    """A template cut into literals and fields."""

    text: str
    pieces: tuple[str | _Field, ...]
    benchmarks: tuple[str, ...]

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes that it fills."""
        return tuple(piece.name for piece in self.pieces if isinstance(piece, _Field) and piece.name != "_")


@dataclass(frozen=True, slots=True)
class Name:
    """What a benchmark name says: the benchmark, its axes, and the sub-names left over."""

    benchmark: str
    axes: dict[str, str]


@lru_cache(maxsize=1024)
def bind(template: str, benchmarks: tuple[str, ...] = ()) -> BoundTemplate:
    """Cut a template into literals and fields."""
    shown = f"template '{printable(template)}'"
    pieces: list[str | _Field] = []
    parts = re.split(r"\{([^{}]*)\}", template)
    for number, part in enumerate(parts):
        if number % 2 == 0:
            if "{" in part or "}" in part:
                raise StudyError(f"{shown}: a brace is left open; write fields as {{name}} or {{name:int}}")
            if part:
                pieces.append(part)
            elif 0 < number < len(parts) - 1:
                raise StudyError(f"{shown}: two fields touch; put text between them")
            continue
        match = _FIELD.fullmatch(part)
        if not match:
            raise StudyError(f"{shown}: '{printable(part, 40)}' is no field; write {{name}} or {{name:int}}")
        if match[1] in SCHEMA and match[1] not in _FILLABLE:
            raise StudyError(f"{shown}: '{match[1]}' is a column of measurements; name the axis otherwise")
        pieces.append(_Field(match[1], bool(match[2])))
    names = [piece.name for piece in pieces if isinstance(piece, _Field)]
    twice = sorted({name for name in names if name != "_" and names.count(name) > 1})
    if twice:
        raise StudyError(f"{shown}: field '{twice[0]}' stands twice; rename one, or use {{_}}")
    if not names or len(names) > _LARGEST_FIELDS:
        raise StudyError(f"{shown} has {len(names)} fields; write 1 to {_LARGEST_FIELDS}")
    return BoundTemplate(template, tuple(pieces), benchmarks)


def match_path(templates: Sequence[BoundTemplate], path: str) -> list[tuple[str, dict[str, str]]]:
    """Return, for each template that matches the whole file name, the template and its axes.

    A template with a slash is matched against the whole relative path.
    """
    matches = []
    for template in templates:
        # A compressed file is named for what it holds.
        text = _unpacked_name(path if "/" in template.text else path.rpartition("/")[2])
        match = _match(template, text, 0, whole=True)
        if match is not None:
            matches.append((template.text, match[0]))
    return matches


#: What Go calls a benchmark: no class, whose name a dot ends, and no file such as Benchmarks-report.
_GO_NAME = re.compile(r"Benchmark(?!\w*\.|[a-z]*-[A-Za-z])")


def without_prefix(name: str) -> str:
    """Return a name without the word that Go puts before it; classes such as ``Benchmarks`` are no Go names.

    benchstat cuts it from whatever Go's text calls a benchmark, Benchmarking too.

    Examples
    --------
    >>> without_prefix("BenchmarkSort/4-8"), without_prefix("Benchmarks.merge2"), without_prefix("Benchmark.sort")
    ('Sort/4-8', 'Benchmarks.merge2', 'Benchmark.sort')
    """
    return name.removeprefix("Benchmark") if _GO_NAME.match(name) else name


def split_name(name: str) -> tuple[str, str, str]:
    """Split a name into benchmark, the rest with its slash, and the digits of a ``-N`` suffix.

    References
    ----------
    Go benchmark data format, https://go.dev/design/14313-benchmark-format: a name may end in
    ``-N`` for GOMAXPROCS = N.
    """
    body = without_prefix(name)
    head, dash, tail = body.rpartition("-")
    suffix = ""
    if dash and tail.isascii() and tail.isdigit():
        body, suffix = head, tail
    base, slash, rest = body.partition("/")
    return base, slash + rest, suffix


def parse_name(name: str, templates: Sequence[BoundTemplate] = ()) -> Name:
    """Return the benchmark of a full name and the axes its parts state.

    ``key=value`` parts become axes, a ``-N`` suffix `gomaxprocs`, and templates take what they
    match; other parts stay together in the axis ``case``.
    """
    benchmark, rest, suffix = split_name(name)
    axes = {"gomaxprocs": suffix} if suffix else {}
    matched, rest = _take_out(benchmark, rest, templates)
    axes |= matched
    left = []
    for part in rest.split("/"):
        key, equals, value = part.partition("=")
        if equals and key and value:
            axes[key] = value
        elif part:
            left.append(part)
    if left:
        axes["case"] = "/".join(left)
    return Name(axes.pop("benchmark", benchmark), axes)


def split_case(benchmark: str, case: str, templates: Sequence[BoundTemplate]) -> tuple[dict[str, str], str]:
    """Return the axes that templates find in what is left of a benchmark's name, and what is left then.

    Examples
    --------
    >>> split_case("Find", "size_64/cold", [bind("/size_{size:int}")])
    ({'size': '64'}, 'cold')
    """
    axes, rest = _take_out(benchmark, f"/{case}", templates)
    return axes, rest.strip("/")


def _take_out(benchmark: str, rest: str, templates: Sequence[BoundTemplate]) -> tuple[dict[str, str], str]:
    """Return the axes that templates find in the rest of a name, and the rest without them."""
    axes: dict[str, str] = {}
    for template in templates:
        if template.benchmarks and not any(fnmatch.fnmatchcase(benchmark, glob) for glob in template.benchmarks):
            continue
        match = _search(template, rest)
        if match is not None:
            matched, start, end = match
            axes |= matched
            rest = rest[:start] + rest[end:]
    return axes, rest


def _search(template: BoundTemplate, text: str) -> tuple[dict[str, str], int, int] | None:
    """Find a template anywhere in a text: its axes, and where it starts and ends."""
    for start in range(min(len(text), _LONGEST)):
        match = _match(template, text, start, whole=False)
        if match is not None:
            return match[0], start, match[1]
    return None


def _match(template: BoundTemplate, text: str, start: int, *, whole: bool) -> tuple[dict[str, str], int] | None:
    """Match pieces from ``start``: the axes and the end, or None.

    A field takes as little text as lets the rest match; a field that ends the template runs to the next slash. What is
    known of a piece at a place is remembered, which bounds the work.
    """
    if len(text) > _LONGEST:
        return None
    pieces = template.pieces

    @cache
    def ends(index: int, at: int) -> tuple[int, ...] | None:
        """Return where each piece from ``index`` on ends, None where they do not match from a place on."""
        if index == len(pieces):
            open_field = isinstance(pieces[-1], _Field) and text[at : at + 1] not in ("", "/")
            return None if open_field or (whole and at < len(text)) else ()
        piece = pieces[index]
        stops: Iterable[int]
        if isinstance(piece, str):
            stops = [at + len(piece)] if text.startswith(piece, at) else []
        else:
            longest = (_DIGITS if piece.digits else _NO_SLASH).match(text, at)
            stops = range(at + 1, longest.end() + 1) if longest else []
        for stop in stops:
            rest = ends(index + 1, stop)
            if rest is not None:
                return (stop, *rest)
        return None

    stops = ends(0, start)
    if stops is None:
        return None
    spans = zip(pieces, [start, *stops], stops, strict=False)
    axes = {
        piece.name: text[begin:end] for piece, begin, end in spans if isinstance(piece, _Field) and piece.name != "_"
    }
    return axes, stops[-1]


#: What a field may take, at most.
_DIGITS, _NO_SLASH = re.compile("[0-9]+"), re.compile("[^/]+")


def claimed(files: Iterable[str], source: str) -> bool:
    """Say whether one of some globs matches a relative path, or the name of a file."""
    name = PurePosixPath(source).name
    return any(fnmatch.fnmatchcase(text, glob) for glob in files for text in (source, name))
