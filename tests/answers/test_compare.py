"""Recordings compared on the spot: names of sides, columns, baselines, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.answers.asking import Refusal
from benchlib.answers.comparison import compare, comparison_study
from benchlib.answers.sides import read_side
from benchlib.errors import BenchlibError, DataError, InputError, SelectionError
from tests.synthetic import around, compared, go_text, write_texts

HEAVY = "data/heavy-read-api-published"


def recordings(folder: Path, **sides: float) -> list[str]:
    """Write one recording a name, of two benchmarks scaled by its factor; return their paths."""
    times = {
        name: {"Encode/size=9k": around(100 * factor), "Encode/size=10k": around(200 * factor)}
        for name, factor in sides.items()
    }
    return write_texts(folder, **{name: go_text(own) for name, own in times.items()})


# Names of sides.


def test_the_first_recording_is_the_baseline(tmp_path: Path) -> None:
    """Each of the others is held against it, under the names of their files."""
    answer = compared(*recordings(tmp_path, old=1.0, new=1.5, newer=2.0), metric="time")
    assert [(row.baseline, row.candidate) for row in answer.rows] == [("old", "new")] * 2 + [("old", "newer")] * 2
    assert [row.comparison.ratio.value for row in answer.rows] == pytest.approx([1.5, 1.5, 2, 2])
    assert [side.name for side in answer.sides] == ["old", "new", "newer"]
    assert {row.verdict for row in answer.rows} == {"worse"}


def test_sides_may_be_named(tmp_path: Path) -> None:
    """As in ``name=path``; the same name twice pools what it names."""
    old, new, newer = recordings(tmp_path, old=1.0, new=1.5, newer=1.5)
    answer = compared(f"before={old}", f"after={new}", f"after={newer}", metric="time")
    assert {(row.baseline, row.candidate) for row in answer.rows} == {("before", "after")}
    assert {row.comparison.candidate.n for row in answer.rows} == {12}
    assert answer.sides[1].files == ("new.txt", "newer.txt")


def test_a_path_that_is_there_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An equals sign in the name of a file names no side."""
    monkeypatch.chdir(tmp_path)
    Path("run=1.txt").touch()
    assert read_side("run=1.txt") == ("", "run=1.txt")
    assert read_side("run=2.txt") == ("run", "2.txt")


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    """a/results.txt and b/results.txt are a and b, in names and in evidence."""
    paths = []
    for name, factor in (("a", 1.0), ("b", 1.5)):
        (tmp_path / name).mkdir()
        paths += write_texts(tmp_path / name, results=go_text({"Encode": around(100 * factor)}))
    answer = compared(*paths, metric="time")
    assert [side.name for side in answer.sides] == ["a/results", "b/results"]
    assert answer.rows[0].evidence.rows == ("a/results/results.txt:1-6", "b/results/results.txt:1-6")


def test_files_of_no_run_are_no_side(tmp_path: Path) -> None:
    """What the path template does not match is offered to nobody."""
    (tmp_path / "study.toml").write_text('[configuration]\npaths = ["run_{run}.txt"]\n', encoding="utf-8")
    recordings(tmp_path, run_old=1.0, run_new=1.5, stray=9.0)
    answer = compared(str(tmp_path), col="run", baseline="old", metric="time")
    assert {(row.baseline, row.candidate) for row in answer.rows} == {("old", "new")}


def test_a_study_keeps_its_plans() -> None:
    """Without a column all comparisons of a study are made, with what is asked for laid over."""
    study = comparison_study(HEAVY, metric="latency_p99", interleaved=True)
    assert [plan.name for plan in study.comparisons] == ["local cache against Redis", "gateway against direct"]
    assert {(plan.metrics, plan.sequential) for plan in study.comparisons} == {(("latency_p99",), False)}


# Order of recording.


def text_of(side: str, times: dict[str, list[float]]) -> str:
    return f"commit: {side}\n{go_text(times)}"


