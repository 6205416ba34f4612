"""Storing an image in a registry, by the distribution interface of the Open Container Initiative (version 1.1)."""

import hashlib
import json
from pathlib import Path
from urllib.parse import urljoin

import requests

from confinement.containers.engine import EngineError

_SECONDS = (10.0, 600.0)
REPOSITORY = "podium/images"


def store(session: requests.Session, address: str, layout: Path, image_id: str) -> str:
    """Store an image from a layout that we wrote, and return its reference by digest.

    Parameters
    ----------
    session
        With the credentials of the registry, if it needs any.
    address
        Address of the registry, such as ``https://registry.podium.svc:5000``.
    layout
        OCI layout (`confinement.containers.layout`).
    image_id
        Expected digest of the image's configuration, ``sha256:…``.

    Raises
    ------
    EngineError
        When the layout is that of another image, or the registry does not accept it.
    """
    blobs = layout / "blobs" / "sha256"
    try:
        entry = json.loads((layout / "index.json").read_bytes())["manifests"][0]
        content = (blobs / str(entry["digest"]).removeprefix("sha256:")).read_bytes()
        manifest = json.loads(content)
        parts = [manifest["config"], *manifest["layers"]]
    except (OSError, ValueError, LookupError) as error:
        raise EngineError(f"the layout cannot be read: {error}") from error
    if manifest["config"]["digest"] != image_id:
        raise EngineError(f"the layout is not that of {image_id}")
    base = f"{address.rstrip('/')}/v2/{REPOSITORY}"
    try:
        for part in parts:
            _store_blob(session, base, blobs / part["digest"].removeprefix("sha256:"), part["digest"])
        answer = session.put(
            f"{base}/manifests/{entry['digest']}",
            data=content,
            headers={"Content-Type": manifest["mediaType"]},
            timeout=_SECONDS,
        )
        _check(answer, "the manifest")
    except (OSError, requests.RequestException) as error:
        raise EngineError(f"the registry cannot be used: {error}") from error
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    return f"{address.rstrip('/').partition('://')[2]}/{REPOSITORY}@{digest}"


def _store_blob(session: requests.Session, base: str, path: Path, digest: str) -> None:
    if session.head(f"{base}/blobs/{digest}", timeout=_SECONDS).status_code == requests.codes.ok:
        return
    begun = session.post(f"{base}/blobs/uploads/", timeout=_SECONDS)
    _check(begun, digest)
    target = urljoin(f"{base}/blobs/uploads/", begun.headers.get("Location", ""))
    with path.open("rb") as stream:
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(path.stat().st_size)}
        answer = session.put(target, params={"digest": digest}, data=stream, headers=headers, timeout=_SECONDS)
    _check(answer, digest)


def _check(answer: requests.Response, content: str) -> None:
    if not answer.ok:
        raise EngineError(f"the registry does not accept {content}: {answer.status_code} {answer.text[:200]}")
