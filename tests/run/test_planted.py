"""Nothing that lies in the working directory or in a study is imported or run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.run.runner import environment

#: Modules that benchlib, its libraries or Python itself import if they are found.
MODULES = (
    "IPython", "_distutils_hack", "argparse", "asyncio", "bdb", "benchlib_plugin", "comm", "conftest", "copy",
    "getpass", "ipykernel", "ipywidgets", "jinja2", "json", "jupyter_client", "logging", "markupsafe", "matplotlib",
    "msgspec", "nbclient", "nbconvert", "nbformat", "numexpr", "numpy", "orjson", "pandas", "papermill", "platform",
    "plotly", "polars", "pyarrow", "scipy", "signal", "sitecustomize", "statistics", "tempfile", "tomllib", "traitlets",
    "typing_extensions", "usercustomize", "uuid", "xarray", "yaml", "zoneinfo", "zstandard",
)  # fmt: skip
#: What Python, IPython and Jupyter read at their start where they look for it, also below the home folder.
FILES = (
    ".ipython/profile_default/ipython_config.py", ".ipython/profile_default/ipython_kernel_config.py",
    ".ipython/profile_default/startup/00.py", ".jupyter/jupyter_config.py", ".jupyter/jupyter_nbconvert_config.py",
    ".jupyter/migrated/x.py", "ipython_config.py", "ipython_kernel_config.py", "jupyter_config.py",
    "jupyter_nbconvert_config.py",
)  # fmt: skip


def plant(folder: Path, ran: Path) -> None:
    """Leave modules, configurations and a package that is a plug-in, all of which would leave their name."""
    code = f"open({str(ran)!r}, 'a').write(__file__ + '\\n')\n"
    for name in MODULES:
        (folder / f"{name}.py").write_text(code)
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(code)
    kernel = folder / ".local/share/jupyter/kernels/python3"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps({
        "argv": [sys.executable, "-c", code, "{connection_file}"], "display_name": "Python 3", "language": "python",
    }))  # fmt: skip
    (folder / "planted.pth").write_text(f"import pathlib; {code}")
    info = folder / "planted-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: planted\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[benchlib.readers]\nplanted = benchlib_plugin:READER\n")


@pytest.mark.parametrize("cell", ["pass", "import comm; comm.create_comm(target_name='x')"], ids=["worker", "kernel"])
def test_what_lies_about_is_never_imported(cell: str, tmp_path: Path) -> None:
    """Beside the results, in the working directory and at home, in a worker and in a kernel, one study and a batch."""
    here, ran = tmp_path / "here", tmp_path / "ran"
    rows = [f"BenchmarkX-{level} 10 {90 / level + turn} ns/op" for level in (1, 2, 4) for turn in (1, 2, 3)]
    for study in (here / "data/first", here / "data/second"):
        study.mkdir(parents=True)
        (study / "run.txt").write_text("\n".join([*rows, ""]))
        (study / "study.toml").write_text(
            '[configuration]\nparallel = ["X"]\n[files]\nexclude = ["*.py", "*.pth", "planted*"]\n'
        )
        plant(study, ran)
    plant(here, ran)
    nbformat.write(new_notebook(cells=[
        new_code_cell("study = ''", metadata={"tags": ["parameters"]}),
        new_code_cell(cell),
        new_code_cell("import benchlib as bl\nbl.summary(study).document"),
    ]), tmp_path / "own.ipynb")  # fmt: skip
    own = ["--notebook", str(tmp_path / "own.ipynb")]
    for asked in (["report", "data/first", *own], ["report", "--all", "--force", *own], ["inspect", "data/first"]):
        done = subprocess.run(
            [sys.executable, "-m", "benchlib", *asked],
            cwd=here, env=environment() | {"HOME": str(here)}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode in (0, 3), done.stderr
    assert not ran.exists(), ran.read_text()
