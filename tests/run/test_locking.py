"""One run at a time for one report: who is skipped, and that nothing left behind blocks."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchlib.errors import InputError
from benchlib.run.manifest import locked

HOLD = """\
import sys, time
from pathlib import Path
from benchlib.run.manifest import locked
with locked(Path(sys.argv[1]), wait=True) as held:
    print(held, flush=True)
    time.sleep(60)
"""


def test_a_killed_run_leaves_no_lock(tmp_path: Path) -> None:
    """SIGKILL runs no clean-up: the file stays, the lock does not."""
    lock = tmp_path / ".lock"
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(lock)], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        with locked(lock, wait=False) as held:
            assert not held
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        assert lock.exists()
        with locked(lock, wait=False) as held:
            assert held
    finally:
        holder.kill()
        holder.communicate()


def test_waiting_waits(tmp_path: Path) -> None:
    """A manifest that another run writes is written after it, not skipped."""
    lock = tmp_path / ".lock"
    code = HOLD.replace("time.sleep(60)", "time.sleep(0.4)")
    with subprocess.Popen([sys.executable, "-c", code, str(lock)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        with locked(lock, wait=True) as held:
            assert held
            # It has let go, so it is at its end.
            until = time.monotonic() + 30
            while holder.poll() is None and time.monotonic() < until:
                time.sleep(0.01)
            assert holder.returncode == 0


def test_a_lock_is_no_way_to_open_another_file(tmp_path: Path) -> None:
    """A link in its place is refused, and what it leads to stays as it is."""
    (tmp_path / "precious").write_text("mine")
    (tmp_path / ".lock").symlink_to(tmp_path / "precious")
    with pytest.raises(InputError, match="cannot be locked"), locked(tmp_path / ".lock", wait=False):
        pass
    with pytest.raises(InputError, match="cannot be locked"), locked(tmp_path / "no/folder/.lock", wait=False):
        pass
    assert (tmp_path / "precious").read_text() == "mine"
