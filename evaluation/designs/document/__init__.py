"""The document of a design: entries with their states, typed values, canonical form, masking of what is embargoed."""

from evaluation.designs.document.entries import FILLED_STATES, Entry, State
from evaluation.designs.document.form import Document, Values, from_json, public_document, public_form, to_json
from evaluation.designs.document.typed import UnfitValueError, clean, fitting_cells, is_email, is_empty

__all__ = [
    "FILLED_STATES",
    "Document",
    "Entry",
    "State",
    "UnfitValueError",
    "Values",
    "clean",
    "fitting_cells",
    "from_json",
    "is_email",
    "is_empty",
    "public_document",
    "public_form",
    "to_json",
]
