"""Several sets of parameters in one file: each becomes a report of its own.

::

    # sets.toml
    [encode]
    where = "benchmark=Encode"

    [strict-intervals]
    confidence_level = 0.99
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchlib.errors import InputError, ParameterError, printable
from benchlib.report.running.parameters import Parameter, Value, check_parameters
from benchlib.study.toml_lines import locate_keys

__all__ = ["ParameterSet", "read_parameter_sets"]

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,39}")

#: The last word of the files that a failed run leaves.
_TAKEN = ("failed",)

#: Bytes beyond which a file is refused: a person writes a few kilobytes.
_LARGEST = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterSet:
    """One table of the file.

    Attributes
    ----------
    name : str
        Part of the names of its report's files; "" for the one set of a command without a file.
    values : dict of str to value
    """

    name: str
    values: dict[str, Value]


def read_parameter_sets(path: Path, declared: Iterable[Parameter], *, notebook: str) -> tuple[ParameterSet, ...]:
    r"""Read sets of parameters, checked against what a notebook declares.

    Raises
    ------
    InputError
        If the file cannot be read.
    ParameterError
        If it is not TOML, holds something other than tables, or a parameter is unknown or mistyped.

    Examples
    --------
    >>> import tempfile
    >>> level = Parameter(name="level", type="float", default=0.95, help="", notebook="x.ipynb")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "sets.toml")
    ...     _ = path.write_text("[wide]\nlevel = 0.99\n")
    ...     read_parameter_sets(path, [level], notebook="x.ipynb")
    (ParameterSet(name='wide', values={'level': 0.99}),)
    """
    shown = printable(str(path))
    text = _text(path, shown)
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParameterError(
            f"{shown}: not TOML ({printable(str(error))}); write [name] and below it parameters"
        ) from None
    lines = locate_keys(text)
    declared = tuple(declared)

    def wrong(key: tuple[str, ...], message: str) -> ParameterError:
        line = lines.get(key) or lines.get(key[:1])
        return ParameterError(f"{shown}{f':{line}' if line else ''}: {message}")

    named: dict[str, str] = {}
    for name, table in tables.items():
        if (other := named.setdefault(name.lower(), name)) != name:
            raise wrong(
                (name,),
                f"'{printable(name, 60)}' and '{printable(other, 60)}' are one name where files are found in any case, "
                "and one report would take the other's place; give them two names",
            )
        if not _NAME.fullmatch(name) or name.lower() in _TAKEN:
            raise wrong(
                (name,),
                f"'{printable(name, 60)}' cannot name a set: it becomes part of file names; "
                "use up to 40 letters, digits, - and _, and not 'failed'",
            )
        if not isinstance(table, dict):
            raise wrong((name,), f"'{name}' stands outside a set; write [name] above it")
        for key, value in table.items():
            if key == "study":
                raise wrong((name, key), "'study' is named on the command line; leave it out")
            try:
                check_parameters(declared, {key: value}, notebook=notebook)
            except ParameterError as error:
                raise wrong((name, key), str(error)) from None
    if not tables:
        raise ParameterError(f"{shown}: holds no set; write [name] and below it parameters")
    return tuple(
        ParameterSet(name=name, values=check_parameters(declared, table, notebook=notebook))
        for name, table in tables.items()
    )


def _text(path: Path, shown: str) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(_LARGEST + 1)
        if len(raw) > _LARGEST:
            raise InputError(f"{shown}: larger than {_LARGEST >> 20} MiB; name a file of parameter sets")
        return raw.decode("utf-8")
    except OSError as error:
        raise InputError(f"{shown}: cannot be read ({error.strerror}); name a file of parameter sets") from None
    except ValueError:
        raise InputError(f"{shown}: is not UTF-8 text; name a file of parameter sets") from None
