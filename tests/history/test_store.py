"""A history keeps what it was given: under kills, many writers, packing, and on S3."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import benchlib as bl
from benchlib.errors import BenchlibError, InputError, SelectionError
from benchlib.history import Facts, History
from benchlib.results import Results
from benchlib.study import open_study

arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")


def results(seed: float = 0, **axes: object) -> Results:
    """Return eight values: two benchmarks, one of which failed once."""
    columns = {"benchmark": ["Encode", "Decode"] * 4, "time_ns": [100 + seed + place for place in range(8)]}
    rows = columns | {name: [value] * 8 for name, value in axes.items()} | {"errors": [0] * 7 + [1]}
    return bl.read(rows).study.results


def values(kept: Results) -> pd.DataFrame:
    """Return what was measured, without where it was read, in an order of its own."""
    columns = [name for name in kept.frame.columns if name not in ("source", "line", "run", "position")]
    frame = pd.concat([kept.frame, kept.failed])[columns]
    texts = frame.select_dtypes("category").columns
    return frame.astype(dict.fromkeys(texts, object)).sort_values(columns, ignore_index=True)


@pytest.fixture
def kept(tmp_path: Path) -> History:
    return History(str(tmp_path / "kept"), make=True)


def test_what_was_recorded_is_read_again(kept: History) -> None:
    """Values, axes and failures; commit and machine are columns beside the axes, and none of the run's."""
    run, new = kept.record(results(bits=32), Facts(commit="4f2a1b3", machine="atom", time="2026-11-26"))
    read = kept.results()
    assert new
    assert run.facts.time == "2026-11-26T00:00:00Z"
    assert (len(read.frame), len(read.failed)) == (7, 1)
    assert read.axes == ("bits", "commit", "machine")
    assert_frame_equal(values(read).drop(columns=["commit", "machine"]), values(results(bits=32)), check_dtype=False)
    assert read.frame["source"].str.startswith(f"{run.name}/").all()


def test_the_same_again_is_no_second_run(kept: History) -> None:
    """Whatever order its rows come in; another value, or another fact, is another run."""
    one = results()
    backwards = bl.read(
        {"benchmark": ["Encode", "Decode"] * 4, "errors": [0] * 7 + [1], "time_ns": [100 + place for place in range(8)]}
    ).study.results
    first, _ = kept.record(one, Facts())
    assert kept.record(backwards, Facts()) == (first, False)
    assert kept.record(results(1), Facts())[1]
    assert kept.record(one, Facts(commit="4f2a1b3"))[1]
    assert len(kept.runs()) == 3


def test_a_name_is_given_once(kept: History) -> None:
    """Unless the new run replaces the old one, which is withdrawn and told; asked again, nothing changes."""
    old, _ = kept.record(results(), Facts(recording="nightly"))
    with pytest.raises(InputError, match=f"run 'nightly' was recorded with other content: {old.sha256[:12]}, now "):
        kept.record(results(1), Facts(recording="nightly"))
    new, _ = kept.record(results(1), Facts(recording="nightly"), replaces="nightly")
    assert kept.record(results(1), Facts(recording="nightly"), replaces="nightly") == (new, False)
    assert [run.sha256 for run in kept.runs()] == [new.sha256]
    (told,) = kept.withdrawn()
    assert (told["run"], told["replaced_by"]) == (old.sha256, new.sha256)
    with pytest.raises(InputError, match="was withdrawn: replaced by nightly; record another"):
        kept.record(results(), Facts(recording="nightly"))


def test_a_withdrawn_run_is_read_no_more(kept: History) -> None:
    """It stays in the folder, with the reason; a reason must be given."""
    run, _ = kept.record(results(), Facts())
    kept.record(results(1), Facts())
    with pytest.raises(InputError, match="no reason given"):
        kept.retract(run.name, " ")
    kept.retract(run.name, "the fan stood still")
    assert len(kept.results().frame) == 7
    assert kept.withdrawn()[0]["why"] == "the fan stood still"
    assert list(kept.check()) == []


@pytest.mark.parametrize("packed", [False, True])
def test_an_axis_that_changes_its_type_is_text(kept: History, packed: bool) -> None:
    """And it is said; new axes widen the table; what was recorded keeps its hash."""
    kept.record(results(bits=32), Facts())
    kept.record(results(bits="wide", curve="BN254"), Facts())
    if packed:
        assert kept.pack() == (2, 0)
    read = kept.results()
    assert sorted(read.frame["bits"].unique()) == ["32", "wide"]
    assert read.frame["curve"].notna().sum() == 7
    said = [caveat.message for caveat in read.caveats if caveat.code == "axis-as-text"]
    assert said == ["bits: a number in some runs and text in others, read as text"]
    assert list(kept.check()) == []


