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
        Where to.
    config
        Configuration of the image, byte for byte.
    layers
        From the lowest up.
    blob
        Where a layer lies as it is stored, by its `diff_id`.
    """
    blobs = folder / "blobs" / "sha256"
    blobs.mkdir(parents=True)
    for layer in layers:
        target = blobs / layer.stored_digest.removeprefix("sha256:")
        if not target.exists():
            _link(blob(layer.diff_id), target)
    manifest = _json(
        {
            "schemaVersion": 2,
            "mediaType": _MANIFEST,
            "config": {"mediaType": _CONFIG, "digest": _written(blobs, config), "size": len(config)},
            "layers": [
                {"mediaType": _LAYER, "digest": layer.stored_digest, "size": layer.stored_size} for layer in layers
            ],
        }
    )
    entry = {"mediaType": _MANIFEST, "digest": _written(blobs, manifest), "size": len(manifest)}
    (folder / "index.json").write_bytes(_json({"schemaVersion": 2, "manifests": [entry]}))
    (folder / "oci-layout").write_bytes(_json({"imageLayoutVersion": "1.0.0"}))
    return folder


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _written(blobs: Path, content: bytes) -> str:
    digest = hashlib.sha256(content).hexdigest()
    (blobs / digest).write_bytes(content)
    return f"sha256:{digest}"


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
