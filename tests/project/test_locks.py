"""The locks: complete, hashed, free of addresses, and of one generation."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.markers import Marker

ROOT = Path(__file__).parents[2]
SETS = ("report", "docs", "lab", "test")
PINNED = re.compile(r"(?P<name>[a-z0-9-]+)==(?P<version>[^\s;]+)(?: ; (?P<marker>.+?))?(?: \\)?")
ADDRESS = re.compile(r"https?:|file:|git\+|\s@\s|--(?!hash=sha256:[0-9a-f]{64})")


def lock(name: str) -> str:
    return (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")


def pins(text: str) -> set[tuple[str, str]]:
    """Return the (name, version) pairs of a lock."""
    lines = [one for one in text.splitlines() if one and not one.startswith(" ")]
    matches = [PINNED.fullmatch(one) for one in lines]
    assert None not in matches, "each line pins one version"
    return {(one["name"], one["version"]) for one in matches if one}


def test_a_lock_names_no_address() -> None:
    """Names, versions, hashes: no address of any index, no option, no file."""
    assert [line for name in SETS for line in lock(name).splitlines() if ADDRESS.search(line)] == []


def test_each_requirement_has_a_hash() -> None:
    """No pin stands without at least one SHA-256 under it."""
    entries = [entry for name in SETS for entry in re.split(r"\n(?=\S)", lock(name).strip())]
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_each_set_is_a_part_of_the_next() -> None:
    """In the same versions: the tests test what users run."""
    assert pins(lock("report")) < pins(lock("lab")) < pins(lock("test"))
    assert pins(lock("report")) < pins(lock("docs")) < pins(lock("test"))


def wanted_here(line: str) -> bool:
    """Say whether a line pins a package that this system and Python install."""
    match = PINNED.fullmatch(line)
    return match is not None and (match["marker"] is None or Marker(match["marker"]).evaluate())


def test_what_an_install_says_of_its_size_is_so() -> None:
    """Within a tenth of what the lock installs here."""
    said = re.findall(r'^(\w+|\*)\) size="(\d+) packages', (ROOT / "requirements/install").read_text(), re.M)
    sizes = {"test" if name == "*" else name: int(number) for name, number in said}
    assert set(sizes) == set(SETS)
    here = {name: sum(map(wanted_here, lock(name).splitlines())) for name in SETS}
    assert [name for name in SETS if not 0.9 * here[name] <= sizes[name] <= 1.1 * here[name]] == []


def test_there_is_one_generation_of_pandas_and_of_plotly() -> None:
    """pandas 3 and plotly 7 or later, and not two of either."""
    for name, least in (("pandas", 3), ("plotly", 7)):
        majors = {int(version.split(".")[0]) for one, version in pins(lock("test")) if one == name}
        assert len(majors) == 1, name
        assert min(majors) >= least, name


def test_a_lock_holds_every_direct_requirement() -> None:
    """Whoever adds a requirement to pyproject.toml and forgets `make lock` is told."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    core = [*project["project"]["dependencies"], *project["dependency-groups"]["build"]]
    wanted = {
        "report": core,
        "docs": core + extras["docs"],
        "lab": core + extras["lab"],
        "test": core + [requirement for extra in extras.values() for requirement in extra],
    }
    for name, requirements in wanted.items():
        names = {re.split(r"[\[<>=]", requirement)[0] for requirement in requirements} - {"benchlib"}
        assert names - {pinned for pinned, _ in pins(lock(name))} == set(), name


def test_the_slow_import_is_left_out_everywhere() -> None:
    """rfc3987-syntax costs 0.8 s a run: the override in pyproject.toml keeps it from being installed."""
    markers = {one["name"]: one["marker"] for one in map(PINNED.fullmatch, lock("test").splitlines()) if one}
    assert {markers.get(one, "sys_platform == 'never'") for one in ("rfc3987-syntax", "lark")} == {
        "sys_platform == 'never'"
    }
