"""Folders as strangers left them, without a study.toml: what is read, what is asked, and whether both are right.

    python benchmarks/field_cases.py FOLDER [CASE ...]

Every folder inside FOLDER is a case. `field_cases.toml` holds what a person found in its files by hand:

    [conc-map]
    values = 24               # results that the files hold
    axes = {threads = 8}      # each axis and how many levels it takes
    units = ["op/s"]          # of all results
    lead = "scaling"          # the question that the data answer best; "" if they only can be listed
    headline = ["3 threads"]  # what the first sentence must say
    results = false           # instead of all: the folder holds none and is refused

A case without such lines is printed, and counted as not judged.
"""

from __future__ import annotations

import argparse
import contextlib
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchlib.answers.executive import executive_summary
from benchlib.document.numbers import words_of
from benchlib.errors import BenchlibError
from benchlib.study import open_study
from benchlib.tell.executive import executive

JUDGED = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True)
class Case:
    """What came of one folder."""

    name: str
    seconds: float
    headline: str
    values: int = 0
    axes: tuple[tuple[str, int], ...] = ()
    units: tuple[str, ...] = ()
    crashed: bool = False
    refused: bool = False
    scaling: bool = False


def read(folder: Path) -> Case:
    """Read a folder as `benchlib report` does, up to the first sentence of its page."""
    begun = time.perf_counter()
    try:
        summary = executive_summary(open_study(folder))
        headline = words_of(executive(summary).answer)
    except BenchlibError as error:
        return Case(folder.name, time.perf_counter() - begun, str(error), refused=True)
    except Exception as error:  # what is counted here
        return Case(folder.name, time.perf_counter() - begun, repr(error), crashed=True)
    results = summary.study.results
    return Case(
        folder.name,
        time.perf_counter() - begun,
        headline,
        values=len(results.frame),
        axes=tuple((axis, len(results.levels(axis))) for axis in results.varying_axes),
        units=tuple(sorted(set(results.frame["unit"]))),
        scaling=not hasattr(summary.scaling, "reason"),
    )


def wrong(case: Case, judged: dict[str, Any]) -> str:
    """Say what is not as a person found it; empty where all is."""
    if case.crashed:
        return "crashed"
    if not judged.get("results", True):
        return "" if case.refused else "holds no results, and is not refused"
    if case.refused:
        return "refused"
    faults = []
    if case.values != judged.get("values", case.values):
        faults.append(f"{case.values:,} of {judged['values']:,} values")
    if "axes" in judged and dict(case.axes) != judged["axes"]:
        faults.append(f"axes are {judged['axes']}")
    if "units" in judged and set(case.units) != set(judged["units"]):
        faults.append(f"units are {judged['units']}")
    if judged.get("lead") == "scaling" and not case.scaling:
        faults.append("the sweep is not fitted")
    missing = [words for words in judged.get("headline", ()) if words not in case.headline]
    return "; ".join([*faults, *(f"the headline does not say {words!r}" for words in missing)])


def main() -> int:
    """Print a line a case and the sums; 3 if a case crashed or is not as judged."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("case", nargs="*")
    asked = parser.parse_args()
    known = tomllib.loads(JUDGED.read_text(encoding="utf-8"))
    counts = {"right": 0, "wrong": 0, "not judged": 0, "crashed": 0}
    print("| case | s | values | axes | units | first sentence | right |\n|---|---|---|---|---|---|---|")
    for folder in sorted(path for path in asked.folder.iterdir() if path.is_dir()):
        if asked.case and folder.name not in asked.case:
            continue
        case = read(folder)
        judged = known.get(folder.name)
        fault = wrong(case, judged or {})
        verdict = "crashed" if case.crashed else "wrong" if fault else "right" if judged else "not judged"
        counts[verdict] += 1
        axes = ", ".join(f"{axis} {levels}" for axis, levels in case.axes)
        headline = ("refused: " if case.refused else "") + case.headline.replace("|", "/").replace("\n", " ")
        cells = (case.name, f"{case.seconds:.2f}", f"{case.values:,}", axes, ", ".join(case.units), headline[:300])
        print(f"| {' | '.join(cells)} | {verdict}{': ' + fault if fault else ''} |", flush=True)
    print("\n" + ", ".join(f"{number} {verdict}" for verdict, number in counts.items()))
    return 3 if counts["crashed"] or counts["wrong"] else 0


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        raise SystemExit(main())
