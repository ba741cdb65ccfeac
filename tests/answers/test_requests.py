"""Requests one by one: percentiles of order statistics, the share that failed, what a page says first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchlib.answers.executive import executive_summary
from benchlib.answers.requests import RequestsAnswer, requests_answer
from benchlib.document.numbers import words_of
from benchlib.statistics.samples import estimate_percentile, median_ranks
from benchlib.study import open_study
from benchlib.tell.executive import executive

HEAD = "timeStamp,elapsed,label,responseCode,success"


def jtl(folder: Path, requests: list[tuple[int, str, bool]], start: int = 1_700_000_000_000) -> Path:
    """Write a JMeter log, ten requests a second."""
    lines = [
        f"{start + place * 100},{elapsed},{label},{200 if good else 503},{str(good).lower()}"
        for place, (elapsed, label, good) in enumerate(requests)
    ]
    (folder / "results.jtl").write_text("\n".join([HEAD, *lines, ""]), encoding="utf-8")
    return folder


def answered(folder: Path) -> RequestsAnswer:
    answer = requests_answer(open_study(folder))
    assert isinstance(answer, RequestsAnswer)
    return answer


def first_sentence(folder: Path) -> str:
    return words_of(executive(executive_summary(open_study(folder))).answer)


def test_percentiles_of_single_requests(tmp_path: Path) -> None:
    """1 to 1,000 ms: by nearest rank 500, 950 and 990 ms."""
    answer = answered(jtl(tmp_path, [(ms, "login", True) for ms in range(1, 1001)]))
    shown = answer.overall.percentiles
    assert {name: round(estimate.value, 9) for name, estimate in shown.items()} == {
        "p50": 0.5,
        "p95": 0.95,
        "p99": 0.99,
    }
    assert all(estimate.low < estimate.value < estimate.high for estimate in shown.values())
    assert len(answer.by_second) == 100
    assert {second[1:] for second in answer.by_second} == {(10, 0)}
    assert first_sentence(tmp_path) == (
        "1,000 requests: median 500 ms; one in 20 takes longer than 950 ms, one in 100 longer than 990 ms; none failed."
    )


@pytest.mark.parametrize("n", [6, 20, 101, 1000])
def test_the_interval_of_the_50th_percentile_is_that_of_the_median(n: int) -> None:
    """Order statistics by the same binomial distribution: David and Nagaraja 2003, section 7.1."""
    ranks = median_ranks(n, 0.95)
    estimate = estimate_percentile(np.arange(1.0, n + 1), 0.5, unit="sec", confidence_level=0.95)
    assert (estimate.low, estimate.high) == (ranks.low, ranks.high)


def test_too_few_requests_bound_no_tail() -> None:
    """Of 50 values none need lie above the 99th percentile."""
    estimate = estimate_percentile(np.arange(1.0, 51), 0.99, unit="sec", confidence_level=0.95)
    assert estimate.value == 50
    assert not estimate.has_interval


def test_an_interval_holds_its_percentile_as_often_as_it_says() -> None:
    """At least 95 of 100 exponential samples of 500; the bound is four standard errors below."""
    draws = np.sort(np.random.default_rng(27).exponential(size=(400, 500)), axis=1)
    truth = -np.log(1 - 0.95)
    intervals = [estimate_percentile(row, 0.95, unit="sec", confidence_level=0.95) for row in draws]
    held = np.mean([estimate.low <= truth <= estimate.high for estimate in intervals])
    assert held > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 400)


def test_failures_come_first_where_they_matter(tmp_path: Path) -> None:
    """And are no latencies: 80 of 100 failed."""
    folder = jtl(tmp_path, [(100, "pay", True)] * 20 + [(9, "pay", False)] * 80)
    said = first_sentence(folder)
    assert said == "80% of 100 requests failed; the others: median 100 ms, one in 100 longer than 100 ms."
    assert answered(folder).overall.failed_share == 0.8
    assert executive(executive_summary(open_study(folder))).confidence.level == "low"


def test_a_run_that_failed_as_a_whole_says_so(tmp_path: Path) -> None:
    """However few its requests."""
    assert first_sentence(jtl(tmp_path, [(4, "pay", False)] * 3)) == "All 3 requests failed."


def test_labels_are_told_apart_and_the_slowest_tail_comes_first(tmp_path: Path) -> None:
    """With the place to look into first."""
    folder = jtl(tmp_path, [(10, "list", True), (900, "pay", True)] * 50)
    assert [row.key["benchmark"] for row in answered(folder).rows] == ["pay", "list"]
    decision = executive(executive_summary(open_study(folder))).decision
    assert words_of(decision) == "Look first into pay, whose slowest take longest."


def test_repeats_of_a_summary_are_no_single_requests(tmp_path: Path) -> None:
    """A table of latencies by level was summed up by whoever wrote it."""
    rows = "\n".join(f"{n},{n + 4}" for n in range(1, 40))
    (tmp_path / "a.csv").write_text(f"connections,latency_ms\n{rows}\n", encoding="utf-8")
    assert not isinstance(requests_answer(open_study(tmp_path)), RequestsAnswer)
