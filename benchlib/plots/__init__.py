"""Figures: an answer in, a plotly figure out; one file a figure, no arithmetic."""
