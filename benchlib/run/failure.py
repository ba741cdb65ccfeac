"""What a failed run leaves: a page that says what worked, what went wrong and the way on.

It stands beside the last good page, never in its place.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from html import escape
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from benchlib.errors import BenchlibError, ExportError, InputError, NotebookError, printable
from benchlib.files import write_text
from benchlib.imports import without_iri_grammars
from benchlib.report.page.folders import private_folders, without_folders
from benchlib.run.manifest import Entry, Failure, Place, read_entry, write_entry

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = [
    "explain_failure",
    "explained",
]

#: exit code -> what usually helps.
_ADVICE = {
    1: "Change that cell, or what it was given; in JupyterLab the notebook can be run up to it, step by step.",
    2: "Mend what the line above names.",
    4: "Give the report more time with <code>--timeout</code>, or fewer results with <code>--where</code>.",
    5: "Give the report more memory with <code>--memory</code>, or fewer results with <code>--where</code>.",
    6: "The report was made, but its page did not pass the check before publishing. Mend what the line above names: "
    "in the notebook, in the results, or in the file of --css.",
}

#: What helps where a page was too large, of which nothing needs mending.
_TOO_LARGE = "Allow a larger page with <code>--max-size</code>, or show fewer results with <code>--where</code>."

#: What helps where a cell left.
_LEFT = (
    "Take <code>sys.exit</code> out of that cell: a report is made of a notebook that runs to its end. "
    "Where it cannot go on, raise an error that says why."
)

#: Characters of a cell's source that the page shows, and of what it printed: the last of these.
_LONGEST_SOURCE = 2000
_LONGEST_PRINTED = 2000


def explain_failure(place: Place, error: BenchlibError, *, title: str, study: str) -> None:
    """Write the page of a failed run, and note the failure in the manifest.

    What was published by the last good run is not touched. Where there is no room for the page, the error that it
    would tell is the one to be told, on stderr as ever: nothing is written, and nothing else is raised.
    """
    from benchlib.report.page.export import check_page, document, to_html

    folders = _folders(place, study)
    said = printable(without_folders(str(error), folders), 1000)
    known = read_entry(place.manifest, place.page.name)
    notebook = _partial(place.failed_notebook) if isinstance(error, NotebookError) else None
    saved = isinstance(error, NotebookError | ExportError) and place.failed_notebook.is_file()
    good = place.page.is_file() and bool(known.files)

    def story(*, below: bool) -> str:
        markup = _story(place, said, error.exit_code, notebook, folders, saved=saved, good=good, below=below)
        return without_folders(markup, folders)

    try:
        worked = _worked(notebook, said, folders)
        shown = _headed(story(below=_shows(worked)), worked)
        page = to_html(shown, title=title, subtitle="FAILED")
        check_page(page, shown, folders=folders)
    except ExportError:
        # What worked cannot be shown safely: the story alone can.
        page = document(story(below=False), title=title, subtitle="FAILED")
    with suppress(InputError):
        _note(place, known, page, said, error.exit_code)


def _note(place: Place, known: Entry, page: str, said: str, exit_code: int) -> None:
    write_text(place.failed_page, page)
    failure = Failure(exit_code=exit_code, error=said, page=place.failed_page.name)
    write_entry(place.manifest, place.page.name, replace(known, failure=failure))


def explained(place: Place, error: BenchlibError, *, study: str) -> bool:
    """Tell whether the page of this very failure is there."""
    failure = read_entry(place.manifest, place.page.name).failure
    said = printable(without_folders(str(error), _folders(place, study)), 1000)
    return failure is not None and failure.error == said and place.failed_page.is_file()


def _forget_failure(place: Place) -> None:
    """Remove what an earlier failed run left."""
    for left in (place.failed_page, place.failed_notebook):
        left.unlink(missing_ok=True)


def _folders(place: Place, study: str) -> dict[str, str]:
    """Return the folders of this machine; files beside the page are named without theirs."""
    here = {str(place.folder.resolve()): "", str(place.folder): ""}
    return {**private_folders(study, place.folder.parent), **here}


def _partial(path: Path) -> NotebookNode | None:
    """Return the notebook as far as it came, where the run could save it."""
    with without_iri_grammars():
        import nbformat
    try:
        partial: NotebookNode = nbformat.read(path, as_version=4)
        return partial
    except (OSError, ValueError):
        return None


def _failed_cell(notebook: NotebookNode, said: str) -> int:
    """Return the position of the cell that raised, or that the error names, or else of the first that never ended."""
    code = [at for at, cell in enumerate(notebook.cells) if cell.cell_type == "code" and cell.source.strip()]
    strict = [at for at in code if not _tagged(notebook.cells[at], "raises-exception")]
    raised = [
        at for at in strict if any(output.output_type == "error" for output in notebook.cells[at].get("outputs", []))
    ]
    named = [at for at in code if f"cell '{notebook.cells[at].get('id')}'" in said]
    unreached = [at for at in code if notebook.cells[at].execution_count is None]
    return [*raised, *named, *unreached, len(notebook.cells)][0]


def _worked(notebook: NotebookNode | None, said: str, folders: Mapping[str, str]) -> list[NotebookNode]:
    """Return the cells before the one that failed; what each printed stands before what it showed."""
    ran: list[NotebookNode] = notebook.cells[: _failed_cell(notebook, said)] if notebook else []
    for cell in ran:
        if printed := _printed(cell, folders):
            cell.outputs = [_markup(printed), *cell.outputs]
    return ran


def _headed(story: str, worked: list[NotebookNode]) -> NotebookNode:
    """Return a notebook of the story and of the cells that worked."""
    with without_iri_grammars():
        from nbformat.v4 import new_code_cell, new_notebook
    shown: NotebookNode = new_notebook(cells=[new_code_cell("", id="failure", outputs=[_markup(story)]), *worked])
    return shown


def _shows(cells: list[NotebookNode]) -> bool:
    """Tell whether a page shows anything of some cells."""
    from nbformat.v4 import new_notebook

    from benchlib.report.page.page_exporter import page_exporter

    body, _ = page_exporter().from_notebook_node(new_notebook(cells=cells))
    return bool(body.strip())


def _markup(markup: str) -> NotebookNode:
    from nbformat.v4 import new_output

    output: NotebookNode = new_output("display_data", data={"text/html": markup})
    return output


def _printed(cell: NotebookNode, folders: Mapping[str, str]) -> str:
    """Return the end of what a cell printed before it failed, as markup; "" for nothing."""
    before = takewhile(lambda output: output.output_type != "error", cell.get("outputs", []))
    printed = "\n".join(output.text.rstrip("\n") for output in before if output.output_type == "stream")
    text = without_folders(printed, folders)  # before it is cut: the half of a folder is not known any more
    shown = ("…" if len(text) > _LONGEST_PRINTED else "") + text[-_LONGEST_PRINTED:]
    lines = [printable(line, _LONGEST_PRINTED) for line in shown.expandtabs().splitlines()]
    if not any(lines):
        return ""
    return f"<p>Cell {_named(cell)} printed:</p>\n<pre>{escape(chr(10).join(lines))}</pre>"


def _named(cell: NotebookNode) -> str:
    return f"<code>{escape(printable(str(cell.get('id', '?'))))}</code>"


def _story(
    place: Place,
    said: str,
    exit_code: int,
    notebook: NotebookNode | None,
    folders: Mapping[str, str],
    *,
    saved: bool,
    good: bool,
    below: bool,
) -> str:
    lines = [
        '<section class="failed"><h2>This report failed</h2>',
        '<div class="verdict verdict-error"><strong>FAILED</strong>',
        f'<p class="verdict-sentence">{escape(said)}</p></div>',
    ]
    advice = _TOO_LARGE if "--max-size" in said else _ADVICE.get(exit_code, _ADVICE[2])
    if notebook and (at := _failed_cell(notebook, said)) < len(notebook.cells):
        cell = notebook.cells[at]
        source = _given_values(notebook, place) if _tagged(cell, "parameters", "injected-parameters") else cell.source
        shown = source[:_LONGEST_SOURCE] + ("…" if len(source) > _LONGEST_SOURCE else "")
        # The cell of the given parameters is none of the author's.
        own = [not _tagged(cell, "injected-parameters") for cell in notebook.cells]
        lines += [
            f"<p>It stopped at cell {_named(cell)}, number {sum(own[: at + 1])} of {sum(own)}."
            f"{' What the cells before it printed and showed is below.' if below else ''}</p>",
            f"<pre><code>{escape(shown)}</code></pre>",
            _printed(cell, folders),
        ]
        if any(output.get("ename") == "SystemExit" for output in cell.get("outputs", [])):
            advice = _LEFT
    lines += ["<h2>The way on</h2><ul>", f"<li>{advice}</li>"]
    if saved:
        far = "as far as it came" if notebook else "as it ran"
        lines.append(f"<li>{_link(place.failed_notebook)} holds the notebook {far}.</li>")
    if good:
        lines.append(f"<li>{_link(place.page)} is the last report that was built; it may be out of date.</li>")
    return "\n".join([*lines, "</ul></section>"])


def _given_values(notebook: NotebookNode, place: Place) -> str:
    """Return the parameters as they were given, in the place of those that the notebook begins with.

    The study is named without the folders that it lies in.
    """
    given = "\n".join(cell.source for cell in notebook.cells if _tagged(cell, "injected-parameters"))
    return re.sub(r"^study = .*$", lambda _: f'study = "{printable(place.folder.name)}"', given, flags=re.MULTILINE)


def _tagged(cell: NotebookNode, *tags: str) -> bool:
    return not set(tags).isdisjoint(cell.metadata.get("tags", []))


def _link(path: Path) -> str:
    from urllib.parse import quote

    return f'<a href="./{escape(quote(os.fsencode(path.name)))}">{escape(printable(path.name))}</a>'
