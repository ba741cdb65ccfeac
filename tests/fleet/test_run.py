"""Nights of a fleet: what is built, in which order, what is told of it once, and what a kill leaves."""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchlib.run.manifest import locked
from tests.fleet.nights import ROOT, Nights
from tests.fleet.test_plan import job

A = {"name": "a", "study": "data/a", "notebook": "small.ipynb"}
AFTER = {"name": "b", "study": "data/b", "notebook": "small.ipynb", "after": ["a"]}


def notices(nights: Nights) -> list[tuple[str, str]]:
    """Return event and study of all that was told."""
    path = nights.folder / "notices.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return [(notice["event"], notice["study"]) for notice in map(json.loads, lines)]


def test_a_finding_is_told_once_and_its_end_once(tmp_path: Path) -> None:
    """A target missed on two nights, an error on two, then all is well; each night leaves its exit code."""
    nights = Nights(tmp_path, job(**A, fail_on="missed", notify="notices.jsonl"))
    seen = 0
    codes, events = [], []
    for lines in (3, 4, 4, 5, 6, 3, 3):
        nights.write("a", lines)
        code, _, _ = nights.run()
        codes.append(code)
        heard = [event for event, _ in notices(nights)][seen:]
        events.append(heard)
        seen += len(heard)
    assert codes == [0, 3, 3, 1, 1, 0, 0]
    assert events == [[], ["regression"], [], ["failure"], [], ["recovery"], []]
    assert nights.run(what="status")[1].startswith("reports/a/a/small.html: good since ")


def test_only_events_that_are_asked_for_are_told_and_again_where_telling_failed(tmp_path: Path) -> None:
    """A command gets the facts in its environment; one that fails is run again the next night."""
    command = '[ -e ready ] && echo "$BENCHLIB_EVENT $BENCHLIB_JOB $BENCHLIB_EXIT_CODE $BENCHLIB_GATE" >> told'
    nights = Nights(tmp_path, job(**A, fail_on="missed", notify=command, notify_on=["regression"]))
    for lines in (5, 4, 4, 4):
        nights.write("a", lines)
        nights.run()
        if lines == 4:
            (tmp_path / "ready").touch()
    assert (tmp_path / "told").read_text() == "regression a 3 missed\n"


def test_a_job_begins_after_those_that_it_names_ended_well(tmp_path: Path) -> None:
    """What comes after a failure is not begun, told as such, and does not hide the rest; failures leave a page."""
    fleet = job(**AFTER) + job(**A) + job(**AFTER | {"name": "c", "after": ["b"]}) + job(**A | {"name": "d"})
    nights = Nights(tmp_path, fleet)
    nights.write("b", 2)
    code, out, err = nights.run("--jobs", "1")
    assert (code, err) == (0, "")
    begun = [line.split("/")[1] for line in out.splitlines()[:-1]]
    assert begun.index("a") < begun.index("b") < begun.index("c")
    nights.write("a", 5)
    code, out, err = nights.run("--only", "a", "--only", "b", "--only", "c")
    assert code == 1
    assert "reports/b/b/small.html: not begun: it comes after 'a', which failed\n" in out
    assert "reports/c/b/small.html: not begun: it comes after 'b', which did not begin\n" in out
    assert "5 lines are too many" in err
    assert (tmp_path / "reports/a/a/small.failed.html").exists()
    assert nights.run("--only", "b")[1].startswith("reports/b/b/small.html (unchanged): ")


def test_a_failure_is_tried_again_after_a_pause(tmp_path: Path) -> None:
    """Twice as long each time; nothing is told but how it ended."""
    fleet = job(**A | {"study": "data/late"}, retries=3, backoff=0.7, notify="notices.jsonl")
    nights = Nights(tmp_path, fleet)
    night = nights.start("--json-log")
    assert night.stdout is not None
    lines = [json.loads(night.stdout.readline()) for _ in range(2)]
    nights.write("late", 3)
    rest, _ = night.communicate(timeout=60)
    lines += map(json.loads, rest.splitlines())
    assert night.returncode == 0
    assert [line["event"] for line in lines][:2] == ["again", "again"]
    assert [line["pause"] for line in lines[:2]] == [0.7, 1.4]
    assert [line["event"] for line in lines][-2:] == ["built", "end"]
    assert notices(nights) == []