def test_a_condition_asks_of_runs_and_of_rows(kept: History) -> None:
    """Of their facts and tags as of axes."""
    for number in range(4):
        facts = Facts(commit=f"c{number}", machine="atom" if number % 2 else "i7", tags={"cc": f"gcc-{number}"})
        kept.record(results(number, bits=number), facts)
    assert kept.results("machine=atom").frame["commit"].unique().tolist() == ["c1", "c3"]
    assert kept.results("commit=c3 benchmark=Decode").frame["benchmark"].unique().tolist() == ["Decode"]
    assert kept.results("tag.cc=gcc-[01] bits!=0").frame["commit"].unique().tolist() == ["c1"]
    assert len(kept.results("machine!=atom").frame) == 14
    for wrong, said in (("machine=m1", "selects no run of 4"), ("bits=9", "bits takes 0, 1, 2, 3")):
        with pytest.raises(SelectionError, match=said):
            kept.results(wrong)


def test_packs_hold_all_and_are_read_alone(kept: History) -> None:
    """Packing changes no answer; the files of packed runs go a day later, and so do packs that a larger one holds."""
    for number in range(5):
        kept.record(results(number), Facts(commit=f"c{number}"))
    before = values(kept.results())
    assert kept.pack() == (5, 0)
    assert kept.pack() == (0, 0)
    for number in range(5, 11):
        kept.record(results(number), Facts(commit=f"c{number}"))
    kept.pack()
    assert len(kept.place.names("packed")) == 2
    yesterday = time.time() - 100_000
    for name in kept.place.names(""):
        os.utime(kept.place.path(name), (yesterday, yesterday))
    assert kept.pack() == (0, 12)
    assert kept.place.names("runs") == []
    assert len(kept.place.names("packed")) == 1
    assert list(kept.check()) == []
    assert len(kept.runs()) == 11
    assert_frame_equal(values(kept.results("commit=c[0-4]")), before)
    assert kept.record(results(3), Facts(commit="c3"))[1] is False


def test_a_pack_that_does_not_hold_its_runs_removes_none(kept: History) -> None:
    """Its footer names them, but its rows are others: what was recorded stays."""
    from pyarrow import parquet

    for number in range(3):
        kept.record(results(number), Facts(commit=f"c{number}"))
    kept.pack()
    (name,) = kept.place.names("packed")
    table = parquet.read_table(kept.place.path(name))
    ones = arrow.array([1.0] * table.num_rows)
    parquet.write_table(table.set_column(table.schema.get_field_index("value"), "value", ones), kept.place.path(name))
    yesterday = time.time() - 100_000
    os.utime(kept.place.path(name), (yesterday, yesterday))
    assert kept.pack() == (0, 0)
    assert len(kept.place.names("runs")) == 3


def test_check_names_every_file_that_is_not_as_it_was_written(kept: History, tmp_path: Path) -> None:
    """One cut, one foreign, one whose values were changed, one under another's name: each is passed over or told."""
    runs = [kept.record(results(number), Facts(time=f"2026-11-{number + 1:02}"))[0] for number in range(4)]
    folder = tmp_path / "kept" / "runs" / "2026-11"
    cut, moved, changed = (folder / f"{run.sha256}.parquet" for run in runs[:3])
    cut.write_bytes(cut.read_bytes()[:-40])
    moved.rename(folder / f"{'0' * 64}.parquet")
    from pyarrow import parquet

    table = parquet.read_table(changed)
    place = table.schema.get_field_index("value")
    other = arrow.compute.add(table.column("value"), 1.0)
    parquet.write_table(table.set_column(place, "value", other), changed)
    (folder / "foreign.parquet").write_bytes(b"PAR1")
    told = sorted(
        (problem.source.rpartition("/")[2][:8], problem.message.partition(" (")[0]) for problem in kept.check()
    )
    assert told == sorted(
        [
            (cut.name[:8], "no run of a history"),
            ("00000000", f"its name is not the hash of its run, {runs[1].sha256[:12]}"),
            (changed.name[:8], f"run {runs[2].name}: other values than were recorded"),
            ("foreign.", "no run of a history"),
        ]
    )
    read = kept.results()
    assert len(read.problems) == 2
    assert len(read.frame) == 21


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "no history; make one with: benchlib record RESULTS --history "),
        ("{}", "no version; this benchlib reads version 1, update it or name another history"),
        ('{"version": 2}', "version 2; this benchlib reads version 1, update it or name another history"),
    ],
)
def test_a_folder_that_is_no_history_is_refused(tmp_path: Path, content: str | None, said: str) -> None:
    """Before anything of it is read."""
    if content is not None:
        (tmp_path / "benchlib-history.json").write_text(content)
    with pytest.raises(InputError) as refused:
        History(str(tmp_path))
    assert said in str(refused.value)


