"""Files that organizers upload for one reading: stored privately until a worker has read them."""

import logging
import shutil
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from django.core.exceptions import ValidationError
from django.core.files.base import File
from django.core.files.storage import storages

MAX_FILES: Final = 200
MAX_BYTES: Final = 200 * 1024**2
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Arrived:
    """Uploaded file: path of its bytes, name chosen by the sender, and role (references or predictions)."""

    path: Path
    name: str
    role: str


def check(uploads: Sequence[tuple[str, File]]) -> None:
    """Check the number and size of uploads.

    Raises
    ------
    ValidationError
        Without references, or with too much.
    """
    if not any(role == "references" for role, _ in uploads):
        raise ValidationError({"references": "Choose some reference files."})
    if len(uploads) > MAX_FILES or sum(upload.size for _, upload in uploads) > MAX_BYTES:
        raise ValidationError({"references": f"At most {MAX_FILES} files of {MAX_BYTES // 1024**2} MB together."})


def store(kind: str, uploads: Iterable[tuple[str, File]]) -> list[dict[str, str]]:
    """Store uploads in the private storage, and return role, name and stored name of each.

    Parameters
    ----------
    kind
        Folder of the storage.
    """
    folder = f"{kind}/{uuid.uuid4()}"
    files: list[dict[str, str]] = []
    try:
        for index, (role, upload) in enumerate(uploads):
            name = PurePosixPath((upload.name or "file").replace("\\", "/")).name
            stored = storages["private"].save(f"{folder}/{index}", upload)
            files.append({"role": role, "name": name, "stored": stored})
    except Exception:
        delete(files)
        raise
    return files


def copied(entry: Mapping[str, str], target: Path) -> Arrived:
    """Copy a stored upload to `target`, unread."""
    with storages["private"].open(entry["stored"]) as stored, target.open("wb") as stream:
        shutil.copyfileobj(stored, stream)
    return Arrived(target, entry["name"], entry["role"])


def delete(files: Iterable[Mapping[str, str]]) -> None:
    """Delete stored uploads."""
    for entry in files:
        if "stored" in entry:
            try:
                storages["private"].delete(entry["stored"])
            except OSError:
                _LOG.exception("An upload cannot be deleted: %s", entry["stored"])
