"""A question that these data cannot answer, and why."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Refusal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Says in one line why a question has no answer here.

    Attributes
    ----------
    question : str
        The question's short name: ``"scaling"``.
    reason : str
        What the data lack.
    advice : str
        What would let the question be asked.
    """

    question: str
    reason: str
    advice: str
