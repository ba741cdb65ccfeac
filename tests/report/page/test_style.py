"""House styles: what ``house.toml`` may say, and the one line that each mistake gets."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from benchlib.errors import StudyError
from benchlib.report.page.charts import PLOTLY
from benchlib.report.page.export import check_page, to_html
from benchlib.report.page.furnishing import furnished, sections_of
from benchlib.report.page.page_exporter import ANSWERS
from benchlib.report.page.style import HouseStyle, read_style

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 40
SVG = b"<?xml version='1.0'?>\n<!-- ours -->\n<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>"


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A folder with what a style may name."""
    (tmp_path / "logo.png").write_bytes(PNG)
    (tmp_path / "logo.svg").write_bytes(SVG)
    (tmp_path / "logo.gif").write_bytes(b"GIF89a")
    (tmp_path / "huge.png").write_bytes(PNG + b"0" * (64 << 10))
    (tmp_path / "team.ipynb").write_text("{}")
    for name, file, text in (
        (
            "ours",
            "frame.html.j2",
            "{% extends 'benchlib/frame.html.j2' %}{% block colophon %}<p>Ours.</p>{% endblock %}",
        ),
        ("stray", "frame.html", "<p>"),
        ("broken", "frame.html.j2", "<p>\n{% block %}"),
        ("asking", "frame.html.j2", "{{ nobody.said }}"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text(text)
    return tmp_path


def read(house: Path, text: str) -> HouseStyle:
    path = house / "house.toml"
    path.write_text(text, encoding="utf-8")
    return read_style(path)


MISTAKES = [
    pytest.param(
        'logoo = "x"',
        "1: unknown key 'logoo' at the top level; did you mean 'logo'? Accepted: "
        "logo, logo_text, template, title_page, colours, pages",
        id="misspelt key",
    ),
    pytest.param(
        '\nlogo = "none.png"',
        "2: 'logo' at the top level: no file 'none.png' beside the style",
        id="no logo",
    ),
    pytest.param(
        'logo = "logo.gif"',
        "1: 'logo' at the top level: 'logo.gif' is neither PNG nor SVG; save it as one of them",
        id="other picture",
    ),
    pytest.param(
        'logo = "huge.png"',
        "1: 'logo' at the top level: 64 KiB; every page carries it, so keep it within 64 KiB",
        id="large logo",
    ),
    pytest.param(
        'logo = "../logo.png"',
        "1: 'logo' at the top level: '../logo.png' leaves the folder of the style; keep it beside it",
        id="path that leaves",
    ),
    pytest.param(
        "[colours]\nlink = '#000000'",
        "2: unknown key 'link' in [colours]; did you mean 'ink'? Accepted: "
        "accent, ink, muted, ground, sheet, raised, rule, charts, dark",
        id="unknown colour",
    ),
    pytest.param(
        "[colours]\nink = 'red; } body { display: none'",
        "2: 'ink' in [colours]: 'red; } body { display: none' is no colour; write six digits, such as #1c5d99",
        id="rules in a colour",
    ),
    pytest.param(
        "[colours]\naccent = '#a0c0ff'",
        "2: text in 'accent' in [colours] (#a0c0ff) on 'sheet' (#ffffff) has a contrast of 1.82 : 1; "
        "WCAG AA asks for 4.5 : 1, so choose one that is darker or lighter",
        id="pale text",
    ),
    pytest.param(
        "[colours]\nsheet = '#808080'",
        "2: text in 'ink' in [colours] (#1b2431) on 'sheet' (#808080) has a contrast of 3.95 : 1; "
        "WCAG AA asks for 4.5 : 1, so choose one that is darker or lighter",
        id="grey sheet",
    ),
    pytest.param(
        "[colours.dark]\nink = '#303030'",
        "2: text in 'ink' in [colours.dark] (#303030) on 'sheet' (#151a21) has a contrast of 1.32 : 1; "
        "WCAG AA asks for 4.5 : 1, so choose one that is darker or lighter",
        id="dark on dark",
    ),
    pytest.param(
        "[colours]\ncharts = ['#1c5d99',\n'#ffee00']",
        "3: chart colour #ffee00 on the light sheet (#ffffff) has a contrast of 1.20 : 1; "
        "WCAG AA asks for 3 : 1, so choose one that is darker or lighter",
        id="pale chart",
    ),
    pytest.param(
        "[colours]\ncharts = ['#003366']",
        "2: chart colour #003366 on the dark sheet (#151a21) has a contrast of 1.38 : 1; "
        "WCAG AA asks for 3 : 1, so give [colours.dark] charts of its own",
        id="chart lost in the dark",
    ),
    pytest.param(
        "[colours]\ncharts = ['#003366', '#a03000']\n[colours.dark]\ncharts = ['#7fb6ea']",
        "4: 'charts' in [colours.dark] holds 1 colours and that of [colours] 2; give as many",
        id="charts without partner",
    ),
    pytest.param(
        "[title_page]\nshown = 'yes'",
        "2: 'shown' in [title_page] must be true or false, found the text 'yes'",
        id="flag as text",
    ),
    pytest.param(
        f"[title_page]\nlines = ['{'x' * 301}']",
        "2: 'lines' in [title_page]: a line of 301 characters; keep it within 300",
        id="long line",
    ),
    pytest.param(
        "[pages.executive_sumary]\nfirst = ['scaling']",
        "1: unknown key 'executive_sumary' in [pages]; did you mean 'executive_summary'? Accepted: ",
        id="unknown page",
    ),
    pytest.param(
        "[pages.executive_summary]\nleave_out = ['tables', 'caveats']",
        "2: 'leave_out' in [pages.executive_summary]: 'caveats' stays on every page; "
        "without it a page says more than the data do",
        id="caveats left out",
    ),
    pytest.param(
        "[pages.executive_summary]\nfirst = ['scaling', 'tables']\nleave_out = ['tables']",
        "3: 'leave_out' in [pages.executive_summary]: 'tables' is named by 'first' too; "
        "a section stands first or is left out, name it once",
        id="first and left out",
    ),
    pytest.param(
        "[pages.executive_summary]\nappend = 'nobody.ipynb'",
        "2: 'append' in [pages.executive_summary]: no file 'nobody.ipynb' beside the style",
        id="no notebook",
    ),
    pytest.param(
        "template = 'nowhere'",
        "1: 'template' at the top level: no folder 'nowhere' beside the style",
        id="no folder",
    ),
    pytest.param(
        "template = 'stray'",
        "1: 'template' at the top level: nothing reads 'frame.html' in it; did you mean 'frame.html.j2'?; "
        "accepted: frame.html.j2, reports.html.j2, house.css",
        id="stray template",
    ),
    pytest.param("template = 'broken'", "1: {house}/broken/frame.html.j2:2: ", id="broken template"),
    pytest.param("logo = ", "1: not valid TOML: Invalid value", id="no TOML"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), MISTAKES)
def test_a_mistake_is_one_line_with_its_place(house: Path, text: str, said: str) -> None:
    """File, line, key, what was found and what is accepted."""
    with pytest.raises(StudyError) as caught:
        read(house, text)
    expected = f"{house}/house.toml:{said.format(house=house) if '{house}' in said else said}"
    assert str(caught.value).startswith(expected)
    assert "\n" not in str(caught.value)


def notebook() -> object:
    """Three sections, one of them begun by Markdown; one chart, and answers."""
    figure = {
        "data": [{"line": {"color": "#0072B2"}, "fillcolor": "rgba(0,114,178,0.15)", "name": "#0072B2"}],
        "layout": {},
    }

    def shown(cell_id: str, *data: dict[str, object]) -> object:
        outputs = [new_output("display_data", data=one) for one in data]
        return new_code_cell("show()", id=cell_id, outputs=outputs)

    return new_notebook(
        cells=[
            new_markdown_cell("# Question?", id="question"),
            shown("verdict", {"text/html": "<p>Verdict.</p>"}),
            shown("scaling", {"text/html": '<h2 id="scaling">Scaling</h2>'}, {PLOTLY: figure}),
            new_markdown_cell("## Key results\n\nWords.", id="key"),
            shown("more", {"text/html": "<p>More.</p>"}),
            shown("caveats", {"text/html": '<h2 id="caveats">Caveats</h2>'}),
            shown("answers", {ANSWERS: {"schema": 1}, "text/plain": "answers"}),
        ]
    )


def test_a_style_that_is_not_there_is_told_apart_from_one_that_cannot_be_read(house: Path) -> None:
    """Where nothing lies nothing is to be mended but the path."""
    missing = house / "hause.toml"
    for path, said in ((missing, "no such file; check the path"), (house / "ours", "mend its type or permissions")):
        with pytest.raises(StudyError) as caught:
            read_style(path)
        assert str(caught.value).startswith(f"{path.as_posix()}: ")
        assert str(caught.value).endswith(said)


def test_sections_come_in_the_order_of_the_house(house: Path) -> None:
    """What precedes the sections stays first, what is not named keeps its order, and answers stay."""
    style = read(house, "[pages.executive_summary]\nfirst = ['key-results']\nleave_out = ['scaling']")
    made = furnished(notebook(), style, "executive_summary")
    assert [one.id for one in made.cells] == ["question", "verdict", "key", "more", "caveats", "answers"]
    assert sections_of(furnished(notebook(), style, "40_scaling")) == ("scaling", "key-results", "caveats")


def test_an_unknown_section_is_told_with_its_line(house: Path) -> None:
    """Only the page itself knows its sections."""
    style = read(house, "[pages.executive_summary]\n\nfirst = ['caveats', 'scalng']")
    with pytest.raises(StudyError) as caught:
        furnished(notebook(), style, "executive_summary")
    assert str(caught.value) == (
        f"{house}/house.toml:3: 'first' in [pages.executive_summary]: no section 'scalng'; did you mean 'scaling'? "
        "Sections: scaling, key-results, caveats"
    )


def test_a_section_that_has_nothing_to_show_may_be_named(house: Path) -> None:
    """One style serves many pages: of a folder of which nothing is asked there are no key results."""
    made = notebook()
    made.cells[3] = new_code_cell(id="key", outputs=[new_output("display_data", data={"text/html": ""})])
    style = read(house, "[pages.executive_summary]\nfirst = ['caveats', 'key']")
    found = sections_of(furnished(made, style, "executive_summary"))
    assert found == ("caveats", "scaling")
    style = read(house, "[pages.executive_summary]\nfirst = ['caveats', 'more']")
    with pytest.raises(StudyError, match="no section 'more'"):
        furnished(made, style, "executive_summary")


def test_the_houses_notebook_ends_the_page_and_answers_nothing(house: Path) -> None:
    """Its parameters are not shown, and answers.json is that of the report."""
    style = read(house, "[pages.executive_summary]\nappend = 'team.ipynb'")
    assert style.pages["executive_summary"].append == house / "team.ipynb"
    team = new_notebook(
        cells=[
            new_code_cell("study = 1", id="p", metadata={"tags": ["parameters"]}),
            new_code_cell("x", id="verdict", outputs=[new_output("display_data", data={ANSWERS: {"schema": 2}})]),
        ]
    )
    made = furnished(notebook(), style, "executive_summary", team)
    assert [one.id for one in made.cells][-2:] == ["answers", "house-1"]
    assert not made.cells[-1].outputs[0].data
    assert team.cells[1].outputs[0].data


def test_charts_take_the_colours_of_the_house(house: Path) -> None:
    """Lines and their bands; a name that looks like a colour stays a name."""
    style = read(house, "[colours]\ncharts = ['#1f77b4']")
    trace = furnished(notebook(), style, "any").cells[2].outputs[1].data[PLOTLY]["data"][0]
    assert trace["line"]["color"] == "#1f77b4"
    assert trace["fillcolor"] == "rgba(31,119,180,0.15)"
    assert trace["name"] == "#0072B2"


@pytest.mark.parametrize("logo", ["logo.png", "logo.svg"])
def test_a_furnished_page_passes_the_check_before_publishing(house: Path, logo: str) -> None:
    """Logo as data in an <img>, words escaped, colours as rules, the house's own frame."""
    style = read(
        house,
        f"logo = '{logo}'\nlogo_text = 'Ac<me'\ntemplate = 'ours'\n"
        "[title_page]\norganisation = '<script>1</script>'\nlines = ['a', 'b']\n"
        "[colours]\naccent = '#8a1c5d'\n[colours.dark]\naccent = '#ff9ad5'",
    )
    made = furnished(notebook(), style, "executive_summary")
    page = to_html(made, title="T", style=style)
    check_page(page, made)
    assert base64.b64encode((house / logo).read_bytes()).decode() in page
    assert 'alt="Ac&lt;me"' in page
    assert "&lt;script&gt;1&lt;/script&gt;" in page
    assert "--link: #8a1c5d" in page
    assert "--link: #ff9ad5" in page
    assert "<p>Ours.</p>" in page
    assert "asks the network for nothing" not in page


def test_a_template_that_asks_for_nothing_known_is_one_line(house: Path) -> None:
    """Its own words, and where a template's words are documented."""
    from benchlib.errors import InputError

    style = read(house, "template = 'asking'")
    with pytest.raises(InputError) as caught:
        to_html(notebook(), title="T", style=style)
    assert str(caught.value) == (
        f"{house}/asking/frame.html.j2: 'nobody' is undefined; see docs/house-style.md for what a template is given"
    )


@pytest.mark.parametrize(
    "asked",
    [
        "cycler.__init__.__globals__.os.popen('touch {pwned}').read()",
        "''.__class__.__mro__[1].__subclasses__()",
        "title.format.__globals__",
        "'{{0.__class__.__init__.__globals__}}'.format(cycler)",
        "sections.append(1)",
        "range(10 ** 9) | list",
        "1 / 0",
        "title + 1",
        "title | truncate(1)",
    ],
)
def test_a_template_runs_no_code(house: Path, asked: str) -> None:
    """What would lead to a command, change what is shown, or never end, is refused in one line."""
    from benchlib.errors import InputError

    pwned = house / "pwned"
    (house / "asking/frame.html.j2").write_text(f"<p>{{{{ {asked.format(pwned=pwned)} }}}}")
    style = read(house, "template = 'asking'")
    with pytest.raises(InputError) as caught:
        to_html(notebook(), title="T", style=style)
    assert str(caught.value).startswith(f"{house}/asking/frame.html.j2: ")
    assert "\n" not in str(caught.value)
    assert not pwned.exists()


NESTED = "{{% for i in range(10 ** 5) %}}{{% for j in range(10 ** 5) %}}{}{{% endfor %}}{{% endfor %}}"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (NESTED.format(""), "has no end: it was ended after 2 s"),
        ("{{ 9 ** (9 ** 9) }}", "has no end: it was ended after 2 s"),
        (NESTED.format("{{ title * 10 ** 6 }}"), "wants more than 256 MiB of memory"),
        ("{{ title * 10 ** 11 }}", "wants more than 256 MiB of memory"),
    ],
    ids=["loops", "one step", "many strings", "one string"],
)
def test_a_template_without_end_is_ended(house: Path, monkeypatch: pytest.MonkeyPatch, text: str, wrong: str) -> None:
    """It takes neither the time nor the memory of what builds reports, and is refused in one line."""
    from benchlib.errors import InputError
    from benchlib.report.page import filling

    monkeypatch.setattr(filling, "_SECONDS", 2)
    monkeypatch.setattr(filling, "_BYTES", 256 << 20)
    (house / "asking/frame.html.j2").write_text(text)
    style = read(house, "template = 'asking'")
    with pytest.raises(InputError) as caught:
        to_html(notebook(), title="T", style=style)
    assert str(caught.value) == (
        f"{house}/asking/frame.html.j2: {wrong}; see docs/house-style.md for what a template is given"
    )


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("{% for i in sections %}" * 25 + "{% endfor %}" * 25, "too many statically nested blocks"),
        ("{{ cycler(a=1, a=2) }}", "keyword argument repeated: a"),
        ("{{ " + "-" * 600 + "1 }}", "is nested too deep, or takes in itself"),
        ("{% include 'frame.html.j2' %}", "is nested too deep, or takes in itself"),
        ("{% include '.hidden' %}", "no template '.hidden'"),
        ("{% include '.linked' %}", "no template '.linked'"),
        ("{% include '../secret' %}", "no template '../secret'"),
        ("{{ 'x' * 2 * 10 ** 6 }}", "comes to more than 1 MiB"),
    ],
    ids=["loops in loops", "no Python", "signs", "itself", "a dot file", "a linked one", "a file outside", "large"],
)
def test_what_only_its_filling_in_tells_of_a_template_is_one_line(
    house: Path, monkeypatch: pytest.MonkeyPatch, text: str, wrong: str
) -> None:
    """What jinja takes and Python does not, files that are no templates, and a page that nobody could open."""
    from benchlib.errors import InputError
    from benchlib.report.page import filling

    monkeypatch.setattr(filling, "_LARGEST", 1 << 20)
    (house / "secret").write_text("secret")
    (house / "asking/.hidden").write_text("secret")
    (house / "asking/.linked").symlink_to(house / "secret")
    (house / "asking/frame.html.j2").write_text(text)
    style = read(house, "template = 'asking'")
    with pytest.raises(InputError) as caught:
        to_html(notebook(), title="T", style=style)
    assert str(caught.value) == (
        f"{house}/asking/frame.html.j2: {wrong}; see docs/house-style.md for what a template is given"
    )


