"""Shares of packages from the text of ``go tool pprof -top``, through the reader that reads it elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.errors import BenchlibError, InputError
from benchlib.study import open_study
from benchlib.study.open import package_of, read_shares

PROFILES = Path(__file__).parents[1] / "data" / "pprof_top"

#: Written by go tool pprof of Go 1.26.8 for a benchmark that encodes JSON and hashes it; the middle is left out.
CPU = """\
File: prof.test
Type: cpu
Duration: 386.42ms, Total samples = 340ms (87.99%)
Showing nodes accounting for 340ms, 100% of 340ms total
      flat  flat%   sum%        cum   cum%
     110ms 32.35% 32.35%      120ms 35.29%  encoding/json.appendString[go.shape.string]
      60ms 17.65% 50.00%       60ms 17.65%  crypto/internal/fips140/sha256.blockSHANI
      20ms  5.88% 64.71%       20ms  5.88%  bytes.(*Buffer).Write
      20ms  5.88% 70.59%      160ms 47.06%  encoding/json.stringEncoder
         0     0% 98.83%       10ms  2.94%  compress/gzip.(*Writer).Write
"""


def test_functions_are_summed_by_package(tmp_path: Path) -> None:
    """Flat shares only, largest first; a package that took nothing itself is left out."""
    path = tmp_path / "cpu.txt"
    path.write_text(CPU, encoding="utf-8")
    assert list(read_shares(path, "cpu.txt").items()) == [
        ("encoding/json", pytest.approx(0.3823)),
        ("crypto/internal/fips140/sha256", pytest.approx(0.1765)),
        ("bytes", pytest.approx(0.0588)),
    ]


@pytest.mark.parametrize("name", ["cpu_top.txt", "alloc_top.txt"])
def test_shares_of_real_profiles_are_at_most_the_whole(name: str) -> None:
    """Rounded to a hundredth of a percent each, they sum to what the profile says it shows."""
    shares = read_shares(PROFILES / name, name)
    assert 0.5 < sum(shares.values()) <= 1.005
    assert list(shares.values()) == sorted(shares.values(), reverse=True)


@pytest.mark.parametrize(
    ("function", "package"),
    [
        ("example.com/a.v2/b.(*T).F", "example.com/a.v2/b"),
        ("main.F[go.shape.struct { example.com/x.Y int }]", "main"),
        ("memcpy", "memcpy"),
        ("[libc.so.6]", "[libc.so.6]"),
        ("<unknown>", "<unknown>"),
    ],
)
def test_packages(function: str, package: str) -> None:
    """The last part of the path up to its first point; without a package the name itself."""
    assert package_of(function) == package


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("no profile\n", ""),
        ("      flat  flat%   sum%        cum   cum%\n1ms 50% 50% x\n", ""),
        (
            CPU + CPU.replace("Type: cpu", "Type: alloc_space"),
            ": holds several profiles; write each to a file of its own",
        ),
    ],
)
def test_what_is_no_profile_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """One line that names the file; shares of different wholes do not add up."""
    path = tmp_path / "p.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BenchlibError, match=rf"p\.txt.*{said}") as caught:
        read_shares(path, "p.txt")
    assert "\n" not in str(caught.value)


def test_a_table_without_its_head_is_read(tmp_path: Path) -> None:
    """Copied without the lines that say what was sampled, the shares are the same."""
    path = tmp_path / "cpu.txt"
    path.write_text(CPU[CPU.index("      flat") :], encoding="utf-8")
    assert list(read_shares(path, "cpu.txt")) == ["encoding/json", "crypto/internal/fips140/sha256", "bytes"]


def test_a_profile_is_read_for_its_breakdown(tmp_path: Path) -> None:
    """Its shares stand in the plan, by package; it is no file of results, and no problem either."""
    (tmp_path / "run.txt").write_text("BenchmarkFull-2 10 100 ns/op\n", encoding="utf-8")
    (tmp_path / "cpu[1].txt").write_text(CPU, encoding="utf-8")
    (tmp_path / "study.toml").write_text('[[breakdown]]\nwhole = "Full"\nprofile = "cpu[1].txt"', encoding="utf-8")
    study = open_study(tmp_path)
    assert list(study.breakdowns[0].profiled) == ["encoding/json", "crypto/internal/fips140/sha256", "bytes"]
    assert {file.source for file in study.results.files} == {"run.txt"}
    assert study.results.problems == ()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("run.txt", r"run\.txt: the table names no function; take a longer profile$"),
        ("gone.txt", r"/gone\.txt: no such file or folder; check the path$"),
    ],
)
def test_a_profile_that_is_none(tmp_path: Path, name: str, message: str) -> None:
    """A file of another kind, and one that is not there."""
    for file in ("run.txt", "other.txt"):
        (tmp_path / file).write_text("BenchmarkFull-2 10 100 ns/op\n", encoding="utf-8")
    (tmp_path / "study.toml").write_text(f'[[breakdown]]\nwhole = "Full"\nprofile = "{name}"', encoding="utf-8")
    with pytest.raises(InputError, match=message):
        open_study(tmp_path)
