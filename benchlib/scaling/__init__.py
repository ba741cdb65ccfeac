"""Scaling: what throughput does when concurrency grows, and what it says about the next core.

::

    curve -> points                             levels, steps, shape, serial work, twins: without a law
    laws -> solver -> intervals -> fit          a law fitted, and what the data cannot say
    fit -> predict -> choose, advise            what it says, which law, what to measure next
"""
