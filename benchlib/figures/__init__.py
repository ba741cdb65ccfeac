"""One figure a question, in one style."""
