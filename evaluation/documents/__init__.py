"""Documents as typed blocks, and every kind of file that is written from them: HTML, PDF, Word, Markdown."""

from evaluation.documents.blocks import Block, Drawing, Kind, Sentence
from evaluation.documents.builder import DocumentBuilder
from evaluation.documents.markdown import as_markdown

__all__ = ["Block", "DocumentBuilder", "Drawing", "Kind", "Sentence", "as_markdown"]
