"""Recordings compared on the spot: names of sides, columns, baselines, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchlib
from benchlib.answers.comparison import ComparisonAnswer, compare, comparison_study
from benchlib.answers.refusal import Refusal
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


def test_another_baseline_may_be_named(tmp_path: Path) -> None:
    """By the name of its side."""
    paths = recordings(tmp_path, old=1.0, new=1.5)
    answer = answered(*paths, baseline="new", metric="time")
    assert {(row.baseline, row.candidate, row.verdict) for row in answer.rows} == {("new", "old", "better")}


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


def test_studies_are_sides(tmp_path: Path) -> None:
    """Opened before, and taken under their names."""
    old, new = (benchlib.open_study(one) for one in recordings(tmp_path, old=1.0, new=1.5))
    assert {row.verdict for row in answered(old, new, metric="time").rows} == {"worse"}


def test_axes_that_one_side_lacks_make_no_trouble(tmp_path: Path) -> None:
    """A machine fact that only new states does not part the rows."""
    (old, new) = recordings(tmp_path, old=1.0, new=1.5)
    Path(new).write_text("goos: linux\ncpu: M5\n" + Path(new).read_text(encoding="utf-8"), encoding="utf-8")
    answer = answered(old, new, metric="time")
    assert len(answer.rows) == 2
    assert answer.sides[1].machine == {"goos": "linux", "cpu": "M5"}


def test_a_column_of_one_recording_is_compared(tmp_path: Path) -> None:
    """Levels of an axis, the baseline named; several baselines at once."""
    answer = answered(HEAVY, col="endpoint", baseline="post-redis,post-marshal", metric="latency_p50")
    assert {(row.baseline, row.candidate) for row in answer.rows} == {
        ("post-redis", "post-marshal"),
        ("post-redis", "post"),
        ("post-marshal", "post"),
    }
    assert {row.key.get("gateway") for row in answer.rows} == {"direct", "apisix"}


def test_benchmarks_are_compared(tmp_path: Path) -> None:
    """Two names, as warm and cold."""
    path = tmp_path / "cache.txt"
    path.write_text(go_text({"Warm": around(100), "Cold": around(300)}), encoding="utf-8")
    (row,) = answered(str(path), col="benchmark", baseline="Warm", metric="time").rows
    assert (row.baseline, row.candidate, row.verdict) == ("Warm", "Cold", "worse")


@pytest.mark.parametrize("key", ["/size", "size"])
def test_keys_of_benchstat_are_columns(tmp_path: Path, key: str) -> None:
    """A part of a name may be the column compared."""
    (path,) = recordings(tmp_path, old=1.0)
    (row,) = answered(path, col=key, baseline="9k", metric="time").rows
    assert (row.baseline, row.candidate) == ("9k", "10k")


@pytest.mark.parametrize(("rows", "sizes"), [("/size@num", ["9k", "10k"]), ("/size@alpha", ["10k", "9k"])])
def test_rows_stand_in_the_order_asked(tmp_path: Path, rows: str, sizes: list[str]) -> None:
    """By number or by letter, as benchstat orders them."""
    answer = answered(*recordings(tmp_path, old=1.0, new=1.5), row=rows, metric="time")
    assert [row.key["size"] for row in answer.rows] == sizes


def test_a_list_of_levels_leaves_the_others_out(tmp_path: Path) -> None:
    """benchstat's list is an order and a filter."""
    answer = answered(*recordings(tmp_path, old=1.0, new=1.5), row="size@(10k)", metric="time")
    assert [row.key["size"] for row in answer.rows] == ["10k"]


def test_rows_by_less_pool_the_rest(tmp_path: Path) -> None:
    """Asked for rows by name alone, sizes are pooled: ignored in silence, else said."""
    paths = recordings(tmp_path, old=1.0, new=1.5)
    said = answered(*paths, row=".name", metric="time")
    assert [row.comparison.baseline.n for row in said.rows] == [12]
    assert "residue" in {one.code for one in said.caveats}
    silent = answered(*paths, ignore="size", metric="time")
    assert [row.comparison.baseline.n for row in silent.rows] == [12]
    assert "residue" not in {one.code for one in silent.caveats}


