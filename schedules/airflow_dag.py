"""Airflow (3 or later): a task for each job of reports.toml, each after those that it names.

Airflow keeps the time and the order; `benchlib fleet run --only JOB` builds what is due, tries again, and gives notice.
"""

import os
import shlex
import tomllib
from pathlib import Path

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

# The folder that holds reports.toml, and the command.
FOLDER = Path(os.environ.get("BENCHMARKS", "/srv/benchmarks"))
BENCHLIB = os.environ.get("BENCHLIB", "/srv/benchmarks/.venv/bin/benchlib")

# A gate that tripped (3) was told by `notify`: what comes after it is built all the same.
COMMAND = "{benchlib} fleet run reports.toml --only {job}; code=$?; [ $code -eq 3 ] || exit $code"

with DAG(dag_id="benchmark_reports", schedule="17 5 * * *", catchup=False, max_active_runs=1) as dag:
    jobs = tomllib.loads((FOLDER / "reports.toml").read_text(encoding="utf-8"))["job"]
    tasks = {
        job["name"]: BashOperator(
            task_id=job["name"],
            bash_command=COMMAND.format(benchlib=shlex.quote(BENCHLIB), job=shlex.quote(job["name"])),
            cwd=str(FOLDER),
            retries=0,
        )
        for job in jobs
    }
    for job in jobs:
        for name in job.get("after", []):
            tasks[name] >> tasks[job["name"]]
