"""Fifty hostile inputs of a report: nothing is executed, and the answer is one clear line or an inert page."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from benchlib.render.packing import unpack
from benchlib.run.build import Request, build_report
from benchlib.run.listing import build_index
from tests.malformed.places import GO, Place
from tests.run.small_notebook import write_small_notebook

#: Words of results and of a study: they end on the page.
NAMES = {
    "a script": "<script>owned()</script>",
    "a script that ends the page's own": "</script><script>owned()</script>",
    "a script that ends a comment": "--><script>owned()</script><!--",
    "a script that ends a title": "</title></style></textarea><script>owned()</script>",
    "a picture with a handler": '"><img src=x onerror=owned()>',
    "a drawing with a handler": "'><svg/onload=owned()>",
    "an attribute with a handler": '" onmouseover="owned()" x="',
    "a frame": '<iframe srcdoc="<script>owned()</script>">',
    "a style that loads": "<style>@import url(https://hostile.example/x)</style>",
    "a base that leads elsewhere": '<base href="https://hostile.example/">',
    "a refresh": '<meta http-equiv="refresh" content="0;url=https://hostile.example/">',
    "a form": '<form action="https://hostile.example/"><button>go</button></form>',
    "Markdown that runs": "[x](javascript:owned())",
    "Markdown that loads": "![x](https://hostile.example/x.png)",
    "markup escaped once": "&lt;script&gt;owned()&lt;/script&gt;",
    "mathematics that runs": r"$\href{javascript:owned()}{x}$",
    "a template's expression": "{{ self.__init__.__globals__ }}{% for x in y %}${7*7}#{7*7}",
    "a formula": '=HYPERLINK("https://hostile.example","x")',
    "a formula that runs a command": "=cmd|'/c touch owned'!A0",
    "a formula with a sign": "+1+cmd|'/c touch owned'!A0",
    "a formula with an at": "@SUM(1+1)",
    "a shell's substitution": "$(touch owned)`touch owned`; touch owned #",
    "a format": "%s%n%x {0.__class__}",
    "a path": "../../../../etc/passwd",
    "text that turns around": "invoice\u202egnp.exe",
    "terminal codes": "\x1b]0;owned\x07\x1b[2J",
    "line ends of another kind": "a\u2028b\u2029c\u0085d",
    "zero width and combining": "a\u200b\ufeff" + "\u0301" * 400,
    "a lone surrogate, escaped": "\\ud800\\udfff",
    "an object's prototype": "__proto__",
}  # fmt: skip

#: What a command is told: (arguments, what its one line holds). ``sound`` is a good study, ``small.ipynb`` a notebook.
LONG = "A" * 10_000_000
COMMANDS: dict[str, tuple[tuple[str, ...], str]] = {
    "a parameter name that is code": (("sound", "-p", "x=1;import os;os.mkdir('owned')#=2"), "no parameter 'x'"),
    "a parameter name that calls": (("sound", "-p", "__import__('os').mkdir('owned')=2"), "has no parameter"),
    "a parameter name with a line end": (("sound", "-p", "a\nimport os=2"), r"'a\nimport os'"),
    "a parameter name of 10 MB": (("sound", "-p", f"{LONG}=1"), "has no parameter 'AAAA"),
    "a parameter value of 10 MB": (("sound", "-p", f"level={LONG}"), "parameter 'level' is 'AAAA"),
    "a number that is code": (("sound", "-p", "level=__import__('os').mkdir('owned')"), "a finite number"),
    "a list that is code": (("sound", "-p", "cores=[__import__('os').mkdir('owned')]"), "whole numbers"),
    "a list that is deep": (("sound", "-p", f"cores={'[' * 100_000}"), "whole numbers"),
    "a notebook elsewhere": (("sound", "--notebook", "../../etc/passwd"), "no notebook"),
    "a notebook of control codes": (("sound", "--notebook", "\x1b[2J\n.ipynb"), r"no notebook '\x1b[2J\n.ipynb'"),
    "a notebook of 10 MB": (("sound", "--notebook", f"{LONG}.ipynb"), "no notebook 'AAAA"),
    "a notebook with a NUL": (("sound", "--notebook", "a\0.ipynb"), "no notebook"),
    "a study that leads away": (("../" * 40 + "etc/shadow.d",), "no such file"),
    "a study of 10 MB": ((LONG,), "AAAA"),
    "a study of control characters": (("no\x1b[31m\r\n\x00pe",), r"no\x1b[31m\r\n\x00pe"),
    "a study with a NUL": (("a\0b",), r"a\x00b"),
    "a study that is an option": (("--", "--output=/"), "no such file"),
    "a folder with a NUL": (("sound", "-o", "a\0b"), "cannot be made a folder"),
    "a folder of 10 MB": (("sound", "-o", LONG), "cannot be made a folder"),
    "a file of parameters that is code": (("sound", "-f", "code.yaml"), "code.yaml:1: not YAML"),
    "a file of parameters that is deep": (("sound", "-f", "deep.yaml"), "not YAML"),
    "a file of parameters that grows without end": (("sound", "-f", "laughs.yaml"), "'a2' is neither a value nor"),
    "a logo that is none": (("sound", "--logo", "code.yaml"), "is neither PNG nor SVG"),
    "an accent that is rules": (("sound", "--accent", "red;}*{display:none"), "is no colour"),
}

HANDLERS = re.compile(r"on\w+")


class Elements(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.scripts: list[str] = []
        self.faults: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self._inside = tag
        if tag == "script":
            self.scripts.append("")
        if (
            tag in ("iframe", "object", "embed", "base", "form", "link", "frame")
            or given.get("http-equiv") == "refresh"
        ):
            self.faults.append(f"<{tag}>")
        self.faults += [f"<{tag} {name}>" for name in given if HANDLERS.fullmatch(name)]
        for name in ("src", "href", "xlink:href", "action", "srcset", "formaction"):
            value = given.get(name, "").strip().lower()
            if value.startswith(("javascript:", "vbscript:", "data:text")) or "hostile.example" in value:
                self.faults.append(f"<{tag} {name}={value[:60]}>")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts[-1] += data
        if self._inside == "style" and "hostile.example" in data:
            self.faults.append("a style that loads")


def faults_of(page: str) -> list[str]:
    """Return what in a page, and in the markup that it carries packed, is not inert."""
    reading = Elements()
    reading.feed(page)
    reading.close()
    found = list(reading.faults)
    for markup in folded(page):
        inner = Elements()
        inner.feed(markup)
        found += inner.faults + [f"a script: {one[:40]}" for one in inner.scripts]
    # Data that carries the words is no script; what runs is the page's own.
    running = [one for one in reading.scripts if "owned()" in one and not one.lstrip().startswith(("{", "["))]
    return found + [f"a script: {one[:60]}" for one in running]


def folded(page: str) -> list[str]:
    """Return what a page folds away: it is markup when it unfolds."""
    packed = re.findall(r'<script type="text/plain" id="page-data">(.*?)</script>', page)
    return [rows for data in packed for rows in unpack(data)["rows"]]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One executive summary of a study whose every name is hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    study = folder / "study"
    study.mkdir()
    lines = ["benchmark,metric,value,unit,kind"]
    for number, name in enumerate(NAMES.values()):
        quoted = name.replace('"', '""')
        lines += [f'"{quoted}",time,{10 + number + run},ns,"{quoted}"' for run in range(3)]
    (study / "run.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = [json.dumps(one) for one in NAMES.values() if one.isprintable()]
    (study / "study.toml").write_text(
        f"title = {words[0]}\nquestion = {words[1]}\ntested = {words[4]}\norigin = {words[5]}\n"
        f"notes = [{', '.join(words)}]\ncommands = [{', '.join(words[:10])}]\n"
        f"[environment]\nmachine = {words[4]}\ncpu = {words[3]}\n",
        encoding="utf-8",
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        built = build_report(Request("study", folder / "out"))
        build_index(folder / "out")
        yield built.page.read_text(encoding="utf-8")
        assert not list(folder.rglob("owned"))


def test_a_page_of_hostile_names_is_inert(page: str) -> None:
    """No element, handler, address or script comes from a name, and the names are there, as text."""
    assert "&lt;script&gt;owned()&lt;/script&gt;" in page
    assert any("&lt;iframe" in rows for rows in folded(page))
    assert faults_of(page) == []


@pytest.mark.parametrize("what", NAMES)
def test_a_hostile_name_is_shown_as_text(page: str, what: str) -> None:
    """Markup of a name stands nowhere in the page as it was written, unless it has nothing to escape."""
    name = NAMES[what]
    outside = "".join([re.sub(r"<script\b[^>]*>.*?</script>", "", page, flags=re.DOTALL), *folded(page)])
    if set(name) & set("<>"):
        assert name not in outside
    for control in ("\x1b", "\x07", "\u202e", "\u2028", "\u2029"):
        assert control not in outside


def test_the_list_of_a_hostile_report_is_inert(page: str, tmp_path: Path) -> None:
    """Title and verdict come from the study, the folder's name too."""
    name = "a:b <script>owned()"
    study = tmp_path / name
    study.mkdir()
    (study / "run.txt").write_text(GO)
    (study / "study.toml").write_text(f"title = {json.dumps(NAMES['a picture with a handler'])}\n")
    build_report(Request(study, tmp_path / "out", notebook=str(write_small_notebook(tmp_path / "small.ipynb"))))
    index = build_index(tmp_path / "out").read_text(encoding="utf-8")
    assert faults_of(index) == []
    assert '<a href="./a%3Ab%20%3Cscript%3Eowned%28%29/small.html">' in index


