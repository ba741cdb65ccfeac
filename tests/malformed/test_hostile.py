"""Input made to do harm: links, terminal codes, endless patterns."""

from __future__ import annotations

import hashlib
import json
import os
import re
import resource
import subprocess
import sys

import pytest

from tests.malformed.places import GO, ROOT, Place
from tests.run.small_notebook import write_small_notebook


def test_links_in_a_circle_are_told_and_not_followed(place: Place) -> None:
    """A folder that holds itself is read once; a link to itself is a problem."""
    place.file("loop/run.txt", GO)
    (place.folder / "loop/again").symlink_to(place.folder / "loop")
    (place.folder / "loop/self.txt").symlink_to("self.txt")
    (place.folder / "loop/gone.txt").symlink_to("nowhere.txt")
    found = place.run("inspect", "loop")
    assert found.code == 0
    assert "6 rows from 1 file" in found.out
    assert "problem     self.txt: a symbolic link that leads nowhere" in found.out
    assert "problem     gone.txt: a symbolic link that leads nowhere" in found.out


def test_a_link_to_itself_named_alone_is_bad_input(place: Place) -> None:
    """One line, not a traceback."""
    (place.folder / "self.txt").symlink_to("self.txt")
    assert place.run("inspect", "self.txt").code == 2


def test_folders_that_nest_without_end_are_told(place: Place) -> None:
    """As deep as a path can be; what lies above is read."""
    place.file("deep/run.txt", GO)
    here = os.open("deep", os.O_RDONLY)
    for _ in range(1300):
        os.mkdir("a", dir_fd=here)
        inner = os.open("a", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    found = place.run("inspect", "deep")
    subprocess.run(["rm", "-r", "deep/a"], check=True)  # shutil.rmtree, as pytest has it, would not come as deep
    assert found.code == 0
    assert "6 rows from 1 file" in found.out
    assert "cannot be listed (more than 100 folders deep)" in found.out


def test_a_link_out_of_the_folder_is_told_and_not_read(place: Place) -> None:
    """A shared folder of results must not print a stranger's files into a page."""
    place.file("secret.txt", "BenchmarkSecret-8 \t 10\t 5 ns/op\n")
    place.file("study/run.txt", GO)
    (place.folder / "study/more.txt").symlink_to(place.folder / "secret.txt")
    (place.folder / "study/folder").symlink_to(place.folder)
    found = place.run("inspect", "study")
    assert found.code == 0
    assert "Secret" not in found.out
    assert "problem     more.txt: a symbolic link that leads out of the folder" in found.out


def test_a_study_file_is_a_file_of_the_folder(place: Place) -> None:
    """A pipe would block; a link out publishes a stranger's words; a dangling one hides that there is a study."""
    for name in ("pipe", "out", "gone"):
        place.file(f"{name}/run.txt", GO)
    os.mkfifo(place.folder / "pipe/study.toml")
    place.file("secret.toml", 'title = "Secret"\n')
    (place.folder / "out/study.toml").symlink_to("../secret.toml")
    (place.folder / "gone/study.toml").symlink_to("nowhere")
    told = {
        "pipe": "cannot be read (not a regular file); mend its type or permissions",
        "out": "a symbolic link that leads out of the folder; copy the file",
        "gone": "a symbolic link that leads nowhere; copy the file",
    }
    for name, reason in told.items():
        found = place.run("inspect", name)
        assert (found.code, found.err) == (2, f"benchlib: {name}/study.toml: {reason}\n")


def test_only_reports_are_passed_over_and_that_is_told(place: Place) -> None:
    """A lock or the beginning of a manifest hides no result."""
    place.file("study/run.txt", GO)
    place.file("study/locked/run.txt", GO.replace("10.0", "11.0"))
    place.file("study/locked/.index.lock", "")
    place.file("study/claimed/run.txt", GO.replace("10.0", "12.0"))
    place.file("study/claimed/manifest.json", '{"schema": "benchlib-manifest/1"}')
    assert "18 rows from 3 files" in place.run("inspect", "study").out
    assert place.run("report", "sound", "-o", "study/reports").code == 0
    found = place.run("inspect", "study").out
    assert "18 rows from 3 files" in found
    assert "note        reports: reports that benchlib wrote, passed over" in found


def apart(place: Place, *arguments: str, memory: int = 10**9) -> tuple[int, str]:
    """Run a command in a process of its own, of so much memory and half a minute; return its exit code and stderr."""
    done = subprocess.run(
        [sys.executable, "-m", "benchlib", *arguments],
        cwd=place.folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    return done.returncode, done.stderr


def test_a_small_file_needs_little_memory(place: Place) -> None:
    """Where a process may hold a gigabyte, a file of a hundred bytes is read."""
    assert apart(place, "inspect", "sound") == (0, "")


def test_too_little_memory_is_one_line(place: Place) -> None:
    """Exit 5, and what to do; not the traceback of whatever asked for more."""
    place.file("many.txt", "".join(f"BenchmarkX{n % 50}-8 10 {n} ns/op\n" for n in range(500_000)))
    assert apart(place, "inspect", "many.txt", memory=2 * 10**8) == (
        5,
        "benchlib: there is not enough memory for this; allow more, or name fewer or smaller files\n",
    )


@pytest.mark.parametrize(
    ("bound", "code", "said"),
    [
        ("--timeout=0.001", 4, "reading took longer than 0.001 s; allow more with --timeout"),
        ("--memory=1MiB", 5, "reading needs more memory than there is, or than --memory allows; allow more"),
    ],
)
def test_reading_is_within_the_bounds_of_a_report(place: Place, bound: str, code: int, said: str) -> None:
    """A file is read before a cell runs."""
    ended = apart(place, "report", "sound", "-o", "out", "--quiet", bound, memory=8 * 10**9)
    assert ended == (code, f"benchlib: sound: {said}, or name fewer files\n")


def test_a_link_in_data_is_told_and_hides_no_other_study(place: Place) -> None:
    """Neither a stranger's words nor another study twice is published; a definition that leads nowhere is told."""
    write_small_notebook(place.folder / "small.ipynb")
    place.file("data/good/run.txt", GO)
    place.file("data/good/study.toml", 'title = "Good"\n')
    place.file("secret/run.txt", GO)
    place.file("secret/study.toml", 'title = "Secret"\n')
    (place.folder / "data/out").symlink_to("../secret")
    (place.folder / "data/twin").symlink_to("good")
    place.file("data/lost/run.txt", GO)
    (place.folder / "data/lost/study.toml").symlink_to("nowhere")
    found = place.run("report", "--all", "-o", "out", "--notebook", "small.ipynb", "--quiet")
    assert found.code == 2
    assert sorted(found.err.splitlines()) == [
        "benchlib: data/lost: data/lost/study.toml: a symbolic link that leads nowhere; copy the file",
        "benchlib: data/out: a symbolic link; not followed; name the folder that it leads to",
        "benchlib: data/twin: a symbolic link; not followed; name the folder that it leads to",
    ]
    assert [path.parent.name for path in (place.folder / "out").glob("*/*.html")] == ["good"]


def test_a_study_of_the_name_of_the_list_ends_no_list(place: Place) -> None:
    """Its report would be a folder where ``index.html`` lies, or its lock."""
    write_small_notebook(place.folder / "small.ipynb")
    for name in ("good", "index.html", ".index.lock"):
        place.file(f"data/{name}/run.txt", GO)
        place.file(f"data/{name}/study.toml", "")
    found = place.run("report", "--all", "-o", "out", "--notebook", "small.ipynb", "--quiet")
    assert found.code == 2
    assert sorted(found.err.splitlines()) == [
        f"benchlib: data/{name}: out/{name}: is where the list of reports lies; rename the study"
        for name in (".index.lock", "index.html")
    ]
    assert "good/small.html" in (place.folder / "out/index.html").read_text()


@pytest.mark.parametrize("name", ["manifest.json", "small.html", "small.answers.json"])
def test_a_pipe_among_reports_holds_no_run_up(place: Place, name: str) -> None:
    """Reports may come out of a cache that somebody else filled."""
    write_small_notebook(place.folder / "small.ipynb")
    asked = ("report", "sound", "-o", "out", "--notebook", "small.ipynb", "--quiet")
    assert place.run(*asked).code == 0
    (place.folder / "out/sound" / name).unlink()
    os.mkfifo(place.folder / "out/sound" / name)
    code, said = apart(place, *asked, memory=8 * 10**9)
    assert (code, said) == (0, "")
    assert (place.folder / "out/sound" / name).is_file()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("small.html", "<script>fetch('https://example.org')</script>"),
        ("small.answers.json", "{"),
        ("small.answers.json", "[]"),
        ("small.answers.json", "[" * 100_000),
    ],
)
def test_a_report_that_somebody_else_wrote_is_built_anew(place: Place, name: str, content: str) -> None:
    """Though a manifest beside it says that it is as benchlib wrote it."""
    write_small_notebook(place.folder / "small.ipynb")
    asked = ("report", "sound", "-o", "out", "--notebook", "small.ipynb", "--quiet")
    assert place.run(*asked).code == 0
    manifest, file = place.folder / "out/sound/manifest.json", place.folder / "out/sound" / name
    stated = json.loads(manifest.read_text())
    sound = file.read_text()
    file.write_text(content)
    stated["pages"]["small.html"]["files"][name] = hashlib.sha256(content.encode()).hexdigest()
    manifest.write_text(json.dumps(stated))
    assert place.run(*asked).code == 0
    assert file.read_text() == sound


