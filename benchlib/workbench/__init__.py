"""The workbench: objects that hold an answer, and show, plot, tabulate and predict it."""
