"""Reads worth naming."""

from submissions.queries.quotas import Quota, quota
from submissions.queries.results import (
    annotator_evidence,
    annotator_frames,
    counted_runs,
    evidence_of,
    left_out,
    results_frame,
)
from submissions.queries.test_sets import (
    active_test_set,
    annotators_of,
    case_metadata_frame,
    case_names,
    first_cases,
    has_test_set,
)
from submissions.queries.versions import LeftOut, Rescoring, rescoring_of

__all__ = [
    "LeftOut",
    "Quota",
    "Rescoring",
    "active_test_set",
    "annotator_evidence",
    "annotator_frames",
    "annotators_of",
    "case_metadata_frame",
    "case_names",
    "counted_runs",
    "evidence_of",
    "first_cases",
    "has_test_set",
    "left_out",
    "quota",
    "rescoring_of",
    "results_frame",
]