def test_the_order_is_read_from_a_common_file(tmp_path: Path) -> None:
    """Rounds of base and head in one file were recorded in turn; one block after the other were not."""
    old, new = around(100), around(150)
    turns = [
        text_of(side, {"Encode": [times[turn]]}) for turn in range(6) for side, times in (("base", old), ("head", new))
    ]
    blocks = [text_of(side, {"Encode": times}) for side, times in (("base", old), ("head", new))]
    paths = write_texts(tmp_path, rounds="".join(turns), blocks="".join(blocks))
    in_turn, apart = (compared(path, col="commit", baseline="base", metric="time") for path in paths)
    assert (in_turn.order, apart.order) == ("interleaved", "sequential")
    assert {answer.rows[0].verdict for answer in (in_turn, apart)} == {"worse"}
    assert "sequential-runs" in {caveat.code for caveat in apart.caveats}
    assert not {"sequential-runs", "order-unknown"} & {caveat.code for caveat in in_turn.caveats}


@pytest.mark.parametrize(("stated", "order"), [(None, "unknown"), (True, "interleaved"), (False, "sequential")])
def test_two_files_do_not_tell_their_order(tmp_path: Path, stated: bool | None, order: str) -> None:
    """Unless the user does."""
    assert compared(*recordings(tmp_path, old=1.0, new=1.5), interleaved=stated).order == order


def test_order_is_told_row_by_row(tmp_path: Path) -> None:
    """Ten benchmarks in rounds, ten in blocks, all slower by a fifth: rounds tell the code, blocks do not."""
    sides = (("base", around(100)), ("head", around(120)))
    rounds = [
        text_of(side, {f"R{row}": [times[turn]] for row in range(10)}) for turn in range(6) for side, times in sides
    ]
    blocks = [text_of(side, {f"B{row}": times for row in range(10)}) for side, times in sides]
    [path] = write_texts(tmp_path, both="".join(rounds + blocks))
    answer = compared(path, col="commit", baseline="base", metric="time")
    assert {(row.key["benchmark"][0], row.verdict) for row in answer.rows} == {("R", "worse"), ("B", "cannot tell")}
    assert answer.order == "sequential"


def test_levels_of_an_axis_may_all_differ_one_way(tmp_path: Path) -> None:
    """Ten benchmarks, each slower for larger inputs, in one file: that is what larger inputs do."""
    names = {f"B{row}/size={size}": around(cost) for row in range(10) for size, cost in ((1, 100), (2, 200))}
    [path] = write_texts(tmp_path, sizes=go_text(names))
    answer = compared(path, col="size", baseline="1", metric="time")
    assert {row.verdict for row in answer.rows} == {"worse"}
    assert "all-moved-alike" not in {caveat.code for caveat in answer.caveats}


# What is refused.

REFUSED = [
    ({"col": "endpint"}, SelectionError, "col 'endpint': no such column; did you mean 'endpoint'?"),
    ({"col": "endpoint"}, DataError, "which endpoint is the baseline? name one: "),
    ({"col": "endpoint", "baseline": "pots"}, SelectionError, "no endpoint 'pots' to be a baseline; did you mean"),
    ({"col": "gateway", "baseline": "direct", "candidate": "direct"}, SelectionError, "'direct' is both baseline"),
    ({"col": "gateway", "baseline": "direct", "metric": "tme"}, SelectionError, "no metric 'tme'"),
    ({"col": "gateway", "baseline": "direct", "controls": "endpoint=x"}, SelectionError, "'endpoint=x' selects no row"),
    ({"col": "gateway", "baseline": "direct", "controls": " for a=b"}, SelectionError, "a control is empty"),
    ({"col": "gateway", "baseline": "direct", "min_effect": 2}, DataError, "the smallest effect 2 is not from 0"),
    ({"col": "gateway", "baseline": "direct", "significance_level": 5}, DataError, "significance level 5 is not"),
    ({}, DataError, "heavy-read-api-published asks several comparisons"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "kind", "message"), REFUSED)
