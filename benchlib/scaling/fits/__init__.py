"""Fitting a law: what is made small, by which search, and what the data say of every number that comes out."""
