"""``benchlib effects``: what factors cost, as text, Markdown or JSON."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from benchlib.cli.options import add_full, add_strict, add_where, answered, number_asked, print_document, print_json

if TYPE_CHECKING:
    from benchlib.answers.effects import EffectsAnswer
    from benchlib.study import Study


def add_options(command: argparse.ArgumentParser) -> None:
    """Describe the command and add its options."""
    command.description = (
        "Break out what factors such as bits, inputs and outputs cost: plain effects with intervals, "
        "which factor matters, a cost model with its rivals, cells that stand apart, and predictions."
    )
    command.add_argument("path", metavar="PATH", help="a file, a folder, or a study")
    command.add_argument("--factors", default="", metavar="AXES", help="columns that were varied, with commas")
    command.add_argument(
        "--numeric", default="", metavar="AXES", help="factors with two levels to take as numbers all the same"
    )
    command.add_argument("--metric", default="", metavar="NAMES", help="what to explain: time,memory,allocations")
    command.add_argument("--by", default="", metavar="AXES", help="columns that make groups; default: benchmark")
    command.add_argument(
        "--baseline", default="", metavar="CELL", help="levels that others are held against: 'curve=BN254 bits=32'"
    )
    command.add_argument(
        "--predict", action="append", default=[], metavar="CELL", help="'bits=64 inputs=4 outputs=6'; may be repeated"
    )
    command.add_argument("--extrapolate", action="store_true", help="predict beyond twice the measured range too")
    command.add_argument("--terms", default="standard", metavar="SET", help="terms to search: standard or wide")
    command.add_argument("--confidence-level", default="0.95", metavar="SHARE", help="of every interval; default: 0.95")
    command.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    add_full(command)
    add_strict(command)
    add_where(command)
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print what the factors of a study do."""
    from benchlib.answers.effects import analyse_effects
    from benchlib.study import open_study

    study = open_study(given.path, where=given.where, strict=given.strict)
    answer = analyse_effects(
        study,
        factors=given.factors,
        numeric=given.numeric,
        metric=given.metric,
        by=given.by,
        baselines=given.baseline,
        predict=given.predict,
        extrapolate=given.extrapolate,
        term_set=given.terms,
        confidence_level=number_asked(given.confidence_level, "--confidence-level"),
    )
    _print(given, study, answered(study, answer))
    return 0


def _print(given: argparse.Namespace, study: Study, answer: EffectsAnswer) -> None:
    """Print an answer; only what its format takes is made, and imported."""
    if given.format == "json":
        from benchlib.answers.effects import effects_document

        print_json(effects_document(answer))
    else:
        from benchlib.tell import effects

        print_document(effects.document(answer, study), given)
