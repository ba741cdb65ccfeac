"""Nothing that lies in the working directory or in a study is imported or run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.run.runner import environment

#: Modules that benchlib, its libraries or Python itself import if they are found.
MODULES = (
    "_distutils_hack", "benchlib_plugin", "bdb", "comm", "conftest", "getpass", "ipykernel", "ipywidgets",
    "json", "matplotlib", "msgspec", "numexpr", "numpy", "orjson", "pandas", "platform", "plotly", "polars",
    "pyarrow", "scipy", "signal", "sitecustomize", "statistics", "tomllib", "typing_extensions",
    "usercustomize", "uuid", "xarray", "zoneinfo",
)  # fmt: skip
FILES = ("ipython_config.py", "ipython_kernel_config.py", "jupyter_config.py", "jupyter_nbconvert_config.py")


def plant(folder: Path, ran: Path) -> None:
    """Leave modules, configurations and a package that is a plug-in, all of which would leave their name."""
    code = f"open({str(ran)!r}, 'a').write(__file__ + '\\n')\n"
    for name in MODULES:
        (folder / f"{name}.py").write_text(code)
    for name in FILES:
        (folder / name).write_text(code)
    (folder / "planted.pth").write_text(f"import pathlib; {code}")
    info = folder / "planted-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: planted\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[benchlib.readers]\nplanted = benchlib_plugin:READER\n")


@pytest.mark.parametrize("cell", ["pass", "import comm; comm.create_comm(target_name='x')"], ids=["worker", "kernel"])
def test_what_lies_about_is_never_imported(cell: str, tmp_path: Path) -> None:
    """Beside the results and in the working directory, in a worker and in a kernel, with a study and a whole batch."""
    study, ran = tmp_path / "here/study", tmp_path / "ran"
    study.mkdir(parents=True)
    rows = [f"BenchmarkX-{level} 10 {90 / level + turn} ns/op" for level in (1, 2, 4) for turn in (1, 2, 3)]
    (study / "run.txt").write_text("\n".join([*rows, ""]))
    (study / "study.toml").write_text(
        '[configuration]\nparallel = ["X"]\n[files]\nexclude = ["*.py", "*.pth", "planted*"]\n'
    )
    for folder in (study, tmp_path / "here"):
        plant(folder, ran)
    nbformat.write(new_notebook(cells=[
        new_code_cell("study = ''", metadata={"tags": ["parameters"]}),
        new_code_cell(cell),
        new_code_cell("import benchlib as bl\nbl.summary(study).document"),
    ]), tmp_path / "own.ipynb")  # fmt: skip
    for asked in (
        ["report", str(study), "-o", "out", "--notebook", str(tmp_path / "own.ipynb")],
        ["inspect", str(study)],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "benchlib", *asked],
            cwd=tmp_path / "here", env=environment(), capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode in (0, 3), done.stderr
    assert not ran.exists(), ran.read_text()
