"""Recordings compared on the spot: names of sides, columns, baselines, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.answers.asking import Refusal
from benchlib.answers.comparison import ComparisonAnswer, compare, comparison_study
from benchlib.answers.sides import read_side
from benchlib.errors import BenchlibError, DataError, InputError, SelectionError
from tests.synthetic import around, go_text

HEAVY = "data/heavy-read-api-published"


def recordings(folder: Path, **sides: float) -> list[str]:
    """Write one recording a name, of two benchmarks scaled by its factor; return their paths."""
    paths = []
    for name, factor in sides.items():
        path = folder / f"{name}.txt"
        text = go_text({"Encode/size=9k": around(100 * factor), "Encode/size=10k": around(200 * factor)})
        path.write_text(text, encoding="utf-8")
        paths.append(str(path))
    return paths


def answered(*sides: object, **asked: object) -> ComparisonAnswer:
    """A comparison that is not refused."""
    found = compare(*sides, **asked)  # type: ignore[arg-type]
    assert isinstance(found, ComparisonAnswer)
    return found


def test_the_first_recording_is_the_baseline(tmp_path: Path) -> None:
    """Each of the others is held against it, under the names of their files."""
    answer = answered(*recordings(tmp_path, old=1.0, new=1.5, newer=2.0), metric="time")
    assert [(row.baseline, row.candidate) for row in answer.rows] == [("old", "new")] * 2 + [("old", "newer")] * 2
    assert [row.comparison.ratio.value for row in answer.rows] == pytest.approx([1.5, 1.5, 2, 2])
    assert [one.name for one in answer.sides] == ["old", "new", "newer"]
    assert {row.verdict for row in answer.rows} == {"worse"}


def test_sides_may_be_named(tmp_path: Path) -> None:
    """As in ``name=path``; the same name twice pools what it names."""
    old, new, newer = recordings(tmp_path, old=1.0, new=1.5, newer=1.5)
    answer = answered(f"before={old}", f"after={new}", f"after={newer}", metric="time")
    assert {(row.baseline, row.candidate) for row in answer.rows} == {("before", "after")}
    assert {row.comparison.candidate.n for row in answer.rows} == {12}
    assert answer.sides[1].files == ("new.txt", "newer.txt")


def test_a_path_that_is_there_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An equals sign in the name of a file names no side."""
    monkeypatch.chdir(tmp_path)
    Path("run=1.txt").write_text("", encoding="utf-8")
    assert read_side("run=1.txt") == ("", "run=1.txt")
    assert read_side("run=2.txt") == ("run", "2.txt")


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    """a/results.txt and b/results.txt are a and b, in names and in evidence."""
    paths = []
    for name, factor in (("a", 1.0), ("b", 1.5)):
        (tmp_path / name).mkdir()
        path = tmp_path / name / "results.txt"
        path.write_text(go_text({"Encode": around(100 * factor)}), encoding="utf-8")
        paths.append(str(path))
    answer = answered(*paths, metric="time")
    assert [one.name for one in answer.sides] == ["a/results", "b/results"]
    assert answer.rows[0].evidence.rows == ("a/results/results.txt:1-6", "b/results/results.txt:1-6")


def test_axes_that_one_side_lacks_make_no_trouble(tmp_path: Path) -> None:
    """A machine fact that only new states does not part the rows."""
    (old, new) = recordings(tmp_path, old=1.0, new=1.5)
    Path(new).write_text("goos: linux\ncpu: M5\n" + Path(new).read_text(encoding="utf-8"), encoding="utf-8")
    answer = answered(old, new, metric="time")
    assert len(answer.rows) == 2
    assert answer.sides[1].machine == {"goos": "linux", "cpu": "M5"}


def test_the_order_is_read_from_a_common_file(tmp_path: Path) -> None:
    """Rounds of base and head in one file were recorded in turn; one block after the other were not."""
    rounds = tmp_path / "rounds.txt"
    old, new = around(100), around(150)
    turns = [
        f"commit: {side}\n{go_text({'Encode': [times[turn]]})}"
        for turn in range(6)
        for side, times in (("base", old), ("head", new))
    ]
    rounds.write_text("".join(turns), encoding="utf-8")
    blocks = tmp_path / "blocks.txt"
    parts = (f"commit: {side}\n{go_text({'Encode': times})}" for side, times in (("base", old), ("head", new)))
    blocks.write_text("".join(parts), encoding="utf-8")
    found = {one: answered(str(one), col="commit", baseline="base", metric="time") for one in (rounds, blocks)}
    assert (found[rounds].order, found[blocks].order) == ("interleaved", "sequential")
    assert {one.rows[0].verdict for one in found.values()} == {"worse"}
    assert "sequential-runs" in {one.code for one in found[blocks].caveats}
    assert not {"sequential-runs", "order-unknown"} & {one.code for one in found[rounds].caveats}


