"""What was tested, where, with what, and how to do it again."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Mapping
from functools import cache
from importlib import metadata

import pandas as pd
from markupsafe import Markup

from benchlib.answers.capacity_plans import PlanningAnswer
from benchlib.answers.executive import ExecutiveSummary
from benchlib.report.wording.markup import bullets, join, paragraph, tag
from benchlib.report.wording.starter import starter
from benchlib.report.wording.words import count
from benchlib.study import Study

#: Facts that decide whether two reports may be compared; one that was not recorded is said.
FACTS = ("machine", "cpu", "cores", "memory", "os", "runtime", "generator", "date", "commit")
#: Libraries whose version can change a number or a page.
LIBRARIES = ("benchlib", "numpy", "scipy", "pandas", "plotly", "papermill", "nbconvert")
#: The seed of a page that draws nothing.
NOT_SIMULATED = "none: nothing on this page is simulated"


def definition_list(facts: Mapping[str, object], css: str = "facts") -> Markup:
    """Return facts as a definition list."""
    return tag(
        "dl",
        join(join([tag("dt", name), tag("dd", value)]) for name, value in facts.items()),
        css=css,
    )


def tested(summary: ExecutiveSummary) -> list[Markup]:
    """Say what was tested, and what each benchmark and level stands for."""
    study = summary.study
    blocks = [paragraph(study.tested or "What was tested is not recorded.")]
    if study.question:
        blocks.insert(0, paragraph(join([tag("strong", "Question. "), study.question])))
    if study.where:
        blocks.append(paragraph(join([tag("strong", "Narrowed to. "), study.where])))
    if study.origin:
        blocks.append(paragraph(join([tag("strong", "Origin. "), study.origin])))
    described = {
        name: text
        for name, text in study.descriptions.benchmarks.items()
        if name in set(study.results.frame["benchmark"])
    }
    levels = {
        f"{axis} {level}": text for axis, texts in study.descriptions.levels.items() for level, text in texts.items()
    }
    if not study.definition_sha256:
        blocks += [
            paragraph("No study.toml says what these results are. One to begin with, to be put beside them:"),
            tag("pre", tag("code", starter(study))),
        ]
    if described or levels:
        blocks.append(
            tag(
                "details",
                tag(
                    "summary",
                    f"What the names mean ({count(len(described) + len(levels), 'name')})",
                ),
                definition_list({**described, **levels}),
            )
        )
    return blocks


def environment(summary: ExecutiveSummary) -> list[Markup]:
    """Return the recorded environment; what was not recorded is said."""
    recorded = summary.study.environment
    content = _from_content(summary)
    facts: dict[str, object] = {}
    for name in FACTS:
        facts[name] = recorded.get(name, content.pop(name, "not recorded"))
    facts.update({name: value for name, value in recorded.items() if name not in facts})
    facts.update({name: value for name, value in content.items() if name not in facts})
    return [definition_list(facts)]


def _from_content(summary: ExecutiveSummary) -> dict[str, object]:
    """Facts that the result files themselves state."""
    frame = summary.study.results.frame
    found: dict[str, object] = {}
    for axis, name in (("cpu", "cpu"), ("goos", "goos"), ("goarch", "goarch")):
        if axis in frame:
            found[name] = ", ".join(dict.fromkeys(str(one) for one in frame[axis].unique() if pd.notna(one)))
    return found


def provenance(summary: ExecutiveSummary) -> list[Markup]:
    """Return versions, parameters, and the commands that rebuild report and results."""
    return made_with(summary.study, summary.parameters, rebuild_command(summary), _seed_of(summary))


def _seed_of(summary: ExecutiveSummary) -> str:
    """Say what the plan was drawn with: of all that a summary asks it alone is simulated."""
    if isinstance(summary.plan, PlanningAnswer):
        return seed_words(summary.plan.asked.seed, summary.plan.asked.draws)
    if summary.study.capacity.target is None:
        return NOT_SIMULATED
    return "none: the plan is refused, and nothing else on this page is simulated"


def seed_words(seed: int, draws: int) -> str:
    """Say with which seed how many curves were drawn for a plan.

    Examples
    --------
    >>> seed_words(0, 4000)
    '0, for 4,000 joint draws of each curve'
    """
    return f"{seed}, for {count(draws, 'joint draw')} of each curve"


@cache
def _versions() -> dict[str, str]:
    return {name: metadata.version(name) for name in LIBRARIES}


def made_with(study: Study, parameters: Mapping[str, object], command: str, seed: str) -> list[Markup]:
    """Return what a page was made with, and the command that makes it again."""
    facts = {
        "study": study.name,
        "study.toml (SHA-256)": study.definition_sha256 or "none",
        "parameters": ", ".join(f"{name} = {value or 'all'}" for name, value in parameters.items()),
        "seed": seed,
        "Python": platform.python_version(),
        **_versions(),
    }
    blocks = [
        paragraph("Build this page again, with the way to the study for PATH/TO:"),
        tag("pre", tag("code", command)),
        definition_list(facts, css="provenance"),
    ]
    if study.commands:
        blocks += [paragraph("Run the benchmarks again:"), tag("pre", tag("code", "\n".join(study.commands)))]
    return blocks


def rebuild_command(summary: ExecutiveSummary) -> str:
    """Return what to type to build the page again, once the study is found."""
    return report_command(summary.study, {"confidence_level": summary.parameters["confidence_level"]})


def report_command(study: Study, parameters: Mapping[str, object], *, notebook: str = "") -> str:
    """Return the command that runs a notebook on a study; parameters that are unset are left out.

    Where the study lies is left to the reader: a page says nothing of the machine that it was built on, and is the
    same wherever that was.
    """
    words = ["benchlib", "report", f"PATH/TO/{study.path.name}"]
    if notebook:
        words += ["--notebook", notebook]
    if study.where:
        words += ["--where", study.where]
    for name, value in parameters.items():
        if value != "":
            words += ["-p", f"{name}={value}"]
    return shlex.join(words)


def notes(summary: ExecutiveSummary) -> Markup:
    """Return the author's remarks on the study."""
    return bullets(summary.study.notes, css="notes")
