"""From paths to one table."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.errors import FormatError, InputError
from benchlib.formats import NameTemplate, load

GO = "goos: linux\nBenchmarkA-8 \t 100\t 5.0 ns/op\t 3 B/op\nBenchmarkA-8 \t 100\t 6.0 ns/op\t 3 B/op\nPASS\n"


def write(folder: Path, **files: str) -> Path:
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(content, encoding="utf-8")
    return folder


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
    assert [str(one) for one in results.problems] == [
        "cpu4.txt: gomaxprocs is '8' by the content and '4' by template 'cpu{gomaxprocs:int}.txt'; the first is used"
    ]


def test_one_cpu_is_filled_in_where_the_file_shows_it(tmp_path) -> None:
    """go test -cpu=1,2 writes no suffix for 1; without that evidence nothing is assumed."""
    both = "BenchmarkA 10 5 ns/op\nBenchmarkA-2 10 5 ns/op\n"
    assert load(write(tmp_path, a__txt=both)).frame["gomaxprocs"].tolist() == [1, 2]
    assert "gomaxprocs" not in load(write(tmp_path, a__txt="BenchmarkA 10 5 ns/op\n")).axes


def test_an_axis_is_of_numbers_only_if_all_its_levels_are(tmp_path) -> None:
    """10k is a name, and then so is 9; leading zeros are names."""
    text = "BenchmarkA/size=10k/n=2 1 5 ns/op\nBenchmarkA/size=9/n=10 1 5 ns/op\nBenchmarkA/id=007 1 5 ns/op\n"
    results = load(write(tmp_path, a__txt=text))
    assert results.levels("size") == ("10k", "9")
    assert results.levels("n") == (2, 10)
    assert results.levels("id") == ("007",)


def test_an_axis_named_like_a_column_is_renamed(tmp_path) -> None:
    """A config line cannot overwrite measurements."""
    results = load(write(tmp_path, a__txt="value: 3\nBenchmarkA 1 5 ns/op\n"))
    assert results.axes == ("value_axis",)
    assert results.frame["value"].tolist() == [5e-9]
    assert "it is called 'value_axis'" in results.problems[0].message


def test_unit_lines_say_which_way_is_better(tmp_path) -> None:
    """``Unit widgets/op better=higher`` is remembered for the metric."""
    results = load(write(tmp_path, a__txt="Unit widgets/op better=higher\nBenchmarkA 1 5 widgets/op\n"))
    assert results.metrics["widgets/op"].better == "higher"


def test_failed_rows_are_kept_apart(tmp_path) -> None:
    """Rows with errors are in no table, and the first caveat names their benchmark."""
    results = load(write(tmp_path, a__csv="benchmark,errors,time_ms\nx,0,1\nx,2,9\ny,0,1\n"))
    assert results.frame["value"].tolist() == [0.001, 0.001]
    assert results.failed["value"].tolist() == [9 * 1e-3]
    assert results.caveats[0].message == "x: 1 of 2 values rest on failed operations and are left out"


def test_one_unreadable_file_does_not_hide_the_rest(tmp_path) -> None:
    """It is a problem; with ``strict`` it is the error."""
    write(tmp_path, a__txt=GO, b__txt="", c__txt="hello\n", README="x", study__toml="x")
    results = load(tmp_path)
    assert [str(one) for one in results.problems] == [
        "b.txt: is empty; run the benchmark again, or leave the file out",
        "c.txt: no benchmark results recognised",
    ]
    with pytest.raises(InputError, match=r"^b\.txt: is empty"):
        load(tmp_path, strict=True)
    assert load(tmp_path, exclude=["b.*", "c.txt"]).problems == ()


def test_nothing_recognised_lists_what_was_tried(tmp_path) -> None:
    """For one file and for a folder."""
    write(tmp_path, c__txt="hello\n")
    for path in (tmp_path, tmp_path / "c.txt"):
        with pytest.raises(FormatError, match=r"no benchmark results recognised.*tried go-bench, "):
            load(path)


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


def test_a_link_that_leads_out_of_the_folder_is_not_followed(tmp_path) -> None:
    """Results come from the folder named and from nowhere else; loops end."""
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    write(outside, secret__txt=GO)
    write(inside, a__txt=GO)
    (inside / "b.txt").symlink_to(outside / "secret.txt")
    (inside / "loop").symlink_to(inside, target_is_directory=True)
    results = load(inside)
    assert set(results.frame["source"]) == {"a.txt"}
    assert [one.source for one in results.problems] == ["loop", "b.txt"]


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


def test_the_transfer_study_is_a_complete_factorial(shared_samples) -> None:
    """72 and 18 cells of 6, as the README of the samples says."""
    setup = "/Setup(bits_{bits:int},_curve_{curve},_#i_{inputs:int},_#o_{outputs:int})_with_{_}_workers"
    results = load(
        shared_samples / "token-sdk/transfer",
        path_templates=["transfer_{proof}.txt"],
        name_templates=[NameTemplate(template=setup, benchmarks=())],
    )
    assert "case" not in results.axes
    times = results.frame[results.frame["metric"] == "time"]
    cells = times.groupby(["proof", "benchmark", "bits", "curve", "inputs", "outputs"], observed=True).size()
    assert (len(cells["bulletproof"]), len(cells["csp"])) == (72, 18)
    assert set(cells) == {6}
