"""The report of a challenge as a paper: paragraphs composed from the items of the guideline, results, and the checklist."""

from reports.domain.paper.composing import paper_blocks

__all__ = ["paper_blocks"]
