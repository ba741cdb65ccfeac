"""Every block of Python that README and docs show runs, in order within its page."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest

from tests.project.test_readme import FENCE, PAGES, ROOT

#: page -> its blocks with their lines, where it has any.
BLOCKS = {
    page: [
        (text.count("\n", 0, match.start("body")), match["body"])
        for match in FENCE.finditer(text)
        if match["language"] == "python"
    ]
    for page, text in ((page, page.read_text(encoding="utf-8")) for page in PAGES)
}
SHOWING = [page for page, blocks in BLOCKS.items() if blocks]


def run(page: Path, blocks: list[tuple[int, str]]) -> dict[str, object]:
    """Run the blocks of a page in one namespace; a traceback names the page and its line."""
    names: dict[str, object] = {"__name__": page.stem}
    for line, body in blocks:
        exec(compile("\n" * line + body, str(page), "exec"), names)
    return names


@pytest.mark.parametrize("page", SHOWING, ids=lambda page: page.stem)
def test_what_a_page_shows_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder with the project's data, into which it may write."""
    for name in ("data", "notebooks"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    with contextlib.redirect_stdout(io.StringIO()):
        run(page, BLOCKS[page])


def test_the_pages_with_code_are_known() -> None:
    """README and the page of those who come from elsewhere show Python; a pattern that matched nothing would pass."""
    assert {"README", "coming-from"} <= {page.stem for page in SHOWING}


def test_a_block_that_fails_is_named_by_its_line(tmp_path: Path) -> None:
    """The check itself fails, and says where."""
    with pytest.raises(ZeroDivisionError) as failed:
        run(tmp_path / "page.md", [(6, "x = 0\n"), (10, "\n1 / x\n")])
    assert failed.traceback[-1].lineno + 1 == 12
