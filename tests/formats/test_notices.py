"""What readers remark of a file reaches every conclusion as a caveat."""

from __future__ import annotations

from pathlib import Path

from benchlib.formats import load
from benchlib.formats.table import timeouts

DATA = Path(__file__).parents[1] / "data"


def test_a_closed_loop_is_told_once_for_all_files(tmp_path: Path) -> None:
    """With the tool and the files, the third and further ones counted."""
    raw = (DATA / "jmeter" / "plan.jtl").read_bytes()
    for name in ("a.jtl", "b.jtl", "c.jtl"):
        # A file that repeats another to the last digit would count once.
        (tmp_path / name).write_bytes(raw.replace(b",96,Home", f",{ord(name[0])},Home".encode()))
    told = [one.message for one in load(tmp_path).caveats if one.code == "closed-loop"]
    assert told == ["a.jtl, b.jtl and 1 more file: JMeter waits for each answer before it sends the next request"]


def test_a_rounded_table_is_told_where_it_is_used(tmp_path: Path) -> None:
    """A lone table made from logs says that it is rounded, and how."""
    [table] = (DATA / "token_sdk_csv").glob("*.csv")
    (tmp_path / "t.csv").write_bytes(table.read_bytes())
    [told] = [one.message for one in load(tmp_path).caveats if one.code == "rounded-values"]
    assert told.startswith("t.csv: times and latencies are cut to whole milliseconds")


def test_requests_that_timed_out_are_told_for_each_run() -> None:
    """With benchmark, file and count: they are in no percentile of that run."""
    results = load(DATA / "wrk" / "slow_all_timeout_c8.txt")
    [told] = timeouts(results)
    assert told.code == "latency-excludes-timeouts"
    assert told.message.endswith("requests timed out and are in no percentile")
    assert told not in results.caveats, "it is told beside latencies"
