"""``benchlib scaling``: laws fitted to throughput against concurrency, as text, Markdown or JSON."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from benchlib.cli.options import add_full, add_strict, add_where, answered, number_asked, print_document, print_json

if TYPE_CHECKING:
    from benchlib.answers.scaling import ScalingAnswer
    from benchlib.study import Study


def add_options(command: argparse.ArgumentParser) -> None:
    """Describe the command and add its options."""
    command.description = (
        "Fit scaling laws to throughput against concurrency: coefficients, peak, ceiling and knee with "
        "intervals, the law chosen and why, and what the data cannot say."
    )
    command.add_argument("path", metavar="PATH", help="a file, a folder, or a study")
    command.add_argument("--concurrency", default="", metavar="AXIS", help="the axis that is N, e.g. gomaxprocs")
    command.add_argument("--metric", default="", metavar="NAME", help="a rate, or a time of parallel operations")
    command.add_argument("--by", default="", metavar="AXES", help="axes that make curves of their own, with commas")
    command.add_argument("--law", default="all", metavar="LAW", help="all, linear, plateau, amdahl, gustafson or usl")
    command.add_argument(
        "--weights", default="auto", metavar="KIND", help="auto, relative, replicates, or none (as R does)"
    )
    command.add_argument("--confidence-level", default="0.95", metavar="SHARE", help="of every interval; default: 0.95")
    command.add_argument(
        "--extrapolate", default="", metavar="N,...", help="predict these concurrencies, however far beyond the data"
    )
    command.add_argument("--at", default="", metavar="N,...", help="throughput, slope and latency there by the laws")
    command.add_argument("--for", default="", metavar="RATE", dest="reach", help="where the law reaches 5000/s, say")
    command.add_argument("--latency", default="", metavar="TIME", help="the most throughput within a mean of 5ms, say")
    command.add_argument("--improve", default="", metavar="QUANTITY", help="what more measurements shall narrow")
    command.add_argument(
        "--seconds-each",
        metavar="SECONDS",
        help="time of one more measurement; default: that of the study's command, else 10",
    )
    command.add_argument("--budget", metavar="SECONDS", help="time for all of them; default: 60")
    command.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    add_full(command)
    add_strict(command)
    add_where(command)
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print what scaling laws say of the study."""
    from benchlib.answers.scaling import fit_scaling
    from benchlib.study import open_study

    study = open_study(given.path, where=given.where, strict=given.strict)
    answer = fit_scaling(
        study,
        concurrency=given.concurrency,
        metric=given.metric,
        by=given.by,
        law=given.law,
        weights=given.weights,
        confidence_level=number_asked(given.confidence_level, "--confidence-level"),
        extrapolate=given.extrapolate,
        at=given.at,
        reach=given.reach,
        latency=given.latency,
        improve=given.improve,
        seconds_each=None if given.seconds_each is None else number_asked(given.seconds_each, "--seconds-each"),
        budget=None if given.budget is None else number_asked(given.budget, "--budget"),
    )
    _print(given, study, answered(study, answer))
    return 0


def _print(given: argparse.Namespace, study: Study, answer: ScalingAnswer) -> None:
    """Print an answer; only what its format takes is made, and imported."""
    if given.format == "json":
        from benchlib.answers.bottleneck import bottleneck_answer
        from benchlib.answers.scaling import scaling_document

        bottleneck = bottleneck_answer(study, confidence_level=answer.confidence_level)
        print_json(scaling_document(answer, bottleneck))
    else:
        from benchlib.answers.latency import operating_answer
        from benchlib.tell import scaling

        operating = operating_answer(study, confidence_level=answer.confidence_level)
        print_document(scaling.document(answer, operating, study), given)
