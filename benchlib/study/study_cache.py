"""A study opened once and used twice: by the command that checks it, and by the cells that it then runs."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from benchlib.study.model import Study

#: Place, condition and reader of a study -> the digest of its files, and the study.
Cache = dict[tuple[Path, str, str], tuple[str, Study]]

#: The last study that was cached.
_cache: Cache = {}


def cache_study(study: Study, place: Path, where: str, format: str, digest: str) -> None:
    """Cache a study for whoever opens the same one again; only the last stays."""
    _cache.clear()
    _cache[(place, where, format)] = (digest, study)


def last_cached() -> Cache:
    """Return what `adopt` takes in another process."""
    return dict(_cache)


def adopt(cached: Cache) -> None:
    """Take over what another process cached."""
    _cache.clear()
    _cache.update(cached)


def cached_study(place: Path, where: str, strict: bool, format: str) -> Study | None:
    """Return the cached study, if it is the one asked for and its files are what they were."""
    digest, study = _cache.get((place, where, format), ("", None))
    if study is None or (strict and study.results.problems) or content_digest(place) != digest:
        return None
    return study


def content_digest(place: Path) -> str:
    """Return a hash of a file, or of the names and contents of all files below a folder."""
    digest = hashlib.sha256()
    files = sorted(Path(folder, name) for folder, _, names in os.walk(place) for name in names)
    for file in files or [place]:
        if os.path.isfile(file):
            name, content = os.fsencode(file.relative_to(place)), _content(file)
            digest.update(b"%d %d " % (len(name), len(content)) + name + content)
    return digest.hexdigest()


def _content(file: Path) -> bytes:
    """Return what a file holds; of one that cannot be read, why: its reader tells it, and it may change."""
    try:
        return file.read_bytes()
    except OSError as error:
        return str(error.strerror).encode()
