"""A report in other formats, made of what the checked page is made of: PDF, Markdown, PNG and SVG.

::

    executed notebook -> Markdown                       (`markdown`, over the tree of the page: `tree`)
    page on disk -> Chromium (`browser`) -> PDF         (`pdf`)
                                         -> PNG, SVG    (`figures`), one file a figure
"""

from benchlib.report.page.formats.writing import check_formats, write_formats

__all__ = ["check_formats", "write_formats"]
