"""Feed generated input to every reader and report what broke: none may, whatever it is given.

    python benchmarks/fuzz_readers.py --inputs 200000 --seed 1

An input is a real file of some format (of tests/data, data/, and folders named with --files) after a few
accidents: cuts, splices, other words, other JSON values, noise in its bytes. Each is given to a reader,
most of them to a reader of its own format. What must hold is in ``tests/properties/hostile.py``: only
errors of benchlib, each line or record counted once, output in proportion to the input, text that can be
written out. An input that takes longer than --limit seconds has failed too.

The run is a function of its seed; exit code 1 if anything failed. Failed inputs are kept in --keep.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
import traceback
from collections import Counter
from multiprocessing import Pool
from pathlib import Path
from random import Random
from types import FrameType

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchlib.errors import BenchlibError
from benchlib.formats.reader import TextFile
from benchlib.formats.registry import choose, readers
from benchlib.formats.text import decode, head_of
from tests.properties.hostile import assert_message, check, hurt, own_seeds, seeds

#: Notes are known by their name.
NAMES = {"notes": "fuzz.md"}
ENCODINGS = ("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1", "cp437")


class Slow(BaseException):
    """An input took too long; no reader can catch this as an error of its own."""


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise Slow


def fuzz(job: tuple[int, int, float, tuple[Path, ...], Path | None]) -> tuple[Counter[str], Counter[str], list[str]]:
    """Run one share of the inputs; return inputs a reader, outcomes, and what failed."""
    seed, inputs, limit, folders, keep = job
    rng = Random(seed)
    every = seeds(*folders)
    others = [text for _, text in every]
    known = readers()
    own = {one.name: own_seeds(one, every) or others for one in known}
    fed: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    failures: list[str] = []
    signal.signal(signal.SIGALRM, _stop)
    for number in range(inputs):
        reader = known[number % len(known)]
        text = rng.choice(own[reader.name] if rng.random() < 0.75 else others)
        text = hurt(text, rng, others)
        signal.setitimer(signal.ITIMER_REAL, limit)
        try:
            if rng.random() < 0.15:
                outcome = through_bytes(text, rng)
            else:
                reading = check(
                    reader, TextFile(NAMES.get(reader.name, "fuzz"), text.split("\n")), tables=number % 16 < 1
                )
                outcome = "refused" if reading is None else "rows" if len(reading.rows) else "no rows"
        except Slow:
            outcome = "FAILED"
            failures.append(f"{reader.name}: longer than {limit} s, input {seed}:{number}")
        except Exception as error:  # whatever it is, it is what this looks for
            outcome = "FAILED"
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(last.filename).name}:{last.lineno}"
            failures.append(f"{reader.name}: {type(error).__name__} at {where}: {str(error)[:160]}")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if outcome == "FAILED" and keep:
            (keep / f"{reader.name}-{seed}-{number}.txt").write_text(text, encoding="utf-8", errors="surrogatepass")
        fed[reader.name] += 1
        outcomes[outcome] += 1
    return fed, outcomes, failures


def through_bytes(text: str, rng: Random) -> str:
    """Encode, add noise, and take the whole way from bytes to a table."""
    raw = bytearray(text.encode(rng.choice(ENCODINGS), "replace"))
    for _ in range(rng.randrange(3)):
        place = rng.randrange(len(raw) + 1)
        raw[place:place] = rng.randbytes(rng.randrange(1, 6))
    try:
        file = decode(bytes(raw), "fuzz").file
        reader = choose(head_of(file))
    except BenchlibError as error:
        assert_message(str(error))
        return "refused"
    reading = check(reader, file, tables=rng.random() < 0.1)
    return "refused" if reading is None else "rows" if len(reading.rows) else "no rows"


def main() -> int:
    """Run, print one line a reader, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("--inputs", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--limit", type=float, default=10.0, metavar="SECONDS", help="for one input")
    parser.add_argument("--files", type=Path, action="append", default=[], metavar="DIR", help="more real files")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write failed inputs here")
    given = parser.parse_args()
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
    folders = tuple(one.resolve() for one in given.files)
    # Each share has a seed of its own, so that the run does not depend on the number of workers.
    share = 2_500
    sizes = [min(share, given.inputs - start) for start in range(0, given.inputs, share)]
    jobs = [(given.seed * 1_000_003 + n, size, given.limit, folders, given.keep) for n, size in enumerate(sizes)]
    fed: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    started = time.monotonic()
    with Pool(given.workers) as pool:
        for one_fed, one_outcomes, one_failed in pool.imap_unordered(fuzz, jobs):
            fed += one_fed
            outcomes += one_outcomes
            failed.update(one_failed)
    took = time.monotonic() - started
    print(f"{sum(fed.values()):,} inputs in {took:.0f} s from {len(seeds(*folders))} real files, seed {given.seed}")
    print(", ".join(f"{count:,} {what}" for what, count in sorted(outcomes.items())))
    for name, count in sorted(fed.items()):
        broken = sum(times for what, times in failed.items() if what.startswith(f"{name}: "))
        print(f"{name:<24} {count:>8,} inputs  {broken} failed")
    for what, times in failed.most_common():
        print(f"{times:>6} x {what}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
