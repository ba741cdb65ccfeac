"""Secrets named as ``env:NAME``: read by the notebook, found in nothing that is written."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import nbformat
import pytest

from benchlib.cli import main
from benchlib.errors import NotebookError, ParameterError
from benchlib.report.running.build import build_report
from benchlib.report.running.execution import Engine, execute_notebook
from benchlib.report.running.secrets import named_secrets, secret

#: With what code, JSON, markup and addresses each escape in their own way.
VALUE = "opén \"sesame\" & <b>'1'</b> \\ 100%"

CELLS = {
    "parameters": 'study: str = ""  # Folder.\ntoken: str = ""  # A secret.',
    "use": "from benchlib.report import secret\nvalue = secret(token)\nprint(value)\nprint([value])",
    "show": """\
import html, json, urllib.parse
from IPython.display import HTML, Markdown, display
display(HTML(f"<p title='{html.escape(value)}'>{html.escape(value)}</p>"), Markdown(f"the {value}"))
quoted = urllib.parse.quote(value), urllib.parse.quote(value, safe="")
display(HTML(f"<a href='https://example.org/?q={quoted[0]}&r={quoted[1]}'>link</a>"))
answers = {"title": "T", "status": "PASS", "verdict": value, "cards": [{"label": value, "value": json.dumps(value)}]}
display({"application/vnd.benchlib.answers+json": answers, "text/plain": "answers"}, raw=True)""",
}


def write(folder: Path, last: str = "") -> Path:
    cells = [nbformat.v4.new_code_cell(source, id=name) for name, source in CELLS.items()]
    if last:
        cells.append(nbformat.v4.new_code_cell(last, id="last"))
    cells[0].metadata["tags"] = ["parameters"]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    path = folder / "own.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)
    return path


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EXAMPLE_TOKEN", VALUE)
    (tmp_path / "study").mkdir()
    (tmp_path / "study/run.txt").write_text("BenchmarkX-8 \t 10\t 5 ns/op\n")
    return tmp_path / "study"


def holds(text: str) -> bool:
    """Tell whether a text holds the secret, or a telling part of it."""
    return "sesame" in text or base64.b64encode(VALUE.encode()).decode()[:20] in text


def leaks(folder: Path) -> list[str]:
    files = [one for one in folder.rglob("*") if one.is_file()]
    assert len(files) > 4
    return [one.name for one in files if holds(one.read_text(encoding="utf-8", errors="replace"))]


def test_a_secret_is_used_and_never_written(study: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A notebook that prints it in every form: notebook, page, answers, manifest, index and log hold its name only."""
    write(study.parent)
    command = ["report", "study", "-o", "out", "--notebook", "own.ipynb", "-p", "token=env:EXAMPLE_TOKEN"]
    assert main([*command, "--json-log", "--to", "html,md"]) == 0
    out, err = capfd.readouterr()
    assert leaks(study.parent / "out") == []
    assert not holds(out + err)
    answers = json.loads((study.parent / "out/study/own.answers.json").read_text())
    assert answers["verdict"] == "[env:EXAMPLE_TOKEN]"
    executed = nbformat.read(study.parent / "out/study/own.ipynb", as_version=4)
    [printed] = [cell.outputs[0].text for cell in executed.cells if cell.id == "use"]
    assert printed == "[env:EXAMPLE_TOKEN]\n['[env:EXAMPLE_TOKEN]']\n"


@pytest.mark.parametrize("engine", ["fork", "nbclient"])
def test_a_secret_that_is_printed_in_pieces_is_not_put_together_again(study: Path, engine: Engine) -> None:
    """Each piece is its own output until the notebook is tidied: what is saved was blanked as it is saved."""
    middle = len(VALUE) // 2
    pieces = f"import sys\nsys.stdout.write(value[:{middle}])\nsys.stdout.flush()\nimport time; time.sleep(0.5)\n"
    path = write(study.parent, f"{pieces}print(value[{middle}:])")
    saved = study.parent / "executed.ipynb"
    executed = execute_notebook(path, saved, {"token": "env:EXAMPLE_TOKEN"}, engine=engine)
    assert executed.cells[-1].outputs[0].text == "[env:EXAMPLE_TOKEN]\n"
    assert not holds(saved.read_text())


