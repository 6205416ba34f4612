"""Archive → blobs; execution → batch → outcome of a case; hosts that run."""

from executions.models.archives import AlgorithmArchive, AlgorithmUpload, ArchiveBlob, Blob
from executions.models.executions import Batch, CaseOutcome, Execution, LogRelease
from executions.models.hosts import RunHost

__all__ = [
    "AlgorithmArchive",
    "AlgorithmUpload",
    "ArchiveBlob",
    "Batch",
    "Blob",
    "CaseOutcome",
    "Execution",
    "LogRelease",
    "RunHost",
]
