"""What a start of a container needs on this machine: the image in its engine, the weights unpacked."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from django.conf import settings

from confinement.containers.engine import Engine
from confinement.containers.images import ImageReport
from confinement.containers.layout import write_layout
from confinement.containers.limits import WeightsLimits
from confinement.containers.removing import remove_tree
from confinement.containers.weights import unpack_weights
from executions.models import AlgorithmArchive
from executions.services import hosts
from uploads.storage import local_path

_held: set[tuple[int, str]] = set()
"""Images that this process has seen in an engine: asking it each time takes longer than many a case."""


def look_again() -> None:
    """Ask the engine for its images the next time: after a fault one may be gone."""
    _held.clear()


def load(engine: Engine, image: AlgorithmArchive, beat: Callable[[], None]) -> None:
    """Have an image in the engine, compared by its id; it stays there until room is needed.

    Raises
    ------
    EngineError
        When the engine does not take it.
    """
    known = (id(engine), image.digest)
    if known in _held:
        return
    with hosts.alone_with(image.digest):
        if image.digest in engine.images():
            _held.add(known)
            return
        parts = list(image.parts.select_related("blob").order_by("position"))
        paths = {}
        for part in parts:
            paths[part.blob_id] = local_path(part.blob.file, beat=beat)
            beat()
        layout = Path(tempfile.mkdtemp(prefix="layout-", dir=hosts.folder()))
        try:
            write_layout(
                layout,
                paths[parts[0].blob_id].read_bytes(),
                ImageReport.from_json(image.report).layers,
                lambda diff_id: paths[diff_id.removeprefix("sha256:")],
            )
            engine.load(layout, image.digest)
            _held.add(known)
        finally:
            remove_tree(layout)


def unpacked(model: AlgorithmArchive, beat: Callable[[], None]) -> Path:
    """Have weights unpacked on this machine, once; nobody but containers reads them, and nobody writes."""
    target = hosts.folder() / "models"
    target.mkdir(exist_ok=True, mode=0o711)
    part = model.parts.select_related("blob").get(position=0)
    with hosts.alone_with(model.digest):
        return unpack_weights(
            local_path(part.blob.file, beat=beat),
            target,
            digest=model.digest,
            limits=WeightsLimits(unpacked_bytes=settings.PODIUM_IMAGE_UNPACKED_BYTES),
        )


def free() -> int:
    """Free bytes where images are loaded."""
    return shutil.disk_usage(hosts.folder()).free
