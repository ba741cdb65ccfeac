"""Capacity: how many nodes a load takes, drawn from what the points leave open."""