def test_a_folder_of_something_else_is_not_made_a_history(tmp_path: Path) -> None:
    """Nothing is written into it."""
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="holds something that is no history; name an empty or a new folder"):
        History(str(tmp_path), make=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"time": "yesterday"}, "time 'yesterday' is none; write it as in 2026-11-26T12:00:00Z"),
        ({"commit": "a\x1b[2J"}, "is no name; write at most 200 letters, without control characters"),
        ({"recording": "x" * 201}, "is no name; write at most 200 letters"),
    ],
)
def test_facts_are_names(facts: dict[str, str], said: str) -> None:
    """A fact is short, and does nothing to a terminal."""
    with pytest.raises(InputError) as refused:
        Facts(**facts)  # type: ignore[arg-type]
    assert said in str(refused.value)


HOSTILE = (
    "no value", "words for values", "infinite", "nothing", "numbers for names", "lists", "no text", "a zero byte",
    "a claim", "no footer", "no list", "rows of another run", "odd types", "odd way", "odd time", "escapes",
    "no such day", "a path for a hash", "escapes in a tag", "no run", "a column twice", "half precision",
    "letters", "a long text",
)  # fmt: skip


def _hostile_file(fault: str) -> tuple[arrow.Table, bytes]:
    """A file of Parquet that somebody else may put into a folder of runs: a table, and what its footer says."""
    from benchlib.history.runs import Footer, table_of

    run, table = table_of(Facts(), results())
    said = msgspec.json.encode(Footer(version=1, runs=(run,)))

    def with_column(name: str, values: arrow.Array) -> arrow.Table:
        return table.set_column(table.schema.get_field_index(name), name, values)

    rows = table.num_rows
    raw = arrow.array([b"\xff\xfe"] * rows).view(arrow.string())
    book = arrow.DictionaryArray.from_arrays(arrow.array([0] * 8000, arrow.int32()), arrow.array(["A" * 1_000_000]))
    many = table.take(arrow.array([0] * 8000))
    files = {
        "letters": (many.set_column(many.schema.get_field_index("name"), "name", book), said),
        "a long text": (with_column("name", arrow.array(["A" * 80_000_000] + [None] * (rows - 1))), said),
        "no value": (table.drop_columns(["value"]), said),
        "words for values": (with_column("value", arrow.array(["1"] * rows)), said),
        "infinite": (with_column("value", arrow.array([float("inf")] * rows)), said),
        "nothing": (with_column("value", arrow.array([None] * rows, arrow.float64())), said),
        "numbers for names": (with_column("benchmark", arrow.array([1] * rows)), said),
        "lists": (with_column("name", arrow.array([["a"]] * rows)), said),
        "no text": (with_column("benchmark", raw), said),
        "a zero byte": (with_column("benchmark", arrow.array(["a\0b"] * rows)), said),
        "a claim": (table.take(arrow.array([0]).take(arrow.nulls(300_000, arrow.int8()).fill_null(0))), said),
        "no footer": (table, b""),
        "no list": (table, b'{"version": 1, "runs": 5}'),
        "rows of another run": (with_column("run_sha256", arrow.array(["f" * 64] * rows)), said),
        "odd types": (table, said.replace(f'"{run.sha256}"'.encode(), b"5")),
        "odd way": (table, said.replace(b'"lower"', b'"sideways"')),
        "odd time": (table, said.replace(b'"time":""', b'"time":"noon"')),
        "escapes": (table, said.replace(b'"commit":""', b'"commit":"\\u001b[2J"')),
        "no such day": (table, said.replace(b'"time":""', b'"time":"2026-13-45T99:99:99Z"')),
        "a path for a hash": (table, said.replace(run.sha256.encode(), b"../../../elsewhere")),
        "escapes in a tag": (table, said.replace(b'"tags":{}', b'"tags":{"\\u001b[2J":"x"}')),
        "no run": (table, b'{"version": 1, "runs": []}'),
        "a column twice": (table.append_column("name", table.column("name")), said),
        "half precision": (with_column("value", arrow.array([1] * rows, arrow.float16())), said),
    }
    assert set(files) == set(HOSTILE)
    return files[fault]


