"""The contract: what the product answers, frozen, so that its rooms can be cut anew.

Everything is asked as a user asks: commands, the files that they write, exit codes. Nothing inside benchlib is imported
but ``benchlib.cli.main``, so that no move of a module changes this file. What stands in ``expected/``:

- ``studies/STUDY/COMMAND.txt``: the JSON of every command for the studies of ``data/``, or its refusal;
- ``studies/STUDY/answers.txt``: every answer of the executive summary, as ``benchlib report`` writes it: question, key,
  value, unit, and the rows of the evidence as their number and a hash of file and line;
- ``asked/NAME.txt``: the JSON of commands with options;
- ``slides.txt``: the answers behind a deck; ``commands.txt``: options and formats;
- ``tables.txt``: the tidy table of every sample of ``tests/data``: rows, units, a hash for each column, problems;
- ``benchstat.txt``: whether ``compare --format benchstat-csv`` writes what benchstat wrote for each recorded case (made
  anew in tests/cli/test_benchstat_differential.py);
- ``bad-input.txt``: exit code and line of stderr for bad input, and what should not be: more lines, output, files.

Numbers are compared to 1e-9 of their size (of fits to 1e-7). Sentences are left out: messages, advice, reasons.

To accept a change that is meant: ``python -m tests.contract.freeze`` (or with the beginnings of names, such as
``studies/lplex tables``), then read ``git diff tests/contract/expected``, and name in the commit each group of keys
that changed. There is no other way to accept a change.
"""

from __future__ import annotations

import atexit
import contextlib
import csv
import io
import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from unittest.mock import patch

from benchlib.cli import main
from tests.contract.cases import ASKED, BAD_INPUT, SOUND
from tests.contract.flat import digest, flatten, join, read_tree, shorten, write_tree

ROOT = Path(__file__).resolve().parents[2]
EXPECTED = Path(__file__).with_name("expected")
SAMPLES = "tests/data"
STUDIES = sorted(path.parent.name for path in ROOT.glob("data/*/study.toml"))
COMMANDS = ("inspect", "scaling", "effects", "capacity", "compare", "noise")

Lines = dict[str, str]


