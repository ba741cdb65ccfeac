"""Every reader, on whatever bytes: its own errors or none, and an account of each line.

One long run over the same generators is ``benchmarks/fuzz_readers.py``.
"""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchlib.errors import BenchlibError
from benchlib.formats.reader import Reader, TextFile
from benchlib.formats.registry import choose, readers
from benchlib.formats.text import decode, head_of
from tests.properties.hostile import TOKENS, assert_message, check, hurt, own_seeds, seeds

READERS = readers()
#: Seeded, so that a failure is the same for everyone; inputs are small, so none can take long. A fault that one input
#: in ten shows is missed by a reader 1 time in 4, and by all of those that share its code hardly ever.
FAST = settings(
    max_examples=12,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
every_reader = pytest.mark.parametrize("reader", READERS, ids=[one.name for one in READERS])


@every_reader
@FAST
@given(text=st.lists(st.one_of(st.text(max_size=30), st.sampled_from(TOKENS)), max_size=12).map("\n".join))
def test_arbitrary_text(reader: Reader, text: str) -> None:
    """Text that resembles nothing: read, or refused in one line, and every line counted."""
    check(reader, TextFile("any", text.replace("\0", "").encode("utf-8", "replace").decode().split("\n")), tables=False)


@every_reader
@FAST
@given(rng=st.randoms(use_true_random=False))
def test_damaged_files_of_the_format(reader: Reader, rng: Random) -> None:
    """Real files cut, spliced, with lines moved, words exchanged and JSON values of other types."""
    own = own_seeds(reader, seeds()) or [""]
    others = [text for _, text in seeds()]
    check(reader, TextFile("damaged", hurt(rng.choice(own), rng, others).split("\n")))


@every_reader
@FAST
@given(rng=st.randoms(use_true_random=False))
def test_damaged_files_of_other_formats(reader: Reader, rng: Random) -> None:
    """What --format makes possible: a reader given what was never meant for it."""
    others = [text for _, text in seeds()]
    check(reader, TextFile("foreign", hurt(rng.choice(others), rng, others).split("\n")), tables=False)


@settings(FAST, max_examples=150)
@given(
    rng=st.randoms(use_true_random=False),
    noise=st.binary(max_size=40),
    encoding=st.sampled_from(["utf-8", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "utf-32", "cp437"]),
)
def test_damaged_bytes_through_the_whole_way(rng: Random, noise: bytes, encoding: str) -> None:
    """Any encoding with noise in it: decoded or refused, recognised or refused, read or refused."""
    text = rng.choice(seeds())[1]
    raw = bytearray(hurt(text, rng, [text]).encode(encoding, "replace"))
    place = rng.randrange(len(raw) + 1)
    raw[place:place] = noise
    try:
        file = decode(bytes(raw), "noise").file
        reader = choose(head_of(file))
    except BenchlibError as error:
        assert_message(str(error))
        return
    check(reader, file)


#: Readers of lines, to which a text without one of theirs is noise.
PASSING = {
    "go-bench",
    "parallel-runner",
    "wrk",
    "hey",
    "oha",
    "ghz",
    "ab",
    "locust",
    "csv",
    "autocannon-text",
    "fio-text",
}
NOTHING = (
    "", "{}", "[]", "null", "3", '"x"', "[[]]", "{", "[", '{"a": NaN}', '{"a": 5}', '{"a": {"b": {"value": "x"}}}',
    '{"benchmarks": 1, "results": 1}', '[{"name": 1, "unit": [], "value": {}}]', "Summary:", "a,b\n1,2",
)  # fmt: skip


@every_reader
def test_what_holds_no_result_is_never_silent(reader: Reader) -> None:
    """A reader that is told to read something else keeps nothing and says why."""
    for text in NOTHING:
        reading = check(reader, TextFile("fib/new/sample.json", text.split("\n")), tables=False)
        assert reading is None or (len(reading.rows) == 0 and (reading.problems or reader.name in PASSING)), text


@every_reader
def test_the_smallest_files(reader: Reader) -> None:
    """Nothing, almost nothing, and the smallest JSON there is."""
    for lines in ([""], ["", ""], ["\t"], ["{"], ["{}"], ["[]"], ["[{}]"], ["null"], ['""']):
        check(reader, TextFile("small", lines))


@every_reader
def test_absurd_numbers(reader: Reader) -> None:
    """One number of a real file at a time: beyond floats, beyond integers, not a number, none."""
    for text in own_seeds(reader, seeds())[:2]:
        places = [one.span() for one in re.finditer(r"\d+(?:\.\d+)?", text)]
        for start, end in places[:: max(1, len(places) // 40)]:
            for number in ("9" * 5000, "9" * 400, "1e999", "NaN", "-1", "\u0663", ""):
                check(reader, TextFile("absurd", f"{text[:start]}{number}{text[end:]}".split("\n")), tables=False)