def test_a_common_word_as_a_secret_fails_no_report(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is blanked in what cells said, not in the types, names and tags by which a notebook is read."""
    for word in ("benchlib", "stdout", "python3"):
        monkeypatch.setenv("EXAMPLE_TOKEN", word)
        notebook = str(write(study.parent))
        options = {"notebook": notebook, "parameters": {"token": "env:EXAMPLE_TOKEN"}}
        built = build_report(study, study.parent / word, **options)
        assert built.verdict == "[env:EXAMPLE_TOKEN]"
        executed = nbformat.read(built.notebook, as_version=4)
        nbformat.validate(executed)
        [printed] = [cell.outputs[0] for cell in executed.cells if cell.id == "use"]
        assert (printed.name, printed.text.split("\n")[0]) == ("stdout", "[env:EXAMPLE_TOKEN]")


def test_an_error_that_quotes_a_secret_does_not_tell_it(study: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Neither stderr, nor the page of the failure, nor the notebook with its traceback, nor the manifest."""
    write(study.parent, "raise ValueError(f'no access with {value}')")
    command = ["report", "study", "-o", "out", "--notebook", "own.ipynb", "-p", "token=env:EXAMPLE_TOKEN"]
    assert main(command) == 1
    out, err = capfd.readouterr()
    assert "ValueError: no access with [env:EXAMPLE_TOKEN]" in err
    assert not holds(out + err)
    assert leaks(study.parent / "out") == []


def test_the_value_of_a_secret_decides_nothing(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token that was renewed does not build the report again: the fingerprint knows the name."""
    notebook = str(write(study.parent))
    options = {"notebook": notebook, "parameters": {"token": "env:EXAMPLE_TOKEN"}}
    assert build_report(study, study.parent / "out", **options).outcome == "built"
    monkeypatch.setenv("EXAMPLE_TOKEN", "another-token")
    assert build_report(study, study.parent / "out", **options).outcome == "unchanged"


def test_a_secret_that_is_not_there_stops_before_anything_runs(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Named with the variable to set; too short a value cannot be told from other text and is refused."""
    notebook = str(write(study.parent))
    for value, reason in (("", "does not hold; set EXAMPLE_TOKEN"), ("abc", "fewer than 6")):
        monkeypatch.setenv("EXAMPLE_TOKEN", value)
        with pytest.raises(ParameterError, match=reason):
            build_report(study, study.parent / "out", notebook=notebook, parameters={"token": "env:EXAMPLE_TOKEN"})
    assert not (study.parent / "out").exists()


def test_what_only_looks_like_a_secret_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name with other characters, or text around it, is left as it is."""
    monkeypatch.setenv("A", "long enough")
    for text in ("env:A B", " env:A", "env:A\n", "see env:A", "ENV:A"):
        assert secret(text) == text
    assert named_secrets([" env:", 3, None]).values == {}
    assert "long enough" not in repr(named_secrets([["env:A"]]))


def test_a_secret_of_no_name_is_no_text(study: Path) -> None:
    """Somebody left the variable out: refused before anything runs, in a list too."""
    notebook = str(write(study.parent))
    with pytest.raises(ParameterError, match="'env:' names no variable of the environment; write env:NAME"):
        build_report(study, study.parent / "out", notebook=notebook, parameters={"token": "env:"})
    with pytest.raises(ParameterError, match="names no variable"):
        named_secrets([["x", "env:"]])


def test_of_two_secrets_the_longer_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """One is the beginning of the other: blanked in the other order, the rest of the longer would stay."""
    monkeypatch.setenv("SHORT", "sesame")
    monkeypatch.setenv("LONG", "sesame-and-more")
    found = named_secrets(["env:SHORT", "env:LONG"])
    assert found.blanked("a sesame-and-more b sesame") == "a [env:LONG] b [env:SHORT]"
    data = {"sesame": ["x", {"y": "sesame-and-more", "n": 3}]}
    assert found.blank(data) == {"[env:SHORT]": ["x", {"y": "[env:LONG]", "n": 3}]}


def test_a_failing_report_of_a_library_user_is_safe_too(study: Path) -> None:
    """The exception itself holds no secret, nor does the one it came from."""
    notebook = str(write(study.parent, "raise ValueError(value)"))
    with pytest.raises(NotebookError) as caught:
        build_report(study, study.parent / "out", notebook=notebook, parameters={"token": "env:EXAMPLE_TOKEN"})
    assert not holds(str(caught.value))
    assert caught.value.__cause__ is None
