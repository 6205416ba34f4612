"""Files of reports in the private storage."""

import gzip
import json
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import storages


def keep(name: str, data: bytes) -> str:
    """Keep bytes under a name; the same name is written over, so a second attempt leaves no litter."""
    return str(storages["private"].save(name, ContentFile(data)))


def keep_content(name: str, content: dict[str, Any]) -> str:
    """Keep the content of a report, compressed."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return keep(name, gzip.compress(text.encode(), compresslevel=6, mtime=0))


def read(name: str) -> bytes:
    """Read a file."""
    with storages["private"].open(name) as file:
        data: bytes = file.read()
    return data


def read_content(name: str) -> dict[str, Any]:
    """Read the content of a report."""
    content: dict[str, Any] = json.loads(gzip.decompress(read(name)))
    return content
