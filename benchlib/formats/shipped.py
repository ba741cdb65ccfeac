"""The formats that are declared in ``specs/*.toml`` and not written in code; the file says where each is documented."""

import tomllib
from functools import lru_cache
from importlib import resources

from benchlib.errors import StudyError
from benchlib.formats.declared import DeclaredFormat, spec_of


@lru_cache(maxsize=256)
def shipped(name: str) -> DeclaredFormat:
    """Return the reader of a file: what a study may declare, and how the format is recognised and described."""
    file = resources.files("benchlib.formats") / "specs" / f"{name}.toml"
    values = tomllib.loads(file.read_text(encoding="utf-8"))
    marks, *words = (values.pop(key) for key in ("recognise", "yields", "limits", "documentation"))
    yields, limits, documentation = words
    try:
        spec = spec_of({**values, "files": ["*"]})
    except StudyError as error:
        raise StudyError(f"specs/{name}.toml: {error}") from error
    return DeclaredFormat(spec, marks=marks, yields=yields, limits=limits, documentation=documentation)
