"""Results that somebody pasted into Markdown, or that stand as a table in other text."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.errors import FormatError
from benchlib.formats import load
from benchlib.results import Results

NANOBENCH = """\
|               ns/op |                op/s |    err% |     total | queue
|--------------------:|--------------------:|--------:|----------:|:----------
|        6,550,541.31 |              152.66 |    2.9% |      1.19 | `basic`
|          344,657.25 |            2,901.43 |    0.4% |      0.77 | `lock free`
"""
HYPERFINE = """\
| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |
|:---|---:|---:|---:|---:|
| `sleep 0.1` | 102.3 ± 0.6 | 101.1 | 104.0 | 1.00 |
| `a \\| b` | 202.9 ± 1.2 | 201.0 | 205.3 | 1.98 ± 0.02 |
"""
GO = "goos: linux\nBenchmarkEncode-8   1000   {} ns/op\nBenchmarkEncode-8   1000   {} ns/op\nPASS\n"


def read(folder: Path, text: str, name: str = "notes.md") -> Results:
    (folder / name).write_text(text)
    return load(folder)


def rows_of(results: Results, *axes: str) -> list[tuple[object, ...]]:
    columns = ["benchmark", *axes, "metric", "value"]
    return [tuple(row) for row in results.frame[columns].itertuples(index=False)]


def test_fenced_blocks_are_read_as_what_they_hold_below_their_headings(tmp_path: Path) -> None:
    """The heading that tells them apart is an axis; the one that all share is not; lines are those of the note."""
    blocks = "\n".join(f"## {name}\n```text\n{GO.format(a, b)}```" for name, a, b in [("old", 10, 11), ("new", 5, 6)])
    results = read(tmp_path, f"# Encoding\n\nHow to run it:\n```bash\ngo test -bench .\n```\n{blocks}\n")
    rows = [
        ("Encode", "old", 8, 10.0),
        ("Encode", "old", 8, 11.0),
        ("Encode", "new", 8, 5.0),
        ("Encode", "new", 8, 6.0),
    ]
    found = results.frame[["benchmark", "section", "gomaxprocs"]].itertuples(index=False)
    assert [(*map(str, row), 1e9 * value) for row, value in zip(found, results.frame["value"], strict=True)] == [
        (benchmark, section, str(procs), pytest.approx(value)) for benchmark, section, procs, value in rows
    ]
    assert results.frame["line"].tolist() == [10, 11, 17, 18]
    [file] = results.files
    assert (file.format, file.contains, file.lines.total) == ("notes", ("go-bench",), 20)
    assert not results.problems


def test_blocks_below_one_heading_are_told_apart_by_what_stands_above_them(tmp_path: Path) -> None:
    """The words right above each, or else its number: nobody said that they are repeats."""
    blocks = [f"```\n{GO.format(a, a + 1)}```\n" for a in (10, 20, 30, 40)]
    text = f"## Results\nThis one:\n\n{blocks[0]}\nThat one:\n{blocks[1]}\n## Again\n{blocks[2]}\n{blocks[3]}"
    sections = read(tmp_path, text).levels("section")
    assert sections == ("Results / This one", "Results / That one", "Again (1)", "Again (2)")


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        (
            NANOBENCH,
            [
                ("basic", "time", 6550541.31e-9),
                ("basic", "throughput", 152.66),
                ("lock free", "time", 344657.25e-9),
                ("lock free", "throughput", 2901.43),
            ],
        ),
        (
            HYPERFINE,
            [
                ("sleep 0.1", "time", 0.1023),
                ("sleep 0.1", "time_min", 0.1011),
                ("sleep 0.1", "time_max", 0.104),
                ("a | b", "time", 0.2029),
                ("a | b", "time_min", 0.201),
                ("a | b", "time_max", 0.2053),
            ],
        ),
    ],
)
def test_a_table_of_markdown_is_read_as_the_csv_it_would_be(
    table: str, rows: list[tuple[str, str, float]], tmp_path: Path
) -> None:
    """Backticks, spreads and columns that follow from others are left out, and commas that can only part thousands."""
    found = rows_of(read(tmp_path, f"# Results\n\n{table}\nMore words.\n"))
    assert [row[:2] for row in found] == [row[:2] for row in rows]
    assert [row[2] for row in found] == pytest.approx([row[2] for row in rows], rel=1e-12)


def test_columns_of_one_measure_are_metrics_whatever_their_cells(tmp_path: Path) -> None:
    """Whole milliseconds beside seconds are times, and a multiple is a number: neither is a level of an axis."""
    times = "| n | Python | Go |\n|---|---|---|\n| 1000 | 1.2 s | 30 ms |\n| 5000 | 12 s | 301 ms |\n"
    curve = "| threads | time (s) | speedup |\n|---|---|---|\n| 1 | 10.1 | 1.0x |\n| 2 | 5.2 | 1.9x |\n"
    results = read(tmp_path, f"{times}\nSpeedup:\n\n{curve}")
    assert not {"Go", "speedup"}.intersection(results.axes)
    frame = results.frame.set_index("metric")["value"]
    assert frame["go"].tolist() == pytest.approx([0.03, 0.301])
    assert frame["time"].tolist() == [10.1, 5.2]


def test_text_between_headings_is_read_without_its_bullets(tmp_path: Path) -> None:
    """Who pastes a report into a list gets it read."""
    report = (Path(__file__).parents[1] / "data" / "declared" / "pgbench-progress.txt").read_text()
    listed = report.replace("number of clients", "- number of clients")
    results = read(tmp_path, f"### GET\n{report}\n### PUT\n{listed}")
    assert results.levels("section") == ("GET", "PUT")
    assert results.frame["clients"].tolist() == [10] * 6
    assert not results.problems


def test_a_table_of_commas_within_other_output_is_read(tmp_path: Path) -> None:
    """Programs of one's own print banners around it."""
    table = "Algorithm,Threads,time_s\nMPI,4,0.25\nMPI,8,0.125\n"
    text = f"=====\n  SEARCH\n=====\nDocs : 1000, planted\nPASSED\n\n{table}=====\n"
    results = read(tmp_path, text, "out.txt")
    assert rows_of(results, "Algorithm", "Threads") == [
        ("out", "MPI", 4, "time", 0.25),
        ("out", "MPI", 8, "time", 0.125),
    ]
    assert results.frame["line"].tolist() == [8, 9]


