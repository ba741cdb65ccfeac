"""The notebooks of ``notebooks/explore`` are what ``benchlib new`` writes for a study of the repository."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import nbformat
import pytest

import benchlib as bl
from benchlib.workbench.new import KINDS, notebook_of

ROOT = Path(__file__).parents[2]
STUDIES = {
    "look": "data/token-sdk",
    "scaling": "data/http-endpoints",
    "compare": "data/lplex",
    "effects": "data/token-sdk",
    "latency": "data/http-endpoints",
    "capacity": "data/http-endpoints",
    "noise": "data/noise",
    "trend": "data/history",
    "from_numbers": "",
}


def test_each_is_what_new_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """With BENCHLIB_UPDATE_GOLDEN=1 they are written again."""
    monkeypatch.chdir(ROOT)
    folder = ROOT / "notebooks" / "explore"
    assert {path.stem for path in folder.glob("*.ipynb")} == set(STUDIES)
    for kind, study in STUDIES.items():
        text = nbformat.writes(notebook_of(kind, study)) + "\n"
        if os.environ.get("BENCHLIB_UPDATE_GOLDEN"):
            (folder / f"{kind}.ipynb").write_text(text, encoding="utf-8")
        assert (folder / f"{kind}.ipynb").read_text(encoding="utf-8") == text, kind


def test_a_notebook_is_written_once_and_where_it_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a place in ``work/``; a file that is there stays."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.csv").write_text("cores,seconds\n1,10\n2,5.2\n4,3\n8,2\n")
    path = bl.new("scaling", "run.csv")
    assert path == Path("work/scaling.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    assert "run.csv" in cells[1].source
    assert any("predict([8, 16])" in cell.source for cell in cells)
    for kind, study, output, said in (
        ("scaling", "run.csv", "", "work/scaling.ipynb is there already; name another file (-o)"),
        ("scling", "run.csv", "", f"no kind 'scling'; did you mean 'scaling'?; there are {', '.join(KINDS)}"),
        ("look", "", "", "look asks something of a study; name a folder of results"),
        ("look", "run.csv", "mine.txt", "mine.txt is no name of a notebook; end it with .ipynb"),
    ):
        with pytest.raises(bl.BenchlibError) as told:
            bl.new(kind, study, output)
        assert str(told.value) == said


@pytest.mark.parametrize("kind", ["look", "effects", "latency", "noise", "report"])
def test_a_name_in_the_results_is_no_code(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A header that ends the text it stands in would run when the notebook does."""
    monkeypatch.chdir(tmp_path)
    trap = '"); open("sprung", "w"); ("'
    lines = [f"{n},{m},{100 + n + m},{5 + n}" for n in (1, 2, 4, 8) for m in (1, 2) for _ in range(3)]
    header = ",".join(
        '"' + name.replace('"', '""') + '"' for name in (f"threads{trap}", f"b{trap}", "time_ms", "latency_p99_ms")
    )
    (tmp_path / "run.csv").write_text("\n".join([header, *lines]) + "\n")
    code = [cell.source for cell in notebook_of(kind, "run.csv").cells if cell.cell_type == "code"]
    assert any("sprung" in source for source in code)
    named = [node.id for source in code for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)]
    assert "open" not in named