def test_columns_together_make_a_column(tmp_path: Path) -> None:
    """Two axes compared as one."""
    answer = answered(HEAVY, col="gateway,endpoint", baseline="direct post", metric="latency_p50")
    assert answer.column == "gateway, endpoint"
    assert len(answer.rows) == 5


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


def test_what_a_study_says_of_its_column_holds(tmp_path: Path) -> None:
    """Controls and order of lplex hold where its runs are compared the other way round."""
    answer = answered("data/lplex", col="run", baseline="new", metric="time")
    assert answer.order == "sequential"
    assert {one.condition for one in answer.controls} == {"pkg=*/filter", "pkg=*/pgn"}


@pytest.mark.parametrize("control", ["pkg=*/filter for pkg=*/pgn", "pkg=*/pgn for pkg=*/filter"])
def test_untouched_packages_of_lplex_show_no_change(control: str) -> None:
    """Both moved by more than 2x with the machine: one as the control of the other leaves no verdict."""
    answer = answered("data/lplex", col="run", baseline="old", controls=control, metric="time")
    judged = control.partition(" for ")[2].partition("/")[2]
    rows = [row for row in answer.rows if str(row.key.get("benchmark")) in BENCHMARKS[judged]]
    assert len(rows) == 13
    assert sum(row.own_verdict == "worse" for row in rows) >= 9
    assert not [row for row in rows if row.verdict in ("better", "worse")]
    assert {row.reason for row in rows} >= {"within what controls did"}


BENCHMARKS = {"filter": ("Compile", "Match"), "pgn": ("Decode", "Encode", "DecodeEncode", "RegistryLookup")}


def test_sides_that_share_nothing_are_refused(tmp_path: Path) -> None:
    """What each has is named."""
    (old,) = recordings(tmp_path, old=1.0)
    other = tmp_path / "other.txt"
    other.write_text("BenchmarkDecode 100 5 widgets\n", encoding="utf-8")
    found = compare(old, str(other))
    assert isinstance(found, Refusal)
    assert found.reason.endswith("other has Decode (widgets, widgets)")


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


def test_runs_that_are_compared_elsewhere_are_no_repeats() -> None:
    """lplex compares its runs: two benchmarks are held against each other within each of them."""
    answer = answered("data/lplex", col="benchmark", baseline="Encode", candidate="Decode", metric="time")
    assert {row.key["run"] for row in answer.rows} == {"old", "new"}
    assert {row.comparison.baseline.n for row in answer.rows} == {6}


def test_files_of_no_run_are_no_side(tmp_path: Path) -> None:
    """What the path template does not match is offered to nobody."""
    (tmp_path / "study.toml").write_text('[configuration]\npaths = ["run_{run}.txt"]\n', encoding="utf-8")
    for name, factor in (("run_old", 1.0), ("run_new", 1.5), ("stray", 9.0)):
        (tmp_path / f"{name}.txt").write_text(go_text({"A": around(100 * factor)}), encoding="utf-8")
    answer = answered(str(tmp_path), col="run", baseline="old", metric="time")
    assert [(row.baseline, row.candidate) for row in answer.rows] == [("old", "new")]


ONE_SIDED = {
    "a benchmark": ("BenchmarkA 1 5 ns/op\n", "BenchmarkA 1 5 ns/op\nBenchmarkB 1 5 ns/op\n", "B only in new"),
    "a cell of one": (
        "BenchmarkA/size=1 1 5 ns/op\n",
        "BenchmarkA/size=1 1 5 ns/op\nBenchmarkA/size=2 1 5 ns/op\n",
        "A, size 2 only in new",
    ),
    "a metric": ("BenchmarkA 1 5 ns/op\n", "BenchmarkA 1 5 ns/op 7 B/op\n", "A: memory only in new"),
    "a unit": (
        "BenchmarkA 1 5 ns/op 3 items/op\n",
        "BenchmarkA 1 5 ns/op 3 items/op 4 op/s\n",
        "A: throughput only in new",
    ),
}


