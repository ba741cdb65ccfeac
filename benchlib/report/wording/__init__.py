"""Answers in words, figures of merit and tables: nothing here computes, everything is escaped."""
