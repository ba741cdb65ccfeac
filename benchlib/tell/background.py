"""What a page folds away: what was tested, where, from which files, every measurement, and how to do it again."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Mapping
from functools import cache
from importlib import metadata

from benchlib.answers.asking import Refusal
from benchlib.answers.quality import DataQuality
from benchlib.answers.samples import SampleTable
from benchlib.document.blocks import Block, Cell, Code, Column, Fold, List, Number, Paragraph, Table, Text
from benchlib.document.numbers import number
from benchlib.document.words import count, metric_words, place_words
from benchlib.results import Problem
from benchlib.study import Study

__all__ = ["measurements", "quality"]

#: Facts that decide whether two reports may be compared; one that was not recorded is said.
_FACTS = ("machine", "cpu", "cores", "memory", "os", "runtime", "generator", "date", "commit")
#: Libraries whose version can change a number or a page.
_LIBRARIES = ("benchlib", "numpy", "scipy", "pandas", "plotly", "papermill", "nbconvert")
#: Problems and cells that a page holds; answers.json has all.
_MOST_PROBLEMS, _MOST_CELLS = 50, 300


def _facts(caption: str, facts: Mapping[str, object]) -> Table:
    rows = tuple((name, str(value)) for name, value in facts.items())
    return Table(caption=caption, columns=(Column(head=""), Column(head="")), rows=rows, shown=len(rows))


def tested(study: Study) -> Fold:
    """Say what was tested, and what each name stands for."""
    blocks: list[Block] = [Paragraph(text=(study.tested or "What was tested is not recorded.",))]
    blocks += [Paragraph(text=(f"Question: {study.question}",))] if study.question else []
    blocks += [Paragraph(text=(f"Origin: {study.origin}",))] if study.origin else []
    blocks += [Paragraph(text=(f"Narrowed to: {study.where}",))] if study.where else []
    blocks += [List(items=tuple((note,) for note in study.notes))] if study.notes else []
    described = {
        name: words
        for name, words in study.descriptions.benchmarks.items()
        if name in set(study.results.frame["benchmark"])
    }
    levels = {
        f"{axis} {level}": words for axis, texts in study.descriptions.levels.items() for level, words in texts.items()
    }
    if described or levels:
        blocks.append(_facts("What the names mean", {**described, **levels}))
    return Fold(line=("What was tested",), blocks=tuple(blocks), anchor="tested")


def environment(study: Study) -> Fold:
    """Return the recorded environment; what was not recorded is said."""
    content = dict(_stated(study))
    facts = {name: study.environment.get(name, content.pop(name, "not recorded")) for name in _FACTS}
    facts |= {name: value for name, value in {**study.environment, **content}.items() if name not in facts}
    return Fold(line=("Environment",), blocks=(_facts("Where it ran", facts),), anchor="environment")


def _stated(study: Study) -> dict[str, str]:
    """Return the facts that the result files themselves state."""
    frame = study.results.frame
    return {
        name: ", ".join(dict.fromkeys(map(str, frame[name].dropna().unique())))
        for name in ("cpu", "goos", "goarch")
        if name in frame
    }


def quality(answer: DataQuality) -> Fold:
    """Return what was read, and what could not be."""
    blocks: list[Block] = []
    if answer.problems:
        shown = tuple((_problem(problem),) for problem in answer.problems[:_MOST_PROBLEMS])
        blocks.append(Paragraph(text=(f"{count(len(answer.problems), 'problem')} in the files:",)))
        blocks.append(List(items=shown))
    columns = (
        Column(head="file"),
        Column(head="format"),
        Column(head="SHA-256"),
        *(Column(head=head, kind="number") for head in ("values", "problem lines", "other lines")),
    )
    rows = tuple(
        (
            file.source,
            file.format,
            file.sha256[:16],
            f"{file.rows:,}",
            f"{file.lines.problem:,}",
            f"{file.lines.context + file.lines.noise:,}",
        )
        for file in answer.files
    )
    blocks.append(Table(caption="Files", columns=columns, rows=rows))
    read = Number(value=float(answer.rows), evidence=answer.evidence)
    line: Text = ("Data quality: ", read, f" values from {count(answer.sources, 'file')}")
    return Fold(line=line, blocks=tuple(blocks), anchor="quality")


def _problem(problem: Problem) -> str:
    return str(problem)


def spreads(answer: DataQuality) -> Table:
    """Return how far runs of the same code differ, the widest first."""
    rows = tuple(
        (
            place_words(row.key),
            metric_words(row.metric),
            Number(value=row.spread.ratio, unit="x", evidence=row.evidence),
            "stands out" if row.unstable else "",
        )
        for row in sorted(answer.spreads, key=lambda row: -row.spread.ratio)
    )
    columns = (
        Column(head="configuration"),
        Column(head="metric"),
        Column(head="largest over smallest run", unit="x", kind="number"),
        Column(head=""),
    )
    return Table(caption="How far runs of the same code differ", columns=columns, rows=rows)


def measurements(samples: SampleTable | Refusal) -> Fold:
    """Return every configuration with its median and interval."""
    if isinstance(samples, Refusal):
        return Fold(line=("All measurements",), blocks=(Paragraph(text=(samples.reason,)),), anchor="measurements")
    axes = [axis for axis in samples.by if any(axis in row.key for row in samples.rows)]
    columns = (
        *(Column(head=axis) for axis in axes),
        Column(head="metric"),
        Column(head="n", kind="number"),
        Column(head="median", kind="number"),
        Column(head="95% interval", kind="interval"),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            *(str(row.key.get(axis, "")) for axis in axes),
            row.metric,
            f"{row.sample.n}",
            number(row.sample.median, row.evidence),
            number(row.sample.median),
        )
        for row in samples.rows[:_MOST_CELLS]
    )
    left = len(samples.rows) - len(rows)
    more = f"; {left:,} more in answers.json" if left > 0 else ""
    table = Table(caption=f"Every configuration{more}", columns=columns, rows=rows)
    return Fold(line=(f"All measurements ({len(samples.rows):,})",), blocks=(table,), anchor="measurements")


def provenance(study: Study, parameters: Mapping[str, object], notebook: str = "") -> Fold:
    """Return versions, parameters, and the commands that build the page and run the benchmarks again."""
    facts = {
        "study": study.name,
        "study.toml (SHA-256)": study.definition_sha256 or "none",
        "parameters": ", ".join(f"{name} = {value or 'all'}" for name, value in parameters.items()),
        "Python": platform.python_version(),
        **_versions(),
    }
    blocks: list[Block] = [
        Paragraph(text=("Build this page again: ", Code(_command(study, parameters, notebook)))),
        _facts("Made with", facts),
    ]
    if study.commands:
        blocks.append(Paragraph(text=("Run the benchmarks again:",)))
        blocks.append(List(items=tuple((Code(command),) for command in study.commands)))
    return Fold(line=("Provenance",), blocks=tuple(blocks), anchor="provenance")


@cache
def _versions() -> dict[str, str]:
    return {name: metadata.version(name) for name in _LIBRARIES}


def _command(study: Study, parameters: Mapping[str, object], notebook: str) -> str:
    """Return the command that builds a page; where the study lies is left to the reader, who may be elsewhere."""
    words = ["benchlib", "report", f"PATH/TO/{study.path.name}"]
    words += ["--notebook", notebook] if notebook else []
    words += ["--where", study.where] if study.where else []
    for name, value in parameters.items():
        if name not in ("study", "where") and value != "":
            words += ["-p", f"{name}={value}"]
    return shlex.join(words)
