"""Doubts (placeholder)."""

from __future__ import annotations

from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.problem import Problem
from bifilar.estimate.status import Status


def doubts(estimate: BaseEstimate, problem: Problem) -> Status:
    """Whether the fit means anything.

    >>> callable(doubts)
    True
    """
    return Status()