def test_no_file_elsewhere_is_taken_for_one_of_an_old_report(place: Place) -> None:
    """A manifest names figures in a folder, which may be a link: what lies there is not removed."""
    write_small_notebook(place.folder / "small.ipynb")
    asked = ("report", "sound", "-o", "out", "--notebook", "small.ipynb", "--quiet")
    assert place.run(*asked).code == 0
    place.file("elsewhere/kept.txt", "")
    (place.folder / "out/sound/figures").symlink_to("../../elsewhere")
    manifest = place.folder / "out/sound/manifest.json"
    stated = json.loads(manifest.read_text())
    stated["pages"]["small.html"]["files"]["figures/kept.txt"] = "0" * 64
    manifest.write_text(json.dumps(stated))
    assert place.run(*asked).code == 0
    assert (place.folder / "elsewhere/kept.txt").exists()


@pytest.mark.parametrize("through", ["cpu.txt", "folder"])
def test_a_profile_is_a_file_of_the_study(place: Place, through: str) -> None:
    """Its functions stand on the page."""
    profile = (
        "Type: cpu\nShowing nodes accounting for 1s, 100% of 1s total\n      flat  flat%   sum%        cum   cum%\n"
    )
    place.file("secret/cpu.txt", f"{profile}        1s   100%   100%         1s   100%  secret.Function\n")
    place.file("study/run.txt", GO)
    (place.folder / "study" / through).symlink_to("../secret" + ("" if through == "folder" else "/cpu.txt"))
    named = "folder/cpu.txt" if through == "folder" else through
    place.file("study/study.toml", f'[[breakdown]]\nwhole = "Encode"\nprofile = "{named}"\n')
    found = place.run("inspect", "study")
    assert found.code == 2
    assert found.err.endswith(f"study/{named}: a symbolic link that leads out of the folder; copy the file\n")


