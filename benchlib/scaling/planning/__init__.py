"""How many nodes for a load, and how sure: joint draws, latency under load, the choice, growth, mixed operations."""
