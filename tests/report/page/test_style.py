"""The look of reports: what ``--logo``, ``--accent`` and ``--css`` may be, and what a page makes of them."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest
from nbformat.v4 import new_notebook

from benchlib.errors import BenchlibError, ExportError
from benchlib.report.page.export import check_page, to_html
from benchlib.report.page.style import read_style

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 40
SVG = b"<?xml version='1.0'?>\n<!-- ours -->\n<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder of pictures and style sheets."""
    (tmp_path / "logo.png").write_bytes(PNG)
    (tmp_path / "logo.svg").write_bytes(SVG)
    (tmp_path / "logo.gif").write_bytes(b"GIF89a")
    (tmp_path / "huge.png").write_bytes(PNG + b"0" * (64 << 10))
    (tmp_path / "own.css").write_text("h1 { letter-spacing: 0 }")
    (tmp_path / "latin.css").write_bytes("/* é */".encode("latin-1"))
    (tmp_path / "loading.css").write_text("@import url(https://example.org/a.css);")
    (tmp_path / "ending.css").write_text("</style><script>owned()</script>")
    return tmp_path


@pytest.mark.parametrize(
    ("logo", "accent", "css", "said"),
    [
        ("none.png", "", None, "--logo {here}/none.png: cannot be read (No such file or directory); check the path"),
        ("logo.gif", "", None, "--logo {here}/logo.gif: is neither PNG nor SVG; save it as one of them"),
        ("huge.png", "", None, "--logo {here}/huge.png: is larger than 64 KiB; every page carries it, so keep"),
        (None, "red; } body {", None, "--accent 'red; } body {' is no colour; write six digits, such as #1c5d99"),
        (None, "#a0c0ff", None, "--accent #a0c0ff on #ffffff has a contrast of 1.82 : 1; WCAG AA asks for 4.5 : 1"),
        (None, "", "latin.css", "--css {here}/latin.css: is not UTF-8 text; save it as UTF-8"),
        (None, "", "none.css", "--css {here}/none.css: cannot be read"),
    ],
)
def test_a_mistake_is_one_line(here: Path, logo: str | None, accent: str, css: str | None, said: str) -> None:
    """The option, what was found and what is accepted."""
    with pytest.raises(BenchlibError) as caught:
        read_style(logo and here / logo, accent, css and here / css)  # type: ignore[arg-type]
    assert str(caught.value).startswith(said.replace("{here}", str(here)))


@pytest.mark.parametrize("logo", ["logo.png", "logo.svg"])
def test_a_page_in_a_style_passes_its_check(here: Path, logo: str) -> None:
    """The logo as data in an <img>, the accent in light and lighter in dark, rules of one's own last."""
    page = to_html(new_notebook(), title="Study", style=read_style(here / logo, "#1C5D99", here / "own.css"))
    check_page(page, new_notebook())
    assert base64.b64encode((here / logo).read_bytes()).decode() in page
    light, dark = re.findall(r"--link: (#[0-9a-f]{6}); }", page)
    assert light == "#1c5d99"
    assert all(int(dark[at : at + 2], 16) > int(light[at : at + 2], 16) for at in (1, 3, 5))
    assert page.index("--link: #1c5d99") < page.index("h1 { letter-spacing: 0 }") < page.index("</style>")
    assert "<img" not in to_html(new_notebook(), title="Study")


@pytest.mark.parametrize("css", ["loading.css", "ending.css"])
def test_a_style_sheet_that_loads_or_runs_is_not_published(here: Path, css: str) -> None:
    """The check before publishing reads it as it reads all else."""
    page = to_html(new_notebook(), title="Study", style=read_style(None, "", here / css))
    with pytest.raises(ExportError, match="page"):
        check_page(page, new_notebook())


def test_each_part_of_a_style_has_its_digest(here: Path) -> None:
    """A report is built again when a file changes; no style is none."""
    assert read_style(None, "", None) is None
    styles = [
        read_style(here / "logo.png", "", None),
        read_style(None, "#1c5d99", None),
        read_style(None, "", here / "own.css"),
    ]
    (here / "own.css").write_text("h1 { color: inherit }")
    styles.append(read_style(None, "", here / "own.css"))
    assert len({style.digest for style in styles if style}) == 4
