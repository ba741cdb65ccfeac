"""Scaling: what throughput does when concurrency grows, and what it says about the next core.

``curve`` groups measurements into levels; ``shape`` tells what they do, from the points alone;
``laws`` holds the formulas; ``fitting`` fits one to a curve (with ``objective``, ``solver``,
``profiles`` and ``criteria`` behind it); ``choice`` decides between laws; ``returns`` finds the
number of cores that pay.
"""
