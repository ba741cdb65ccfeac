"""Suites by package, and the remarks of a runner beside what was measured."""

from __future__ import annotations

from pathlib import Path

import benchlib
from benchlib.answers.opinions import runner_opinions
from benchlib.answers.refusal import Refusal
from benchlib.answers.suites import SuitesAnswer, group_suites
from benchlib.report.wording.suites import opinions_table, suites_table
from tests.shipped_studies import summary
from tests.synthetic import around, go_text, make_study


def test_every_benchmark_belongs_to_one_package() -> None:
    """lplex: four packages, their benchmarks counted, the rest of the path left out."""
    found = summary("lplex").suites
    assert isinstance(found, SuitesAnswer)
    assert {one.package: one.benchmarks for one in found.suites} == {
        "lplex": 15, "lplex/filter": 2, "lplex/journal": 2, "lplex/pgn": 4,
    }  # fmt: skip


def test_rows_shown_are_those_that_moved_furthest_each_of_its_own_benchmark() -> None:
    """The rule is told, controls are named, and what only one side has is not shown."""
    found = summary("lplex").suites
    assert isinstance(found, SuitesAnswer)
    first = found.suites[0]
    names = [row.name.split(",")[0] for row in first.rows]
    assert len(set(names)) == len(names) == 3
    changes = [abs(row.change.value - 1) for row in first.rows if row.change is not None]
    assert changes == sorted(changes, reverse=True)
    assert all(row.control for suite in found.suites for row in suite.rows if suite.package.endswith(("filter", "pgn")))
    assert "moved furthest from no change" in suites_table(found).caption


def test_no_change_of_a_suite_stands_without_its_verdict() -> None:
    """4.9x slower where the comparison cannot tell: the table says so too, and which rows are controls."""
    asked = summary("lplex")
    assert isinstance(asked.suites, SuitesAnswer)
    table = suites_table(asked.suites)
    heads = [column.head for column in table.columns]
    row, change, verdict = (heads.index(one) for one in ("row", "change", "verdict"))
    told = {cells[row]: (cells[change], cells[verdict]) for cells in table.rows}
    assert told["JournalAppendFrame, zstd"] == ("4.9x slower", "cannot\u00a0tell")
    assert "control" in {verdict for _, verdict in told.values()}


def test_without_a_comparison_the_slowest_stand_for_their_package(tmp_path: Path) -> None:
    """Two packages in two files; of each the slowest cell of each benchmark."""
    study = make_study(
        tmp_path,
        a=go_text({"Slow": around(90), "Fast": around(9)}, package="x.org/m/one"),
        b=go_text({"Other": around(50)}, package="x.org/m/two"),
    )
    found = group_suites(study, benchlib.summarise_samples(study), ())
    assert isinstance(found, SuitesAnswer)
    assert [(one.package, [row.name for row in one.rows]) for one in found.suites] == [
        ("m/one", ["Slow", "Fast"]),
        ("m/two", ["Other"]),
    ]
    assert "the longest time per operation" in found.rule


def test_rows_that_a_study_keeps_out_stand_last_with_the_reason() -> None:
    """token-sdk: quiet transfers stand before what the busy machine took twice as long for."""
    found = summary("token-sdk").suites
    assert isinstance(found, SuitesAnswer)
    told = {one.package: [(row.name.split(",")[0], row.left_out[:8]) for row in one.rows] for one in found.suites}
    assert told["nogh/v1/transfer"] == [
        ("Sender", ""), ("VerificationSenderProof", ""), ("TransferProofGeneration", "measured"),
    ]  # fmt: skip
    lines = [row[2] for row in suites_table(found).rows if row[0] == "nogh/v1/issue"]
    assert all(one.endswith("(measured while the machine was busy, for two seconds at each level)") for one in lines)
    assert "comes last, with the reason" in suites_table(found).caption


def test_what_can_stand_in_no_row_is_named_with_the_reason() -> None:
    """A benchmark that one recording alone has, and those without a time: no row of dashes, no silent count."""
    journal = [row for row in suites_table(_suites("lplex")).rows if row[0] == "lplex/journal"]
    assert [row[2] for row in journal] == ["only in new: ReaderNoPrefetch and ReaderPrefetch"]
    service = [row[2] for row in suites_table(_suites("token-sdk")).rows if row[0] == "nogh/v1"]
    assert service[-1].startswith("no time per operation: TestParallelBenchmarkIssueServiceIssue and ")


def test_the_head_says_which_side_the_medians_are_of() -> None:
    """Beside a change two medians are meant; without one there is no other."""
    assert "median (new)" in [column.head for column in suites_table(_suites("lplex")).columns]
    assert "median" in [column.head for column in suites_table(_suites("token-sdk")).columns]


def test_a_version_is_no_name_of_a_package(tmp_path: Path) -> None:
    """The folder that a version is of stands before it."""
    study = make_study(
        tmp_path,
        a=go_text({"One": around(90)}, package="x.org/m/v2"),
        b=go_text({"Other": around(50)}, package="x.org/m/v2/sub"),
    )
    found = group_suites(study, benchlib.summarise_samples(study), ())
    assert isinstance(found, SuitesAnswer)
    assert [one.package for one in found.suites] == ["m/v2", "m/v2/sub"]


def _suites(name: str) -> SuitesAnswer:
    found = summary(name).suites
    assert isinstance(found, SuitesAnswer)
    return found


def test_one_package_needs_no_grouping(tmp_path: Path) -> None:
    """A table with one name in its first column says nothing."""
    study = make_study(tmp_path, a=go_text({"B": around(9)}, package="x.org/m"))
    assert isinstance(group_suites(study, benchlib.summarise_samples(study), ()), Refusal)


def test_a_runners_remarks_are_told_once_with_their_number() -> None:
    """The token SDK's runner: the gravest first, numbers that differ make no new remark, every line is evidence."""
    found = summary("token-sdk").opinions
    assert [(one.word, one.count, one.failed) for one in found] == [
        ("CRITICAL", 2, True), ("FAIL", 20, False), ("FAIL", 6, True), ("WARN", 72, False), ("INFO", 78, False),
    ]  # fmt: skip
    assert all(len(one.evidence.rows) == one.count for one in found)


def test_beside_a_remark_stands_what_was_measured() -> None:
    """Its own words in quotes, then the medians of the same reports, and of failed ones that they are in no table."""
    lines = {row[0]: row for row in opinions_table(summary("token-sdk").opinions).rows}
    said = next(key for key in lines if key.startswith("[INFO]"))
    assert said.startswith("[INFO] “High Allocations (")
    assert "allocations per operation 3,941 allocs/op to 15,817 allocs/op" in lines[said][3]
    assert "gc overhead" in lines[said][3]
    grave = next(key for key in lines if key.startswith("[CRITICAL]"))
    assert lines[grave][3] == "every call of these reports failed; their values are in no table"


def test_results_without_remarks_have_no_opinions() -> None:
    """lplex's files hold none."""
    assert runner_opinions(summary("lplex").study, summary("lplex").samples) == ()
