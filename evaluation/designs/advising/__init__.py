"""Advice while designing: the recommender's dialogue, its metrics, departures from them, and pitfalls that bite."""

from evaluation.designs.advising.consulting import (
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
from evaluation.designs.answers import Answers

__all__ = [
    "Advice",
    "Answers",
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
