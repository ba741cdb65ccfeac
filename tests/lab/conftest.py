"""JupyterLab as `make lab` starts it, on a copy of the checkout that git watches, and what its server says."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import pytest

ROOT = Path(__file__).parents[2]
TOKEN = "only-for-this-test"
#: What a reader's own settings say here: save every two seconds, and draw cells that are out of sight too.
SETTINGS = {
    "docmanager-extension/plugin": {"autosaveInterval": 2},
    "notebook-extension/tracker": {"windowingMode": "none"},
}
#: Seconds that a server or a kernel on a busy machine may take to answer.
PATIENCE = 240


@dataclass(frozen=True)
class Server:
    """A JupyterLab on the loopback."""

    address: str
    #: The copy of the checkout that it serves.
    root: Path

    def ask(self, path: str, *, method: str = "GET", body: Any = None, token: str = TOKEN) -> Any:
        """Return the answer of the server, as JSON where it is JSON; a refusal raises ``HTTPError``."""
        request = urllib.request.Request(
            f"{self.address}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"token {token}"} if token else {},
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            text = answer.read().decode()
            return json.loads(text) if "json" in answer.headers.get("Content-Type", "") else text


def absent(reason: str) -> NoReturn:
    """Skip, or fail where continuous integration asks for Lab and a browser."""
    if os.environ.get("BENCHLIB_REQUIRE_BROWSER") == "1":
        pytest.fail(f"BENCHLIB_REQUIRE_BROWSER=1, but {reason}")
    pytest.skip(reason)


def checkout(root: Path) -> None:
    """Make a repository of what Lab shows, with everything committed."""
    for name in ("notebooks", "data"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__"))
    shutil.copy(ROOT / ".gitignore", root)
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "-c", "user.name=benchlib", "-c", "user.email=tests@localhost", "commit", "--quiet", "-m", "as it is")


def git(root: Path, *words: str) -> str:
    """Run git and return what it says."""
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """JupyterLab with the settings of notebooks/.jupyter, with a home of its own, ended afterwards."""
    jupyter = shutil.which("jupyter", path=str(Path(sys.executable).parent))
    if jupyter is None or subprocess.run([jupyter, "lab", "--version"], capture_output=True).returncode:
        absent("jupyterlab is not installed")
    if importlib.util.find_spec("jupyter_scheduler") is None:
        absent("jupyter-scheduler is not installed")
    home, root = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("checkout")
    checkout(root)
    runtime, settings = home / "runtime", home / "settings"
    for name, values in SETTINGS.items():
        file = settings / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(values))
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "IPYTHON"))}
    environment = inherited | {
        "HOME": str(home),
        "JUPYTER_CONFIG_PATH": str(root / "notebooks/.jupyter"),
        "JUPYTER_RUNTIME_DIR": str(runtime),
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        "JUPYTER_TOKEN": TOKEN,
        "PYTHONPATH": str(ROOT),
    }
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(
            [jupyter, "lab", "--no-browser", "--port=0", "--ip=127.0.0.1", "--allow-root",
             "--LabApp.expose_app_in_browser=True"],
            stdout=log, stderr=log, env=environment, cwd=root,
        )  # fmt: skip
    try:
        yield Server(_address(process, runtime, home / "log"), root)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(20)


def _address(process: subprocess.Popen[bytes], runtime: Path, log: Path) -> str:
    """Wait until the server has written where it listens, and answers there."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        assert process.poll() is None, log.read_text()
        for file in runtime.glob("jpserver-*.json"):
            try:
                address = str(json.loads(file.read_text())["url"])
                urllib.request.urlopen(f"{address}api", timeout=5).close()
            except (ValueError, urllib.error.URLError):
                continue  # half-written, or not yet listening
            return address
        time.sleep(0.2)
    raise AssertionError(f"jupyter lab did not answer within {PATIENCE} s: {log.read_text()}")
