"""Actions at the end of the check of a scoring image."""

from executions import hooks
from executions.models import AlgorithmArchive
from executions.models.archives import Kind


def register() -> None:
    """Have an image tried as soon as it is ready."""
    hooks.settled.register(settled)


def settled(archive: AlgorithmArchive) -> None:
    """Begin the trials of a scoring image, in the transaction that ends its check."""
    if archive.kind == Kind.SCORER and archive.state == AlgorithmArchive.State.READY:
        # Here, since web processes load no libraries of images.
        from executions.judging.services import trying

        trying.begin_trials(archive)
