"""What a file looks like that no reader knows."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from benchlib.errors import FormatError
from benchlib.formats.guesses import guess
from benchlib.formats.reader import TextFile
from benchlib.study import open_study
from tests.properties.hostile import assert_message, hurt, seeds


def refusal(folder: Path, text: str, name: str = "a.txt") -> str:
    (folder / name).write_text(text)
    with pytest.raises(FormatError) as caught:
        open_study(folder)
    assert_message(str(caught.value))
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "looks", "remedy"),
    [
        ("wrk -t2 -c50 -d10 http://localhost\n", "looks like commands ('wrk -t2", "run them and keep what wrk prints"),
        (
            "# small\n/usr/bin/pgbench -c 10 db\n\n$ pgbench -c 20 db\n",
            "commands ('/usr/bin/pgbench -c 10 db')",
            "keep what pgbench prints",
        ),
        ("zsh: no such file or directory: ./run.sh\n", "error of a command ('zsh: no such", "run it again"),
        ('{"username": "Employee", "password": "x"}', "JSON with password", "name the file that the tool wrote"),
        ('{"a": {"b": [1, 2]}}', "JSON with a", 'kind = "records"'),
        ("<!DOCTYPE html>\n<html><body>12 ms</body></html>\n", "a web page", "the results it was made from"),
        ('<?xml version="1.0"?>\n<svg><text>12 ms</text></svg>\n', "a picture (SVG)", "it was drawn from"),
        ("TCP STREAM TEST from 0 to h\nThroughput: 941.2 Mbits/sec\n", "output of netperf", 'unit = "Mbits/sec"'),
        ("#include <chrono>\nint main() {}\nstatic int x;\n#include <x>\n", "a program", "name what it prints"),
        ("colour,shape,place\nred,round,here\nblue,square,there\n", "a table with colour, shape", "like time_ms"),
        ("queue A: 1,234 msg/s\nqueue B: 2,345 msg/s\n", "a program of your own ('queue A: 1,234 msg/s')", "msg/s"),
        (
            "The cores were hot, and the cause of it is not known to us until now, alas.\n",
            "text without results",
            "name the file",
        ),
    ],
)
def test_a_refusal_says_what_the_file_looks_like_and_what_to_do(
    text: str, looks: str, remedy: str, tmp_path: Path
) -> None:
    """In one sentence that fits three lines of a terminal, without a list of readers."""
    said = refusal(tmp_path, text).removeprefix(str(tmp_path))
    assert looks in said
    assert remedy in said
    assert len(said) < 320


@pytest.mark.parametrize(
    ("text", "benchmarks"),
    [
        ("--- 2 threads ---\n  queue A: 1,234 msg/s\n  queue B: 2,345.5 msg/s\n", ["queue A", "queue B"]),
        ("insert 12.5 us\nlookup   3.5 us\n", ["insert", "lookup"]),
        ("run = 0.25 sec\n", ["run"]),
    ],
)
def test_the_declaration_that_it_proposes_reads_the_file(text: str, benchmarks: list[str], tmp_path: Path) -> None:
    """Who copies it into study.toml gets the numbers."""
    said = refusal(tmp_path, text)
    unit, pattern = re.findall(r'unit = ("[^"]+")', said)[0], re.findall(r"pattern = ('[^']+')", said)[0]
    lines = [
        "[[formats]]",
        'name = "own"',
        'files = ["*.txt"]',
        'kind = "lines"',
        f"unit = {unit}",
        f"pattern = {pattern}",
    ]
    (tmp_path / "study.toml").write_text("\n".join(lines))
    frame = open_study(tmp_path).results.frame
    assert frame["benchmark"].tolist() == benchmarks


def test_any_text_is_described_in_one_bounded_line() -> None:
    """Whatever stands in it."""
    rng, texts = Random(27), [text for _, text in seeds()]
    for _ in range(300):
        text = hurt(rng.choice(texts), rng, texts)
        said = guess(TextFile("x", text.split("\n")))
        assert_message(said)
        assert said or not text.strip()
