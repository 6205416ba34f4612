"""The items of the guideline, one after another: what the design says, then what the log and the results add."""

from reports.services.items.generating import generate
from reports.services.items.source import Source

__all__ = ["Source", "generate"]
