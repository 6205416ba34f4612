"""Files of rankings in the private storage, JSON documents that never change; and case metadata as they are kept there."""

import gzip
import io
import json
from typing import Any

import pandas as pd
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


def read_metadata(text: str | None) -> pd.DataFrame | None:
    """Read case metadata as text, so that no identifier is taken for a number."""
    return None if text is None else pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
