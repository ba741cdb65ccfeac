"""Small formats, most of them in words: one file of each tool, as the tool prints it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchlib.formats import load

DATA = Path(__file__).parents[1] / "data" / "declared"

#: File, format, values that stand and that are set apart, and one of them: benchmark, metric, value, unit, axes.
FILES: list[tuple[str, str, int, int, tuple[str, str, float, str], dict[str, Any]]] = [
    ("babelstream.txt", "babelstream", 20, 0, ("Dot", "transfer", 99250.148e6, "B/sec"), {"array": "268.4 MB"}),
    ("benchmark-js.txt", "benchmark-js", 2, 0, ("RegExp#test", "throughput", 12345678, "op/sec"), {}),
    ("catch2.xml", "catch2-xml", 2, 0, ("Fibonacci 20", "time", 14593.4e-9, "sec/op"), {"test": "Fibonacci"}),
    ("drill.txt", "drill", 7, 0, ("drill", "latency_p99.9", 0.024, "sec"), {"concurrency": 4}),
    ("hpcg.txt", "hpcg", 1, 0, ("HPCG", "throughput", 12.3456e9, "flop/sec"), {"processes": 8, "threads": 4}),
    ("hpl.out", "hpl", 2, 2, ("HPL", "time", 0.03, "sec"), {"N": 1000, "NB": 64, "P": 1, "Q": 2}),
    ("iai-callgrind.txt", "iai-callgrind", 11, 0, ("bench_empty", "estimated_cycles", 0, ""), {}),
    ("mitata.txt", "mitata", 3, 0, ("noop", "time", 80.29e-12, "sec"), {"group": "fibonacci"}),
    ("mitata.json", "mitata-json", 3, 0, ("fib", "time", 238.4e-9, "sec/op"), {"runtime": "node"}),
    ("mlperf.txt", "mlperf", 6, 0, ("MLPerf", "latency_p99.9", 0.060592566, "sec"), {"result": "INVALID"}),
    ("nanobench.json", "nanobench", 2, 0, ("x += x", "time", 1.1e-9, "sec/op"), {"batch": 1}),
    ("nccl-tests.txt", "nccl-tests", 12, 0, ("collective", "bandwidth_bus", 216.63e9, "B/sec"), {"size": 134217728}),
    ("npb.txt", "npb", 2, 2, ("CG", "time", 1.86, "sec"), {"threads": 4, "class": "S"}),
    ("osu.txt", "osu", 9, 0, ("MPI Bandwidth", "bandwidth", 9214.44e6, "B/sec"), {"size": 1048576}),
    ("pgbench-progress.txt", "pgbench", 3, 0, ("<builtin: select only>", "latency_mean", 0.008339, "sec"), {}),
    ("stream.txt", "stream", 16, 0, ("Triad", "transfer", 15103.8e6, "B/sec"), {"threads": 4, "elements": 10000000}),
    ("sysbench-0.4.txt", "sysbench", 10, 0, ("sysbench", "latency_p95", 3.81e-3, "sec"), {"test": "CPU"}),
    ("sysbench-interval.txt", "sysbench", 6, 0, ("sysbench", "throughput", 1242.55, "op/sec"), {"threads": 4}),
    ("vitest.json", "vitest-json", 9, 0, ("normal", "throughput", 41621.5, "op/sec"), {"file": "/repo/sort.bench.ts"}),
    (
        "7zip.txt",
        "7zip",
        12,
        0,
        ("LZMA", "transfer", 11563 * 1024, "B/sec"),
        {"dictionary": 22, "operation": "compress"},
    ),
    ("benchee.txt", "benchee", 8, 0, ("map.flatten", "memory", 800000, "B"), {"input": "Bigger"}),
    ("benchmark-ips.txt", "benchmark-ips", 3, 0, ("string concat long name", "throughput", 92205, "op/sec"), {}),
    ("benchmarktools.txt", "benchmarktools", 7, 0, ("trial", "time", 83.85e-9, "sec"), {}),
    ("benchmarktools.json", "benchmarktools-json", 4, 0, ("trig/sin", "time", 10.4e-9, "sec/op"), {}),
    ("benchy.txt", "benchy", 6, 0, ("string append", "time", 2.201e-3, "sec"), {}),
    ("bombardier.txt", "bombardier-text", 10, 0, ("bombardier", "latency_p99", 34.83e-3, "sec"), {"connections": 4}),
    ("cassandra-stress.txt", "cassandra-stress", 9, 0, ("WRITE", "latency_p99.9", 44.2e-3, "sec"), {"threads": 50}),
    ("cryptsetup.txt", "cryptsetup", 6, 0, ("aes-xts", "transfer", 2922.5 * 2**20, "B/sec"), {"operation": "decrypt"}),
    ("dd.txt", "dd", 2, 0, ("dd", "time", 0.66173, "sec"), {"bytes": 1048576000}),
    ("deno.json", "deno-bench", 10, 0, ("sort", "time", 1147.1300320754715e-9, "sec/op"), {"group": "arr"}),
    ("deno.txt", "deno-bench-text", 12, 0, ("sort", "time_max", 6.9e-6, "sec"), {"cpu": "AMD EPYC"}),
    ("goose.txt", "goose", 10, 14, ("GET", "latency_p99.9", 0.11, "sec"), {}),
    ("h2load.txt", "h2load", 6, 0, ("h2load", "transfer", 684.73 * 1024, "B/sec"), {"clients": 4}),
    ("haskell-criterion.txt", "haskell-criterion", 6, 0, ("fib/9", "time_stdev", 85.62e-9, "sec"), {}),
    ("ioping.txt", "ioping", 6, 0, ("/srv", "latency", 265.2e-6, "sec"), {"size": "4 KiB"}),
    ("kafka-consumer.csv", "kafka-consumer", 5, 0, ("consumer", "throughput", 273448.1816, "msg/sec"), {}),
    ("kafka-producer.txt", "kafka-producer", 8, 0, ("producer", "latency_p99.9", 0.255, "sec"), {}),
    ("openssl.txt", "openssl-speed", 6, 0, ("AES-128-GCM", "transfer", 450246.4e3, "B/sec"), {"bytes": 256}),
    (
        "openssl-keys.txt",
        "openssl-speed",
        4,
        0,
        ("rsa 2048 bits", "throughput", 1333.3, "op/sec"),
        {"operation": "sign"},
    ),
    ("artillery.txt", "artillery", 8, 0, ("artillery", "latency_p99", 62.2e-3, "sec"), {}),
    ("../perf/report.txt", "perf-report", 2, 0, ("report", "LLC-store-misses", 150, ""), {}),
    ("phpbench.txt", "phpbench", 4, 0, ("benchMd5", "time", 0.221e-6, "sec"), {"class": "HashBench", "set": "a"}),
    ("ruby-benchmark.txt", "ruby-benchmark", 6, 0, ("times do:", "time", 0.251115, "sec"), {}),
    ("stress-ng.txt", "stress-ng", 10, 0, ("vm", "throughput", 242.75, "op/sec"), {}),
    ("tasty-bench.txt", "tasty-bench", 6, 0, ("twentieth", "time", 103e-6, "sec"), {}),
    ("time.txt", "time", 3, 0, ("command", "time", 0.101, "sec"), {}),
    ("time-comma.txt", "time", 3, 0, ("command", "time", 1.234, "sec"), {}),
    ("time-gnu.txt", "time", 4, 0, ("command", "memory", 1640 * 1024, "B"), {}),
    ("time-gnu-v.txt", "time", 4, 0, ("sleep 0.02", "time", 0.05, "sec"), {}),
    ("time-p.txt", "time", 3, 0, ("command", "time", 0.02, "sec"), {}),
    ("time-zsh.txt", "time", 3, 0, ("sleep 0.02", "time", 0.066, "sec"), {}),
    ("tsung.log", "tsung", 10, 0, ("request", "latency_mean", 26.101232e-3, "sec"), {}),
    ("unixbench.txt", "unixbench", 6, 0, ("Execl Throughput", "throughput", 3420.8, "lps"), {"copies": 1}),
    ("vllm.txt", "vllm-serving", 12, 0, ("serving", "latency_p50", 84.7e-3, "sec"), {"phase": "TTFT"}),
    ("vllm.json", "vllm-serving-json", 12, 0, ("serving", "latency_p99", 533.18e-3, "sec"), {"phase": "TTFT"}),
    ("zbench.txt", "zbench", 14, 0, ("My Benchmark 2", "time", 333.397e-6, "sec"), {}),
]


@pytest.mark.parametrize(("file", "name", "sound", "failed", "value", "axes"), FILES, ids=[row[0] for row in FILES])
def test_a_file_of_each_tool_is_read(
    file: str, name: str, sound: int, failed: int, value: tuple[str, str, float, str], axes: dict[str, Any]
) -> None:
    """As its own format, each value with its metric, unit and axes."""
    results = load(DATA / file)
    assert (results.files[0].format, len(results.frame), len(results.failed)) == (name, sound, failed)
    benchmark, metric, number, unit = value
    frame = results.frame
    for axis, level in {"benchmark": benchmark, "metric": metric, "unit": unit, **axes}.items():
        frame = frame[frame[axis] == level]
    assert any(number == pytest.approx(found, rel=1e-12) for found in frame["value"])


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("hpl.out", "HPL failed (FAILED); its values are set apart"),
        ("npb.txt", "MG failed (UNSUCCESSFUL); its values are set apart"),
        (
            "osu.txt",
            f"'1{22 * ' '}14.82       14818304.12' is not as the format 'osu' says; add a pattern for it; line skipped",
        ),
        ("mitata.txt", "broken failed (error: out of range); no value is kept"),
    ],
)
def test_what_a_tool_says_failed_is_set_apart(file: str, message: str) -> None:
    """A wrong residual, a failed verification, an exception; and a row of other columns is no row of these."""
    assert load(DATA / file).problems[-1].message == message


@pytest.mark.parametrize("file", ["sysbench-interval.txt", "pgbench-progress.txt"])
def test_reports_in_between_are_a_timeline_and_no_problem(file: str) -> None:
    """They are no samples: the run says its throughput once."""
    results = load(DATA / file)
    [series] = [series for series in results.series if series.kind == "timeline"]
    assert not results.problems
    assert [dict(second)["second"] for second in series.data] == [1.0, 2.0]
    assert all(dict(second)["rate"] > 1000 for second in series.data)
    assert (results.frame["metric"] == "throughput").sum() == 1


def test_progress_belongs_to_the_report_below_it(tmp_path: Path) -> None:
    """pgbench reports where a run ends, so that a second run's progress follows the first one's report."""
    first = (DATA / "pgbench-progress.txt").read_text()
    (tmp_path / "runs.txt").write_text(
        first + first.replace("select only", "tpcb-like").replace("progress: 2", "progress: 3")
    )
    results = load(tmp_path / "runs.txt")
    timelines = [series for series in results.series if series.kind == "timeline"]
    assert [series.name for series in timelines] == ["<builtin: select only>", "<builtin: tpcb-like>"]
    assert [dict(series.data[1])["second"] for series in timelines] == [2.0, 3.0]


@pytest.mark.parametrize(
    ("file", "last"),
    [
        ("hpl.out", "HPL_pdgesv() end time   Sun Jul 23 17:09:59"),
        ("npb.txt", " Operation type"),
        ("stream.txt", "Triad:"),
    ],
)
def test_a_run_cut_at_a_line_end_says_so(file: str, last: str, tmp_path: Path) -> None:
    """Nobody knows whether what is missing would have said that it failed."""
    text = (DATA / file).read_text()
    (tmp_path / file).write_text(text[: text.rindex(last)])
    assert "was the file cut? run it again" in load(tmp_path / file).problems[-1].message


def test_the_rounding_of_a_sum_is_no_failure(tmp_path: Path) -> None:
    """Older nccl-tests wrote the largest error where newer ones count wrong values."""
    text = (DATA / "nccl-tests.txt").read_text()
    older = (
        text.replace("#wrong", " error")
        .replace("216.63      0", "216.63  2e-07")
        .replace("216.74      0", "216.74  2e-07")
    )
    (tmp_path / "older.txt").write_text(older)
    (tmp_path / "wrong.txt").write_text(text.replace("216.74      0", "216.74      7"))
    assert [len(load(tmp_path / name).failed) for name in ("older.txt", "wrong.txt")] == [0, 6]
    assert [len(load(tmp_path / name).frame) for name in ("older.txt", "wrong.txt")] == [12, 6]
