"""Files of rankings in the private storage: JSON documents that never change."""

import gzip
import json
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import storages

_COMPRESSION = 3


def store(name: str, text: str) -> str:
    """Keep `text`, compressed, in the private storage; the same name is written over, so a second attempt leaves no litter."""
    return storages["private"].save(
        name, ContentFile(gzip.compress(text.encode(), compresslevel=_COMPRESSION, mtime=0))
    )


def load(name: str) -> Any:
    """Read a stored JSON document."""
    with storages["private"].open(name) as file:
        return json.loads(gzip.decompress(file.read()))
