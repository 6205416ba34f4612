"""Custom checks that the document alone decides."""

from evaluation.designs.checks.custom import (
    assessment,
    cases,
    descriptions,
    locations,
    organization,
    schedule,
    wording,
)

__all__ = ["assessment", "cases", "descriptions", "locations", "organization", "schedule", "wording"]
