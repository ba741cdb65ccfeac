"""A fleet built by the workers of a Dask cluster on this machine, one of which is killed."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fleet.nights import Nights
from tests.fleet.test_plan import job

A = {"name": "a", "study": "data/*", "notebook": "small.ipynb"}

pytestmark = [
    pytest.mark.heavy,
    # Its own threads and sockets, closed after the test that made them.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]


@pytest.fixture
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with distributed.LocalCluster(**options) as started:
        yield started


def test_a_cluster_builds_what_is_due_though_a_worker_is_killed(tmp_path: Path, cluster: Any) -> None:
    """Whole pages, the same as this machine's, and failures as ever; what is unchanged is not sent."""
    nights = Nights(tmp_path, job(**A))
    for number in range(8):
        nights.write(f"s{number}", 1 + number % 3)
    nights.write("bad", 5)
    night = nights.start("--dask", cluster.scheduler_address, "--json-log")
    assert night.stdout is not None
    first = night.stdout.readline()
    killed = next(iter(cluster.workers.values())).pid
    os.kill(killed, signal.SIGKILL)
    out, err = night.communicate(timeout=200)
    lines = [json.loads(line) for line in [first, *out.splitlines()]]
    assert (night.returncode, err) == (1, "")
    assert lines[-1]["counts"] == {"built": 9, "failed": 1}
    assert lines[-1]["event"] == "end"
    pages = {path: path.read_bytes() for path in tmp_path.glob("reports/a/*/small.html")}
    assert len(pages) == 9
    nights.write("bad", 2)
    code, out, _ = nights.run("--dask", cluster.scheduler_address)
    assert (code, out.count("(unchanged)"), out.splitlines()[-1]) == (0, 9, "10 reports: 9 unchanged, 1 built")
    for path in pages:
        path.unlink()
    assert nights.run()[0] == 0
    assert {path: path.read_bytes() for path in pages} == pages
    time.sleep(1)
    assert not any("_serve" in _command(entry) for entry in Path("/proc").glob("[0-9]*") if _parent(entry) == 1)


def _command(process: Path) -> str:
    try:
        return (process / "cmdline").read_text()
    except OSError:
        return ""


def _parent(process: Path) -> int:
    try:
        return int((process / "stat").read_text().rpartition(") ")[2].split()[1])
    except OSError:
        return 0


def test_a_worker_that_does_not_see_the_files_is_refused(
    tmp_path: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the first report; so is one with other versions, and a scheduler that is not there."""
    from benchlib.errors import InputError
    from benchlib.run import cluster as room

    nights = Nights(tmp_path, job(**A))
    code, out, err = nights.run("--dask", "tcp://127.0.0.1:9")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("benchlib: --dask tcp://127.0.0.1:9: no scheduler answers (")
    wanted = room.versions()
    assert room._unfit(str(tmp_path / "token"), wanted) == (
        f"does not see {tmp_path}; it needs the same files under the same names"
    )
    (tmp_path / "token").write_text("token")
    assert room._unfit(str(tmp_path / "token"), wanted) == ""
    assert room._unfit(str(tmp_path / "token"), wanted | {"numpy": "1.0"}).startswith("has another numpy (")
    monkeypatch.setattr(room, "versions", lambda: wanted | {"numpy": "1.0"})
    with pytest.raises(InputError, match="has another numpy"):
        room.Cluster(cluster.scheduler_address, tmp_path, [])
