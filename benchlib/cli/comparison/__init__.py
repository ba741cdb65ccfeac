"""What ``benchlib compare`` prints: blocks and tables, as text, as a comment in Markdown, as a page."""
