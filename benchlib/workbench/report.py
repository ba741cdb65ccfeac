"""A page of a notebook, from Python: what ``benchlib report`` does."""

from __future__ import annotations

from pathlib import Path

__all__ = ["report"]


def report(
    notebook: str | Path = "executive_summary",
    study: str | Path = "",
    output: str | Path = "reports",
    **parameters: object,
) -> Path:
    """Run a notebook and write what it shows as one page that needs no network.

    Parameters
    ----------
    notebook : str or path
        A notebook of your own, or one that comes with benchlib: ``"scaling"``, ``"comparison"``.
    study : str or path
        A folder of results; by default the one that the notebook names.
    output : str or path
        The folder of all reports.
    **parameters
        Of the notebook.

    Returns
    -------
    pathlib.Path
        The page.

    Raises
    ------
    BenchlibError
        For a parameter that the notebook does not have, a study that is not there, or a cell that fails.

    Examples
    --------
    >>> import benchlib as bl
    >>> bl.report("work/mine.ipynb")  # doctest: +SKIP
    PosixPath('reports/http-endpoints/mine.html')
    """
    from benchlib.run.build import Request, build_report

    request = Request(str(study), Path(output), str(notebook), parameters)
    return build_report(request).page
