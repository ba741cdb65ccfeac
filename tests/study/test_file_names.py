"""What names of files say: repeats are pooled where names differ in numbers, else kept apart, with a template."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.answers.executive import executive_summary
from benchlib.answers.latency import LatencyAnswer
from benchlib.answers.samples import SampleTable
from benchlib.cli import main
from benchlib.formats import load
from benchlib.study import open_study
from benchlib.study.file_names import files_alike
from tests.shipped_studies import DATA
from tests.synthetic import compared

SLOW, QUICK = (20.0, 20.2, 20.1, 20.3, 20.4, 20.2), (23.0, 23.2, 23.1, 23.3, 23.4, 23.2)


def written(folder: Path, **files: tuple[float, ...]) -> Path:
    """A folder with a file of one benchmark for each name."""
    for place, (name, times) in enumerate(files.items()):
        # Two files of the same bytes are one that was copied.
        lines = "".join(f"BenchmarkSend-2 {100 + place} {time} ns/op\n" for time in times)
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / f"{name}.txt").write_text(f"goos: linux\n{lines}", encoding="utf-8")
    return folder


def sizes(folder: Path) -> list[tuple[str, int]]:
    """The file and n of every cell of All measurements."""
    table = executive_summary(open_study(folder)).samples
    assert isinstance(table, SampleTable)
    return [(str(row.key.get("file", "")), row.sample.n) for row in table.rows]


def test_files_that_differ_in_words_are_kept_apart_and_named(tmp_path: Path) -> None:
    """Each has its own median and interval, and a caveat says which files and what to do."""
    folder = written(tmp_path, send_csp=SLOW, send_bulletproof=QUICK)
    assert sizes(folder) == [("bulletproof", 6), ("csp", 6)]
    (said,) = (caveat for caveat in open_study(folder).results.caveats if caveat.code == "files-apart")
    assert said.message == (
        "nobody said that these files repeat each other, and their names differ: "
        "bulletproof (send_bulletproof.txt), csp (send_csp.txt)"
    )
    assert "study.toml" in said.advice


@pytest.mark.parametrize(
    "names", [("run1", "run2"), ("old-r1", "old-r2"), ("2026-11-20", "2026-11-21"), ("x_c1", "x_t2_c1_d5s")]
)
def test_files_that_differ_in_numbers_repeat_each_other(tmp_path: Path, names: tuple[str, str]) -> None:
    """As runs do that somebody numbered or dated; a letter or two before a number counts something."""
    folder = written(tmp_path, **dict.fromkeys(names, SLOW))
    assert sizes(folder) == [("", 12)]
    assert all(caveat.code != "files-apart" for caveat in open_study(folder).results.caveats)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        # three repeats of two kinds are two samples of three files
        (
            {f"send-{kind}-r{run}": times[:2] for kind, times in (("csp", SLOW), ("bp", QUICK)) for run in (1, 2, 3)},
            [("bp", 6), ("csp", 6)],
        ),
        # what differs may stand in the name of the folder
        ({"a/x_c1_r1": SLOW, "b/x_c64_r2": QUICK}, [("a", 6), ("b", 6)]),
    ],
)
def test_repeats_of_several_kinds_are_pooled_within_each(
    tmp_path: Path, files: dict[str, tuple[float, ...]], expected: list[tuple[str, int]]
) -> None:
    """By the words in which their names differ."""
    assert sizes(written(tmp_path, **files)) == expected


def test_files_of_different_benchmarks_have_nothing_to_be_kept_apart(tmp_path: Path) -> None:
    """What no other file measures needs no name of a file beside its own."""
    written(tmp_path, send=SLOW)
    (tmp_path / "receive.txt").write_text("BenchmarkReceive-2 100 7 ns/op\n", encoding="utf-8")
    assert sizes(tmp_path) == [("", 1), ("", 6)]


def test_who_says_what_the_files_are_is_believed(tmp_path: Path) -> None:
    """Paths in study.toml that name runs pool them; so does naming a folder as one side of a comparison."""
    folder = written(tmp_path, old=SLOW, new=QUICK)
    (folder / "study.toml").write_text('title = "t"\n', encoding="utf-8")
    assert sizes(folder) == [("new", 6), ("old", 6)]
    (folder / "study.toml").write_text('[configuration]\npaths = ["{run}.txt"]\n', encoding="utf-8")
    assert sizes(folder) == [("", 12)]


def test_a_folder_is_one_side_of_a_comparison(tmp_path: Path) -> None:
    """However its files are called: two recordings were named, and each is one."""
    for side, times in (("before", SLOW), ("after", QUICK)):
        (tmp_path / side).mkdir()
        written(tmp_path / side, **{f"{side}_morning": times, f"{side}_evening": times})
    answer = compared(str(tmp_path / "before"), str(tmp_path / "after"))
    assert [(row.comparison.baseline.n, row.comparison.candidate.n) for row in answer.rows] == [(12, 12)]


def test_files_of_a_folder_can_be_compared(tmp_path: Path) -> None:
    """The axis that keeps them apart is one to compare by."""
    answer = compared(str(written(tmp_path, old=SLOW, new=QUICK)), col="file", baseline="old")
    assert [(row.candidate, row.verdict) for row in answer.rows] == [("new", "worse")]


def test_no_sample_of_real_files_mixes_what_their_names_tell_apart() -> None:
    """Three executors and two proof types were one sample of 18, and one interval, once."""
    study = open_study(DATA / "token-sdk" / "runner")
    latency = executive_summary(study).latency
    assert isinstance(latency, LatencyAnswer)
    assert len(latency.rows) > 6
    assert {sample.n for row in latency.rows for sample in row.statistics.values()} == {3}


def test_shipped_studies_say_what_their_files_are() -> None:
    """None of their values stands apart by the name of its file alone."""
    for file in sorted(DATA.glob("*/study.toml")):
        assert "file" not in open_study(file.parent).results.axes, file.parent.name


def test_files_that_nothing_tells_apart_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where study.toml says what files are, and passes over what differs, inspect says what is pooled."""
    for number, kind in enumerate(("pool", "serial", "unbounded")):
        (tmp_path / f"a-{kind}-1.log").write_text(f"BenchmarkA-2 10 {1200 + number} ns/op\n")
    (tmp_path / "study.toml").write_text('[configuration]\npaths = ["a-{_}-{run}.log"]\n')
    assert main(["inspect", str(tmp_path)]) == 0
    (said,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("residue"))
    assert said == (
        "residue     3 files hold the same configurations, and nothing tells them apart (a-pool-1.log, a-serial-1.log, "
        "a-unbounded-1.log): taken for repeats, unless `paths` of study.toml says what differs"
    )
    (tmp_path / "study.toml").write_text('[configuration]\npaths = ["a-{variant}-1.log"]\n')
    assert main(["inspect", str(tmp_path)]) == 0
    assert "nothing tells them apart" not in capsys.readouterr().out


