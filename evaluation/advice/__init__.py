"""Advice during design: suitable metrics, their pitfalls, and differences that a design can detect.

The recommender is exported here. `evaluation.advice.pitfalls` and `evaluation.advice.simulation` must be imported
separately, since they load much more.
"""

from evaluation.advice.departures import Departure, departures
from evaluation.advice.fingerprint import (
    Fingerprint,
    FingerprintError,
    Unanswered,
    inconsistencies,
    parse_fingerprint,
    questions,
)
from evaluation.advice.illustrations import illustrated, illustration
from evaluation.advice.knowledge import knowledge
from evaluation.advice.recommend import influence, next_question, recommend

__all__ = [
    "Departure",
    "Fingerprint",
    "FingerprintError",
    "Unanswered",
    "departures",
    "illustrated",
    "illustration",
    "inconsistencies",
    "influence",
    "knowledge",
    "next_question",
    "parse_fingerprint",
    "questions",
    "recommend",
]
