"""JSON of fio."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchlib.formats.load_generators import FIO
from benchlib.formats.reader import Reading, TextFile
from tests.columns import counts

TEXT = (Path(__file__).parents[1] / "data" / "fio" / "randrw.json").read_text(encoding="utf-8")


def read(text: str) -> Reading:
    return FIO.read(TextFile("x", text.splitlines()))


def test_each_direction_of_each_job() -> None:
    """By jq: two jobs of 12625, 12606, 12597 and 12825 operations, no trims; 22 values each."""
    reading = read(TEXT)
    assert [one["operation"] for one in reading.configurations] == ["read", "write", "read", "write"]
    operations = [v for v, m in zip(reading.rows.value, reading.rows.metric, strict=True) if m == "operations"]
    assert operations == [12625, 12606, 12597, 12825]
    assert len(reading.rows) == 4 * 22
    assert (reading.lines.data, reading.lines.context, reading.lines.problem) == (4, 2, 0)
    assert reading.configurations[0] == {
        "benchmark": "mixed", "operation": "read", "rw": "randrw", "bs": "4k", "ioengine": "psync", "numjobs": 2,
        "job": 1,
    }  # fmt: skip


def test_jobs_of_one_name_are_no_repeats() -> None:
    """numjobs writes as many jobs of one name: the axis job tells them apart; a name alone has no number."""
    assert [one["job"] for one in read(TEXT).configurations] == [1, 1, 2, 2]
    root = json.loads(TEXT[TEXT.index("{") :])
    root["jobs"] = root["jobs"][:1]
    assert all("job" not in one for one in read(json.dumps(root)).configurations)


def test_runs_appended_to_one_file_are_all_read() -> None:
    """Each with its own lines, and what fio said between them is no damage."""
    once = read(TEXT)
    twice = read(f"{TEXT.rstrip()}\nfio: a warning\n{TEXT}")
    assert twice.problems == []
    assert list(twice.rows.value) == [*once.rows.value] * 2
    assert twice.rows.line[len(once.rows)] == once.rows.line[0] + len(TEXT.rstrip().split("\n")) + 1
    assert [one.kind for one in twice.series] == ["closed-loop"]
    assert (twice.lines.data, twice.lines.context) == (8, 4)


def test_the_second_run_may_be_cut() -> None:
    """The first is read, and the second is said to be cut."""
    reading = read(f"{TEXT.rstrip()}\n{TEXT[: len(TEXT) // 2]}")
    assert len(reading.rows) == len(read(TEXT).rows)
    assert len(reading.problems) == 1
    assert "the file is cut or damaged, write it again" in reading.problems[0][1]


def test_the_values_are_those_of_the_file() -> None:
    """By jq, of the first job's reads."""
    rows = read(TEXT).rows
    found = dict(zip(rows.metric[:22], zip(rows.value[:22], rows.unit[:22], strict=True), strict=True))
    assert found["throughput"] == (12612.387612, "op/s")
    assert found["transfer"] == (51660339, "B/s")
    assert found["latency_mean"] == (68157.127208, "ns")
    assert found["latency_p99"] == (250880, "ns")
    assert found["latency_p99.95"][1] == "ns"


def test_warnings_before_the_document() -> None:
    """fio writes its own messages into the file it was told to write."""
    reading = read("fio: this platform does not support process shared mutexes\n" + TEXT)
    assert FIO.recognise(TextFile("x", ["fio: hint", *TEXT.splitlines()])) == "certain"
    assert len(reading.rows) == 88
    assert reading.rows.line[0] == read(TEXT).rows.line[0] + 1


def test_a_job_that_failed() -> None:
    """fio stops at the first error and names its kind; it counts them where it went on."""
    assert set(read(TEXT.replace('"error" : 0', '"error" : 5', 1)).rows.errors[:44]) == {1}
    counted = TEXT.replace('"error" : 0', '"error" : 5,\n      "total_err" : 7', 1)
    assert set(read(counted).rows.errors[:44]) == {7}


def test_whole_latencies_where_they_were_asked_for() -> None:
    """With lat_percentiles=1 the percentiles stand below ``lat_ns``."""
    text = TEXT.replace('"clat_ns"', '"x"').replace('"lat_ns"', '"clat_ns"').replace('"x"', '"lat_ns"')
    assert read(text).rows.value[:22] == read(TEXT).rows.value[:22]


