"""One file a raw format: what a tool wrote, read exactly, every line accounted for."""
