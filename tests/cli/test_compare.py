"""``benchlib compare``: one answer in every format, a gate, and bad input in one line."""

from __future__ import annotations

import csv
import io
import json
import re
from functools import partial
from pathlib import Path

import pytest

from benchlib.answers.comparison import ComparisonAnswer, compare
from benchlib.cli import main
from tests.cli import calling
from tests.synthetic import around, go_text

run = partial(calling.run, "compare")
printed = partial(calling.printed, "compare")
refused = partial(calling.refused, "compare")
document = partial(calling.document, "compare")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with two recordings: Encode a fifth slower, Decode a quarter faster, Match as it was."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.txt").write_text(go_text({"Encode": ten(100), "Decode": ten(200), "Match": ten(50)}))
    (tmp_path / "new.txt").write_text(go_text({"Encode": ten(120), "Decode": ten(150), "Match": ten(50, 3)}))
    return tmp_path


def ten(centre: float, turn: int = 0) -> list[float]:
    """Ten repeats that scatter by about one percent; turned, they are alike and not equal."""
    scatter = [0.991, 0.994, 0.997, 0.999, 1.0, 1.001, 1.003, 1.004, 1.007, 1.011]
    return [round(centre * one * (1 + 0.0003 * turn), 4) for one in scatter[turn:] + scatter[:turn]]


def side(folder: Path, name: str, text: str) -> str:
    """Write a recording, and name it."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return name


def verdicts(capsys: pytest.CaptureFixture[str], *arguments: str, metric: str = "time") -> dict[str, str]:
    """Return the verdict of each benchmark."""
    [comparison] = document(capsys, *arguments)["comparisons"]
    return {row["key"]["benchmark"]: row["verdict"] for row in comparison["rows"] if row["metric"] == metric}


def test_formats_tell_one_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """The ratio of the Python call stands in JSON and CSV, and as a change in text, comment and page."""
    answer = compare("old.txt", "new.txt", metric="time")
    assert isinstance(answer, ComparisonAnswer)
    ratio = answer.rows[0].comparison.ratio.value
    asked = ("old.txt", "new.txt", "--metric", "time")
    assert document(capsys, *asked)["comparisons"][0]["rows"][0]["comparison"]["ratio"]["value"] == ratio
    rows = list(csv.DictReader(io.StringIO(printed(capsys, *asked, "--format", "csv"))))
    assert float(rows[0]["ratio"]) == ratio
    shown = f"{100 * (ratio - 1):.0f}% more time"
    for form in ("text", "markdown", "html"):
        assert shown in re.sub(r"<[^>]*>", "", printed(capsys, *asked, "--format", form))


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("old.txt", "new.txt", "--fail-on", "regression"), 3, "1 of 3 rows is worse: Encode: 20% more time"),
        (("old.txt", "new.txt", "--fail-on", "any"), 3, "1 of 3 rows is better: Decode: 25% less time"),
        (("old.txt", "new.txt", "--where", "benchmark=Decode", "--fail-on", "regression"), 0, ""),
        (("old.txt", "new.txt", "--where", "benchmark=Decode", "--fail-on", "any"), 3, "1 of 1 rows is better"),
        (("old.txt", "new.txt", "--where", "benchmark=Match", "--fail-on", "any"), 0, ""),
        (("old.txt", "new.txt"), 0, ""),
    ],
)
def test_the_gate_trips_on_what_it_was_asked_for(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: int, said: str
) -> None:
    """Exit 3 and one line on stderr, after the comparison was printed; 0 and silence otherwise."""
    found, out, err = run(capsys, *arguments, "--interleaved", "--metric", "time")
    assert found == code
    assert out.startswith("new against old\n")
    assert err.count("\n") == (1 if code else 0)
    assert said in err


def test_a_missed_target_trips_the_gate(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is missed stands on the first screen, every target in its table; a FAIL is a regression."""
    (here / "study").mkdir()
    for name, centre in (("old", 100.0), ("new", 100.05)):
        side(here, f"study/{name}.txt", go_text({"Encode": ten(centre)}))
    side(
        here,
        "study/study.toml",
        '[configuration]\npaths = ["{run}.txt"]\n'
        '[[compare]]\ncolumn = "run"\nbaseline = "old"\nmetrics = ["time"]\nsequential = false\n'
        '[[targets]]\nname = "encode in 50 ns"\nmetric = "time"\nat_most = "50 ns"\n'
        '[[targets]]\nname = "encode in 500 ns"\nmetric = "time"\nat_most = "500 ns"\n',
    )
    code, out, err = run(capsys, "study", "--fail-on", "regression")
    assert code == 3
    assert err == "benchlib: --fail-on regression: 1 of 2 targets FAIL: encode in 50 ns\n"
    assert "1 of 2 (targets missed, before the change too)" in " ".join(out.split())
    full = printed(capsys, "study", "--full")
    assert re.search(r"\n +encode in 50 ns +at most 50 ns .* missed +Encode", full)
    assert re.search(r"\n +encode in 500 ns +at most 500 ns .* kept +Encode", full)
    comment = printed(capsys, "study", "--format", "markdown")
    assert comment.index("**1 of 2** targets missed") < comment.index("<details>")


