"""Custom checks that the document, its history or other designs decide."""

from designs.checks.custom import (
    addresses,
    assessment,
    cases,
    descriptions,
    neighbours,
    organization,
    schedule,
    wording,
)

__all__ = ["addresses", "assessment", "cases", "descriptions", "neighbours", "organization", "schedule", "wording"]
