"""Folders as strangers lay out their results: what each column, line and file is, told by the first sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchlib
from benchlib.answers.executive import executive_summary
from benchlib.document.numbers import words_of
from benchlib.errors import BenchlibError
from benchlib.study import open_study
from benchlib.tell.executive import executive

LEVELS, KINDS = (1, 2, 4, 8), ("strong", "weak")
TIMES = {"strong": lambda n: 9 / n, "weak": lambda n: 9 + n}
STRONG = "procs,time_s\n1,100\n2,51\n4,27\n8,15\n"
WEAK = "procs,time_s\n1,10\n2,10.3\n4,10.8\n8,11.6\n"
LATENCIES = "".join(f"{4 + at % 97 / 10:.1f}\n" for at in range(2000))


def rows(header: str, *lines: object) -> str:
    return "\n".join([header, *map(str, lines), ""])


def requests(status: int = 200) -> str:
    return rows("timestamp,latency_ms,status", *(f"{1700000000 + at},{5 + at % 10},{status}" for at in range(100)))


def hyperfine(option: str, *levels: int) -> str:
    results = ",".join(
        f'{{"command": "./a --{option} {level}", "times": [{level / 100}, {level / 99}, {level / 101}], '
        f'"parameters": {{"{option}": "{level}"}}, "exit_codes": [0, 0, 0], "mean": {level / 100}}}'
        for level in levels
    )
    return f'{{"results": [{results}]}}'


#: Files by name, and what the first sentence says.
FOLDERS: dict[str, tuple[dict[str, str], str]] = {
    # 1. the load that was offered is an axis, and no repeats
    "offered": (
        {"r.csv": rows("qps,p99_ms", "100,5", "500,6", "1000,9", "2000,21")},
        "grows from 5.00 ms with qps 100 to 21.0 ms with qps 2000",
    ),
    # a standard deviation, in whatever words, is not what was measured
    "spread before mean": (
        {"r.csv": rows("case,runtime_stddev_ms,runtime_mean_ms", "a,0.1,5", "b,0.2,9")},
        "Runtime mean goes from 5.00 ms (a) to 9.00 ms (b)",
    ),
    "target beside achieved": (
        {"r.csv": rows("target_rps,throughput_rps,p99_ms", "500,498,5", "1000,997,6", "4000,2200,90")},
        "grows from 5.00 ms with target_rps 500 to 90.0 ms",
    ),
    "measured beside connections": (
        {"r.csv": rows("connections,qps,p99_ms", "10,1000,5", "50,4000,8", "100,6000,20", "200,6100,55")},
        "delivers 6,000 req/s with 100 connections; more connections add at most 1.7%.",
    ),
    # 2. columns held against each other
    "before and after": (
        {"r.csv": rows("benchmark,before_ms,after_ms", "parse,12,8", "lex,5.5,5.4")},
        "After instead of before: 33% less time (parse) and 1.8% less (lex); one run each.",
    ),
    "no direction": (
        {"r.csv": rows("run,base,optimized", *(f"{n},{2.5 + n % 3 / 99},{1.9 + n % 2 / 99}" for n in range(9)))},
        "Optimized instead of base: 24% less value; 9 rounds each.",
    ),
    "speedup": (
        {"r.csv": rows("n,sequential_ms,parallel_ms", "1000,10.1,3.2", "100000,1000.5,290.1")},
        "Parallel instead of sequential: 6",
    ),
    # 3. two kinds of scaling are two curves
    "weak and strong": (
        {"strong.csv": STRONG, "weak.csv": WEAK},
        "With 8 processes and as much more to do weak takes 1.2 times as long as with 1 process.",
    ),
    "a column says which": (
        {"r.csv": rows("kind,procs,time_s", *(f"{k},{n},{t}" for k in KINDS for n in LEVELS for t in [TIMES[k](n)]))},
        "Strong still gains at 8 processes: 1.12 s",
    ),
    # 4. latencies one by one
    "numbers alone": ({"latencies_ms.txt": LATENCIES}, "2,000 requests: median 8.70 ms; one in 20 takes"),
    "numbers without a unit": ({"latencies.txt": LATENCIES}, "2,000 requests: median 8.70; one in 20 takes"),
    "requests": ({"r.csv": requests()}, "100 requests: median 9.00 ms; one in 20"),
    "percentiles": ({"r.csv": rows("endpoint,p50,p95,p99", "/a,3.1,8.2,19.5", "/b,5,12.2,40.1")}, "longer than 40.1."),
    # 5. wide tables
    "threads across": (
        {"r.csv": rows("size,1 thread (s),2 threads (s),4 threads (s)", "10,8.2,4.1,2.2", "20,16.1,8.3,4.4")},
        "Size 10 and size 20 still gain at 4 threads.",
    ),
    "runs across": (
        {"r.csv": rows("threads,run1_s,run2_s,run3_s", *(f"{n},{9.1 / n},{9.0 / n},{8.9 / n}" for n in LEVELS))},
        "still gains at 8 threads: 1.12 s, 8.0 times as fast as 1 thread.",
    ),
    "repeats of programs": (
        {"r.csv": rows("program,t1,t2,t3,t4", "naive,10.1,9.9,10.0,10.2", "simd,1.5,1.51,1.49,1.5")},
        "Simd instead of naive: 85% less time",
    ),
    "times of threads": ({"r.csv": rows("n,T1,T2,T3", "10,4.1,2.1,1.5", "20,16.1,8.3,5.8")}, "gain at 3 threads."),
    # 6. what programs print
    "blocks": (
        {"r.log": "".join(f"Number of threads: {n}\nElapsed time: {9 / n:.2f} s\n\n" for n in LEVELS)},
        "still gains at 8 threads: 1.12 s",
    ),
    "lines": ({"r.txt": "".join(f"threads: {n}, time: {9 / n:.2f}s\n" for n in LEVELS)}, "gains at 8 threads: 1.12 s"),
    "a sentence": (
        {"r.txt": "".join(f"Ran 1000 iterations with {n} workers in {9.5 / n:.1f} seconds\n" for n in LEVELS)},
        "still gains at 8 workers: 1.20 s",
    ),
    # 7. sweeps
    "go": (
        {"r.txt": "".join(f"BenchmarkPool-{n}\t1000\t{9000 / n + 300:.1f} ns/op\n" for n in LEVELS for _ in "ab")},
        "Pool still gains at 8 threads: ",
    ),
    "rates": ({"r.csv": rows("threads,gflops", "1,10.5", "2,20.1", "4,38.5")}, "gains at 4 threads: 38.5 Gflop/s"),
    "no workers": ({"r.csv": rows("batch,img_per_s", "1,100.5", "8,450.5", "64,800.5")}, "800 img/s (batch 64)"),
    "durations": ({"r.csv": rows("workers,duration", "1,62.5", "2,32.5", "4,17.5")}, "gains at 4 workers: 17.5, 3.6"),
    "minutes": ({"r.csv": rows("jobs,build time (min)", "1,26.5", "2,14.5", "4,8.5")}, "4 workers: 510 s, 3.1"),
    # 8. a gain of next to nothing
    "no more gain": (
        {"r.csv": rows("clients,rps", "1,1000", "2,1900", "4,3500", "8,5000", "16,5010")},
        "delivers 5,000 req/s with 8 clients; more clients add nothing.",
    ),
    # 9. levels that failed
    "failed levels": (
        {"r.csv": rows("users,rps,errors", "10,500,0", "50,2300,0", "100,3900,0", "500,4100,1200")},
        "At 500 users calls failed, so nothing is read there. R still gains at 100 users",
    ),
    # 10. a hidden folder in which pytest-benchmark saves
    "hidden": ({".benchmarks/Linux/0001.json": hyperfine("size", 100, 200, 400)}, "Each size adds 10 ms"),
    # 11. the best of alternatives, and what a parameter of commands costs
    "alternatives": ({"r.csv": rows("lib,rps", "a,100", "b,250", "c,900")}, "Best is c with 900 req/s, 9.0 times"),
    "a parameter": ({"r.json": hyperfine("size", 100, 200, 400)}, "Each size adds 10 ms to ./a."),
    # 12. users are not pooled
    "users": (
        {f"users_{n}.csv": "latency_ms\n" + LATENCIES.replace(".", f"{n // 10}.") for n in (10, 100)},
        "grows from 132 ms with 10 users to 1.31 s with 100 users",
    ),
}  # fmt: skip


def opened(folder: Path, files: dict[str, str]) -> benchlib.Study:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return open_study(folder)


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_nobody_described_is_read_right(tmp_path: Path, name: str) -> None:
    """Axes, repeats, sides and failures are found, and the first sentence says what the data say."""
    files, words = FOLDERS[name]
    said = words_of(executive(executive_summary(opened(tmp_path, files))).answer)
    assert words in said


@pytest.mark.parametrize(
    "files",
    [
        {"iris.csv": rows("sepal_length,petal_width,species", *(f"{5 + n / 10},{n / 20},setosa" for n in range(20)))},
        {"prices.csv": rows("date,open,close,volume", *(f"2026-01-{n},{n + 0.5},{n},{n * 977}" for n in range(9)))},
        {"numbers.txt": LATENCIES},
        {"settings.txt": "threads: 4\ntimeout: 30s\nport: 8080\n"},
        # Words that no label names tell results apart.
        {"r.txt": "[parse] time: 12.5 ms\n[lex] time: 3.5 ms\n[parse] time: 12.6 ms\n"},
        {"r.txt": "Mutex\nthreads: 1, time: 3 s\nthreads: 2, time: 2 s\nSpinlock\nthreads: 1, time: 3 s\n"},
    ],
)  # fmt: skip
def test_what_holds_no_results_or_tells_them_by_no_label_is_refused(tmp_path: Path, files: dict[str, str]) -> None:
    """A table of measurements of flowers is none of a benchmark."""
    with pytest.raises(BenchlibError, match="no benchmark results recognised"):
        opened(tmp_path, files)


def test_a_row_of_a_second_is_no_request(tmp_path: Path) -> None:
    """It has a rate, and its latency is a mean."""
    lines = (f"{1700000000 + at},{900 + at % 7},{12 + at % 5}" for at in range(60))
    study = opened(tmp_path, {"r.csv": rows("timestamp,rps,latency_ms", *lines)})
    assert hasattr(executive_summary(study).requests, "reason")
