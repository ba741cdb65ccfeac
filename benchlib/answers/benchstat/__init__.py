"""What benchstat says of the same results: its keys, its tables, its numbers, its warnings."""

from benchlib.answers.benchstat.projection import Projection, Projections, project, project_together

__all__ = ["Projection", "Projections", "project", "project_together"]
