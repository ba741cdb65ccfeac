"""Numpy arrays in, frozen answers out: estimates, samples, comparison, multiplicity, stability."""
