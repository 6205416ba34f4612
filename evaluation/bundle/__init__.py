"""A published ranking with everything that it was computed from, in one file that anyone can check.

A bundle is a zip archive: ``assessment.json``, one results table a team under ``results/``, what its values of the whole
data set are made of under ``evidence/`` where there are such, ``cases.csv`` where the assessment uses case metadata, ``ranking.json``, ``audit.json`` with the log's entries of this ranking, and, last,
``bundle.json``: what was published and the SHA-256 of every other file.
"""

from evaluation.bundle.exclusions import OTHER_RANKINGS
from evaluation.bundle.layout import (
    ASSESSMENT,
    AUDIT,
    CASES,
    MANIFEST,
    RANKING,
    SCHEMA,
    audit_digest,
    combined_digest,
    result_digest,
)
from evaluation.bundle.outside import MEASURED_OUTSIDE
from evaluation.bundle.scorers import SCORERS
from evaluation.bundle.verifying import BundleError, Verdict, contents, verify
from evaluation.bundle.writing import Published, TeamResult, chunks

__all__ = [
    "ASSESSMENT",
    "AUDIT",
    "CASES",
    "MANIFEST",
    "MEASURED_OUTSIDE",
    "OTHER_RANKINGS",
    "RANKING",
    "SCHEMA",
    "SCORERS",
    "BundleError",
    "Published",
    "TeamResult",
    "Verdict",
    "audit_digest",
    "chunks",
    "combined_digest",
    "contents",
    "result_digest",
    "verify",
]
