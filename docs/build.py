"""Build the documentation into site/: pages of docs/, tutorials as executed notebooks, reference from docstrings.

``make docs`` runs this. The site needs no network, neither to build nor to read: open site/index.html.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import nbformat
import yaml
from nbclient import NotebookClient
from nbconvert import MarkdownExporter
from traitlets.config import Config

import benchlib
from benchlib import cli
from benchlib.cli import _COMMANDS

ROOT = Path(__file__).resolve().parents[1]
#: Pages from outside docs/, and what they are called in the site.
ELSEWHERE = {"README.md": "index.md", "schedules/README.md": "schedules.md", "CHANGELOG.md": "changelog.md"}
#: Notebooks that teach, in the order in which they are read; those of reports/ are templates.
TAUGHT = ("00_start_here.ipynb", "explore/*.ipynb", "tutorials/*.ipynb")
LINK = re.compile(r"\[(?P<words>[^\]]*)\]\((?P<target>[^)#:\s]+)(?P<anchor>#[^)]*)?\)")
#: A line for each kind of object, whose display stands in the reference.
SHOWN = (
    'bl.read("data/http-endpoints")',
    'bl.fit_scaling("data/http-endpoints")',
    'bl.fit_scaling([1, 2, 4, 8, 16, 32], [955, 1878, 3548, 6531, 9897, 12052], unit="req/s")',
    'bl.compare("data/lplex").worst(5)',
    'bl.fit_effects("data/token-sdk", "time")',
    'bl.plan_capacity("data/http-endpoints", "250000/s")',
    'bl.summary("data/reference")',
    'bl.fit_scaling([1, 2, 4, 8, 16, 32], [955, 1878, 3548, 6531, 9897, 12052], unit="req/s").peak',
    'bl.fit_scaling("data/http-endpoints")["json"].plot()',
    'bl.fit_scaling("data/lplex")',
    'bl.verdict("pass", "Throughput holds its target.", throughput=17_455)',
)
#: Cells that the report hides stand nowhere in a tutorial either.
HIDDEN = Config(
    TagRemovePreprocessor={"enabled": True, "remove_cell_tags": ["remove-cell"], "remove_input_tags": ["remove-input"]}
)


def main() -> None:
    """Build the site, or stop at the first link that leads nowhere."""
    os.chdir(ROOT)
    command = ArgumentParser(description=__doc__)
    command.add_argument("-o", "--output", type=Path, default=ROOT / "site")
    site = command.parse_args().output.resolve()
    with tempfile.TemporaryDirectory(prefix="benchlib-docs-") as folder:
        pages = Path(folder, "pages")
        pages.mkdir()
        copy_pages(pages)
        (pages / "reference.md").write_text(reference(), encoding="utf-8")
        (pages / "commands.md").write_text(commands(), encoding="utf-8")
        settings = yaml.safe_load((ROOT / "docs/mkdocs.yml").read_text(encoding="utf-8"))
        settings |= {"docs_dir": str(pages), "site_dir": str(site)}
        [section] = [entry for entry in settings["nav"] if "Tutorials" in entry]
        section["Tutorials"] = tutorials(pages)
        if not section["Tutorials"]:
            settings["nav"].remove(section)
        configuration = Path(folder, "mkdocs.yml")
        configuration.write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")
        subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", configuration],
            env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, check=True,
        )  # fmt: skip
    (site / "404.html").unlink()  # only a server shows it, and its links hold only there


def places() -> dict[Path, str]:
    """Return what is in the site: files of the project, and what each is called there."""
    named = {ROOT / source: name for source, name in ELSEWHERE.items()}
    named |= {path: path.name for path in (ROOT / "docs").iterdir() if path.suffix in (".md", ".png", ".js")}
    notebooks = [path for pattern in TAUGHT for path in sorted((ROOT / "notebooks").glob(pattern))]
    return named | {
        path: f"{'-'.join(path.relative_to(ROOT / 'notebooks').with_suffix('').parts)}.md" for path in notebooks
    }


def copy_pages(pages: Path) -> None:
    """Copy what is written by hand, with links that hold in the site."""
    for source, name in places().items():
        if source.suffix == ".md":
            (pages / name).write_text(relinked(source.read_text(encoding="utf-8"), source.parent), encoding="utf-8")
        elif source.suffix != ".ipynb":
            shutil.copyfile(source, pages / name)


def relinked(text: str, folder: Path) -> str:
    """Return a page whose links to files outside the site are words."""
    known = places()

    def link(match: re.Match[str]) -> str:
        target = known.get((folder / match["target"]).resolve(), "")
        return f"[{match['words']}]({target}{match['anchor'] or ''})" if target else match["words"]

    return LINK.sub(link, text)


def reference() -> str:
    """Return the page of the public names, filled from their docstrings, and of the objects, as each shows itself."""
    parts = ["# Python", "What `import benchlib as bl` gives, and below it the objects that it hands out."]
    parts += [f"::: benchlib.{name}" for name in sorted(benchlib.__all__, key=str.lower)]
    for line in SHOWN:
        shown = eval(line, {"bl": benchlib})
        kind = type(shown)
        # A blank line would end the block of HTML.
        drawn = re.sub(r"\n\s*\n", "\n", html_of(shown))
        parts += [
            f"## {kind.__name__}",
            f"```python\n{line}\n```",
            f"<div>{drawn}</div>",
            f"::: {kind.__module__}.{kind.__qualname__}\n    options: {{show_root_heading: false, heading_level: 3}}",
        ]
    return "\n\n".join(parts)


def html_of(shown: Any) -> str:
    """Return what a notebook would show of an object; a chart hands out metadata too."""
    bundle = shown._repr_mimebundle_()
    return str((bundle[0] if isinstance(bundle, tuple) else bundle)["text/html"])


def commands() -> str:
    """Return the page of the commands, as ``--help`` says it."""
    os.environ["COLUMNS"] = "100"
    sections = ["# Command line", "Exit codes are those of `benchlib report`: [reports](reports.md)."]
    for name, purpose in _COMMANDS.items():
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown), contextlib.suppress(SystemExit):
            cli.main([name, "--help"])
        sections += [f"## benchlib {name}", f"{purpose.capitalize()}.", f"```text\n{shown.getvalue()}```"]
    return "\n\n".join(sections)


def tutorials(pages: Path) -> list[dict[str, str]]:
    """Execute the notebooks that teach, write each as a page, and return their places in the navigation."""
    entries = []
    for notebook, name in places().items():
        if notebook.suffix != ".ipynb":
            continue
        content = nbformat.read(notebook, as_version=4)
        for cell in content.cells:
            if cell.cell_type == "markdown":
                cell.source = relinked(cell.source, notebook.parent)
        NotebookClient(content, kernel_name="python3", resources={"metadata": {"path": str(notebook.parent)}}).execute()
        stem = name.removesuffix(".md")
        files = {"unique_key": stem, "output_files_dir": f"{stem}_files"}
        text, made = MarkdownExporter(config=HIDDEN).from_notebook_node(content, resources=files)
        (pages / name).write_text(text, encoding="utf-8")
        # A chart of benchlib stands in its HTML; others are files.
        for file in [file for file in made["outputs"] if file in text]:
            (pages / file).parent.mkdir(exist_ok=True)
            (pages / file).write_bytes(made["outputs"][file])
        entries.append({title_of(content): name})
    return entries


def title_of(notebook: Any) -> str:
    """Return the heading of the first cell."""
    return str(notebook.cells[0].source.splitlines()[0].lstrip("# "))


if __name__ == "__main__":
    main()
