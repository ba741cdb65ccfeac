"""What the numbers in names of benchmarks say where study.toml says nothing: ``input_size_100_goroutines_count_8``.

A number is a level of an axis where it takes several values in one place of a benchmark's names, and a known word
names it or nobody would number cases so. The words that remain are the case, as before. Each axis is a caveat with its
levels, and a template that says the same in ``names`` of study.toml.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from glob import escape

import pandas as pd

from benchlib.caveats import caveat
from benchlib.errors import choices
from benchlib.formats.names import bind, split_case
from benchlib.formats.table import as_number
from benchlib.results import Results
from benchlib.study.file_names import with_axes
from benchlib.study.model import Name
from benchlib.study.numbers_in_names import Token, axes_in, cut, field, in_order, is_count, shape

#: More templates than this are no pattern: each name would be tried against all of them.
_MOST_TEMPLATES = 24
#: Nor do more names than this differ in numbers that anybody reads.
_MOST_NAMES = 2000
#: In place of a level, and the option that it was given to.
_BLANK = "\0"
_OPTION = re.compile(r"\s--?[\w-]{1,40}$")
#: What is left of a case, while the case itself still stands beside it.
_LEFT = "case left"


def read_benchmark_names(results: Results) -> tuple[Results, tuple[Name, ...]]:
    """Return results with the axes that the numbers in their names of benchmarks say, and the templates for them."""
    results = _without_levels(results)
    if "case" not in results.axes or pd.api.types.is_numeric_dtype(results.frame["case"]):
        return results, ()
    cases: dict[str, list[str]] = {}
    for table in (results.frame, results.failed):
        for benchmark, case in table[["benchmark", "case"]].dropna().drop_duplicates().itertuples(index=False):
            cases.setdefault(str(benchmark), []).append(str(case))
    if sum(map(len, cases.values())) > _MOST_NAMES:
        return results, ()
    templates = {benchmark: tuple(_templates(own, results.axes)) for benchmark, own in cases.items()}
    owners: dict[str, list[str]] = {}
    for benchmark, own in templates.items():
        for template in own:
            owners.setdefault(template, []).append(escape(benchmark))
    if not 0 < len(owners) <= _MOST_TEMPLATES:
        return results, ()
    split = {
        (benchmark, case): split_case(benchmark, case, [bind(template) for template in templates[benchmark]])
        for benchmark, own in cases.items()
        for case in own
    }
    names = tuple(Name(template=template, benchmarks=tuple(own)) for template, own in owners.items())
    return _apply(results, split), names


def _without_levels(results: Results) -> Results:
    """Return results whose benchmarks are one where the level of an axis alone parts their names: ``a --size 10``."""
    frame = results.frame
    for axis in results.axes:
        pairs = frame[["benchmark", axis]].drop_duplicates()
        if not 1 < len(pairs) <= _MOST_NAMES or pairs.isna().any(axis=None) or pairs["benchmark"].nunique() < 2:
            continue
        names: dict[str, str] = {}
        for benchmark, level in pairs.astype(str).itertuples(index=False):
            word = rf"(?<!\S)(\S*[=:,])?{re.escape(level)}(?!\S)"
            names[benchmark] = re.sub(word, _BLANK, benchmark, count=1)
            if _BLANK not in names[benchmark]:
                break
        bare = {name.replace(_BLANK, "").strip() for name in names.values()}
        if len(names) == len(pairs) and len(bare) == 1 and all(_BLANK in name for name in names.values()):
            results = _renamed(results, dict.fromkeys(names, _OPTION.sub("", bare.pop()).strip()))
            frame = results.frame
    return results


def _renamed(results: Results, names: Mapping[str, str]) -> Results:
    def renamed(frame: pd.DataFrame) -> pd.DataFrame:
        columns = {column: frame[column].astype(str) for column in ("benchmark", "name")}
        return frame.assign(**{column: texts.replace(names).astype("category") for column, texts in columns.items()})

    return replace(results, frame=renamed(results.frame), failed=renamed(results.failed))


def _templates(cases: Iterable[str], taken: Iterable[str]) -> Iterator[str]:
    """Yield the templates of the parts of one benchmark's cases whose numbers are levels."""
    shapes: dict[tuple[object, ...], dict[str, tuple[Token, ...]]] = {}
    for case in cases:
        for part in _parts(case):
            tokens = cut(part)
            whole = tuple(token.text.isdigit() for token in tokens)
            shapes.setdefault((*shape(tokens), whole), {})[part] = tokens
    axes: set[str] = set(taken)
    for parts in shapes.values():
        template, names = _template(list(parts.values()))
        if template and not names & axes:
            axes |= names
            yield template


def _parts(case: str) -> list[str]:
    """Return the parts of a case between slashes; numbers that follow each other are one part."""
    parts: list[str] = []
    for part in case.split("/"):
        if parts and as_number(part) is not None and as_number(parts[-1].rpartition("/")[2]) is not None:
            parts[-1] += f"/{part}"
        else:
            parts.append(part)
    return parts


def _template(parts: list[tuple[Token, ...]]) -> tuple[str, set[str]]:
    """Return the template of parts of one shape and the axes in it; empty where a number that varies is no level."""
    first = parts[0]
    named = axes_in(first)
    pieces, names = ["/"], set()
    for place, token in enumerate(first):
        levels = list(dict.fromkeys(tokens[place].text for tokens in parts))
        if len(levels) == 1:
            pieces.append(token.text)
            continue
        axis = named.get(place)
        touches = place > 0 and first[place - 1].kind == "word"
        if axis is None or (not axis.known and (touches or is_count(levels))):
            return "", set()
        names.add(axis.name)
        pieces.append(field(axis.name, levels))
    written = "".join(pieces)
    # A field that is no whole number takes any word, and needs one of the part's own beside it.
    bare = not any(token.kind == "word" for token in first) and ":int" not in written
    braces = any(mark in token.text for token in first for mark in "{}")
    return ("", set()) if bare or braces or not names else (written, names)


def _apply(results: Results, split: Mapping[tuple[str, str], tuple[dict[str, str], str]]) -> Results:
    """Return results with the axes that templates found, and what is left of each case."""
    fields = dict.fromkeys(axis for axes, _ in split.values() for axis in axes)
    axes: dict[str, dict[tuple[str, ...], str]] = {
        axis: {pair: stated[axis] for pair, (stated, _) in split.items() if axis in stated} for axis in fields
    }
    left: dict[tuple[str, ...], str] = {pair: rest for pair, (_, rest) in split.items() if rest}
    named = with_axes(results, ["benchmark", "case"], axes | ({_LEFT: left} if left else {}), before="case")

    def renamed(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.drop(columns="case").rename(columns={_LEFT: "case"})

    caveats = [
        caveat("names-read", f"{axis} from the names of benchmarks: {choices(in_order(levels.values()), 8)}")
        for axis, levels in axes.items()
    ]
    return replace(named, frame=renamed(named.frame), failed=renamed(named.failed), caveats=(*named.caveats, *caveats))
