"""``benchlib new``: a notebook to begin with, a study's own axes, levels and metrics filled in."""

from __future__ import annotations

import argparse

from benchlib.cli.shell import print_line


def add_options(command: argparse.ArgumentParser) -> None:
    """Describe the command and add its options."""
    command.description = (
        "Write a notebook that asks one question of a study: look, scaling, compare, effects, latency, capacity, "
        "noise, trend, from_numbers or report. Its axes, levels and metrics are those of the study."
    )
    command.add_argument("kind", metavar="KIND", help="the question, e.g. scaling")
    command.add_argument("study", metavar="STUDY", nargs="?", default="", help="a folder of results")
    command.add_argument("-o", "--output", default="", metavar="FILE", help="default: work/KIND.ipynb")
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Write the notebook, and say where it is."""
    from benchlib.workbench.new import new

    print_line(f"{new(given.kind, given.study, given.output)}: open it with make lab, or run it with benchlib report")
    return 0
