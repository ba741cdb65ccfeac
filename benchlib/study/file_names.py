"""What the names of files say of them where study.toml says nothing: what they vary, what repeats, what is another.

``users_10.csv`` and ``users_1000.csv`` are levels of users, ``run1.txt`` and ``run2.txt`` repeat each other, and
``transfer_csp.txt`` and ``transfer_bulletproof.txt`` do neither: pooled, they would be one sample with an interval
that is of neither. Only files that hold the same cells are told apart so; what their contents tell needs no name.

A number that a known word names, or that nobody numbers repeats by (10, 100, 1000), is a level. Numbers that run on
(1, 2, 3) may count repeats or levels: the values decide. Each decision is a caveat with its reason, and a path
template that says the same in study.toml.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from benchlib.caveats import Caveat, caveat
from benchlib.concurrency import counted
from benchlib.errors import StudyError, choices
from benchlib.formats.names import bind, match_path
from benchlib.formats.table import as_number, axis_column, numbers_of
from benchlib.formats.text import _unpacked_name
from benchlib.results import MEASURES, Results
from benchlib.study.numbers_in_names import (
    Axis,
    Token,
    axes_in,
    cut,
    field,
    in_order,
    is_count,
    is_name,
    repeated,
    repeats_at,
)

__all__ = ["AXIS", "files_alike", "pool_files"]

#: The axis that tells files apart whose names differ in words.
AXIS = "file"
_APART, _READ, _REPEATS, _DIFFER = "files-apart", "names-read", "repeats-read", "repeats-differ"
#: Groups of files that the caveat names.
_MOST_NAMED = 6
#: Repeats differ by less than this: where each file has values enough to see how they scatter, and where not. So do
#: levels that make no difference, which a word has to tell.
_ALIKE, _ALIKE_ALONE = 1.1, 1.5
#: So many values show how they scatter.
_FEWEST_VALUES = 3
#: What a name says repeats is doubted where medians differ by more.
_DOUBTFUL = 3.0
#: What recordings are held against each other by: tails and counts of bytes tell less.
_CENTRAL = ("time", "throughput", "transfer", "rate", "duration", "latency", "latency_mean", "latency_p50")


def read_file_names(results: Results) -> tuple[Results, tuple[str, ...]]:
    """Return results with the axes and runs that the names of their files say, and the path templates for them.

    The templates are empty where the names say nothing, and where no template would say the same.
    """
    results, renamed = _without_stems(results)
    groups = list(_groups(results))
    named = results
    for axis in dict.fromkeys(axis for group in groups for axis in group.axes):
        levels = {source: level for group in groups for source, level in group.axes.get(axis, {}).items()}
        named = _by_source(named, axis, levels)
    runs = {source: run for group in groups for source, run in group.runs.items()}
    if runs:
        named = _with_runs(named, runs)
    caveats = [caveat for group in groups for caveat in group.caveats]
    named = _part_files(replace(named, caveats=(*named.caveats, *dict.fromkeys(caveats))))
    rest = _read_rest(named)
    # No template says what is read from whole names, or names a benchmark by a part of one.
    return rest, _templates(named, groups) if rest is named and not renamed else ()


def pool_files(results: Results) -> Results:
    """Return results in which names of files tell no recordings apart, for whoever says that they are one."""
    codes = {caveat.code for caveat in results.caveats}
    if codes & {_REPEATS, _DIFFER}:
        results = _with_runs(results, dict.fromkeys(map(str, results.frame["source"].unique()), ""))
    if _APART in codes:
        results = replace(results, frame=results.frame.drop(columns=AXIS), failed=results.failed.drop(columns=AXIS))
    return replace(
        results, caveats=tuple(one for one in results.caveats if one.code not in (_APART, _REPEATS, _DIFFER))
    )


def with_axes(
    results: Results, by: Sequence[str], axes: Mapping[str, Mapping[tuple[str, ...], str]], *, before: str
) -> Results:
    """Return results with axes that have a level for each combination of some columns; numbers where all levels are."""

    def parted(frame: pd.DataFrame) -> pd.DataFrame:
        # Each combination is looked up once, however many rows it has.
        codes, first = pd.factorize(numbers_of(frame, by))
        places = np.zeros(len(first), dtype=np.intp)
        places[codes[::-1]] = np.arange(len(codes))[::-1]
        keys = list(frame[list(by)].iloc[places].astype(str).itertuples(index=False, name=None))
        wider = frame.copy(deep=False)
        for axis, levels in axes.items():
            column = pd.Series(axis_column([levels.get(key) for key in keys], codes), index=frame.index)
            if axis in frame:  # no row of these levels states it
                wider[axis] = column.astype(object).where(column.notna(), frame[axis].astype(object)).infer_objects()
            else:
                wider.insert(list(wider.columns).index(before), axis, column)
        return wider

    return replace(results, frame=parted(results.frame), failed=parted(results.failed))


def _by_source(results: Results, axis: str, levels: Mapping[str, str]) -> Results:
    return with_axes(results, ["source"], {axis: {(key,): level for key, level in levels.items()}}, before=MEASURES[0])


def _with_runs(results: Results, runs: Mapping[str, str]) -> Results:
    def named(frame: pd.DataFrame) -> pd.DataFrame:
        column = frame["source"].astype(str).map(runs)
        return frame.assign(run=column.where(column.notna(), frame["run"].astype(str)).astype("category"))

    return replace(results, frame=named(results.frame), failed=named(results.failed))


# --- benchmarks that only their files name ----------------------------------------------------------------------------


def _without_stems(results: Results) -> tuple[Results, bool]:
    """Return results in which benchmarks are named by what names of files share, and whether any is.

    A file without a name of its benchmark gives its own: ``users_10.csv`` and ``users_100.csv`` hold one, ``users``.
    """
    frame = results.frame
    names = frame["benchmark"].astype(str).groupby(frame["source"].astype(str), sort=False).unique()
    stems = {source: _split(source)[0].rpartition("/")[2] for source in names.index}
    own = {source: stem for source, stem in stems.items() if list(names[source]) == [stem]}
    shared = _shared_names(own)
    if not shared:
        return results, False
    # A file that measures what no other does keeps its name: levels may differ, columns may not.
    places = frame[["metric", "unit"]].astype(str).assign(name=frame["source"].astype(str).map(shared))
    places = places.join(frame[list(results.axes)].notna().add_prefix("states "))
    met = (
        frame["source"].astype(str).groupby([places[column] for column in places], sort=False).transform("nunique") > 1
    )
    left = {source: shared[source] for source in frame.loc[met, "source"].astype(str).unique()}
    return (_renamed(results, own, left), True) if left else (results, False)


def _shared_names(stems: Mapping[str, str]) -> dict[str, str]:
    """Name files whose stems differ in numbers alone by what stands before these, or by all that they share."""
    shapes: dict[tuple[Token, ...], dict[str, tuple[Token, ...]]] = {}
    for source, stem in stems.items():
        tokens = cut(stem)
        shape = tuple(Token(one.kind, _kind(one.text) if one.kind in ("word", "between") else "") for one in tokens)
        shapes.setdefault(shape, {})[source] = tokens
    before, whole = {}, {}
    for shape, files in shapes.items():
        columns = list(zip(*files.values(), strict=True))
        fixed = [kind in ("word", "between") or len({token.text for token in column}) == 1
                 for (kind, _), column in zip(shape, columns, strict=True)]  # fmt: skip
        if all(fixed):
            continue
        texts = [column[0].text for column in columns]
        first = fixed.index(False)
        # Of ``hey_c10`` and ``hey_run1`` the last word is of the number.
        counts = repeats_at(shape, first) or any(at == first and axis.known for at, axis in axes_in(shape).items())
        words = [place for place in range(first) if shape[place].kind == "word"]
        before[shape] = _bare("".join(texts[: words[-1] if counts and len(words) > 1 else first]))
        whole[shape] = _bare("".join(text for text, same in zip(texts, fixed, strict=True) if same))
    told = {
        shape: name if name and list(before.values()).count(name) == 1 else whole[shape]
        for shape, name in before.items()
    }
    return {source: name or "results" for shape, name in told.items() for source in shapes[shape]}


def _bare(name: str) -> str:
    return re.sub(r"([-_. ])[-_. ]+", r"\1", name).strip("-_. =:#")


def _renamed(results: Results, stems: Mapping[str, str], names: Mapping[str, str]) -> Results:
    """Return results in which these files name their benchmarks so."""

    def named(frame: pd.DataFrame) -> pd.DataFrame:
        sources = frame["source"].astype(str)
        new, old = sources.map(names), sources.map(stems)
        columns = {column: frame[column].astype(str) for column in ("benchmark", "name")}
        return frame.assign(**{
            column: texts.where(new.isna() | (texts != old), new).astype("category")
            for column, texts in columns.items()
        })  # fmt: skip

    return replace(results, frame=named(results.frame), failed=named(results.failed)) if names else results


# --- numbers: levels or repeats ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Group:
    """Files whose names have one shape, and what the numbers in them say."""

    names: Mapping[str, tuple[Token, ...]]
    ending: str
    axes: Mapping[str, Mapping[str, str]]
    runs: Mapping[str, str]
    #: Place of a number -> the field of a template for it.
    fields: Mapping[int, str]
    caveats: tuple[Caveat, ...]


def _groups(results: Results) -> Iterator[_Group]:
    """Yield the files that share cells, those with names of one shape together."""
    pairs = _shared_cells(results)
    shapes: dict[tuple[object, ...], dict[str, tuple[Token, ...]]] = {}
    for source in pairs["source"].unique():
        stem, ending = _split(source)
        tokens = cut(stem)
        known = {place: _kind(axis.name) for place, axis in axes_in(tokens).items() if axis.known}
        frame = tuple(token.text if token.kind == "between" else token.kind for token in tokens)
        repeats = tuple(place for place in range(len(tokens)) if repeats_at(tokens, place))
        shapes.setdefault((frame, ending, tuple(known.items()), repeats), {})[source] = tokens
    for (_, shared_ending, *_), names in shapes.items():
        if len(names) > 1:
            yield _read_group(results, pairs[pairs["source"].isin(names)], names, str(shared_ending))


def _shared_cells(results: Results) -> pd.DataFrame:
    """Return each cell that several files hold with each of them, and the metric of the cell."""
    frame = results.frame
    if frame["source"].nunique() < 2:
        return pd.DataFrame({"cell": [], "source": [], "metric": []})
    cells = numbers_of(frame, ["benchmark", "name", *results.axes, "run", "metric", "unit"])
    pairs = frame[["source", "metric"]].astype(str).assign(cell=cells).drop_duplicates(["cell", "source"])
    return pairs[pairs.duplicated("cell", keep=False)]


def _split(source: str) -> tuple[str, str]:
    """Return a path without its ending, and the ending."""
    whole = _unpacked_name(source)
    stem, dot, ending = whole.rpartition(".")
    return (stem, dot + ending) if stem and ending.isalpha() else (whole, "")


def _read_group(results: Results, pairs: pd.DataFrame, names: Mapping[str, tuple[Token, ...]], ending: str) -> _Group:
    """Return what the numbers say in names of one shape."""
    # One thread and several are named for the several.
    first = max(names.values(), key=lambda tokens: sum(len(axis.name) for axis in axes_in(tokens).values()))
    slots: dict[int, Mapping[str, str]] = {
        place: {source: tokens[place].text for source, tokens in names.items()}
        for place, token in enumerate(first)
        if token.kind in ("number", "date")
    }
    words = {
        source: tuple(_kind(token.text) for token in tokens if token.kind == "word") for source, tokens in names.items()
    }
    slots = {place: levels for place, levels in slots.items() if _tells(pairs, levels, words)}
    slots = _without_followers(first, slots, words)
    axes: dict[str, Mapping[str, str]] = {}
    repeats: dict[int, Mapping[str, str]] = {}
    fields: dict[int, str] = {}
    caveats: list[Caveat] = []
    for place, levels in slots.items():
        others = {
            source: (words[source], *(other[source] for at, other in slots.items() if at != place)) for source in names
        }
        fold = _fold(results, pairs, levels, others)
        decided = _decide(first, place, tuple(dict.fromkeys(levels.values())), fold)
        caveats.append(decided.caveat)
        if decided.axis:
            name = _free(results, decided.axis, names)
            axes[name] = levels
            fields[place] = field(name, levels.values())
        else:
            repeats[place] = levels
            fields[place] = "{run}" if len(repeats) == 1 else f"{{run{len(repeats)}}}"
    runs = {source: "/".join(levels[source] for levels in repeats.values()) for source in names} if repeats else {}
    return _Group(names, ending, axes, runs, fields, tuple(caveats))


def _kind(word: str) -> str:
    """Return a word as it counts: one thread, and several threads."""
    return counted(word) or word


def _without_followers(
    tokens: Sequence[Token], slots: Mapping[int, Mapping[str, str]], words: Mapping[str, tuple[str, ...]]
) -> dict[int, Mapping[str, str]]:
    """Return numbers without those that only follow what a known word counts: the date of a level, or its turn."""
    axes = axes_in(tokens)
    known = [levels for place, levels in slots.items() if place in axes and axes[place].known]
    left = {}
    for place, levels in slots.items():
        named = repeats_at(tokens, place) or (place in axes and axes[place].known)
        leading = {source: (own, *(other[source] for other in known)) for source, own in words.items()}
        each = {(leading[source], level) for source, level in levels.items()}
        if named or not known or len(each) > len(set(leading.values())):
            left[place] = levels
    return left


def _tells(pairs: pd.DataFrame, levels: Mapping[str, str], words: Mapping[str, Any]) -> bool:
    """Whether a number differs between files that hold one cell, and whose names have the same words."""
    if len(set(levels.values())) < 2:
        return False
    frame = pairs.assign(level=pairs["source"].map(levels), words=pairs["source"].map(words))
    return bool((frame.groupby(["cell", "words"], sort=False)["level"].nunique() > 1).any())


def _free(results: Results, axis: str, names: Mapping[str, object]) -> str:
    """Return a name for an axis that no row of these files states otherwise."""
    frame = results.frame
    if axis not in frame or bool(frame.loc[frame["source"].isin(list(names)), axis].isna().all()):
        return axis
    return f"{axis}_{AXIS}"


@dataclass(frozen=True)
class _Decision:
    """What a number in names of files is: an axis, or repeats where that is empty; and why."""

    axis: str
    caveat: Caveat


def _decide(tokens: Sequence[Token], place: int, levels: Sequence[str], fold: tuple[float, bool]) -> _Decision:
    """Decide whether a number is a level or counts repeats."""
    ratio, differ = fold
    shown = f"from the names of files: {choices(in_order(levels), 8)}"
    medians = _medians(ratio)
    if repeats_at(tokens, place):
        if ratio >= _DOUBTFUL and differ and not is_count(levels):
            word = f"{repeated(tokens, place)}_number"
            return _Decision(word, caveat(_READ, f"{word} {shown}; {medians}, so not repeats"))
        if ratio >= _DOUBTFUL and differ:
            return _Decision("", caveat(_DIFFER, f"run {shown}; the word before says so, yet {medians}"))
        return _Decision("", caveat(_REPEATS, f"run {shown}; the word before says so, and {medians}, so repeats"))
    axis = axes_in(tokens).get(place, Axis("date", known=False, how_many=False))
    if differ:
        return _Decision(axis.name, caveat(_READ, f"{axis.name} {shown}; {medians}, so not repeats"))
    if axis.known and (axis.how_many or not is_count(levels)):
        return _Decision(axis.name, caveat(_READ, f"{axis.name} {shown}; the word beside says so, and {medians}"))
    if tokens[place].kind != "date" and not is_count(levels):
        return _Decision(axis.name, caveat(_READ, f"{axis.name} {shown}; no repeats are numbered so, and {medians}"))
    return _Decision("", caveat(_REPEATS, f"run {shown}; {medians}, so repeats"))


def _medians(ratio: float) -> str:
    return "no two can be compared" if np.isnan(ratio) else f"medians differ {ratio:.3g}-fold"


def _fold(
    results: Results, pairs: pd.DataFrame, levels: Mapping[str, str], others: Mapping[str, tuple[Any, ...]]
) -> tuple[float, bool]:
    """Return how many times the largest median of a level is the smallest, and whether levels differ.

    Of the metric that differs most, in the middle of its cells. Levels differ where the upper three quarters of the
    values of one lie above the lower three quarters of another's, by more than repeats may.
    """
    frame = results.frame
    rows = frame[frame["source"].isin(list(levels)) & (frame["value"] > 0)]
    central = rows[rows["metric"].isin(_CENTRAL)]
    rows = rows if central.empty else central
    cells = numbers_of(rows, ["benchmark", "name", *results.axes, "run", "metric", "unit"])
    sources = rows["source"].astype(str)
    table = pd.DataFrame(
        {
            "cell": cells,
            "metric": rows["metric"].astype(str),
            "level": sources.map(levels),
            "other": sources.map({source: hash(other) for source, other in others.items()}),
            "value": rows["value"],
        }
    )
    for by in (["cell", "other"], ["cell"]):
        compared = table[table.groupby(by, sort=False)["level"].transform("nunique") > 1]
        if not compared.empty:
            return _largest_fold(compared, by)
    return float("nan"), False


def _largest_fold(table: pd.DataFrame, by: list[str]) -> tuple[float, bool]:
    values = table.groupby([*by, "metric", "level"], sort=False)["value"]
    quartiles = pd.DataFrame({"low": values.quantile(0.25), "middle": values.median(), "high": values.quantile(0.75)})
    ordered = quartiles.sort_values("middle", kind="stable").groupby([*by, "metric"], sort=False)
    least, most = ordered.first(), ordered.last()
    folds = (most["middle"] / least["middle"]).groupby("metric").median()
    apart = (most["low"] > least["high"]).groupby("metric").mean()
    metric = str(folds.idxmax())
    limit = _ALIKE if values.size().median() >= _FEWEST_VALUES else _ALIKE_ALONE
    return float(folds[metric]), bool(folds[metric] >= limit and apart[metric] > 0.5)


# --- words: neither levels nor repeats --------------------------------------------------------------------------------

_DIGITS = re.compile(r"\d+")
#: With a number and fewer letters than this a word counts something: ``c64``, ``r3``, ``d5s``.
_FEWEST_LETTERS = 3


def _part_files(results: Results) -> Results:
    """Return results with an axis ``file`` where files that differ in words have values of the same cells."""
    frame = results.frame
    sources = dict.fromkeys([*frame["source"].unique(), *results.failed["source"].unique()])
    if AXIS in frame or len(sources) < 2:
        return results
    named = _names([str(source) for source in sources])
    levels = _meeting(results, named)
    if not levels:
        return results
    # What meets no other needs no name beside its own.
    named = {source: level for source, level in named.items() if level in levels}
    files = {level: [source for source, own in named.items() if own == level] for level in levels}
    shown = [f"{level} ({own[0]}{f' and {len(own) - 1} more' if len(own) > 1 else ''})" for level, own in files.items()]
    message = f"nobody said that these files repeat each other, and their names differ: {choices(shown, _MOST_NAMED)}"
    parted = _by_source(results, AXIS, named)
    return replace(parted, caveats=(*results.caveats, caveat(_APART, message)))


def _meeting(results: Results, named: Mapping[str, str]) -> list[str]:
    """Return the levels of the axis that have values of one cell with another level."""
    frame = results.frame
    cells = numbers_of(frame, [*results.axes, "benchmark", "run", "metric", "unit"])
    levels = frame["source"].astype(str).map(named)
    files = levels.groupby(cells, sort=False).transform("nunique")
    return [str(level) for level in levels[files.to_numpy() > 1].unique()]


def _names(sources: Sequence[str]) -> dict[str, str]:
    """Name each file by the words that not all of them share; those that differ in digits alone have one name."""
    words = {source: _telling_words(source) for source in sources}
    every = list(dict.fromkeys(words.values()))
    first, last = _shared(every), _shared([own[::-1] for own in every])
    if any(len(own) <= first + last for own in every):
        first = last = 0  # of one of them nothing would be left
    named = {source: "-".join(own[first : len(own) - last]) for source, own in words.items()}
    blank = next((_split(source)[0] for source, name in named.items() if not name), "")
    return {source: name or blank for source, name in named.items()}


def _telling_words(source: str) -> tuple[str, ...]:
    tokens = cut(_split(source)[0])
    numbers = {place for place, token in enumerate(tokens) if token.kind == "number"}
    words = []
    for place, token in enumerate(tokens):
        bare = token.text if is_name(token.text) else _DIGITS.sub("", token.text)
        counts = bool({place - 1, place + 1} & numbers) or bare != token.text
        if token.kind == "word" and (not counts or len(bare) >= _FEWEST_LETTERS):
            words.append(_kind(bare))
    return tuple(words)


def _shared(every: Sequence[tuple[str, ...]]) -> int:
    """Count the words that all begin with."""
    places = zip(*every, strict=False)
    return next((at for at, words in enumerate(places) if len(set(words)) > 1), min(map(len, every), default=0))


# --- what no word and no number tells apart ---------------------------------------------------------------------------


def _read_rest(results: Results) -> Results:
    """Return results in which files that still hold the same cells are runs where they are alike, else apart."""
    pairs = _shared_cells(results)
    if pairs.empty:
        return results
    stems = {str(source): _split(source)[0] for source in pairs["source"].unique()}
    ratio, differ = _fold(results, pairs, stems, dict.fromkeys(stems, ()))
    shown = choices(list(stems), 3)
    if not differ:
        named = _with_runs(results, stems)
        message = f"run from the names of files: {shown}; {_medians(ratio)}, so repeats"
        return replace(named, caveats=(*named.caveats, caveat(_REPEATS, message)))
    if AXIS in results.frame:
        return results
    message = f"nobody said that these files repeat each other, and {_medians(ratio)}: {shown}"
    named = _by_source(results, AXIS, stems)
    return replace(named, caveats=(*named.caveats, caveat(_APART, message)))


# --- the path templates that say the same -----------------------------------------------------------------------------


def _templates(results: Results, groups: Sequence[_Group]) -> tuple[str, ...]:
    """Return a path template for each shape of names; none where they would not say what was read."""
    templates = tuple(dict.fromkeys(filter(None, map(_template, groups))))
    try:
        bound = [bind(template) for template in templates]
    except StudyError:
        return ()
    frame = results.frame
    axes = [axis for axis in results.axes if axis in _said_by(groups)]
    read = frame[["source", "run", *axes]].drop_duplicates("source").astype(object)
    for source, run, *levels in read.where(read.notna(), None).itertuples(index=False):
        stated: dict[str, str] = {}
        for _, matched in match_path(bound, str(source)):
            stated = matched | stated
        said = {axis: level for axis, level in zip(axes, levels, strict=True) if level is not None}
        said |= {"run": run} if run else {}
        if {axis: _number(level) for axis, level in stated.items()} != {
            axis: _number(level) for axis, level in said.items()
        }:
            return ()
    return templates


def _number(level: Any) -> Any:
    number = as_number(level)
    return level if number is None else number


def _said_by(groups: Sequence[_Group]) -> set[str]:
    return {AXIS, *(axis for group in groups for axis in group.axes)}


def _template(group: _Group) -> str:
    """Return the template of the names of one shape: fields for what was read, the rest as it is or passed over."""
    parts = []
    words = 0
    for place, tokens in enumerate(zip(*group.names.values(), strict=True)):
        varies = len({token.text for token in tokens}) > 1
        if place in group.fields:
            parts.append(group.fields[place])
        elif varies and tokens[0].kind == "word":
            words += 1
            parts.append(f"{{{AXIS}{words if words > 1 else ''}}}")
        else:
            parts.append("{_}" if varies else tokens[0].text)
    if any(mark in token.text for tokens in group.names.values() for token in tokens for mark in "{}"):
        return ""
    return "".join(parts) + group.ending if any(part.startswith("{") for part in parts) else ""


def files_alike(results: Results) -> tuple[str, ...]:
    """Return the files that hold the same cells, and that nothing tells apart: their values are taken for repeats."""
    return tuple(str(source) for source in _shared_cells(results)["source"].unique())