def before_3() -> str:
    """The sample as fio 2 wrote it: µs without count, KiB/s alone, percentiles filled up with ``0.00``."""
    root = json.loads(TEXT)
    for job in root["jobs"]:
        for part in (job["read"], job["write"], job["trim"]):
            for kind in ("slat", "clat", "lat"):
                old = part.pop(f"{kind}_ns")
                told = {key: old[key] // 1000 for key in ("min", "max")}
                told |= {key: round(old[key] / 1000, 2) for key in ("mean", "stddev")}
                if "percentile" in old:
                    told["percentile"] = {share: one // 1000 for share, one in old["percentile"].items()}
                part[kind] = told
            del part["bw_bytes"]
    return json.dumps(root, indent=1).replace('"99.990000"', '"0.00": 0, "0.00": 0, "99.990000"')


def test_before_version_3() -> None:
    """Latencies were whole µs and transfer KiB/s; the fillers among the percentiles are nothing."""
    reading = read(before_3())
    rows = reading.rows
    found = dict(zip(rows.metric[:22], zip(rows.value[:22], rows.unit[:22], strict=True), strict=True))
    assert list(rows.metric) == list(read(TEXT).rows.metric)
    assert found["transfer"] == (50449, "KiB/s")
    assert (found["latency_mean"], found["latency_max"]) == ((68.16, "us"), (1462, "us"))
    assert found["latency_p99"] == (250, "us")
    assert reading.problems == []


def test_version_2_1_did_not_count_operations() -> None:
    """What moved no byte made none; the rest has no count of operations and keeps its values."""
    root = json.loads(before_3())
    for job in root["jobs"]:
        for direction in ("read", "write", "trim"):
            del job[direction]["total_ios"]
    reading = read(json.dumps(root))
    assert (reading.lines.data, reading.lines.context, reading.problems) == (4, 2, [])
    assert "operations" not in set(reading.rows.metric)
    assert set(counts(reading.rows.iterations)) == {None}


def test_a_latency_that_was_not_taken_is_none() -> None:
    """With disable_clat=1 the completion is all zeros: the whole latency is there, and never a time of 0."""
    for text in (TEXT, before_3()):
        root = json.loads(text)
        part = root["jobs"][0]["read"]
        kind = next(one for one in ("clat_ns", "clat") if one in part)
        part[kind] = {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0}
        rows = read(json.dumps(root)).rows
        first = dict(zip(rows.metric[:7], rows.value[:7], strict=True))
        assert first["latency_mean"] == part[kind.removeprefix("c")]["mean"]
        part[kind.removeprefix("c")] = part[kind]
        rows = read(json.dumps(root)).rows
        kept = [one for one, configuration in zip(rows.metric, rows.configuration, strict=True) if configuration == 0]
        assert kept == ["throughput", "operations", "transfer"]


@pytest.mark.parametrize("option", ["rate", "rate_iops", "rate_process"])
@pytest.mark.parametrize("where", ["global options", "job options"])
def test_only_a_rate_opens_the_loop(option: str, where: str) -> None:
    """A job waits for an operation before it starts the next, unless all were told to go by the clock."""
    assert [one.kind for one in read(TEXT).series] == ["closed-loop"]
    root = json.loads(TEXT)
    said = [root] if where == "global options" else root["jobs"]
    said[0].setdefault(where, {})[option] = "100"
    assert [one.kind for one in read(json.dumps(root)).series] == ([] if where == "global options" else ["closed-loop"])
    for one in said:
        one.setdefault(where, {})[option] = "100"
    assert read(json.dumps(root)).series == []
    for one in said:
        one[where][option] = "0"
    assert [one.kind for one in read(json.dumps(root)).series] == ["closed-loop"]


def test_directions_reported_as_one() -> None:
    """unified_rw_reporting writes ``mixed``."""
    root = json.loads(TEXT)
    root["jobs"] = [{**{k: v for k, v in root["jobs"][0].items() if k not in ("write", "trim")}}]
    root["jobs"][0]["mixed"] = root["jobs"][0].pop("read")
    reading = read(json.dumps(root))
    assert [one["operation"] for one in reading.configurations] == ["mixed"]
    assert len(reading.rows) == 22
