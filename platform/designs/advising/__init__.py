"""Advice while designing: the recommender's dialogue, its metrics, departures from them, and pitfalls that bite."""

from designs.advising.consulting import (
    Advice,
    Bite,
    Question,
    Reasoned,
    Scanned,
    consult,
    departures_of,
    fingerprint_of,
    recommended_rows,
    regions_of,
)

__all__ = [
    "Advice",
    "Bite",
    "Question",
    "Reasoned",
    "Scanned",
    "consult",
    "departures_of",
    "fingerprint_of",
    "recommended_rows",
    "regions_of",
]
