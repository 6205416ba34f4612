"""Reads worth naming."""

from submissions.queries.quotas import Quota, quota
from submissions.queries.results import (
    annotator_evidence,
    annotator_frames,
    counted_runs,
    evidence_of,
    left_out,
    results_frame,
    told_frame,
)
from submissions.queries.versions import LeftOut, Rescoring, rescoring_of

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
]
