"""Where one report lies: the names of all its files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchlib.errors import InputError, printable
from benchlib.report.running.notebooks import SUMMARY

__all__ = ["Place", "made_folder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The files of one report.

    Attributes
    ----------
    folder : Path
        ``output/<study>``, which all reports on a study share.
    stem : str
        The notebook's name.

    Examples
    --------
    >>> place = Place(folder=Path("reports/lplex"), stem="40_scaling")
    >>> place.page.as_posix(), place.answers.name, place.failed_page.name
    ('reports/lplex/40_scaling.html', '40_scaling.answers.json', '40_scaling.failed.html')
    """

    folder: Path
    stem: str

    @property
    def page(self) -> Path:
        """The page that people read."""
        return self.folder / f"{self.stem}.html"

    @property
    def notebook(self) -> Path:
        """The executed notebook."""
        return self.folder / f"{self.stem}.ipynb"

    @property
    def answers(self) -> Path:
        """The answers as data; those of the executive summary bear no other name."""
        return self.folder / ("answers.json" if self.stem == SUMMARY else f"{self.stem}.answers.json")

    @property
    def failed_page(self) -> Path:
        """What a run that failed has to say; the last good page stays beside it."""
        return self.folder / f"{self.stem}.failed.html"

    @property
    def failed_notebook(self) -> Path:
        """The notebook as far as it came."""
        return self.folder / f"{self.stem}.failed.ipynb"

    @property
    def lock(self) -> Path:
        """Held while this report is built."""
        return self.folder / f".{self.stem}.lock"

    @property
    def manifest(self) -> Path:
        """What the folder holds, and what each report was made from."""
        return self.folder / "manifest.json"


def made_folder(folder: Path) -> Path:
    """Make a folder of reports where it is missing, and return it.

    Raises
    ------
    InputError
        If it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "error"
        raise InputError(
            f"{printable(str(folder))}: cannot be made a folder ({reason}); choose another with -o"
        ) from error
    return folder
