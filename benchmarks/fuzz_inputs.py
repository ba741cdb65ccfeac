"""Give benchlib generated study.toml, command lines and tables, count them, and report what broke: none may.

    python benchmarks/fuzz_inputs.py --seconds 600 --seed 1

- **study.toml**: a real one after a few accidents is a study file, or one printable line says why it is none.
- **command**: options and values of a command at random end in an exit code that is documented, without a traceback,
  and each line of an error is printable. ``report`` and ``slides`` check what they are asked, and build nothing.
- **round trip**: a table of hostile names is written as CSV and as Parquet and read again, and is the same table.

Each takes a third of the time. The run is a function of its seed and of how far it comes; exit code 1 if any failed.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import os
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchlib.cli import _COMMANDS, main, parser  # noqa: E402
from benchlib.errors import StudyError  # noqa: E402
from benchlib.formats.load import load  # noqa: E402
from benchlib.formats.tables import write_table  # noqa: E402
from benchlib.study.open import parse_study_file  # noqa: E402
from tests.properties.hostile import TOKENS, assert_message, hurt  # noqa: E402
from tests.run.small_notebook import write_small_notebook  # noqa: E402

#: What a reader of tables keeps of a name: one line, without space around it.
LETTERS = "ab#=+-@'\"`,;:|/\\%&<>(){}[]0179.eE_~^!?*$ é日\u0301\u200b\u202e\U0001f600\xa0"
CODES = (0, 2, 3, 4, 5, 6, 7, 8)
GO = "BenchmarkEncode/bits=32-8 100 {} ns/op\nBenchmarkDecode/bits=64-8 100 {} ns/op\n"
#: Written into the folder of a command, beside ``study``.
FILES = {"old.txt": GO.format(10, 20) * 6, "new.txt": GO.format(12, 19) * 6, "empty.txt": "", "study.toml": ""}
WORDS = ("study", "old.txt", "new.txt", "empty.txt", "nowhere", "out", "out.csv", "time", "run", "commit", "bits", "32",
         "markdown", "json", "csv", "any", "regression", "missed", "x=1", "bits=32", "benchmark=Enc*", "-", "--", "1",
         "0.5", "5%", "1000/s", "2GiB", "go-bench", "small.ipynb")  # fmt: skip
#: A path out of the folder would be read whole: results of everybody on this machine.
INSIDE = tuple(token for token in TOKENS if not token.startswith(("/", "..")))
#: They run what they are given, wait for a person, or build.
LEFT_OUT = {"--notify", "--force", "-h", "--help", "--version", "--audit"}


def study_file(rng: Random, real: list[str]) -> None:
    """Read a study.toml after accidents."""
    text = hurt(rng.choice(real), rng, real)
    try:
        parse_study_file(text)
    except StudyError as error:
        assert_message(str(error))


def command(rng: Random, options: dict[str, list[str]]) -> None:
    """Run a command with options at random."""
    name = rng.choice(sorted(options))
    line = [name]
    for _ in range(rng.randint(0, 6)):
        word = rng.choice((*WORDS, *INSIDE)) if rng.random() < 0.5 else rng.choice(WORDS)
        option = rng.choice(options[name] or ["--none"])
        line += rng.choice(([word], [option], [option, word], [f"{option}={word}"]))
    line += {"report": ["--dry-run"], "slides": ["--where", "nowhere=1"]}.get(name, [])
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code: object = main(line)
        except SystemExit as ended:
            code = ended.code
        except BaseException as error:
            raise AssertionError(f"{type(error).__name__}: {line}") from error
    assert code in CODES, f"code {code}: {line}"
    for said in err.getvalue().splitlines():
        assert_message(said[:1900])


def round_trip(rng: Random, folder: Path) -> None:
    """Write a table of hostile names and read it again."""
    with (folder / "run.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["benchmark", rng.choice(["kind", "#kind", "=kind", "'kind", "@x"]), "time_ns"])
        for number in range(50):
            name, level = ("".join(rng.choices(LETTERS, k=rng.randint(1, 8))) for _ in range(2))
            rows.writerow([f"B{name}" if rng.random() < 0.2 else name, level, number + 1])
    table = load(folder / "run.csv")
    for ending in ("csv", "parquet"):
        write_table(table, folder / f"table.{ending}")
        again = load(folder / f"table.{ending}")
        for column in table.frame.columns:
            assert column in again.frame, f"{ending}: the column {column!r} is lost"
            if column in ("source", "line", "position"):
                continue
            pairs = zip(table.frame[column].astype(object), again.frame[column].astype(object), strict=True)
            changed = [(before, after) for before, after in pairs if before != after and before == before]
            assert not changed, f"{ending}: {column}: {changed[0][0]!r} became {changed[0][1]!r}"


def options_of() -> dict[str, list[str]]:
    """Return the options of each command but those that run what they are given."""
    known = {}
    for name in _COMMANDS:
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown), contextlib.suppress(SystemExit):
            parser().parse_args([name, "--help"])
        words = {word.rstrip(",]") for word in shown.getvalue().replace("[", " ").split() if word.startswith("-")}
        known[name] = sorted(word for word in words - LEFT_OUT if word.strip("-").replace("-", "").isalnum())
    return known


def fuzz(feed: Callable[[], None], seconds: float) -> tuple[int, Counter[str]]:
    """Feed until the time is over; return how many there were, and what failed."""
    fed, failed = 0, Counter[str]()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        fed += 1
        try:
            feed()
        except Exception as error:
            cause = error.__cause__ or error
            place = traceback.extract_tb(cause.__traceback__)[-1]
            failed[f"{Path(place.filename).name}:{place.lineno}: {type(cause).__name__}: {str(error)[:300]!a}"] += 1
    return fed, failed


def run() -> int:
    """Run, print one line a kind, and return the exit code."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    arguments.add_argument("--seconds", type=float, default=600.0)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    rng, options = Random(given.seed), options_of()
    real = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "data").glob("*/study.toml"))]
    code = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)
        (folder / "study").mkdir()
        for file, text in FILES.items():
            (folder / "study" / file).write_text(text)
            (folder / file).write_text(text)
        write_small_notebook(folder / "small.ipynb")
        for what, feed in (
            ("study.toml", lambda: study_file(rng, real)),
            ("command", lambda: command(rng, options)),
            ("round trip", lambda: round_trip(rng, folder)),
        ):
            fed, failed = fuzz(feed, given.seconds / 3)
            print(f"{what:<12} {fed:>9,} inputs  {failed.total()} failed", flush=True)
            for fault, times in failed.most_common(10):
                print(f"{times:>6} x {fault}", flush=True)
            code = code or (1 if failed else 0)
    return code


if __name__ == "__main__":
    sys.exit(run())
