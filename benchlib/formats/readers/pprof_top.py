"""``go tool pprof -top``: where time or memory went, by function."""

from __future__ import annotations

import re
from collections.abc import Mapping

from benchlib.errors import printable
from benchlib.formats.ledger import Ledger
from benchlib.formats.reading import Certainty, Reading, Rows, TextFile

__all__ = ["PprofTop"]

_HEADER = re.compile(r"\s*flat\s+flat%\s+sum%\s+cum\s+cum%\s*")
_AMOUNT = r"(-?\d+(?:\.\d+)?)([A-Za-z]*)"
_SHARE = r"(-?\d+(?:\.\d+)?)%"
_ROW = re.compile(rf"\s*{_AMOUNT}\s+{_SHARE}\s+{_SHARE}\s+{_AMOUNT}\s+{_SHARE}\s+(\S.*)", re.ASCII)
_FACT = re.compile(
    r"(File|Build ID|Type|Time|Duration|Showing nodes accounting for|Showing top \d+ nodes|Dropped \d+ nodes?|"
    r"Active filters|Main binary filename|Fetching profile|Saved profile)\b"
)
_INLINE = re.compile(r" \((?:partial-)?inline\)\Z")

#: pprof counts bytes by 1,024 and has its own words for long times.
_UNITS = {
    "B": (1.0, "B"), "kB": (1.0, "KiB"), "MB": (1.0, "MiB"), "GB": (1.0, "GiB"), "TB": (1.0, "TiB"),
    "ns": (1.0, "ns"), "us": (1.0, "us"), "ms": (1.0, "ms"), "s": (1.0, "s"), "mins": (60.0, "s"),
    "hrs": (3600.0, "s"), "days": (86400.0, "s"), "": (1.0, ""),
}  # fmt: skip


class PprofTop:
    """The table of functions that ``go tool pprof -top`` prints."""

    name = "pprof-top"
    rule = "the columns flat, flat%, sum%, cum, cum%"
    contains = frozenset[str]()
    files = "*.txt"
    yields = "flat_share and cum_share by function, and flat and cum as time, memory or count"
    limits = "functions that pprof dropped from the table; who called whom; one sample a profile"

    def recognise(self, head: TextFile) -> Certainty:
        """Be certain of the header of the table."""
        named = head.mentions("flat%")
        return "certain" if named and any(_HEADER.fullmatch(one) for one in head.lines[:200]) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read each line of the table as one function; several tables may follow each other."""
        rows, ledger = Rows(), Ledger(len(file.lines))
        configurations: list[Mapping[str, str]] = []
        facts: dict[str, str] = {}
        within = False
        for number, line in enumerate(file.lines, 1):
            if _HEADER.fullmatch(line):
                within = True
                ledger.context(number)
            elif found := _FACT.match(line):
                key, text = found[1], line[found.end() :].lstrip(": ").strip()
                if key in ("File", "Type"):
                    if within:
                        facts, within = {}, False
                    facts["benchmark" if key == "File" else "profile"] = text
                ledger.context(number)
            elif within and line.strip():
                self._row(file, rows, ledger, configurations, facts, number)
        if not len(rows) and not ledger.problems:
            ledger.note(0, "the table names no function; take a longer profile")
        return Reading(rows=rows, configurations=configurations, problems=ledger.problems, lines=ledger.counts())

    def _row(
        self,
        file: TextFile,
        rows: Rows,
        ledger: Ledger,
        configurations: list[Mapping[str, str]],
        facts: Mapping[str, str],
        number: int,
    ) -> None:
        line = file.lines[number - 1]
        found = _ROW.fullmatch(line) if len(line) < 10_000 else None
        if not found or found[2] not in _UNITS or found[6] not in _UNITS:
            ledger.problem(number, f"'{printable(line.strip(), 60)}' is no line of the table; line skipped")
            return
        configurations.append({**facts, "function": _INLINE.sub("", found[8].strip())})
        # "0" is written without a unit: the other amount, else the kind of profile tells it.
        written = found[2] or found[6] or _unit_of(facts.get("profile", ""))
        for what, amount, unit, share in (
            ("flat", found[1], found[2], found[3]),
            ("cum", found[5], found[6], found[7]),
        ):
            factor, shown = _UNITS[unit or written]
            kind = "time" if shown.endswith("s") else "memory" if shown else "count"
            for metric, value, in_unit in (
                (f"{what}_{kind}", float(amount) * factor, shown),
                (f"{what}_share", float(share), "%"),
            ):
                rows.add(
                    name="",
                    metric=metric,
                    value=value,
                    unit=in_unit,
                    line=number,
                    configuration=len(configurations) - 1,
                )
        ledger.data(number)


def _unit_of(profile: str) -> str:
    if profile.endswith("_space"):
        return "B"
    return "s" if profile in ("cpu", "delay", "wall") else ""
