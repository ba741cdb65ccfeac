"""Secrets: named in a parameter as ``env:NAME``, read by the notebook, and kept out of all that is written.

A parameter holds the name only, so that neither the executed notebook nor its page nor the fingerprint
knows the value. The notebook asks for it with `secret`, which works by hand and with plain papermill too.
Should a cell print it, or an error quote it, it is blanked before anything is saved.
"""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from benchlib.errors import ParameterError, printable

__all__ = ["Secrets", "named_secrets", "secret"]

_NAMED = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)?")

#: Blanking "1" or "yes" wherever it stands would only hide what is no secret.
_SHORTEST = 6

#: A key by which a reader of notebooks finds what it can show.
_MIME_TYPE = re.compile(r"(application|audio|image|text|video)/")


def secret(text: str) -> str:
    """Return the value of ``env:NAME``, or the text itself where it names no secret.

    Raises
    ------
    ParameterError
        If no variable is named, if the environment has none of that name, or if its value is too short to be kept
        out of a page.

    Examples
    --------
    >>> import os
    >>> os.environ["EXAMPLE_TOKEN"] = "opensesame"
    >>> secret("env:EXAMPLE_TOKEN"), secret("plain")
    ('opensesame', 'plain')
    """
    found = _NAMED.fullmatch(text)
    if not found:
        return text
    if not found[1]:
        raise ParameterError("'env:' names no variable of the environment; write env:NAME")
    value = os.environ.get(found[1])
    if not value:
        raise ParameterError(f"'{printable(text)}' names a secret that the environment does not hold; set {found[1]}")
    if len(value) < _SHORTEST:
        raise ParameterError(
            f"the secret '{printable(text)}' has fewer than {_SHORTEST} characters: too short to be told from other "
            "text and kept out of the page; use a longer one"
        )
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets:
    """The secrets of one run.

    Attributes
    ----------
    values : mapping of str to str
        What may not be written -> the name that stands in its place.
    """

    values: Mapping[str, str]

    def __repr__(self) -> str:
        """Return the names: a value must not appear in a log by way of a repr."""
        return f"Secrets({', '.join(sorted(set(self.values.values())))})"

    def blanked(self, text: str) -> str:
        """Return a text in which each secret, however it was escaped, is replaced by its name."""
        for value, name in self.values.items():
            text = text.replace(value, f"[{name}]")
        return text

    def blank(self, found: Any) -> Any:
        """Return data of a notebook, or of JSON, in which each secret is replaced by its name.

        In keys too, which may be a cell's own words; not in a MIME type, which says how to read the data.
        """
        if not self.values:
            return found
        if isinstance(found, str):
            return self.blanked(found)
        if isinstance(found, dict):
            for key in list(found):
                value = self.blank(found.pop(key))
                found[key if _MIME_TYPE.match(key) else self.blank(key)] = value
            return found
        if isinstance(found, list):
            found[:] = [self.blank(one) for one in found]
        return found


def named_secrets(parameters: Iterable[object]) -> Secrets:
    """Return the secrets that the values of parameters name.

    Raises
    ------
    ParameterError
        As `secret` does.

    Examples
    --------
    >>> import os
    >>> os.environ["EXAMPLE_TOKEN"] = "open 'sesame'"
    >>> found = named_secrets(["env:EXAMPLE_TOKEN", 3])
    >>> found, found.blanked("as <b>open &#x27;sesame&#x27;</b>")
    (Secrets(env:EXAMPLE_TOKEN), 'as <b>[env:EXAMPLE_TOKEN]</b>')
    """
    texts = [item for one in parameters for item in (one if isinstance(one, list) else [one])]
    names = [one for one in texts if isinstance(one, str) and _NAMED.fullmatch(one)]
    forms = {form: name for name in names for form in _written(secret(name))}
    # The longest first: one secret may be a part of another, and a part would leave the rest.
    return Secrets(values={form: forms[form] for form in sorted(forms, key=len, reverse=True)})


def _written(value: str) -> set[str]:
    """Return the ways in which a value may stand in code, JSON, markup or an address."""
    escaped = html.escape(value)
    return {
        value,
        repr(value)[1:-1],
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        escaped,
        escaped.replace("&#x27;", "&#39;").replace("&quot;", "&#34;"),
        quote(value),
        quote(value, safe=""),
    }
