"""The studies that come with the project: whole, documented, and what their raw files say."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import pytest

from benchlib.results import Results
from benchlib.study import Study, open_study

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[1] / "data"
HASHES = runpy.run_path(str(HERE / "hashes.py"))
STUDIES = sorted(one.parent.name for one in DATA.glob("*/study.toml"))


@pytest.fixture(scope="module", params=STUDIES)
def study(request: pytest.FixtureRequest) -> Study:
    """Each study in turn."""
    return open_study(DATA / request.param)


def opened(name: str) -> Results:
    """The results of one study."""
    return open_study(DATA / name).results


def test_a_study_says_what_it_is(study: Study) -> None:
    """Title, question, what was tested, where it comes from, what leads, and facts of the machine."""
    for words in (study.title, study.question, study.tested, study.origin, *study.lead):
        assert words.strip()
    assert study.title != study.name
    assert study.lead
    assert study.commands
    assert study.notes
    assert study.environment or study.name == "reference"
    assert study.descriptions.benchmarks or study.descriptions.levels


def test_every_plan_of_a_study_selects_rows(study: Study) -> None:
    """No curve, comparison, target or latency table of a study is about nothing."""
    plans = [study.effects.where, study.latency.where, study.latency.mean]
    plans += [f"{one.where} metric={one.metric}" for one in study.scaling.curves]
    plans += [f"{one.where} metric={one.metric}" for one in study.targets]
    plans += [one.where for one in study.scaling.exclusions]
    for one in study.comparisons:
        for level in (*one.baselines, *one.candidates):
            for metric in one.metrics:
                plans.append(f"{one.where} metric={metric} '{one.column}={level}'")
    for where in plans:
        assert len(study.results.select(where).frame) > 0, where


def test_every_described_benchmark_and_level_was_measured(study: Study) -> None:
    """A description of nothing is a misspelt name."""
    results = study.results
    failed = {one.name.removeprefix("Benchmark").partition("/")[0] for one in results.series}
    measured = {*results.frame["benchmark"], *results.failed["benchmark"], *failed}
    assert set(study.descriptions.benchmarks) <= measured
    for axis, levels in study.descriptions.levels.items():
        known = {str(one) for one in [*results.frame[axis].dropna(), *results.failed[axis].dropna()]}
        assert set(levels) <= known, axis


def test_every_file_is_the_one_in_the_table_of_hashes() -> None:
    """Raw results are never edited; mend the file, or write the table with hashes.py."""
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    assert readme.partition(HASHES["HEADER"])[2] == HASHES["table"]()


def test_the_readme_names_every_study() -> None:
    """Origin, machine and licence stand in one table, that of the history too, which needs no study.toml."""
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| `([a-z-]+)` \|", readme, re.MULTILINE)) == sorted([*STUDIES, "history"])


def test_raw_files_name_no_folder_of_a_person() -> None:
    """Paths of the machine were replaced before the files came here."""
    for one in HASHES["raw_files"]():
        text = one.read_text(encoding="utf-8", errors="replace")
        assert not re.search(r"/(home|Users)/\w", text), one


def test_the_reference_curves_have_published_answers() -> None:
    """Each benchmark of the study has an answer with its source."""
    answers = json.loads((DATA / "reference" / "published_answers.json").read_text(encoding="utf-8"))
    assert set(opened("reference").frame["benchmark"]) == set(answers) - {"about"}
    assert all(one["source"] for name, one in answers.items() if name != "about")
    assert answers["specsdm91"]["contention"] == {"value": 0.0277285, "standard_error": 0.0091217}


def test_the_remarks_on_the_reference_data_quote_what_was_published() -> None:
    """A reader holds the fitted laws beside the published numbers, digit by digit: all of them stand on the page."""
    study = open_study(DATA / "reference")
    published = json.loads((DATA / "reference" / "published_answers.json").read_text(encoding="utf-8"))
    for curve in study.scaling.curves:
        (note,) = (one for one in study.notes if one.startswith(f"Published for {curve.name} "))
        found = published[curve.name]
        told = [found[name]["value"] for name in ("contention", "coherency", "rate_at_one")]
        told += [found[name] for name in ("peak_concurrency", "peak_throughput") if name in found]
        quoted = {float(one) for one in re.findall(r"\d+(?:\.\d+)?", note)}
        assert set(told) <= quoted, curve.name
