"""Custom checks that the document alone decides."""

from evaluation.designs.checks.custom import (
    assessment,
    cases,
    descriptions,
    organization,
    schedule,
    wording,
)

__all__ = ["assessment", "cases", "descriptions", "organization", "schedule", "wording"]
