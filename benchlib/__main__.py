"""``python -m benchlib``."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # the working directory: what lies there is never imported

from benchlib.cli import console

console()
