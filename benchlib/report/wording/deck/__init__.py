"""What the slides of a capacity deck say: messages, lines, tables, and the speaker's notes."""
