"""The table of hashes in ``data/README.md``: run this file to write it again."""

from __future__ import annotations

import hashlib
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "data"
HEADER = "| file | SHA-256 |\n|---|---|\n"


def raw_files() -> list[Path]:
    """Every raw file of every study: all but the definitions and what explains the folder."""
    return sorted(
        one
        for one in DATA.rglob("*")
        if one.is_file() and one.name not in ("study.toml", "README.md") and not one.name.startswith(".")
    )


def table() -> str:
    """The rows of the table, as the files are now."""
    rows = (
        f"| `{one.relative_to(DATA).as_posix()}` | `{hashlib.sha256(one.read_bytes()).hexdigest()}` |\n"
        for one in raw_files()
    )
    return "".join(rows)


def main() -> None:
    """Write the table at the end of ``data/README.md``."""
    readme = DATA / "README.md"
    before, header, _ = readme.read_text(encoding="utf-8").partition(HEADER)
    readme.write_text(before + header + table(), encoding="utf-8")


if __name__ == "__main__":
    main()
