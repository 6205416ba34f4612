"""A design as files that people and programs take away: JSON, Markdown, Word, PDF."""

from designs.exports.files import as_json
from designs.exports.markdown import as_markdown
from designs.exports.outline import outline

__all__ = ["as_json", "as_markdown", "outline"]
