"""What ``import benchlib as bl`` gives: objects that hold an answer and show, plot, tabulate and predict it."""
