"""``benchlib slides``: what it writes where, and bad input in one line with nothing half-written."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from benchlib.cli import main
from tests.cli import calling
from tests.run.small_notebook import write_small_notebook

run = partial(calling.run, "slides")

ROOT = Path(__file__).parents[2]
PUBLISHED = str(ROOT / "data" / "onix-adapter-published")
FEW = ("-p", "draws=300")


@pytest.fixture
def small(tmp_path: Path) -> tuple[str, str]:
    """Name a deck of one slide, for what does not depend on the slides."""
    return "--notebook", str(write_small_notebook(tmp_path / "small.ipynb", slide=True))


def test_html_lies_beside_its_notebook_and_its_answers(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Nothing else is written, and the answers are of what was asked."""
    code, out, err = run(capsys, PUBLISHED, "-p", "target=50000/s", *FEW, "-o", str(tmp_path), "--quiet")
    assert (code, out, err) == (0, "", "")
    folder = tmp_path / "onix-adapter-published"
    assert sorted(one.name for one in folder.iterdir() if not one.name.startswith(".")) == [
        "capacity_deck.answers.json",
        "capacity_deck.html",
        "capacity_deck.ipynb",
        "manifest.json",
    ]
    answers = json.loads((folder / "capacity_deck.answers.json").read_text(encoding="utf-8"))
    assert answers["answers"]["asked"]["draws"] == 300


def test_slides_of_an_earlier_run_do_not_stay_beside_new_ones(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, small: tuple[str, str]
) -> None:
    """A PDF of another target beside this deck would say something else."""
    folder = tmp_path / "onix-adapter-published"
    folder.mkdir()
    old = folder / "small.pdf"
    old.write_bytes(b"%PDF-1.4 of yesterday")
    code, out, _ = run(capsys, PUBLISHED, *small, "-o", str(tmp_path))
    assert code == 0
    assert out.startswith(f"{folder / 'small.html'}: ")
    assert not old.exists()


def test_decks_stand_in_no_list_of_reports(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, small: tuple[str, str]
) -> None:
    """A page of somebody's own that lists decks is not taken for the list of reports."""
    assert run(capsys, PUBLISHED, *small, "-o", str(tmp_path), "--quiet") == (0, "", "")
    (tmp_path / "index.html").write_text("decks", encoding="utf-8")
    assert main(["report", PUBLISHED, "-o", str(tmp_path), "--quiet"]) == 2
    assert (tmp_path / "index.html").read_text(encoding="utf-8") == "decks"


def test_a_deck_that_is_too_large_is_not_published(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, small: tuple[str, str]
) -> None:
    """The check is a gate: exit 6."""
    code, _, err = run(capsys, PUBLISHED, *small, "--max-size", "10kB", "-o", str(tmp_path), "--quiet")
    assert code == 6
    assert "more than the 10,000 that --max-size allows" in err
    assert not list(tmp_path.rglob("*.html"))


def test_a_notebook_without_a_deck_is_told_how_to_hand_out_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Any notebook may be a deck; one that hands out none is not."""
    notebook = write_small_notebook(tmp_path / "small.ipynb")
    code, _, err = run(capsys, PUBLISHED, "--notebook", str(notebook), "-o", str(tmp_path), "--quiet")
    assert code == 6
    assert "the notebook handed out no deck; end a cell with tell.deck.deck(...), as shipped ones do" in err


def test_without_python_pptx_the_extra_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line, before anything is built."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    code, _, err = run(capsys, PUBLISHED, "--to", "pptx", "-o", str(tmp_path / "slides"), "--quiet")
    assert code == 2
    assert "pip install 'benchlib[slides]', or choose --to html,pdf" in err
