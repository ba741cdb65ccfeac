"""The machine's Chromium, run once for each thing that it draws: a page as PDF, its charts as PNG or SVG.

With ``#charts=png`` in its address a page puts each chart into itself as a data address, which ``--dump-dom`` returns.
"""

from __future__ import annotations

import base64
import errno
import html
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

from benchlib.errors import ExportError, InputError, NotebookTimeout, choices, printable, suggestion
from benchlib.files import replacing, scratch
from benchlib.source_date import source_date

__all__ = ["check_formats", "draw_charts", "find_chromium", "print_pdf"]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
#: What ``--to`` accepts, in the order in which it is written.
FORMATS = ("html", "png", "svg", "pdf", "md")
#: Seconds that one run may take.
_PATIENCE = 120.0
#: Milliseconds of its own time that a page may take to draw itself.
_BUDGET = 30_000
_FLAGS = (
    "--headless",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-gpu",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--lang=en-GB",
    "--no-first-run",
)
_CHART = re.compile(r'<img class="drawn" alt="([^"]*)" src="data:image/(?:png;base64|svg\+xml),([^"]*)"')
_DATE = re.compile(rb"/(?:CreationDate|ModDate) \(D:(\d{14})\+00'00'\)")
_ELEMENT = re.compile(rb"\(node\d{8}\)")


def check_formats(wanted: str, known: Sequence[str] = FORMATS) -> tuple[str, ...]:
    """Return the formats that a list such as ``html,pdf`` names, and that can be written, before anything is built.

    Examples
    --------
    >>> check_formats("md, html")
    ('html', 'md')
    """
    words = [word.strip().lower() for word in wanted.split(",")]
    for word in words:
        if word not in known:
            near = suggestion(word, known)
            raise InputError(f"--to: no format '{printable(word, 40)}'{near}; accepted: {choices(known)}")
    if {"pdf", "png", "svg"} & set(words):
        find_chromium()
    if "pptx" in words:
        from benchlib.render.pptx import check_pptx

        check_pptx()
    return tuple(name for name in known if name in words)


def find_chromium() -> str:
    """Return the Chromium of this machine: ``BENCHLIB_CHROMIUM``, or the first on the PATH."""
    named = os.environ.get("BENCHLIB_CHROMIUM")
    if named:
        if program := shutil.which(named):
            return program
        raise InputError(
            f"BENCHLIB_CHROMIUM names '{printable(named)}', which is no program; name Chromium, or unset it"
        )
    for name in _NAMES:
        if program := shutil.which(name):
            return program
    raise InputError(
        "PDF, PNG and SVG are drawn by Chromium, and there is none on the PATH; install it "
        "(Debian: apt install chromium), name it in BENCHLIB_CHROMIUM, or choose --to html,md"
    )


def print_pdf(page: Path) -> Path:
    """Write the PDF of a page beside it; the same bytes for the same page."""
    path = page.with_suffix(".pdf")
    with scratch() as folder:
        printed = folder / "page.pdf"
        _run([f"--print-to-pdf={printed}", "--no-pdf-header-footer", "--generate-pdf-document-outline"], page)
        if not printed.is_file():
            raise ExportError(f"{page.name}: Chromium printed nothing; open the page in a browser to see why")
        content = _settled(printed.read_bytes())
    with replacing(path) as temporary:
        temporary.write_bytes(content)
    return path


def draw_charts(page: Path, kind: Literal["png", "svg"]) -> tuple[Path, ...]:
    """Write every chart of a page as a file of its own, in a folder beside it."""
    shown = _run(["--dump-dom"], page, f"#charts={kind}")
    if 'data-ready="1"' not in shown:
        raise ExportError(f"{page.name}: Chromium could not draw its charts; open the page in a browser to see why")
    drawn = _CHART.findall(shown)
    folder = page.with_suffix(".figures")
    folder.mkdir(exist_ok=True)
    for old in folder.glob(f"[0-9][0-9]*.{kind}"):
        old.unlink()
    written = []
    for number, (title, data) in enumerate(drawn, 1):
        words = re.sub(r"[^a-z0-9]+", "-", html.unescape(title).lower()).strip("-")[:60].strip("-")
        path = folder / f"{number:02d}{'-' if words else ''}{words}.{kind}"
        content = html.unescape(data)
        path.write_bytes(base64.b64decode(content) if kind == "png" else _named(unquote(content), title).encode())
        written.append(path)
    return tuple(written)


def _named(svg: str, title: str) -> str:
    """Return a drawing with its title, for those who cannot see it; the title is escaped as the page has it."""
    return svg.replace(">", f"><title>{html.escape(html.unescape(title))}</title>", 1)


def screenshot(page: Path, path: Path, *, width: int, height: int, fragment: str = "") -> None:
    """Write what a window of this size shows of a page as PNG."""
    _run([f"--screenshot={path}", f"--window-size={width},{height}", "--force-device-scale-factor=2"], page, fragment)


def _run(flags: Sequence[str], page: Path, fragment: str = "") -> str:
    """Run Chromium on a page and return what it prints."""
    program = find_chromium()
    with scratch() as profile:
        command = [program, *_FLAGS, f"--virtual-time-budget={_BUDGET}", f"--user-data-dir={profile}", *flags]
        if os.geteuid() == 0:
            command.append("--no-sandbox")  # as root, Chromium refuses to start with one
        try:
            code, out = _ended([*command, page.resolve().as_uri() + fragment], str(profile))
        except subprocess.TimeoutExpired as error:
            raise NotebookTimeout(
                f"{page.name}: Chromium took longer than {_PATIENCE:g} s and was ended; "
                "build again, or choose --to html,md"
            ) from error
        except OSError as error:
            raise InputError(
                f"{printable(program)}: does not start ({error.strerror}); name another in BENCHLIB_CHROMIUM"
            ) from error
    if code:
        raise ExportError(f"{printable(program)} ended with code {code}; run it by hand to see why")
    return out.decode("utf-8", "replace")


def _ended(command: Sequence[str], home: str) -> tuple[int, bytes]:
    """Run a program; what it starts is a session of its own, and ends with it, with us, or with our patience."""
    dying = ("setpriv", "--pdeathsig", "KILL", "--") if shutil.which("setpriv") else ()
    with subprocess.Popen(
        [*dying, *command],
        env={**os.environ, "HOME": home, "XDG_CONFIG_HOME": home, "TMPDIR": home},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as running:
        try:
            out, _ = running.communicate(timeout=_PATIENCE)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
    if dying and running.returncode in (126, 127):  # as shells have it
        number = errno.ENOENT if running.returncode == 127 else errno.ENOEXEC
        raise OSError(number, os.strerror(number))
    return running.returncode, out


def _settled(pdf: bytes) -> bytes:
    """Return a PDF without the moment it was printed at, its elements numbered from 1.

    Examples
    --------
    >>> _settled(b"%PDF-1.4 /ModDate (D:20261122005209+00'00')>>").rstrip()
    b'%PDF-1.4                                     >>'
    """
    moment = source_date()
    stamp = f"{moment:%Y%m%d%H%M%S}".encode("ascii") if moment else b""

    def moved(match: re.Match[bytes]) -> bytes:
        # The table at the end of a PDF says at which byte each object begins: lengths stay as they are.
        return match[0].replace(match[1], stamp) if stamp else b" " * len(match[0])

    counted = {name: number for number, name in enumerate(sorted(set(_ELEMENT.findall(pdf))), 1)}
    return _ELEMENT.sub(lambda match: b"(node%08d)" % counted[match[0]], _DATE.sub(moved, pdf))
