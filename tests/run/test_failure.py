"""A failed report: its page, the list of reports, and the last good page beside it."""

from __future__ import annotations

import json
import re
import sys
from html import unescape
from pathlib import Path

import pytest

from benchlib.cli import main
from benchlib.errors import BenchlibError, ExportError, InputError, NotebookError, NotebookTimeout
from benchlib.render.check import check_page
from benchlib.run.build import Request, build_report
from benchlib.run.failure import explain_failure
from benchlib.run.listing import build_index
from benchlib.run.manifest import Place, read_entry
from tests.run.small_notebook import write_small_notebook

GO = "BenchmarkX-8 \t 10\t 5 ns/op\n"
SHOWN = "from IPython.display import Markdown, display\ndisplay(Markdown('this worked'))\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study").mkdir()
    (tmp_path / "study/run.txt").write_text(GO)
    return tmp_path


def words(page: str) -> str:
    """What a reader sees of a page or a list."""
    return unescape(re.sub("<[^>]*>", "", page.split("<main>")[1].split("</main>")[0]))


def report(*options: str) -> int:
    return main(["report", "study", "-o", "out", "--notebook", "small.ipynb", "--quiet", *options])


def test_a_failed_cell_yields_a_page(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The error, the cell and its source, and the way on; the last good page stays and is linked."""
    write_small_notebook(here / "small.ipynb")
    assert report() == 0
    good = (here / "out/study/small.html").read_bytes()
    write_small_notebook(here / "small.ipynb", f"{SHOWN}raise ValueError('no <b>level</b> 3')")
    assert report() == 1
    assert capsys.readouterr().err.startswith("benchlib: `small.ipynb`: cell 'record': ValueError: no <b>level</b> 3;")
    assert (here / "out/study/small.html").read_bytes() == good
    page = (here / "out/study/small.failed.html").read_text()
    assert "<b>" not in page
    for said in (
        "This report failed.",
        "Change that cell, or what it was given; in JupyterLab the notebook runs step by step.",
        "ValueError: no <b>level</b> 3",
        "It stopped at cell record, number 2 of 2.",
        "raise ValueError('no <b>level</b> 3')",
        "small.failed.ipynb holds the notebook as far as it came.",
        "small.html is the last report that was built; it may be out of date.",
    ):
        assert said in words(page)
    assert '<a href="./small.failed.ipynb">' in page
    assert '<a href="./small.html">' in page
    assert str(here) not in page
    check_page(page)
    index = (here / "out/index.html").read_text()
    assert re.findall('href="(study/.*?)">', index) == ["study/small.failed.html", "study/small.html"]
    assert '<a href="study/small.html">last good</a>' in index
    assert '<span class="status bad">Failed</span>' in index
    assert "ValueError: no <b>level</b> 3" in words(index)


def test_what_the_failing_cell_printed_is_on_its_page(here: Path) -> None:
    """As text, the last of it, without folders of this machine; what other cells showed is in the notebook."""
    from nbformat.v4 import new_code_cell, new_notebook, writes

    parameters = 'study: str = ""\nwhere: str = ""\nreader: str = ""'
    last = f"print('long ago', 'x' * 9000)\nprint('<b>', '\\x1b[31m\\tred', 'in {here}/study')\n1 / 0"
    cells = [
        new_code_cell(parameters, id="declared", metadata={"tags": ["parameters"]}),
        new_code_cell(f"{SHOWN}print('before')", id="first"),
        new_code_cell(last, id="last"),
    ]
    (here / "small.ipynb").write_text(writes(new_notebook(cells=cells)))
    assert report() == 1
    page = (here / "out/study/small.failed.html").read_text()
    [source, printed] = re.findall("<pre>(.*?)</pre>", page, re.DOTALL)
    assert unescape(source) == last.replace(str(here / "study"), "study")
    assert re.fullmatch(r"…x+\n<b> \\x1b\[31m +red in study", unescape(printed))
    assert len(printed) < 2200
    assert "It stopped at cell last, number 3 of 3." in words(page)
    assert "Change that cell, or what it was given" in words(page)
    assert "this worked" not in page
    assert str(here) not in page


def test_megabytes_on_one_line_do_not_hold_up_a_report(here: Path) -> None:
    """A search from each letter of five million would take days."""
    write_small_notebook(here / "small.ipynb", "print('x' * 5_000_000); 1 / 0")
    assert report() == 1
    assert (here / "out/study/small.failed.html").stat().st_size < 1_000_000


@pytest.mark.parametrize("offset", [1, 20, 47])
def test_no_part_of_a_folder_is_left_where_what_was_printed_is_cut(here: Path, offset: int) -> None:
    """Names of a folder are made short before the end is taken, wherever the cut falls."""
    printed = f"import os; print('{here}/study/1.txt\\n' * 200 + 'y' * {offset}, end='')"
    write_small_notebook(here / "small.ipynb", f"{printed}; 1 / 0")
    assert report() == 1
    page = (here / "out/study/small.failed.html").read_text()
    shown = page.split("<pre>…")[1].split("</pre>")[0]
    assert re.fullmatch(r"([study/1.x]*\n)(study/1\.txt\n)+y*", shown)


def test_a_cell_that_leaves_is_named_with_the_way_on(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Though it had handed out its answers; what IPython says of ways to leave a shell is left out."""
    write_small_notebook(here / "small.ipynb", "import sys; sys.exit(0)")
    assert report() == 1
    told = "`small.ipynb`: cell 'record': ended the run by sys.exit (SystemExit: 0);"
    assert told in capsys.readouterr().err
    page = (here / "out/study/small.failed.html").read_text()
    assert "It stopped at cell record, number 2 of 2." in words(page)
    assert "Take sys.exit out of that cell" in words(page)
    assert "To exit: use" not in page


def test_a_cell_that_may_raise_is_not_taken_for_the_one_that_failed(here: Path) -> None:
    """It is tagged ``raises-exception``: the run went on after it."""
    from nbformat import read, write
    from nbformat.v4 import new_code_cell

    path = write_small_notebook(here / "small.ipynb", "raise ValueError('the real one')")
    notebook = read(path, as_version=4)
    notebook.cells.insert(1, new_code_cell("1 / 0", id="tried", metadata={"tags": ["raises-exception"]}))
    write(notebook, path)
    assert report() == 1
    page = (here / "out/study/small.failed.html").read_text()
    assert "It stopped at cell record, number 3 of 3" in words(page)


def test_what_is_mended_is_no_failure_any_more(here: Path) -> None:
    """The next good run removes the page of the failure, and so does going back to what was built."""
    write_small_notebook(here / "small.ipynb")
    assert report() == 0
    before = (here / "small.ipynb").read_bytes()
    write_small_notebook(here / "small.ipynb", "1 / 0")
    assert report() == 1
    (here / "small.ipynb").write_bytes(before)
    assert report() == 0
    assert not list((here / "out/study").glob("*failed*"))
    assert "failed" not in (here / "out/index.html").read_text().split("<main>")[1].split("</main>")[0]
    assert read_entry(here / "out/study/manifest.json", "small.html").failure is None
    write_small_notebook(here / "small.ipynb", "1 / 0")
    assert report() == 1
    write_small_notebook(here / "small.ipynb", "1 / 1")
    assert report() == 0
    assert not list((here / "out/study").glob("*failed*"))


@pytest.mark.parametrize(
    ("last", "options", "code", "said"),
    [
        ("1 / 0", (), 1, "ZeroDivisionError"),
        ("raise MemoryError", (), 5, "cell 'record': ran out of memory: MemoryError; the executed notebook"),
        ("import time; time.sleep(60)", ("--timeout", "1"), 4, "ran longer than 1 s"),
        ("import os; os.abort()", (), 5, "crash or memory"),
        ("x = bytearray(4 << 30)", ("--memory", "1GiB"), 5, "memory"),
        ("", ("--max-size", "1kB"), 6, "1"),
        ("from benchlib.errors import StudyError; raise StudyError('x')", (), 2, "cell 'record': StudyError: x;"),
        ("", ("-p", "nothing=1"), 2, "no parameter 'nothing'"),
    ],
)
def test_each_failure_has_its_exit_code(
    here: Path, capsys: pytest.CaptureFixture[str], last: str, options: tuple[str, ...], code: int, said: str
) -> None:
    """1 a cell, 2 bad input, 4 time, 5 crash or memory, 6 the page: each in one line; nothing good is published.

    Under pytest, which has threads, cells run in a kernel: test_cells tells the same of a worker.
    """
    write_small_notebook(here / "small.ipynb", last)
    assert report(*options) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert said in err
    assert not (here / "out/study/small.html").exists()
    ran = last != "" or code != 2
    assert (here / "out/study/small.failed.html").exists() == ran
    if ran:
        assert read_entry(here / "out/study/manifest.json", "small.html").failure.exit_code == code  # type: ignore[union-attr]


def test_a_failing_cell_cannot_write_to_the_terminal(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message of an exception is a text from elsewhere: one short line, no control codes."""
    write_small_notebook(here / "small.ipynb", r"raise ValueError('\x1b]0;taken\x07\x1b[2J\r\n' + 'x' * 100_000)")
    assert report() == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.isprintable()
    assert len(line) < 1000


def test_a_full_disk_does_not_hide_what_failed_first(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line: the cell, and that the notebook could not be kept; neither that nor the page takes its exit code."""

    def full(path: Path, text: str) -> None:
        raise InputError(f"{path}: cannot be written (No space left on device); choose another place with -o")

    monkeypatch.setattr("benchlib.run.execute.write_text", full)
    monkeypatch.setattr("benchlib.run.failure.write_text", full)
    write_small_notebook(here / "small.ipynb", "raise OSError(28, 'No space left on device', 'scratch.bin')")
    assert report() == 1
    [line] = capsys.readouterr().err.splitlines()
    assert "cell 'record': OSError: [Errno 28] No space left on device: 'scratch.bin'; the executed notebook " in line
    assert "could not be kept: out/study/small.failed.ipynb: cannot be written (No space left on device)" in line


def test_a_notebook_without_a_verdict_is_a_page_and_said_before_it_runs(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_small_notebook(here / "small.ipynb")
    path = here / "small.ipynb"
    path.write_text(path.read_text().replace("vnd.benchlib.answers+json", "vnd.other+json"))
    assert main(["report", "study", "-o", "out", "--notebook", "small.ipynb"]) == 0
    shown = capsys.readouterr()
    assert shown.err.splitlines()[0].endswith(
        "small.ipynb: it ends in no bl.verdict(...), so the page says 'No verdict'"
    )
    assert "out/study/small.html: No verdict" in shown.out


def test_a_study_that_breaks_is_marked_in_the_list(here: Path) -> None:
    """Bad input writes no report; but a report that was good yesterday may not look good today."""
    write_small_notebook(here / "small.ipynb")
    assert report() == 0
    good = (here / "out/study/small.html").read_bytes()
    (here / "study/study.toml").write_text('titel = "x"\n')
    assert report() == 2
    assert (here / "out/study/small.html").read_bytes() == good
    assert "study/study.toml:1: unknown key &#39;titel&#39;" in (
        here / "out/study/small.failed.html"
    ).read_text().replace("&#x27;", "&#39;")
    assert 'href="study/small.failed.html"' in (here / "out/index.html").read_text()


def test_what_cannot_be_shown_safely_is_left_out(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page of a failure tells the story alone, and passes the check that its outputs did not."""
    write_small_notebook(
        here / "small.ipynb", "from IPython.display import HTML\ndisplay(HTML('<iframe src=\"https://example.org\">'))"
    )
    with pytest.raises(ExportError):
        build_report(Request("study", here / "out", notebook="small.ipynb"))
    page = (here / "out/study/small.failed.html").read_text()
    assert "the page is not offline: <iframe> stands in it" in words(page)
    assert "<iframe" not in page
    check_page(page)
    assert not (here / "out/study/small.html").exists()


def test_a_failed_page_names_no_folder_of_this_machine(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not of the study, the reports, benchlib or Python: by their last part; stderr says it in full."""
    import benchlib

    package = Path(benchlib.__file__).parent
    elsewhere = here / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    named = f"{here}/study/a.txt, {here}/out, {package}/errors.py, {package.parent} and {sys.prefix}/lib"
    write_small_notebook(elsewhere / "small.ipynb", f"raise ValueError('looked in {named}')")
    command = ["report", f"{here}/study", "-o", f"{here}/out", "--notebook", "small.ipynb", "--quiet"]
    assert main(command) == 1
    assert named in capsys.readouterr().err
    told = f"looked in study/a.txt, out, benchlib/errors.py, {package.parent.name} and {Path(sys.prefix).name}/lib"
    page, index = (here / "out/study/small.failed.html").read_text(), (here / "out/index.html").read_text()
    assert told in words(page)
    assert told in words(index)
    for folder in (here, package.parent, sys.prefix):
        assert str(folder) not in page + index


@pytest.mark.parametrize("kind", [NotebookError, BenchlibError])
def test_a_message_from_elsewhere_is_inert(tmp_path: Path, kind: type[BenchlibError]) -> None:
    """Markup, control codes, ten million characters and folders of this machine: text, short, and without them."""
    folder = tmp_path / "out/study"
    folder.mkdir(parents=True)
    place = Place(folder=folder, stem="small")
    said = f"<script>alert(1)</script>\x1b[31m\u202e {folder}/small.failed.ipynb {Path.home()}/x {'y' * 10_000_000}"
    explain_failure(place, kind(said), title="<img src=x onerror=alert(1)>", study="study")
    page = place.failed_page.read_text()
    assert len(page) < 200_000
    for hostile in ("<script>alert", "\x1b", "\u202e", str(tmp_path), "<img src=x"):
        assert hostile not in page
    manifest = json.loads(place.manifest.read_text())
    assert len(manifest["pages"]["small.html"]["failure"]["error"]) < 1100  # escapes count
    assert str(tmp_path) not in place.manifest.read_text()
    assert "alert(1)&lt;/script&gt;" in build_index(folder.parent).read_text()


def test_a_slip_of_the_command_line_marks_nothing(here: Path) -> None:
    """Exit 2 and its line; what was published, the manifest and the list stay byte for byte."""
    write_small_notebook(here / "small.ipynb")
    assert report() == 0
    before = {path: path.read_bytes() for path in (here / "out").rglob("*") if path.is_file()}
    for slip in (
        "-p confidence=0.9", "-p study=/etc", "-p where=benchmark", "--where benchmark=Nothing*", "--to docx",
        "--reader no-such-format", "--timeout soon", "--notebook smal.ipynb", "--css nowhere.css",
    ):  # fmt: skip
        assert report(*slip.split()) == 2, slip
        assert {path: path.read_bytes() for path in (here / "out").rglob("*") if path.is_file()} == before, slip


def test_a_report_that_was_asked_for_as_it_was_built_can_fail(here: Path) -> None:
    """The same condition, and results to which it no longer applies: that is a failure of the report."""
    write_small_notebook(here / "small.ipynb")
    assert report("--where", "benchmark=X") == 0
    (here / "study/run.txt").write_text(GO.replace("X", "Y"))
    assert report("--where", "benchmark=X") == 2
    assert (here / "out/study/small.failed.html").is_file()


def test_a_failure_before_the_parameters_shows_those_that_were_given(here: Path) -> None:
    """Not the notebook's own, which did not run; and not where on this machine the study lies."""
    from nbformat.v4 import new_code_cell, new_notebook, writes

    given = f'# Parameters\nstudy = "{here}/study"\nwhere = "benchmark=X"\n'
    cells = [
        new_code_cell(
            'study: str = "of/somebody/else"', id="own", metadata={"tags": ["parameters"]}, execution_count=1
        ),
        new_code_cell(given, id="given", metadata={"tags": ["injected-parameters"]}),
    ]
    place = Place(folder=here / "study", stem="small")
    place.failed_notebook.write_text(writes(new_notebook(cells=cells)))
    explain_failure(
        place, NotebookTimeout("`small.ipynb`: cell 'own': ran longer than 0.001 s"), title="Study", study="study"
    )
    page = place.failed_page.read_text()
    assert 'where = "benchmark=X"' in words(page)
    assert 'study = "study"' in words(page)
    assert "It stopped at cell own, number 1 of 1." in words(page)
    assert "somebody" not in page
    assert str(here) not in page


@pytest.mark.parametrize(
    ("error", "advised"),
    [
        ("the page is not offline: <img>", "in the file of --css"),
        ("the page has 2 bytes, more than the 1 that --max-size allows; narrow it", "Allow a larger page with"),
    ],
)
def test_a_page_that_fails_its_check_links_the_notebook_that_ran(here: Path, error: str, advised: str) -> None:
    """It ran to its end: what fails is the page, and the advice names what can be at fault."""
    place = Place(folder=here, stem="small")
    write_small_notebook(place.failed_notebook)
    explain_failure(place, ExportError(error), title="Study", study="study")
    page = place.failed_page.read_text()
    assert advised in page
    assert '<a href="./small.failed.ipynb">small.failed.ipynb</a> holds the notebook as it ran' in page
    assert "It stopped at cell" not in page