def test_a_notebook_of_a_study_runs_where_it_is_trusted(place: Place) -> None:
    """It holds code of whoever sent the results, under whatever name it is reached."""
    write_small_notebook(place.folder / "sound/own.ipynb", "Path('ran').touch()")
    (place.folder / "elsewhere.ipynb").symlink_to("sound/own.ipynb")
    for command in ("report", "slides"):
        for notebook in ("sound/own.ipynb", "elsewhere.ipynb"):
            found = place.run(command, "sound", "-o", "out", "--notebook", notebook, "--quiet")
            assert found.code == 2
            assert found.err.startswith(f"benchlib: {notebook}: lies in the study, whose author's code would run;")
    assert not (place.folder / "ran").exists()
    assert place.run("report", "sound", "-o", "out", "--notebook", "sound/own.ipynb", "--quiet", "--trust").code == 0
    assert (place.folder / "ran").exists()


ESCAPES = (
    "goos: li\x1b[31mnux\n"
    "BenchmarkA\x1b]0;taken\x07\x1b[2JB-8\t 10\t 5 ns/op\n"
    "BenchmarkC\x9b31mD\x07-8 \t 10\t 5 ns/op\n"
    "BenchmarkE\u202eF\x1b-8 \t 10\t 5 ns/op\n"
    "BenchmarkG\x1b[0-8 \t 10\t\n"
)


@pytest.mark.parametrize("form", ["text", "json"])
def test_inspect_prints_no_terminal_codes_of_a_file(place: Place, form: str) -> None:
    """Names, levels and problems of a results file cannot move the cursor or turn text around."""
    place.file("escapes.txt", ESCAPES)
    found = place.run("inspect", "escapes.txt", "--format", form)
    assert found.code == 0
    assert all(one.isprintable() for one in found.out.splitlines())


def test_a_file_name_cannot_write_to_the_terminal(place: Place) -> None:
    """The name of a file is text from elsewhere too."""
    place.file("odd/\x1b[31mred\n.txt", GO)
    place.file("odd/\x1b[2Jcore", bytes(range(256)))
    for command in (("inspect", "odd"), ("convert", "odd", "-o", "t.csv"), ("inspect", "odd", "--strict")):
        found = place.run(*command)
        assert all(one.isprintable() for one in (found.out + found.err).splitlines())


