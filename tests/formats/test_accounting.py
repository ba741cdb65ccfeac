"""Every line of every file there is: data, context, problem or noise, once; strictness sees each problem."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchlib.cli import main
from benchlib.errors import InputError
from benchlib.formats import load
from benchlib.formats.text import decode, read_bytes

ROOT = Path(__file__).parents[2]
FOLDERS = {"kept": ROOT / "tests" / "data", "shipped": ROOT / "data"}
#: Readers whose files are documents count records, and say how many; fio writes warnings before them.
STRUCTURED = ("{", "[", "window.")


def files(folder: Path) -> Iterator[Path]:
    """Yield the files of results below a folder."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != "study.toml" and path.suffix != ".md":
            yield path


def assert_accounted(path: Path) -> bool:
    """Assert the identity for one file; return whether it holds results."""
    try:
        results = load(path)
    except InputError:
        return False
    (file,) = results.files
    counts = file.lines
    assert min(counts.data, counts.context, counts.problem, counts.noise) >= 0
    assert counts.data > 0
    assert file.rows == len(results.frame) + len(results.failed)
    if file.format == "parquet":
        return True
    text = decode(read_bytes(path, path.name), path.name).file
    if file.format != "fio" and not text.text.lstrip().startswith(STRUCTURED):
        assert counts.total == len(text.lines), (file.format, counts)
    assert counts.problem <= counts.total
    # A problem of a line is recorded, and a line that is a problem says why.
    assert not counts.problem or results.problems
    for table in (results.frame, results.failed):
        assert table["line"].between(0, len(text.lines)).all()
    return True


@pytest.mark.parametrize("where", FOLDERS)
def test_the_accounts_of_every_file_in_the_project_add_up(where: str) -> None:
    """The real files of the tests and of the studies; at least 20 hold results."""
    assert sum(assert_accounted(one) for one in files(FOLDERS[where])) >= 20


def test_the_accounts_of_every_sample_add_up(shared_samples: Path) -> None:
    """Every raw file that a tool wrote, in every folder."""
    read = [one for one in files(shared_samples) if assert_accounted(one)]
    assert len(read) > 150
    assert {one.relative_to(shared_samples).parts[0] for one in read} >= {
        "lplex", "onix-adapter", "other", "token-sdk", "wrk", "wrk-sweep",
    }  # fmt: skip


def studies() -> list[Path]:
    return sorted(one.parent for one in (ROOT / "data").glob("*/study.toml"))


def every_file() -> list[Path]:
    return [one for folder in FOLDERS.values() for one in files(folder)]


@pytest.mark.parametrize("command", [["inspect"], ["convert", "-o", "{out}"]])
def test_strictness_is_an_error_exactly_where_there_is_a_problem(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2 and one line that names the first problem; without problems, 0 as before."""
    seen = {True: 0, False: 0}
    for path in every_file()[:: 1 if command == ["inspect"] else 7]:
        try:
            problems = load(path).problems
        except InputError:
            continue
        arguments = [one.replace("{out}", str(tmp_path / "out.csv")) for one in command]
        code = main([*arguments, str(path), "--strict"])
        said = capsys.readouterr()
        assert code == (2 if problems else 0), (path, problems[:1])
        if problems:
            assert said.err == f"benchlib: {problems[0]}\n"
        seen[bool(problems)] += 1
    assert min(seen.values()) > 0
