"""What a failed run leaves: a page that says what worked, what went wrong and the way on.

It stands beside the last good page, never in its place.
"""

from __future__ import annotations

import os
import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchlib.errors import BenchlibError, ExportError, NotebookError, printable
from benchlib.files import write_text
from benchlib.report.running.imports import without_iri_grammars
from benchlib.report.running.manifest import Entry, Failure, read_entry, write_entry
from benchlib.report.running.place import Place

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["explain_failure", "explained", "forget_failure"]

#: exit code -> what usually helps.
_ADVICE = {
    1: "Mend what the cell asks for; in JupyterLab the notebook shows every step up to it.",
    2: "Mend what the line above names.",
    4: "Give the report more time with <code>--timeout</code>, or fewer results with <code>--where</code>.",
    5: "Give the report more memory with <code>--memory</code>, or fewer results with <code>--where</code>.",
    6: "The report was made, but its page did not pass the check before publishing. "
    "Mend what it names in the notebook or the results.",
}

#: Characters of a cell's source that the page shows.
_LONGEST_SOURCE = 2000


def explain_failure(place: Place, error: BenchlibError, *, title: str) -> None:
    """Write the page of a failed run, and note the failure in the manifest.

    What was published by the last good run is not touched.

    Parameters
    ----------
    place : Place
        Its folder exists; the executed notebook is shown as far as it came, if there is one.
    error : BenchlibError
    title : str
        Of the study.
    """
    from benchlib.report.page.export import check_page, document, to_html

    said = _public(str(error), place)
    known = read_entry(place.manifest, place.page.name)
    notebook = _partial(place.failed_notebook) if isinstance(error, NotebookError) else None
    story = _story(place, said, error.exit_code, notebook, good=place.page.is_file() and bool(known.files))
    try:
        shown = _worked(notebook, story)
        page = to_html(shown, title=title, subtitle="FAILED")
        check_page(page, shown)
    except ExportError:
        # What worked cannot be shown safely: the story alone can.
        page = document(story, title=title, subtitle="FAILED")
    write_text(place.failed_page, page)
    failure = Failure(exit_code=error.exit_code, error=said, page=place.failed_page.name)
    entry = Entry(fingerprint=known.fingerprint, answers=known.answers, files=known.files, failure=failure)
    write_entry(place.manifest, place.page.name, entry)


def explained(place: Place, error: BenchlibError) -> bool:
    """Tell whether the page of this very failure is there."""
    failure = read_entry(place.manifest, place.page.name).failure
    return failure is not None and failure.error == _public(str(error), place) and place.failed_page.is_file()


def forget_failure(place: Place) -> None:
    """Remove what an earlier failed run left."""
    for left in (place.failed_page, place.failed_notebook, place.failed_appendix):
        left.unlink(missing_ok=True)


def _public(text: str, place: Place) -> str:
    """Return a message without the folders of this machine."""
    for folder, short in ((place.folder.resolve(), ""), (place.folder, ""), (Path.cwd(), ""), (Path.home(), "~/")):
        if str(folder) not in ("/", "."):
            text = re.sub(rf"(?<![\w/.]){re.escape(str(folder))}(?:/|(?![\w.-]))", short, text)
    return printable(text, 1000)


def _partial(path: Path) -> NotebookNode | None:
    """Return the notebook as far as it came, where the run could save it."""
    with without_iri_grammars():
        import nbformat
    try:
        found: NotebookNode = nbformat.read(path, as_version=4)
        return found
    except (OSError, ValueError):
        return None


def _failed_cell(notebook: NotebookNode) -> int:
    """Return the position of the cell that raised, or else of the first that never ended."""
    code = [at for at, cell in enumerate(notebook.cells) if cell.cell_type == "code" and cell.source.strip()]
    raised = [at for at in code if any(one.output_type == "error" for one in notebook.cells[at].get("outputs", []))]
    unreached = [at for at in code if notebook.cells[at].execution_count is None]
    return [*raised, *unreached, len(notebook.cells)][0]


def _worked(notebook: NotebookNode | None, story: str) -> NotebookNode:
    """Return a notebook of the story and of the cells before the one that failed."""
    with without_iri_grammars():
        from nbformat.v4 import new_code_cell, new_notebook, new_output
    told = new_code_cell("", id="failure", outputs=[new_output("display_data", data={"text/html": story})])
    ran: list[Any] = notebook.cells[: _failed_cell(notebook)] if notebook else []
    shown: NotebookNode = new_notebook(cells=[told, *ran])
    return shown


def _story(place: Place, said: str, exit_code: int, notebook: NotebookNode | None, *, good: bool) -> str:
    lines = [
        '<section class="failed"><h2>This report failed</h2>',
        '<div class="verdict verdict-error"><strong>FAILED</strong>',
        f'<p class="verdict-sentence">{escape(said)}</p></div>',
    ]
    if notebook and (at := _failed_cell(notebook)) < len(notebook.cells):
        cell = notebook.cells[at]
        source = cell.source[:_LONGEST_SOURCE] + ("…" if len(cell.source) > _LONGEST_SOURCE else "")
        lines += [
            f"<p>It stopped at cell <code>{escape(printable(str(cell.get('id', '?'))))}</code>, "
            f"number {at + 1} of {len(notebook.cells)}. What the cells before it showed is below.</p>",
            f"<pre><code>{escape(source)}</code></pre>",
        ]
    lines += ["<h2>The way on</h2><ul>", f"<li>{_ADVICE.get(exit_code, _ADVICE[2])}</li>"]
    if notebook:
        lines.append(f"<li>{_link(place.failed_notebook)} holds the notebook as far as it came.</li>")
    if good:
        lines.append(f"<li>{_link(place.page)} is the last report that was built; it may be out of date.</li>")
    return "\n".join([*lines, "</ul></section>"])


def _link(path: Path) -> str:
    from urllib.parse import quote

    return f'<a href="./{escape(quote(os.fsencode(path.name)))}">{escape(printable(path.name))}</a>'