def test_notes_are_read_only_where_nothing_else_holds_results(tmp_path: Path) -> None:
    """They are made from what lies beside them; a README counts where it stands alone."""
    (tmp_path / "README.md").write_text(f"```\n{GO.format(1, 2)}```\n")
    assert [file.source for file in load(tmp_path).files] == ["README.md"]
    (tmp_path / "notes.md").write_text(f"```\n{GO.format(3, 4)}```\n")
    assert [file.source for file in load(tmp_path).files] == ["notes.md"]
    (tmp_path / "run.txt").write_text(GO.format(5, 6))
    results = load(tmp_path)
    assert [file.source for file in results.files] == ["run.txt"]
    assert not results.problems
    # Who names it wants it.
    assert [file.source for file in load(tmp_path / "README.md").files] == ["README.md"]


@pytest.mark.parametrize(
    "text",
    [
        "# How to run\n\n```bash\nwrk -t2 -c50 http://localhost\n```\n",
        "| Version | Python |\n|---|---|\n| 1.0 | 3.8 |\n| 2.0 | 3.9 |\n",
        "| Date | Weight (kg) | Price ($) |\n|---|---|---|\n| 2020 | 70.1 | 12.3 |\n| 2021 | 70.2 | 13.3 |\n",
        '```json\n[{"timeout_ms": 30, "retries": 3}, {"timeout_ms": 31, "retries": 3}]\n```\n',
        "# Options\n\n| option | meaning |\n|---|---|\n| `-c` | connections, threads, users |\n",
        "Balance, core by core, was hard to get right.\nThreads, as ever, are the reason, see below.\n",
        "| a | b |\n|---|---|\n",
        "# T\n\n|---|---|\n|---|---|\n|---|---|\n",
    ],
)
def test_notes_without_results_are_refused(text: str, tmp_path: Path) -> None:
    """Commands, options, versions, prices and prose hold no number that was measured."""
    with pytest.raises(FormatError):
        read(tmp_path, text)


def test_a_row_of_another_width_is_a_problem_of_its_line(tmp_path: Path) -> None:
    """The other rows stand."""
    results = read(tmp_path, NANOBENCH.replace("| `lock free`", "| 1 | 2 | `lock free`"))
    assert [(problem.line, problem.message[:8]) for problem in results.problems] == [(4, "7 fields")]
    assert len(results.frame) == 2


def test_a_book_of_fences_takes_no_longer_than_its_length(tmp_path: Path) -> None:
    """Blocks are bounded in number, and none is read twice."""
    results = read(tmp_path, f"```\n{GO.format(1, 2)}```\n" + "```\nx\n```\n" * 20_000 + "| a | b |\n" * 20_000)
    assert len(results.frame) == 2


def test_records_of_a_fenced_document_are_counted_by_their_lines(tmp_path: Path) -> None:
    """Many may stand on one: the account of the note is one of lines."""
    records = ", ".join(f'{{"time_ms": {number}.5}}' for number in range(9))
    results = read(tmp_path, f"# A\n\n```text\n[{records}]\n```\n")
    lines = results.files[0].lines
    assert (len(results.frame), lines.data, lines.total) == (9, 1, 5)
