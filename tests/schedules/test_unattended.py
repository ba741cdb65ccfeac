"""Reports that nobody starts: the cron line, the systemd units and the workflow in ``schedules/``."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from benchlib.cli import parser
from tests.run.small_notebook import write_small_notebook

FOLDER = Path(__file__).parents[2] / "schedules"
ROOT = FOLDER.parent
GO = "BenchmarkX-8 \t 10\t 5 ns/op\n"
WORKFLOW = (FOLDER / "benchmark-reports.yml").read_text(encoding="utf-8")


def crontab() -> tuple[dict[str, str], str]:
    """Return the settings of the crontab, and its one command as cron would give it to the shell."""
    settings, commands = {}, []
    for line in (FOLDER / "reports.crontab").read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if found := re.fullmatch(r"([A-Z_]+)=(.*)", line):
            settings[found[1]] = found[2]
        else:
            minute, hour, day, month, weekday, command = line.split(None, 5)
            assert (int(minute) < 60, int(hour) < 24, day, month, weekday) == (True, True, "*", "*", "*")
            commands.append(command)
    [command] = commands
    # An unescaped % would end the command and begin its standard input.
    assert "%" not in command
    return settings, command


class Night:
    """A folder of benchmarks, and the cron line run in it as cron runs it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "data/adapter").mkdir(parents=True)
        (folder / "data/adapter/run.txt").write_text(GO)
        (folder / "data/adapter/study.toml").write_text('title = "Adapter"\n')
        self.command = folder / "benchlib"
        # The shipped notebook asks everything; a small one is enough to see that reports are built.
        write_small_notebook(folder / "small.ipynb")
        self.command.write_text(
            f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {shlex.quote(sys.executable)} -m benchlib "$@" '
            "--notebook small.ipynb\n"
        )
        self.command.chmod(0o755)

    def run(self, **settings: str) -> subprocess.CompletedProcess[str]:
        """Run the line with the environment that cron gives, and nothing else."""
        given, command = crontab()
        home = self.folder / "nobody"
        home.mkdir(exist_ok=True)
        environment: Mapping[str, str] = {
            **given,
            "HOME": str(home),
            "LOGNAME": "nobody",
            "BENCHMARKS": str(self.folder),
            "BENCHLIB": str(self.command),
            **settings,
        }
        return subprocess.run(
            [environment["SHELL"], "-c", command],
            env=environment, cwd=home, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip


@pytest.fixture
def night(tmp_path: Path) -> Night:
    return Night(tmp_path)


def test_the_cron_line_builds_reports_and_says_nothing(night: Night) -> None:
    """cron mails what is printed: a good night prints nothing; the second night leaves the page as it is."""
    found = night.run()
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")
    page = night.folder / "reports/adapter/small.html"
    before = page.stat().st_mtime_ns
    assert night.run().returncode == 0
    assert page.stat().st_mtime_ns == before
    assert list((night.folder / "nobody").iterdir()) == []


def test_the_cron_line_notifies_of_a_failure(night: Night) -> None:
    """A broken study: its line on stderr, its exit code, and the command with the facts in its environment."""
    assert night.run().returncode == 0
    (night.folder / "data/adapter/study.toml").write_text('titel = "x"\n')
    told = night.folder / "told"
    # One that a name could break out of, were it pasted into the command.
    found = night.run(NOTIFY=f'printf "%s|" "$BENCHLIB_STUDY" "$BENCHLIB_EXIT_CODE" "$BENCHLIB_ERROR" > {told}')
    assert found.returncode == 2
    assert found.stdout == ""
    assert found.stderr.startswith("benchlib: data/adapter/study.toml:1: unknown key 'titel'")
    assert told.read_text().startswith("data/adapter|2|data/adapter/study.toml:1: unknown key 'titel'")
    index = (night.folder / "reports/index.html").read_text()
    assert "small.failed.html" in index


def test_the_cron_line_skips_what_another_run_builds(night: Night) -> None:
    """A lock that is held: nothing is built, one line says so, exit 0; a lock file that is left does not block."""
    import fcntl

    folder = night.folder / "reports/adapter"
    folder.mkdir(parents=True)
    with (folder / ".small.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = night.run()
        assert (found.returncode, found.stdout) == (0, "")
        [told] = found.stderr.splitlines()
        assert told.endswith("small.html: skipped: another run is building it")
        assert not (folder / "small.html").exists()
    assert night.run().returncode == 0
    assert (folder / "small.html").exists()


def test_the_command_of_the_crontab_is_one_that_parses() -> None:
    """Every option is one that ``benchlib report`` takes; the units of systemd use no other."""
    settings, command = crontab()
    words = shlex.split(command)
    given = parser().parse_args(words[words.index("report") :])
    assert (given.all, given.quiet, given.fail_on) == (True, True, "missed")
    assert settings["BENCHMARKS"].startswith("/srv/")
    service = (FOLDER / "benchlib-reports.service").read_text(encoding="utf-8")
    [start] = re.findall(r"^ExecStart=\S+ (.*)$", service, re.M)
    served = parser().parse_args(shlex.split(start))
    assert served.notify == "${NOTIFY}"
    same = ("all", "fail_on", "timeout")
    assert [getattr(served, one) for one in same] == [getattr(given, one) for one in same]
    [notice] = re.findall(r'^Environment="NOTIFY=(.*)"$', service, re.M)
    assert notice.replace('\\"', '"') == settings["NOTIFY"]
    assert f"--timeout {given.timeout} " in WORKFLOW


def test_systemd_accepts_service_and_timer(tmp_path: Path) -> None:
    """``systemd-analyze verify`` finds no fault, with the paths of the units moved to where a command is."""
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("no systemd-analyze: install systemd")
    command = tmp_path / "srv/.venv/bin/benchlib"
    command.parent.mkdir(parents=True)
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    for name in ("benchlib-reports.service", "benchlib-reports.timer"):
        text = (FOLDER / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(text.replace("/srv/benchmarks", str(tmp_path / "srv")))
    units = sorted(str(one) for one in tmp_path.glob("benchlib-reports.*"))
    found = subprocess.run([analyze, "verify", "--man=no", *units], capture_output=True, text=True, check=False)
    ours = [line for line in found.stderr.splitlines() if "benchlib-reports" in line]
    assert (ours, found.returncode) == ([], 0)
    broken = tmp_path / "benchlib-reports.service"
    broken.write_text(broken.read_text().replace("Type=oneshot", "Type=onceshot"))
    found = subprocess.run([analyze, "verify", "--man=no", str(broken)], capture_output=True, text=True, check=False)
    assert "onceshot" in found.stderr


@pytest.mark.parametrize("name", ["airflow_dag.py", "prefect_flow.py"])
def test_the_orchestrators_call_a_command_that_parses(name: str) -> None:
    """One job of a fleet, by options that ``benchlib fleet`` takes; neither is installed here, so no more is shown."""
    code = (FOLDER / name).read_text(encoding="utf-8")
    compile(code, name, "exec")
    words = ["fleet", "run", "reports.toml", "--only"]
    shown = " ".join(words) if name == "airflow_dag.py" else ", ".join(f'"{word}"' for word in words)
    assert shown in code
    assert parser().parse_args([*words, "nightly"]).only == ["nightly"]
