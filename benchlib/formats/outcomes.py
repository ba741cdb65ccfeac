"""What says that a call failed: words of tables and records, statuses of HTTP, and what a study expects to fail.

A test of a rate limiter wants its 429s: ``expected`` in ``[failures]`` of study.toml says so, and what it names is no
failure while the files of that study are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

from benchlib.formats.cells import is_number

#: What a study expects, in lower case, and which of it was met; None where no study says any.
_expected: ContextVar[dict[str, bool] | None] = ContextVar("expected", default=None)


@contextmanager
def expecting(outcomes: Sequence[str]) -> Iterator[dict[str, bool]]:
    """Take some outcomes for no failures, and tell which of them were met.

    Examples
    --------
    >>> with expecting(["429", "5xx"]) as met:
    ...     is_expected("429"), is_expected("500"), is_expected("404")
    (True, True, False)
    >>> met
    {'429': True, '5xx': True}
    """
    met = dict.fromkeys((outcome.strip().lower() for outcome in outcomes), False)
    token = _expected.set(met)
    try:
        yield met
    finally:
        _expected.reset(token)


def is_expected(outcome: str) -> bool:
    """Whether the study being read expects an outcome: a status, a class of them (``4xx``), a word."""
    met = _expected.get()
    if not met:
        return False
    word = outcome.strip().lower()
    for key in (word, f"{word[:1]}xx" if re.fullmatch(r"[1-5]\d\d", word, re.ASCII) else ""):
        if key in met:
            met[key] = True
            return True
    return False


def is_sound_status(status: str) -> bool:
    """Whether a status of HTTP is an answer, as wrk counts them, or one that the study expects."""
    return status.startswith(("2", "3")) or is_expected(status)


#: How a column says it: a count (0 is sound), a share of all calls, a mark (of this call, or of all behind the row), a
#: reason (empty is sound), whether the call succeeded, which share did, a word such as ``FAIL``, or a status of HTTP.
#: An empty text: the column says nothing of failures.
Telling = Literal["", "count", "share", "mark", "reason", "success", "success share", "verdict", "code"]

#: Texts that mean "nothing".
_NOTHING = frozenset({"", "-", "--", "nan", "-nan", "+nan", "n/a", "na", "null", "none", "nil"})
#: Words for a call that went well.
SOUND = frozenset({
    "ok", "okay", "pass", "passed", "passing", "success", "successful", "succeeded", "complete", "completed", "done",
    "finished", "true", "no error", "no errors",
})  # fmt: skip
#: Words for one that did not, or that never was.
FAILED = frozenset({
    "fail", "failed", "failing", "failure", "error", "errored", "timeout", "timedout", "timed out", "time out",
    "deadline exceeded", "crash", "crashed", "abort", "aborted", "killed", "canceled", "cancelled", "interrupted",
    "panic", "panicked", "exception", "rejected", "refused", "unavailable", "unsuccessful", "incomplete", "oom",
    "out of memory", "skipped", "not ok", "nok", "ko", "false",
})  # fmt: skip
#: What may follow such a word: ``error: refused``, ``failed (2)``, ``timeout after 30 s``.
_MORE = re.compile(r"\s*[:;,.!(\[].*|\s+(?:after|because|code|due|with)\b.*|\s+\d.*", re.DOTALL)

_NAMES: dict[Telling, tuple[str, ...]] = {
    "count": (
        "failed", "failures", "failed_requests", "failed_ops", "failed_count", "failure_count", "num_failed",
        "num_failures", "error_count", "num_errors", "n_errors", "n_failed", "total_errors", "total_failures",
        "timeouts", "num_timeouts", "timeout_count",
    ),
    "share": (
        "error_rate", "failure_rate", "fail_rate", "error_pct", "error_percent", "error_%", "errors_%", "failure_pct",
        "failed_pct", "failed_%", "error_ratio", "fail_ratio", "failure_ratio",
    ),
    "mark": (
        "timed_out", "timedout", "exit_code", "exitcode", "exit_status", "returncode", "return_code", "is_error",
        "is_failed", "has_error", "has_failed", "crashed", "aborted",
    ),
    "reason": ("error", "error_message", "error_msg", "failure", "failure_reason", "exception"),
    "success": ("success", "ok", "pass", "passed", "succeeded", "successful", "is_success", "is_ok"),
    "success share": ("success_rate", "success_pct", "success_%"),
    "verdict": ("status", "state", "result", "outcome", "verdict", "run_status", "test_status"),
    "code": (
        "status_code", "statuscode", "http_status", "http_code", "http_status_code", "response_code",
        "response_status", "response_status_code",
    ),
}  # fmt: skip
_TELLINGS = {name: kind for kind, names in _NAMES.items() for name in names}
#: ``200``, ``200.0``, ``503 Service Unavailable``, ``5xx``.
_CODE = re.compile(r"([1-5])(?:\d\d|xx)(?:\.0*)?(?:\s+[a-z' -]+)?", re.ASCII)
#: Between the words of a name: ``exitCode``, ``Exit-Code``, ``HTTPStatus``.
_BETWEEN = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[ -]+")

_HYPHEN = re.compile(r"(?<=[a-z])-(?=[a-z])")


def telling(header: str, cells: Sequence[str]) -> tuple[Telling, bool]:
    """Return how a column says that calls failed, and whether it says nothing else.

    A status of other words is an axis; if a word of failure stands among them, it is both.
    """
    name = _BETWEEN.sub("_", header.strip()).lower()
    kind = _TELLINGS.get(name, "")
    words = {_plain(cell) for cell in cells}
    if kind == "code":
        # Where nothing reaches 100 it is no HTTP: an exit code, or one of gRPC, where 0 is sound.
        http = "http" in name or any(map(_CODE.fullmatch, words))
        return "code" if http else "mark", False
    if kind != "verdict":
        return kind, bool(kind)
    if name == "status" and words and all(map(_CODE.fullmatch, words)):
        return "code", False
    alone = all(word in SOUND or word in _NOTHING or _has_failed(word) for word in words)
    return ("verdict", alone) if words and (alone or any(map(_has_failed, words))) else ("", False)


def failures(kind: Telling, cell: str, calls: float = 1.0) -> float:
    """Return how many of the calls behind a row failed according to a cell: all, where it only says that they did."""
    text, bare = _plain(cell), cell.lower().strip().removesuffix("%").strip()
    number = float(bare) if is_number(bare) and bare not in _NOTHING else None
    if kind not in ("success", "success share") and is_expected(cell):
        return 0.0
    if kind in ("share", "success share") and number is not None:
        share = number / 100 if "%" in text or number > 1 else number
        return calls * min(1.0, abs(1 - share if kind == "success share" else share))
    if kind == "count" and number is not None:
        return abs(number)
    return calls if _says_failed(kind, text, bare, number) else 0.0


def _says_failed(kind: Telling, text: str, bare: str, number: float | None) -> bool:
    if kind == "verdict":
        return _has_failed(text)
    if kind == "code":
        # A request without an answer has the status 0 in several tools.
        return not (text in _NOTHING or text in SOUND or (text[:1] in ("1", "2", "3") and _CODE.fullmatch(text)))
    if kind in ("success", "success share"):
        all_of_them = 100.0 if text.endswith("%") else 1.0
        return not (number >= all_of_them if number is not None else bare == "" or bare in SOUND or bare == "yes")
    return not (bare in _NOTHING or bare in SOUND - {"true"} or bare in ("false", "no") or number == 0)


def _plain(text: str) -> str:
    return _HYPHEN.sub(" ", " ".join(text.lower().replace("_", " ").split()))


def _has_failed(text: str) -> bool:
    if text in FAILED:
        return True
    words = text.split(maxsplit=3)
    starts = (" ".join(words[:count]) for count in (1, 2, 3))
    first = next((start for start in starts if start.rstrip(":;,.!([") in FAILED), "").rstrip(":;,.!([")
    return bool(first) and _MORE.fullmatch(text[len(first) :]) is not None
