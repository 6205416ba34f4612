"""The parameter catalogue: data of the project, its texts editable without deployment.

`catalogue()` is what everything else reads. Administrators change texts in the database (`TextOverride`); the change is
seen by every process within a few seconds, because the overrides are read again once their number or date changes.
"""

from evaluation.designs.catalogue.model import (
    TEXTS,
    Catalogue,
    Check,
    Choice,
    IndexEntry,
    ItemField,
    Parameter,
    Section,
    shipped,
    with_texts,
)

__all__ = [
    "TEXTS",
    "Catalogue",
    "Check",
    "Choice",
    "IndexEntry",
    "ItemField",
    "Parameter",
    "Section",
    "shipped",
    "with_texts",
]
