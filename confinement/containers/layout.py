"""The OCI layout that we write for an engine from checked parts, without a name: no archive of a stranger reaches it."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from confinement.containers.images import LayerReport

_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_CONFIG = "application/vnd.oci.image.config.v1+json"
_LAYER = "application/vnd.oci.image.layer.v1.tar+zstd"


def write_layout(folder: Path, config: bytes, layers: Sequence[LayerReport], blob: Callable[[str], Path]) -> Path:
    """Write a layout into an empty folder and return it.

    Parameters
    ----------
    folder
        Destination folder.
    config
        Configuration of the image, byte for byte.
    layers
        Layers from the lowest up.
    blob
        Returns the path of a stored layer by its `diff_id`.
    """
    blobs = folder / "blobs" / "sha256"
    blobs.mkdir(parents=True)
    for layer in layers:
        target = blobs / layer.stored_digest.removeprefix("sha256:")
        if not target.exists():
            _link(blob(layer.diff_id), target)
    for name, content in small_files(config, layers).items():
        (folder / name).write_bytes(content)
    return folder


def small_files(config: bytes, layers: Sequence[LayerReport]) -> dict[str, bytes]:
    """All files of a layout but the layers themselves, by their names in it."""
    manifest = _json(
        {
            "schemaVersion": 2,
            "mediaType": _MANIFEST,
            "config": {"mediaType": _CONFIG, "digest": _digest(config), "size": len(config)},
            "layers": [
                {"mediaType": _LAYER, "digest": layer.stored_digest, "size": layer.stored_size} for layer in layers
            ],
        }
    )
    entry = {"mediaType": _MANIFEST, "digest": _digest(manifest), "size": len(manifest)}
    return {
        "oci-layout": _json({"imageLayoutVersion": "1.0.0"}),
        "index.json": _json({"schemaVersion": 2, "manifests": [entry]}),
        **{f"blobs/sha256/{_digest(blob).removeprefix('sha256:')}": blob for blob in (manifest, config)},
    }


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
