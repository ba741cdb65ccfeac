"""What files tell twice counts once.

``reconcile`` holds the rules; ``copies`` finds the same measurements in two files, ``summaries`` the rows
of a table that only say again what a log says, ``renamed`` those that say it of another name, ``groups`` the
rows of one configuration, and ``digits`` how exactly a written number tells.
"""
