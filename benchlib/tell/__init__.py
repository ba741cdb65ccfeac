"""What answers say: one `Document` a question, made of blocks that every renderer knows."""
