"""Images that sites are given: which may be named, their parts by digest, and what they are run by."""

import io
import tarfile
from collections.abc import Iterator
from typing import Any

from challenges.models import Challenge
from confinement.containers.images import ImageReport
from confinement.containers.layout import small_files
from datastore.test_sets.models import TestCase
from datastore.uploads.storage import open_stored
from evaluation.problems import kind_of
from evaluation.problems.files import FileProblem
from evaluation.running.registered import Registered
from executions.domain.plans import NotRunnableError, ending_of, sockets
from executions.models import AlgorithmArchive
from executions.models.archives import Kind
from federation.models import Algorithm, Federation

_BLOCK = 1 << 20


def images_of(challenge: Challenge) -> list[AlgorithmArchive]:
    """Images that teams of a challenge sent and that were checked, the newest first."""
    rows = AlgorithmArchive.objects.filter(
        kind=Kind.IMAGE, state=AlgorithmArchive.State.READY, removed_at=None, phase__task__challenge=challenge
    )
    return list(rows.select_related("team", "phase").order_by("-created_at")[:200])


def interface_of(federation: Federation) -> dict[str, Any] | None:
    """Return the inputs and outputs of the images of a federation, or None if no image is run.

    The registered limits are those of the phase, or of the phase for which the first image was checked.

    Raises
    ------
    executions.domain.plans.NotRunnableError
        When algorithms cannot be run for such a phase.
    """
    first = federation.algorithms.exclude(archive=None).select_related("archive__phase").order_by("pk").first()
    if first is None or first.archive is None:
        return None
    phase, assessment = federation.phase, federation.phase.assessment
    problem = kind_of(assessment)
    if not isinstance(problem, FileProblem):
        raise NotRunnableError(
            f"Images are not run at sites for {problem.title}: its predictions are rows of one table."
        )
    beside = problem.table_of_predictions(assessment)
    if beside is not None and beside.needed:
        raise NotRunnableError(
            f"Images are not run at sites for {problem.title}: its predictions need a table {beside.file} beside their files."
        )
    plan = Registered.of(phase.algorithms or first.archive.phase.algorithms or {})
    files = TestCase.objects.filter(test_set__phase=first.archive.phase, test_set__is_active=True)
    endings = {ending_of(name) for name in files.values_list("image_file", flat=True)} - {""}
    if not endings:
        endings = {problem.suffixes[0]}
    return sockets(plan, assessment, sorted(endings)).document(plan)


def parts_of(archive: AlgorithmArchive) -> dict[str, Any]:
    """The files of an image as a package names them: SHA-256 and size of its configuration and of each layer."""
    config = archive.parts.select_related("blob").get(position=0).blob
    layers = ImageReport.from_json(archive.report).layers
    return {
        "config": {"sha256": config.digest, "size": config.size},
        "layers": [
            {"diff_id": layer.diff_id, "sha256": layer.stored_digest.removeprefix("sha256:"), "size": layer.stored_size}
            for layer in layers
        ],
    }


def file_of(federation: Federation, sha256: str) -> tuple[str, int] | None:
    """Return the stored path and the size of a file of the current package by its SHA-256, or None."""
    if sha256 and sha256 == federation.dry_run_sha256:
        return federation.dry_run_name, federation.dry_run_size
    for algorithm in federation.algorithms.exclude(archive=None).select_related("archive"):
        assert algorithm.archive is not None
        stored_file = _stored(algorithm.archive).get(sha256)
        if stored_file is not None:
            return stored_file
    return None


def image_archive(algorithm: Algorithm) -> Iterator[bytes]:
    """An image as one tar archive (OCI layout), piece by piece, to be carried to a site."""
    assert algorithm.archive is not None
    archive = algorithm.archive
    stored = _stored(archive)
    layers = ImageReport.from_json(archive.report).layers
    config_name, _ = stored[archive.digest.removeprefix("sha256:")]
    with open_stored(config_name) as source:
        config = source.read()
    for name, content in small_files(config, layers).items():
        yield from _member(name, len(content), io.BytesIO(content))
    for sha256 in dict.fromkeys(layer.stored_digest.removeprefix("sha256:") for layer in layers):
        name, size = stored[sha256]
        with open_stored(name) as source:
            yield from _member(f"blobs/sha256/{sha256}", size, source)
    yield bytes(2 * tarfile.BLOCKSIZE)


def _member(name: str, size: int, source: Any) -> Iterator[bytes]:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, 0o644
    yield entry.tobuf()
    while block := source.read(_BLOCK):
        yield block
    yield bytes(-size % tarfile.BLOCKSIZE)


def _stored(archive: AlgorithmArchive) -> dict[str, tuple[str, int]]:
    """Return the stored path and the size of every file of an image, by its SHA-256."""
    blobs = {part.blob.digest: part.blob for part in archive.parts.select_related("blob")}
    config = archive.digest.removeprefix("sha256:")
    files = {config: (blobs[config].file, blobs[config].size)} if config in blobs else {}
    for layer in ImageReport.from_json(archive.report).layers:
        blob = blobs.get(layer.diff_id.removeprefix("sha256:"))
        if blob is not None:
            files[layer.stored_digest.removeprefix("sha256:")] = (blob.file, layer.stored_size)
    return files
