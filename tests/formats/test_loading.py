"""From paths to one table."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchlib.errors import FormatError, InputError
from benchlib.formats import load
from benchlib.formats.text import AS_UTF8
from benchlib.study import open_study

GO = "goos: linux\nBenchmarkA-8 \t 100\t 5.0 ns/op\t 3 B/op\nBenchmarkA-8 \t 100\t 6.0 ns/op\t 3 B/op\nPASS\n"


def write(folder: Path, **files: str) -> Path:
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(content, encoding="utf-8")
    return folder


def refused(path: str | Path) -> str:
    """Return the error of what cannot be loaded."""
    with pytest.raises(InputError) as caught:
        load(path)
    return str(caught.value)


def test_values_are_in_base_units_with_their_origin(tmp_path) -> None:
    """One row a value: seconds for ns, the unit as written, the position, the file and line."""
    frame = load(write(tmp_path, a__txt=GO)).frame
    assert frame["value"].tolist() == [5.0 * 1e-9, 3.0, 6.0 * 1e-9, 3.0]
    assert frame["metric"].tolist() == ["time", "memory"] * 2
    assert frame["unit"].tolist() == ["sec/op", "B/op"] * 2
    assert frame["original_unit"].tolist() == ["ns/op", "B/op"] * 2
    assert frame["position"].tolist() == [0, 0, 1, 1]
    assert frame["line"].tolist() == [2, 2, 3, 3]
    assert set(frame["source"]) == {"a.txt"}
    assert frame["gomaxprocs"].dtype == "int64"
    assert str(frame["line"].dtype) == "int32"


def test_several_paths_are_several_runs(tmp_path) -> None:
    """The stem of each file names its run; a folder alone names none."""
    write(tmp_path, old__txt=GO, new__txt=GO.replace("5.0", "7.0"))
    results = load(tmp_path / "old.txt", tmp_path / "new.txt")
    assert results.levels("run") == ("old", "new")
    assert set(load(tmp_path).frame["run"]) == {""}


def test_templates_fill_axes_and_the_content_wins(tmp_path) -> None:
    """A path template gives what the content does not say; where they differ a problem names both."""
    write(tmp_path, cpu4__txt=GO)
    results = load(tmp_path, path_templates=["cpu{gomaxprocs:int}.txt", "{run}.txt"])
    assert results.levels("gomaxprocs") == (8,)
    assert results.levels("run") == ("cpu4",)
    assert [str(problem) for problem in results.problems] == [
        "cpu4.txt: gomaxprocs is '8' by the content and '4' by template 'cpu{gomaxprocs:int}.txt'; the first is used"
    ]


ONE_CPU = "goos: linux\npkg: a\ncpu: EPYC\nBenchmarkA 10 5 ns/op\n"
TWO_CPUS = "goos: linux\npkg: a\ncpu: EPYC\nBenchmarkA-2 10 5 ns/op\n"
B, B_2 = "BenchmarkB 10 5 ns/op\n", "BenchmarkB-2 10 3 ns/op\n"


@pytest.mark.parametrize(
    ("texts", "levels"),
    [
        ([ONE_CPU + TWO_CPUS], [1, 2]),
        ([ONE_CPU], []),
        # One file a level of -cpu: the one at 1 has no suffix at all, and all its names stand with one elsewhere.
        ([ONE_CPU + B, TWO_CPUS + B_2], [1, 1, 2, 2]),
        # Half of a file at 1 would be two benchmarks out of one sweep: B may be of anything.
        ([ONE_CPU + B, TWO_CPUS], [None, None, 2]),
        # A run that was not swept is compared with one that was, level by level.
        ([f"run: old\n{ONE_CPU}", f"run: old\n{TWO_CPUS}", f"run: new\n{ONE_CPU}"], [1, 2, 1]),
        # Another machine or package shows nothing.
        ([ONE_CPU, TWO_CPUS.replace("linux", "darwin")], [None, 2]),
        ([ONE_CPU, TWO_CPUS.replace("pkg: a", "pkg: b")], [None, 2]),
        ([ONE_CPU, TWO_CPUS.replace("EPYC", "M5")], [None, 2]),
    ],
)
def test_one_cpu_is_filled_in_where_the_files_show_it(tmp_path, texts: list[str], levels: list[int | None]) -> None:
    """go test -cpu=1,2 writes no suffix for 1; without that evidence nothing is assumed."""
    results = load(write(tmp_path, **{f"file{number}__txt": text for number, text in enumerate(texts)}))
    column = results.frame["gomaxprocs"] if "gomaxprocs" in results.axes else []
    assert [None if level != level else level for level in column] == levels


def test_what_becomes_of_axes_units_and_failures(tmp_path) -> None:
    """10k is a name, and then so is 9; a config line overwrites no column; a unit says which way is better."""
    go = "BenchmarkA/size=10k/n=2 1 5 ns/op\nBenchmarkA/size=9/n=10 1 5 ns/op\nBenchmarkA/id=007 1 5 ns/op\n"
    results = load(write(tmp_path, a__txt=go))
    assert {axis: results.levels(axis) for axis in ("size", "n", "id")} == {
        "size": ("10k", "9"), "n": (2, 10), "id": ("007",),
    }  # fmt: skip
    results = load(write(tmp_path, a__txt="value: 3\nUnit widgets/op better=higher\nBenchmarkA 1 5 widgets/op\n"))
    assert results.axes == ("value_axis",)
    assert results.frame["value"].tolist() == [5]
    assert "it is called 'value_axis'" in results.problems[0].message
    assert results.metrics["widgets/op"].better == "higher"
    (tmp_path / "a.txt").unlink()
    results = load(write(tmp_path, a__csv="benchmark,errors,time_ms\nx,0,1\nx,2,9\ny,0,1\n"))
    assert results.frame["value"].tolist() == [0.001, 0.001]
    assert results.failed["value"].tolist() == [9 * 1e-3]
    assert results.caveats[0].message == "x: 1 of 2 values rest on failed operations and are left out"


def test_one_unreadable_file_does_not_hide_the_rest(tmp_path) -> None:
    """It is a problem; with ``strict`` it is the error."""
    write(tmp_path, a__txt=GO, b__txt="", c__txt="hello\n", README="x", study__toml="x")
    results = load(tmp_path)
    assert [str(problem) for problem in results.problems] == [
        "b.txt: is empty; run the benchmark again, or leave the file out",
        "c.txt: no benchmark results recognised; it begins 'hello', which no tool prints that benchlib knows; "
        'declare it in study.toml with [[formats]] and kind = "lines"',
    ]
    with pytest.raises(InputError, match=r"^b\.txt: is empty"):
        load(tmp_path, strict=True)
    assert load(tmp_path, exclude=["b.*", "c.txt"]).problems == ()


ONLY_GO = "Go benchmark text without a result; give the whole output of go test -bench"


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        ("Zeit: 5 \xb5s\n".encode("latin-1"), f"not UTF-8: byte 0xb5 at line 1; {AS_UTF8}"),
        ("\n\nfertig f\xfcr heute\n".encode("latin-1"), f"not UTF-8: byte 0xfc at line 3; {AS_UTF8}"),
        (b"\xff\xfea\x00\x00\xd8", "not UTF-16, as its first bytes say; save it as UTF-8"),
        # Its header alone, its last line alone.
        (b"goos: linux\ngoarch: amd64\npkg: ex/p\ncpu: X\n", ONLY_GO),
        (b"pkg: ex/p\nPASS\nok  \tex/p\t0.1s\n", ONLY_GO),
        (b"ok  \tex/p\t0.1s\n", ONLY_GO),
    ],
)
def test_a_known_cause_is_all_that_is_said(tmp_path, content: bytes, cause: str) -> None:
    """For a file and for a folder; no list of formats that were tried in vain."""
    (tmp_path / "a.txt").write_bytes(content)
    assert refused(tmp_path / "a.txt") == f"a.txt: {cause}"
    assert refused(tmp_path) == f"{tmp_path}: no benchmark results recognised in 1 file (a.txt: {cause})"


def test_what_is_no_file_is_the_cause_and_all_that_is_said(tmp_path) -> None:
    """A pipe would block for ever; a device has no end; a folder without files has nothing to try."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        message = f"{path.name}: not a regular file; name a file of results or a folder of them"
        assert refused(path) == message
    (tmp_path / "void").mkdir()
    assert refused(tmp_path / "void").endswith(
        "void: holds no file to read; name a file of results or a folder of them"
    )


