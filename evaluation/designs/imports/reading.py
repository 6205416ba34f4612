"""From a Word, PDF or JSON file to proposals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evaluation.designs.catalogue import Catalogue, shipped
from evaluation.designs.imports.bounds import DEFAULT, DocumentLimits, kind_of
from evaluation.designs.imports.exported import is_export, propose_from_export
from evaluation.designs.imports.grand_challenge import read_grand_challenge
from evaluation.designs.imports.lines import DesignFileError
from evaluation.designs.imports.passages import divide
from evaluation.designs.imports.proposals import is_structured, propose

if TYPE_CHECKING:
    from pathlib import Path

    from evaluation.designs.imports.proposals import DesignProposals

ENDINGS: Final = (".docx", ".pdf", ".doc", ".docm")


def is_design_document(name: str) -> bool:
    """Return whether a file name is that of a Word or PDF document."""
    return name.lower().endswith(ENDINGS)


def read_design_file(
    path: Path, *, name: str = "", limits: DocumentLimits = DEFAULT, catalogue: Catalogue | None = None
) -> DesignProposals:
    """Read a Word or PDF document, or settings of Grand Challenge as JSON.

    Files of strangers must be read in a confined process: only the bounds in `limits` are checked here.

    Parameters
    ----------
    name
        Name of the file for messages; by default its own.

    Raises
    ------
    DesignFileError
        For a file that cannot be read, or that describes no design. The message contains a remedy.
    """
    name = name or path.name
    catalogue = catalogue or shipped()
    kind = kind_of(path, name, limits)
    if kind == "json":
        return read_grand_challenge(name, path.read_bytes(), catalogue=catalogue)
    if kind == "docx":
        from evaluation.designs.imports.word_files import read_word

        pages = read_word(path, name, limits)
    else:
        from evaluation.designs.imports.pdf_files import read_pdf

        pages = read_pdf(path, name, limits)
    if is_export(pages):
        return propose_from_export(pages, catalogue=catalogue)
    division = divide(pages.lines)
    if not is_structured(division):
        raise DesignFileError(
            name,
            "The document does not have the headings of the structured description of a challenge design.",
            "Use the document from the MICCAI submission system, or an export of Podium.",
        )
    return propose(pages, division, catalogue=catalogue)