def test_what_cannot_be_meant_is_refused_in_one_line(
    asked: dict[str, object], kind: type[BenchlibError], message: str
) -> None:
    """With what there is."""
    with pytest.raises(kind) as caught:
        compare(HEAVY, **asked)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_fewer_than_two_recordings_are_refused(tmp_path: Path) -> None:
    """A second is asked for, or a column; those that vary are named. The same bytes by another name are no second."""
    with pytest.raises(DataError, match="nothing to compare; name two recordings, or one and a column"):
        compare()
    (path,) = recordings(tmp_path, old=1.0)
    with pytest.raises(DataError) as caught:
        compare(path)
    assert str(caught.value) == "old.txt is one recording; name a second, or a column to compare with --col: size"
    (tmp_path / "copy.txt").write_bytes(Path(path).read_bytes())
    for second in ("old.txt", "copy.txt"):
        with pytest.raises(InputError, match=r"are the same recording \(old.txt and .* hold the same bytes\)"):
            compare(f"a={path}", f"b={tmp_path / second}")


# Which benchmarks are one, and what one side lacks.


def test_axes_that_one_side_lacks_make_no_trouble(tmp_path: Path) -> None:
    """A machine fact that only new states does not part the rows."""
    (old, new) = recordings(tmp_path, old=1.0, new=1.5)
    Path(new).write_text("goos: linux\ncpu: M5\n" + Path(new).read_text(encoding="utf-8"), encoding="utf-8")
    answer = compared(old, new, metric="time")
    assert len(answer.rows) == 2
    assert answer.sides[1].machine == {"goos": "linux", "cpu": "M5"}


def test_a_run_that_names_tell_apart_is_no_repeat(tmp_path: Path) -> None:
    """``/run=7`` and ``/run=8`` are two benchmarks, as benchstat has them; only the second changed."""
    old, new = ({"A/run=7": around(100), "A/run=8": around(500 * factor)} for factor in (1.0, 1.2))
    rows = compared(*write_texts(tmp_path, old=go_text(old), new=go_text(new)), metric="time").rows
    verdicts = {row.key["run_axis"]: (row.verdict, row.comparison.baseline.n) for row in rows}
    assert verdicts == {"7": ("same", 6), "8": ("worse", 6)}


def test_counts_of_a_control_are_judged(tmp_path: Path) -> None:
    """No machine turns 0 allocations into 1: the change has reached the control."""
    old, new = (go_text({"Control": around(100)}, allocations=count) + go_text({"B": around(100)}) for count in (0, 1))
    answer = compared(*write_texts(tmp_path, old=old, new=new), controls="benchmark=Control", metric="time,allocations")
    rows = {row.metric: (row.verdict, row.control) for row in answer.rows if row.key["benchmark"] == "Control"}
    assert rows["allocations"] == ("worse", False)
    assert rows["time"][1]


def packaged(folder: Path, **sides: dict[str, str]) -> list[str]:
    """Write a recording a name: its packages, and their benchmarks of a letter each."""
    texts = {
        name: "".join(
            go_text({letter: around(100 + place) for letter in letters}, package=package)
            for package, letters in packages.items()
        )
        for place, (name, packages) in enumerate(sides.items())
    }
    return write_texts(folder, **texts)


@pytest.mark.parametrize("asked", [{}, {"row": "benchmark"}, {"row": "name"}])
def test_benchmarks_of_different_packages_are_not_compared(tmp_path: Path, asked: dict[str, str]) -> None:
    """They have a name in common and nothing else, as benchstat's tables have it; ignored, the package is no bar."""
    paths = packaged(tmp_path, old={"ex/q": "AB"}, new={"ex/p": "AB"})
    refused = compare(*paths, **asked)  # type: ignore[arg-type]
    assert isinstance(refused, Refusal)
    assert refused.reason == "the sides share no benchmark, because they share no package: old has ex/q; new has ex/p"
    assert len(compared(*paths, metric="time", ignore="pkg", **asked).rows) == 2


