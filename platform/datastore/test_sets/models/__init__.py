"""Archive → test set → case → annotation."""

from datastore.test_sets.models.archives import TestSetArchive, TestSetUpload
from datastore.test_sets.models.case_reports import CaseReport
from datastore.test_sets.models.findings import SanityFinding
from datastore.test_sets.models.overlap_questions import OverlapQuestion
from datastore.test_sets.models.overlaps import OverlapCheck, OverlapPair
from datastore.test_sets.models.test_sets import Annotation, TestCase, TestSet

__all__ = [
    "Annotation",
    "CaseReport",
    "OverlapCheck",
    "OverlapPair",
    "OverlapQuestion",
    "SanityFinding",
    "TestCase",
    "TestSet",
    "TestSetArchive",
    "TestSetUpload",
]
