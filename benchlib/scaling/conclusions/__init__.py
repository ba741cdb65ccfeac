"""What fits say: which law, what lies between and beyond the levels, where the time goes, by how much they miss."""
