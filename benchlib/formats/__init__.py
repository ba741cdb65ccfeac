"""Raw benchmark files to one tidy table.

::

    bytes --text--> TextFile --registry--> reader of a family --> Reading --table--> Results
                                                                 ^ names: templates -> axes
                                                                 ^ duplicates: what stands twice counts once
"""

from benchlib.formats.load import load

__all__ = ["load"]
