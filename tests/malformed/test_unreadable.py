"""What the system does not let us read, or name: one line or a recorded problem, never a traceback."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.malformed.places import GO, ROOT, Place

#: Root reads whatever it likes, unless it gives that right up.
_PLAIN = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]

COMMANDS = (
    ("inspect", "bad"),
    ("inspect", "bad/run.txt"),
    ("report", "bad", "-o", "out", "--dry-run"),
    ("compare", "bad", "sound"),
    ("convert", "bad", "sound", "-o", "table.csv"),
)


def run_plainly(folder: Path, *arguments: str | bytes) -> tuple[int, str]:
    """Run a command without the rights of root, and return its exit code and what it printed."""
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root reads everything here, and there is no setpriv to give that right up")
    command = [*(_PLAIN if os.geteuid() == 0 else []), sys.executable, "-m", "benchlib", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    return ended.returncode, (ended.stdout + ended.stderr).decode(errors="backslashreplace")


@pytest.fixture
def forbidding(place: Place) -> Iterator[Place]:
    """A place with one sound study; what it forbids is allowed again at the end, or nobody could remove it."""
    place.file("sound/run.txt", GO.replace("10.0", "11.0"))
    yield place
    for path in (place.folder / "bad", place.folder / "bad/inner", place.folder / "bad/run.txt"):
        if path.exists():
            path.chmod(0o700)


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(("forbidden", "mode"), [("bad/run.txt", 0), ("bad", 0), ("bad", 0o600)])
def test_results_that_may_not_be_read_are_told(
    forbidding: Place, forbidden: str, mode: int, arguments: tuple[str, ...]
) -> None:
    """A file, a folder that may not be listed, and one that may be listed and not entered."""
    forbidding.file("bad/run.txt", GO)
    (forbidding.folder / forbidden).chmod(mode)
    code, said = run_plainly(forbidding.folder, *arguments)
    assert "Traceback" not in said
    assert "Permission denied" in said
    assert code == (0 if arguments[0] == "convert" else 2)  # of two places named, the sound one is read


@pytest.mark.parametrize("mode", [0, 0o600])
@pytest.mark.parametrize("arguments", [one for one in COMMANDS if one[1] == "bad"], ids=" ".join)
def test_a_folder_within_that_may_not_be_read_is_a_problem(
    forbidding: Place, mode: int, arguments: tuple[str, ...]
) -> None:
    """What lies beside it is read."""
    forbidding.file("bad/run.txt", GO)
    forbidding.file("bad/inner/more.txt", GO)
    (forbidding.folder / "bad/inner").chmod(mode)
    code, said = run_plainly(forbidding.folder, *arguments)
    assert (code, "Traceback" in said) == (0, False)


def test_one_file_that_may_not_be_read_is_a_problem_of_the_report(forbidding: Place) -> None:
    """The others carry it; its name and the reason stand on the page."""
    forbidding.file("bad/run.txt", GO)
    forbidding.file("bad/other.txt", GO)
    (forbidding.folder / "bad/run.txt").chmod(0)
    code, said = run_plainly(forbidding.folder, "report", "bad", "-o", "out", "--quiet")
    assert (code, said) == (0, "")
    answers = (forbidding.folder / "out/bad/answers.json").read_text(encoding="utf-8")
    assert "cannot be read (Permission denied); check its rights" in answers


def test_names_that_are_not_utf_8_are_names(place: Place) -> None:
    """Of a file and of a study: the report is built, and the list of all leads to it."""
    study = os.fsencode(place.folder) + b"/st\xffdy"
    os.mkdir(study)
    Path(os.fsdecode(study), "run.txt").write_text(GO)
    Path(os.fsdecode(study + b"/r\xfen.txt")).write_text(GO.replace("10.0", "12.0"))
    code, said = run_plainly(place.folder, "report", study, "-o", "out", "--quiet")
    assert (code, said) == (0, "")
    assert 'href="st%FFdy/executive_summary.html"' in (place.folder / "out/index.html").read_text(encoding="utf-8")


def test_a_run_named_for_a_folder_that_is_not_utf_8_can_be_written(place: Place) -> None:
    """Its bytes are written as a terminal would be shown them."""
    place.file("sound/run.txt", GO.replace("10.0", "11.0"))
    study = os.fsdecode(os.fsencode(place.folder) + b"/st\xffdy")
    os.mkdir(study)
    Path(study, "run.txt").write_text(GO)
    said = place.run("convert", study, "sound", "-o", "table.csv")
    assert (said.code, said.err) == (0, "")
    assert "st\\udcffdy" in (place.folder / "table.csv").read_text(encoding="utf-8")
