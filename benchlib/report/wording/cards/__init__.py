"""Figures of merit: four to six numbers with how sure they are, what they changed by, what they are to keep."""
