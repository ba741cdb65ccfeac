"""What a folder without study.toml asks, and the first sentence that comes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.answers.executive import executive_summary
from benchlib.answers.scaling import ScalingAnswer, fit_scaling
from benchlib.concurrency import counted
from benchlib.document.numbers import words_of
from benchlib.study import open_study
from benchlib.study.draft import drafted
from benchlib.tell.executive import executive


def first_sentence(folder: Path, **files: str) -> str:
    """Return the first sentence of the page of a folder of these files."""
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return words_of(executive(executive_summary(open_study(folder))).answer)


def go(**times: float) -> str:
    """Return Go results of these benchmarks, six values each."""
    lines = [
        f"Benchmark{name}\t1000\t{time * (1 + jitter / 1000):.2f} ns/op"
        for name, time in times.items()
        for jitter in (-3, 2, -1, 3, -2, 1)
    ]
    return "\n".join([*lines, ""])


FASTER = "cores,time_s\n1,40.0\n2,21.0\n4,12.0\n8,8.0\n"


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (FASTER, "Sweep still gains at 8 cores: 8.00 s, 5.0 times as fast as 1 core."),
        ("threads,time_s\n1,40.0\n2,21.0\n4,12.0\n8,18.0\n", "fastest at 4 threads with 12.0 s and takes 1.5 times as"),
        ("workers,time_s\n1,40.0\n2,39.9\n4,39.5\n8,39.8\n", "1 worker takes 40.0 s; 4 workers are 1.3% faster."),
        # A label that each row has for itself tells no curves apart.
        ("name,cores,time_s\nserial,1,40\npair,2,21\nfour,4,12\neight,8,8\n", "still gains at 8 cores: 8.00 s"),
        # The time of the whole, and not of a part of it.
        ("cores,time_s,wait_s\n1,40,3\n2,21,3\n4,12,3\n8,8,3\n", "still gains at 8 cores: 8.00 s"),
    ],
)
def test_run_time_against_workers_is_strong_scaling(tmp_path: Path, table: str, words: str) -> None:
    """Told as times; the speedup is over the fewest workers."""
    assert words in first_sentence(tmp_path, sweep__csv=table)


def test_work_that_grows_with_workers_is_weak_scaling(tmp_path: Path) -> None:
    """Throughput is work by time: 8 times the work in 1.25 times the time is 6.4 times as much (Gustafson 1988)."""
    (tmp_path / "weak.csv").write_text("nodes,particles,time_s\n1,100,10\n2,200,10.5\n4,400,11\n8,800,12.5\n", "utf-8")
    study = open_study(tmp_path)
    answer = fit_scaling(study)
    assert isinstance(answer, ScalingAnswer)
    assert (study.scaling.weak, study.scaling.work) == (True, "particles")
    assert [point.speedup for point in answer.curves[0].points] == pytest.approx([1, 2 * 10 / 10.5, 40 / 11, 6.4])
    assert "gustafson" in {fit.law for fit in answer.curves[0].fits}
    assert all(caveat.code != "generator-changed" for caveat in answer.caveats)


@pytest.mark.parametrize(
    "table",
    [
        "connections,time_s\n1,40.0\n2,21.0\n4,12.0\n8,8.0\n",  # who asks, and not what works
        "cores,users,time_s\n1,1,40\n2,2,21\n4,4,12\n8,8,8\n",  # another job at each level
        "cores,wait_s\n1,4\n2,3\n4,2\n8,1\n",  # a part of a job
        "cores,encode_s,decode_s\n1,4,9\n2,3,5\n4,2,3\n8,1,2\n",  # which of two is the whole?
        "cores,time_s\n1,40\n2,21\n",  # two levels have no shape
        "cores,time_s\n0,40\n2,21\n4,12\n",
        "cores,time_s\n1,40\n2,1e-300\n4,12\n8,8\n",  # no job takes so little
    ],
)
def test_no_curve_is_made_of_what_may_be_another_thing(tmp_path: Path, table: str) -> None:
    """When unsure, nothing is asked."""
    (tmp_path / "sweep.csv").write_text(table, encoding="utf-8")
    assert open_study(tmp_path).scaling.curves == ()


@pytest.mark.parametrize(("old", "new"), [("old", "new"), ("base", "head"), ("before", "after"), ("main", "feature")])
def test_two_recordings_are_compared(tmp_path: Path, old: str, new: str) -> None:
    """The one that its name calls the older is the baseline."""
    files = {f"{old}__txt": go(Encode=100, Decode=50), f"{new}__txt": go(Encode=80, Decode=50)}
    said = first_sentence(tmp_path, **files)
    assert f"{new.capitalize()} changes 1 of 2 comparisons beyond noise" in said
    assert "encode: 20% less time" in said.lower()


def test_two_files_without_such_names_are_compared_too(tmp_path: Path) -> None:
    """And two benchmarks that share a part of their names; others are listed."""
    assert "20% less time" in first_sentence(tmp_path, semaphore__txt=go(Users=100), pool__txt=go(Users=80)).replace(
        "25% more", "20% less"
    )
    queues = tmp_path / "queues"
    queues.mkdir()
    assert "mutex queue" in first_sentence(queues, a__txt=go(MutexQueue=100, LockFreeQueue=80)).lower()
    assert open_study(queues).comparisons[0].column == "benchmark"
    others = tmp_path / "others"
    others.mkdir()
    said = first_sentence(others, a__txt=go(Encode=100, Sort=80))
    assert said == "Time per operation goes from 80.0 ns (Sort) to 100 ns (Encode), 1.2 times that."


def test_sides_that_share_few_places_are_not_held_against_each_other(tmp_path: Path) -> None:
    """Two sweeps of one factor each meet in one place."""
    rows = [f"rows,{m},64,{m / 1000}" for m in (2000, 4000, 8000)] + [f"columns,8000,{n},{n / 8}" for n in (16, 32, 64)]
    (tmp_path / "a.csv").write_text("sweep,m,n,time_s\n" + "\n".join(rows) + "\n", encoding="utf-8")
    assert open_study(tmp_path).comparisons == ()


def test_what_is_taken_to_be_asked_is_said(tmp_path: Path) -> None:
    """As a note with its reason, and not where study.toml asks."""
    first_sentence(tmp_path, sweep__csv=FASTER)
    notes = [note for note in executive_summary(open_study(tmp_path)).caveats if note.code == "meant"]
    assert [note.message for note in notes] == [
        "time is read as the run time of a job against cores, strong scaling: the same job with more of them"
    ]
    (tmp_path / "study.toml").write_text('title = "sweep"\n', encoding="utf-8")
    assert open_study(tmp_path).meant == ()


def test_times_without_a_unit_have_a_speedup_and_no_unit(tmp_path: Path) -> None:
    """Nobody said that they are seconds."""
    said = first_sentence(tmp_path, sweep__csv="cores,time_taken\n1,0.40\n2,0.21\n4,0.12\n8,0.08\n")
    assert said == "Sweep still gains at 8 cores: 0.0800, 5.0 times as fast as 1 core."


def test_of_two_axes_of_workers_one_makes_curves(tmp_path: Path) -> None:
    """Each number of processes is a curve over the threads, and is named by it."""
    rows = [f"{p},{t},{40 / (p * t) + 0.3 * p + 0.1 * t:.3f}" for p in (1, 2, 4) for t in (1, 2, 4, 8)]
    said = first_sentence(tmp_path, sweep__csv="n_procs,n_threads,wall_time_s\n" + "\n".join(rows) + "\n")
    assert said == "1 process, 2 processes and 4 processes still gain at 8 threads."


def test_of_single_times_of_alternatives_the_best_is_told(tmp_path: Path) -> None:
    """A ratio of two single values bears nothing out; what the best took is told."""
    said = first_sentence(tmp_path, a__csv="algorithm,time_s\nlinear,0.004\nbinary,0.072\nkmp,0.018\n")
    assert said == "Best is linear with 4.00 ms; binary takes 72.0 ms, 18 times as long."


def test_single_runs_of_many_places_tell_how_many_differ(tmp_path: Path) -> None:
    """By a factor that few machines make by themselves, and by how much most."""
    old = "".join(f"BenchmarkList/case={case}\t100\t{100 + case} ns/op\n" for case in range(8))
    new = "".join(
        f"BenchmarkList/case={case}\t100\t{(100 + case) / (4 if case > 5 else 1):.1f} ns/op\n" for case in range(8)
    )
    said = first_sentence(tmp_path, old__txt=old, new__txt=new)
    assert said.startswith("New instead of old: 2 of 8 differ 2-fold or more, most ")
    assert said.endswith(": 75% less time; one run each.")


def test_what_else_could_be_asked_stands_with_its_command(tmp_path: Path) -> None:
    """Of axes that vary and are in no answer."""
    rows = [f"{lib},{size},{size * factor}" for lib, factor in (("a", 1), ("b", 2), ("c", 3)) for size in (1, 2)]
    (tmp_path / "a.csv").write_text("lib,size,throughput_rps\n" + "\n".join(rows) + "\n", encoding="utf-8")
    document = executive(executive_summary(open_study(tmp_path)))
    [steps] = [section for section in document.sections if section.title == "Measure next"]
    words = str(steps)
    assert f"benchlib compare PATH/TO/{tmp_path.name} --col lib" in words
    assert f"benchlib effects PATH/TO/{tmp_path.name} --factors size" in words


@pytest.mark.parametrize(
    "files",
    [
        {"sweep__csv": FASTER},
        {"weak__csv": "nodes,particles,time_s\n1,100,10\n2,200,10.5\n4,400,11\n8,800,12.5\n"},
        {"old__txt": go(Encode=100, Decode=50), "new__txt": go(Encode=80, Decode=50)},
        {"a__txt": go(MutexQueue=100, LockFreeQueue=80)},
        {"a__csv": "kind,time_s\n" + "".join(f"{kind},{time}\n" for time in (1, 2, 3) for kind in "abc")},
        {"a__csv": "commit,time_s\n" + "".join(f"c{at},{100 + at % 3 + 50 * (at > 9)}\n" for at in range(20))},
    ],
    ids=["strong", "weak", "files", "benchmarks", "factor", "history"],
)
def test_what_is_meant_can_be_written_down(tmp_path: Path, files: dict[str, str]) -> None:
    """As a study.toml that asks the same: the page says the same, and calls nothing meant."""
    said = first_sentence(tmp_path, **files)
    study = open_study(tmp_path)
    assert study.meant
    (tmp_path / "study.toml").write_text(drafted(study), encoding="utf-8")
    assert first_sentence(tmp_path) == said
    written = open_study(tmp_path)
    assert written.meant == ()
    assert (written.scaling, written.effects.factors, written.versions) == (
        study.scaling,
        study.effects.factors,
        study.versions,
    )


def test_a_history_is_led_and_its_two_benchmarks_are_no_sides(tmp_path: Path) -> None:
    """Values of commit after commit are no repeats of which one benchmark could be held against another."""
    rows = "".join(
        f"c{at},parse_{size},{time + at % 3}\n" for at in range(20) for size, time in (("a", 90), ("b", 900))
    )
    said = first_sentence(tmp_path, a__csv=f"commit,benchmark,time_s\n{rows}")
    assert said == "No change over 20 runs; 2 of 2 series steady."


def test_strong_and_weak_scaling_are_not_held_against_each_other(tmp_path: Path) -> None:
    """They are two questions of one program."""
    weak = "cores,time_s\n1,10.0\n2,10.4\n4,10.9\n8,12.2\n"
    assert "instead of" not in first_sentence(tmp_path, strong_scaling__csv=FASTER, weak_scaling__csv=weak)
    assert open_study(tmp_path).comparisons == ()


def test_a_latency_without_a_unit_is_no_time(tmp_path: Path) -> None:
    """Most such files are in ms, and nothing says so."""
    said = first_sentence(tmp_path, a__csv="endpoint,p95,rps\n/a,45,812\n/b,180,210\n/c,70,512\n")
    assert said == "Throughput goes from 210 req/s (b) to 812 req/s (a), 3.9 times that."


def test_user_time_counts_no_users_and_a_mean_concurrency_may_be_small(tmp_path: Path) -> None:
    """`user` stands beside real and sys; the laws hold for every level above 0."""
    assert counted("user") == ""
    assert counted("users") == "users"
    rows = "".join(f"{level},{1000 * level / (1 + 0.1 * level):.1f}\n" for level in (0.2, 0.5, 1.1, 2.3, 5.3))
    said = first_sentence(tmp_path, a__csv=f"concurrency,throughput_rps\n{rows}")
    assert "still gains" in said