def test_a_benchmark_that_moved_to_another_package_is_another(tmp_path: Path) -> None:
    """A stayed in its package and is compared; B is in another one on each side."""
    paths = packaged(tmp_path, old={"ex/p": "A", "ex/q": "B"}, new={"ex/p": "AB"})
    answer = compared(*paths, metric="time")
    assert [row.key for row in answer.rows] == [{"benchmark": "A", "pkg": "ex/p"}]
    assert answer.missing == ("B, pkg ex/q only in old", "B, pkg ex/p only in new")
    assert answer.uncompared == ("1 benchmark only in old", "1 benchmark only in new")


def test_a_side_that_states_no_package_is_not_held_to_be_of_another(tmp_path: Path) -> None:
    """A log whose header was cut off is compared all the same."""
    old, new = *packaged(tmp_path, old={"ex/p": "AB"}), *write_texts(tmp_path, new=go_text({"A": around(100)}))
    assert [row.key["benchmark"] for row in compared(old, new, metric="time").rows] == ["A"]


def test_levels_may_stand_in_packages_of_their_own(tmp_path: Path) -> None:
    """Packages and benchmarks can be what is compared."""
    first, second = packaged(tmp_path, first={"ex/p": "A", "ex/q": "A"}, second={"ex/p": "A", "ex/q": "B"})
    assert [row.key for row in compared(first, col="pkg", baseline="ex/p", metric="time").rows] == [{"benchmark": "A"}]
    assert len(compared(second, col="benchmark", baseline="A", metric="time").rows) == 1


A, B, C = (f"Benchmark{name} 1 5 ns/op\n" for name in "ABC")
#: What the sides hold -> what is missing, and the same counted in a few words.
LACKING = {
    "a benchmark": (A, A + B, ("B only in new",), ("1 benchmark only in new",)),
    "two benchmarks": (A + B + C, A, ("B only in old", "C only in old"), ("2 benchmarks only in old",)),
    "one each way": (
        A + B, A + C, ("B only in old", "C only in new"), ("1 benchmark only in old", "1 benchmark only in new"),
    ),
    "a cell of one": (
        "BenchmarkA/size=1 1 5 ns/op\n", "BenchmarkA/size=1 1 5 ns/op\nBenchmarkA/size=2 1 5 ns/op\n",
        ("A, size 2 only in new",), ("1 configuration only in new",),
    ),
    "a metric": (
        A, "BenchmarkA 1 5 ns/op 7 B/op\n", ("A: memory only in new",), ("1 benchmark has memory only in new",),
    ),
    "another metric": (
        "BenchmarkA 1 5 ns/op 3 B/op\n", "BenchmarkA 1 5 widgets 3 B/op\n",
        ("A: time only in old", "A: widgets only in new"), ("1 benchmark has time in old, widgets in new",),
    ),
    "another unit": (
        "benchmark,metric,value,unit\nA,throughput,5,req/sec\nA,time,5,ns/op\n",
        "benchmark,metric,value,unit\nA,throughput,5,msg/sec\nA,time,5,ns/op\n",
        ("A: throughput is in req/sec and in msg/sec",),
        ("1 benchmark has throughput in req/sec in old, in msg/sec in new",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", LACKING)
def test_what_one_side_lacks_is_named_and_counted(tmp_path: Path, what: str) -> None:
    """The whole benchmark, one cell of it, one metric; nothing is converted that nobody knows how to convert."""
    old, new, missing, counted = LACKING[what]
    answer = compared(*write_texts(tmp_path, old=old, new=new))
    assert (answer.missing, answer.uncompared) == (missing, counted)


def test_of_several_sides_the_one_that_lacks_a_benchmark_is_named(tmp_path: Path) -> None:
    """B stands in old and new, and not in newer."""
    answer = compared(*packaged(tmp_path, old={"ex/p": "AB"}, new={"ex/p": "AB"}, newer={"ex/p": "A"}))
    assert (answer.missing, answer.uncompared) == (("B not in newer",), ("1 benchmark not in newer",))