def test_the_smallest_effect_is_a_share_or_a_percentage(capsys: pytest.CaptureFixture[str]) -> None:
    """Encode's fifth does not matter where only a third does; both ways to write it are one."""
    for written in ("33%", "0.33"):
        found = verdicts(capsys, "old.txt", "new.txt", "--interleaved", "--min-effect", written)
        assert found["Encode"] != "worse"
    assert verdicts(capsys, "old.txt", "new.txt", "--interleaved")["Encode"] == "worse"


def test_benchstat_csv_names_the_sides_as_they_were_given(capsys: pytest.CaptureFixture[str]) -> None:
    """Its columns are benchstat's, and so are labels and paths."""
    code, out, _ = run(capsys, "./old.txt", "after=new.txt", "--format", "benchstat-csv", "--where", "metric=time")
    assert code == 0
    assert ",./old.txt,,after,,,\n" in out
    assert re.search(r"\nEncode,1\.\d+e-07,1%,1\.2\d+e-07,1%,\+\d+\.\d\d%,p=0\.000 n=10\n", out)


def test_the_output_is_written_whole_or_not_at_all(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A comparison that fails leaves what was there; one that is gated is written all the same."""
    side(here, "out.md", "before")
    refused(capsys, "old.txt", "new.txt", "--metric", "tme", "--format", "markdown", "-o", "out.md")
    assert (here / "out.md").read_text() == "before"
    asked = ("old.txt", "new.txt", "--interleaved", "--format", "markdown", "-o", "out.md", "--fail-on", "any")
    code, out, _ = run(capsys, *asked)
    assert (code, out) == (3, "out.md: written\n")
    told = (here / "out.md").read_text()
    assert told.startswith("<!-- benchlib compare: new-against-old -->\n")
    assert "`benchlib compare old.txt new.txt --interleaved`" in told
    assert sorted(one.name for one in here.iterdir()) == ["new.txt", "old.txt", "out.md"]


def test_a_table_is_safe_in_a_spreadsheet_and_keeps_axes_that_have_the_names_of_numbers(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No cell begins a formula, and an axis called ratio takes no number's place."""
    heads = "benchmark,ratio,metric,value,unit\n"
    for name, factor in (("a.csv", 1.0), ("b.csv", 2.0)):
        rows = [f"=1+1,{level},time,{factor * one},ns/op\n" for level in ("@x", "y") for one in ten(10)]
        side(here, name, heads + "".join(rows))
    rows = list(csv.DictReader(io.StringIO(printed(capsys, "a.csv", "b.csv", "--format", "csv"))))
    assert [(row["benchmark"], row["axis.ratio"], round(float(row["ratio"]), 6)) for row in rows] == [
        ("'=1+1", "'@x", 2.0),
        ("'=1+1", "y", 2.0),
    ]


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_runs_of_one_code_have_one_worst_row(here: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    """Whichever the format, and whichever metric comes first: the one whose runs lie furthest apart."""
    heads = "benchmark,metric,value,unit\n"
    for name, time, rate in (("a", 100, 1000), ("b", 110, 3000)):
        side(here, f"{name}.csv", f"{heads}Encode,time,{time},ns/op\nGet,throughput,{rate},req/s\n")
    told = " ".join(printed(capsys, "a.csv", "b.csv", "--same-code", "--format", form).split())
    if form == "json":
        assert json.loads(told)["repeatability"]["rows"][0]["key"] == {"benchmark": "Get"}
        return
    assert "3.00 times at most, Get: throughput" in " ".join(re.sub(r"<[^>]*>|[*()]", " ", told).split())


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (2, ""),
        (3, "3 runs each, but 1 row in 3 rises or falls throughout by chance alone"),
        (4, "4 runs each, but 1 row in 12 rises or falls throughout by chance alone"),
        (5, ""),
    ],
)
def test_an_order_that_chance_gives_often_is_said_to_be_that(
    capsys: pytest.CaptureFixture[str], here: Path, runs: int, said: str
) -> None:
    """Of three values one order in three rises or falls; of five, one in sixty."""
    paths = [side(here, f"run{place}", go_text({"A": [100 + place]})) for place in range(runs)]
    told = " ".join(printed(capsys, *paths, "--same-code").split())
    assert said in told
    assert ("by chance alone" in told) == bool(said)
    assert ("rising" in told) == (runs > 2)


