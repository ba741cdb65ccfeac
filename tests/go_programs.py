"""Programs of the Go module in `tests/reference/benchfmt_rows`, built here: benchstat's own parser, and benchstat."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

MODULE = Path(__file__).parent / "reference" / "benchfmt_rows"


def built(package: str, folder: Path) -> Path:
    """Build a package with the versions and hashes of go.sum; skip, or fail where Go is required, if that cannot be."""
    go = shutil.which("go") or shutil.which("/usr/local/go/bin/go")
    required = os.environ.get("BENCHLIB_REQUIRE_GO", "0") not in ("", "0")
    if go is None:
        if required:
            pytest.fail("BENCHLIB_REQUIRE_GO is set and there is no go command")
        pytest.skip("no go command")
    program = folder / "program"
    run = subprocess.run(
        [go, "build", "-o", str(program), package], cwd=MODULE, capture_output=True, text=True, timeout=300,
        env={**os.environ, "GOFLAGS": "-mod=readonly", "GOWORK": "off"},
    )  # fmt: skip
    if run.returncode:
        if required:
            pytest.fail(f"{package} could not be built: {run.stderr}")
        pytest.skip(f"{package} could not be built; is the Go module proxy reachable?")
    return program
