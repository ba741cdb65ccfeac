"""``benchlib slides``: run a notebook of slides on a study, write the deck."""

from __future__ import annotations

import argparse

from benchlib.cli.options import add_output, add_strict, add_trust, add_where, parameters_asked, size_asked
from benchlib.cli.telling import Lines, Quiet
from benchlib.errors import InputError


def add_options(command: argparse.ArgumentParser) -> None:
    """Describe the command and add its options."""
    command.description = "Run a notebook of slides on a study; write the deck, the executed notebook and the answers."
    command.epilog = (
        "Exit codes: 0 done, 1 a cell failed, 2 bad input, 4 time-out, 5 crash or memory, "
        "6 the deck failed its check. See docs/slides.md."
    )
    command.add_argument("study", metavar="STUDY", help="a folder of results")
    command.add_argument(
        "-p", "--parameter", action="append", default=[], metavar="NAME=VALUE", help="e.g. target=50000/s"
    )
    command.add_argument("--to", default="html", metavar="FORMATS", help="with commas: html, pdf, pptx (default: html)")
    add_output(command, "slides")
    command.add_argument("--notebook", default="capacity_deck", metavar="NAME", help="default: capacity_deck")
    add_trust(command)
    add_strict(command)
    command.add_argument(
        "--max-size", default="1.5MB", metavar="SIZE", help="a larger deck is not published (exit 6; default: 1.5MB)"
    )
    command.add_argument("--quiet", action="store_true", help="print errors only")
    add_where(command)
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Build the deck and say where it is."""
    from benchlib.render.chromium import check_formats
    from benchlib.run.build import Request
    from benchlib.run.manifest import made_folder
    from benchlib.run.slides import DECK_FORMATS, build_slides

    formats = check_formats(given.to, DECK_FORMATS)
    made_folder(given.output)
    teller = Quiet() if given.quiet else Lines()
    parameters = parameters_asked(given, ["where"])
    request = Request(given.study, given.output, given.notebook, parameters, given.strict, trust=given.trust)
    most = size_asked(given.max_size, "--max-size")
    built = build_slides(request, formats, max_bytes=most, tell=teller.stage)
    if built.outcome == "busy":
        raise InputError(f"{given.output}: another run is building these slides; wait for it")
    teller.built(request, built)
    return 0
