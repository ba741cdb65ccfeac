"""How tables and records of one's own say that a call failed: every word of it, in this one place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

__all__ = ["FAILED", "NOTHING", "SOUND", "Telling", "failures", "telling"]

#: How a column says it: a count (0 is sound), a reason (empty is sound), whether it succeeded, a word
#: such as ``FAIL``, or a status of HTTP. An empty text: it says nothing of failures.
Telling = Literal["", "count", "reason", "success", "verdict", "code"]

#: What stands where there is nothing to say.
NOTHING = frozenset({"", "-", "--", "nan", "-nan", "+nan", "n/a", "na", "null", "none", "nil"})
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
        "num_failures", "error_count", "num_errors", "error_rate", "failure_rate", "timeouts", "num_timeouts",
        "timeout_count", "timed_out", "timedout", "exit_code", "exitcode", "exit_status", "returncode", "return_code",
        "is_error", "is_failed", "has_error", "has_failed", "crashed", "aborted",
    ),
    "reason": ("error", "error_message", "error_msg", "failure", "failure_reason", "exception"),
    "success": ("success", "ok", "pass", "passed", "succeeded", "successful", "is_success", "is_ok", "success_rate"),
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

    A status of other words is an axis: only where a word of failure stands among them is it heard as well.

    Parameters
    ----------
    header : str
    cells : sequence of str
        Those that are not empty.

    Examples
    --------
    >>> telling("status", ["ok", "timeout"]), telling("status", ["warm", "cold"]), telling("status", ["warm", "failed"])
    (('verdict', True), ('', False), ('verdict', False))
    >>> telling("statusCode", ["200", "503"]), telling("exitCode", ["0"]), telling("time", ["5"])
    (('code', False), ('count', True), ('', False))
    """
    name = _BETWEEN.sub("_", header.strip()).lower()
    kind = _TELLINGS.get(name, "")
    words = {_plain(one) for one in cells}
    if kind == "code":
        # Where nothing reaches 100 it is no HTTP: an exit code, or one of gRPC, where 0 is sound.
        http = "http" in name or any(map(_CODE.fullmatch, words))
        return "code" if http else "count", False
    if kind != "verdict":
        return kind, bool(kind)
    if name == "status" and words and all(map(_CODE.fullmatch, words)):
        return "code", False
    heard = any(map(_has_failed, words))
    alone = all(one in SOUND or one in NOTHING or _has_failed(one) for one in words)
    return ("verdict", alone) if words and (heard or alone) else ("", False)


def failures(kind: Telling, cell: str) -> float:
    """Return how many failures a cell tells of; 1 where it says only that there was one.

    Examples
    --------
    >>> failures("success", "false"), failures("count", "12"), failures("reason", "refused"), failures("code", "503")
    (1.0, 12.0, 1.0, 1.0)
    >>> failures("success", "1"), failures("count", "0"), failures("reason", ""), failures("verdict", "warm")
    (0.0, 0.0, 0.0, 0.0)
    """
    text, bare = _plain(cell), cell.lower().strip().removesuffix("%").strip()
    number = _number(bare)
    if kind == "verdict":
        return float(_has_failed(text))
    if kind == "code":
        # A request without an answer has the status 0 in several tools.
        sound = text in NOTHING or text in SOUND or (text[:1] in ("1", "2", "3") and _CODE.fullmatch(text))
        return 0.0 if sound else 1.0
    if kind == "success":
        share = 100.0 if text.endswith("%") else 1.0
        sound = number >= share if number is not None else bare == "" or bare in SOUND or bare == "yes"
        return 0.0 if sound else 1.0
    if bare in NOTHING or bare in SOUND - {"true"} or bare in ("false", "no") or number == 0:
        return 0.0
    # An exit code may be negative, a rate a fraction: each is a failure, at least one.
    return max(1.0, abs(number)) if kind == "count" and number is not None else 1.0


def _plain(text: str) -> str:
    return _HYPHEN.sub(" ", " ".join(text.lower().replace("_", " ").split()))


def _has_failed(text: str) -> bool:
    if text in FAILED:
        return True
    words = text.split(maxsplit=3)
    starts = (" ".join(words[:count]) for count in (1, 2, 3))
    first = next((one for one in starts if one.rstrip(":;,.!([") in FAILED), "").rstrip(":;,.!([")
    return bool(first) and _MORE.fullmatch(text[len(first) :]) is not None


def _number(text: str) -> float | None:
    try:
        return float(text) if text.isascii() and "_" not in text and text not in NOTHING else None
    except ValueError:
        return None
