"""Read what hey prints; its CSV of single requests is read by `request_csv`."""

from __future__ import annotations

from benchlib.formats.readers.summary_text import heading, read_summaries
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["Hey"]


class Hey:
    """The reader of the summary of hey."""

    name = "hey"
    rule = "a line 'Summary:' with times in secs below it"
    files = "*.txt"
    yields = "throughput, latency mean, min, max and percentiles; a histogram"
    limits = (
        "percentiles of one run, without the requests that got no answer; times rounded to 0.1 ms; "
        "neither URL nor concurrency stand in it; closed loop"
    )
    contains: frozenset[str] = frozenset()

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        return "certain" if heading(head) == "hey" else "no"

    def read(self, file: TextFile) -> Reading:
        """Read every run of a file."""
        return read_summaries(file, "hey")
