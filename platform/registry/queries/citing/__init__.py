"""How a registered version is cited, by people and by programs."""

from registry.queries.citing.formats import FORMATS, bibtex, cff, ris, sentence
from registry.queries.citing.reference import Author, Reference, reference_of

__all__ = ["FORMATS", "Author", "Reference", "bibtex", "cff", "reference_of", "ris", "sentence"]