def test_a_template_is_not_waited_for_without_end(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that waits takes no time of computing; what builds reports goes on, with one line."""
    from benchlib.errors import InputError
    from benchlib.report.page import filling

    monkeypatch.setattr(filling, "_PATIENCE", 1)
    (house / "asking/frame.html.j2").write_text(NESTED.format(""))
    style = read(house, "template = 'asking'")
    with pytest.raises(InputError, match=r"frame\.html\.j2: was not filled in within 1 s; see "):
        to_html(notebook(), title="T", style=style)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}", "is nested too deep, or takes in itself"),
        ("{{ " + "9" * 5000 + " }}", "Exceeds the limit (4300 digits) for integer string conversion"),
        ("{{ 1 }}" * 150_000, "larger than 1 MiB; a template takes a few lines"),
    ],
    ids=["brackets", "digits", "length"],
)
def test_a_template_that_cannot_be_taken_apart_is_one_line(house: Path, text: str, wrong: str) -> None:
    """It names the line of the style and the template; it is looked at before anything runs."""
    (house / "broken/frame.html.j2").write_text(text)
    with pytest.raises(StudyError) as caught:
        read(house, "template = 'broken'")
    assert str(caught.value).startswith(f"{house}/house.toml:1: {house}/broken/frame.html.j2: {wrong}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["frame.html.j2", "house.css"])
def test_a_template_is_no_link_out_of_its_folder(house: Path, name: str) -> None:
    """What the user may read, a house style does not put on a page; a link within the folder is followed."""
    (house / "secret").write_text("secret")
    (house / "ours/..data").mkdir()
    (house / "ours/..data" / name).write_text("<p>")
    path = house / "ours" / name
    path.unlink(missing_ok=True)
    path.symlink_to(f"..data/{name}")
    read(house, "template = 'ours'")
    path.unlink()
    path.symlink_to("../secret")
    with pytest.raises(StudyError) as caught:
        read(house, "template = 'ours'")
    assert str(caught.value) == (
        f"{house}/house.toml:1: {path}: leads to no file of its folder; put the file itself there"
    )


def test_a_link_made_after_a_style_was_read_leads_nowhere(house: Path) -> None:
    """A template is looked at once more when it is filled in, and benchlib's own does not stand in for it."""
    from benchlib.errors import InputError

    (house / "secret").write_text("secret")
    style = read(house, "template = 'ours'")
    path = house / "ours/frame.html.j2"
    path.unlink()
    path.symlink_to("../secret")
    with pytest.raises(
        InputError, match=r": 'frame\.html\.j2' leads to no file of its folder; put the file itself there"
    ):
        to_html(notebook(), title="T", style=style)


def test_the_digest_knows_every_file_that_a_style_names(house: Path) -> None:
    """A report is built again when a logo, a template or the house's notebook changes."""
    text = "logo = 'logo.png'\ntemplate = 'ours'\n[pages.executive_summary]\nappend = 'team.ipynb'"
    digests = [read(house, text).digest]
    for name in ("logo.png", "ours/frame.html.j2", "team.ipynb"):
        path = house / name
        path.write_bytes(path.read_bytes() + b"\n")
        digests.append(read(house, text).digest)
    assert len(set(digests)) == 4
    assert read(house, text).digest == digests[-1]
