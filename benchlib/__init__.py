"""benchlib: raw benchmark results in, decisions out."""
