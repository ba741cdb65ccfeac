"""The content security policy of a page: which scripts run, and that nothing is loaded."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable


def script_hash(script: str) -> str:
    """Return the hash by which a policy knows a script.

    Examples
    --------
    >>> script_hash("")
    '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")


def policy_of(hashes: Iterable[str]) -> str:
    """Return a content security policy under which only these scripts run and nothing is loaded.

    References
    ----------
    W3C Content Security Policy Level 3, sections 2.3 and 8.4 (hashes of inline scripts).

    Examples
    --------
    >>> policy_of([]).split("; ")[:2]
    ["default-src 'none'", "script-src 'none'"]
    """
    allowed = " ".join(f"'sha256-{one}'" for one in hashes) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
    )
