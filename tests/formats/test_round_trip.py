"""What ``benchlib convert`` writes reads back as it was."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from benchlib.errors import InputError
from benchlib.formats import load
from benchlib.formats.tables import read_parquet, write_table
from benchlib.study import open_study

ROOT = Path(__file__).parents[2]
STUDIES = sorted(path.parent.name for path in ROOT.glob("data/*/study.toml"))

#: What names are made of, and what CSV, spreadsheets and readers of tables take for more than letters.
_LETTERS = "aé1=+-@#'\";,/_.|<&\u200b"


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table without the order of its categories, which no file keeps."""
    unordered = frame.copy()
    for name in unordered.columns:
        if isinstance(unordered[name].dtype, pd.CategoricalDtype):
            unordered[name] = unordered[name].astype(object).where(unordered[name].notna(), None)
    return unordered


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("study", STUDIES)
def test_every_study_reads_back_as_it_was(study: str, ending: str, tmp_path: Path) -> None:
    """Names, axes as numbers, runs, values to the last bit, units as written, positions, and each file:line."""
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    results = open_study(ROOT / "data" / study).results
    output = tmp_path / f"table{ending}"
    write_table(results, output)
    again = load(output)
    assert again.problems == ()
    assert_frame_equal(plain(again.frame), plain(results.frame), check_exact=True)
    assert again.files[0].lines.data == len(results.frame)
    assert again.series == ()


def test_text_that_a_spreadsheet_would_run_reads_back(tmp_path: Path) -> None:
    """It is quoted on the way out and only then unquoted on the way in."""
    (tmp_path / "a.csv").write_text(
        "benchmark,note,metric,value,unit\n'x,'=1+1,time,5,s\ny,=1+1,time,6,s\nz,'q,time,7,s\n"
    )
    results = load(tmp_path / "a.csv")
    write_table(results, tmp_path / "b.csv")
    assert "'=1+1" in (tmp_path / "b.csv").read_text()
    assert_frame_equal(plain(load(tmp_path / "b.csv").frame), plain(results.frame))


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@settings(max_examples=60, deadline=None)
@given(names=st.lists(st.text(_LETTERS, min_size=1, max_size=6), min_size=1, max_size=4, unique=True))
@example(names=["#1_insert", "'=x", "'", "''q", "=SUM(A1)", "1e5=3/007=4"])
@example(names=["+/"])
def test_any_name_reads_back(ending: str, names: list[str]) -> None:
    """Signs of a comment, a formula or a quote at the start, separators, numbers as names of axes."""
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    with TemporaryDirectory() as folder:
        log, output = Path(folder, "log.txt"), Path(folder, f"table{ending}")
        log.write_text("".join(f"Benchmark{name}-4 10 5 ns/op\n" for name in names), encoding="utf-8")
        results = load(log)
        write_table(results, output)
        again = load(output)
        assert again.problems == ()
        assert_frame_equal(plain(again.frame), plain(results.frame), check_exact=True)


def test_a_table_beside_its_log_counts_once(tmp_path: Path) -> None:
    """The log is read, and the caveat says so."""
    (tmp_path / "run.txt").write_text("BenchmarkA-4 10 5.25 ns/op\nBenchmarkB-4 10 7.5 ns/op\n")
    write_table(load(tmp_path / "run.txt"), tmp_path / "run.csv")
    results = load(tmp_path)
    assert len(results.frame) == 2
    assert [caveat.code for caveat in results.caveats] == ["repeated-file"]
    assert set(results.frame["source"]) == {"run.txt"}


def test_a_foreign_parquet_table_reads_like_a_csv(tmp_path: Path) -> None:
    """Whole numbers stay whole beside missing ones; nested columns are named and passed over."""
    pytest.importorskip("pyarrow")
    table = pd.DataFrame({"workers": [1, 2, 4], "time_ms": [1.5, None, 3.5], "tags": [["a"], ["b"], []]})
    table.to_parquet(tmp_path / "t.parquet")
    results = load(tmp_path / "t.parquet")
    assert results.frame["workers"].tolist() == [1, 4]
    assert results.frame["value"].tolist() == pytest.approx([0.0015, 0.0035])
    assert [problem.message for problem in results.problems] == ["column 'tags' is nested or binary; passed over"]
    counts = results.files[0].lines
    assert (counts.data, counts.context, counts.total) == (2, 1, 3)


@pytest.mark.parametrize("raw", [b"PAR1", b"PAR1PAR1", b"PAR1" + b"\0" * 40 + b"PAR1", b"PAR1\xff\xff\xff\x7fPAR1"])
def test_damaged_parquet_is_one_line(raw: bytes) -> None:
    """Never an error of the library."""
    pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match=r"^x: damaged Parquet"):
        read_parquet(raw, "x")


def test_a_parquet_that_is_cut_is_one_line(tmp_path: Path) -> None:
    """At any place."""
    pytest.importorskip("pyarrow")
    pd.DataFrame({"workers": list(range(50)), "time_ms": [1.5] * 50}).to_parquet(tmp_path / "t.parquet")
    raw = (tmp_path / "t.parquet").read_bytes()
    for end in range(4, len(raw) - 1, 97):
        with pytest.raises(InputError):
            read_parquet(raw[:end] + b"PAR1", "x")
