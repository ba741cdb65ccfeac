"""Notebooks to begin with: a template with the axes, levels and metrics of a study filled in.

A template is Markdown: text becomes text cells, each block of Python a code cell. A block that names what the study
does not have is left out, with the text above it.
"""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchlib.errors import InputError, ParameterError, choices, printable, suggestion

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from benchlib.workbench.data import Data

__all__ = ["KINDS", "new", "notebook_of"]

KINDS = ("look", "scaling", "compare", "effects", "latency", "capacity", "noise", "trend", "from_numbers", "report")

_BLOCK = re.compile(r"^```python( parameters)?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
#: What is filled in; behind a quote it is a text.
_PLACE = re.compile(r'("?)\{\{(\w+)\}\}')
_KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def new(kind: str, study: str = "", output: str | Path = "") -> Path:
    """Write a notebook that asks one question of a study.

    Parameters
    ----------
    kind : {"look", "scaling", "compare", "effects", "latency", "capacity", "noise", "trend", "from_numbers", "report"}
    study : str
        A folder of results; ``from_numbers`` needs none.
    output : str or path
        Where the notebook goes; by default ``work/KIND.ipynb``. A file that is there stays.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    ParameterError
        For a kind that is not known, or a study that is missing.
    InputError
        Where a file is in the way.

    Examples
    --------
    >>> import benchlib as bl
    >>> bl.new("scaling", "data/http-endpoints", "work/mine.ipynb")  # doctest: +SKIP
    PosixPath('work/mine.ipynb')
    """
    import nbformat

    path = Path(output or Path("work", f"{kind}.ipynb"))
    if path.suffix != ".ipynb":
        raise ParameterError(f"{printable(str(path))} is no name of a notebook; end it with .ipynb")
    notebook = notebook_of(kind, study)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(nbformat.writes(notebook) + "\n")
    except FileExistsError:
        raise InputError(f"{printable(str(path))} is there already; name another file (-o)") from None
    except OSError as error:
        raise InputError(
            f"{printable(str(path))}: cannot be written ({error.strerror}); name another place (-o)"
        ) from error
    return path


def notebook_of(kind: str, study: str) -> NotebookNode:
    """Return the notebook of a kind with what a study has filled in."""
    if kind not in KINDS:
        raise ParameterError(f"no kind '{printable(kind)}'{suggestion(kind, KINDS)}; there are {choices(KINDS)}")
    if not study and kind != "from_numbers":
        raise ParameterError(f"{kind} asks something of a study; name a folder of results")
    text = resources.files("benchlib.workbench").joinpath("templates", f"{kind}.md").read_text(encoding="utf-8")
    return _notebook(text, _filled_in(kind, study) if study else {})


def _notebook(text: str, values: dict[str, str]) -> NotebookNode:
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    cells: list[NotebookNode] = []
    taken: dict[str, int] = {}

    def named(words: str) -> str:
        base = re.sub("[^a-z0-9]+", "-", words.lower()).strip("-")[:40].strip("-") or "cell"
        base = base if base[0].isalpha() else f"cell-{base}"
        taken[base] = taken.get(base, 0) + 1
        return base if taken[base] == 1 else f"{base}-{taken[base]}"

    at = 0
    for block in _BLOCK.finditer(text):
        above, at = text[at : block.start()].strip(), block.end()
        source = block[2].rstrip("\n")
        if any(not values.get(name) for _, name in _PLACE.findall(source)):
            continue
        # A name of the study must not end the text that it stands in: what follows would run.
        source = _PLACE.sub(lambda place: place[1] + (_quoted if place[1] else str)(values[place[2]]), source)
        if above:
            cells.append(new_markdown_cell(above, id=named(" ".join(above.split()[:5]))))
        tags = {"tags": ["parameters"]} if block[1] else {}
        label = "parameters" if block[1] else source.splitlines()[-1]
        cells.append(new_code_cell(source, id=named(label), metadata=tags))
    metadata = {"kernelspec": _KERNEL, "language_info": {"name": "python"}}
    notebook: NotebookNode = new_notebook(cells=cells, metadata=metadata)
    return notebook


# ---- what a study has ----


def _filled_in(kind: str, study: str) -> dict[str, str]:
    """Return the words that stand for a study in a template; empty for what it does not have."""
    from benchlib.workbench.data import read

    data = read(study)
    values = {"study": study, **_axes_of(data)}
    more: dict[str, Any] = {"scaling": _curve_of, "compare": _sides_of, "capacity": _target_of, "effects": _cell_of}
    return values | (more[kind](data) if kind in more else {})


def _axes_of(data: Data) -> dict[str, str]:
    """Return a benchmark with many values, and the two axes that vary most in it."""
    frame = data.frame
    metric = data.study.results.frame["metric"].iloc[0] if "time" not in data.metrics else "time"
    rates = [] if "time" in data.metrics else [name for name in data.metrics if name.startswith("throughput")]
    counted = frame[frame["metric"] == metric]
    benchmark = str(counted["benchmark"].value_counts().index[0])
    some = counted[counted["benchmark"] == benchmark]
    levels = {axis: some[axis].nunique() for axis in data.axes}
    varying = sorted((axis for axis in levels if levels[axis] > 1), key=lambda axis: -levels[axis])
    percentiles = [name for name in data.metrics if name.startswith("latency_p")]
    named = benchmark and all(character not in benchmark for character in "\"'\\{}*?[],")
    metric = (rates or [metric])[0]
    where = f"benchmark='{benchmark}'" if named and data.frame["benchmark"].nunique() > 1 else ""
    return {
        "metric": metric,
        "where": where,
        "some": ", ".join([*([f'"{_quoted(where)}"'] if where else []), f'metric="{_quoted(metric)}"']),
        "x": varying[0] if varying else "benchmark",
        "color": varying[1] if len(varying) > 1 else "",
        "latency": percentiles[-1] if percentiles else "",
        "versions": data.study.versions,
    }


def _curve_of(data: Data) -> dict[str, str]:
    from benchlib.workbench.answer import Refusal
    from benchlib.workbench.scaling import Fits, fit_scaling

    fits = fit_scaling(data)
    if isinstance(fits, Refusal):
        raise InputError(f"these results hold no curve: {fits.reason}; {fits.remedy}")
    fit = fits[0] if isinstance(fits, Fits) else fits
    levels = [point.concurrency for point in fit.answer.points]
    others = [law.law for law in fit.answer.fits if law.law != fit.law]
    return {
        "fit": f"fits[{json.dumps(fit.name, ensure_ascii=False)}]" if isinstance(fits, Fits) else "fits",
        "other": others[-1] if others else "",
        "first": f"{levels[0]:g}",
        "beyond": f"[{levels[-1]:g}, {2 * levels[-1]:g}]",
    }


def _sides_of(data: Data) -> dict[str, str]:
    from benchlib.workbench.comparison import compare

    if data.study.comparisons:
        diff, asked = compare(data), "study"
    elif data.axes:
        diff, asked = compare(data, col=data.axes[0]), f'study, col="{_quoted(data.axes[0])}"'
    else:
        raise InputError("these results hold nothing to compare; add a second side")
    names = diff._ipython_key_completions_() if diff else [""]
    return {"compare": asked, "row": names[0] if names else ""}


def _target_of(data: Data) -> dict[str, str]:
    target = data.study.capacity.target
    return {"target": target.written if target is not None else "10000/s"}


def _cell_of(data: Data) -> dict[str, str]:
    axes = _axes_of(data)
    where, metric = axes["where"], axes["metric"]
    some = data.select(where) if where else data
    numeric = [
        axis for axis in some.axes if all(isinstance(level, int | float) for level in some.study.results.levels(axis))
    ]
    cell = " ".join(f"{axis}={2 * max(some.study.results.levels(axis)):g}" for axis in numeric[-1:])
    rows = f'study, "{_quoted(metric)}"' + (f', where="{_quoted(where)}"' if where else "")
    return {"cell": cell, "rows": rows}


def _quoted(text: str) -> str:
    """Return a text as it stands between quotes: JSON escapes as Python does."""
    return json.dumps(text, ensure_ascii=False)[1:-1]