def test_runs_that_were_named_are_told_apart(tmp_path: Path) -> None:
    """Two paths on the command line are two runs; an axis in the name of a benchmark is enough too."""
    written(tmp_path, old=SLOW, new=QUICK)
    assert files_alike(load(tmp_path))
    assert files_alike(load(tmp_path / "old.txt", tmp_path / "new.txt")) == ()
    (tmp_path / "new.txt").write_text("BenchmarkSend/size=2-2 10 1207 ns/op\n")
    assert files_alike(load(tmp_path)) == ()
    assert files_alike(load(tmp_path / "old.txt")) == ()


def sweep(folder: Path, files: dict[str, float]) -> Path:
    """A folder of tables that hold one throughput each, three values that scatter by 1 %."""
    for name, rate in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        rows = "".join(f"get,{rate * scatter:.2f}\n" for scatter in (1, 1.01, 0.99))
        (folder / name).write_text(f"benchmark,throughput (op/s)\n{rows}", encoding="utf-8")
    return folder


def said(folder: Path) -> tuple[dict[str, list[object]], list[str], tuple[str, ...]]:
    """The levels of each axis, the runs, and the codes of what was read in names."""
    results = open_study(folder).results
    axes = {axis: list(results.levels(axis)) for axis in results.varying_axes}
    runs = [str(run) for run in results.frame["run"].unique() if run]
    return axes, runs, tuple(caveat.code for caveat in results.caveats)


