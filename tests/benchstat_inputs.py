"""Made-up benchmark logs and flags for benchstat: many kinds of each, the same for the same seed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

#: What benchlib reads otherwise on purpose is left out: zeros of ns/op and MB/s, units that only benchlib converts,
#: numbers such as 1.50 as configuration, keys that names and configuration both state.
UNITS = ("ns/op", "B/op", "allocs/op", "MB/s", "q", "p99-ns", "req/s", "text-bytes", "ns/GC", "L1-miss-ns/op", "IOPS")
NEVER_ZERO = ("ns/op", "MB/s", "p99-ns", "ns/GC", "L1-miss-ns/op")
BASES = ("Encode", "Decode", "Copy", "X", "a,b", 'quo"te', "É日本", "Dash-x", "Under_score", "=SUM")
PARTS = ("/size=1", "/size=2k", "/size=512", "/size=1Mi", "/size=64K", "/size=x", "/io=1", "/io=2", "/io=16", "/gob",
         "/json", "/gomaxprocs=4", "/mode=a-b", "/mode=c,d", "/size=", "/x=1/x=2", "/run=7", "/run=8",
         "/value=2", "/source=z", "/value=z")  # fmt: skip
CONFIG = {
    "goos": ("linux", "darwin"),
    "goarch": ("amd64", "arm64"),
    "pkg": ("ex/a", "ex/b", "ex/c"),
    "cpu": ("Demo CPU", "Intel(R) Xeon(R), 8 cores", 'a "quoted" one', "trailing  "),
    "note": ("a", "b", "1", "12", "-3"),
    "commit": ("abc", "base", "head", "été"),
    "zone": ("1", "2", "10"),
    "name": ("config",),
    "unit": ("v1", "v2"),
}
ORDERS = ("", "", "", "@alpha", "@num")
LEVELS = ("0.05", "0.05", "0.1", "0.01", "0.2", "0.5", "0", "1", "0.0285714", "0.001")
CONFIDENCES = ("0.95", "0.95", "0.99", "0.9", "0.5", "1", "0", "0.68", "0.999")


@dataclass(frozen=True, slots=True)
class Case:
    """Files by their name, and the arguments of benchstat."""

    files: dict[str, str]
    flags: dict[str, str]
    inputs: tuple[str, ...]

    @property
    def arguments(self) -> list[str]:
        return [*(word for flag in self.flags.items() for word in flag), *self.inputs]


def case_of(seed: int) -> Case:
    """Return one case."""
    rng = Random(seed)
    names = rng.sample(["old.txt", "new.txt", "alt.txt", "b.bench"], rng.choice([1, 2, 2, 2, 2, 3, 4]))
    layout = _Layout(rng)
    files = {name: layout.log() for name in names}
    inputs = tuple(f"{rng.choice(['O', 'N', 'label', 'x y', 'a,b'])}={one}" if layout.labels else one for one in names)
    labels = [one.partition("=")[0] for one in inputs]
    return Case(files, _flags(rng, _present(files.values(), labels)), inputs)


def _present(texts: Iterable[str], labels: list[str]) -> dict[str, list[str]]:
    """Return the keys that some result states, each with values it has."""
    found: dict[str, set[str]] = {".file": set(labels)}
    for text in texts:
        state: dict[str, str] = {}
        for line in text.splitlines():
            key, colon, value = line.partition(":")
            if line.startswith("Benchmark"):
                name = line.split("\t")[0].removeprefix("Benchmark")
                suffix = re.search(r"-(\d+)$", name)
                stated = dict(
                    reversed(re.findall(r"(/[a-z]+)=([^/\s]+)", name.removesuffix(suffix[0] if suffix else "")))
                )
                if suffix:
                    stated["/gomaxprocs"] = suffix[1]
                for one, its in {**state, **stated}.items():
                    found.setdefault(one, set()).add(its)
            elif colon and value.strip():
                state[key] = value.lstrip()
            elif colon:
                state.pop(key, None)
    return {key: sorted(values) for key, values in found.items()}


def _flags(rng: Random, present: dict[str, list[str]]) -> dict[str, str]:
    if rng.random() < 0.25:
        return _parted(rng, present)
    flags = {}
    if rng.random() < 0.4:
        flags["-row"] = rng.choice([_keys(rng, present)] * 3 + [".name", ".config", ""])
    if rng.random() < 0.4:
        flags["-col"] = rng.choice([_keys(rng, present)] * 3 + [".file@alpha", ".config", ""])
    if rng.random() < 0.4:
        flags["-ignore"] = rng.choice([_keys(rng, present)] * 3 + [".file", "pkg", ".config", "goos,.name"])
    if rng.random() < 0.2:
        flags["-table"] = rng.choice([_keys(rng, present)] * 2 + ["", "pkg", ".config@num"])
    if any("@(" in one for one in flags.values()):
        # With a list, keys of .config may stand in another order, and columns and rows with them.
        flags = {flag: keys.replace(".config", ".name") for flag, keys in flags.items()}
    if rng.random() < 0.3:
        flags["-alpha"] = rng.choice(LEVELS)
    if rng.random() < 0.3:
        flags["-confidence"] = rng.choice(CONFIDENCES)
    return flags


def _parted(rng: Random, present: dict[str, list[str]]) -> dict[str, str]:
    """Return flags that part names and configuration among them, choose a baseline, or pool files."""
    key = rng.choice([one for one in present if one != ".file"] or [".name"])
    other = rng.choice(["/gomaxprocs", "goos", ".name", *present])
    kind = rng.randrange(6)
    if kind == 0:
        return {"-row": rng.choice([".fullname", ".name", other]), "-ignore": rng.choice([key, f"{key},{other}"])}
    if kind == 1:
        return {"-row": rng.choice([".fullname", ".fullname@alpha"]), "-col": rng.choice([key, f"{key},{other}"])}
    if kind == 2:
        return {"-col": f".file{_listed(rng, present['.file'])}", **({"-row": other} if rng.random() < 0.5 else {})}
    if kind == 3 and key in present:
        return {"-col": f"{key}{_listed(rng, present[key])}", "-row": rng.choice([".fullname", ".name"])}
    if kind == 4:
        return {"-row": ".config", **rng.choice([{}, {"-col": key}, {"-ignore": key}, {"-col": key, "-ignore": other}])}
    return {"-col": f"{key}{rng.choice(ORDERS)}", **({"-ignore": other} if rng.random() < 0.5 else {})}


def _listed(rng: Random, values: list[str]) -> str:
    """Return some of the values as an order."""
    chosen = rng.sample(values, rng.randrange(1, len(values) + 1))
    return "@({})".format(" ".join('"' + one.replace('"', '\\"') + '"' for one in chosen))


def _keys(rng: Random, present: dict[str, list[str]]) -> str:
    known = [".fullname", ".name", "/gomaxprocs", "goos", *present]
    found = []
    for key in rng.sample(known, min(len(known), rng.choice([1, 1, 1, 2, 2, 3]))):
        order = rng.choice(ORDERS)
        if key in present and rng.random() < 0.1:
            order = _listed(rng, present[key])
        found.append(key + order)
    return rng.choice([",", " ", ", "]).join(dict.fromkeys(found))


class _Layout:
    """What the files of a case have in common: benchmarks, units, how values vary, how often each was run."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.labels = rng.random() < 0.15
        self.units = rng.sample(UNITS, rng.choice([1, 1, 2, 3]))
        self.names = list(dict.fromkeys(self._name() for _ in range(rng.choice([1, 2, 3, 5, 8]))))
        self.n = rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 10, 10, 12, 20, 25, 26, 31, 50, 51, 60])
        if len(self.names) * self.n > 200:
            self.names = self.names[:2]
        self.same_n = rng.random() < 0.6
        self.kinds = {unit: rng.choice(["free", "free", "free", "tied", "tied", "two", "equal"]) for unit in self.units}
        self.config = rng.choice(["none", "one", "one", "changing", "changing"])
        self.missing = rng.choice([0.0, 0.0, 0.2])
        self.centres = {
            (name, unit): 10.0 ** rng.uniform(-2, 7) for name in self.names for unit in self.units
        }  # fmt: skip

    def _name(self) -> str:
        rng = self.rng
        parts = "".join(rng.sample(PARTS, rng.choice([0, 0, 1, 1, 2, 3])))
        return rng.choice(BASES) + parts + rng.choice(["", "", "-8", "-16", "-1"])

    def log(self) -> str:
        rng = self.rng
        shift = rng.choice([1.0, 1.0, 1.02, 0.9, 1.3, 3.0])
        n = self.n if self.same_n else rng.randrange(1, 61 if len(self.names) < 3 else 13)
        lines = [f"{key}: {rng.choice(values)}" for key, values in CONFIG.items() if self._has(key)]
        if rng.random() < 0.1:
            lines.append(f"Unit {rng.choice(self.units)} assume={rng.choice(['exact', 'exact', 'nothing'])}")
        names = [one for one in self.names if rng.random() >= self.missing] or self.names[:1]
        rows = [self._row(name, shift) for name in names for _ in range(n)]
        if rng.random() < 0.3:
            rng.shuffle(rows)
        for row in rows:
            if self.config == "changing" and rng.random() < 2 / len(rows):
                key = rng.choice(list(CONFIG))
                lines.append(f"{key}: {rng.choice(CONFIG[key])}" if rng.random() < 0.8 else f"{key}:")
            lines.append(row)
        return "\n".join([*lines, "PASS", ""])

    def _has(self, key: str) -> bool:
        likely = 0.7 if key in ("goos", "goarch", "pkg", "cpu") else 0.1
        return self.config != "none" and self.rng.random() < likely

    def _row(self, name: str, shift: float) -> str:
        units = [one for one in self.units if self.rng.random() > 0.02] or self.units[:1]
        values = [self._value(name, one, shift) for one in units]
        return "\t".join([f"Benchmark{name}", str(self.rng.randrange(1, 10**6)), *values])

    def _value(self, name: str, unit: str, shift: float) -> str:
        rng = self.rng
        centre, kind = self.centres[name, unit], self.kinds[unit]
        if kind == "equal":
            value = float(f"{centre:.3g}") if rng.random() < 0.98 else centre * 2
            zero = centre < 1
        elif kind == "two":
            value, zero = rng.choice([1.0, 2.0]) * (4.0 if shift > 1.2 else 1.0), rng.random() < 0.1
        elif kind == "tied":
            value, zero = float(round(rng.gauss(20, 3) * shift)), rng.random() < 0.05
        else:
            value, zero = centre * shift * rng.lognormvariate(0, 0.1), False
        if zero and unit not in NEVER_ZERO:
            value = 0.0
        elif unit == "q" and rng.random() < 0.3:
            value = -value
        return f"{value:.{rng.choice([3, 4, 6])}g} {unit}" if kind == "free" else f"{value:g} {unit}"