@pytest.mark.parametrize("fault", HOSTILE)
def test_a_hostile_file_is_passed_over(kept: History, fault: str) -> None:
    """Whatever a file of the folder holds: it is named, and the sound runs are read."""
    from pyarrow import parquet

    table, footer = _hostile_file(fault)
    kept.record(results(1), Facts())
    place = Path(kept.place.path("runs")) / "2026-11" / f"{'e' * 64}.parquet"
    place.parent.mkdir()
    parquet.write_table(table.replace_schema_metadata({b"benchlib": footer}), place, compression="zstd")
    read = kept.results()
    assert len(read.frame) == 7
    assert [problem.source.rpartition("/")[2] for problem in read.problems] == [place.name]
    assert list(kept.check())
    assert all(str(problem).isprintable() for problem in read.problems)


def test_links_and_pipes_of_a_history_are_told_and_not_followed(kept: History, tmp_path: Path) -> None:
    """Two folders that hold themselves would be walked without end; what lies elsewhere is none of the history."""
    other = History(str(tmp_path / "other"), make=True)
    other.record(results(1), Facts())
    kept.record(results(2), Facts())
    runs = Path(kept.place.path("runs"))
    (runs / "a").symlink_to(".")
    (runs / "b").symlink_to(".")
    (runs / "c.parquet").symlink_to(next(Path(other.place.path("runs")).rglob("*.parquet")))
    os.mkfifo(runs / "d.parquet")
    (runs.parent / "packed").symlink_to("../other/runs")
    away = "a symbolic link that leads out of the folder; not followed; copy the file; passed over"
    told = {"packed": away, "runs/c.parquet": away}
    told |= dict.fromkeys(("runs/a", "runs/b", "runs/d.parquet"), "not a regular file; passed over")
    read = kept.results()
    assert {problem.source: problem.message for problem in read.problems} == told
    assert {problem.source for problem in kept.check()} == set(told)
    assert len(kept.runs()) == 1
    (runs.parent / "benchlib-history.json").unlink()
    (runs.parent / "benchlib-history.json").symlink_to("../other/benchlib-history.json")
    with pytest.raises(InputError, match=r"benchlib-history.json: a symbolic link that leads out of the folder"):
        History(kept.uri)


def test_nothing_is_written_through_a_link_out_of_a_history(kept: History, tmp_path: Path) -> None:
    """A folder that somebody else made must not choose where files are put."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "kept" / "runs").symlink_to("../elsewhere")
    with pytest.raises(InputError, match=r"lies behind a symbolic link that leads out of the folder"):
        kept.record(results(), Facts())
    assert not list((tmp_path / "elsewhere").rglob("*.parquet"))


def test_a_column_of_words_called_time_is_an_axis(kept: History) -> None:
    """Morning is no time of a run; a number that counts seconds is."""
    from benchlib.history import runs_of

    (said, part), *more = runs_of(results(time="morning"))
    assert (said, part.axes, more) == (Facts(), ("time",), [])
    ((said, part),) = runs_of(results(timestamp=1609466400))
    assert (said.time, part.axes) == ("2021-01-01T02:00:00Z", ())


# --- many at once, and killed at any moment ---------------------------------------------------------------------------

_WRITER = """
import sys
from benchlib.history import Facts, History
from tests.history.test_store import results
kept = History(sys.argv[1], make=True)
for number in range(int(sys.argv[3])):
    kept.record(results(int(sys.argv[2]) * 1000 + number), Facts(commit=f"{sys.argv[2]}-{number}"))
    print(number, flush=True)
    if number % 5 == 4 and sys.argv[2] == "0":
        kept.pack()
