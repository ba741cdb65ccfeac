"""Where the noise lives, asked of a folder: which levels of repeating a study names, and what each adds."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from benchlib.answers.asking import Refusal
from benchlib.answers.audit import Audit, audit
from benchlib.answers.comparison import compare_study
from benchlib.answers.executive import executive_summary
from benchlib.answers.noise import NoiseAnswer, noise
from benchlib.document.numbers import words_of
from benchlib.errors import StudyError
from benchlib.study import Study, open_study
from benchlib.tell.executive import executive


def recorded(folder: Path, runs: str = 'runs = ["day", "round"]') -> Study:
    """Two days, four rounds each, three values: days differ by 10 %, rounds by 3 %, values by 1 %."""
    rng = np.random.default_rng(7)
    lines = ["benchmark,day,round,size,time_ms"]
    for day in (1, 2):
        for turn in range(1, 5):
            away = (day - 1.5) * 0.2 + rng.normal(0, 0.03)
            for size in (8, 16):
                lines += [f"sort,{day},{turn},{size},{size * np.exp(away + rng.normal(0, 0.01)):.6f}" for _ in range(3)]
    (folder / "times.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "study.toml").write_text(f"[configuration]\n{runs}\n", encoding="utf-8")
    return open_study(folder)


def test_levels_of_repeating_are_no_factors_and_each_has_its_part(tmp_path: Path) -> None:
    study = recorded(tmp_path)
    assert study.results.axes == ("size",)
    assert study.results.frame["run"].iloc[0] == "1/1"
    answer = noise(study)
    assert isinstance(answer, NoiseAnswer)
    (row,) = answer.rows
    assert [part.name for part in row.budget.parts] == ["day", "round", "value"]
    assert [part.units for part in row.budget.parts] == [2, 8, 48]
    assert row.budget["round"].sd == pytest.approx(0.03, rel=0.5)
    assert row.budget["value"].sd == pytest.approx(0.01, rel=0.3)
    assert (row.repeat, row.more) == ("day", 1)


def test_the_level_that_adds_most_is_to_be_repeated(tmp_path: Path) -> None:
    """Days do not differ, rounds do by 3 % and values by 1 %: neither more values nor more days, but more rounds."""
    rng = np.random.default_rng(8)
    lines = ["benchmark,day,round,time_ms"]
    for day in range(1, 5):
        for turn, away in enumerate((-0.03, 0.03, -0.02, 0.02, -0.04, 0.04)):
            lines += [f"sort,{day},{turn},{10 * np.exp(away + rng.normal(0, 0.01)):.6f}" for _ in range(4)]
    (tmp_path / "times.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "study.toml").write_text('[configuration]\nruns = ["day", "round"]\n', encoding="utf-8")
    answer = noise(open_study(tmp_path))
    assert isinstance(answer, NoiseAnswer)
    assert (answer.rows[0].repeat, answer.rows[0].more) == ("round", 18)


def test_sides_of_a_comparison_are_no_repeats() -> None:
    answer = noise(open_study("data/lplex"))
    assert isinstance(answer, NoiseAnswer)
    assert {part.name for row in answer.rows for part in row.budget.parts} == {"value"}
    assert [caveat.code for caveat in answer.caveats] == ["one-run"]


def test_nothing_repeated_is_refused() -> None:
    answer = noise(open_study("data/reference"))
    assert isinstance(answer, Refusal)
    assert answer.reason == "no benchmark has two values of one configuration"


def test_a_level_that_no_result_has_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(StudyError) as refused:
        recorded(tmp_path, 'runs = ["day", "rond"]')
    assert str(refused.value).endswith(
        "study.toml:2: no result has the axis 'rond'; did you mean 'round'? there are day, round, size"
    )


def test_the_recorded_study_says_what_to_repeat() -> None:
    summary = executive_summary(open_study("data/noise"))
    assert isinstance(summary.noise, NoiseAnswer)
    parts = {str(row.key["benchmark"]): [part.name for part in row.budget.parts] for row in summary.noise.rows}
    assert set(parts) == {"Hash", "Sort", "Table", "workers", "/"}
    assert all(levels[-2:] == ["round", "value"] for levels in parts.values())


def test_an_audit_holds_what_the_intervals_promise(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    lines = ["benchmark,workers,run,throughput_rps"]
    for run in range(1, 7):
        for workers in (1, 2, 4, 8, 16, 32):
            rate = 1000 * workers / (1 + 0.03 * (workers - 1) + 5e-4 * workers * (workers - 1))
            lines.append(f"serve,{workers},{run},{rate * np.exp(rng.normal(0, 0.02)):.4f}")
    (tmp_path / "sweep.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    held = audit(open_study(tmp_path), "scaling", simulations=25)
    assert isinstance(held, Audit)
    assert held.intervals == 25 * 4  # throughput at 32 workers and three parameters of the law
    assert 0.85 < held.covered <= 1
    half = audit(open_study(tmp_path), "scaling", simulations=25, confidence_level=0.5)
    assert isinstance(half, Audit)
    assert 0.3 < half.covered < 0.75


def test_an_audit_sees_large_changes_and_few_that_are_none(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    lines = ["benchmark,version,time_ms"]
    for name in ("encode", "decode", "hash", "sort"):
        for version in ("old", "new"):
            lines += [f"{name},{version},{np.exp(rng.normal(2, 0.01)):.6f}" for _ in range(12)]
    (tmp_path / "times.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "study.toml").write_text(
        '[[compare]]\nname = "change"\ncolumn = "version"\nbaseline = "old"\n', encoding="utf-8"
    )
    study = open_study(tmp_path)
    held = audit(study, "comparison", simulations=25, change=0.2)
    assert isinstance(held, Audit)
    assert held.seen > 0.9
    assert held.false_alarms < 0.2
    assert not held.runs_known
    half = audit(study, "comparison", simulations=25, confidence_level=0.5)
    assert isinstance(half, Audit)
    assert 0.3 < half.covered < 0.75
    assert audit(study, "comparison", simulations=5, change=0.2) == audit(
        study, "comparison", simulations=5, change=0.2
    )


def test_an_audit_counts_false_alarms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A comparison that takes every other row for changed is told to cry wolf."""
    rng = np.random.default_rng(6)
    lines = ["benchmark,version,time_ms"]
    for name in "abcdefgh":
        lines += [f"{name},{side},{np.exp(rng.normal(2, 0.05)):.6f}" for side in ("old", "new") for _ in range(8)]
    (tmp_path / "times.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "study.toml").write_text(
        '[[compare]]\nname = "change"\ncolumn = "version"\nbaseline = "old"\n', encoding="utf-8"
    )
    careless = partial(compare_study, significance_level=0.9, min_effect=0.0)
    monkeypatch.setattr("benchlib.answers.audit.compare_study", careless)
    held = audit(open_study(tmp_path), "comparison", simulations=20)
    assert isinstance(held, Audit)
    assert held.false_alarms > 0.1


