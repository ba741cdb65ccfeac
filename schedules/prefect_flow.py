"""Prefect (3 or later): a task for each job of reports.toml, each after those that it names.

Prefect keeps the time and the order; `benchlib fleet run --only JOB` builds what is due, tries again, and gives notice.
"""

import os
import subprocess
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

from prefect import flow, task

# The folder that holds reports.toml, and the command.
FOLDER = Path(os.environ.get("BENCHMARKS", "/srv/benchmarks"))
BENCHLIB = os.environ.get("BENCHLIB", "/srv/benchmarks/.venv/bin/benchlib")


@task(task_run_name="{job}")
def run_job(job: str) -> None:
    """Build what is due of a job; a gate that tripped (3) was told by `notify`, and holds nothing back."""
    ended = subprocess.run([BENCHLIB, "fleet", "run", "reports.toml", "--only", job], cwd=FOLDER, check=False)
    if ended.returncode not in (0, 3):
        raise RuntimeError(f"{job}: exit code {ended.returncode}")


@flow
def benchmark_reports() -> None:
    """Run every job in its order, and fail if one failed."""
    jobs = tomllib.loads((FOLDER / "reports.toml").read_text(encoding="utf-8"))["job"]
    after = {job["name"]: job.get("after", []) for job in jobs}
    begun = {}
    for name in TopologicalSorter(after).static_order():
        begun[name] = run_job.submit(name, wait_for=[begun[other] for other in after[name]])
    for future in begun.values():
        future.result()


if __name__ == "__main__":
    benchmark_reports.serve(name="nightly", cron="17 5 * * *")