def test_two_files_do_not_tell_their_order(tmp_path: Path) -> None:
    """Unless the user does."""
    paths = recordings(tmp_path, old=1.0, new=1.5)
    assert answered(*paths).order == "unknown"
    assert answered(*paths, interleaved=True).order == "interleaved"
    assert answered(*paths, interleaved=False).order == "sequential"


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


def test_one_recording_alone_is_refused(tmp_path: Path) -> None:
    """A second is asked for, or a column; those that vary are named."""
    (path,) = recordings(tmp_path, old=1.0)
    with pytest.raises(DataError) as caught:
        compare(path)
    assert str(caught.value) == ("old.txt is one recording; name a second, or a column to compare with --col: size")


@pytest.mark.parametrize("second", ["old.txt", "copy.txt"])
def test_the_same_recording_twice_is_refused(tmp_path: Path, second: str) -> None:
    """By another name too: its bytes are the same."""
    (path,) = recordings(tmp_path, old=1.0)
    (tmp_path / "copy.txt").write_bytes(Path(path).read_bytes())
    with pytest.raises(InputError, match=r"are the same recording \(old.txt and .* hold the same bytes\)"):
        compare(f"a={path}", f"b={tmp_path / second}")


def test_nothing_is_refused() -> None:
    """No side, no comparison."""
    with pytest.raises(DataError, match="nothing to compare; name two recordings, or one and a column"):
        compare()


def test_a_study_keeps_its_plans() -> None:
    """Without a column all comparisons of a study are made, with what is asked for laid over."""
    study = comparison_study(HEAVY, metric="latency_p99", interleaved=True)
    assert [one.name for one in study.comparisons] == ["local cache against Redis", "gateway against direct"]
    assert {one.metrics for one in study.comparisons} == {("latency_p99",)}
    assert {one.sequential for one in study.comparisons} == {False}


def test_a_run_that_names_tell_apart_is_no_repeat(tmp_path: Path) -> None:
    """``/run=7`` and ``/run=8`` are two benchmarks, as benchstat has them; only the second changed."""
    paths = []
    for name, factor in (("old", 1.0), ("new", 1.2)):
        path = tmp_path / f"{name}.txt"
        path.write_text(go_text({"A/run=7": around(100), "A/run=8": around(500 * factor)}), encoding="utf-8")
        paths.append(str(path))
    found = {row.key["run_axis"]: row for row in answered(*paths, metric="time").rows}
    assert {level: (row.verdict, row.comparison.baseline.n) for level, row in found.items()} == {
        "7": ("same", 6),
        "8": ("worse", 6),
    }


def test_files_of_no_run_are_no_side(tmp_path: Path) -> None:
    """What the path template does not match is offered to nobody."""
    (tmp_path / "study.toml").write_text('[configuration]\npaths = ["run_{run}.txt"]\n', encoding="utf-8")
    for name, factor in (("run_old", 1.0), ("run_new", 1.5), ("stray", 9.0)):
        (tmp_path / f"{name}.txt").write_text(go_text({"A": around(100 * factor)}), encoding="utf-8")
    answer = answered(str(tmp_path), col="run", baseline="old", metric="time")
    assert [(row.baseline, row.candidate) for row in answer.rows] == [("old", "new")]


def test_counts_of_a_control_are_judged(tmp_path: Path) -> None:
    """No machine turns 0 allocations into 1: the change has reached the control."""
    paths = []
    for name, allocations in (("old", 0), ("new", 1)):
        path = tmp_path / f"{name}.txt"
        path.write_text(
            go_text({"Control": around(100)}, allocations=allocations) + go_text({"B": around(100)}),
            encoding="utf-8",
        )
        paths.append(str(path))
    answer = answered(*paths, controls="benchmark=Control", metric="time,allocations")
    found = {(row.key["benchmark"], row.metric): (row.verdict, row.control) for row in answer.rows}
    assert found["Control", "allocations"] == ("worse", False)
    assert found["Control", "time"][1]


def test_order_is_told_row_by_row(tmp_path: Path) -> None:
    """Ten benchmarks in rounds, ten in blocks, all slower by a fifth: rounds tell the code, blocks do not."""
    rounds = {f"R{one}": (around(100), around(120)) for one in range(10)}
    blocks = {f"B{one}": (around(100), around(120)) for one in range(10)}
    text = "".join(
        f"commit: {side}\n" + go_text({name: [times[place][turn]] for name, times in rounds.items()})
        for turn in range(6)
        for place, side in enumerate(("base", "head"))
    )
    text += "".join(
        f"commit: {side}\n" + go_text({name: times[place] for name, times in blocks.items()})
        for place, side in enumerate(("base", "head"))
    )
    path = tmp_path / "both.txt"
    path.write_text(text, encoding="utf-8")
    answer = answered(str(path), col="commit", baseline="base", metric="time")
    found = {name[0]: {row.verdict for row in answer.rows if row.key["benchmark"] == name} for name in ("R0", "B0")}
    assert found == {"R": {"worse"}, "B": {"cannot tell"}}
    assert answer.order == "sequential"