def test_files_that_look_like_two_formats_are_read_with_the_one_named(tmp_path) -> None:
    """The message names the option of the commands and the argument of the function; both work."""
    data = Path(__file__).parents[1] / "data"
    both = (data / "wrk/flaky_c64.txt").read_text() + (data / "hey/index_c4.txt").read_text()
    write(tmp_path, a__txt=both)
    message = "a.txt: looks like wrk and hey; name one with --reader (in Python: format=)"
    assert refused(tmp_path / "a.txt") == message
    for name in ("wrk", "hey"):
        [file] = load(tmp_path / "a.txt", format=name).files
        assert (file.format, file.rows > 0) == (name, True)
        assert open_study(tmp_path / "a.txt", format=name).results.files == (file,)


DECLARED = """[[formats]]
name = "own-log"
files = ["*.log"]
kind = "lines"
pattern = '^(?P<benchmark>\\S+) took (?P<value>[0-9.]+) ms$'
metric = "time"
unit = "ms"
"""


def test_a_study_that_declares_the_format_of_a_file_is_named(tmp_path, monkeypatch) -> None:
    """Formats are declared where a folder is opened as a study: the error says which, and how."""
    folder = tmp_path / "dec1"
    folder.mkdir()
    write(folder, run__log="encode took 5 ms\n", study__toml=DECLARED)
    monkeypatch.chdir(tmp_path)
    hint = "dec1/study.toml declares 'own-log' for it; open the folder as a study: benchlib inspect dec1"
    assert refused("dec1/run.log") == f"run.log: no benchmark results recognised; {hint}"
    message = f"dec1: no benchmark results recognised in 1 file (run.log: {hint})"
    assert refused("dec1") == message
    assert open_study("dec1").results.frame["value"].tolist() == [0.005]
    # A study that is broken is told where it is opened.
    write(folder, study__toml="[[formats]]\nfiles = 3\n[")
    with pytest.raises(FormatError, match="it looks like"):
        load("dec1/run.log")


