"""An executed notebook as one offline HTML page, and the list of all pages."""