@pytest.mark.parametrize("what", COMMANDS)
def test_a_hostile_command_is_one_line(place: Place, what: str) -> None:
    """Exit 2, one short printable line, nothing made and nothing executed."""
    write_small_notebook(place.folder / "small.ipynb")
    declared = (place.folder / "small.ipynb").read_text()
    more = "\\nlevel: float = 0.95\\ncores: list[int] = [1]\\n"
    (place.folder / "small.ipynb").write_text(declared.replace('# Format."', f'# Format.{more}"'))
    place.file("code.yaml", "!!python/object/apply:os.mkdir [owned]\n")
    place.file("deep.yaml", "[" * 50_000)
    laughs = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 20))
    place.file("laughs.yaml", f"a0: &a0 x\n{laughs}where: *a19\n")
    arguments, held = COMMANDS[what]
    before = place.state()
    notebook = () if "--notebook" in arguments else ("--notebook", "small.ipynb")
    output = () if "-o" in arguments else ("-o", "out")
    found = place.run("report", *notebook, *output, *arguments)
    assert (found.code, found.out) == (2, "")
    line = found.err.removesuffix("\n")
    assert line.isprintable()
    assert len(line) < 1500
    assert held in line
    after = place.state()
    assert after.pop("out", "folder") == "folder"
    assert after == before


def test_a_name_larger_than_a_page_makes_none(place: Place) -> None:
    """The budget of a page, which packs what repeats: exit 6, one short line, and a small page that says so."""
    name = random.Random(1).randbytes(1_000_000).hex()
    place.file("big/run.csv", f"benchmark,metric,value,unit\n{name},time,1,ns\n{name},time,2,ns\nDecode,time,3,ns\n")
    found = place.run("report", "big", "-o", "out", "--quiet", "--max-size", "1MB")
    assert (found.code, found.out) == (6, "")
    assert len(found.err) < 1500
    assert found.err.count("\n") == 1
    assert not (place.folder / "out/big/executive_summary.html").exists()
    assert (place.folder / "out/big/executive_summary.failed.html").stat().st_size < 200_000
    assert (place.folder / "out/index.html").stat().st_size < 200_000
