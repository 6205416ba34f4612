"""Weights of an algorithm: an archive that is checked and stored again.

It is unpacked once on each machine that runs the algorithm.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from confinement.archive import BLOCK
from confinement.containers.archives import (
    Bound,
    TakingError,
    Unpacked,
    Window,
    ZstdFile,
    decompressed,
    entries,
    kind_of,
    normalised,
    refusing,
)
from confinement.containers.limits import WeightsLimits
from confinement.containers.removing import remove_tree
from confinement.limits import MIB, ChildLimits
from confinement.sandbox import answers
from evaluation import durable

STORED_NAME = "weights.tar.zst"
_BYTES_PER_SECOND = 5 * MIB
_DEPTH = 32


class WeightsError(ValueError):
    """Error for rejected weights, with a message to the team that states the remedy."""


@dataclass(frozen=True)
class WeightsReport:
    """Weights that were taken."""

    digest: str
    """Of the uncompressed archive."""
    size: int
    files: int


def take_weights(
    archive: Path,
    store: Path,
    *,
    limits: WeightsLimits,
    child: ChildLimits | None = None,
    beat: Callable[[], None] = lambda: None,
) -> WeightsReport:
    """Check an archive of weights in a confined child and write it to `store` as `weights.tar.zst`.

    Raises
    ------
    WeightsError
        When it is not taken: one sentence for the team.
    """
    # The child that reads them works in a folder of its own.
    archive, store = archive.absolute(), store.absolute()
    size = archive.stat().st_size
    if size > limits.archive_bytes:
        raise WeightsError(f"The weights have {size:,} bytes; at most {limits.archive_bytes:,} are taken.")

    def work(_item: str, _own: Path) -> object:
        try:
            return _take(archive, store, limits)
        except TakingError as error:
            return {"problem": str(error)}

    bounds = child or ChildLimits(
        memory_bytes=512 * MIB,
        file_bytes=limits.unpacked_bytes + 256 * MIB,
        folder_bytes=limits.unpacked_bytes + 256 * MIB,
        item_seconds=120 + size / _BYTES_PER_SECOND,
    )
    [answer] = answers(["weights"], work, limits=bounds, reads=[archive], beat=beat, hands_over=store)
    if answer.failure is not None or not isinstance(answer.value, dict):
        raise WeightsError("The weights could not be read within the limits of time and memory. Pack them again.")
    if "problem" in answer.value:
        raise WeightsError(str(answer.value["problem"]))
    return WeightsReport(**answer.value)


def _take(archive: Path, store: Path, limits: WeightsLimits) -> dict[str, str | int]:
    kind_of(archive)
    size = archive.stat().st_size
    names: set[str] = set()
    files = 0
    with archive.open("rb") as packed:
        start = packed.read(16)
        with (
            refusing("The weights cannot be read ({}). Pack them again and upload them again."),
            decompressed(Window(packed, 0, size), start) as source,
        ):
            bound = Bound(most=limits.unpacked_bytes, packed=size, packing=limits.packing)
            stream = Unpacked(source, bound, "The archive of weights")
            copy = ZstdFile(store / STORED_NAME)
            stream.copy_to(copy)
            for _, entry in entries(stream):
                name = normalised(entry.name)
                if not (entry.isdir() or (entry.isreg() and not entry.issparse())):
                    raise TakingError(f"{name[:120]} in the weights is no regular file. Pack files and folders only.")
                if name in names and not entry.isdir():
                    raise TakingError(f"{name[:120]} is in the weights twice. Pack it once.")
                if name.count("/") >= _DEPTH:
                    raise TakingError(f"{name[:120]} lies more than {_DEPTH} folders deep. Pack the weights flatter.")
                names.add(name)
                files += entry.isreg()
                if len(names) > limits.entries:
                    raise TakingError(f"The weights have more than {limits.entries:,} files. Pack fewer.")
            copy.close()
    if not files:
        raise TakingError("The archive of weights holds no file. Pack them again.")
    return {"digest": stream.digest, "size": stream.size, "files": files}


def unpack_weights(stored: Path, target: Path, *, digest: str, limits: WeightsLimits) -> Path:
    """Unpack stored weights into a folder below `target` named by their digest, once.

    Parameters
    ----------
    stored
        What `take_weights` wrote.
    target
        Folder of all weights of this machine.
    digest
        Of the weights; compared.
    limits
        Under which they were taken.

    Raises
    ------
    WeightsError
        When they are other weights.
    """
    weights_folder = target / digest.removeprefix("sha256:")
    if weights_folder.is_dir():
        return weights_folder
    target.mkdir(parents=True, exist_ok=True)
    working = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=target))
    try:
        with pa.input_stream(str(stored), compression="zstd") as plain:
            # Their ratio was judged by the upload; as we pack them, they may be smaller.
            stream = Unpacked(plain, Bound(most=limits.unpacked_bytes), "The weights")
            _write(stream, working)
        if stream.digest != digest:
            raise WeightsError("The stored weights do not match their digest.")
        working.chmod(0o755)
        try:
            durable.settle_folder(working, weights_folder)
        except OSError:
            # Another process may have been quicker, with the same content.
            if not weights_folder.is_dir():
                raise
    finally:
        remove_tree(working)
    return weights_folder


def _write(stream: Unpacked, folder: Path) -> None:
    for tar, entry in entries(stream):
        path = folder / normalised(entry.name)
        if entry.isdir():
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        content = tar.extractfile(entry)
        with path.open("xb") as sink:
            while content is not None and (piece := content.read(BLOCK)):
                sink.write(piece)
        path.chmod(0o644)
    for inner in [folder, *(path for path in folder.rglob("*") if path.is_dir())]:
        inner.chmod(0o755)