def test_an_audit_changes_no_row_without_noise(tmp_path: Path) -> None:
    """Without noise any change is seen: counts would make an audit of noisy times look good."""
    rng = np.random.default_rng(7)
    lines = ["benchmark,version,time_ms,allocs_per_op"]
    for version in ("old", "new"):
        lines += [f"noisy,{version},{np.exp(rng.normal(2, 0.5)):.6f},{n}" for n in [12] * 8]
        lines += [f"clock,{version},5,{n}" for n in [7] * 8]
    (tmp_path / "times.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "study.toml").write_text(
        '[[compare]]\nname = "change"\ncolumn = "version"\nbaseline = "old"\n', encoding="utf-8"
    )
    held = audit(open_study(tmp_path), "comparison", simulations=20)
    assert isinstance(held, Audit)
    assert held.intervals == 20  # those of one row
    assert held.seen < 0.3


@pytest.mark.parametrize(
    ("lead", "line"),
    [
        ("noise", "Audited: 95% intervals like these hold "),
        ("latency", "Not audited: this page leads with none of scaling, comparison, effects and noise."),
    ],
)
def test_a_page_that_is_audited_says_so_whatever_it_leads_with(tmp_path: Path, lead: str, line: str) -> None:
    rng = np.random.default_rng(8)
    lines = ["benchmark,run,time_ms,latency_p50_ms,latency_p99_ms"]
    for run in (1, 2, 3):
        lines += [f"a,{run},{np.exp(rng.normal(2, 0.02)):.6f},{rng.uniform(4, 5):.3f},9" for _ in range(5)]
    (tmp_path / "times.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "study.toml").write_text(f'lead = "{lead}"\n', encoding="utf-8")
    page = executive(executive_summary(open_study(tmp_path)), audited=True)
    assert line in words_of(page.confidence.reason)


def test_an_audit_needs_repeats() -> None:
    held = audit(open_study("data/reference"), "scaling")
    assert isinstance(held, Refusal)
    assert held.reason == "nothing was repeated, so that its noise is not known"
