"""What objects show of themselves is bounded and escaped, and a slip is explained in three lines."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from benchlib.document.blocks import Figure, Panel
from benchlib.errors import ParameterError
from benchlib.figures.style import chart
from benchlib.workbench.chart import Chart
from benchlib.workbench.options import options
from benchlib.workbench.show import Shown, Shows
from tests.comparison_answers import ATTACK


@pytest.fixture(autouse=True)
def _usual_options() -> Iterator[None]:
    """Leave the options as they were."""
    yield
    options(theme="auto", max_rows=12, units={}, static=False)


class Made(Shows):
    """An object that shows what a test gives it."""

    def __init__(self, shown: Shown) -> None:
        self.given = shown

    def _shown(self) -> Shown:
        return self.given


class Tags(HTMLParser):
    """The elements of some markup, its words, and whether each is closed."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def drawn(points: int) -> Chart:
    """Return a chart of so many points."""
    values = [float(place * 7919 % 1000) for place in range(points)]
    trace = {"type": "scatter", "mode": "markers", "x": list(range(points)), "y": values}
    return Chart(Figure(finding=(ATTACK,), panels=(Panel(chart=chart([trace])),), alt=ATTACK))


def table(rows: int, columns: int, word: str = "name") -> pd.DataFrame:
    """Return a table of numbers under a column of names."""
    numbers = {f"n{at}": [row / 3 + at for row in range(rows)] for at in range(columns)}
    return pd.DataFrame({word: [f"{word} {row}" for row in range(rows)], **numbers})


SHOWN = {
    "small": Shown(sentence="It grows.", chart=drawn(5), table=table(3, 2), caveats=["one"]),
    "sentence alone": Shown(sentence="It grows."),
    "empty table": Shown(sentence="Nothing.", table=table(0, 2)),
    "hostile": Shown(
        sentence=ATTACK,
        chart=drawn(5),
        table=table(3, 2, ATTACK),
        caveats=[ATTACK, "a\x1b[31m\u202e"],
        folded=[(ATTACK, ATTACK), (ATTACK, table(3, 2, ATTACK))],
    ),
    "huge": Shown(
        sentence="word " * 10_000,
        chart=drawn(20_000),
        table=table(5000, 40, "long " * 100),
        caveats=["caveat " * 500] * 90,
        folded=[("more " * 100, "text\n" * 50_000), ("table", table(5000, 40))],
    ),
    "index that names": Shown(sentence="x", table=table(3, 1).set_index("name")),
}


@pytest.mark.parametrize("name", SHOWN)
def test_what_is_shown_is_bounded_and_escaped(name: str) -> None:
    """12 lines of 120 letters; 20 kB that hold no element of a name; repr is the same text."""
    made = Made(SHOWN[name])
    data = made._repr_mimebundle_()
    assert data["text/plain"] == repr(made)
    lines = data["text/plain"].split("\n")
    assert len(lines) <= 12
    assert max(map(len, lines)) <= 120
    assert all(line.isprintable() for line in lines)
    markup = data["text/html"]
    assert len(markup.encode()) <= 20_000
    read = Tags(markup)
    assert not read.open
    allowed = {"style", "div", "p", "img", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"}
    assert set(read.seen) <= allowed | {"details", "summary", "pre"}
    assert read.seen.count("img") == (SHOWN[name].chart is not None)
    assert read.seen.count("li") <= 3
    before_folds = markup.split("<details>")[0]
    assert before_folds.count("<tr>") <= 13


def test_a_reader_sees_the_sentence_the_rows_and_what_is_left_out() -> None:
    """Numbers by the rule of every page; what is not there is counted."""
    made = Made(Shown(sentence="It grows.", table=table(30, 1), caveats=list("abcde")))
    plain = repr(made).split("\n")
    assert plain[0] == "It grows."
    assert plain[1].split() == ["name", "n0"]
    assert plain[3].split() == ["name", "1", "0.333"]
    assert plain[-4:] == ["… 24 more rows", "! a", "! b", "! c (2 more)"]
    words = " ".join(Tags(made._repr_mimebundle_()["text/html"]).words)
    assert "18 more rows" in words
    assert "2 more caveats" in words
    options(max_rows=2)
    assert "28 more rows" in " ".join(Tags(made._repr_mimebundle_()["text/html"]).words)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"theme": "drak"}, "options: no theme 'drak'; did you mean 'dark'?; accepted: auto, light, dark"),
        ({"max_rows": 0}, "options: max_rows=0 is no number of rows; give 1 to 100"),
        ({"max_rows": True}, "options: max_rows=True is no number of rows"),
        ({"static": "yes"}, "options: static='yes' is neither True nor False"),
        ({"units": ["ms"]}, "options: units=['ms'] is no mapping"),
        ({"units": {"time": 5}}, "options: units={'time': 5} names no unit of a metric"),
    ],
)
def test_an_option_that_means_nothing_is_refused(asked: dict[str, object], message: str) -> None:
    """And the others stay as they were."""
    before = options()
    with pytest.raises(ParameterError) as raised:
        options(**asked)  # type: ignore[arg-type]
    assert str(raised.value).startswith(message)
    assert options() == before


def test_a_slip_is_three_lines_and_the_whole_trace_is_a_word_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message, the reader's own line, how to see the rest; a slip of Python itself is shown as ever."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    shell = InteractiveShell.instance()
    try:
        with capture_output() as slip:
            shell.run_cell("import benchlib as bl\n\nbl.options(\n    theme='drak')")
        with capture_output() as whole:
            shell.run_cell("%tb")
        with capture_output() as other:
            shell.run_cell("1 / 0")
    finally:
        InteractiveShell.clear_instance()
    assert slip.stdout.strip().split("\n") == [
        "ParameterError: options: no theme 'drak'; did you mean 'dark'?; accepted: auto, light, dark",
        "  this cell, line 3: bl.options(",
        "The whole trace: %tb",
    ]
    assert "workbench/options.py" in whole.stdout
    assert "drak" in whole.stdout
    assert "ZeroDivisionError" in other.stdout
