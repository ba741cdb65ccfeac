"""What a file looks like that no reader knows, and the one thing that would make it readable."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from benchlib.errors import choices, printable
from benchlib.formats.collector import split_cells
from benchlib.formats.json_text import outline
from benchlib.formats.reader import TextFile
from benchlib.formats.text import head_of

#: What is looked at: a file tells what it is in its first lines, or never.
_MOST_LINES, _LONGEST_LINE = 200, 400
_DECLARE = "declare it in study.toml with [[formats]]"


def guess(file: TextFile) -> str:
    """Say what a file looks like and what to do, as two parts of one sentence."""
    head = head_of(file)
    lines = [line[:_LONGEST_LINE] for line in head.lines[:2000] if line.strip()][:_MOST_LINES]
    return next(filter(None, (look(head, lines) for look in _LOOKS)), "")


def _shown(line: str) -> str:
    return printable(" ".join(line.split()), 60)


_Look = Callable[[TextFile, list[str]], str]

_TOOLS = (
    "ab|artillery|autocannon|bombardier|cargo|curl|dotnet|drill|fio|fortio|ghz|go|gradle|hey|hyperfine|iperf3?|java|jmeter|"
    "k6|locust|make|mpirun|mvn|mysqlslap|node|npm|npx|numactl|oha|perf|pgbench|pnpm|pytest|python3?|redis-benchmark|"
    "siege|srun|stress-ng|sysbench|taskset|time|valgrind|vegeta|wrk2?|yarn|ycsb"
)
_COMMAND = re.compile(rf"\s*(?:[$>%] ?)?(?:\S{{1,100}}/)?(?P<tool>{_TOOLS})(?: +\S.*)")
_SHELL_ERROR = re.compile(
    r"(?:-?(?:ba|z|da|k|fi)?sh(?:: line \d+)?: .+|.*\bcommand not found\b.*|Traceback \(most recent call last\):|"
    r"(?:make|fatal|Error|error|Exception in thread .{1,40}):? .+)"
)


def _looks_like_commands(_: TextFile, lines: list[str]) -> str:
    commands = [match for line in lines if (match := _COMMAND.fullmatch(line))]
    if (
        len(commands) * 2 < len([line for line in lines if not line.lstrip().startswith(("#", "-", "="))])
        or not commands
    ):
        return ""
    command, tool = _shown(commands[0][0]), commands[0]["tool"]
    return f"it looks like commands ('{command}'), not what they print; run them and keep what {tool} prints"


def _looks_like_an_error(_: TextFile, lines: list[str]) -> str:
    if len(lines) > 30 or not lines or not _SHELL_ERROR.fullmatch(lines[0]):
        return ""
    said = printable(lines[0].strip(), 80)
    return f"it looks like the error of a command ('{said}'); mend that, and run it again"


def _looks_like_json(head: TextFile, lines: list[str]) -> str:
    if not lines or lines[0].lstrip()[:1] not in ("{", "["):
        return ""
    keys = [path for path in sorted(outline(head, 3)) if path.strip(".[]")][:20]
    if not keys:
        return "it looks like JSON without a key; name the file that the tool wrote"
    numbers = re.search(r"[:\[,]\s{0,100}-?\d", "\n".join(lines))
    named = f"it looks like JSON with {choices(keys, 4)}"
    if not numbers:
        return f"{named}, and no number in it; name the file that the tool wrote"
    return (
        f'{named}, of no tool that benchlib knows; {_DECLARE} and kind = "records", which says where its numbers stand'
    )


def _looks_like_markup(_: TextFile, lines: list[str]) -> str:
    top = "\n".join(lines[:5]).lower()
    if "<svg" in top:
        return "it looks like a picture (SVG); name the results it was drawn from"
    if "<html" in top or "<!doctype html" in top:
        return "it looks like a web page; name the results it was made from"
    if top.lstrip().startswith("<"):
        return "it looks like XML of no tool that benchlib knows; let the tool write text, CSV or JSON"
    return ""


#: Tools without a reader -> a line that only they print.
_KNOWN = {
    "Geekbench": r"Geekbench \d",
    "Phoronix": r"Phoronix Test Suite",
    "bonnie++": r"Version\s+[\d.]+\s+-+Sequential Output-+",
    "dbench": r"\s*Operation\s+Count\s+AvgLat\s+MaxLat",
    "ddosify": r"DURATION\s+PERCENTAGE|.*DDOSIFY",
    "gprof": r"Flat profile:|\s*%\s+cumulative\s+self",
    "httperf": r"Maximum connect burst length:|httperf --",
    "iostat": r"avg-cpu:\s+%user",
    "mysqlslap": r"\s*Average number of seconds to run all queries",
    "netperf": r"MIGRATED (?:TCP|UDP) |TCP STREAM TEST from",
    "nvidia-smi": r"\| NVIDIA-SMI ",
    "ping": r"--- .* ping statistics ---|\d+ bytes from ",
    "siege": r"Shortest transaction:\s|Transaction rate:\s",
    "strace": r"% time\s+seconds\s+usecs/call",
    "top": r"top - \d\d:\d\d:\d\d up ",
    "valgrind": r"==\d+== ",
    "vmstat": r"procs -+memory-+",
}


def _looks_like_a_tool(_: TextFile, lines: list[str]) -> str:
    for tool, pattern in _KNOWN.items():
        if any(re.match(pattern, line) for line in lines):
            return f"it looks like output of {tool}, which has no reader; {_declared(lines)}"
    return ""


#: A label, a number and its unit, as programs of one's own print them.
_MEASURED = re.compile(
    r"\s*(?P<label>[A-Za-z][^=:]{0,80}?)\s*(?P<sign>[:=]|\s)\s*(?P<number>\d[\d.,]{0,30})\s?"
    r"(?P<unit>[nµum]?s|secs?|seconds|[A-Za-z]{1,12}/(?:s|sec|op|iter|[a-z-]{1,12})|[KMG]?i?B(?:/s)?|%|fps|rps|qps|tps|FPS)"
    r"(?P<rest>[\s,;)].*)?"
)


def _measured(lines: list[str]) -> Iterator[re.Match[str]]:
    return (match for line in lines if (match := _MEASURED.fullmatch(line)))


def _declared(lines: list[str]) -> str:
    """Return how to declare its lines, with a pattern for the first that holds a number and its unit."""
    match = next(_measured(lines), None)
    if match is None:
        return f'{_DECLARE} and kind = "lines"'
    sign, label = match["sign"].strip(), re.escape(match["label"]).replace(r"\ ", " ")
    label = "(?P<benchmark>[^:=]+)" if sign else r"(?P<benchmark>\S+)" if " " not in label else label
    pattern = rf"^\s*{label}{sign}\s*(?P<value>[0-9.,]+) ?{re.escape(match['unit'])}"
    return f'{_DECLARE}, kind = "lines", unit = "{match["unit"]}" and pattern = \'{printable(pattern, 120)}\''


def _looks_like_measures(_: TextFile, lines: list[str]) -> str:
    matches = list(_measured(lines))
    if len(matches) * 4 < len(lines) and len(matches) < 5:
        return ""
    if not matches:
        return ""
    shown = _shown(matches[0][0])
    return f"it looks like results of a program of your own ('{shown}'); {_declared(lines)}"


def _looks_like_a_table(_: TextFile, lines: list[str]) -> str:
    for separator in (",", ";", "\t"):
        rows = [split_cells(line, separator) or [] for line in lines[:20] if not line.lstrip().startswith("#")]
        if len(rows) > 1 and len(rows[0]) > 1 and sum(len(row) == len(rows[0]) for row in rows) * 4 >= 3 * len(rows):
            columns = choices([printable(cell.strip(), 30) or "one without a name" for cell in rows[0]], 4)
            remedy = "name one of numbers like time_ms, rps or throughput in its first line"
            return f"it looks like a table with {columns}, none of which names a metric; {remedy}"
    return ""


_CODE = re.compile(r"\s*(?:#include [<\"]|package \w+;?$|import [\w.{*]+|from \w\S* import |def \w+\(|func \w+\(|"
                   r"(?:public |pub )?(?:static |fn |class |struct )\w+|#!/)")  # fmt: skip


def _looks_like_code(_: TextFile, lines: list[str]) -> str:
    code = sum(bool(_CODE.match(line)) for line in lines[:60])
    if code < 2 and not (lines and lines[0].startswith("#!")):
        return ""
    return "it looks like a program; name what it prints"


def _looks_like_prose(_: TextFile, lines: list[str]) -> str:
    words = [word for line in lines for word in line.split()]
    numbers = sum(any(character.isdigit() for character in word) for word in words)
    if len(words) < 10 or numbers * 10 > len(words):
        return ""
    return "it looks like text without results; name the file that the tool wrote"


def _looks_like_lines(_: TextFile, lines: list[str]) -> str:
    if not lines:
        return ""
    return f"it begins '{_shown(lines[0])}', which no tool prints that benchlib knows; {_declared(lines)}"


_LOOKS: tuple[_Look, ...] = (
    _looks_like_json,
    _looks_like_markup,
    _looks_like_an_error,
    _looks_like_commands,
    _looks_like_a_tool,
    _looks_like_code,
    _looks_like_measures,
    _looks_like_a_table,
    _looks_like_prose,
    _looks_like_lines,
)