def test_the_first_problem_is_that_of_a_declared_file(tmp_path) -> None:
    """What was meant to be a result comes before a file that nobody claims, however they are named."""
    write(tmp_path, a__txt="hello\n", run__log="encode: 5 ms\n", study__toml=DECLARED)
    with pytest.raises(InputError) as caught:
        open_study(tmp_path)
    problem = "run.log: nothing in 1 lines is as the format 'own-log' says"
    assert str(caught.value) == f"{tmp_path}: holds no result; first problem: {problem}"
    (tmp_path / "run.log").write_bytes(b"\0\1")
    with pytest.raises(InputError, match=r"in 2 files \(run\.log: is binary; .* and 1 more\)$"):
        open_study(tmp_path)
    (tmp_path / "run.log").rename(tmp_path / "run.lgo")
    said = r"; none is named \*\.log, as the format 'own-log' says$"
    with pytest.raises(InputError, match=said):
        open_study(tmp_path)


def test_a_history_of_locust_alone_says_beside_what_it_belongs(monkeypatch) -> None:
    """It holds seconds and no result; it is named as in the working directory, wherever that is."""
    data = Path(__file__).parents[1] / "data/locust"
    monkeypatch.chdir(data.parent)
    beside = "a history, and a table of failures, belong beside their _stats.csv; name both, or their folder"
    message = f"locust/run_stats_history.csv: holds no result; {beside}"
    assert refused(data / "run_stats_history.csv") == message


def test_no_broken_file_hides_another(tmp_path) -> None:
    """The first problem of each file that was read as results, of at most three; not of what is beside them."""
    broken = {f"r{at}__csv": 'threads,time_ms\n1,"1,500"\n' for at in range(4)}
    write(tmp_path, a__txt="BenchmarkA 1\nPASS\n", notes__txt="hello\n", **broken)
    said = refused(tmp_path)
    assert said.startswith(f"{tmp_path}: holds no result; first problem of each file: a.txt:1: missing meas")
    assert "; r0.csv:2: column 'time_ms': '1,500' has a comma" in said
    assert "; r1.csv:2: column 'time_ms': '1,500' has a comma" in said
    assert said.endswith("; 2 more files have some")
    assert "notes" not in said


def test_paths_that_cannot_be_read_say_so(tmp_path) -> None:
    """Missing, without rows, without paths, an unknown format."""
    with pytest.raises(InputError, match="no such file or folder; check the path"):
        load(tmp_path / "nope")
    with pytest.raises(InputError, match="no path given"):
        load()
    with pytest.raises(InputError, match=r"holds no result; first problem: a\.txt:1: missing meas"):
        load(write(tmp_path, a__txt="BenchmarkA 1\nPASS\n") / "a.txt", format="go-bench")
    with pytest.raises(FormatError, match="no format 'go-bnch'; did you mean 'go-bench'"):
        load(tmp_path / "a.txt", format="go-bnch")


def test_a_result_told_in_several_lines_has_one_position(tmp_path) -> None:
    """Metrics of one configuration that follow each other are one result, until one comes again."""
    tidy = "endpoint,metric,value,unit\na,time,1,ms\na,rate,2,x\na,time,3,ms\nb,time,4,ms\n"
    assert load(write(tmp_path, a__csv=tidy)).frame["position"].tolist() == [0, 0, 1, 2]


def test_a_table_without_benchmarks_is_named_for_its_file(tmp_path) -> None:
    """Or by a path template."""
    write(tmp_path, sdm__csv="load,throughput\n1,2.5\n2,4\n")
    assert load(tmp_path).levels("benchmark") == ("sdm",)
    named = load(tmp_path, path_templates=["{benchmark}m.csv"])
    assert named.levels("benchmark") == ("sd",)
    assert named.levels("load") == (1, 2)


def test_bytes_that_are_no_utf8_hide_nothing_that_costs_values(tmp_path) -> None:
    """A sheet saved by Windows: its commas are why it holds no result, its umlauts are not."""
    (tmp_path / "a.csv").write_bytes("n;Größe;Durchsatz (req/s)\n1;groß;1,950\n2;groß;2,850\n".encode("cp1252"))
    with pytest.raises(InputError, match=r"holds no result; first problem: a\.csv:2: .*'1,950' has a comma; write a"):
        load(tmp_path)
