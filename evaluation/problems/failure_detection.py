"""Failure detection: named by designs and assessments; its metrics and its scoring are not there yet."""

from __future__ import annotations

from evaluation.problems.base import Problem


class FailureDetection(Problem):
    """Whether methods know when they fail."""

    id = "failure_detection"
    tells_outcomes = False


PROBLEM = FailureDetection()
