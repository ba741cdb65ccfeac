"""The page about formats says what the code does."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from benchlib.cli import main
from benchlib.cli.formats import list_formats, markdown
from benchlib.formats import load, registry
from benchlib.formats.declared import LinesFormat, RecordsFormat, TableFormat
from benchlib.formats.reader import Format, TextFile
from benchlib.study.open import parse_study_file

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
BEGIN = "<!-- formats: begin (python -m benchlib formats --format markdown) -->\n"
END = "<!-- formats: end -->"


def fenced(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_table_on_the_page_is_the_one_the_readers_give() -> None:
    """Between its marks stands what `benchlib formats --format markdown` prints."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    shown, _, after = rest.partition(END)
    made = markdown([row for row in list_formats() if row["origin"] != "plug-in"])
    if os.environ.get("BENCHLIB_UPDATE_GOLDEN") == "1":
        PAGE.write_text(f"{before}{BEGIN}{made}\n{END}{after}", encoding="utf-8")
        shown = made
    assert shown.strip() == made, "run BENCHLIB_UPDATE_GOLDEN=1 python -m pytest tests/formats/test_catalogue.py"


@pytest.mark.parametrize("reader", registry.readers(), ids=lambda reader: reader.name)
def test_every_reader_says_what_it_yields_and_cannot_tell(reader) -> None:
    """Short texts, on one line; names are unique."""
    shown = (reader.yields, reader.limits, reader.rule)
    for text in shown:
        assert text
        assert "\n" not in text
        assert len(text) < 240


def test_the_command_prints_the_same_in_three_forms(capsys: pytest.CaptureFixture[str]) -> None:
    """Text, Markdown and JSON name every format."""
    names = [row["name"] for row in list_formats()]
    assert len(names) == len(set(names))
    assert main(["formats", "--format", "json"]) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)] == names
    assert main(["formats", "--format", "markdown"]) == 0
    assert capsys.readouterr().out.rstrip("\n") == markdown(list_formats())
    assert main(["formats"]) == 0
    text = capsys.readouterr().out
    assert all(f"\n{name}" in f"\n{text}" for name in names)


def test_the_formats_on_the_page_can_be_declared() -> None:
    """Each block of TOML with [[formats]] is accepted, one after the other and all together."""
    blocks = [block for block in fenced("toml") if "[[formats]]" in block]
    assert len(blocks) == 3
    for block in blocks:
        assert len(parse_study_file(block).formats) == 1
    kinds = [type(declared) for declared in parse_study_file("\n".join(blocks)).formats]
    assert kinds == [LinesFormat, TableFormat, RecordsFormat]


def test_the_reader_on_the_page_reads() -> None:
    """The example runs as it stands, and accounts for every line."""
    [code] = fenced("python")
    names: dict[str, Format] = {}
    exec(compile(code, str(PAGE), "exec"), names)
    reader = names["STOPWATCH"]
    file = TextFile("x.txt", ["stopwatch 1", "encode 4 workers: 1.25 ms", "", "encode workers: 1 ms"])
    assert reader.recognise(file) == "certain"
    reading = reader.read(file)
    assert (list(reading.rows.value), list(reading.rows.unit)) == ([1.25], ["ms"])
    assert reading.configurations == [{"benchmark": "encode", "workers": "4"}]
    counts = reading.lines
    assert (counts.data, counts.context, counts.problem, counts.noise) == (1, 1, 1, 1)
    assert reading.problems[0][0] == 4


def test_a_study_reads_the_files_of_its_own_formats(tmp_path: Path) -> None:
    """From study.toml to the table, in base units, other files by their content."""

    [block] = [block for block in fenced("toml") if 'kind = "lines"' in block]
    (tmp_path / "study.toml").write_text(block)
    (tmp_path / "a.log").write_text("threads: 4\nencode took 1.5 ms\nthreads: 8\nencode took 1.0 ms\n")
    (tmp_path / "b.txt").write_text("BenchmarkA-4 10 5.25 ns/op\n")
    from benchlib.study import open_study

    results = open_study(tmp_path).results
    assert results.frame["value"].tolist() == pytest.approx([0.0015, 0.001, 5.25e-9])
    assert results.frame["workers"].tolist()[:2] == [4, 8]
    assert [file.format for file in results.files] == ["own-log", "go-bench"]


def test_a_declared_format_can_be_named(tmp_path: Path) -> None:
    """By ``format``, for a file that its glob does not match."""
    [declared] = parse_study_file(next(block for block in fenced("toml") if 'kind = "lines"' in block)).formats
    (tmp_path / "a.txt").write_text("encode took 1.5 ms\n")
    assert len(load(tmp_path / "a.txt", formats=[declared], format="own-log").frame) == 1