def call(arguments: list[str], folder: Path = ROOT) -> tuple[int, str, str]:
    """Run a command in this process; return its exit code, stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as end:  # by the parser
            code = int(end.code or 0)
    return code, out.getvalue(), err.getvalue()


def command(*arguments: str) -> Lines:
    """Freeze the JSON of a command, or its refusal."""
    code, out, err = call([*arguments, "--format", "json"])
    told = {"exit code": str(code), **({"stderr": err.splitlines()[0]} if err else {})}
    return {**told, **(flatten(json.loads(out)) if out else {})}


def commands() -> Lines:
    """Freeze the options of every command, and the names of all formats."""
    lines: Lines = {}
    for name in (*COMMANDS, "convert", "report", "slides", "formats"):
        code, out, _ = call([name, "--help"])
        options = sorted(set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", out.partition("options:")[2])))
        lines |= {join(name, "exit code"): str(code), **{join(name, option): "" for option in options}}
    return {
        **lines,
        **{join("readers", line): "" for line in call(["formats"])[1].splitlines() if line[:1] not in ("", " ")},
    }


# Reports and decks.


@cache
def built(study: str, *asked: str) -> Path:
    """Build a report or a deck of a study in a process of its own, once; return the folder of page and answers."""
    folder = tempfile.TemporaryDirectory(prefix="contract-")
    atexit.register(folder.cleanup)
    command_line = [sys.executable, "-m", "benchlib", *asked, f"data/{study}", "-o", folder.name, "--quiet"]
    run = subprocess.run(command_line, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", ""), run
    return Path(folder.name) / study


def answers(study: str) -> Lines:
    """Freeze what the report of a study answers."""
    return flatten(json.loads((built(study, "report") / "answers.json").read_text(encoding="utf-8")))


def slides() -> Lines:
    """Freeze what a deck answers."""
    folder = built("onix-adapter-published", "slides", "-p", "target=50000/s")
    return flatten(json.loads((folder / "capacity_deck.answers.json").read_text(encoding="utf-8")))


# Tables.


def tables() -> Lines:
    """Freeze the tidy table of every sample, of every folder of samples, and of every study."""
    files = [path for path in sorted((ROOT / SAMPLES).rglob("*")) if path.suffix not in (".md", ".cmd", ".stderr")]
    paths = [path for path in files if path.is_file() or path.parent == ROOT / SAMPLES]
    lines: Lines = {}
    for path in [*paths, *(ROOT / "data" / study for study in STUDIES), Path(__file__).with_name("weak")]:
        lines.update(_table(path.relative_to(ROOT).as_posix()))
    return lines


def _table(path: str) -> Lines:
    with tempfile.TemporaryDirectory(prefix="contract-") as folder:
        target = Path(folder) / "table.csv"
        code, out, err = call(["convert", path, "-o", str(target), "--with-failed"])
        if code:
            return {join(path, "exit code"): str(code), join(path, "stderr"): err.splitlines()[0]}
        with target.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    units = Counter(f"{row['metric']} in {row['unit'] or 'plain numbers'}" for row in rows)
    columns["value"] = [text and shorten(float(text)) for text in columns["value"]]
    return {
        join(path, "rows"): str(len(rows)),
        join(path, "units"): " | ".join(f"{unit} x {count}" for unit, count in sorted(units.items())),
        join(path, "columns"): " | ".join(f"{name} {digest(values)}" for name, values in columns.items()),
        **{join(path, f"problem {place + 1}"): problem for place, problem in enumerate(out.splitlines()[1:])},
    }


# benchstat.


def benchstat() -> Lines:
    """Hold what is written for each recorded command against what benchstat wrote."""
    return {path.stem: _held_to_benchstat(path) for path in sorted((ROOT / SAMPLES).glob("benchstat_csv/*.cmd"))}


def _held_to_benchstat(path: Path) -> str:
    """Say whether tables and warnings are the same; warnings of cells past column Z have other names on purpose."""
    asked = ["compare", "--format", "benchstat-csv"]
    words = iter(shlex.split(path.read_text(encoding="utf-8"))[1:])
    for word in words:
        if word == "-format":
            next(words)
        elif word == "-filter":
            return "a filter of benchstat"
        else:
            asked.append({"-confidence": "--confidence-level"}.get(word, f"-{word}" if word.startswith("-") else word))
    code, out, err = call(asked, ROOT / SAMPLES / "benchstat_cases")
    told = {suffix: path.with_suffix(suffix).read_text(encoding="utf-8") for suffix in (".stdout", ".stderr")}
    parts = [
        f"{what} the same" if ours == told[suffix] else f"{what} other, {digest(ours.splitlines())}"
        for what, ours, suffix in (("tables", out, ".stdout"), ("warnings", err, ".stderr"))
    ]
    return ", ".join([f"exit code {code}", *parts])


# Bad input.


def bad_input() -> Lines:
    """Freeze exit code and line of stderr of each case, and any output or file that it leaves behind."""
    return dict(_refusal(asked, files) for asked, files in BAD_INPUT)


def _refusal(asked: str, files: Mapping[str, str | bytes]) -> tuple[str, str]:
    """Return a case by its command and first file, and what it says."""
    with tempfile.TemporaryDirectory(prefix="contract-") as name:
        folder, temporary = Path(name, "here").resolve(), Path(name, "temporary")
        temporary.mkdir()
        for path, content in {"sound/run.txt": SOUND, "other.txt": SOUND.replace("20.0", "30.0"), **files}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content if isinstance(content, bytes) else content.encode())
        before = set(folder.rglob("*"))
        with patch("tempfile.tempdir", str(temporary)):
            code, out, err = call(shlex.split(asked), folder)
        left = [path.name for path in {*folder.rglob("*"), *temporary.rglob("*")} - before if path.is_file()]
    first = out + err.removesuffix("\n")
    first = first.replace(str(folder), "<here>").replace(str(ROOT), "<project>")
    # Python 3.14 names choices without quotes.
    first = re.sub(r"\(choose from .*?\)", lambda choices: choices[0].replace("'", ""), first)
    content = next(iter(files.values()), b"")
    key = f"{asked}  # {content.splitlines()}" if isinstance(content, str) else asked
    return key.replace(" = ", "="), f"{code}: {first}" + (f" (left behind: {sorted(left)})" if left else "")


#: What is frozen, by the name of its file in expected/.
CONTRACT: dict[str, Callable[[], Lines]] = {
    **{f"studies/{study}/{asked}": partial(command, asked, f"data/{study}") for study in STUDIES for asked in COMMANDS},
    **{f"studies/{study}/answers": partial(answers, study) for study in STUDIES},
    **{f"asked/{name}": partial(command, *shlex.split(asked)) for name, asked in ASKED.items()},
    "slides": slides,
    "commands": commands,
    "tables": tables,
    "benchstat": benchstat,
    "bad-input": bad_input,
}


def place(name: str) -> Path:
    """Return the file of a part of the contract."""
    return EXPECTED / f"{name}.txt"


def expected(name: str) -> dict[str, str]:
    """Read what is frozen of a part."""
    return read_tree(place(name).read_text(encoding="utf-8")) if place(name).exists() else {}


def freeze(names: list[str]) -> None:
    """Write the parts whose names begin with one of these, or all; of all, remove what is no part any more."""
    for name in CONTRACT:
        if not names or name.startswith(tuple(names)):
            place(name).parent.mkdir(parents=True, exist_ok=True)
            place(name).write_text(write_tree(CONTRACT[name]()), encoding="utf-8")
    for path in EXPECTED.rglob("*.txt"):
        if path.relative_to(EXPECTED).with_suffix("").as_posix() not in CONTRACT:
            path.unlink()


if __name__ == "__main__":
    freeze(sys.argv[1:])
