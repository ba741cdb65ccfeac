"""A deck of slides: the executed notebook whose slides it shows as one offline HTML file, as PDF and as PPTX.

::

    cells that are slides -> deck (`export`), shown by reveal.js (`reveal`) -> PDF, shapes (`drawing`) -> PPTX (`pptx`)
"""