@pytest.mark.parametrize("what", ONE_SIDED)
def test_what_one_side_lacks_is_named_as_it_is(tmp_path: Path, what: str) -> None:
    """The whole benchmark, one cell of it, or one metric."""
    old, new, said = ONE_SIDED[what]
    (tmp_path / "old.txt").write_text(old, encoding="utf-8")
    (tmp_path / "new.txt").write_text(new, encoding="utf-8")
    assert answered(str(tmp_path / "old.txt"), str(tmp_path / "new.txt")).missing == (said,)


def test_with_several_sides_the_one_that_lacks_it_is_named(tmp_path: Path) -> None:
    """B stands in old and new, and not in newer."""
    both = "BenchmarkA 1 5 ns/op\nBenchmarkB 1 5 ns/op\n"
    for name, text in (("old", both), ("new", both + "\n"), ("newer", "BenchmarkA 1 5 ns/op\n")):
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    paths = (str(tmp_path / f"{name}.txt") for name in ("old", "new", "newer"))
    assert answered(*paths).missing == ("B not in newer",)


def test_different_units_of_one_metric_are_named(tmp_path: Path) -> None:
    """Nothing is converted that nobody knows how to convert."""
    heads = "benchmark,kind,metric,value,unit\n"
    for name, unit in (("old", "req/sec"), ("new", "msg/sec")):
        rows = f"A,x,throughput,5,{unit}\nA,x,time,5,ns/op\n"
        (tmp_path / f"{name}.csv").write_text(heads + rows, encoding="utf-8")
    answer = answered(str(tmp_path / "old.csv"), str(tmp_path / "new.csv"))
    assert answer.missing == ("A: throughput is in req/sec and in msg/sec",)


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


UNCOMPARED = {
    "benchmarks": ("ABC", "A", ("2 benchmarks only in old",)),
    "both ways": ("AB", "AC", ("1 benchmark only in old", "1 benchmark only in new")),
}


@pytest.mark.parametrize("what", UNCOMPARED)
def test_what_is_missing_is_counted(tmp_path: Path, what: str) -> None:
    """By side, in a few words."""
    old, new, told = UNCOMPARED[what]
    assert answered(*packaged(tmp_path, old=(("ex/p", old),), new=(("ex/p", new),))).uncompared == told


def line(name: str, values: str) -> str:
    return f"Benchmark{name} 1 {values}\n"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        # The same benchmarks measured something else.
        ("5 ns/op 3 B/op", "5 widgets 3 B/op", ("2 benchmarks have time in old, widgets in new",)),
        ("5 ns/op 3 B/op 1 allocs/op", "5 ns/op", ("2 benchmarks have memory, allocations only in old",)),
        ("5 ns/op", "5 ns/op 3 B/op", ("2 benchmarks have memory only in new",)),
    ],
)
def test_metrics_of_one_side_are_counted(tmp_path: Path, old: str, new: str, told: tuple[str, ...]) -> None:
    """Two benchmarks stand on both sides."""
    for side, values in (("old", old), ("new", new)):
        (tmp_path / f"{side}.txt").write_text(line("A", values) + line("B", values), encoding="utf-8")
    assert answered(str(tmp_path / "old.txt"), str(tmp_path / "new.txt")).uncompared == told


def test_units_and_configurations_of_one_side_are_counted(tmp_path: Path) -> None:
    """Size 2 of A is gone, and the unit of its size 1 is another."""
    heads = "benchmark,size,metric,value,unit\n"
    old = "A,1,throughput,5,req/sec\nA,1,time,5,ns/op\nA,2,time,5,ns/op\n"
    new = "A,1,throughput,5,msg/sec\nA,1,time,5,ns/op\n"
    for side, rows in (("old", old), ("new", new)):
        (tmp_path / f"{side}.csv").write_text(heads + rows, encoding="utf-8")
    assert answered(str(tmp_path / "old.csv"), str(tmp_path / "new.csv")).uncompared == (
        "1 configuration only in old",
        "1 benchmark has throughput in req/sec in old, in msg/sec in new",
    )


def test_of_several_sides_the_one_that_lacks_benchmarks_is_named(tmp_path: Path) -> None:
    """B and C stand in old and new, and not in newer."""
    sides = {"old": (("ex/p", "ABC"),), "new": (("ex/p", "ABC"),), "newer": (("ex/p", "A"),)}
    assert answered(*packaged(tmp_path, **sides)).uncompared == ("2 benchmarks not in newer",)
