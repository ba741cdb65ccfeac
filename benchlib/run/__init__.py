"""Notebooks run strictly, and their outputs put on disk whole or not at all."""
