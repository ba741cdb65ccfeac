"""JSON of fio."""

from __future__ import annotations

from pathlib import Path

from benchlib.formats.readers.fio import Fio
from benchlib.formats.reading import Reading, TextFile

TEXT = (Path(__file__).parents[2] / "data" / "fio" / "randrw.json").read_text(encoding="utf-8")


def read(text: str) -> Reading:
    return Fio().read(TextFile("x", text.splitlines()))


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
    }  # fmt: skip


def test_the_values_are_those_of_the_file() -> None:
    """By jq, of the first job's reads."""
    rows = read(TEXT).rows
    found = dict(zip(rows.metric[:22], zip(rows.value[:22], rows.unit[:22], strict=True), strict=True))
    assert found["throughput"] == (12612.387612, "op/s")
    assert found["transfer"] == (51660339, "B/s")
    assert found["latency_mean"] == (68157.127208, "ns")
    assert found["latency_p99"] == (250880, "ns")
    assert found["latency_p9995"][1] == "ns"


def test_warnings_before_the_document() -> None:
    """fio writes its own messages into the file it was told to write."""
    reading = read("fio: this platform does not support process shared mutexes\n" + TEXT)
    assert Fio().recognise(TextFile("x", ["fio: hint", *TEXT.splitlines()])) == "certain"
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
