"""What the values say of the machine: trends, outliers, and facts that differ."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import ArrayLike

from benchlib.answers.comparison import ComparisonAnswer, compare_study
from benchlib.answers.pairing import PairedCells, pair_cells, shared_axes
from benchlib.answers.verdicts import (
    MACHINE_FACTS,
    RecordedSide,
    environment_caveats,
    machine_facts,
    moved_by_machine,
    outlier_caveats,
    recorded_sides,
    trend_caveats,
)
from benchlib.study import Study, open_study
from tests.synthetic import go_text, make_study, make_table

STEADY = [10.0, 10.1, 10.2, 10.1, 10.05, 10.15]


def side(*samples: ArrayLike, name: str = "new") -> RecordedSide:
    """A side with these samples, called row 0, row 1, ..."""
    values = [np.asarray(one, dtype=np.float64) for one in samples]
    return RecordedSide(
        name=name,
        values=np.concatenate(values) if values else np.empty(0),
        starts=np.cumsum([0, *map(len, values)], dtype=np.intp),
        label=lambda place: f"row {place}",
    )


def scatter(rows: int, n: int, rise: float = 0.0, seed: int = 1) -> list[np.ndarray]:
    """Samples that scatter by 2 % and rise by a share from first to last."""
    random = np.random.default_rng(seed)
    return list(np.exp(random.normal(0, 0.02, (rows, n)) + np.log1p(rise) * np.linspace(0, 1, n)))


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (1, "20 of 20 rows rise during new and 0 fall, by 20 % from first to last in the middle; row 11 rises by 27 %"),
        (
            -1,
            "20 of 20 rows fall during new and 0 rise, by 17 % from first to last in the middle; row 11 falls by 21 %",
        ),
    ],
)
def test_all_rows_of_a_side_rise_or_fall(step: int, message: str) -> None:
    """Counts, the middle, and the row that moves most; the other side holds still and is not named."""
    moving = [sample[::step] for sample in scatter(20, 6, 0.2, seed=2)]
    (said,) = trend_caveats([side(*scatter(20, 6), name="old"), side(*moving)])
    assert (said.code, said.severity, said.message) == ("trend-in-run", "warning", message.format("new"))


def test_one_row_that_rises_among_many() -> None:
    """One of eleven by itself; alone it is the whole message."""
    rising = np.linspace(10, 15, 12)
    (said,) = trend_caveats([side(*scatter(10, 12), rising)])
    assert said.message == "1 of 11 rows rise or fall steadily during new; row 10 rises by 49 %"
    (said,) = trend_caveats([side(rising)])
    assert said.message == "row 0 rises by 49 % from the first value to the last of new"


def test_trends_that_are_not_told() -> None:
    """Interleaved sides meet one trend; a rise of 1 % matters to nobody; constants, zeros and nothing have none."""
    assert trend_caveats([side(*scatter(20, 6, 0.2))], "interleaved") == ()
    assert trend_caveats([side(*(np.linspace(100, 101, 6) for _ in range(20)))]) == ()
    assert trend_caveats([side([5.0] * 6), side([0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), side(), side([1.0], [2.0, 3.0])]) == ()


def test_outliers_name_the_farthest() -> None:
    """A third of the median is as far as three times it."""
    low, high = [*STEADY, 2.0], [*STEADY, 31.0]
    (said,) = outlier_caveats([side(STEADY, high, name="old"), side(STEADY, low)])
    assert (said.code, said.severity) == ("outliers", "note")
    assert said.message == ("2 of 4 samples hold values far outside, most row 1 in new: a value of 0.198x its median")
    assert outlier_caveats([side(STEADY)]) == ()


def test_facts_that_differ_are_one_caveat() -> None:
    """Sides that share a level are named together; one that states nothing differs in nothing."""
    machines = {
        "old": {"cpu": "M5", "go": "1.25"},
        "new": {"cpu": "EPYC", "go": "1.26", "kernel": "6.1"},
        "newer": {"cpu": "EPYC"},
    }
    (said,) = environment_caveats(machines)
    assert (said.code, said.severity) == ("environment-differs", "warning")
    assert said.message == "cpu is M5 in old, EPYC in new, newer; go is 1.25 in old, 1.26 in new"
    assert environment_caveats({"old": {"cpu": "M5"}, "new": {"cpu": "M5"}}) == ()
    assert environment_caveats({}) == ()


def test_facts_of_a_table_are_found_by_their_names() -> None:
    """Hostile text is shown safely; columns that make rows are left out, and so is what nobody stated."""
    frame = pd.DataFrame({"CPU": ["M5\x1b[31m"], "gomaxprocs": [8.0], "goos": [None], "bits": [32], "go": ["1.26"]})
    assert machine_facts(frame, leave_out=["gomaxprocs"]) == {"CPU": "M5\\x1b[31m", "go": "1.26"}
    assert machine_facts(frame)["gomaxprocs"] == "8"
    assert len(MACHINE_FACTS) == len(set(MACHINE_FACTS))


@pytest.mark.parametrize(
    ("first", "second", "warned"),
    [
        ("http://here:80/cheap", "http://here:80/hash", False),
        ("http://here:80/cheap", "http://there:80/hash", True),
        ("http://here:80/cheap", "http://here:80/other", True),
        ("cheap", "hash", True),
    ],
)
def test_an_address_that_only_names_the_side_is_no_other_environment(
    tmp_path: Path, first: str, second: str, warned: bool
) -> None:
    """One address a side that ends with its name and is elsewhere the same; another host or path is warned of."""
    rows = [("get", kind, url, 100, "req/s") for kind, url in (("cheap", first), ("hash", second))]
    asked = '[[compare]]\nname = "kinds"\ncolumn = "kind"\nbaseline = "cheap"\n'
    (answer,) = compare_study(make_table(tmp_path, "benchmark kind url value unit", rows, asked))
    assert isinstance(answer, ComparisonAnswer)
    assert ("environment-differs" in {one.code for one in answer.caveats}) is warned


def paired(study: Study, column: str, sides: list[tuple[str, str]]) -> PairedCells:
    """The cells of a study, paired over all of its metrics."""
    frame = study.results.frame
    return pair_cells(frame, column, shared_axes(frame, column), sides)


def test_only_what_a_machine_moves_is_guarded(tmp_path: Path) -> None:
    """Times are, counts of bytes and allocations are not; each value is one of a recording, in its order."""
    study = make_study(
        tmp_path,
        '[configuration]\npaths = ["{run}.txt"]\n',
        old=go_text({"A": STEADY, "B": [1, 2, 3]}),
        new=go_text({"A": STEADY[::-1], "B": [4, 5, 6]}),
    )
    old, new = recorded_sides(paired(study, "run", [("old", "new")]))
    assert (old.name, new.name, old.samples) == ("old", "new", 2)
    assert (old.values * 1e9).round(2).tolist() == [*STEADY, 1, 2, 3]
    assert (new.values * 1e9).round(2).tolist() == [*STEADY[::-1], 4, 5, 6]
    assert [old.label(one) for one in range(2)] == ["A (time)", "B (time)"]
    assert not moved_by_machine(["B/op", "allocs/op", "req", "section"]).any()
    assert moved_by_machine(["sec", "req/sec"]).all()


def test_a_baseline_of_several_candidates_is_guarded_once() -> None:
    """Three ends, three sides, each sample once."""
    study = open_study("data/heavy-read-api-published")
    ends = [("post-redis", "post"), ("post-redis", "post-marshal"), ("post-marshal", "post")]
    sides = recorded_sides(paired(study, "endpoint", ends))
    timed = study.results.select("unit=*sec").frame["endpoint"].value_counts()
    assert {one.name: one.samples for one in sides} == timed[["post-redis", "post-marshal", "post"]].to_dict()
