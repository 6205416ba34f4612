"""Check of predictions before they are scored: the same findings and sentences on every page, client and command line."""

from evaluation.checking.findings import Finding, Severity
from evaluation.checking.naming import Assignment, assign, guess

__all__ = ["Assignment", "Finding", "Severity", "assign", "guess"]
