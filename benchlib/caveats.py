"""Every non-fatal warning benchlib can give, in one place.

A caveat is typed: a code that tests and scripts can hold on to, a severity, a message that
says what was found, and advice that says what to do about it. Reasoning returns caveats beside
its numbers; telling shows each one wherever its number is shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

__all__ = ["SEVERITIES", "Caveat", "caveat", "merge"]

Severity = Literal["alert", "warning", "note"]

#: Most serious first: an alert changes the conclusion, a warning weakens it, a note explains it.
SEVERITIES: tuple[Severity, ...] = ("alert", "warning", "note")

#: code -> (severity, advice). The message is written where the numbers are known; so is what ``{of}`` stands for.
CODES: dict[str, tuple[Severity, str]] = {
    # what was measured
    "failed-results": (
        "alert",
        "Mend {of} and measure it again; rows of failed calls are kept out of every table and fit.",
    ),
    "few-failures": (
        "note",
        "Nothing, if so few may fail; else lower tolerated in [failures] of study.toml: then such rows are set apart.",
    ),
    "problems-in-files": ("warning", "See the list of problems, mend the files, load again."),
    "results-lost": ("alert", "Mend the files named and load again: what was measured there is in no number here."),
    "passed-over": ("note", "Nothing, if they are reports; results do not belong into a folder of reports: move them."),
    "unread-files": ("note", "Nothing, if they are no results; else see benchlib formats, and --reader."),
    "few-samples": (
        "warning",
        "Repeat each measurement at least 6 times for an interval at 95 %.",
    ),
    "unstable-runs": (
        "alert",
        "Find what differed between the runs before trusting a change smaller than this spread.",
    ),
    "noisy-machine": (
        "alert",
        "Measure again on a quiet machine; until then read no change smaller than this spread.",
    ),
    "one-run": (
        "note",
        "Repeat all of it in three runs, as new processes on different days: runs differ by more than values of one.",
    ),
    "without-run": ("warning", "Name the run of every file, by {run} in `paths` of study.toml, or leave them out."),
    "residue": (
        "warning",
        "Group by the axes named, or narrow with --where, so that a cell holds one configuration.",
    ),
    "rounded-values": ("note", "Read the log of the run instead of the table made from it."),
    "no-unit": (
        "warning",
        "Write it into the header, as in throughput_rps, 'throughput (req/s)' or latency_ms, or into a column unit.",
    ),
    "superseded-file": (
        "note",
        "Nothing, if it was made from them; else say which run each file is of, by {run} in `paths` of study.toml.",
    ),
    "names-read": (
        "note",
        "Nothing, if that is what they mean; else say it: benchlib inspect --write begins a study.toml.",
    ),
    "repeats-read": (
        "note",
        "Nothing, if they repeat each other; else say what differs by `paths` in [configuration] of study.toml.",
    ),
    "repeats-differ": (
        "warning",
        "Say what differs between them, by `paths` in [configuration] of study.toml, or measure again.",
    ),
    "files-apart": (
        "warning",
        "Say what the files are: `paths` in [configuration] of study.toml, with {run} for what repeats.",
    ),
    "repeated-file": (
        "note",
        "Keep one of the two files, or name the other in `exclude` of [files] in study.toml.",
    ),
    "meant": ("note", "Say what is asked if it is something else: benchlib inspect --write begins a study.toml."),
    # capacity
    "nodes-in-proportion": (
        "note",
        "Measure two nodes behind the balancer that will carry the load: what lies between nodes is not in the sweep.",
    ),
    "points-not-laws": (
        "warning",
        "Read nothing beyond the levels measured; measure more levels where the curve bends.",
    ),
    "currency-unnamed": ("note", "Name it: --currency EUR, or currency in [capacity] of study.toml."),
    "mix-scales-alike": (
        "warning",
        "Sweep every operation of the mix: each may scale in its own way.",
    ),
    "levels-left-out": (
        "warning",
        "Measure on a machine with as many cores as the largest level.",
    ),
    "levels-failed": (
        "alert",
        "Find out why they failed and measure them again: where a node is full, and how slow it is then, may be there.",
    ),
    "means-disagree": (
        "alert",
        "Find out which one is true before holding a mean to a limit, or give a percentile the limit.",
    ),
    # latency
    "latency-excludes-timeouts": (
        "alert",
        "Use the timeouts beside the percentiles, or a generator that records them.",
    ),
    "tail-beyond-percentiles": (
        "alert",
        "Keep the raw latencies or a histogram: the stated percentiles miss the slowest requests.",
    ),
    "mean-of-other-runs": (
        "warning",
        "Record the mean in the run that the percentiles are of: only then does it bound the slowest requests.",
    ),
    "closed-loop": (
        "note",
        "A closed-loop generator slows down with the server; use an open-loop one for tails.",
    ),
    "littles-law": (
        "warning",
        "Check how the generator counts connections, time and mean latency before using them.",
    ),
    "latency-corrected": (
        "note",
        "Read its mean and percentiles as adjusted figures; use an open-loop generator for tails.",
    ),
    # scaling
    "oversubscribed": (
        "warning",
        "Judge scaling from the levels up to the number of cores, or measure on a larger machine.",
    ),
    "cores-unknown": ("warning", "Record `cores` in [environment] of study.toml."),
    "one-replicate": ("warning", "Repeat every level at least 3 times, in random order."),
    "few-replicates": (
        "note",
        "Repeat every level about 20 times before its own variance is taken for a weight.",
    ),
    "few-levels": ("warning", "Measure at least 6 levels of concurrency, doubling, from 1."),
    "no-level-one": ("warning", "Measure at a concurrency of 1; speedup is relative without it."),
    "superlinear": (
        "warning",
        "Look for what else changed with concurrency: load generator, cache, clock speed.",
    ),
    "generator-changed": (
        "warning",
        "Measure every level with the same load generator settings, then fit again.",
    ),
    "plateau": (
        "warning",
        "Read the ceiling as a wall, as when a resource runs out, not as contention between workers.",
    ),
    "peak-not-observable": (
        "note",
        "Measure beyond the largest level if the peak matters to the decision.",
    ),
    "on-bound": (
        "warning",
        "Read the coefficient on its bound as its limit, not as zero: it was not seen, not disproved.",
    ),
    "poor-fit": ("warning", "Read the points, not the curve, where they part."),
    "exact-data": ("note", "Read the values, not the intervals; measure, if they were meant to be measurements."),
    "laws-disagree": ("warning", "Measure more levels before relying on either law beyond them."),
    "rival-law": ("note", "Measure further out, where the two laws part, before relying on either there."),
    "curves-disagree": (
        "alert",
        "Find out which of the two measures what users feel before planning with either.",
    ),
    "mixed-structure": (
        "alert",
        "Leave out what was built differently: exclude in [scaling] of study.toml, or narrow with --where.",
    ),
    "level-is-time": ("warning", "Measure the levels in random order, in several rounds: schedules/interleave.sh."),
    "drifted-far": ("warning", "Find out what moved the machine, and measure again when it stands still."),
    "drift-removed": ("note", "Let the machine warm up, and measure again if the throughput itself matters."),
    "repeated-levels": ("note", "Repeat every level equally often: the one repeated most pulls a fit to itself."),
    "time-as-throughput": (
        "warning",
        "List the benchmark under parallel in [configuration] of study.toml if its operations ran in parallel.",
    ),
    "refused-curve": ("warning", "Measure what the message names, or fit the law that it names."),
    "serial-not-one-core": (
        "warning",
        "Run the serial benchmark on one processor (-cpu 1) and hold its twin against that.",
    ),
    "parallel-inside": (
        "warning",
        "Count cores, not workers: read the loss where workers equal cores, against one core's time.",
    ),
    "twins-apart": ("note", "Record both twins in turns, in one go, before trusting a small loss."),
    "no-twin": ("note", "Measure the serial benchmark beside its parallel twin, in one configuration."),
    "excluded-from-curve": ("note", "Measure it the way the rest of the sweep was measured."),
    "mixed-units": ("alert", "Choose one unit: narrow with --where, e.g. unit=req/sec."),
    "level-unstated": (
        "warning",
        "State it: `paths` in [configuration] of study.toml takes levels from file names; or narrow with --where.",
    ),
    "refused-rows": ("warning", "Mend the values named, or leave them out with --where."),
    # effects
    "missing-cells": ("warning", "Measure the missing combinations, or narrow the factors."),
    "no-effects": ("warning", "Mend what the message names, or narrow the factors."),
    "missing-levels": ("warning", "Give every row a level, or leave these out with --where."),
    "metric-missing": ("warning", "Measure every metric in every cell, or read each metric by itself."),
    "no-cost-model": ("note", "Read the plain effects; mend what the message names to have a model."),
    "not-predicted": ("warning", "Name every factor with a level the model knows, or measure the cell."),
    "special-cell": ("note", "Treat the cell as a case of its own; the model leaves it out."),
    "one-level": ("note", "Vary the factor to learn its effect."),
    "mixed-levels": ("warning", "Give the words a number, or leave their rows out, to learn the cost of a unit."),
    "negative-values": ("warning", "A cost is 0 or more: mend the rows, or leave them out with --where."),
    "zero-times": ("warning", "Measure more operations at a time: the clock is too coarse for one."),
    "confounded": ("warning", "Vary one of the factors while the others stay, or analyse fewer."),
    "rival-model": ("note", "Read predictions, which are averaged, and measure what is named as next, if anything is."),
    "lack-of-fit": ("note", "Read cells, not the model, for differences as small as this."),
    "few-cells": (
        "warning",
        "Measure at more levels before trusting an interval: repeats do not tell one form from another.",
    ),
    "form-uncertain": ("warning", "Measure the cells that tell the forms apart (next_cells), then read coefficients."),
    "no-freedom": ("warning", "Measure more cells than the model has coefficients."),
    "two-levels": ("note", "Measure a third level to learn how the cost grows between and beyond the two."),
    "negative-fixed-cost": ("note", "Measure smaller levels if the cost near nothing matters."),
    "beyond-range": ("warning", "Measure there if the decision rests on it."),
    "far-beyond-range": ("alert", "Measure there: this far out the rivals agree by chance if at all."),
    "no-ratio": ("note", "Read the difference: there is no ratio to zero."),
    "effect-differs": ("note", "Read the ratio of each slice: one number does not say it."),
    "variance-left-out": ("note", "Name fewer factors, or measure every combination equally often."),
    "parts-exceed-whole": (
        "warning",
        "Check that no part holds another, and that all were measured under the conditions of the whole.",
    ),
    "doubted-rows": (
        "warning",
        "Measure the whole and its parts again, as the curves were measured, before acting on these shares.",
    ),
    "stated-share": ("note", "Measure the part by itself, or profile the whole."),
    # comparison
    "cannot-detect": ("warning", "Repeat both sides until the change that matters is detectable."),
    "sequential-runs": (
        "alert",
        "Interleave baseline and candidate on one machine (A B A B …) and compare again.",
    ),
    "order-unknown": ("note", "Record the sides in turn in one file, or say that they were: --interleaved."),
    "axis-as-text": ("note", "Read it as text, or record numbers alone under this name."),
    "time-in-future": ("warning", "Set the clock of the machine that recorded it, and record the run again."),
    "other-branches": ("note", "Follow another with --branch."),
    "rebased": ("note", "Nothing, if they are what landed."),
    "off-the-line": ("note", "Name a repository that has them, with --repo."),
    "runs-as-versions": ("note", "Record the commit of each run: then what changed can be looked at."),
    "passing-machine": ("note", "Say where it was measured by a name that lasts (--machine), if it matters."),
    "controls": ("note", "Nothing; what is told is what the controls do not explain."),
    "new-machine": ("note", "Name benchmarks that no change of code can reach (--control) to compare across it."),
    "moved-at-once": (
        "warning",
        "See what changed beside the code: machine, system, toolchain, benchmarks; measure the commit before it again.",
    ),
    "two-modes": ("note", "Find what they differ by, such as placement in memory; then each mode has a history."),
    "all-moved-alike": (
        "alert",
        "Record the sides in turn (schedules/interleave.sh), say --interleaved if they were, or name a control.",
    ),
    "moved-while-recorded": (
        "alert",
        "Record the sides in turn (schedules/interleave.sh), say --interleaved if they were, or name a control.",
    ),
    "within-history": (
        "warning",
        "Record more runs of both sides, or both in turn (schedules/interleave.sh): then smaller changes can be told.",
    ),
    "not-in-history": ("note", "Record these benchmarks too: benchlib record."),
    "few-values-in-runs": (
        "note",
        "Repeat each benchmark 4 times or more within a run: the noise of few values looks like a run that wandered.",
    ),
    "trend-in-run": (
        "warning",
        "Let the machine warm up, then interleave baseline and candidate, so that a trend meets both alike.",
    ),
    "outliers": (
        "note",
        "Look for what ran beside the benchmark then; medians and ranks withstand a few such values.",
    ),
    "controls-moved": (
        "alert",
        "Read the change as the machine's until interleaved runs show otherwise.",
    ),
    "possible-controls": (
        "warning",
        "Record the sides in turn; where the change cannot reach these rows, name them as controls.",
    ),
    "fixed-cost": (
        "note",
        "Reset the timer after set-up, or compare at the same number of operations.",
    ),
    "one-sided-rows": ("note", "Compare them once both sides have them."),
    "environment-differs": ("warning", "Compare results from the same machine and toolchain."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Caveat:
    """A warning that travels with the number it concerns.

    Attributes
    ----------
    code : str
        A key of `CODES`, stable between versions.
    severity : {"alert", "warning", "note"}
    message : str
        What was found, with its numbers.
    advice : str
        What to do about it.
    """

    code: str
    severity: Severity
    message: str
    advice: str


def caveat(code: str, message: str, *, of: str = "the benchmark") -> Caveat:
    """Return the caveat of a known code with the message given.

    Parameters
    ----------
    code : str
        A key of `CODES`.
    message : str
    of : str
        What the advice is about, where it names something: read alone, it is to say which.

    Raises
    ------
    KeyError
        For a code that `CODES` does not hold: a programming error, not a user's.

    Examples
    --------
    >>> caveat("one-replicate", "1 measurement a level").severity
    'warning'
    >>> caveat("failed-results", "/flaky: 2 of 9 values", of="/flaky").advice.partition(";")[0]
    'Mend /flaky and measure it again'
    """
    severity, advice = CODES[code]
    return Caveat(code=code, severity=severity, message=message, advice=advice.replace("{of}", of))


def merge(*groups: Iterable[Caveat]) -> tuple[Caveat, ...]:
    """Join groups of caveats: most serious first, each told once, else in the order given."""
    unique = dict.fromkeys(entry for group in groups for entry in group)
    return tuple(sorted(unique, key=lambda entry: SEVERITIES.index(entry.severity)))
