"""The bundles of plotly.js are those of plotly.py's version, unchanged, and the smallest that will do is taken."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from plotly.offline import get_plotlyjs, get_plotlyjs_version

import benchlib.report.page.plotly_bundle as bundles
from benchlib.report.page.packing import unpack_bytes
from benchlib.report.page.plotly_bundle import choose_bundle

FOLDER = Path(bundles.__file__).with_name("bundles")


def stated() -> dict[str, Any]:
    """What bundles.json says."""
    return dict(json.loads((FOLDER / "bundles.json").read_text(encoding="utf-8")))


def test_the_version_is_that_of_plotly_py() -> None:
    """Where it is not, `make bundles` fetches it; until then pages carry the full one."""
    assert stated()["version"] == get_plotlyjs_version()


@pytest.mark.parametrize("name", ["basic", "cartesian"])
def test_a_bundle_is_what_it_is_said_to_be(name: str) -> None:
    """The hash of the content security policy is that of the script, whose head names version and licence."""
    source = gzip.decompress((FOLDER / f"plotly-{name}.min.js.gz").read_bytes())
    found = choose_bundle(stated()["bundles"][name]["traces"])
    assert found.name == name
    assert found.sha256 == base64.b64encode(hashlib.sha256(source).digest()).decode()
    assert unpack_bytes(found.packed) == source
    assert f"plotly.js ({name} - minified) v{stated()['version']}".encode() in source[:200]
    assert b"Licensed under the MIT license" in source[:300]
    assert b"\r" not in source, "a browser would hash other line ends"
    assert stated()["bundles"][name]["integrity"].startswith("sha512-")


def test_the_licence_lies_beside_them() -> None:
    """MIT asks for its notice."""
    text = (FOLDER / "LICENSE").read_text(encoding="utf-8")
    assert "MIT" in text
    assert "Plotly" in text


@pytest.mark.parametrize(
    ("traces", "name"),
    [
        (["scatter"], "basic"), (["bar", "scatter", "pie"], "basic"), ([], "basic"), (["heatmap"], "cartesian"),
        (["box", "scatter"], "cartesian"), (["scatter", "sankey"], "full"), (["table"], "full"),
    ],
)  # fmt: skip
def test_the_smallest_that_draws_all_traces_is_taken(traces: list[str], name: str) -> None:
    """And plotly.py's own where neither does."""
    assert choose_bundle(traces).name == name


def test_another_version_of_plotly_takes_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A figure of one version is not drawn by another."""
    monkeypatch.setattr(bundles, "_drawn_by", lambda: "99.0.0")
    found = choose_bundle(["scatter"])
    assert found.name == "full"
    assert unpack_bytes(found.packed).decode() == get_plotlyjs()
