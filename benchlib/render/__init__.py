"""Documents as pages, Markdown, terminal text, slides and notebook output."""