def test_a_notebook_of_a_history_runs_where_it_is_trusted(place: Place) -> None:
    """A folder of results may be one: whoever sent it may have put a mark into it, and a notebook."""
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    assert place.run("record", "sound", "--history", "kept").code == 0
    write_small_notebook(place.folder / "kept/own.ipynb")
    (place.folder / "other").symlink_to("kept")
    for named in ("kept", "other", "history:kept"):
        found = place.run("report", named, "-o", "out", "--notebook", "kept/own.ipynb", "--quiet")
        assert (found.code, found.err.partition(",")[0]) == (2, "benchlib: kept/own.ipynb: lies in the study")


def test_names_of_columns_and_of_formats_cannot_drive_a_terminal(place: Place) -> None:
    """Nor a runner of CI that reads what is printed."""
    place.file("odd/run.csv", "benchmark,a\x07b,##vso[task.x],thr\x07oughput_rps\na,1,x,5\na,2,y,6\n")
    place.file("odd/more.log", "took 5 ms\n")
    own = 'kind = "lines"\npattern = "^took (?P<value>[0-9]+) ms$"\nmetric = "time"\nunit = "ms"\n'
    place.file("odd/study.toml", f'[[formats]]\nname = "\\u001b[2J"\nfiles = ["*.log"]\n{own}')
    found = place.run("inspect", "odd")
    assert found.code == 0
    assert "axis        a\\x07b: 1, 2" in found.out
    assert "metric      thr\\x07oughput in req/sec" in found.out
    assert all(one.isprintable() and "##vso[" not in one for one in found.out.splitlines())


@pytest.mark.parametrize("options", [("--full",), ("--format", "markdown"), ("--fail-on", "any")])
def test_a_name_gives_no_orders_to_a_runner_of_ci(place: Place, options: tuple[str, ...]) -> None:
    """GitHub, Azure and TeamCity obey what is printed at the start of a line, or anywhere in it."""
    names = (
        "::stop-commands::abc",
        "::error file=a.js::x",
        "##[error]x",
        "##vso[task.setvariable variable=A]b",
        "std::map",
    )
    for side, slower in (("old", 1), ("new", 2)):
        rows = (f'"{name}",{slower * (10 + place_of / 100)}' for name in names for place_of in range(8))
        place.file(f"{side}.csv", "\n".join(["benchmark,time_ms", *rows]))
    found = place.run("compare", "old.csv", "new.csv", *options)
    said = found.out + found.err + place.run("inspect", "old.csv").out
    assert "stop-commands" in said
    assert not re.search(r"^\s*::|##\w*\[", said, re.MULTILINE)
    assert "std::map" in said or options == ("--fail-on", "any")


@pytest.mark.parametrize(
    "where", ["benchmark=" + "a*" * 2000 + "b", "benchmark=" + "*" * 5000 + "b", "benchmark=" + "[" * 5000]
)
def test_a_pattern_cannot_hang_the_command(place: Place, where: str) -> None:
    """Globs of thousands of stars end, and select nothing."""
    place.file("names/run.txt", f"Benchmark{'a' * 200}-8 \t 10\t 5 ns/op\n")
    found = place.run("inspect", "names", "--where", where)
    assert found.code == 2
    assert len(found.err) < 1000


def test_a_condition_of_a_million_characters_is_refused_in_one_short_line(place: Place) -> None:
    """It is neither echoed nor a traceback."""
    found = place.run("inspect", "sound", "--where", "a" * 1_000_000)
    assert found.code == 2
    assert len(found.err) < 1000


def test_metacharacters_in_templates_are_themselves(place: Place) -> None:
    """A dot in a template is a dot, and no pattern of a study backtracks for ever."""
    place.file(
        "rx/study.toml",
        '[configuration]\npaths = ["(a+)+{n:int}.txt"]\nnames = [{template = "/(x+)+{kind}$", benchmarks = ["*"]}]\n',
    )
    place.file("rx/(a+)+7.txt", f"Benchmark/(x+)+wide$-8 \t 10\t 5 ns/op\nBenchmarkL/{'x' * 5000}-8 \t 1\t 5 ns/op\n")
    place.file("rx/aaa8xtxt", GO)
    found = place.run("inspect", "rx")
    assert found.code == 0
    assert "axis        n: 7" in found.out
    assert "axis        kind: wide" in found.out
