"""Import of design documents.

They are the structured description of the MICCAI conferences, exports of this platform as Word or PDF, and settings of
phases of Grand Challenge as JSON.

`read_design_file` reads a file and returns a proposal per field, with its page and original words. Options
match exactly or become a question. Nothing is invented: a field that the document does not describe stays open.
"""

from evaluation.designs.imports.bounds import DocumentLimits
from evaluation.designs.imports.grand_challenge import is_grand_challenge
from evaluation.designs.imports.lines import DesignFileError
from evaluation.designs.imports.proposals import DesignProposals, Proposal, Unplaced
from evaluation.designs.imports.reading import is_design_document, read_design_file

__all__ = [
    "DesignFileError",
    "DesignProposals",
    "DocumentLimits",
    "Proposal",
    "Unplaced",
    "is_design_document",
    "is_grand_challenge",
    "read_design_file",
]