def test_runs_that_drift_far_leave_a_doubt(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    """Six runs of the same code, each slower than the one before, 39 % in all: many runs are no confidence."""
    paths = [
        side(here, f"run{place}", go_text({name: [100 * 1.068**place] * 4 for name in ("A", "B", "C")}))
        for place in range(6)
    ]
    told = " ".join(printed(capsys, *paths, "--same-code").split())
    assert "Confidence low: 6 runs each, but the machine was noisy." in told


def test_a_value_that_one_row_lacks_makes_no_page_of_single_runs(
    capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    """Two rows of ten values and one that failed nine times of ten."""
    times = [100 + place for place in range(10)]
    old = side(here, "a.txt", go_text({"A": times, "B": times, "C": times}))
    new = side(here, "b.txt", go_text({"A": [2 * time for time in times], "B": times, "C": [105]}))
    told = " ".join(printed(capsys, old, new).split())
    assert "Confidence medium: 1 to 10 values each, but the order of recording is unknown." in told


@pytest.mark.parametrize("form", ["text", "markdown", "csv", "json", "html", "benchstat-csv"])
def test_times_that_a_float_can_only_just_hold_are_compared(
    form: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From 1e-309 to 1e290 seconds: no warning of an overflow, which is an error here, and no number that is none."""
    old = go_text({"Huge": [2e290, 3e290, 4e290, 5e290, 6e290, 7e290], "Far": [1.1e-300, 1.2e-300, 1.3e-300] * 2})
    new = go_text({"Huge": [2e290, 3e290, 4e290, 5e290, 6e290, 7e290], "Far": [1.1e299, 1.2e299, 1.3e299] * 2})
    code, out, _ = run(capsys, side(here, "a.txt", old), side(here, "b.txt", new), "--format", form)
    assert code == 0
    assert "Far" in out
    assert not re.search(r"\bnan\b", out, re.IGNORECASE)
    assert ("+Inf%" in out) is (form == "benchstat-csv")


def timed(path: Path, times: dict[str, int]) -> str:
    """A file of six results of each benchmark, about so many nanoseconds each."""
    lines = [f"Benchmark{name} 100 {low + more} ns/op" for more in (2, 0, 3, 1, 3, 0) for name, low in times.items()]
    path.write_text("\n".join(lines))
    return str(path)


def test_a_change_is_laid_on_the_side_that_shows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of three candidates the third is the worst: it is named, not the first."""
    low = {"s0": 1000, "s1": 1100, "s2": 900, "s3": 1500}
    names = [timed(tmp_path / f"{name}.txt", {"A": value, "B": value}) for name, value in low.items()]
    assert main(["compare", *names]) == 0
    told = capsys.readouterr().out
    assert "S1, s2 and s3 change 6 of 6 comparisons beyond noise, at worst A in s3: 50% more time." in told
    assert "Look into A before you take s3." in told


def test_a_benchmark_beside_its_own_parts_keeps_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What has no level of an axis is named by itself, not by its metric."""
    old = timed(tmp_path / "old.txt", {"X": 1000, "X/a": 1000, "X/b": 1000})
    new = timed(tmp_path / "new.txt", {"X": 1500, "X/a": 1000, "X/b": 1000})
    assert main(["compare", old, new]) == 0
    assert "at worst X: 50% more time." in capsys.readouterr().out


def test_little_that_both_sides_have_decides_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One benchmark of four is the same, of the others nothing is known."""
    old = timed(tmp_path / "old.txt", dict.fromkeys("ABCD", 1000))
    new = timed(tmp_path / "new.txt", {"A": 1000})
    assert main(["compare", old, new]) == 0
    told = capsys.readouterr().out
    assert "do not differ beyond noise in the one comparison" in told
    assert "Do not decide yet: measure on both sides what one side lacks." in told


#: A study that says what is compared; ``changed`` may follow.
COMPARED = '[configuration]\npaths = ["{run}.txt"]\n[[compare]]\ncolumn = "run"\nbaseline = "old"\n'
STORE = 'changed = ["m/store"]\n'


def two_packages(machine: float, change: float, allocations: int) -> str:
    """Three benchmarks of a codec that nobody touched, and two of a store; the change can slow only the last of it."""
    codec = {f"Codec{place}": around(100 * machine) for place in range(3)}
    store = {"Get": around(300 * machine), "Put": around(500 * machine * change)}
    return go_text(codec, package="m/codec") + go_text(store, package="m/store", allocations=allocations)


@pytest.mark.parametrize(
    ("changed", "machine", "change", "worse", "confidence"),
    [
        ("", 1.1, 1.0, {"Codec0", "Codec1", "Codec2", "Get", "Put"}, "medium what the change may not reach moved too"),
        (STORE, 1.1, 1.0, set(), "none unchanged code moved too"),
        (STORE, 1.1, 1.5, {"Put"}, "medium unchanged code moved too"),
        (STORE, 1.0, 1.1, {"Put"}, "medium the order of recording is unknown"),
    ],
    ids=["nobody said what changed", "the machine was slower", "and the change too", "the change alone"],
)
def test_packages_that_did_not_change_retract_what_the_machine_did(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changed: str, machine: float, change: float,
    worse: set[str], confidence: str,
) -> None:  # fmt: skip
    """The gate trips on what is left. Where nobody says what changed, rows that may be controls are only a doubt."""
    side(tmp_path, "study/study.toml", COMPARED + changed)
    side(tmp_path, "study/old.txt", two_packages(1, 1, 3))
    side(tmp_path, "study/new.txt", two_packages(machine, change, 2))
    found = verdicts(capsys, "study")
    assert {name for name, verdict in found.items() if verdict == "worse"} == worse
    assert run(capsys, "study", "--fail-on", "regression")[0] == (3 if worse else 0)
    level, doubt = confidence.split(" ", 1)
    assert f"Confidence {level}: 6 values each, but {doubt}" in " ".join(printed(capsys, "study").split())
