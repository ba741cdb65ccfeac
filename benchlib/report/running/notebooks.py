"""Which notebook a report is made of: a file, or one that comes with benchlib."""

from __future__ import annotations

from pathlib import Path

from benchlib.errors import InputError, printable, suggestion

__all__ = ["SUMMARY", "find_notebook", "shipped_notebooks"]

#: The notebook of a report that names no other.
SUMMARY = "executive_summary"


def shipped_notebooks() -> Path:
    """Return the folder of the notebooks that come with benchlib.

    They lie beside the package in a checkout, and inside it in an installed wheel.
    """
    package = Path(__file__).resolve().parents[2]
    beside, inside = package.parent / "notebooks", package / "notebooks"
    return inside if inside.is_dir() else beside


def find_notebook(name: str) -> Path:
    """Return the notebook of a name: a path, or one that comes with benchlib.

    Raises
    ------
    InputError
        If there is none.

    Examples
    --------
    >>> find_notebook("executive_summary").name
    'executive_summary.ipynb'
    """
    path = Path(name)
    try:
        if path.suffix == ".ipynb" and path.is_file():
            return path
    except (OSError, ValueError):  # a name too long, or with a NUL, is no file
        path = Path()
    shipped = {one.stem: one for one in sorted(shipped_notebooks().glob("*.ipynb"))}
    if path.stem in shipped and path.parent == Path():
        return shipped[path.stem]
    raise InputError(
        f"no notebook '{printable(name)}'{suggestion(path.stem, shipped)}; "
        f"name a .ipynb file, or one of {', '.join(shipped)}"
    )
