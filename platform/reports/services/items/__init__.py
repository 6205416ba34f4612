"""Items of the guideline: statements of the design, then additions from the log and the results."""

from reports.services.items.generating import generate
from reports.services.items.source import Source

__all__ = ["Source", "generate"]
