"""A design as files that people and programs take away: JSON, Markdown, Word, PDF."""

from evaluation.designs.exports.files import as_json, record_of
from evaluation.designs.exports.outline import outline

__all__ = ["as_json", "outline", "record_of"]