def test_what_another_run_builds_is_left_to_it_or_waited_for(tmp_path: Path) -> None:
    """And what comes after it too; exit code 0."""
    fleet = job(**A) + job(**AFTER)
    nights = Nights(tmp_path, fleet)
    nights.write("b", 2)
    folder = tmp_path / "reports/a/a"
    folder.mkdir(parents=True)
    with locked(folder / ".small.lock", wait=True):
        code, out, _ = nights.run()
        assert code == 0
        assert out.splitlines()[:2] == [
            "reports/a/a/small.html: skipped: another run is building it",
            "reports/b/b/small.html: not begun: it comes after 'a', which another run is building",
        ]
        (tmp_path / "reports.toml").write_text(job(**A, overlap="queue") + job(**AFTER))
        night = nights.start()
        assert night.stderr is not None
        assert night.stderr.readline().endswith("another run is building it; again in 1 s\n")
    out, _ = night.communicate(timeout=60)
    assert out.endswith("2 reports: 2 built\n")


def test_the_command_has_one_thread_until_its_reports_are_built() -> None:
    """Nothing that parsing its arguments imports starts a thread: kernels would take seconds each."""
    code = (
        "import sys; from benchlib.cli import parser; parser().parse_args(['fleet', 'run', 'x.toml']); "
        "sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_a_full_folder_leaves_the_last_good_page(tmp_path: Path) -> None:
    """A folder that nobody may write in stands for a full disk: exit code 2, one line, the page as it was."""
    nights = Nights(tmp_path, job(**A))
    assert nights.run()[0] == 0
    page = tmp_path / "reports/a/a/small.html"
    before = page.read_bytes()
    nights.write("a", 2)
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200)); "
    code = limit + "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); from benchlib.cli import console; "
    code += "sys.argv[1:] = ['fleet', 'run', 'reports.toml']; console()"
    ended = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {code}"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    assert page.read_bytes() == before


@pytest.mark.heavy
def test_a_kill_leaves_no_half_page_and_no_lock(tmp_path: Path) -> None:
    """At a hundred moments of a night: what lies there is whole, and the next night ends well."""
    draw = random.Random(30)
    nights = Nights(tmp_path, job(**A | {"study": "data/*"}, notify="notices.jsonl"))
    studies = [nights.write(name, 3).name for name in "abc"]
    began = time.monotonic()
    assert nights.run()[0] == 0
    whole = time.monotonic() - began
    for number in range(100):
        for study in studies:
            nights.write(study, 1 + number % 3)
        night = nights.start()
        time.sleep(draw.uniform(0, whole))
        night.kill()
        night.communicate()
        for path in (tmp_path / "reports").rglob("*"):
            if path.suffix == ".html" and not path.name.startswith("."):
                assert path.read_text(encoding="utf-8").rstrip().endswith("</html>"), path
            if path.suffix in (".json", ".ipynb") and not path.name.startswith("."):
                json.loads(path.read_text(encoding="utf-8"))
        for lock in (tmp_path / "reports").rglob(".*.lock"):
            until = time.monotonic() + 5
            free = False
            while not free and time.monotonic() < until:
                with locked(lock, wait=False) as free:
                    pass
            assert free, lock
    assert nights.run()[0] == 0
    for manifest in (tmp_path / "reports").rglob("manifest.json"):
        for page in json.loads(manifest.read_text())["pages"].values():
            for name, digest in page["files"].items():
                assert hashlib.sha256(manifest.with_name(name).read_bytes()).hexdigest() == digest
    assert notices(nights) == []
