"""Reads worth naming."""

from designs.queries.documents import document_of, document_of_version, fields_of, revision_of, visible_design
from designs.queries.drafts import drafts_beside
from designs.queries.embargoes import opening_day, withheld_values
from designs.queries.lists import designs_for, designs_to_read, history_of, opened_embargoes, own_designs

__all__ = [
    "designs_for",
    "designs_to_read",
    "document_of",
    "document_of_version",
    "drafts_beside",
    "fields_of",
    "history_of",
    "opened_embargoes",
    "opening_day",
    "own_designs",
    "revision_of",
    "visible_design",
    "withheld_values",
]
