"""The parts of ``benchlib report``: options, jobs, what is told of them, and who is called when they fail."""
