"""Would a test notice? Small faults put into a copy of the package, one at a time, and the tests run on each.

    python benchmarks/mutation.py benchlib/statistics --tests tests/statistics --count 100

A mutant has one fault. It is killed if a test, or a doctest of the changed module, fails or does not end in time. The
score is the share of killed mutants. Some survivors change nothing that anybody could see, so 100 % is no goal: compare
scores before and after a change of the tests. The work tree is copied first and never written to.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.GtE, ast.GtE: ast.Gt, ast.Gt: ast.LtE, ast.LtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "any": "all", "all": "any"}
COPIED = ("benchlib", "tests", "data", "notebooks", "docs", "conftest.py", "pyproject.toml", "README.md")
#: What is never run, or only once.
UNSEEN = {"annotation", "returns", "type_params", "decorator_list"}


def faults(node: ast.AST) -> Iterator[tuple[ast.AST, str, object]]:
    """Yield, in order, each node to change, the field of it that changes, and what stands there then."""
    match node:
        case ast.Compare(ops=[operation, *others]):
            yield node, "ops", [SWAPS[type(operation)](), *others]
        case ast.BoolOp(op=operation) | ast.BinOp(op=operation) | ast.AugAssign(op=operation) if (
            type(operation) in SWAPS
        ):
            yield node, "op", SWAPS[type(operation)]()
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield node, "operand", ast.UnaryOp(ast.Not(), operand)
        case ast.Constant(value=bool() | int() | float() as value):
            yield node, "value", not value if isinstance(value, bool) else value + 1
        case ast.Call(func=ast.Name(id=name) as called) if name in NAMES:
            yield called, "id", NAMES[name]
        case ast.Call(func=ast.Attribute(attr=name) as called) if name in NAMES:
            yield called, "attr", NAMES[name]
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield node, "value", ast.Constant(None)
    for field, inside in ast.iter_fields(node):
        for child in inside if isinstance(inside, list) else [inside]:
            if isinstance(child, ast.AST) and field not in UNSEEN:
                yield from faults(child)


def passes(arguments: list[str], folder: Path, limit: float) -> bool:
    """Whether the tests pass in a folder before the time is over."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments]
    running = subprocess.Popen(
        command, cwd=folder, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(folder)}, preexec_fn=lambda: os.nice(10),
    )  # fmt: skip
    try:
        return running.wait(limit) == 0
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        return False


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="+", type=Path, help="modules or folders of them to put faults into")
    parser.add_argument("--tests", nargs="+", required=True, help="what pytest runs on each mutant")
    parser.add_argument("--count", type=int, default=50, help="how many mutants (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of their choice (default %(default)s)")
    return parser.parse_args()


def main() -> int:
    """Try each mutant; print what became of it, and the score."""
    options = parse_options()
    paths = sorted(path for given in options.modules for path in ([given] if given.is_file() else given.rglob("*.py")))
    chances = [(path, index) for path in paths for index, _ in enumerate(faults(ast.parse(path.read_text())))]
    chosen = sorted(random.Random(options.seed).sample(chances, min(options.count, len(chances))))
    os.environ.setdefault("BENCHLIB_SHARED", str(Path.cwd().parent / "shared"))
    with tempfile.TemporaryDirectory() as made:
        for name in COPIED:
            (shutil.copytree if Path(name).is_dir() else shutil.copy2)(name, Path(made, name))
        started = time.monotonic()
        if not passes([*options.tests, *map(str, paths)], Path(made), 3600):
            sys.exit("the tests fail without any fault")
        limit = 20 + 3 * (time.monotonic() - started)
        survivors = 0
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # the copy's bytecode is that of the right code, and stays so
        for path, index in chosen:
            tree = ast.parse(path.read_text())
            node, field, value = list(faults(tree))[index]
            before = ast.unparse(node)
            setattr(node, field, value)
            Path(made, path).write_text(ast.unparse(ast.fix_missing_locations(tree)))
            survives = passes([str(path), *options.tests], Path(made), limit)
            survivors += survives
            fault = f"{path}:{getattr(node, 'lineno', 0)} {before[:60]} -> {ast.unparse(node)[:60]}"
            print("survived" if survives else "killed  ", fault, flush=True)
            shutil.copy2(path, Path(made, path))
    print(f"{len(chosen) - survivors} of {len(chosen)} killed, of {len(chances)} possible")
    return 0


if __name__ == "__main__":
    sys.exit(main())
