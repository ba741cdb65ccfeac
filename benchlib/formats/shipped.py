"""The formats that are declared in ``specs/*.toml`` and not written in code; the file says where each is documented."""

import tomllib
from importlib import resources
from importlib.resources.abc import Traversable

from benchlib.formats.declared import DeclaredFormat, spec_of


def _reader(file: Traversable) -> DeclaredFormat:
    """Return the reader of a file: what a study may declare, and how the format is recognised and described."""
    values = tomllib.loads(file.read_text(encoding="utf-8"))
    marks, *words = (values.pop(key) for key in ("recognise", "yields", "limits", "documentation"))
    yields, limits, documentation = words
    spec = spec_of({**values, "files": ["*"]})
    return DeclaredFormat(spec, marks=marks, yields=yields, limits=limits, documentation=documentation)


READERS = tuple(
    _reader(file)
    for file in sorted((resources.files("benchlib.formats") / "specs").iterdir(), key=lambda file: file.name)
    if file.name.endswith(".toml")
)
