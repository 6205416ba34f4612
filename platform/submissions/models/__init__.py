"""Test set → upload → submission → run → chunk."""

from submissions.models.methods import MethodDescription
from submissions.models.releases import Release
from submissions.models.rescorings import Rescoring
from submissions.models.runs import Chunk, Run
from submissions.models.submissions import Submission

__all__ = [
    "Chunk",
    "MethodDescription",
    "Release",
    "Rescoring",
    "Run",
    "Submission",
]