@pytest.mark.parametrize(
    ("files", "axes", "runs", "template"),
    [
        ({f"users_{n}.csv": 1000 * n for n in (1, 2, 4, 8)}, {"users": [1, 2, 4, 8]}, [], "users_{users:int}.csv"),
        (
            {f"locust_{n}_users_stats.csv": 100 + n for n in (10, 100, 1000)},
            {"users": [10, 100, 1000]},
            [],
            "locust_{users:int}_users_stats.csv",
        ),
        # a folder for each level, and a letter that wrk made its own
        ({f"t{n}/result.csv": 90 * n for n in (1, 2, 4)}, {"threads": [1, 2, 4]}, [], "t{threads:int}/result.csv"),
        # levels that make no difference are levels all the same: their word says so
        ({f"threads_{n}.csv": 100 for n in (1, 2)}, {"threads": [1, 2]}, [], "threads_{threads:int}.csv"),
        # a count without a word: values alike are repeats, others are not
        ({f"bench{n}.csv": 100 + n for n in (1, 2, 3)}, {}, ["1", "2", "3"], "bench{run}.csv"),
        ({f"bench{n}.csv": 100 * n for n in (1, 2, 3)}, {"number": [1, 2, 3]}, [], "bench{number:int}.csv"),
        ({f"{n}_proc/result.csv": 100 for n in (1, 2)}, {"proc": [1, 2]}, [], "{proc:int}_proc/result.csv"),
        # which client measured is no number of clients
        ({f"client{n}.csv": 100 + n for n in (1, 2, 3)}, {}, ["1", "2", "3"], "client{run}.csv"),
        ({f"get-2026-11-{n}.csv": 100 + n for n in (20, 21)}, {}, ["2026-11-20", "2026-11-21"], "get-{run}.csv"),
        (
            {f"{kind}-{n}t-r{r}.csv": 100 * n + r for kind in ("pool", "queue") for n in (1, 4) for r in (1, 2)},
            {"threads": [1, 4], "file": ["pool", "queue"]},
            ["1", "2"],
            "{file}-{threads:int}t-r{run}.csv",
        ),
        ({"skew-0.5.csv": 10, "skew-0.99.csv": 11}, {"skew": [0.5, 0.99]}, [], "skew-{skew}.csv"),
        (
            {f"get-2026-11-{n}.csv": 10 * n for n in (20, 25)},
            {"date": ["2026-11-20", "2026-11-25"]},
            [],
            "get-{date}.csv",
        ),
        # one thread and several threads; a word for all in the folder above; the day that a level was measured on
        (
            {"get_1thread.csv": 100, "get_2threads.csv": 190, "get_4threads.csv": 300},
            {"threads": [1, 2, 4]},
            [],
            "",
        ),
        ({f"users/{n}.csv": 100 + n for n in (1, 2, 3)}, {"users": [1, 2, 3]}, [], "users/{users:int}.csv"),
        ({f"2026-11-2{n}_np{n}.csv": 100 + n for n in (1, 2, 3)}, {"np": [1, 2, 3]}, [], "{_}_np{np:int}.csv"),
        ({f"node{n}.csv": 100 + n for n in (18, 20, 22)}, {"file": ["node18", "node20", "node22"]}, [], "{file}.csv"),
        ({f"http_v{n}.csv": 100 for n in (1, 2, 3)}, {"file": ["v1", "v2", "v3"]}, [], "http_{file}.csv"),
        # seven recordings in a row may be of seven states of the code: they are not called repeats
        ({f"bench{n}.csv": 100 + 5 * n for n in (1, 2, 3, 4)}, {"number": [1, 2, 3, 4]}, [], "bench{number:int}.csv"),
        # so are hashes of commits; and a version names something: 3.10 is not 3.1
        (
            {f"{n}.csv": 100 for n in ("1a3774a", "555e140057", "6e12414")},
            {"file": ["1a3774a", "555e140057", "6e12414"]},
            [],
            "{file}.csv",
        ),
        ({"py3.9.csv": 10, "py3.10.csv": 11}, {"file": ["py3.10", "py3.9"]}, [], "{file}.csv"),
    ],
)
def test_numbers_in_names_are_levels_or_repeats(
    files: dict[str, float], axes: dict[str, list[object]], runs: list[str], template: str, tmp_path: Path
) -> None:
    """As their words, their kind and the values say; and study.toml can say the same."""
    folder = sweep(tmp_path, files)
    assert said(folder)[:2] == (axes, runs)
    assert open_study(folder).configuration.paths == ((template,) if template else ())
    before = sizes(folder)
    assert main(["inspect", "--write", str(folder)]) == 0
    assert said(folder) == (axes, runs, () if template else said(folder)[2])
    assert sizes(folder) == before


