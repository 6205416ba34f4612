"""Archive → test set → case → annotation."""

from datastore.test_sets.models.archives import TestSetArchive, TestSetUpload
from datastore.test_sets.models.case_reports import CaseReport
from datastore.test_sets.models.test_sets import Annotation, TestCase, TestSet

__all__ = ["Annotation", "CaseReport", "TestCase", "TestSet", "TestSetArchive", "TestSetUpload"]
