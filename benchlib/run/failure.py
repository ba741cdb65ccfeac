"""What a failed run leaves: a page that says what went wrong and the way on, beside the last good page."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from benchlib.errors import BenchlibError, ExportError, InputError, NotebookError, printable
from benchlib.files import write_text
from benchlib.render.private import private_folders, without_folders
from benchlib.run.execute import read_notebook
from benchlib.run.manifest import Failure, Place, read_entry, write_entry

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from benchlib.document.blocks import Block, Html, Section, Text

__all__ = ["explain_failure", "explained"]

#: exit code -> what usually helps; backquotes are set as code.
_ADVICE = {
    1: "Change that cell, or what it was given; in JupyterLab the notebook runs step by step.",
    2: "Change what the line below names.",
    4: "Give the report more time with `--timeout`, or fewer results with `--where`.",
    5: "Give the report more memory with `--memory`, or fewer results with `--where`.",
    6: "Change what the line below names: in the notebook, in the results, or in the file of --css.",
}
#: What helps where a page was too large, and where a cell left.
_TOO_LARGE = "Allow a larger page with `--max-size`, or show fewer results with `--where`."
_LEFT = "Take `sys.exit` out of that cell: a report is made of a notebook that runs to its end."
#: Characters of a cell's source that the page shows, and of what it printed: the last of these.
_LONGEST = 2000


def explain_failure(place: Place, error: BenchlibError, *, title: str, study: str) -> None:
    """Write the page of a failed run, and note the failure in the manifest.

    What was published by the last good run is not touched. Where there is no room for the page, the error that it
    would tell is the one to be told, on stderr as ever: nothing is written, and nothing else is raised.
    """
    from benchlib.document.blocks import Confidence, Document
    from benchlib.render.page import page

    folders = _folders(place, study)
    said = printable(without_folders(str(error), folders), 1000)
    known = read_entry(place.manifest, place.page.name)
    notebook = _partial(place.failed_notebook) if isinstance(error, NotebookError) else None
    document = Document(
        title=title,
        about=(title,),
        status="Failed",
        answer=("This report failed.",),
        decision=_advice(error, said, notebook),
        confidence=Confidence(level="none", reason=("no report was made.",)),
        figure=None,
        facts=(),
        doubts=(),
        sections=tuple(_sections(place, error, said, notebook, folders)),
        answers={},
    )
    with suppress(InputError):
        write_text(place.failed_page, page(document))
        failure = Failure(exit_code=error.exit_code, error=said, page=place.failed_page.name)
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
    with suppress(InputError):
        return read_notebook(path)
    return None


def _advice(error: BenchlibError, said: str, notebook: NotebookNode | None) -> Text:
    from benchlib.document.blocks import Code

    cell = _failed_cell(notebook, said) if notebook else None
    left = cell is not None and any(output.get("ename") == "SystemExit" for output in cell.get("outputs", []))
    advice = _TOO_LARGE if "--max-size" in said else _LEFT if left else _ADVICE.get(error.exit_code, _ADVICE[2])
    return tuple(Code(part) if place % 2 else part for place, part in enumerate(advice.split("`")))


def _sections(
    place: Place, error: BenchlibError, said: str, notebook: NotebookNode | None, folders: Mapping[str, str]
) -> list[Section]:
    from benchlib.document.blocks import Code, Paragraph, Section

    blocks: list[Block] = [Paragraph(text=(said,))]
    cell = _failed_cell(notebook, said) if notebook else None
    if notebook is not None and cell is not None:
        # The cell of the given parameters is none of the author's.
        own = [one for one in notebook.cells if not _tagged(one, "injected-parameters") or one is cell]
        given = _tagged(cell, "parameters", "injected-parameters")
        source = _given_values(notebook, place) if given else cell.source
        number = f"number {own.index(cell) + 1} of {len(own)}"
        blocks.append(
            Paragraph(text=("It stopped at cell ", Code(printable(str(cell.get("id", "?")))), f", {number}."))
        )
        blocks.append(_pre(source[:_LONGEST] + ("…" if len(source) > _LONGEST else ""), folders))
        if printed := _printed(cell):
            blocks += [Paragraph(text=("It printed:",)), _pre(printed, folders)]
    if isinstance(error, NotebookError | ExportError) and place.failed_notebook.is_file():
        far = "as far as it came" if notebook else "as it ran"
        blocks.append(_link(place.failed_notebook, f"holds the notebook {far}."))
    if place.page.is_file() and read_entry(place.manifest, place.page.name).files:
        blocks.append(_link(place.page, "is the last report that was built; it may be out of date."))
    return [Section(title="What went wrong", anchor="failure", blocks=tuple(blocks))]


def _failed_cell(notebook: NotebookNode, said: str) -> NotebookNode | None:
    """Return the cell that raised, or that the error names, or else the first that never ended."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
    strict = [cell for cell in code if not _tagged(cell, "raises-exception")]
    raised = [cell for cell in strict if any(output.output_type == "error" for output in cell.get("outputs", []))]
    named = [cell for cell in code if f"cell '{cell.get('id')}'" in said]
    unreached = [cell for cell in code if cell.execution_count is None]
    return next(iter([*raised, *named, *unreached]), None)


def _printed(cell: NotebookNode) -> str:
    """Return the end of what a cell printed before it failed; "" for nothing."""
    before = takewhile(lambda output: output.output_type != "error", cell.get("outputs", []))
    printed = "\n".join(output.text.rstrip("\n") for output in before if output.output_type == "stream")
    return printed if printed.strip() else ""


def _pre(text: str, folders: Mapping[str, str]) -> Html:
    """Return text as it stands, without folders of this machine: these are taken out before it is cut."""
    from markupsafe import escape

    from benchlib.document.blocks import Html

    shown = without_folders(text, folders)
    cut = ("…" if len(shown) > _LONGEST else "") + shown[-_LONGEST:]
    lines = [printable(line, _LONGEST) for line in cut.expandtabs().splitlines()]
    return Html(markup=f"<pre>{escape(chr(10).join(lines))}</pre>")


def _link(path: Path, words: str) -> Html:
    from markupsafe import escape

    from benchlib.document.blocks import Html

    href = escape(quote(os.fsencode(path.name)))
    return Html(markup=f'<p><a href="./{href}">{escape(printable(path.name))}</a> {words}</p>')


def _given_values(notebook: NotebookNode, place: Place) -> str:
    """Return the parameters as they were given; the study is named without the folders that it lies in."""
    given = "\n".join(cell.source for cell in notebook.cells if _tagged(cell, "injected-parameters"))
    return re.sub(r"^study = .*$", lambda _: f'study = "{printable(place.folder.name)}"', given, flags=re.MULTILINE)


def _tagged(cell: NotebookNode, *tags: str) -> bool:
    return not set(tags).isdisjoint(cell.metadata.get("tags", []))
