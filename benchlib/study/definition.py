"""``study.toml``: read, checked key by key, and turned into plans.

Nothing here looks at results: what only they can settle (does this axis exist, is that unit the
metric's) is asked in `benchlib.study.checking`, with the same file and line in the message.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import get_args

from benchlib.errors import StudyError, printable
from benchlib.formats.declared import FormatSpec
from benchlib.formats.names import NameTemplate, bind
from benchlib.study.capacity import CapacityPlan, read_capacity
from benchlib.study.claims import ClaimPlan, read_claim
from benchlib.study.formats import read_formats
from benchlib.study.lines import KeyPath
from benchlib.study.plans import (
    BreakdownPlan,
    ChoicePlan,
    ComparisonPlan,
    Descriptions,
    EffectsPlan,
    Fact,
    LatencyPlan,
    Lead,
    ScalingPlan,
    TargetPlan,
)
from benchlib.study.questions import (
    read_breakdown,
    read_choice,
    read_comparison,
    read_descriptions,
    read_effects,
    read_latency,
    read_scaling,
    read_target,
)
from benchlib.study.section import Document, Section
from benchlib.study.toml_files import decoded, parse_toml, read_bytes

__all__ = ["FACTS", "Definition", "parse_definition", "read_definition"]

#: The environment facts that a page always speaks of, in this order.
FACTS = ("machine", "cpu", "cores", "memory", "os", "runtime", "generator", "date", "commit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """What a ``study.toml`` says, checked as far as that is possible without the results."""

    document: Document
    sha256: str
    title: str
    question: str
    tested: str
    origin: str
    lead: tuple[Lead, ...]
    notes: tuple[str, ...]
    commands: tuple[str, ...]
    exclude: tuple[str, ...]
    environment: Mapping[str, Fact]
    path_templates: tuple[str, ...]
    name_templates: tuple[NameTemplate, ...]
    parallel: tuple[str, ...]
    formats: tuple[FormatSpec, ...]
    scaling: ScalingPlan
    effects: EffectsPlan
    breakdowns: tuple[BreakdownPlan, ...]
    choices: tuple[ChoicePlan, ...]
    comparisons: tuple[ComparisonPlan, ...]
    targets: tuple[TargetPlan, ...]
    claims: tuple[ClaimPlan, ...]
    latency: LatencyPlan
    capacity: CapacityPlan
    descriptions: Descriptions


def read_definition(path: Path, shown: str) -> Definition:
    """Read a ``study.toml``.

    Parameters
    ----------
    path : pathlib.Path
    shown : str
        How to name the file in messages.

    Raises
    ------
    StudyError
        If it cannot be read, is too large, is not TOML, or says what it cannot mean.
    """
    raw = read_bytes(path, shown, advice="keep results in files of their own")
    return parse_definition(decoded(raw, shown), shown, hashlib.sha256(raw).hexdigest())


def parse_definition(text: str, shown: str = "study.toml", sha256: str = "") -> Definition:
    r"""Turn the text of a ``study.toml`` into a definition.

    Raises
    ------
    StudyError
        In one line, naming the file, the line, the key and what is accepted.

    Examples
    --------
    >>> parse_definition('title = "Adapter"').title
    'Adapter'
    >>> parse_definition('[scaling]\nconcurency = "workers"')  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    benchlib.errors.StudyError: study.toml:2: unknown key 'concurency' in [scaling]; did you mean ...
    """
    top = parse_toml(text, shown)
    top.only(
        "title", "question", "tested", "origin", "lead", "notes", "commands", "files", "environment",
        "configuration", "formats", "scaling", "effects", "breakdown", "choice", "compare", "targets",
        "claims", "latency", "capacity", "describe",
    )  # fmt: skip
    configuration = _configuration(top.section("configuration"))
    return Definition(
        document=top.document,
        sha256=sha256,
        title=top.text("title"),
        question=top.text("question"),
        tested=top.text("tested"),
        origin=top.text("origin"),
        lead=top.choices("lead", get_args(Lead)),
        notes=top.texts("notes"),
        commands=top.texts("commands"),
        exclude=_exclude(top.section("files")),
        environment=_environment(top.section("environment")),
        path_templates=_path_templates(configuration),
        name_templates=_name_templates(configuration),
        parallel=configuration.texts("parallel"),
        formats=read_formats(top),
        scaling=read_scaling(top.section("scaling")),
        effects=read_effects(top.section("effects")),
        breakdowns=tuple(_breakdown(one) for one in top.sections("breakdown")),
        choices=tuple(read_choice(one) for one in top.sections("choice")),
        comparisons=tuple(read_comparison(one) for one in top.sections("compare")),
        targets=tuple(read_target(one) for one in top.sections("targets")),
        claims=tuple(read_claim(one) for one in top.sections("claims")),
        latency=read_latency(top.section("latency")),
        capacity=read_capacity(top.section("capacity")),
        descriptions=read_descriptions(top.section("describe")),
    )


def _exclude(files: Section) -> tuple[str, ...]:
    files.only("exclude")
    patterns = files.texts("exclude")
    for number, one in enumerate(patterns):
        _inside(files, one, "exclude", number)
    return patterns


def _breakdown(table: Section) -> BreakdownPlan:
    plan = read_breakdown(table)
    _inside(table, plan.profile, "profile")
    return plan


def _inside(section: Section, pattern: str, key: str, *number: int) -> None:
    """Refuse a file or a pattern of files that leaves the study folder."""
    if pattern.startswith(("/", "\\", "~")) or ".." in PurePosixPath(pattern.replace("\\", "/")).parts:
        raise section.document.error(
            (*section.path, key, *number),
            f"'{key}' {section.label}: '{printable(pattern, 60)}' leaves the study folder; "
            "write it relative to study.toml, without '..'",
        )


def _environment(table: Section) -> dict[str, Fact]:
    facts = table.facts(FACTS)
    cores = facts.get("cores")
    if cores is not None and (isinstance(cores, bool) or not isinstance(cores, int) or cores < 1):
        raise table.wrong("cores", "a whole number of at least 1")
    return facts


def _configuration(table: Section) -> Section:
    table.only("paths", "names", "parallel")
    return table


def _path_templates(table: Section) -> tuple[str, ...]:
    templates = table.texts("paths")
    for number, one in enumerate(templates):
        _inside(table, one, "paths", number)
        _check_template(table, ("paths", number), one)
    return templates


def _name_templates(table: Section) -> tuple[NameTemplate, ...]:
    found = []
    for one in table.sections("names"):
        one.only("template", "benchmarks")
        template = one.required("template", '"bits_{bits:int}"')
        _check_template(one, ("template",), template)
        found.append(NameTemplate(template=template, benchmarks=one.texts("benchmarks")))
    return tuple(found)


def _check_template(section: Section, path: KeyPath, template: str) -> None:
    """Refuse a template that cannot match as it was meant."""
    try:
        bind(template)
    except StudyError as error:
        raise section.document.error((*section.path, *path), str(error)) from error
