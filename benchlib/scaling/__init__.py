"""Scaling: what throughput does when concurrency grows, and what it says about the next core.

From the points alone: ``curve`` groups measurements into levels, ``shape`` tells what they do,
``serial_work`` whether the serial fraction grows, ``returns`` how many cores pay, ``twins`` what is lost
against a serial twin.

From laws: ``laws`` holds the formulas, ``fits`` fits one to a curve, ``conclusions`` chooses between them
and says what they imply, ``compared`` holds curves against each other, ``advice`` names the measurement
that would narrow an answer most (``commands``: as a command to run).
"""
