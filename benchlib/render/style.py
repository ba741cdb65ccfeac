"""The look of reports: a logo, an accent colour and one style sheet of one's own.

None of the three changes what a report says.

References
----------
W3C, Web Content Accessibility Guidelines 2.2: relative luminance, contrast ratio, and success criterion 1.4.3 (text
needs 4.5 : 1).
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from benchlib.errors import InputError, ParameterError, printable
from benchlib.figures.style import contrast, readable
from benchlib.files import read_bounded

__all__ = ["Style", "read_style"]

_PNG = b"\x89PNG\r\n\x1a\n"
_SVG = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*)*<svg[\s/>]", re.DOTALL
)
#: Every page carries both, so both are small.
_LARGEST_FILE = 64 << 10

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
#: Links are drawn in the accent colour, on these grounds of page.css in light and in dark.
_GROUNDS = ("ground", "raised")
_TEXT_CONTRAST = 4.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How reports look."""

    #: A ``data:`` address; SVG too stands in ``<img>``, where nothing in it can run. "" for none.
    logo: str
    #: Rules that follow those of the page: the accent colour, then one's own file.
    css: str
    #: SHA-256 of both: a page is built again when it changes.
    digest: str


def read_style(logo: Path | None, accent: str, css: Path | None) -> Style | None:
    """Return the style that ``--logo``, ``--accent`` and ``--css`` ask for; None where they ask for none."""
    if not (logo or accent or css):
        return None
    picture = _read_logo(logo) if logo else ""
    rules = [_accent_rules(accent)] if accent else []
    if css:
        rules.append(_read_css(css))
    digest = hashlib.sha256("\0".join([picture, *rules]).encode()).hexdigest()
    return Style(logo=picture, css="\n".join(rules), digest=digest)


def _read_logo(path: Path) -> str:
    raw = _read_file(path, "--logo")
    if raw.startswith(_PNG):
        kind = "png"
    elif _SVG.match(raw):
        kind = "svg+xml"
    else:
        raise InputError(f"--logo {printable(str(path))}: is neither PNG nor SVG; save it as one of them")
    return f"data:image/{kind};base64,{base64.b64encode(raw).decode('ascii')}"


def _read_css(path: Path) -> str:
    shown = f"--css {printable(str(path))}"
    try:
        text = _read_file(path, "--css").decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{shown}: is not UTF-8 text; save it as UTF-8") from None
    if "</" in text:
        line = text[: text.index("</")].count("\n") + 1
        raise InputError(f"{shown}:{line}: holds '</', which would end the style sheet of the page; leave it out")
    return text


def _read_file(path: Path, option: str) -> bytes:
    shown = f"{option} {printable(str(path))}"
    try:
        raw = read_bounded(path, _LARGEST_FILE)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no path"
        raise InputError(f"{shown}: cannot be read ({reason}); check the path") from None
    if len(raw) > _LARGEST_FILE:
        raise InputError(f"{shown}: is larger than 64 KiB; every page carries it, so keep it within that")
    return raw


def _accent_rules(accent: str) -> str:
    """Return the rules of the accent colour: as given in light, as much lighter as it must be in dark."""
    if not _COLOUR.fullmatch(accent):
        raise ParameterError(f"--accent '{printable(accent, 40)}' is no colour; write six digits, such as #1c5d99")
    light, dark = _page_colours()
    for ground in (light[name] for name in _GROUNDS):
        if (ratio := contrast(accent, ground)) < _TEXT_CONTRAST:
            # Rounded down: what is refused must not read as if it were enough.
            raise ParameterError(
                f"--accent {accent} on {ground} has a contrast of {int(ratio * 100) / 100:.2f} : 1; "
                f"WCAG AA asks for {_TEXT_CONTRAST} : 1, so choose a darker one"
            )
    lighter = readable(accent, *(dark[name] for name in _GROUNDS), least=_TEXT_CONTRAST)
    return (
        f"@media print, screen and (prefers-color-scheme: light) {{ :root {{ --link: {accent.lower()}; }} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ --link: {lighter}; }} }}"
    )


def _page_colours() -> list[dict[str, str]]:
    """Return the colours of the page's own style sheet, in light and in dark: one source for page and check."""
    sheet = Path(__file__).with_name("templates").joinpath("page.css").read_text(encoding="utf-8")
    blocks = re.findall(r":root\s*\{([^}]*)\}", sheet)
    return [dict(re.findall(r"--([\w-]+):\s*(#[0-9a-fA-F]{6})\b", block)) for block in blocks[:2]]
