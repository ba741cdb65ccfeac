"""The order of commits, and facts of one, as git tells them."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

from benchlib.errors import InputError, printable

#: A repository may name programs of its own that git would run; it runs none of these here.
_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "diff.external=",
    "log.showSignature=false",
    "protocol.allow=never",
)
_HARMLESS = (*(word for setting in _SETTINGS for word in ("-c", setting)), "--no-pager")
#: A patch as text, however a repository would have it: one of a submodule is told by its hashes, since whoever looks
#: into it would run the programs that it names.
_PLAIN = ("--no-ext-diff", "--no-textconv", "--submodule=short", "--no-color", "--format=tformat:commit %H")
_SECONDS = 120
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Where commits lie on the first-parent line of a repository.

    Attributes
    ----------
    places : dict of str to int
        Of each commit that lies on it, or whose tree or patch does.
    matched : dict of str to str
        Of commits that were rebased or squashed, the one on the line that they became.
    missing : tuple of str
        Commits that neither lie on the line nor became one that does.
    """

    places: dict[str, int]
    matched: dict[str, str]
    missing: tuple[str, ...]


def first_parent_line(repo: str, commits: Sequence[str]) -> Line:
    """Return the places of commits on the line of first parents that leads to what is checked out.

    Raises
    ------
    InputError
        If there is no repository, or none of the commits is in it.
    """
    listed = _git(repo, "log", "--first-parent", "--reverse", "--format=%H %T", "HEAD")
    line = [entry.split() for entry in listed.splitlines()]
    on_line = {commit: place for place, (commit, _) in enumerate(line)}
    trees = {tree: place for place, (_, tree) in enumerate(line)}
    places: dict[str, int] = {}
    astray: dict[str, str] = {}
    for commit in dict.fromkeys(commits):
        whole = _whole(repo, commit)
        if whole in on_line:
            places[commit] = on_line[whole]
        elif whole:
            astray[commit] = whole
    known = _patches(repo, "--first-parent", "HEAD") if astray else {}
    patches = {patch: on_line[commit] for commit, patch in known.items()}
    matched = {}
    for commit, whole in astray.items():
        place = trees.get(_git(repo, "rev-parse", f"{whole}^{{tree}}").strip())
        if place is None:
            place = patches.get(_patches(repo, "-1", whole).get(whole, ""))
        if place is not None:
            places[commit], matched[commit] = place, line[place][0]
    if commits and not places:
        raise InputError(f"{printable(repo, 200)}: has none of the commits, such as {printable(commits[0], 20)}")
    missing = tuple(commit for commit in dict.fromkeys(commits) if commit not in places)
    return Line(places=places, matched=matched, missing=missing)


def _whole(repo: str, commit: str) -> str:
    """Return the whole hash of a commit, nothing where the repository lacks it."""
    if not _COMMIT.fullmatch(commit):
        return ""
    return _git(repo, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}", lacking="").strip()


def _patches(repo: str, *chosen: str) -> dict[str, str]:
    """Return what tells the patch of each commit from others, whatever it was rebased on."""
    # From one program to the next: a repository of a few kilobytes may hold patches of any size.
    asked = _command(repo, "log", "-p", *_PLAIN, *chosen)
    with subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment()) as log:
        try:
            told = _git(repo, "patch-id", "--stable", given=log.stdout)
        finally:
            log.kill()
    return {commit: patch for patch, commit in (entry.split() for entry in told.splitlines())}


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """What is checked out in a repository: its commit, its branch, and when the commit was made."""

    commit: str
    branch: str
    time: str


def checkout(folder: str, commit: str = "") -> Checkout | None:
    """Return what git says of a commit, by default of the one checked out; None where there is no repository."""
    asked = _whole(folder, commit) if commit else "HEAD"
    # A tag that a branch points at is followed to its commit, where `git show` would tell the tag.
    told = _git(folder, "log", "-1", "--no-patch", "--format=%H %cI", asked, lacking="") if asked else ""
    if not told.strip():
        return None
    whole, time = told.split()
    branch = "" if commit else _git(folder, "symbolic-ref", "--quiet", "--short", "HEAD", lacking="").strip()
    return Checkout(commit=whole, branch=branch, time=time)


def _command(repo: str, *arguments: str) -> list[str]:
    return ["git", *_HARMLESS, "-C", repo or ".", *arguments]


def _environment() -> dict[str, str]:
    # The list of protocols holds where a repository allows one by its name.
    off = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}
    return {**os.environ, **off, "LC_ALL": "C"}


def _git(repo: str, *arguments: str, given: IO[bytes] | None = None, lacking: str | None = None) -> str:
    """Return what git prints; where it fails, what is said for a lack, or an error."""
    try:
        done = subprocess.run(
            _command(repo, *arguments),
            stdin=given, capture_output=True, text=True, errors="surrogateescape", timeout=_SECONDS,
            env=_environment(), check=False,
        )  # fmt: skip
    except FileNotFoundError:
        if lacking is not None:
            return lacking
        raise InputError("the order of commits needs git; install it, or leave --repo out") from None
    except subprocess.TimeoutExpired:
        raise InputError(f"{printable(repo, 200)}: git did not answer within {_SECONDS} seconds") from None
    if done.returncode:
        if lacking is not None:
            return lacking
        why = printable(done.stderr.strip().removeprefix("fatal: "), 120)
        raise InputError(f"{printable(repo, 200)}: no repository that git reads ({why}); name its folder")
    return done.stdout
