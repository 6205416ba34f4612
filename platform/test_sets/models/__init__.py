"""Archive → test set → case → annotation."""

from test_sets.models.archives import TestSetArchive, TestSetUpload
from test_sets.models.case_reports import CaseReport
from test_sets.models.test_sets import Annotation, TestCase, TestSet

__all__ = ["Annotation", "CaseReport", "TestCase", "TestSet", "TestSetArchive", "TestSetUpload"]
