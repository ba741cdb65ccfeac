"""Raw benchmark files to one tidy table.

::

    bytes --text--> TextFile --registry--> reader --reading--> Reading --table--> Results
                                                              ^ naming: templates -> axes
                                                              ^ twice: what two files tell counts once
"""

from benchlib.formats.loading import load
from benchlib.formats.naming import NameTemplate

__all__ = ["NameTemplate", "load"]
