"""The command line: parse, call, print. One file per command.

Exit codes: 0 done, 1 a notebook's cell failed, 2 bad input, 3 a gate tripped, 4 time-out,
5 the kernel crashed or ran out of memory, 6 the export check failed, 7 a further format was not drawn,
8 rounds have not decided yet (compare --sequential), 130 interrupted,
129, 131 or 143 ended by SIGHUP, SIGQUIT or SIGTERM.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from benchlib.cli.shell import drop_unwritten, endable, open_streams, settle_temporary, write_line
from benchlib.errors import BenchlibError, printable
from benchlib.files import explaining_refusals
from benchlib.gc_pause import collect_seldom, gc_pause

__all__ = ["console"]


#: The commands, each a module of this folder, and what ``benchlib --help`` says of it.
_COMMANDS = {
    "report": "run a notebook on a study and write one offline HTML page",
    "fleet": "build what reports.toml asks for, on this machine or on a cluster",
    "slides": "run a notebook of slides on a study and write a deck as HTML, PDF and PPTX",
    "compare": "compare runs, levels of an axis or benchmarks, with a verdict a row",
    "scaling": "fit scaling laws to throughput against concurrency",
    "capacity": "how many nodes a load takes, at what latency and cost, and how sure",
    "effects": "what each factor costs, and what a cell would cost that was not measured",
    "noise": "how much runs differ, how much values of one run, and which to repeat",
    "trend": "what changed over the runs of a history, at which commit, and what its noise hides",
    "record": "keep results in a history, a run a file of Parquet",
    "history": "list, import, export, pack, withdraw and check the runs of a history",
    "new": "write a notebook to begin with, filled in for a study",
    "inspect": "say what files hold: formats, rows, axes, metrics, problems",
    "convert": "write the tidy table as CSV or Parquet",
    "formats": "list the formats that are read, and what each cannot tell",
    "doctor": "say what is installed, what is missing for what, and the command that mends it",
}


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, without the control characters of an argument."""

    def error(self, message: str) -> NoReturn:
        if message.endswith("expected one argument"):
            message += " (one that begins with - is written NAME=VALUE, as in --target=-5/s)"
        self.exit(2, f"{self.prog}: {printable(message, 1000)}; {self.prog} --help says what there is\n")


class _Command(_Parser):
    """The parser of one command, whose module is imported when it is asked for."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments of the command; what it does not know is its error, not that of ``benchlib``."""
        import_module(f"benchlib.cli.{self.prog.split()[-1]}").add_options(self)
        self._refuse_blanks(args)
        given, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return given, unknown

    def _refuse_blanks(self, args: Sequence[str]) -> None:
        """Refuse ``--option=--``, which argparse takes for nothing, and a gate without a name, which would be open."""
        for place, text in enumerate(args):
            option, equals, value = text.partition("=")
            if text == "--":
                return
            if option.startswith("-") and value == "--":
                self.error(f"argument {option}: '--' is no value; give one, or leave {option} out")
            if option == "--fail-on" and not (value if equals else args[place + 1 : place + 2] != [""]):
                self.error("argument --fail-on: names no gate, as where a variable is unset; name one, or leave it out")


def parser() -> argparse.ArgumentParser:
    """Return the parser of every command."""
    from benchlib import __version__

    top = _Parser(prog="benchlib", description="Raw benchmark results in, decisions out.", allow_abbrev=False)
    top.add_argument("--version", action="version", version=f"benchlib {__version__}")
    top.set_defaults(failed=_tell)
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND", parser_class=_Command)
    for name, words in _COMMANDS.items():
        commands.add_parser(name, help=words, allow_abbrev=False)
    return top


def console() -> NoReturn:
    """Run the command of this process, and end it."""
    open_streams()
    settle_temporary()
    collect_seldom()
    try:
        raise SystemExit(main())
    finally:
        drop_unwritten()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; a user's error is one line on stderr."""
    from benchlib.source_date import settle_epoch

    given = parser().parse_args(arguments)
    try:
        with endable(), explaining_refusals():
            settle_epoch()
            _load_pandas()
            code = int(given.run(given))
            sys.stdout.flush()
            return code
    except BenchlibError as error:
        given.failed(given, error)
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output (head, less) has gone: nothing is left to say.
        sys.stderr.close()
        return 0


def _tell(_: argparse.Namespace, error: BenchlibError) -> None:
    write_line(f"benchlib: {error}")


def _load_pandas() -> None:
    """Import pandas, as every command does, before anything else does so with pyarrow and threads.

    A tenth of a short command would be pyarrow's import, which benchlib needs for Parquet alone; and a process
    with threads cannot fork the cells of a notebook.
    """
    from benchlib.imports import single_threaded

    with gc_pause(), single_threaded():
        import pandas  # noqa: F401
