"""What both engines put into the environment of the code they run."""

from __future__ import annotations

__all__ = ["cell_environment"]


def cell_environment(folder: str) -> dict[str, str]:
    """Return the environment variables that cells find, whichever engine runs them.

    Parameters
    ----------
    folder : str
        A private folder for IPython's own files.

    Examples
    --------
    >>> cell_environment("private")["IPYTHONDIR"]
    'private'
    """
    return {
        # nobody's start-up files change a report, and an unwritable home does not matter
        "IPYTHONDIR": folder,
        # plotly 7 inside a kernel must not write its JavaScript into every output
        "PLOTLY_RENDERER": "plotly_mimetype",
        # else the debugger warns on stderr, once a run, that Python is frozen
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        # the same digits on a machine with other cores, and no threads that a fork would lose
        "OPENBLAS_NUM_THREADS": "1",
    }
