"""Tables that benchstat printed, read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.formats import load
from benchlib.results import Results

CASES = Path(__file__).parents[1] / "data" / "benchstat_cases"
OLD = """\
name        old time/op    new time/op    delta
GobEncode-8   13.6ms ± 1%    11.8ms ± 1%  -13.31%  (p=0.016 n=4+5)
JSONEncode-8  32.1ms ± 1%    31.8ms ± 1%     ~     (p=0.286 n=4+5)

name        old speed      new speed      delta
GobEncode-8 56.4MB/s ± 1%  65.1MB/s ± 1%  +15.36%  (p=0.016 n=4+5)

name        old alloc/op   new alloc/op   delta
GobEncode-8   5.10kB ± 0%    2.00kB ± 0%  -60.78%  (p=0.000 n=5+5)
[Geo mean]    5.10kB         2.00kB       -60.78%
"""


def read(folder: Path, text: str, name: str = "table.txt") -> Results:
    (folder / name).write_text(text)
    return load(folder)


def test_the_table_and_the_csv_of_one_comparison_say_the_same(tmp_path: Path) -> None:
    """Case 07 is the CSV of what the cases compare: the drawn table rounds its values to four digits."""
    written = load(CASES / "07.stdout").frame
    drawn = load(CASES / "03.stdout").frame
    first = written[written["file"] == "old.txt"].set_index(["size", "io", "bits", "metric"])["value"]
    other = drawn[drawn["file"] == "O"].set_index(["size", "io", "bits", "metric"])["value"]
    assert len(other) == 120
    assert other.to_dict() == pytest.approx(first.to_dict(), rel=5e-4)


def test_each_column_is_a_file_with_settings_and_axes_of_its_names(tmp_path: Path) -> None:
    """Units, prefixes of ten and of two, GOMAXPROCS from the name; a geometric mean is no benchmark."""
    table = """\
goos: linux
        │   old.txt    │       new.txt        │
        │    sec/op    │   sec/op     vs base │
A/n=4-8   64.70µ ± 2%    65.00µ ± ∞ ¹  ~ (p=0.123 n=10)
geomean   64.70µ         65.00µ        +0.46%
¹ need >= 6 samples for confidence interval at level 0.95

        │   old.txt    │       new.txt        │
        │     B/op     │    B/op      vs base │
A/n=4-8   5.977Ki ± 0%   1.500Mi ± 0%  ~ (p=1.000 n=10)
"""
    frame = read(tmp_path, table).frame
    columns = ["benchmark", "gomaxprocs", "n", "file", "goos", "metric", "value", "line"]
    assert [tuple(row) for row in frame[columns].itertuples(index=False)] == [
        ("A", 8, 4, "old.txt", "linux", "time", pytest.approx(64.70e-6), 4),
        ("A", 8, 4, "new.txt", "linux", "time", pytest.approx(65.00e-6), 4),
        ("A", 8, 4, "old.txt", "linux", "memory", pytest.approx(5.977 * 2**10), 10),
        ("A", 8, 4, "new.txt", "linux", "memory", pytest.approx(1.5 * 2**20), 10),
    ]


def test_the_version_before_2022_is_read(tmp_path: Path) -> None:
    """Its heads name the sides and the quantity, its values carry their unit."""
    frame = read(tmp_path, OLD).frame
    found = [tuple(row) for row in frame[["benchmark", "file", "metric", "unit", "value"]].itertuples(index=False)]
    assert found == [
        ("GobEncode", "old", "time", "sec/op", pytest.approx(0.0136)),
        ("GobEncode", "new", "time", "sec/op", pytest.approx(0.0118)),
        ("JSONEncode", "old", "time", "sec/op", pytest.approx(0.0321)),
        ("JSONEncode", "new", "time", "sec/op", pytest.approx(0.0318)),
        ("GobEncode", "old", "transfer", "B/sec", pytest.approx(56.4e6)),
        ("GobEncode", "new", "transfer", "B/sec", pytest.approx(65.1e6)),
        ("GobEncode", "old", "memory", "B/op", pytest.approx(5100)),
        ("GobEncode", "new", "memory", "B/op", pytest.approx(2000)),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (OLD.replace("11.8ms ± 1%", "           "), "1 values where the head has 2: nobody knows which are missing"),
        (OLD.replace("11.8ms", "11.8xs"), "'xs' is no unit that benchstat writes"),
        ("   │ a │ b │\n   │ sec/op │\nA    1.0n ± 1%\n", "the head has 1 units for 2 files"),
        ("   │ a          │\n   │ sec/op     │\nA    1.0Q ± 1%\nB    1.0n ± 1%\n", "1 values of which 0 can be read"),
    ],
)
def test_a_row_that_is_not_clear_is_a_problem(text: str, message: str, tmp_path: Path) -> None:
    """Never another column's value."""
    (tmp_path / "table.txt").write_text(text)
    (tmp_path / "other.txt").write_text(OLD.replace("GobEncode", "Other"))
    assert message in "; ".join(problem.message for problem in load(tmp_path).problems)


def test_a_table_beside_raw_results_is_left_out(tmp_path: Path) -> None:
    """It holds no value that they do not hold."""
    (tmp_path / "run.txt").write_text("BenchmarkGobEncode-8 10 5 ns/op\n")
    results = read(tmp_path, OLD)
    assert [file.source for file in results.files] == ["run.txt"]
    assert [problem.message for problem in results.problems] == [
        "a table of benchstat; left out, since results are read from which it may be made"
    ]