def test_levels_of_an_axis_may_all_differ_one_way(tmp_path: Path) -> None:
    """Ten benchmarks, each slower for larger inputs, in one file: that is what larger inputs do."""
    names = {f"B{one}/size={size}": around(cost) for one in range(10) for size, cost in ((1, 100), (2, 200))}
    path = tmp_path / "sizes.txt"
    path.write_text(go_text(names), encoding="utf-8")
    answer = answered(str(path), col="size", baseline="1", metric="time")
    assert {row.verdict for row in answer.rows} == {"worse"}
    assert "all-moved-alike" not in {one.code for one in answer.caveats}


def packaged(folder: Path, **sides: tuple[tuple[str, str], ...]) -> list[str]:
    """Write a recording a name: packages, and their benchmarks of a letter each."""
    paths = []
    for place, (name, packages) in enumerate(sides.items()):
        path = folder / f"{name}.txt"
        text = "".join(
            go_text({one: around(100 + place) for one in benchmarks}, package=package)
            for package, benchmarks in packages
        )
        path.write_text(text, encoding="utf-8")
        paths.append(str(path))
    return paths


@pytest.mark.parametrize("asked", [{}, {"row": "benchmark"}, {"row": "name"}])
def test_benchmarks_of_different_packages_are_not_compared(tmp_path: Path, asked: dict[str, str]) -> None:
    """They have a name in common and nothing else, as benchstat's tables have it; ignored, the package is no bar."""
    paths = packaged(tmp_path, old=(("ex/q", "AB"),), new=(("ex/p", "AB"),))
    refused = compare(*paths, **asked)  # type: ignore[arg-type]
    assert isinstance(refused, Refusal)
    assert refused.reason == ("the sides share no benchmark, because they share no package: old has ex/q; new has ex/p")
    assert len(answered(*paths, metric="time", ignore="pkg", **asked).rows) == 2


def test_a_benchmark_that_moved_to_another_package_is_another(tmp_path: Path) -> None:
    """A stayed in its package and is compared; B is in another one on each side."""
    paths = packaged(tmp_path, old=(("ex/p", "A"), ("ex/q", "B")), new=(("ex/p", "AB"),))
    answer = answered(*paths, metric="time")
    assert [row.key for row in answer.rows] == [{"benchmark": "A", "pkg": "ex/p"}]
    assert answer.missing == ("B, pkg ex/q only in old", "B, pkg ex/p only in new")
    assert answer.uncompared == ("1 benchmark only in old", "1 benchmark only in new")


def test_a_side_that_states_no_package_is_not_held_to_be_of_another(tmp_path: Path) -> None:
    """A log whose header was cut off is compared all the same."""
    (old,) = packaged(tmp_path, old=(("ex/p", "AB"),))
    new = tmp_path / "new.txt"
    new.write_text("".join(f"BenchmarkA 1 {value} ns/op\n" for value in around(100)), encoding="utf-8")
    assert [row.key["benchmark"] for row in answered(old, str(new), metric="time").rows] == ["A"]


def test_levels_may_stand_in_packages_of_their_own(tmp_path: Path) -> None:
    """Packages and benchmarks can be what is compared."""
    (one,) = packaged(tmp_path, one=(("ex/p", "A"), ("ex/q", "A")))
    assert [row.key for row in answered(one, col="pkg", baseline="ex/p", metric="time").rows] == [{"benchmark": "A"}]
    (two,) = packaged(tmp_path, two=(("ex/p", "A"), ("ex/q", "B")))
    assert len(answered(two, col="benchmark", baseline="A", metric="time").rows) == 1


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
    (tmp_path / "old.txt").write_text(old, encoding="utf-8")
    (tmp_path / "new.txt").write_text(new, encoding="utf-8")
    answer = answered(str(tmp_path / "old.txt"), str(tmp_path / "new.txt"))
    assert (answer.missing, answer.uncompared) == (missing, counted)


def test_of_several_sides_the_one_that_lacks_a_benchmark_is_named(tmp_path: Path) -> None:
    """B stands in old and new, and not in newer."""
    sides = {"old": (("ex/p", "AB"),), "new": (("ex/p", "AB"),), "newer": (("ex/p", "A"),)}
    answer = answered(*packaged(tmp_path, **sides))
    assert (answer.missing, answer.uncompared) == (("B not in newer",), ("1 benchmark not in newer",))