def test_the_reason_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was read in the names, and why."""
    assert main(["inspect", str(sweep(tmp_path, {f"users_{n}.csv": n for n in (10, 100, 360)}))]) == 0
    reason = "users from the names of files: 10, 100, 360; medians differ 36-fold, so not repeats"
    assert any(line.endswith(reason) for line in capsys.readouterr().out.splitlines())


def test_runs_that_differ_eightfold_are_doubted(tmp_path: Path) -> None:
    """Their names call them runs, and stay so; the page warns."""
    folder = sweep(tmp_path, {"run1.csv": 100, "run2.csv": 800})
    assert said(folder) == ({}, ["1", "2"], ("repeats-differ",))


def test_files_without_a_word_or_a_number_to_tell_are_apart_where_values_are(tmp_path: Path) -> None:
    """Letters that stand for nothing known say nothing; medians that differ three times over do."""
    assert said(sweep(tmp_path / "a", {"x1y2z3.csv": 100, "x1y2.csv": 300}))[0] == {"file": ["x1y2", "x1y2z3"]}
    assert said(sweep(tmp_path / "b", {"x1y2z3.csv": 100, "x1y2.csv": 103}))[1] == ["x1y2", "x1y2z3"]


def test_repeats_are_one_side_of_a_comparison(tmp_path: Path) -> None:
    """Runs that names number are one recording where two folders are compared."""
    for side, rate in (("old", 100), ("new", 200)):
        sweep(tmp_path / side, {f"run{n}.csv": rate + n for n in (1, 2)})
    answer = compared(str(tmp_path / "old"), str(tmp_path / "new"))
    assert [(row.comparison.baseline.n, row.comparison.candidate.n) for row in answer.rows] == [(6, 6)]


def test_values_of_one_file_that_differ_twelvefold_are_no_repeats_without_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two tests of one URL: the page and inspect warn, and name both; values that scatter do not."""
    (tmp_path / "get.csv").write_text("benchmark,throughput (op/s)\nget,123\nget,1440\nput,10\nput,12\n")
    assert main(["inspect", str(tmp_path)]) == 0
    message = "2 values of get count as repeats and differ 11.7-fold (get.csv:2, get.csv:3)"
    assert any(line.endswith(message) for line in capsys.readouterr().out.splitlines())
    caveats = executive_summary(open_study(tmp_path)).caveats
    assert [caveat.message for caveat in caveats if caveat.code == "repeats-differ"] == [message]


