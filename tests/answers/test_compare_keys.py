"""Columns named for rows, for what is compared and for what is pooled: what each leaves of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.answers.comparison import ComparisonAnswer, comparison_study
from benchlib.cli.unsound import unsound_of
from benchlib.errors import SelectionError
from tests.synthetic import around, compared, go_text, write_texts


def recording(folder: Path, name: str, factor: float = 1.0, head: str = "goos: linux\n") -> str:
    """Write a recording of two benchmarks in two packages and two sizes; return its path."""
    texts = []
    for package, slower in (("ex/b", 1.0), ("ex/a", 1.1)):
        sizes = {f"{one}/size={size}-8": around(centre * slower * factor) for one in ("Copy", "Move")
                 for size, centre in (("4k", 100), ("512", 50))}  # fmt: skip
        texts.append(f"{head}pkg: {package}\n{go_text(sizes)}")
    return write_texts(folder, **{name: "".join(texts)})[0]


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    """Two recordings, the second a fifth slower."""
    return [recording(tmp_path, "old"), recording(tmp_path, "new", 1.2)]


def answered(*sides: str, **asked: str) -> ComparisonAnswer:
    """A comparison of times that is not refused."""
    return compared(*sides, metric="time", **asked)


def keys(answer: ComparisonAnswer) -> list[str]:
    """What names each row."""
    return [" ".join(map(str, row.key.values())) for row in answer.rows]


def residue(answer: ComparisonAnswer) -> str:
    """What cells are said to mix."""
    return next((one.message.rpartition(" of ")[2] for one in answer.caveats if one.code == "residue"), "")


BOTH = ["Copy{} ex/b", "Copy{} ex/a", "Move{} ex/b", "Move{} ex/a"]


@pytest.mark.parametrize(
    ("asked", "rows", "n", "mixed"),
    [
        ({"row": ".fullname", "ignore": "/size"}, [one.format("-8") for one in BOTH], 12, ""),
        ({"row": ".fullname", "ignore": "/size,pkg"}, ["Copy-8", "Move-8"], 24, ""),
        ({"row": ".fullname", "ignore": "/gomaxprocs, pkg"},
         ["Copy/size=4k", "Copy/size=512", "Move/size=4k", "Move/size=512"], 12, ""),
        ({"row": ".fullname,/size", "ignore": "pkg"}, ["Copy-8 4k", "Copy-8 512", "Move-8 4k", "Move-8 512"], 12, ""),
        ({"row": ".name", "ignore": "/size"}, [one.format("") for one in BOTH], 12, ""),
        ({"row": ".name"}, [one.format("") for one in BOTH], 12, "size"),
        ({"row": ".name", "ignore": ".fullname"}, [one.format("") for one in BOTH], 12, ""),
        ({"row": "/size", "ignore": "pkg,.name"}, ["4k", "512"], 24, ""),
        ({"row": "/size", "ignore": "pkg"}, ["4k", "512"], 24, "benchmark"),
        ({"row": ".config"}, ["linux ex/b", "linux ex/a"], 24, "benchmark, size"),
        ({"row": ".config", "ignore": "pkg"}, ["linux"], 48, "benchmark, size"),
        ({"row": "pkg@alpha", "ignore": ".fullname"}, ["ex/a", "ex/b"], 24, ""),
        ({"row": ".name,pkg@alpha", "ignore": "/size"},
         ["Copy ex/a", "Copy ex/b", "Move ex/a", "Move ex/b"], 12, ""),
        ({"row": ".name", "ignore": "cpu,/gomaxprocs,/size,pkg@(ex/a)"}, ["Copy", "Move"], 12, ""),
        ({"row": "goarch,.name", "ignore": "pkg,/size"}, ["Copy", "Move"], 24, ""),
        ({"ignore": "/size"}, [one.format("") for one in BOTH], 12, ""),
    ],
)  # fmt: skip
def test_what_is_ignored_makes_no_rows_and_no_residue(
    paths: list[str], asked: dict[str, str], rows: list[str], n: int, mixed: str
) -> None:
    """Keys that another option names are cut out of names and configuration; what files state parts the rest."""
    answer = answered(*paths, **asked)
    assert keys(answer) == rows
    assert {row.comparison.baseline.n for row in answer.rows} == {n}
    assert residue(answer) == mixed


@pytest.mark.parametrize(
    ("col", "pairs"),
    [
        ("/size", [("4k", "512")]),
        ("/size@num", [("512", "4k")]),
        ("/size@(512 4k)", [("512", "4k")]),
        ("pkg", [("ex/b", "ex/a")]),
        ("pkg@alpha", [("ex/a", "ex/b")]),
        ("run", [("old", "new")]),
        (".file@alpha", [("new", "old")]),
        (".file@(new old)", [("new", "old")]),
        (".file,/size@num", [("old 512", "old 4k"), ("old 512", "new 512"), ("old 512", "new 4k")]),
    ],
)
def test_the_first_in_the_order_that_is_asked_for_is_the_baseline(
    paths: list[str], col: str, pairs: list[tuple[str, str]]
) -> None:
    """As first seen, by number, by letter, or as listed."""
    answer = answered(*paths, col=col)
    assert list(dict.fromkeys((row.baseline, row.candidate) for row in answer.rows)) == pairs


def test_one_recording_in_an_order_that_is_asked_for_needs_no_named_baseline(paths: list[str]) -> None:
    """Without an order nothing tells which size was there first."""
    assert {row.baseline for row in answered(paths[0], col="/size@num").rows} == {"512"}
    with pytest.raises(SelectionError, match="no size '1M' to be a baseline; there are 4k, 512"):
        answered(paths[0], col="/size", baseline="1M")


def test_files_are_listed_by_name_or_as_they_were_given(paths: list[str], tmp_path: Path) -> None:
    """benchstat knows ``.file`` as it stands on the command; those that are not listed are no sides."""
    third = recording(tmp_path, "third", 1.4)
    for listed in (f'.file@("{third}" "{paths[0]}")', ".file@(third old)"):
        answer = answered(*paths, third, col=listed)
        assert {(row.baseline, row.candidate) for row in answer.rows} == {("third", "old")}
    with pytest.raises(SelectionError, match=r"'\.file@\(newer\)' leaves no row; \.file takes old, new"):
        answered(*paths, col=".file@(newer)")


@pytest.mark.parametrize("asked", [{"col": "/size"}, {"col": "/size", "row": ".fullname,pkg"}, {"col": "pkg,/size"}])
def test_recordings_that_are_pooled_are_named(paths: list[str], asked: dict[str, str]) -> None:
    """Two files compared over something else make one sample each: said, unless they are ignored or have rows."""
    assert residue(answered(*paths, **asked)) == "run"
    assert residue(answered(*paths, **asked, ignore=".file")) == ""
    apart = asked | {"row": f"{asked.get('row', '.fullname')},.file"}
    assert residue(answered(*paths, **apart)) == ""


def test_runs_that_repeat_each_other_are_pooled_in_silence() -> None:
    """The runs of one study are of one code; where they are compared, they are not."""
    assert residue(answered("data/onix-adapter-published", col="action", baseline="discover")) == ""
    assert residue(answered("data/lplex", col="benchmark", baseline="Encode", candidate="Decode", row="case")) == "run"


def test_an_axis_that_is_ignored_hides_no_other(tmp_path: Path) -> None:
    """Benchmark and case go together: without the one the other tells rows apart."""
    old, new = (go_text({"Copy/fast": around(factor), "Move/slow": around(2 * factor)}) for factor in (100, 120))
    paths = write_texts(tmp_path, old=old, new=new)
    assert keys(answered(*paths, ignore=".name")) == ["fast", "slow"]


def test_facts_that_differ_between_recordings_part_no_rows(tmp_path: Path) -> None:
    """benchstat has a table of one column for each; here they are compared, and what differs is said."""
    paths = [recording(tmp_path, "old"), recording(tmp_path, "new", 1.2, head="goos: darwin\n")]
    answer = answered(*paths, row=".name", ignore="/size")
    assert keys(answer) == [one.format("") for one in BOTH]
    assert "environment-differs" in {one.code for one in answer.caveats}


def test_an_axis_of_names_and_files_is_one_axis(tmp_path: Path) -> None:
    """Compared as ``/size`` it makes no rows as a part of ``.config``."""
    named = go_text({"A/size=4k": around(100), "A/size=8k": around(120)})
    text = f"goos: linux\nsize: 9k\n{go_text({'A': around(140)})}size:\n{named}"
    answer = answered(*write_texts(tmp_path, one=text), row=".config", col="/size@alpha")
    assert [(one.key, one.baseline, one.candidate) for one in answer.rows] == [
        ({"goos": "linux"}, "4k", "8k"),
        ({"goos": "linux"}, "4k", "9k"),
    ]


def test_columns_follow_what_failed(tmp_path: Path) -> None:
    """Rows with failed operations have the columns that are asked for, and the levels that lists leave in."""
    for name in ("old", "new"):
        heads = f"benchmark,size,width,metric,value,unit,errors\n{name},1,4,time,9,ns/op,0\n"
        rows = [f"Get,{size},{width},time,{10 * size + width},ns/op,0\n" for size in (1, 2) for width in (4, 8)]
        (tmp_path / f"{name}.csv").write_text(
            heads + "".join(rows) + "Get,2,8,time,9,ns/op,3\nGet,1,4,time,9,ns/op,3\n"
        )
    sides = (str(tmp_path / "old.csv"), str(tmp_path / "new.csv"))
    study = comparison_study(*sides, col="size@(2 1),width@num", row="benchmark")
    assert study.comparisons[0].baselines == ("2 4",)
    assert {one.side for one in unsound_of(study, study.comparisons).failed} == {"2 8", "1 4"}
    listed = comparison_study(*sides, col="size@(2)", baseline="2")
    assert set(listed.results.failed["size"]) == {2}


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"row": "bitz"}, "row 'bitz': no such column; there are name, benchmark, run, source, "),
        ({"row": "/bitz"}, "row '/bitz': no such column; "),
        ({"col": "cpu"}, "col 'cpu': no such column; there are name, benchmark, run, source, "),
        ({"row": "pkg", "col": "pkg"}, "'pkg' makes rows and is compared; name it for one of them"),
        (
            {"row": ".config", "ignore": "goos,pkg"},
            "row '.config': files state nothing that no other key names; there are name, ",
        ),
        ({"row": ".config@(linux)"}, "row '.config@(…)': a list orders the values of one key; name that key"),
    ],
)
def test_what_cannot_be_meant_is_refused(paths: list[str], asked: dict[str, str], message: str) -> None:
    """With what there is."""
    with pytest.raises(SelectionError) as caught:
        answered(*paths, **asked)
    assert str(caught.value).startswith(message)
