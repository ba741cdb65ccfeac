"""``python -m benchlib``."""

from benchlib.cli import console

console()