def test_any_names_are_read(tmp_path: Path) -> None:
    """Braces, names of columns, numbers beyond any, digits of other scripts: a study is begun, and opens."""
    names = [
        "{a}_1", "{a}_2", "a}{3", "1" * 200, "2" * 200, "a_" * 100 + "1", "a_" * 100 + "2", "1e308_2", "1e308_3",
        "nan_1", "nan_2", "t08", "t8", " ", "x..", "9" * 30 + "_1", "9" * 30 + "_2", "value_1", "value_9", "unit_3",
        "unit_9", "run=4", "run=7", "1.5.2", "1.5.3", "\N{ARABIC-INDIC DIGIT ONE}", "\N{SUPERSCRIPT TWO}",
    ]  # fmt: skip
    sweep(tmp_path, {f"{name}.csv": 100 + place**2 for place, name in enumerate(names)})
    before = len(open_study(tmp_path).results.frame)
    assert main(["inspect", "--write", str(tmp_path)]) == 0
    assert len(open_study(tmp_path).results.frame) == before == 3 * len(names)


@pytest.mark.parametrize(
    ("names", "benchmark", "axes"),
    [
        (("users_1", "users_10", "users_100"), "users", ("users",)),
        (("hey-1", "hey-10", "hey-100"), "hey", ("hey",)),
        (("8threads", "16threads", "32threads"), "threads", ("threads",)),
    ],
)
def test_a_benchmark_named_by_its_file_is_what_the_names_share(
    tmp_path: Path, names: tuple[str, ...], benchmark: str, axes: tuple[str, ...]
) -> None:
    """Files of a table without a benchmark are levels of one, and not a benchmark each."""
    for place, name in enumerate(names, 1):
        (tmp_path / f"{name}.csv").write_text(f"rps,p99_ms\n{1000 * place},{3 * place}.5\n", encoding="utf-8")
    study = open_study(tmp_path)
    assert (list(study.results.frame["benchmark"].unique()), study.results.axes) == ([benchmark], axes)
    assert study.configuration.paths == ()  # no path template names a benchmark so


@pytest.mark.parametrize("names", [("trial_1", "trial_2", "trial_3"), ("run1", "run2", "run3"), ("1", "2", "3")])
def test_files_that_count_repeats_are_runs_of_one_benchmark(tmp_path: Path, names: tuple[str, ...]) -> None:
    """Also where nothing but the file names the benchmark: one curve with three values at each level."""
    for place, name in enumerate(names):
        rows = "".join(f"{threads},{8 / threads + place / 100}\n" for threads in (1, 2, 4, 8))
        (tmp_path / f"{name}.csv").write_text(f"threads,time_s\n{rows}", encoding="utf-8")
    table = executive_summary(open_study(tmp_path)).samples
    assert isinstance(table, SampleTable)
    assert [row.sample.n for row in table.rows] == [3, 3, 3, 3]


def test_files_of_other_columns_keep_their_own_names(tmp_path: Path) -> None:
    """What no other file has is no level of one benchmark."""
    (tmp_path / "fig1.csv").write_text("threads,time_s\n1,8.0\n2,4.1\n", encoding="utf-8")
    (tmp_path / "fig2.csv").write_text("size,rps\n64,812.5\n128,790.1\n", encoding="utf-8")
    assert {*open_study(tmp_path).results.frame["benchmark"]} == {"fig1", "fig2"}


def test_runs_numbered_with_gaps_that_differ_much_are_levels(tmp_path: Path) -> None:
    """Nobody numbers repeats 1, 8, 64, and no repeats differ 10-fold."""
    times = {1: SLOW, 8: tuple(value * 4 for value in SLOW), 64: tuple(value * 20 for value in SLOW)}
    study = open_study(written(tmp_path, **{f"load_run_{run}": values for run, values in times.items()}))
    assert study.results.levels("run_number") == (1, 8, 64)
    assert all(caveat.code != "repeats-differ" for caveat in study.results.caveats)


def test_levels_that_the_files_state_make_one_curve_of_them(tmp_path: Path) -> None:
    """Where each file says how many threads it took, its name has nothing to add but the benchmark."""
    for threads in (1, 2, 4):
        (tmp_path / f"load_{threads}t.csv").write_text(f"threads,time_s\n{threads},{8 / threads}\n", encoding="utf-8")
    results = open_study(tmp_path).results
    assert (list(results.frame["benchmark"].unique()), results.axes) == (["load"], ("threads",))