"""


def writer(folder: Path, number: int, runs: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _WRITER, str(folder), str(number), str(runs)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])


@pytest.mark.heavy
def test_eight_writers_lose_nothing(tmp_path: Path) -> None:
    """While one of them packs."""
    History(str(tmp_path / "kept"), make=True)
    writers = [writer(tmp_path / "kept", number, 10) for number in range(8)]
    assert [(one.communicate(timeout=300), one.returncode)[1] for one in writers] == [0] * 8
    kept = History(str(tmp_path / "kept"))
    assert len(kept.runs()) == 80
    assert len(kept.results().frame) == 80 * 7
    assert list(kept.check()) == []


@pytest.mark.heavy
def test_a_killed_writer_leaves_whole_runs(tmp_path: Path) -> None:
    """Killed at 12 random moments: what it said was recorded is there, and nothing is half there."""
    folder, chance, told = tmp_path / "kept", random.Random(1), 0
    for number in range(12):
        with writer(folder, number, 1000) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(chance.uniform(0, 0.3))
            process.send_signal(signal.SIGKILL)
            told += 1 + len(process.stdout.read().splitlines())
    kept = History(str(folder))
    assert told <= len(kept.runs()) <= told + 12
    assert list(kept.check()) == []
    assert len(kept.results().frame) == 7 * len(kept.runs())
    kept.record(results(-1), Facts())
    assert not [path for path in folder.rglob(".*") if path.parent.name == "undated"]


# --- elsewhere --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """A server of S3 on this machine alone."""
    server_module = pytest.importorskip("moto.server", reason="moto is not installed")
    server = server_module.ThreadedMotoServer("127.0.0.1", 0)
    server.start()
    _, port = server.get_host_and_port()
    from pyarrow import fs

    files = fs.S3FileSystem(
        endpoint_override=f"127.0.0.1:{port}", scheme="http", access_key="me", secret_key="hidden",
        allow_bucket_creation=True,
    )  # fmt: skip
    files.create_dir("kept")
    yield f"s3://me:hidden@kept/history?endpoint_override=127.0.0.1:{port}&scheme=http"
    server.stop()


@pytest.mark.heavy
def test_a_history_lies_on_s3(bucket: str) -> None:
    """All of it: recorded, packed, checked, withdrawn; its secret is in no message."""
    kept = History(bucket, make=True)
    for number in range(3):
        kept.record(results(number), Facts(commit=f"c{number}"))
    assert kept.pack() == (3, 0)
    kept.retract(kept.runs()[0].name, "a trial")
    assert list(kept.check()) == []
    assert len(History(bucket).results().frame) == 14
    assert len(open_study(f"history:{bucket}", where="benchmark=Encode").results.frame) == 8
    assert kept.uri == "s3://kept/history"
    with pytest.raises(InputError) as refused:
        History(bucket.replace("@kept/", "@other/"))
    assert "hidden" not in str(refused.value)


def test_a_server_that_does_not_answer_is_one_line() -> None:
    """Without its secret."""
    with pytest.raises(BenchlibError) as refused:
        History("s3://me:hidden@kept/h?endpoint_override=127.0.0.1:1&scheme=http")
    assert str(refused.value).startswith("s3://kept/h: AWS Error NETWORK_CONNECTION")
    assert "hidden" not in str(refused.value)


@pytest.mark.parametrize("tool", ["duckdb", "pandas"])
def test_other_tools_read_it_as_it_lies(kept: History, tool: str) -> None:
    """Commit, machine and time are columns of every file."""
    for number in range(3):
        kept.record(results(number, bits=number), Facts(commit=f"c{number}", time=f"2026-11-2{number}"))
    kept.pack()
    folder = f"{kept.place.path('packed')}"
    if tool == "pandas":
        frame = pd.read_parquet(folder)
        means = frame[~frame["is_failed"]].groupby("commit")["value"].mean().mul(1e9).round(6).to_dict()
    else:
        duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
        asked = (
            f"select commit, avg(value) from '{folder}/*.parquet' where not is_failed group by commit order by commit"
        )
        means = {commit: round(mean * 1e9, 6) for commit, mean in duckdb.sql(asked).fetchall()}
    assert means == {"c0": 103.0, "c1": 104.0, "c2": 105.0}


def test_the_footer_says_what_a_run_is(kept: History) -> None:
    """In JSON, for whoever reads it without benchlib."""
    from pyarrow import parquet

    run, _ = kept.record(results(), Facts(commit="4f2a1b3"))
    (name,) = kept.place.names("runs")
    said = json.loads(parquet.read_metadata(kept.place.path(name)).metadata[b"benchlib"])
    assert said["runs"][0]["sha256"] == run.sha256
    assert said["runs"][0]["facts"]["commit"] == "4f2a1b3"
