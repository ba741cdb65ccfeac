"""One law over several curves: what they share, and what changed between them."""
