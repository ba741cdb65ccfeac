"""The study.toml that benchlib drafts: it opens as it stands, and asks nothing that the files cannot answer."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from benchlib.answers.asking import Refusal
from benchlib.answers.comparison import ComparisonAnswer
from benchlib.answers.executive import ExecutiveSummary, executive_summary
from benchlib.document.numbers import words_of
from benchlib.study import open_study
from benchlib.study.draft import drafted
from benchlib.tell.executive import executive
from tests.synthetic import around, go_text, make_study

FOLDERS = (
    "lplex", "onix-adapter", "published", "token-sdk/matrix", "token-sdk/runner", "token-sdk/transfer",
    "wrk", "wrk-sweep",
)  # fmt: skip
OTHERS = (
    "ab", "criterion", "ghz", "go-test-json", "google-benchmark", "hey", "hyperfine", "jmh", "k6", "locust", "oha",
    "pyperf", "pytest-benchmark",
)  # fmt: skip


def put_beside(folder: Path) -> tuple[dict[str, Any], ExecutiveSummary]:
    """What is drafted for a folder, and the summary of the folder once that lies in it."""
    text = drafted(open_study(folder))
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return tomllib.loads(text), executive_summary(open_study(folder))


@pytest.mark.parametrize("name", [*FOLDERS, *(f"other/{one}" for one in OTHERS)])
def test_it_opens_as_it_stands(name: str, shared_samples: Path, tmp_path: Path) -> None:
    """Whatever is suggested for real results is accepted, and every comparison in it has rows."""
    folder = tmp_path / "study"
    shutil.copytree(shared_samples / name, folder)
    suggested, found = put_beside(folder)
    assert all(isinstance(one, ComparisonAnswer) and one.rows for one in found.comparisons)
    assert len(found.comparisons) == len(suggested.get("compare", []))
    assert words_of(executive(found).answer)
    if "scaling" in suggested:
        assert len(found.study.results.levels(suggested["scaling"]["concurrency"])) > 1


@pytest.mark.parametrize(
    ("names", "baseline"),
    [(("new", "old"), "old"), (("feature", "main"), "main"), (("after", "before"), "before"), (("a", "b"), "a")],
)
def test_what_is_called_older_is_the_baseline(names: tuple[str, str], baseline: str, tmp_path: Path) -> None:
    """Not what comes first in the alphabet: a change would be told the wrong way round."""
    files = {name: go_text({"Encode": around(100 * place)}) for place, name in enumerate(names, start=1)}
    make_study(tmp_path, **files)
    suggested, found = put_beside(tmp_path)
    assert suggested["compare"][0]["baseline"] == baseline
    assert isinstance(found.comparisons[0], ComparisonAnswer)
    assert found.comparisons[0].rows[0].baseline == baseline


@pytest.mark.parametrize("other", ["same", "another", "failed"])
def test_nothing_to_compare_is_not_compared(other: str, tmp_path: Path) -> None:
    """A file that holds the same again, one of other benchmarks, and one that lost all its values are no side."""
    text = go_text({"Encode": around(100)})
    files = {"same": text, "another": go_text({"Decode": around(100)}), "failed": "--- FAIL: BenchmarkEncode\nFAIL\n"}
    make_study(tmp_path, old=text, new=files[other])
    suggested, found = put_beside(tmp_path)
    assert "compare" not in suggested
    assert not found.comparisons


def test_no_number_of_cores_is_made_up(tmp_path: Path) -> None:
    """It stands as a remark, for the reader to fill in."""
    study = make_study(tmp_path, run=go_text({"Encode": around(100)}))
    assert "environment" not in tomllib.loads(drafted(study))
    assert "# cores = " in drafted(study)


def test_an_axis_of_one_level_is_no_concurrency(tmp_path: Path) -> None:
    """Rows without it make it vary, and leave nothing to grow along."""
    lines = [f"BenchmarkEncode-{cores}\t1000\t{100 / cores:g} ns/op\n" for cores in (2, 4, 8)]
    table = "benchmark,connections,throughput (req/s)\nget,10,100\n"
    make_study(tmp_path, go="".join(lines))
    (tmp_path / "table.csv").write_text(table, encoding="utf-8")
    suggested, found = put_beside(tmp_path)
    assert suggested["scaling"]["concurrency"] == "gomaxprocs"
    assert found.study.scaling.concurrency == "gomaxprocs"
    assert not isinstance(found.samples, Refusal)


def sweep_of(folder: Path, *names: str) -> None:
    """A table of throughput at 1, 2 and 4 workers under each name, no two the same."""
    for place, name in enumerate(names, start=1):
        rows = [f"Send,{workers},{place * 100 * workers**0.8:.1f}" for workers in (1, 2, 4)]
        text = "\n".join(["benchmark,workers,throughput (op/s)", *rows])
        (folder / name).write_text(text + "\n", encoding="utf-8")


def test_the_word_in_which_names_differ_becomes_an_axis_of_curves(tmp_path: Path) -> None:
    """Throughput against workers then is drawn one line for each file."""
    sweep_of(tmp_path, "send_pool_r1.csv", "send_serial_r1.csv", "send_unbounded_r1.csv")
    suggested, found = put_beside(tmp_path)
    assert suggested["configuration"]["paths"] == ["send_{file}_r1.csv"]
    assert suggested["scaling"]["concurrency"] == "workers"
    assert not isinstance(found.scaling, Refusal)
    assert [one.key["file"] for one in found.scaling.curves] == ["pool", "serial", "unbounded"]


def test_a_folder_that_asks_nothing_says_how_to_ask(tmp_path: Path) -> None:
    """Without study.toml, and without a question that its files answer by themselves: what was measured is listed."""
    told = executive(executive_summary(make_study(tmp_path, run=go_text({"Encode": around(100)}))))
    assert words_of(told.answer) == "Encode: time per operation 100 ns."
    assert "benchlib inspect --write" in words_of(told.decision)
