"""Who may import whom, and which library lives in which room."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "benchlib"

#: room -> the rooms to its left, which are all it may import.
LEFT_OF: dict[str, set[str]] = {"errors": set(), "caveats": set()}
LEFT_OF["units"] = {"errors", "caveats"}
LEFT_OF["metrics"] = LEFT_OF["units"] | {"units"}
LEFT_OF["results"] = LEFT_OF["metrics"] | {"metrics"}
LEFT_OF["files"] = {"errors"}
LEFT_OF["toml_lines"] = LEFT_OF["results"] | {"results", "files"}
LEFT_OF["concurrency"] = set()
LEFT_OF["gc_pause"] = set()
LEFT_OF["imports"] = set()
LEFT_OF["progress"] = set()
LEFT_OF["source_date"] = {"errors"}
LEFT_OF["formats"] = LEFT_OF["results"] | {"results", "files", "gc_pause", "toml_lines", "concurrency"}
LEFT_OF["history"] = LEFT_OF["formats"] | {"formats"}
LEFT_OF["study"] = LEFT_OF["history"] | {"history"}
LEFT_OF["lazy_scipy"] = set()
LEFT_OF["statistics"] = {"errors", "caveats", "lazy_scipy"}
LEFT_OF["scaling"] = LEFT_OF["statistics"] | {"statistics"}
LEFT_OF["capacity"] = LEFT_OF["scaling"] | {"scaling"}
# A cost model writes its amounts.
LEFT_OF["effects"] = LEFT_OF["scaling"] | {"units"}
LEFT_OF["answers"] = LEFT_OF["study"] - {"files", "gc_pause", "toml_lines"} | LEFT_OF["capacity"]
LEFT_OF["answers"] |= {"study", "effects", "capacity", "progress"}
LEFT_OF["document"] = LEFT_OF["answers"] | {"answers"}
LEFT_OF["figures"] = LEFT_OF["document"] | {"document"}
LEFT_OF["tell"] = LEFT_OF["figures"] | {"figures"}
LEFT_OF["render"] = LEFT_OF["tell"] | {"tell", "files", "imports", "source_date"}
LEFT_OF["run"] = LEFT_OF["render"] | {"render", "gc_pause", "toml_lines"}
LEFT_OF["display"] = LEFT_OF["run"] | {"run"}
LEFT_OF["workbench"] = LEFT_OF["display"] | {"display"}
LEFT_OF["cli"] = LEFT_OF["workbench"] | {"workbench", "__init__"}
LEFT_OF["__init__"] = LEFT_OF["workbench"] | {"workbench"}
LEFT_OF["__main__"] = {"cli"}

REASONING = ("statistics", "scaling", "capacity", "effects")

#: Standard modules that would let reasoning see a path, a clock or the machine.
OUTSIDE_WORLD = {
    "builtins", "datetime", "glob", "io", "os", "pathlib", "random", "shutil", "socket", "subprocess",
    "sys", "tempfile", "time",
}  # fmt: skip

#: library -> the rooms it lives in.
HOMES = {
    "plotly": {"render", "run", "workbench"},
    "papermill": {"run"},
    "distributed": {"run"},
    "nbconvert": {"render"},
    "nbclient": {"run"},
    "nbformat": {"render", "run", "workbench"},
    "pptx": {"render"},
    "jupyter_client": {"run"},
    "IPython": {"progress", "render", "run", "display"},
    "argparse": {"cli"},
    "scipy": {"lazy_scipy"},
    "msgspec": {
        "toml_lines", "formats", "history", "study", "answers", "document", "tell", "render", "workbench", "cli",
    },
}  # fmt: skip

MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "notebooks" not in path.parts)


def room_of(path: Path) -> str:
    """Return the top-level module or package of benchlib that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(tree: ast.Module) -> Iterator[str]:
    """Yield the full name of everything a module imports, at any depth of the code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are absolute"
            names = [one.name for one in node.names]
            yield from ([f"benchlib.{one}" for one in names] if node.module == "benchlib" else [node.module or ""])


def imported_rooms(tree: ast.Module) -> set[str]:
    """Return the rooms of benchlib that a module imports; the package itself is ``__init__``."""
    names = [one.split(".") for one in imports(tree) if one.split(".")[0] == "benchlib"]
    rooms = {one[1] if len(one) > 1 else "__init__" for one in names}
    return {one if one in LEFT_OF else "__init__" for one in rooms}


def imported_libraries(tree: ast.Module) -> set[str]:
    """Return the top-level names that a module imports from outside benchlib."""
    return {one.split(".")[0] for one in imports(tree)} - {"benchlib"}


def faults(wrong: Callable[[str, ast.Module], set[str]]) -> Iterator[str]:
    """Yield what a rule finds wrong in the modules, each with its path."""
    for path in MODULES:
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
        yield from (f"{path.relative_to(PACKAGE)}: {name}" for name in sorted(wrong(room_of(path), tree)))


def test_a_module_imports_only_rooms_to_its_left() -> None:
    """Each layer imports only layers to its left, and every room is on the map."""
    rooms = {room_of(path) for path in MODULES}
    assert rooms == set(LEFT_OF), "place a new room in LEFT_OF and in docs/architecture.md; take out one that is gone"
    assert list(faults(lambda room, tree: imported_rooms(tree) - {room} - LEFT_OF[room])) == []


def test_a_library_is_imported_only_where_it_lives() -> None:
    """A library such as plotly is imported only in the rooms that HOMES gives it."""
    strangers = faults(
        lambda room, tree: {name for name in imported_libraries(tree) if room not in HOMES.get(name, {room})}
    )
    assert list(strangers) == []


def test_reasoning_sees_arrays_and_nothing_of_the_outside_world() -> None:
    """statistics, scaling, capacity and effects use numpy, scipy and the standard library; no path, clock or file."""
    known = {"numpy", "scipy"} | set(sys.stdlib_module_names) - OUTSIDE_WORLD

    def outside(room: str, tree: ast.Module) -> set[str]:
        calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
        called = {called.id for called in calls if isinstance(called, ast.Name)}
        return (imported_libraries(tree) - known | called & {"open", "print", "input"}) if room in REASONING else set()

    assert list(faults(outside)) == []


def test_the_map_of_rooms_has_no_way_round() -> None:
    """If a room may import another, the other may not import it back."""
    assert not [(one, other) for one in LEFT_OF for other in LEFT_OF[one] if one in LEFT_OF[other]]


def test_importing_benchlib_stays_light() -> None:
    """``import benchlib`` loads none of the heavy libraries: they are imported where they are used."""
    heavy = ["plotly", "papermill", "nbconvert", "nbformat", "IPython", "ipykernel", "jinja2", "scipy.stats"]
    assert imported_with("benchlib", heavy) == []


def test_scipy_is_imported_where_it_is_used() -> None:
    """A summary knows every law and model without a module of SciPy: what it computes decides which it needs."""
    slow = ["scipy.special", "scipy.optimize", "scipy.sparse", "scipy.stats"]
    assert imported_with("benchlib.answers.executive, benchlib.tell.executive", slow) == []


def imported_with(module: str, heavy: list[str]) -> list[str]:
    """Return which heavy libraries come with the import of a module."""
    code = f"import sys, {module}; print(*[one for one in {heavy!r} if one in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, check=True)
    return shown.stdout.split()


def test_imports_are_found_however_they_are_written() -> None:
    """The check itself sees every form of import, late ones too."""
    forms: dict[str, set[str]] = {
        "from benchlib.cli import main": {"cli"},
        "import benchlib.figures.style as style": {"figures"},
        "from benchlib import errors": {"errors"},
        "from benchlib import load": {"__init__"},
        "def late():\n    import benchlib": {"__init__"},
        "import numpy": set(),
    }
    assert {code: imported_rooms(ast.parse(code)) for code in forms} == forms


def test_scipy_comes_without_what_numpy_has_not_imported() -> None:
    """And what stood in its place is gone: whoever asks for it gets it."""
    code = """
import sys, numpy
from benchlib.lazy_scipy import optimize, sparse, special
assert special.ndtr(0.0) == 0.5 and optimize.brentq(lambda x: x - 1, 0, 3) == 1.0 and sparse.eye_array(2).nnz == 2
assert not {"numpy.f2py", "numpy.testing"} & set(sys.modules), "nobody asked for these"
import numpy.testing
numpy.testing.assert_allclose(1.0, 1.0)
assert numpy.f2py.__file__ and numpy.ctypeslib.as_array
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=PACKAGE.parent)
    assert not ended.returncode, ended.stderr


def test_the_table_of_the_house_names_every_module() -> None:
    """A newcomer finds each in ``docs/architecture.md``, and nothing that is gone; commands are named by their file."""
    text = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    house = text[text.index("## The house") : text.index("## Who may import")]
    named = set(re.findall(r"`([a-z_0-9]+)`", house)) - {"document", "finding"}
    modules = {path.stem for path in PACKAGE.rglob("*.py") if not path.stem.startswith("__")}
    commands = {path.stem for path in (PACKAGE / "cli").glob("*.py")}
    assert sorted(named - modules) == []
    assert sorted(modules - commands - named) == []
