"""Images and weights on this machine: downloaded once, compared with their digests, removed when room is short."""

import hashlib
import os
import shutil
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from confinement.containers.images import ImageReport
from confinement.containers.layout import write_layout
from confinement.containers.limits import WeightsLimits
from confinement.containers.removing import remove_tree
from confinement.containers.weights import unpack_weights
from podium_client.errors import ClientError
from podium_client.runner.link import Link
from podium_client.runner.machine import Machine

LOADING = 3
"""Times its unpacked size that an image takes while it is loaded."""
_BLOCK = 1024**2


class NoRoomError(ClientError):
    """Error for a disk with too little room."""


class Store:
    """Images in the engine of this machine, and unpacked weights."""

    def __init__(self, machine: Machine, link: Link, cache_bytes: int) -> None:
        self.machine, self.link, self._most = machine, link, cache_bytes
        self._lock = threading.Lock()
        self._loading: dict[str, threading.Lock] = {}
        self._used: Counter[str] = Counter()

    @contextmanager
    def image(self, document: Mapping[str, Any], image_id: str, beat: Callable[[], None]) -> Iterator[None]:
        """Load an image into the engine, and keep it during the context."""
        report = ImageReport.from_json(document["report"])
        with self._in_use(f"image-{_hex(image_id)}", report.size):
            with self._alone(image_id):
                if image_id not in self.machine.engine.images():
                    self._make_room(LOADING * report.size)
                    self._load(document, report, image_id, beat)
            yield

    def _load(self, document: Mapping[str, Any], report: ImageReport, image_id: str, beat: Callable[[], None]) -> None:
        parts = document["parts"]
        digests = [image_id, *(layer.stored_digest for layer in report.layers)]
        if len(parts) != len(digests):
            raise ClientError(f"The image {image_id[:19]} has {len(parts)} parts; {len(digests)} were expected.")
        paths = [self._blob(part, digest, beat) for part, digest in zip(parts, digests, strict=True)]
        layers = {layer.diff_id: path for layer, path in zip(report.layers, paths[1:], strict=True)}
        layout = self.machine.part("layouts") / _hex(image_id)
        remove_tree(layout)
        layout.mkdir()
        try:
            write_layout(layout, paths[0].read_bytes(), report.layers, layers.__getitem__)
            self.machine.engine.load(layout, image_id)
        finally:
            remove_tree(layout)
        for path in paths:
            path.unlink(missing_ok=True)

    @contextmanager
    def weights(self, entry: Mapping[str, Any] | None, digest: str, beat: Callable[[], None]) -> Iterator[Path | None]:
        """Unpack weights, and keep them during the context."""
        if entry is None:
            yield None
            return
        with self._in_use(f"weights-{_hex(digest)}", int(entry["size"])):
            models = self.machine.part("models")
            with self._alone(digest):
                path = models / _hex(digest)
                if not path.is_dir():
                    self._make_room(LOADING * int(entry["size"]))
                    packed = self._blob(entry, "", beat, name=f"weights-{_hex(digest)}")
                    try:
                        # The platform has checked the size of what it unpacks to; the digest is compared here.
                        most = shutil.disk_usage(models).free
                        path = unpack_weights(packed, models, digest=digest, limits=WeightsLimits(unpacked_bytes=most))
                    finally:
                        packed.unlink(missing_ok=True)
            yield path

    def _blob(self, entry: Mapping[str, Any], digest: str, beat: Callable[[], None], *, name: str = "") -> Path:
        path = self.machine.part("downloads") / (name or _hex(digest))
        part = path.with_suffix(".part")
        if path.exists():
            return path
        self.link.download(entry["address"], int(entry["size"]), part, beat)
        if digest and _sha256(part) != _hex(digest):
            part.unlink()
            raise ClientError(f"A part of the image does not have its SHA-256 ({digest[:19]}). It is downloaded again.")
        part.replace(path)
        return path

    # --- Room ---------------------------------------------------------------------------------------------------------
    @contextmanager
    def _in_use(self, name: str, size: int) -> Iterator[None]:
        note = self.machine.part("cache") / name
        with self._lock:
            self._used[name] += 1
            note.write_text(str(size))
        try:
            yield
        finally:
            with self._lock:
                self._used[name] -= 1
                with suppress(OSError):
                    os.utime(note)
            self._shrink(0)

    @contextmanager
    def _alone(self, digest: str) -> Iterator[None]:
        with self._lock:
            lock = self._loading.setdefault(digest, threading.Lock())
        with lock:
            yield

    def _make_room(self, needed: int) -> None:
        self._shrink(needed)
        free = shutil.disk_usage(self.machine.folder).free
        if free < needed:
            raise NoRoomError(f"{free:,} bytes are free in {self.machine.folder}; {needed:,} are needed.")

    def _shrink(self, needed: int) -> None:
        """Remove what was not used for the longest time until the cache fits its bound and the disk has room."""
        with self._lock:
            notes = sorted(self.machine.part("cache").iterdir(), key=lambda path: path.stat().st_mtime)
            sizes = {note: _size_in(note) for note in notes}
            for note in notes:
                is_full = sum(sizes.values()) > self._most
                if not is_full and shutil.disk_usage(self.machine.folder).free >= needed:
                    return
                if self._used[note.name]:
                    continue
                kind, _, digest = note.name.partition("-")
                if kind == "image":
                    self.machine.engine.remove_image(f"sha256:{digest}")
                else:
                    remove_tree(self.machine.part("models") / digest)
                note.unlink(missing_ok=True)
                del sizes[note]


def _size_in(note: Path) -> int:
    text = note.read_text()
    return int(text) if text.isascii() and text.isdigit() else 0


def _hex(digest: str) -> str:
    text = digest.removeprefix("sha256:")
    if len(text) != 64 or not set(text) <= set("0123456789abcdef"):
        raise ClientError(f"{digest[:80]} is not a SHA-256 digest.")
    return text


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
