"""``benchlib convert``: the tidy table on disk is the tidy table in Python."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from benchlib.cli import main
from benchlib.study import open_study

ROOT = Path(__file__).parents[2]
FORMULAS = ("=1+1", "+cmd", "-2+3", "@SUM(A1)")


def convert(*arguments: str | Path) -> None:
    """Run the command, which has to succeed."""
    assert main(["convert", *(str(one) for one in arguments)]) == 0


def words(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame as plain objects, so that two storages of the same values compare equal."""
    return frame.astype(object).where(frame.notna(), None).reset_index(drop=True)


@pytest.mark.parametrize("study", ["token-sdk"])
def test_parquet_gives_the_table_back(study: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every row, column, value and type survives."""
    pytest.importorskip("pyarrow")
    results = open_study(ROOT / "data" / study).results
    convert(ROOT / "data" / study, "-o", tmp_path / "table.parquet")
    assert f"{len(results.frame):,} rows" in capsys.readouterr().out
    found = pd.read_parquet(tmp_path / "table.parquet")
    assert list(found.columns) == list(results.frame.columns)
    pd.testing.assert_frame_equal(words(found), words(results.frame))


@pytest.mark.parametrize("study", ["token-sdk"])
def test_csv_gives_the_table_back(study: str, tmp_path: Path) -> None:
    """Text is text and every float is the same float: no digit is lost on the way."""
    frame = open_study(ROOT / "data" / study).results.frame
    convert(ROOT / "data" / study, "-o", tmp_path / "table.csv")
    found = pd.read_csv(tmp_path / "table.csv", keep_default_na=False, dtype=str)
    assert list(found.columns) == list(frame.columns)
    assert found["value"].astype(float).tolist() == frame["value"].tolist()
    for column in ("benchmark", "metric", "unit", "source", "run"):
        assert found[column].tolist() == frame[column].astype(str).tolist()


def test_a_cell_is_no_formula(tmp_path: Path) -> None:
    """A spreadsheet runs what starts with = + - @: such text is quoted, numbers are not."""
    rows = "".join(f"{name},time,{number + 1},ns\n" for number, name in enumerate(FORMULAS))
    (tmp_path / "run.csv").write_text("benchmark,metric,value,unit\n" + rows + "Offset,drift,-3,sec\n")
    convert(tmp_path / "run.csv", "-o", tmp_path / "table.csv")
    found = pd.read_csv(tmp_path / "table.csv")
    assert found["benchmark"].tolist() == [*(f"'{one}" for one in FORMULAS), "Offset"]
    assert found["value"].iloc[-1] == -3
    assert not [one for one in found.select_dtypes(exclude="number").stack() if str(one)[:1] in "=+-@"]


def test_failed_rows_are_left_out_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Values of calls that failed are written only where they are asked for."""
    results = open_study(ROOT / "data/token-sdk").results
    assert len(results.failed)
    convert(ROOT / "data/token-sdk", "-o", tmp_path / "sound.csv")
    assert f"{len(results.failed):,} rows of failed calls left out" in capsys.readouterr().out
    convert(ROOT / "data/token-sdk", "-o", tmp_path / "all.csv", "--with-failed")
    assert "left out" not in capsys.readouterr().out
    assert not (pd.read_csv(tmp_path / "sound.csv")["errors"] > 0).any()
    assert len(pd.read_csv(tmp_path / "all.csv")) == len(results.frame) + len(results.failed)


@pytest.fixture
def raw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of raw results by the name ``t``, where the command runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t").mkdir()
    (tmp_path / "t/c1.csv").write_text(RAW)
    (tmp_path / "t/c2.csv").write_text(RAW)
    return tmp_path / "t"


RAW = "benchmark,time_ms\nEncode,5\n"


@pytest.mark.parametrize(
    ("paths", "output", "shown"),
    [
        (["t/c1.csv"], "t/c1.csv", "t/c1.csv"),
        (["t/c2.csv", "t/c1.csv"], "t/c1.csv", "t/c1.csv"),
        (["t"], "t/c1.csv", "t/c1.csv"),
        (["t/"], "./t/../t/c2.csv", "t/c2.csv"),
        (["t/c1.csv"], "linked.csv", "t/c1.csv"),
        (["t", "t/c2.csv"], "symbolic.csv", "t/c1.csv"),
    ],
)
def test_a_raw_input_is_never_replaced(
    raw: Path, capsys: pytest.CaptureFixture[str], paths: list[str], output: str, shown: str
) -> None:
    """By its own name, in a folder that is named, by a link of either kind: refused in one line, nothing written."""
    (raw.parent / "linked.csv").hardlink_to(raw / "c1.csv")
    (raw.parent / "symbolic.csv").symlink_to(raw / "c1.csv")
    assert main(["convert", *paths, "-o", output]) == 2
    said = f"{Path(output)}: would replace {shown}, which is read here; choose another place with -o"
    assert capsys.readouterr() == ("", f"benchlib: {said}\n")
    assert [one.read_text() for one in sorted(raw.iterdir())] == [RAW, RAW]


def test_a_file_that_is_no_input_is_replaced(raw: Path) -> None:
    """One beside the input, one that the study leaves out."""
    convert("t/c1.csv", "-o", "t/c2.csv")
    (raw / "study.toml").write_text('[files]\nexclude = ["c2.csv"]\n')
    convert("t", "-o", "t/c2.csv")
    assert (raw / "c1.csv").read_text() == RAW
    assert (raw / "c2.csv").read_text().startswith("name,benchmark,")
    assert sorted(path.name for path in raw.iterdir()) == ["c1.csv", "c2.csv", "study.toml"]


def test_standard_input_is_never_replaced(
    raw: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """``benchlib convert - -o t/c1.csv < t/c1.csv`` would empty what it reads."""
    with (raw / "c1.csv").open() as opened:
        monkeypatch.setattr("sys.stdin", opened)
        assert main(["convert", "-", "-o", "t/c1.csv"]) == 2
    said = "t/c1.csv: would replace standard input, which is read here; choose another place with -o"
    assert capsys.readouterr() == ("", f"benchlib: {said}\n")
    assert (raw / "c1.csv").read_text() == RAW
