"""Where a history lies: a folder of this machine, or one of S3, spoken to in the same few words."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from benchlib.errors import InputError, printable
from benchlib.files import leads_away, replacing, walk

if TYPE_CHECKING:
    from pyarrow import fs

#: The file that says that a folder is a history.
MARK = "benchlib-history.json"
#: Seconds until a server that does not answer is given up, and how often it is asked.
_CONNECT, _ANSWER, _TRIES = 5, 30, 3
#: Bytes of a file that says what a history is, or why a run was withdrawn.
_SMALL = 1_000_000
_S3_OPTIONS = ("endpoint_override", "region", "scheme")


class Place:
    """A folder that holds a history.

    Raises
    ------
    InputError
        For a URI of another kind, an option that S3 has not, or pyarrow that is not installed.
    """

    def __init__(self, uri: str) -> None:
        try:
            from pyarrow import fs
        except ImportError:
            raise InputError("a history needs pyarrow; pip install 'benchlib[arrow]'") from None
        self.fs: fs.FileSystem
        self.uri = uri
        self.local: Path | None = None
        kind = re.match(r"([a-zA-Z][a-zA-Z0-9+.-]+)://", uri)
        if kind is None or kind[1] == "file":
            path = Path(unquote(uri[7:]) if kind else uri).absolute()
            self.local, self.root, self.shown = path, str(path), printable(uri, 200)
            self.fs = fs.LocalFileSystem()
        elif kind[1] == "s3":
            parts = urlsplit(uri)
            self.root = (parts.netloc.rpartition("@")[2] + unquote(parts.path)).rstrip("/")
            self.shown = printable(f"s3://{self.root}", 200)
            self.fs = fs.S3FileSystem(**_s3_options(parts.netloc.rpartition("@")[0], parts.query))
        else:
            raise InputError(
                f"'{printable(kind[1], 20)}://' is no place of a history; name a folder, or s3://BUCKET/FOLDER"
            )

    def path(self, name: str) -> str:
        """Return the whole path of a file of the history."""
        return f"{self.root}/{name}"

    def names(self, folder: str) -> list[str]:
        """Return the files below a folder, in order, and links to folders; none where there is no such folder."""
        from pyarrow import fs

        if self.local is not None:
            with self.explained():
                return sorted(name for name in self._walk(folder) if not os.path.basename(name).startswith("."))
        with self.explained():
            selector = fs.FileSelector(self.path(folder), recursive=True, allow_not_found=True)
            found = self.fs.get_file_info(selector)
        start = len(self.root) + 1
        files = (info.path[start:] for info in found if info.type == fs.FileType.File)
        return sorted(name for name in files if not os.path.basename(name).startswith("."))

    def _walk(self, folder: str) -> Iterator[str]:
        """Yield what is below a folder of this machine; no link to a folder is followed, as one may lead to itself."""
        assert self.local is not None
        top = self.local / folder
        if os.path.islink(top):
            yield folder
        elif os.path.isdir(top):
            for directory, inner, names in walk(top, onerror=_refuse):
                links = [entry for entry in inner if os.path.islink(Path(directory, entry))]
                yield from (Path(directory, name).relative_to(self.local).as_posix() for name in [*names, *links])

    def fault(self, name: str) -> str:
        """Say why a file is none of the folder, empty where it is one."""
        if self.local is None:
            return ""
        path = self.local / name
        linked = os.path.islink(path) or os.path.islink(path.parent)
        if linked and (lost := leads_away(path, self.local)):
            return f"a symbolic link that leads {lost}; not followed; copy the file"
        return "" if os.path.isfile(path) else "not a regular file"

    def read(self, name: str) -> bytes | None:
        """Return what a small file holds, None where there is none."""
        info = self.read_info(name)
        if info is None:
            return None
        if fault := self.fault(name):
            raise InputError(f"{self.shown}/{printable(name, 100)}: {fault}")
        if info.size > _SMALL:
            raise InputError(
                f"{self.shown}/{name}: {info.size:,} bytes; such a file of a history has {_SMALL:,} at most"
            )
        with self.explained(), self.fs.open_input_stream(self.path(name)) as stream:
            return bytes(stream.read())

    def write(self, name: str, content: bytes) -> None:
        """Write a file whole or not at all."""
        if self.local is None:
            with self.explained(), self.fs.open_output_stream(self.path(name)) as stream:
                stream.write(content)
            return
        path = self.local / name
        with self.explained():
            path.parent.mkdir(parents=True, exist_ok=True)
        if lost := leads_away(path.parent, self.local):
            raise InputError(f"{self.shown}/{printable(name, 100)}: lies behind a symbolic link that leads {lost}")
        with replacing(path) as temporary:
            temporary.write_bytes(content)
        descriptor = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)  # else a power cut may take the name that was given
        finally:
            os.close(descriptor)

    def remove(self, name: str) -> None:
        """Remove a file that another command may have removed already."""
        if self.read_info(name):
            with self.explained():
                self.fs.delete_file(self.path(name))

    def read_info(self, name: str) -> fs.FileInfo | None:
        """Return what is known of a file, None where there is none."""
        with self.explained():
            info = self.fs.get_file_info(self.path(name))
        return info if info.is_file else None

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Tell in one line what a disk or a server refuses."""
        try:
            yield
        except OSError as error:
            why = error.strerror or re.sub(r"^.*?(?=AWS Error|When )", "", str(error), flags=re.DOTALL)
            raise InputError(f"{self.shown}: {printable(why, 200)}; check that it is there, and its rights") from None


def _refuse(error: OSError) -> None:
    raise error


def _s3_options(user: str, query: str) -> dict[str, Any]:
    """Return what a URI says of a server of S3; what it does not say is in the environment, as AWS has it."""
    from pyarrow.fs import AwsStandardS3RetryStrategy

    given: dict[str, Sequence[str]] = dict(parse_qs(query))
    for name in given:
        if name not in _S3_OPTIONS:
            raise InputError(f"s3 has no option '{printable(name, 40)}'; there are {', '.join(_S3_OPTIONS)}")
    options: dict[str, Any] = {name: values[-1] for name, values in given.items()}
    if user:
        key, _, secret = user.partition(":")
        options |= {"access_key": unquote(key), "secret_key": unquote(secret)}
    patience = {"connect_timeout": _CONNECT, "request_timeout": _ANSWER}
    return {**options, **patience, "retry_strategy": AwsStandardS3RetryStrategy(max_attempts=_TRIES)}
