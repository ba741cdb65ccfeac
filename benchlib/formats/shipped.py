"""The formats that are declared in ``specs/*.toml`` and not written in code; the file says where each is documented."""

import tomllib
from importlib import resources

from benchlib.formats.declared import DeclaredFormat, spec_of

READERS = tuple(
    DeclaredFormat(spec_of(tomllib.loads(file.read_text(encoding="utf-8"))))
    for file in sorted((resources.files("benchlib.formats") / "specs").iterdir(), key=lambda file: file.name)
    if file.name.endswith(".toml")
)
