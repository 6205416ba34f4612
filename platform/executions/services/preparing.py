"""Preparation of a container start on this machine: the image in its engine, the weights unpacked."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from confinement.containers.engine import Engine
from confinement.containers.images import ImageReport
from confinement.containers.layout import write_layout
from confinement.containers.limits import WeightsLimits
from confinement.containers.removing import remove_tree
from confinement.containers.weights import unpack_weights
from datastore.uploads.storage import local_path
from executions.models import AlgorithmArchive
from executions.services import caching, hosts

_held: dict[tuple[int, str], str] = {}
"""Images that this process has found in an engine, with the text that changes when an image is removed.

A request to the engine each time takes longer than many cases.
"""


def look_again() -> None:
    """Ask the engine for its images the next time: after a fault one may be gone."""
    _held.clear()


@contextmanager
def held(engine: Engine, image: AlgorithmArchive, beat: Callable[[], None]) -> Iterator[None]:
    """Load an image into the engine, compare it by its id, and keep it during the context.

    Raises
    ------
    EngineError
        When the engine does not accept it.
    OSError
        When there is not enough space for it.
    """
    size = int(image.report.get("size", 0))
    with caching.in_use(caching.IMAGE, image.digest, size=size) as noted:
        if _held.get((id(engine), image.digest)) != noted:
            _load(engine, image, size, beat)
            _held[id(engine), image.digest] = noted
        yield


def _load(engine: Engine, image: AlgorithmArchive, size: int, beat: Callable[[], None]) -> None:
    with hosts.alone_with(image.digest):
        if image.digest in engine.images():
            return
        caching.make_room(engine, size)
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
        finally:
            remove_tree(layout)


@contextmanager
def unpacked(engine: Engine, model: AlgorithmArchive | None, beat: Callable[[], None]) -> Iterator[Path | None]:
    """Unpack weights once on this machine, and keep them during the context; only containers read them.

    Raises
    ------
    OSError
        When there is not enough space for them.
    """
    if model is None:
        yield None
        return
    target = hosts.folder() / "models"
    target.mkdir(exist_ok=True, mode=0o711)
    part = model.parts.select_related("blob").get(position=0)
    with caching.in_use(caching.MODEL, model.digest, size=part.blob.size):
        with hosts.alone_with(model.digest):
            if not (target / model.digest.removeprefix("sha256:")).is_dir():
                caching.make_room(engine, part.blob.size)
            path = unpack_weights(
                local_path(part.blob.file, beat=beat),
                target,
                digest=model.digest,
                limits=WeightsLimits(unpacked_bytes=settings.PODIUM_IMAGE_UNPACKED_BYTES),
            )
        yield path
