"""Templates and names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.errors import StudyError
from benchlib.formats.names import bind, match_path, parse_name

SETUP = "/Setup(bits_{bits:int},_curve_{curve},_#i_{inputs:int},_#o_{outputs:int})_with_{_}_workers"


def match(template: str, path: str) -> dict[str, str] | None:
    matches = match_path((bind(template),), path)
    return matches[0][1] if matches else None


@pytest.mark.parametrize(
    ("template", "path", "axes"),
    [
        ("{gateway}_{endpoint}.txt", "direct_post-redis.txt",
         {"gateway": "direct", "endpoint": "post-redis"}),
        ("parallel_cpu{gomaxprocs:int}.txt", "a/parallel_cpu16.txt", {"gomaxprocs": "16"}),
        ("parallel_cpu{gomaxprocs:int}.txt", "parallel_cpux.txt", None),
        ("{endpoint}_c{connections:int}_r{run:int}.txt", "a_c_c8_r1.txt",
         {"endpoint": "a_c", "connections": "8", "run": "1"}),
        ("{case}/{_}-{workers:int}.log", "matrix/Test-pool-2.log", {"case": "matrix", "workers": "2"}),
        ("a.{x}", "abc", None),
        ("run{run:int}.txt", "run1.txt.old", None),
        ("run{run}.txt", "run1.txt.gz", {"run": "1"}),
    ],
)  # fmt: skip
def test_a_path_template_names_axes(template: str, path: str, axes: dict[str, str] | None) -> None:
    """Literals are literal, fields stop at a slash, digits are digits, and the whole name must match."""
    assert match(template, path) == axes


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("cpu{n", "template 'cpu{n': a brace is left open; write fields as {name} or {name:int}"),
        ("{a}{b}", "template '{a}{b}': two fields touch; put text between them"),
        ("{a}-{a}", "template '{a}-{a}': field 'a' stands twice; rename one, or use {_}"),
        ("{a:float}", "template '{a:float}': 'a:float' is no field; write {name} or {name:int}"),
        ("{value}", "template '{value}': 'value' is a column of measurements; name the axis otherwise"),
        ("x", "template 'x' has 0 fields; write 1 to 24"),
    ],
)
def test_a_template_that_cannot_mean_anything_is_refused(template: str, message: str) -> None:
    """The whole message."""
    with pytest.raises(StudyError) as caught:
        bind(template)
    assert str(caught.value) == message


def test_a_name_template_takes_its_part_out_of_the_name() -> None:
    """What a template matched is no longer a sub-name; what it discards is no axis."""
    name = "BenchmarkSender/Setup(bits_32,_curve_BN254,_#i_1,_#o_2)_with_2_workers-8"
    parsed = parse_name(name, [bind(SETUP, ("Sender",))])
    assert parsed.benchmark == "Sender"
    assert parsed.axes == {"gomaxprocs": "8", "bits": "32", "curve": "BN254", "inputs": "1", "outputs": "2"}


def test_a_name_template_is_limited_to_its_benchmarks() -> None:
    """Another benchmark keeps its sub-name."""
    assert parse_name("BenchmarkOther/a_1", [bind("a_{a:int}", ("Send*",))]).axes == {"case": "a_1"}


@pytest.mark.parametrize(
    ("name", "benchmark", "axes"),
    [
        ("BenchmarkAllActions/discover-2", "AllActions", {"gomaxprocs": "2", "case": "discover"}),
        ("BenchmarkX/size=10k/io=3-8", "X", {"gomaxprocs": "8", "size": "10k", "io": "3"}),
        ("BenchmarkX/pos/io=5-", "X", {"case": "pos", "io": "5-"}),
        ("BenchmarkY-a-4", "Y-a", {"gomaxprocs": "4"}),
        ("Benchmark", "", {}),
    ],
)
def test_a_name_is_taken_apart_like_go_puts_it_together(name: str, benchmark: str, axes: dict[str, str]) -> None:
    """Base before the slash, -N for GOMAXPROCS, key=value parts as axes, the rest as case."""
    parsed = parse_name(name)
    assert (parsed.benchmark, parsed.axes) == (benchmark, axes)


@given(st.text("a_b/1-={}()", max_size=60), st.sampled_from(["{a}_{b}_{c}_{d}_x", "/{a:int}-{b}", "_{x}"]))
def test_any_name_is_parsed_in_bounded_time(name: str, template: str) -> None:
    """No name, however repetitive, makes matching fail or run away."""
    bound = bind(template)
    match_path((bound,), "a_" * 500 + name)
    assert isinstance(parse_name(name, [bound]).benchmark, str)


@pytest.mark.parametrize(
    ("name", "benchmark"),
    [
        ("BenchmarkSort/4-8", "Sort"),
        ("Benchmark/4-8", ""),
        ("BenchmarkÄ-8", "Ä"),
        ("Benchmarks.merge2", "Benchmarks.merge2"),
        ("Benchmark.sort", "Benchmark.sort"),
        ("Benchmarks-report", "Benchmarks-report"),
        ("Benchmark-report", "Benchmark-report"),
    ],
)
def test_only_go_puts_its_word_before_a_name(name: str, benchmark: str) -> None:
    """A class or a file that is called after benchmarks keeps its whole name (field_data.md, defect 13)."""
    assert parse_name(name).benchmark == benchmark
