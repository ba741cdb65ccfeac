"""JSON of ghz: the order of its calls, whatever the layout of the document."""

from __future__ import annotations

import json
from pathlib import Path

from benchlib.formats import load

DATA = Path(__file__).parents[1] / "data" / "ghz"


def test_calls_of_a_document_without_line_ends_keep_their_order(tmp_path: Path) -> None:
    """All stand on line 1: their position tells them apart, by jq 1,000 calls; pretty-printed it is the same."""
    whole = json.loads((DATA / "check_c4.json").read_text(encoding="utf-8"))
    (tmp_path / "compact.json").write_text(json.dumps(whole))
    (tmp_path / "pretty.json").write_text(json.dumps(whole, indent=1))
    found = {}
    for name in ("compact.json", "pretty.json"):
        frame = load(tmp_path / name).frame
        calls = frame[frame["metric"] == "latency"]
        assert [round(one * 1e9) for one in calls["value"]] == [one["latency"] for one in whole["details"]]
        found[name] = calls
    assert set(found["compact.json"]["line"]) == {1}
    assert found["pretty.json"]["line"].is_monotonic_increasing
    for calls in found.values():
        assert calls["position"].tolist() == list(range(1000))


def test_each_failed_call_of_one_line_is_a_result_of_its_own(tmp_path: Path) -> None:
    """Two failed calls are two positions, lest a count of failures by position see one."""
    whole = json.loads((DATA / "check_c4.json").read_text(encoding="utf-8"))
    for place in (500, 501):
        whole["details"][place]["status"] = "Unavailable"
    (tmp_path / "compact.json").write_text(json.dumps(whole))
    failed = load(tmp_path / "compact.json").failed
    assert failed["position"].tolist() == [500, 501]
