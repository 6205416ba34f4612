"""Reads worth naming."""

from submissions.queries.quotas import Quota, quota
from submissions.queries.results import (
    LeftOut,
    Rescoring,
    annotator_evidence,
    annotator_frames,
    counted_runs,
    evidence_of,
    left_out,
    rescoring_of,
    results_frame,
    told_frame,
    told_notes,
)

__all__ = [
    "LeftOut",
    "Quota",
    "Rescoring",
    "annotator_evidence",
    "annotator_frames",
    "counted_runs",
    "evidence_of",
    "left_out",
    "quota",
    "rescoring_of",
    "results_frame",
    "told_frame",
    "told_notes",
]
