"""What a page, a slide or a terminal shows: blocks of words and numbers, and how a number is written."""
