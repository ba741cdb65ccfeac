"""``benchlib capacity``: how many nodes a load takes, and how sure, as text, Markdown or JSON."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from benchlib.cli.options import add_full, add_strict, add_where, answered, print_document, print_json
from benchlib.errors import ParameterError, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchlib.answers.capacity_plans import PlanningAnswer
    from benchlib.study import Study


def add_options(command: argparse.ArgumentParser) -> None:
    """Describe the command and add its options."""
    command.description = (
        "Plan capacity from a measured sweep: nodes for a target, the probability that they are enough, "
        "latency under that load, cost, what each condition adds, and what the data cannot say. What is left out is "
        "taken from [capacity] of study.toml; 'none' takes it back."
    )
    command.add_argument("path", metavar="PATH", help="a file, a folder, or a study")
    command.add_argument("--target", default="", metavar="RATE", help="throughput to deliver, e.g. 50000/s")
    command.add_argument(
        "--slo", action="append", default=[], metavar="LATENCY=TIME", help="e.g. latency_p99=5ms or latency_mean=2ms"
    )
    command.add_argument("--headroom", metavar="SHARE", help="share of every node to leave free, e.g. 30%%")
    command.add_argument("--survive", metavar="NODES", help="nodes that may be lost")
    command.add_argument(
        "--node",
        action="append",
        default=[],
        metavar="KIND",
        help="a kind of node, e.g. cores=8,cost=0.34/h; may be repeated; default: the levels of the sweep",
    )
    command.add_argument("--growth", default="", metavar="SHARE", help="of the load, e.g. 4%%/month or 60%%/year")
    command.add_argument("--from", default="", metavar="MONTH", dest="start", help="of the target, e.g. 2026-11")
    command.add_argument("--currency", default="", metavar="NAME", help="of prices that name none, e.g. EUR")
    command.add_argument("--mix", default="", metavar="PARTS", help="operations, e.g. discover=70,select=30")
    command.add_argument(
        "--probability",
        default="0.95",
        metavar="SHARE",
        help="with which nodes are to be enough; 0.95 or 95%% (default)",
    )
    command.add_argument("--draws", default="4000", metavar="COUNT", help="curves that are drawn; default: 4000")
    command.add_argument("--seed", default="0", metavar="NUMBER", help="which curves are drawn; default: 0")
    command.add_argument("--concurrency", default="", metavar="AXIS", help="the axis that is N, e.g. gomaxprocs")
    command.add_argument("--metric", default="", metavar="NAME", help="a rate, or a time of parallel operations")
    command.add_argument("--by", default="", metavar="AXES", help="axes that make curves of their own, with commas")
    command.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    add_full(command)
    add_strict(command)
    add_where(command)
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print the plan of a study."""
    from benchlib.answers.capacity import plan_capacity
    from benchlib.study import open_study

    study = open_study(given.path, where=given.where, strict=given.strict)
    answer = plan_capacity(
        study,
        target=given.target,
        slo=_only(given.slo),
        headroom=given.headroom,
        survive=given.survive,
        node=given.node,
        growth=given.growth,
        start=given.start,
        currency=given.currency,
        mix=given.mix,
        probability=given.probability,
        draws=_count(given.draws, "--draws"),
        seed=_count(given.seed, "--seed"),
        concurrency=given.concurrency,
        metric=given.metric,
        by=given.by,
    )
    _print(given, study, answered(study, answer))
    return 0


def _only(limits: Sequence[str]) -> str:
    if len(limits) > 1:
        raise ParameterError(f"--slo is given {len(limits)} times; a plan is held to one limit: choose one")
    return "".join(limits)


def _count(text: str, option: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise ParameterError(f"{option} '{printable(text, 60)}' is no whole number of up to 11 digits")
    return int(text)


def _print(given: argparse.Namespace, study: Study, answer: PlanningAnswer) -> None:
    """Print an answer; only what its format takes is made, and imported."""
    if given.format == "json":
        from benchlib.answers.capacity import planning_document

        print_json(planning_document(answer))
    else:
        from benchlib.tell import capacity

        print_document(capacity.document(answer, study), given)
