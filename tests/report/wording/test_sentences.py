"""Sentences, cards and tables made from answers."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import benchlib
from benchlib.answers.comparison import ComparisonAnswer
from benchlib.answers.executive import ExecutiveSummary
from benchlib.report import sections
from benchlib.report.wording.cards.choice import MOST_CARDS, cards
from benchlib.report.wording.caveats import caveat_list, refusal_line
from benchlib.report.wording.comparison.sentences import comparison_findings, comparison_verdict
from benchlib.report.wording.headline import banner, question_order, verdict
from benchlib.report.wording.measured_tables import latency_table
from benchlib.report.wording.tables import comparison_table, targets_table
from benchlib.study import Study
from tests.shipped_studies import NAMES, summary, words
from tests.synthetic import around, go_text, make_study, make_table

KINDS = '[[compare]]\nname = "kinds"\ncolumn = "kind"\nbaseline = "a"\n'
HEADS = "place kind metric value unit"


def comparison(of: Study) -> ComparisonAnswer:
    """The one comparison of a study."""
    (answer,) = benchlib.compare_study(of)
    assert isinstance(answer, ComparisonAnswer)
    return answer


def findings(folder: Path, rows: list[tuple[object, ...]]) -> list[str]:
    """What is said of kind b beside kind a."""
    made = [("B", *one) for one in rows]
    return comparison_findings(comparison(make_table(folder, f"benchmark {HEADS}", made, KINDS)))


@pytest.mark.parametrize(
    ("metric", "unit", "before", "after", "said"),
    [
        (
            "time",
            "us/op",
            100,
            50,
            "b is 2.00x faster than a in time per operation as measured (50 µs/op against 100 µs/op",
        ),
        ("time", "us/op", 50, 100, "b is 2.00x slower than a in time per operation"),
        (
            "throughput",
            "req/s",
            100,
            150,
            "b is 1.50x higher than a in throughput as measured (150 req/s against 100 req/s",
        ),
        ("latency_p99", "ms", 100, 101, "p99 latency: no difference between b and a that the data can show"),
        ("memory", "B/op", 2048, 1024, "b takes 1,024 B/op less than a as measured (1.00 KiB/op against 2.00 KiB/op"),
        ("memory", "B/op", 1024, 2048, "b takes 1,024 B/op more than a"),
        (
            "allocations",
            "allocs/op",
            0,
            1,
            "b takes 1 alloc/op more than a as measured (1 allocs/op against 0 allocs/op",
        ),
        (
            "allocations",
            "allocs/op",
            5,
            0,
            "b takes 5 allocs/op less than a as measured (0 allocs/op against 5 allocs/op",
        ),
        ("time", "us/op", 100, 100, "b and a are equal in time per operation"),
    ],
)
def test_a_row_in_words(tmp_path: Path, metric: str, unit: str, before: float, after: float, said: str) -> None:
    """Direction by metric, both values with their units, how many measurements."""
    (line,) = findings(tmp_path, [("x", "a", metric, before, unit), ("x", "b", metric, after, unit)])
    # Trailing zeros are a matter of digits, not of what is said.
    assert _bare(line).startswith(_bare(said))
    assert "n = 1 each" in line


def _bare(text: str) -> str:
    return re.sub(r"(\d+)\.0+(?= )", r"\1", text.removeprefix("B: "))


def test_a_rounded_difference_of_counts_is_told_as_such(tmp_path: Path) -> None:
    """It is no difference of the medians beside it, which are rounded as well."""
    scattered = [(one, place) for place, one in enumerate((-31_234, -17_345, -5_432, 4_321, 12_987, 29_876))]
    rows = [
        ("x", kind, "allocations", middle + one + place, "allocs/op")
        for kind, middle in (("a", 40_000), ("b", 151_234))
        for one, place in scattered
    ]
    (line,) = findings(tmp_path, rows)
    assert line.startswith("B: b takes about 110,000 allocs/op more than a (150,000 allocs/op against 39,000 allocs/op")
    counted = [("x", kind, "allocations", n, "allocs/op") for kind, n in (("a", 5), ("b", 1234)) for _ in range(6)]
    (line,) = findings(tmp_path, counted)
    assert line.startswith("B: b takes 1,229 allocs/op more than a (1,234 allocs/op against 5 allocs/op")


def test_moved_controls_are_the_verdict() -> None:
    """These recordings cannot tell, and the sentence says why instead of a factor."""
    (answer,) = summary("lplex").comparisons
    assert isinstance(answer, ComparisonAnswer)
    told = comparison_verdict(answer)
    assert told.startswith("These recordings cannot tell: ")
    assert "faster" not in told
    assert "slower" not in told


# DEFECT (change() by _change() in report/wording/tables.py): "infx less".
def test_a_table_says_what_fell_to_none(tmp_path: Path) -> None:
    """From 5 allocations to 0 there is no factor."""
    rows = [("B", "a", "allocations", 5, "allocs/op"), ("B", "b", "allocations", 0, "allocs/op")]
    answer = comparison(make_table(tmp_path, "benchmark kind metric value unit", rows, KINDS))
    assert not re.search(r"inf|nan|∞", str(comparison_table(answer).rows))


def test_a_table_of_latencies_shows_a_share_as_a_share() -> None:
    """The coefficient of variation is about 8 %, not 81 ms."""
    answer = summary("token-sdk").latency
    table = latency_table(answer)  # type: ignore[arg-type]
    place = [one.head for one in table.columns].index("cv")
    assert all(str(line[place]).endswith("%") for line in table.rows)


def test_percentiles_stand_in_order() -> None:
    """p50, p95, p99, p99.9: by share, not by number, whichever way a tool writes them."""
    table = latency_table(summary("token-sdk").latency)  # type: ignore[arg-type]
    heads = [one.head for one in table.columns if re.fullmatch(r"p[\d.]+", one.head)]
    assert heads == ["p50", "p95", "p99", "p99.9"]


# DEFECT (effects_verdict() in report/wording/sentences.py takes ratios[0] of none): IndexError.
def test_factors_that_move_together_do_not_break_the_page(tmp_path: Path) -> None:
    """Bits and outputs that always rise together have neither slope nor ratio: said, not raised."""
    rows = [
        ("B", bits, outputs, "time", 10 * bits * repeat, "us/op")
        for bits, outputs in ((32, 1), (64, 2), (96, 3))
        for repeat in (0.99, 1.0, 1.01)
    ]
    plan = '[effects]\nfactors = ["bits", "outputs"]\nmetrics = ["time"]\nby = ["benchmark"]\n'
    made = benchlib.executive_summary(make_table(tmp_path, "benchmark bits outputs metric value unit", rows, plan))
    for name in sections.__all__:
        getattr(sections, name)(made)
    assert "confounded" in {one.code for one in made.caveats}


@pytest.mark.parametrize("name", NAMES)
def test_there_are_four_to_six_cards(name: str) -> None:
    """Each with a label, a value, how sure it is, and no value that is no word."""
    chosen = cards(summary(name))
    assert 4 <= len(chosen) <= MOST_CARDS
    for one in chosen:
        assert one.label
        assert one.value
        assert not re.search(r"\bnan\b|\binf\b|None", f"{one.value} {one.interval} {one.note}")


@pytest.mark.parametrize("name", NAMES)
def test_the_banner_states_status_and_reason(name: str) -> None:
    """In words, not by colour alone; the verdict ends as a sentence does."""
    found = summary(name)
    told = str(banner(found).striptags())
    assert found.status in told
    assert verdict(found).endswith(".")
    assert "\n" not in verdict(found)


@pytest.mark.parametrize("name", NAMES)
def test_the_lead_of_the_study_comes_first(name: str) -> None:
    """Every question is asked once."""
    order = question_order(summary(name))
    lead = summary(name).study.lead
    assert tuple(order[: len(lead)]) == lead
    assert sorted(order) == ["comparison", "effects", "latency", "scaling"]


def test_every_curve_has_its_card_before_counts_fill_the_row() -> None:
    """Four sweeps are four speedups."""
    labels = [one.label for one in cards(summary("reference"))]
    assert [one.split(", ")[1] for one in labels[:4]] == ["specsdm91", "raytracer", "synthetic", "linear2"]


def test_a_question_in_two_parts_is_answered_in_both() -> None:
    """What proofs cost, and whether a second worker helps: in the verdict and in the cards."""
    found = summary("token-sdk")
    assert found.study.lead == ("effects", "scaling")
    told = verdict(found)
    assert "an extra output costs 11.0 ms/op" in told
    assert re.search(r"\. From 1 to 2 workers throughput of .* goes from .*, 1\.29x \(95 %: ", told)
    labels = [one.label for one in cards(found)]
    assert any(one.endswith("time per operation of one more output") for one in labels)
    assert any(one.startswith("From 1 to 2 workers") for one in labels)


def test_a_leading_question_without_an_answer_is_named() -> None:
    """And no other is answered in its place, which nobody asked."""
    told = verdict(benchlib.executive_summary(benchlib.open_study("data/token-sdk", where="benchmark=Sender")))
    assert "an extra output costs" in told
    assert told.endswith(" Not told: how throughput grows (no benchmark was measured at 3 or more levels of workers).")
    assert "csp against bulletproof" not in told


def test_a_study_that_answers_nothing_says_so(tmp_path: Path) -> None:
    """One measurement: a verdict all the same, and a page of one-line refusals."""
    text = go_text({"Decode": [8]})
    made: ExecutiveSummary = benchlib.executive_summary(make_study(tmp_path, "", a=text))
    assert verdict(made).startswith("3 values from 1 file; without a study.toml")
    defined = benchlib.executive_summary(make_study(tmp_path, 'title = "t"\n', a=text))
    assert "answer none of the questions of this study" in verdict(defined)
    for name in ("scaling", "effects", "comparison", "latency"):
        assert "Not answered: " in str(getattr(sections, name)(made).blocks[0])


@pytest.mark.parametrize("name", NAMES)
def test_caveats_stand_on_the_page_with_their_advice(name: str) -> None:
    """All of them, in words for their severity."""
    told = words(name, "caveats").replace("|", "").replace("\u00a0", " ")
    for one in summary(name).caveats:
        assert f"{ {'alert': 'Alert', 'warning': 'Caution', 'note': 'Note'}[one.severity] }: {one.message}" in told
        assert one.advice in told


def test_no_caveat_makes_no_list() -> None:
    """An empty list would be an empty box."""
    assert str(caveat_list(())) == ""


def test_a_refusal_says_reason_and_remedy() -> None:
    """In one paragraph."""
    refusal = benchlib.analyse_effects(summary("http-endpoints").study)
    told = refusal_line(refusal).striptags()  # type: ignore[arg-type]
    assert told == (
        "Not answered: the study names no factor. "
        "To answer it: name the factors that were varied: --factors, or factors in [effects] of study.toml; "
        "axes that vary here: endpoint, url, threads, connections."
    )


def test_targets_name_bound_verdict_and_measurement(tmp_path: Path) -> None:
    """With its interval where there is one."""
    definition = '[[targets]]\nname = "fast"\nwhere = ""\nmetric = "time"\nat_most = "7 ns"\n'
    made = make_study(tmp_path, definition, a=go_text({"Decode": around(8)}))
    (line,) = targets_table(benchlib.check_targets(made)).rows
    assert line[0] == "fast"
    assert line[1] == "at most 7 ns"
    assert "FAIL" in line[3]
    assert line[4] == "8.01 ns/op"
    assert "7.9" in str(line[5])


def test_a_folder_that_nobody_described_says_what_lies_in_it_and_what_is_told_first(tmp_path: Path) -> None:
    """Two tools in one folder: the one sentence is not mistaken for all there is."""
    (tmp_path / "go bench [1].txt").write_text(go_text({"Decode": [8, 9]}), encoding="utf-8")
    shutil.copy("data/http-endpoints/sweep/cheap_c8_r1.txt", tmp_path / "wrk (1).txt")
    shutil.copy("data/http-endpoints/sweep/json_c8_r1.txt", tmp_path / "wrk (2).txt")
    made = benchlib.executive_summary(benchlib.open_study(tmp_path))
    told = verdict(made)
    assert told.startswith(
        "No study.toml says what is asked of the 3 files here (2 of wrk and 1 of go-bench). "
        "First the longest tail of latencies; every benchmark stands under All measurements. "
    )
    first, second, *_ = cards(made)
    assert first.label.removeprefix("p99 latency, ") in told
    assert ("/cheap" in first.label) is not ("/cheap" in second.label)
