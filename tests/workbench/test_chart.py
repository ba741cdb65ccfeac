"""A chart shows itself in every front end and export, in either theme, and can be saved and laid over another."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
import pytest
from nbconvert import HTMLExporter
from PIL import Image
from plotly.graph_objects import Figure as PlotlyFigure

from benchlib.document.blocks import Figure, Panel
from benchlib.errors import BenchlibError, DataError, InputError, ParameterError
from benchlib.figures.comparison import Dot, forest
from benchlib.figures.style import chart
from benchlib.render.chromium import find_chromium
from benchlib.render.panels import one_chart
from benchlib.workbench.chart import Chart
from benchlib.workbench.options import options
from tests.comparison_answers import ATTACK

PLOTLY = "application/vnd.plotly.v1+json"


@pytest.fixture(autouse=True)
def _usual_options() -> Iterator[None]:
    """Leave the options as they were."""
    yield
    options(theme="auto", max_rows=12, units={}, static=False)


def line(*, colour: str = "#0b62a8", finding: str = "It grows", **axes: Any) -> Chart:
    """Return a line that rises, with the intervals of its points."""
    trace = {"type": "scatter", "mode": "lines+markers", "x": [1, 2], "y": [3.0, 5.0], "line": {"color": colour}}
    drawn = chart([{**trace, "error_y": {"array": [1.0, 2.0]}}], **axes)
    return Chart(Figure(finding=(finding,), panels=(Panel(chart=drawn),), alt="A line that rises."))


def bundle(shown: Chart) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a front end gets."""
    return shown._repr_mimebundle_()


def test_a_chart_is_there_for_every_front_end() -> None:
    """Plotly for Lab, a drawing for GitHub, an image with its words for exports, words for a terminal."""
    data, metadata = bundle(line())
    assert list(data) == [PLOTLY, "image/svg+xml", "text/html", "text/plain"]
    assert metadata["alt"] == metadata["image/svg+xml"]["alt"] == "A line that rises."
    assert data["text/plain"] == repr(line()) == "Chart: It grows. A line that rises."
    assert ElementTree.fromstring(data["image/svg+xml"]).get("aria-label") == "A line that rises."
    options(static=True)
    assert PLOTLY not in bundle(line())[0]


def test_an_export_of_a_notebook_keeps_the_picture_and_its_words() -> None:
    """As JupyterLab's Save and Export and scheduled jobs make it."""
    data, metadata = bundle(line().title(ATTACK))
    output = nbformat.v4.new_output("display_data", data=data, metadata=metadata)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("chart", outputs=[output])])
    page, _ = HTMLExporter(template_name="lab").from_notebook_node(notebook)
    assert len(re.findall(r'<img alt="A line that rises."\s+src="data:image/svg', page)) == 1
    assert "No description has been provided" not in page
    assert ATTACK not in page


def test_a_plate_is_white_unless_dark_is_asked_for() -> None:
    """Readable on a light page and on a dark one."""
    assert 'fill="#ffffff"' in line().drawn()
    options(theme="dark")
    assert 'fill="#ffffff"' not in line().drawn()
    assert line().figure.layout.paper_bgcolor == "#14181f"


def test_a_chart_gives_what_it_is_made_of() -> None:
    """A figure to restyle, and a table of what is drawn."""
    assert isinstance(line().figure, PlotlyFigure)
    assert line().data.to_dict("list") == {
        "series": ["1", "1"],
        "x": [1, 2],
        "y": [3.0, 5.0],
        "low": [2.0, 3.0],
        "high": [4.0, 7.0],
    }
    rows = forest(["Match, <and>"], [Dot(0.5, "half", 0.4, 0.6)])
    assert set(Chart(Figure(finding=(), panels=(Panel(chart=rows),), alt="")).data["y"]) == {"Match, <and>"}
    cells = chart([{"type": "heatmap", "z": [[1, 2]], "x": ["a", "b"], "y": ["c"]}])
    drawn = Chart(Figure(finding=(), panels=(Panel(chart=cells),), alt="")).data
    assert drawn[["x", "y", "z"]].to_numpy().tolist() == [["a", "c", 1], ["b", "c", 2]]


def test_two_charts_of_the_same_axes_lie_over_each_other() -> None:
    """Each named, in colours of its own, on an axis that holds both."""
    first = line(finding="json", yaxis={"range": [0, 6]})
    both = first + line(finding="hash", yaxis={"range": [0, 9]})
    drawn = one_chart(both.block)
    assert drawn["layout"]["showlegend"]
    assert [trace["name"] for trace in drawn["data"]] == ["json", "hash"]
    assert len({trace["line"]["color"] for trace in drawn["data"]}) == 2
    assert drawn["layout"]["yaxis"]["range"] == [0, 9]
    assert "json" in both.drawn()
    assert both.alt == "A line that rises. Over it: A line that rises."
    assert len(first.data) == 2, "what is added to stays as it was"


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (line(xaxis={"type": "log"}), "the xaxis of the charts differs: 'none' in the first, 'log' in the second"),
        (
            line(yaxis={"ticksuffix": " ms"}),
            "the yaxis of the charts differs: 'none' in the first, ' ms' in the second",
        ),
        (Chart(Figure(finding=(), panels=(), alt="")), "charts of 1 and 0 panels cannot lie over each other"),
    ],
)
def test_charts_of_other_axes_do_not(other: Chart, reason: str) -> None:
    """A wrong picture would be worse than none."""
    with pytest.raises(DataError, match=reason):
        line() + other


def test_a_chart_is_saved_as_what_its_name_says(tmp_path: Path) -> None:
    """A picture, and a page that asks the network for nothing."""
    picture = line().save(tmp_path / "f.svg")
    assert ElementTree.parse(picture).getroot().get("role") == "img"
    page = line().save(tmp_path / "f.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    assert "It grows" in page
    try:
        find_chromium()
    except InputError:
        if os.environ.get("BENCHLIB_REQUIRE_BROWSER") == "1":
            raise
        pytest.skip("no chromium on the PATH: no PNG is drawn")
    with Image.open(line().save(tmp_path / "f.png")) as image:
        assert image.width == 2 * 720
        assert len(image.convert("RGB").getcolors(1 << 24) or ()) > 8


@pytest.mark.parametrize(
    ("name", "path", "error", "message"),
    [
        ("", "f.pgn", ParameterError, "'f.pgn': a chart is not saved as '.pgn'; did you mean '.png'?; accepted: .svg"),
        ("", "nowhere/f.svg", InputError, "cannot be written (No such file or directory); choose another place"),
        ("no-such-program", "f.png", InputError, "PNG is drawn by Chromium, and there is none on the PATH; install it"),
    ],
)
def test_what_cannot_be_saved_says_why(
    name: str, path: str, error: type[BenchlibError], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line: what, why, what to do; and nothing half written."""
    monkeypatch.setenv("BENCHLIB_CHROMIUM", name) if name else monkeypatch.delenv("BENCHLIB_CHROMIUM", raising=False)
    with pytest.raises(error) as raised:
        line().save(tmp_path / path)
    assert message in str(raised.value)
    assert not list(tmp_path.rglob("f.*"))
