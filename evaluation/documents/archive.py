"""Export of a document as Markdown with its figures, in one archive."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, Final

from evaluation.documents.figures import forms_of
from evaluation.documents.markdown import as_markdown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evaluation.documents.blocks import Block
    from evaluation.figures.publication import Printed

_EPOCH: Final = (2026, 1, 1, 0, 0, 0)


def as_archive(blocks: Iterable[Block], figures: Mapping[str, Printed]) -> bytes:
    """``report.md`` with the figures as SVG and PNG; the same document gives the same bytes."""
    text = as_markdown(blocks)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("report.md", _EPOCH), text, zipfile.ZIP_DEFLATED)
        for name, figure in figures.items():
            for file, data in forms_of(name, figure).items():
                packed = zipfile.ZIP_STORED if file.endswith(".png") else zipfile.ZIP_DEFLATED
                archive.writestr(zipfile.ZipInfo(f"figures/{file}", _EPOCH), data, packed)
    return buffer.getvalue()
