"""answers.json and the page say the same, and neither says where it was made."""

from __future__ import annotations

import html
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

import benchlib
from benchlib import report
from benchlib.answers.serialise import SCHEMA_VERSION
from benchlib.caveats import Severity
from benchlib.cli import parser
from benchlib.run.build import Built
from benchlib.study.open import resolve_study
from tests.report.shipped import ROOT, shipped_report

STUDIES = ["onix-adapter-published", "token-sdk"]

#: An absolute path of a machine; a path of a URL or a benchmark is none.
_MACHINE = re.compile(r"(?:/(?:home|root|work|tmp|var|usr|opt|Users|private)/[\w.-]+|\b[A-Z]:\\\\?\w)")


@pytest.fixture(params=STUDIES)
def built(request: pytest.FixtureRequest) -> Built:
    return shipped_report(request.param)


def strict(path: Path) -> Any:
    """Return what a JSON file holds; NaN and Infinity are no JSON."""

    def refuse(constant: str) -> float:
        raise AssertionError(f"{path.name} holds {constant}")

    return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)


def words(page: Path) -> str:
    """Return the text of a page outside scripts and styles, with single spaces."""
    body = page.read_text(encoding="utf-8").partition("<body")[2]
    body = re.sub(r"<(script|style)\b.*?</\1>", " ", body, flags=re.DOTALL)
    body = re.sub(r"</?span\b[^>]*>", "", body)  # a figure that can be opened is part of its sentence
    return spaced(html.unescape(re.sub(r"<[^>]+>", " ", body)))


def spaced(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def nodes(plain: Any, where: str = "$") -> Iterator[tuple[str, dict[str, Any]]]:
    """Give every object in JSON data, with its place."""
    if isinstance(plain, dict):
        yield where, plain
        for key, value in plain.items():
            yield from nodes(value, f"{where}.{key}")
    elif isinstance(plain, list):
        for number, value in enumerate(plain):
            yield from nodes(value, f"{where}[{number}]")


def test_verdict_cards_and_caveats_stand_on_the_page(built: Built) -> None:
    """Word for word: whoever reads the JSON reads what the page says."""
    answers, page = strict(built.answers), words(built.page)
    assert answers["schema"] == SCHEMA_VERSION
    assert spaced(answers["verdict"]) in page
    assert spaced(answers["title"]) in page
    assert answers["status"] in page
    assert 4 <= len(answers["cards"]) <= 6
    for card in answers["cards"]:
        for part in ("label", "value", "interval", "note"):
            assert spaced(card[part]) in page, (part, card)
    assert answers["answers"]["caveats"]
    for one in answers["answers"]["caveats"]:
        assert spaced(one["message"]) in page
        assert spaced(one["advice"]) in page


def test_every_estimate_says_what_it_rests_on(built: Built) -> None:
    """Unit, number of measurements, method and level; an interval that holds its value."""
    estimates = [(where, one) for where, one in nodes(strict(built.answers)) if one.get("type") == "Estimate"]
    assert len(estimates) > 50
    for where, one in estimates:
        assert isinstance(one["unit"], str), where
        assert isinstance(one["n"], int), where
        assert one["n"] >= 1, where
        assert one["method"], where
        assert 0 < one["confidence_level"] < 1, where
        if one["value"] is not None:
            assert one["low"] is None or one["low"] <= one["value"], where
            assert one["high"] is None or one["value"] <= one["high"], where


def test_every_caveat_and_refusal_says_what_to_do(built: Built) -> None:
    """A warning without advice, or a refusal without a reason, helps nobody."""
    for where, one in nodes(strict(built.answers)):
        if one.get("type") == "Caveat":
            assert all((one["code"], one["message"], one["advice"])), where
            assert one["severity"] in get_args(Severity), where
        if one.get("type") == "Refusal":
            assert all((one["reason"], one["advice"])), where


def test_nothing_says_where_it_was_made(built: Built) -> None:
    """No absolute path in page text, answers, or the executed notebook beyond the study as it was named."""
    named = str(ROOT / "data")
    for path in (built.page, built.answers, built.notebook):
        text = path.read_text(encoding="utf-8")
        if path == built.page:
            text = words(path)
        found = {one for one in _MACHINE.findall(text.replace(named, "<named>")) if not one.startswith("/usr/bin")}
        assert found == set(), path.name
    for path in (built.page, built.answers):
        assert named not in path.read_text(encoding="utf-8"), path.name


def test_the_executed_notebook_is_valid_and_complete(built: Built) -> None:
    """Valid format 4.5, every cell with code ran, its parameters stand in it, and no trace of the run does."""
    import nbformat

    executed = nbformat.read(built.notebook, as_version=4)
    nbformat.validate(executed)
    assert all(one.execution_count for one in executed.cells if one.cell_type == "code" and one.source)
    assert not any(output.output_type == "error" for cell in executed.cells for output in cell.get("outputs", []))
    [injected] = (one.source for one in executed.cells if one.id == "injected-parameters")
    assert re.fullmatch(r'# Parameters\nstudy = "[^"\n]+"\n?', injected)
    assert "papermill" not in executed.metadata


def rebuild(**options: Any) -> list[str]:
    """Return the command under "Build this page again", split as a shell would."""
    summary = benchlib.executive_summary(benchlib.open_study(ROOT / "data/lplex", **options))
    [code] = re.findall(r"<code>(benchlib .*?)</code>", "".join(str(one) for one in report.provenance(summary).blocks))
    return shlex.split(html.unescape(code))


def test_the_command_that_rebuilds_the_page_runs_once_the_way_to_the_study_is_filled_in(tmp_path: Path) -> None:
    """Whatever the working directory is."""
    words = [one.replace("PATH/TO", str(ROOT / "data")) for one in rebuild()]
    given = parser().parse_args([*words[1:], "-o", str(tmp_path)])
    assert resolve_study(given.studies[0])[0] == ROOT / "data/lplex"


@pytest.mark.parametrize("here", [".", "elsewhere", "elsewhere/lplex"])
def test_provenance_is_the_same_wherever_a_study_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: str
) -> None:
    """In the project, beside the working directory, below it, or in it."""
    (tmp_path / "elsewhere").mkdir()
    shutil.copytree(ROOT / "data/lplex", tmp_path / "elsewhere/lplex")
    monkeypatch.chdir(tmp_path / here)
    found = benchlib.executive_summary(benchlib.open_study(tmp_path / "elsewhere/lplex"))
    shipped = benchlib.executive_summary(benchlib.open_study(ROOT / "data/lplex"))
    assert report.provenance(found).blocks == report.provenance(shipped).blocks


def test_the_command_that_rebuilds_the_page_narrows_as_the_page_does() -> None:
    """Quoted, so that a shell hands it on whole."""
    where = "metric=time benchmark!='a b'"
    assert where in " ".join(rebuild(where=where))
