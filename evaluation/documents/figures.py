"""The figures of a document as files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evaluation.documents.blocks import Block
    from evaluation.figures.publication import Printed


def file_of(name: str) -> str:
    """The file in which a figure is shown: a drawing as SVG, a picture under its own name.

    Examples
    --------
    >>> file_of("figure-01"), file_of("case-01.png")
    ('figure-01.svg', 'case-01.png')
    """
    return name if "." in name else f"{name}.svg"


def forms_of(name: str, figure: Printed) -> dict[str, bytes]:
    """The files of a figure: both forms of a drawing, a picture as it is."""
    return {f"{name}.svg": figure.svg, f"{name}.png": figure.png} if figure.svg else {name: figure.png}


def printed_figures(blocks: Iterable[Block]) -> dict[str, Printed]:
    """Draw the figures of a document for print, by their names; those without a description are excluded."""
    from evaluation.figures.publication import printed  # draws: it takes a while to load

    return {
        block.name: printed(block.figure, description=block.text)
        for block in blocks
        if block.kind == "figure" and block.figure is not None
    }
