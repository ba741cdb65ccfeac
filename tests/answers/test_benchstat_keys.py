"""Keys of benchstat over a frame: what they mean, in what order their values stand, what is cut out of what."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest

from benchlib.answers.benchstat_keys import Projection, parse_keys, project_together
from benchlib.errors import SelectionError
from benchlib.formats import load

LOG = """goos: linux
pkg: ex/b
BenchmarkCopy/size=4k/fast-16 1 5 ns/op
BenchmarkCopy/size=512-16 1 5 ns/op
pkg: ex/a
BenchmarkCopy/size=1Mi 1 5 ns/op
BenchmarkMove-4 1 5 ns/op
"""


def project(frame: pd.DataFrame, keys: str, *, made_of_names: Sequence[str] = ()) -> Projection:
    """Tell the rows of a frame apart by keys alone."""
    return project_together(frame, table="", row=keys, column="", ignore="", made_of_names=made_of_names).row


@pytest.fixture
def frame(tmp_path: Path) -> pd.DataFrame:
    """Four results in two packages."""
    (tmp_path / "log.txt").write_text(LOG, encoding="utf-8")
    return load(tmp_path / "log.txt").frame


@pytest.mark.parametrize(
    ("keys", "labels", "codes"),
    [
        (".name", ("Copy", "Move"), [0, 0, 0, 1]),
        (".fullname", ("Copy/size=4k/fast-16", "Copy/size=512-16", "Copy/size=1Mi", "Move-4"), [0, 1, 2, 3]),
        ("name", ("Copy/size=4k/fast-16", "Copy/size=512-16", "Copy/size=1Mi", "Move-4"), [0, 1, 2, 3]),
        ("benchmark", ("Copy", "Move"), [0, 0, 0, 1]),
        ("/size", ("4k", "512", "1Mi", ""), [0, 1, 2, 3]),
        ("/size@num", ("512", "4k", "1Mi", ""), [1, 0, 2, 3]),
        ("/size@alpha", ("", "1Mi", "4k", "512"), [2, 3, 1, 0]),
        ("/size@(1Mi 4k)", ("1Mi", "4k"), [1, -1, 0, -1]),
        ("size@num", ("512", "4k", "1Mi", ""), [1, 0, 2, 3]),
        ("/gomaxprocs@num", ("4", "16", ""), [1, 1, 2, 0]),
        ("gomaxprocs@num", ("4", "16", ""), [1, 1, 2, 0]),
        ("case", ("fast", ""), [0, 1, 1, 1]),
        ("pkg", ("ex/b", "ex/a"), [0, 0, 1, 1]),
        ("pkg@alpha .name", ("ex/a Copy", "ex/a Move", "ex/b Copy"), [2, 2, 0, 1]),
        (".config", ("linux ex/a", "linux ex/b"), [1, 1, 0, 0]),
        ("cpu", ("",), [0, 0, 0, 0]),
        ("", ("",), [0, 0, 0, 0]),
    ],
)
def test_keys_tell_rows_apart(frame: pd.DataFrame, keys: str, labels: tuple[str, ...], codes: list[int]) -> None:
    """Names and configuration lines, in order of appearance, by letter, by number, or as listed."""
    found = project(frame, keys)
    assert (found.labels, found.codes.tolist()) == (labels, codes)


def test_specific_keys_are_cut_out_of_the_others(frame: pd.DataFrame) -> None:
    """What rows and columns name is left out of the full name and the configuration; what is ignored too."""
    found = project_together(frame, table=".config", row=".fullname", column="pkg", ignore="/size,/gomaxprocs")
    assert found.table.fields == ("goos",)
    assert found.row.labels == ("Copy/fast", "Copy", "Move")
    assert found.residue == ()


def test_an_axis_that_names_state_is_cut_out_of_them(frame: pd.DataFrame) -> None:
    """``size`` is ``/size`` where no file has such a line; ``case`` is what no key states."""
    found = project_together(frame, table=".config", row=".fullname", column="size,case", ignore="")
    assert found.row.labels == ("Copy-16", "Copy", "Move-4")


def test_what_no_projection_names_is_left(frame: pd.DataFrame) -> None:
    """The rest of the names without their base, and every key of the configuration."""
    found = project_together(frame, table="", row=".name", column=".file", ignore="goos")
    assert [name for name, _ in found.residue] == ["pkg", ".fullname"]
    assert found.residue[1][1].levels == ("*/size=4k/fast-16", "*/size=512-16", "*/size=1Mi", "*-4")


def test_axes_of_a_template_are_no_configuration(frame: pd.DataFrame) -> None:
    """A study that takes ``kind`` out of names says so."""
    taken = frame.assign(kind=["a", "b", "c", "d"])
    assert project(taken, ".config").fields == ("goos", "pkg", "kind")
    assert project(taken, ".config", made_of_names=["kind"]).fields == ("goos", "pkg")


def test_the_order_of_rows_decides_only_what_is_first_seen(frame: pd.DataFrame) -> None:
    """Codes travel with their rows where an order is asked for."""
    turned = frame.iloc[::-1]
    one, other = project(frame, "/size@num,pkg@alpha"), project(turned, "/size@num,pkg@alpha")
    assert one.labels == other.labels
    assert one.codes.tolist() == other.codes[::-1].tolist()
    assert project(turned, "pkg").labels == ("ex/a", "ex/b")


def test_numbers_stand_as_benchstat_reads_them() -> None:
    """Prefixes, infinities, hexadecimal; NaN after all numbers, what is none after it, by letter."""
    names = ["1k", "1Ki", "999", "1kb", "0x1p4", "-inf", "nan", "x", "1_0", "1e400", "2", "+inf", "1.5M"]
    frame = pd.DataFrame({"name": [f"A/v={one}" for one in names]})
    assert project(frame, "/v@num").labels == (
        "-inf", "2", "0x1p4", "999", "1k", "1kb", "1Ki", "1.5M", "+inf", "nan", "1_0", "1e400", "x",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (",a", "--row ',a': expected a key, found ','"),
        ("a,", "--row 'a,': expected a key, found the end"),
        ("a@", "--row 'a@': expected an order, found the end"),
        ("a@(", "--row 'a@(': expected a value of the order, found the end"),
        ("a@()", "--row 'a@()': expected a value of the order, found ')'"),
        ("-a", "--row '-a': expected a key, found '-'"),
        ("a OR b", "--row 'a OR b': expected a key, found 'OR'"),
        ('"a', "--row '\"a': a quote is left open"),
        ('""', "--row '\"\"': a quoted word is empty"),
    ],
)
def test_what_is_no_projection_is_refused(text: str, message: str) -> None:
    """With what was found, and how it is written."""
    with pytest.raises(SelectionError) as caught:
        parse_keys(text, "--row")
    accepted = "write keys such as .fullname, /size@num, pkg or run@(old new), parted by commas"
    assert str(caught.value) == f"{message}; {accepted}"


def test_words_may_be_quoted() -> None:
    """As Go strings are."""
    [key] = parse_keys(r'".file"@("a b" "say \"c\"")')
    assert (key.name, key.fixed) == (".file", ("a b", 'say "c"'))


def test_lists_that_together_leave_nothing_are_refused(frame: pd.DataFrame) -> None:
    """Each of them leaves something; benchstat writes nothing then, without a word."""
    with pytest.raises(SelectionError) as caught:
        project(frame, "pkg@(ex/a),/size@(4k)")
    assert str(caught.value) == (
        "'/size@(4k)' leaves no row, of those that lists before it leave; /size takes 4k, 512, 1Mi"
    )
