"""Test set → upload → submission → run → chunk."""

from submissions.models.methods import MethodDescription
from submissions.models.releases import Release
from submissions.models.runs import Chunk, Run
from submissions.models.submissions import Submission
from submissions.models.test_set_archives import TestSetArchive, TestSetUpload
from submissions.models.test_sets import Annotation, TestCase, TestSet
from submissions.models.uploads import Multipart, Upload

__all__ = [
    "Annotation",
    "Chunk",
    "MethodDescription",
    "Multipart",
    "Release",
    "Run",
    "Submission",
    "TestCase",
    "TestSet",
    "TestSetArchive",
    "TestSetUpload",
    "Upload",
]
